"""The own account: contacts, password, second factor, companies, open sessions, and what is kept of oneself."""

from __future__ import annotations

from typing import Any

import segno
from flask import Blueprint, Response, abort, flash, jsonify, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from tender.edital.forms.sign_in import CodeForm, CompanyForm, EmailForm, PasswordForm, PhoneForm, take_fault
from tender.edital.pages.sign_in import RETURN, came_from, device_name, slowed, way, wrong
from tender.identity import Cnpj
from tender.ledger import reading, writing
from tender.people import NotRecognised, PersonFault, PersonView, ProofNeeded, TooManyTries
from tender.web import PageForm, drop_session, house, keep_session, require, safe_return, session_token
from tender.web.filters import my_places

account_bp = Blueprint("account", __name__, url_prefix="/conta")

PROOF_MINUTES = 10


def me() -> PersonView:
    """The person of this session."""
    require()
    known = house().people.who(session_token())
    if known is None:
        abort(401)
    view: PersonView = known[1]
    return view


def prove(back: str) -> BaseResponse | None:
    """The way to the page that asks for code or password, unless it was shown just now."""
    if house().people.recently_verified(session_token(), PROOF_MINUTES):
        return None
    return redirect(way("sign_in.elevate", back), 303)


@account_bp.after_request
def _keep_to_ourselves(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    return response


@account_bp.get("/inicio")
def start() -> BaseResponse:
    """Where one works, after signing in."""
    require()
    return redirect(my_places()[0][1])


# -- contacts ---------------------------------------------------------------------------------------------------------


def _page(status: int = 200, **forms: PageForm) -> Response:
    """The account with its forms; one of them may be the one that was sent and is wrong."""
    view, people = me(), house().people
    with reading(house().engine) as tx:
        held = people.parties_of(tx, view.id)
        asked = people.representations_of(tx, view.id)
        codes_left = people.recovery_codes_left(tx, view.id)
    phone = str(view.contact.phone) if view.contact.phone else ""
    page = render_template(
        "edital/account.html",
        person=view,
        parties=held,
        waiting=[one for one in asked if one.person == view.id],
        asked=[one for one in asked if one.person != view.id],
        codes_left=codes_left,
        phone=forms.get("phone") or PhoneForm(formdata=None, data={"phone": phone}),
        email=forms.get("email") or EmailForm(formdata=None),
        password=forms.get("password") or PasswordForm(formdata=None),
        company=forms.get("company") or CompanyForm(formdata=None),
    )
    return make_response(page, status)


@account_bp.get("")
def account() -> Response:
    """Contacts, password, second factor, companies."""
    return _page()


@account_bp.post("/telefone")
def phone() -> Any:
    """Keep another telephone."""
    form, view = PhoneForm(), me()
    if not form.validate():
        return _page(422, phone=form)
    house().people.change_phone(view.id, form.phone.data)
    flash("Telefone trocado.", "ok")
    return redirect(url_for("account.account"), 303)


@account_bp.post("/email")
def email() -> Any:
    """Ask for another e-mail: its link decides."""
    form, view = EmailForm(), me()
    if not form.validate():
        return _page(422, email=form)
    if asked := prove(url_for("account.account")):
        return asked
    people, notices = house().people, house().notices
    try:
        new = people.ask_new_email(view.id, form.email.data, came_from())
    except PersonFault as fault:
        take_fault(form, fault)
        return _page(422, email=form)
    except TooManyTries as too_many:
        form.email.errors = [too_many.reason]
        return _page(429, email=form)
    with writing(house().engine) as tx:
        if new.is_new:
            notices.send(tx, new.addressee, "confirm_email", link=url_for("sign_in.confirm", token=new.token))
        else:
            notices.send(tx, new.addressee, "already_registered", link=url_for("sign_in.sign_in"))
    flash("Enviamos um link para o e-mail novo. Até você abrir, vale o de hoje.", "info")
    return redirect(url_for("account.account"), 303)


@account_bp.post("/senha")
def password() -> Any:
    """Another password; the other sessions end."""
    form, _ = PasswordForm(), me()
    if not form.validate():
        return _page(422, password=form)
    try:
        house().people.change_password(session_token(), form.current.data, form.password.data, address=came_from())
    except NotRecognised as no:
        form.current.errors = [no.reason]
        return _page(422, password=form)
    except PersonFault as fault:
        take_fault(form, fault)
        return _page(422, password=form)
    except TooManyTries as too_many:
        form.current.errors = [too_many.reason]
        return _page(429, password=form)
    flash("Senha trocada. Os outros acessos foram encerrados.", "ok")
    return redirect(url_for("account.account"), 303)


# -- the second factor ------------------------------------------------------------------------------------------------


@account_bp.route("/segundo-fator", methods=["GET", "POST"])
def second_factor() -> Any:
    """Set the second factor up: a QR code, the same as text, and the first code."""
    view, people, form = me(), house().people, CodeForm()
    try:
        setup = people.enable_totp(session_token())
    except ProofNeeded:
        return redirect(way("sign_in.elevate", request.full_path.rstrip("?")), 303)
    page: dict[str, Any] = {"form": form, "person": view, "setup": setup, "qr": _qr(setup.uri)}
    if request.method == "GET":
        return render_template("edital/second_factor_setup.html", **page)
    if not form.validate():
        return wrong("edital/second_factor_setup.html", **page)
    try:
        codes, token = people.confirm_totp(session_token(), form.code.data, address=came_from())
    except NotRecognised as no:
        form.code.errors = [no.reason]
        return wrong("edital/second_factor_setup.html", **page)
    except TooManyTries as too_many:
        return slowed(too_many, "edital/second_factor_setup.html", **page)
    back = safe_return(request.args.get(RETURN, ""), url_for("account.start"))
    answer = make_response(render_template("edital/second_factor_setup.html", person=view, codes=codes, back=back))
    keep_session(answer, token)
    return answer


def _qr(uri: str) -> str:
    return segno.make(uri, error="m", micro=False).svg_data_uri(scale=5, border=4, light="white")


@account_bp.post("/segundo-fator/codigos")
def recovery_codes() -> Any:
    """Ten fresh codes for the paper; the old ones stop working."""
    view = me()
    if not view.has_factor:
        abort(404)
    if asked := prove(url_for("account.account")):
        return asked
    with writing(house().engine) as tx:
        codes = house().people.fresh_recovery_codes(tx, view.id)
    return render_template("edital/second_factor_setup.html", person=view, codes=codes, back=url_for("account.account"))


@account_bp.post("/segundo-fator/desligar")
def drop_factor() -> Any:
    """Do without the second factor again."""
    me()
    if asked := prove(url_for("account.account")):
        return asked
    house().people.disable_totp(session_token())
    flash("Segundo fator desligado.", "ok")
    return redirect(url_for("account.account"), 303)


# -- for whom one acts ------------------------------------------------------------------------------------------------


@account_bp.post("/empresas")
def add_company() -> Any:
    """Act for a company: at once when it is new, after its representative has accepted when it is not."""
    form, view, people = CompanyForm(), me(), house().people
    if view.offices:
        abort(403)
    if not form.validate():
        return _page(422, company=form)
    try:
        name = people.checked_name(form.company_name.data, "company_name", words=1)
    except PersonFault as fault:
        take_fault(form, fault)
        return _page(422, company=form)
    with writing(house().engine) as tx:
        _, status = people.add_party(tx, view.id, Cnpj(form.cnpj.data), name)
    if status == "asked":
        flash("Pedido feito. Quem já representa a empresa precisa aceitar você na conta dele.", "info")
    else:
        flash("Pronto: você pode participar por esta empresa.", "ok")
    return redirect(url_for("account.account"), 303)


@account_bp.post("/pessoa-fisica")
def add_myself() -> BaseResponse:
    """Take part as a natural person, too."""
    view = me()
    if view.offices:
        abort(403)
    with writing(house().engine) as tx:
        house().people.add_party(tx, view.id, view.cpf, view.name)
    flash("Pronto: você pode participar em seu nome.", "ok")
    return redirect(url_for("account.account"), 303)


@account_bp.post("/representantes/<representation>")
def answer(representation: str) -> BaseResponse:
    """Accept or refuse somebody who asks to act for one's company."""
    view, accept = me(), request.form.get("resposta") == "aceitar"
    with writing(house().engine) as tx:
        house().people.answer_representation(tx, representation, by=view.id, accept=accept)
    flash("Representante aceito." if accept else "Pedido recusado.", "ok")
    return redirect(url_for("account.account"), 303)


@account_bp.post("/empresas/<party>/sair")
def leave_company(party: str) -> BaseResponse:
    """Stop acting for a company."""
    view = me()
    with writing(house().engine) as tx:
        if not house().people.acts_for(tx, view.id, party) or not house().people.party(tx, party).is_company:
            abort(404)
        house().people.end_representation(tx, party, view.id, by=view.id)
    flash("Você não representa mais a empresa.", "ok")
    return redirect(url_for("account.account"), 303)


# -- sessions and data ------------------------------------------------------------------------------------------------


@account_bp.get("/acessos")
def sessions() -> str:
    """Where one is signed in, and what happened to the account lately."""
    view, people = me(), house().people
    with reading(house().engine) as tx:
        log = people.log_of(tx, view.id, limit=20)
    shown = [(one, device_name(one.user_agent)) for one in people.sessions_of(view.id, session_token())]
    return render_template("edital/sessions.html", person=view, shown=shown, log=log, told=TOLD)


TOLD = {
    "session.opened.full": "Acesso à conta",
    "sign_in.failed": "Senha errada",
    "factor.failed": "Código errado",
    "factor.enabled": "Segundo fator ligado",
    "factor.dropped": "Segundo fator desligado",
    "factor.recovery_used": "Código de papel usado",
    "factor.recovery_codes": "Códigos de papel trocados",
    "reset.asked": "Pedido de senha nova",
    "reset.done": "Senha trocada pelo e-mail",
    "password.changed": "Senha trocada",
    "email.changed": "E-mail trocado",
    "phone.changed": "Telefone trocado",
    "office.granted": "Nomeação para cargo",
    "office.revoked": "Fim de cargo",
}
"""Security events as their owner reads them; the others are not shown."""


@account_bp.post("/acessos/encerrar")
def end_session() -> BaseResponse:
    """End one of one's own sessions."""
    view = me()
    ended = house().people.end_session_of(view.id, request.form.get("acesso", ""))
    flash("Acesso encerrado." if ended else "Este acesso já tinha terminado.", "ok")
    return redirect(url_for("account.sessions"), 303)


@account_bp.post("/acessos/encerrar-todos")
def end_all_sessions() -> BaseResponse:
    """Sign out everywhere, here too."""
    house().people.end_all_sessions(me().id)
    flash("Você saiu de todos os aparelhos.", "ok")
    answer = make_response(redirect(url_for("sign_in.sign_in"), 303))
    drop_session(answer)
    return answer


@account_bp.get("/dados.json")
def data() -> Any:
    """Everything kept of oneself (LGPD, art. 18), as a file."""
    view = me()
    if asked := prove(url_for("account.data")):
        return asked
    answer = jsonify(house().people.export_of(view.id))
    answer.headers["Content-Disposition"] = 'attachment; filename="meus-dados.json"'
    return answer
