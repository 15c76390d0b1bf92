"""Registering, signing in, the second factor, and the way back in for whoever forgot the password.

Answers never tell whether a CPF or an e-mail is registered. Addresses to return to are paths of this site or none.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, flash, make_response, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response as BaseResponse

from tender.acts import Role
from tender.edital.forms.sign_in import (
    CodeForm,
    ProofForm,
    RegisterForm,
    ResetAskForm,
    ResetForm,
    SignInForm,
    take_fault,
)
from tender.ledger import writing
from tender.people import LinkExpired, NotRecognised, PersonFault, Recognised, Step, TooManyTries
from tender.web import (
    actor,
    drop_session,
    house,
    is_signed_in,
    keep_session,
    require,
    safe_return,
    session_token,
)

sign_in_bp = Blueprint("sign_in", __name__)

RETURN = "next"
DEVICE_DAYS = 400
OPEN_WITHOUT_FACTOR = {"static", "sign_in.sign_out", "sign_in.elevate", "account.second_factor"}
BROWSERS = (("Edg", "Edge"), ("OPR", "Opera"), ("SamsungBrowser", "Samsung Internet"), ("Firefox", "Firefox"),
            ("FxiOS", "Firefox"), ("Chrome", "Chrome"), ("CriOS", "Chrome"), ("Safari", "Safari"))  # fmt: skip
SYSTEMS = (("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"),
           ("Mac OS", "Mac"), ("CrOS", "Chromebook"), ("Linux", "Linux"))  # fmt: skip


# -- what the pages share ---------------------------------------------------------------------------------------------


def came_from() -> str:
    """The address the request came from, as the limits count it."""
    return request.remote_addr or ""


def wrong(template: str, /, **values: Any) -> Response:
    """The page again with what is wrong, and what was typed save passwords and codes."""
    return make_response(render_template(template, **values), 422)


def slowed(too_many: TooManyTries, template: str, /, **values: Any) -> Response:
    """429: the page again, saying when the next try will be heard."""
    answer = make_response(render_template(template, slowed=too_many.reason, **values), 429)
    answer.headers["Retry-After"] = str(too_many.seconds)
    return answer


def way(endpoint: str, back: str = "") -> str:
    """The address of a page that leads on to `back`."""
    return f"{url_for(endpoint)}?{urlencode({RETURN: back})}" if back else url_for(endpoint)


def device_name(user_agent: str) -> str:
    """A browser as its owner would call it: "Chrome em Android"."""
    browser = next((name for sign, name in BROWSERS if sign in user_agent), "")
    system = next((name for sign, name in SYSTEMS if sign in user_agent), "")
    return " em ".join(part for part in (browser, system) if part) or "aparelho desconhecido"


def _way_back(default: str = "") -> str:
    return safe_return(request.args.get(RETURN, ""), default or url_for("account.start"))


def _device_cookie() -> str:
    return "__Host-aparelho" if house().settings.secure_cookies else "aparelho"


@sign_in_bp.after_request
def _keep_to_ourselves(response: Response) -> Response:
    # These addresses carry tokens: no other site hears them, no cache keeps the pages.
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-store"
    return response


@sign_in_bp.before_app_request
def _second_factor_first() -> BaseResponse | None:
    """Somebody with an office but not its roles shows the second factor first, or sets it up; nothing else opens."""
    if request.endpoint in (None, *OPEN_WITHOUT_FACTOR) or not is_signed_in():
        return None
    if actor().roles != {Role.PUBLIC}:
        return None
    known = house().people.who(session_token())
    if known is None or not known[1].offices:
        return None
    goal = "sign_in.elevate" if known[1].must_confirm else "account.second_factor"
    back = request.full_path.rstrip("?") if request.method == "GET" else ""
    return redirect(way(goal, back), 303)


# -- registering ------------------------------------------------------------------------------------------------------


@sign_in_bp.route("/cadastro", methods=["GET", "POST"])
def register() -> Any:
    """One page, for a person or a company's representative."""
    form = RegisterForm()
    if request.method == "GET":
        return render_template("edital/register.html", form=form)
    if not form.validate():
        return wrong("edital/register.html", form=form)
    people, notices = house().people, house().notices
    try:
        asked = people.register(
            form.kind.data,
            form.document.data,
            form.name.data,
            form.email.data,
            form.phone.data,
            form.password.data,
            cnpj=form.cnpj.data or "",
            company_name=form.company_name.data or "",
            address=came_from(),
        )
    except PersonFault as fault:
        take_fault(form, fault)
        return wrong("edital/register.html", form=form)
    except TooManyTries as too_many:
        return slowed(too_many, "edital/register.html", form=form)
    with writing(house().engine) as tx:
        if asked.is_new:
            notices.send(tx, asked.addressee, "confirm_email", link=url_for("sign_in.confirm", token=asked.token))
        else:
            notices.send(tx, asked.addressee, "already_registered", link=url_for("sign_in.sign_in"))
    session["mailed"] = form.email.data.strip()
    return redirect(url_for("sign_in.registered"), 303)


@sign_in_bp.get("/cadastro/enviado")
def registered() -> str:
    """What to do now; the same page whether the CPF was known or not."""
    return render_template("edital/confirm.html", state="sent", email=session.pop("mailed", ""))


@sign_in_bp.route("/cadastro/confirmar/<token>", methods=["GET", "POST"])
def confirm(token: str) -> Any:
    """The link of the mail: a page with one button, because mail scanners open every link."""
    people = house().people
    if request.method == "GET":
        state = "ask" if people.awaits_confirmation(token) else "expired"
        return make_response(render_template("edital/confirm.html", state=state), 200 if state == "ask" else 410)
    try:
        done = people.confirm_email(token, came_from())
    except LinkExpired:
        return make_response(render_template("edital/confirm.html", state="expired"), 410)
    except PersonFault as fault:
        return make_response(render_template("edital/confirm.html", state="taken", reason=fault.reason), 409)
    return render_template("edital/confirm.html", state="done", purpose=done.purpose, asked=bool(done.asked_party))


# -- signing in -------------------------------------------------------------------------------------------------------


@sign_in_bp.route("/entrar", methods=["GET", "POST"])
def sign_in() -> Any:
    """CPF or e-mail, and password."""
    form = SignInForm()
    if request.method == "GET":
        return redirect(_way_back()) if is_signed_in() else render_template("edital/sign_in.html", form=form)
    if not form.validate():
        return wrong("edital/sign_in.html", form=form)
    device = request.cookies.get(_device_cookie(), "")
    try:
        found = house().people.authenticate(form.who.data, form.password.data, address=came_from(), device=device)
    except NotRecognised as no:
        form.password.errors = [no.reason]
        return wrong("edital/sign_in.html", form=form)
    except TooManyTries as too_many:
        return slowed(too_many, "edital/sign_in.html", form=form)
    return _let_in(found)


def _let_in(found: Recognised) -> BaseResponse:
    people = house().people
    people.end_session(session_token())  # whoever was signed in here before
    agent = request.user_agent.string
    if found.step is Step.SECOND_FACTOR:
        answer = make_response(redirect(way("sign_in.second_factor", _kept_return()), 303))
        keep_session(answer, people.start_second_factor(found.person, agent, came_from()))
        return answer
    token = people.open_session(found.person, agent, came_from())
    goal = way("account.second_factor", _kept_return()) if found.step is Step.SET_UP else _way_back()
    return _welcome(found.person, token, make_response(redirect(goal, 303)))


def _kept_return() -> str:
    return safe_return(request.args.get(RETURN, ""), "")


def _welcome(person: str, token: str, answer: Response) -> Response:
    """The new token into its cookie; a browser never seen before is told to the account's owner."""
    people = house().people
    device = request.cookies.get(_device_cookie(), "")
    if not people.knows_device(person, device) and people.signed_in_before(person):
        with writing(house().engine) as tx:
            house().notices.send(
                tx,
                person,
                "new_sign_in",
                link=url_for("account.sessions"),
                signed_in_at=house().clock.now(),
                device=device_name(request.user_agent.string),
            )
    keep_session(answer, token)
    return _keep_device(person, answer)


def _keep_device(person: str, answer: Response) -> Response:
    answer.set_cookie(
        _device_cookie(),
        house().people.remember_device(person, request.cookies.get(_device_cookie(), "")),
        max_age=DEVICE_DAYS * 24 * 3600,
        secure=house().settings.secure_cookies,
        httponly=True,
        samesite="Lax",
        path="/",
    )
    return answer


@sign_in_bp.route("/entrar/codigo", methods=["GET", "POST"])
def second_factor() -> Any:
    """The code, after the password."""
    people, form = house().people, CodeForm()
    person = people.awaits_code(session_token())
    if person is None:
        return redirect(_way_back() if is_signed_in() else way("sign_in.sign_in", _kept_return()))
    page: dict[str, Any] = {"form": form, "purpose": "sign_in"}
    if request.method == "GET":
        return render_template("edital/second_factor.html", **page)
    if not form.validate():
        return wrong("edital/second_factor.html", **page)
    try:
        token = people.verify_totp(session_token(), form.code.data, address=came_from())
    except NotRecognised as no:
        form.code.errors = [no.reason]
        return wrong("edital/second_factor.html", **page)
    except TooManyTries as too_many:
        return slowed(too_many, "edital/second_factor.html", **page)
    return _welcome(person, token, make_response(redirect(_way_back(), 303)))


@sign_in_bp.route("/entrar/confirmar", methods=["GET", "POST"])
def elevate() -> Any:
    """The code or the password once more, before an act that asks for it."""
    require()
    known = house().people.who(session_token())
    has_factor = known is not None and known[1].has_factor
    form: Any = CodeForm() if has_factor else ProofForm()
    page: dict[str, Any] = {"form": form, "purpose": "code" if has_factor else "password"}
    if request.method == "GET":
        return render_template("edital/second_factor.html", **page)
    if not form.validate():
        return wrong("edital/second_factor.html", **page)
    field = form.code if has_factor else form.password
    try:
        house().people.elevate(session_token(), field.data, address=came_from())
    except NotRecognised as no:
        field.errors = [no.reason]
        return wrong("edital/second_factor.html", **page)
    except TooManyTries as too_many:
        return slowed(too_many, "edital/second_factor.html", **page)
    return redirect(_way_back(), 303)


@sign_in_bp.post("/sair")
def sign_out() -> BaseResponse:
    """End this session."""
    house().people.end_session(session_token())
    flash("Você saiu da sua conta.", "ok")
    answer = make_response(redirect("/", 303))
    drop_session(answer)
    return answer


# -- a forgotten password ---------------------------------------------------------------------------------------------


@sign_in_bp.route("/senha", methods=["GET", "POST"])
def ask_reset() -> Any:
    """Ask for a link; the page says the same whether somebody has that CPF or not."""
    form = ResetAskForm()
    if request.method == "GET":
        return render_template("edital/reset.html", form=form, state="ask")
    if not form.validate():
        return wrong("edital/reset.html", form=form, state="ask")
    try:
        asked = house().people.request_reset(form.who.data, address=came_from())
    except TooManyTries as too_many:
        return slowed(too_many, "edital/reset.html", form=form, state="ask")
    if asked is not None:
        with writing(house().engine) as tx:
            house().notices.send(tx, asked.person, "password_reset", link=url_for("sign_in.reset", token=asked.token))
    return redirect(url_for("sign_in.reset_asked"), 303)


@sign_in_bp.get("/senha/enviado")
def reset_asked() -> str:
    """What to do now."""
    return render_template("edital/reset.html", state="sent")


@sign_in_bp.route("/senha/<token>", methods=["GET", "POST"])
def reset(token: str) -> Any:
    """The link of the mail: a new password, and every session ends. This browser is known from here on."""
    people, form = house().people, ResetForm()
    if not people.awaits_reset(token):
        return make_response(render_template("edital/reset.html", state="expired"), 410)
    if request.method == "GET":
        return render_template("edital/reset.html", form=form, state="choose")
    if not form.validate():
        return wrong("edital/reset.html", form=form, state="choose")
    try:
        person = people.reset(token, form.password.data, address=came_from())
    except LinkExpired:
        return make_response(render_template("edital/reset.html", state="expired"), 410)
    except PersonFault as fault:
        take_fault(form, fault)
        return wrong("edital/reset.html", form=form, state="choose")
    flash("Senha trocada. Entre com a senha nova.", "ok")
    answer = make_response(redirect(url_for("sign_in.sign_in"), 303))
    drop_session(answer)
    # Opening the own mailbox shows who it is: a rival's failures elsewhere do not slow this browser any more.
    return _keep_device(person, answer)
