"""Refusals and errors as answers: what happened, whose fault it is not, what to do; a page, or JSON.

JSON for those who ask it: `{"codigo", "motivo", "citacao", "campo", "veio", "passa"}` for a
refusal, `{"codigo", "motivo"}` for an error.
"""

from __future__ import annotations

import logging
import re
from datetime import datetime
from typing import Any, NoReturn
from urllib.parse import urlencode

from flask import Flask, Response, g, jsonify, make_response, redirect, render_template, request
from flask_wtf.csrf import CSRFError
from jinja2 import TemplateNotFound
from werkzeug.exceptions import Forbidden, Gone, HTTPException, SecurityError
from werkzeug.wrappers import Response as BaseResponse

from tender.acts import ANYONE, OFFICES_ROLES, Actor, Refusal, Role
from tender.desk import DeskBroken, DoorClosed, StillWaiting
from tender.web.house import COMMAND_FIELD, actor, house, is_signed_in
from tender.web.logs import error_code, route
from tender.web.security import is_from_elsewhere, is_surely_ours

log = logging.getLogger("tender.web")

RETRY_SECONDS = 10
SIGN_IN = "/entrar"
CODES = {
    400: "pedido_invalido",
    401: "entre_primeiro",
    403: "sem_permissao",
    404: "nao_encontrado",
    405: "metodo_errado",
    410: "prazo_encerrado",
    413: "grande_demais",
    429: "muitas_tentativas",
    500: "falha_nossa",
    503: "fora_do_ar",
}
REASONS = {
    400: "Não entendemos o pedido.",
    401: "Entre na sua conta primeiro.",
    403: "Esta página não é aberta a todos.",
    404: "Não encontramos este endereço.",
    405: "Este endereço não aceita este tipo de pedido.",
    410: "O prazo já terminou.",
    413: "O arquivo é grande demais.",
    429: "Muitas tentativas em pouco tempo. Espere um pouco.",
    500: "Falha nossa. Nada do que você pediu foi registrado.",
    503: "O sistema está ocupado ou em manutenção. Nada foi registrado.",
}
FORM_KEPT_TOO_LONG = "Sua página ficou aberta muito tempo. Confira e envie de novo."
SESSION_ENDED = "Sua sessão terminou. Entre de novo em outra aba, confira e envie."
SECRET_FIELD = re.compile(r"senha|password|passe|segredo|secret|token|codigo|código|otp|totp|pin\b", re.IGNORECASE)


class NotSignedIn(HTTPException):
    """401 without a WWW-Authenticate: people sign in on a page."""

    code = 401


# --- what pages call ----------------------------------------------------------------------------------------------


def wants_json() -> bool:
    """True when the client asks for JSON rather than a page: by Accept, or because it sent JSON itself."""
    best = request.accept_mimetypes.best_match(("text/html", "application/json"))
    if best == "application/json":
        return request.accept_mimetypes["application/json"] > request.accept_mimetypes["text/html"] or request.is_json
    return request.is_json and not request.accept_mimetypes.accept_html


def refusal_answer(refusal: Refusal) -> Response:
    """A no of the desk as a 409: a page with reason, article, what came and what would pass; or the same as JSON."""
    if not is_signed_in() and refusal.code == "sem_competencia":
        return _ask_to_sign_in()
    if wants_json():
        return _json(409, plain_refusal(refusal))
    return make_response(render_template("refusal.html", refusal=refusal, back=_page_before()), 409)


def plain_refusal(refusal: Refusal) -> dict[str, str]:
    """A refusal as plain data, as JSON answers and socket acknowledgements carry it."""
    return {
        "codigo": refusal.code,
        "motivo": refusal.reason,
        "citacao": str(refusal.law),
        "campo": refusal.field,
        "veio": refusal.got,
        "passa": refusal.passes,
    }


def gone(closed_at: datetime, what: str = "") -> NoReturn:
    """Answer 410 "Prazo encerrado em …": `what` says which term, `closed_at` when it ended (aware)."""
    error = Gone(what or None)
    error.closed_at = closed_at  # type: ignore[attr-defined]
    raise error


def require(*roles: Role) -> Actor:
    """Whoever asks, when he holds one of these offices and showed the second factor; without roles, whoever signed in.

    Else the way in: a page is left for the sign-in and comes back, a form is shown again so that no text is lost;
    403 says who may enter. The desk checks each command all the same.
    """
    asking = actor()
    if asking is ANYONE:
        raise NotSignedIn
    held = asking.roles & set(roles)
    if roles and not (held and (asking.second_factor or held - OFFICES_ROLES)):
        error = Forbidden()
        error.roles = list(dict.fromkeys(role.label for role in roles))  # type: ignore[attr-defined]
        raise error
    return asking


def safe_return(address: str, default: str = "/") -> str:
    """The address if it is a path of this site, else the default: nobody is led elsewhere by our own link."""
    plain = re.fullmatch(r"/(?![/\\])[^\s\\]*", address)
    return address if plain and address.isprintable() else default


# --- answers ------------------------------------------------------------------------------------------------------


def _json(status: int, body: dict[str, Any]) -> Response:
    response = jsonify(body)
    response.status_code = status
    return response


def _page_before() -> str:
    return request.referrer or "" if is_surely_ours(request) else ""


def _error_page(status: int, reason: str, **more: Any) -> Response:
    if wants_json():
        more_plain = {key: value for key, value in more.items() if isinstance(value, str | int) and value}
        return _json(status, {"codigo": CODES.get(status, "erro"), "motivo": reason, **more_plain})
    try:
        page = render_template(f"errors/{status}.html", reason=reason, status=status, **more)
    except TemplateNotFound:
        page = render_template("errors/400.html", reason=reason, status=status, **more)
    return make_response(page, status)


def _said(error: HTTPException) -> str:
    # Werkzeug's own descriptions are English; ours were given on purpose.
    given = error.description if error.description != type(error).description else None
    return given or REASONS.get(error.code or 500, REASONS[400])


def _http(error: HTTPException) -> BaseResponse:
    status = error.code or 500
    if status < 400 or error.response is not None:
        return error.get_response()
    if isinstance(error, SecurityError):  # a host that is not ours: no page of ours, no link may be built for it
        return Response("Este não é o endereço deste site.\n", 400, mimetype="text/plain")
    more: dict[str, Any] = {}
    if status == 410:
        closed_at = getattr(error, "closed_at", None)
        more = {"closed_at": closed_at} if closed_at else {}
    if status == 403:
        more = {"roles": getattr(error, "roles", [])}
    if status == 413:
        more = {"limit_bytes": house().settings.upload_max_bytes}
    answer = _error_page(status, _said(error), **more)
    for name, value in error.get_headers():
        if name not in ("Content-Type", "Content-Length"):
            answer.headers.setdefault(name, value)
    return answer


def _not_signed_in(_error: NotSignedIn) -> BaseResponse:
    return _ask_to_sign_in()


def _ask_to_sign_in() -> Any:
    if wants_json():
        return _error_page(401, REASONS[401])
    if request.method in ("GET", "HEAD"):
        return redirect(f"{SIGN_IN}?{urlencode({'next': request.full_path.rstrip('?')})}")
    return _offer_again(401, SESSION_ENDED)


def _forged(error: CSRFError) -> BaseResponse:
    if wants_json():
        return _error_page(400, FORM_KEPT_TOO_LONG)
    if not is_surely_ours(request):
        return _error_page(400, "Este pedido não saiu de uma página deste site, por isso não foi aceito.")
    return _offer_again(400, FORM_KEPT_TOO_LONG)


def _refuse_elsewhere() -> BaseResponse | None:
    if request.method in ("GET", "HEAD", "OPTIONS") or not is_from_elsewhere(request):
        return None
    return _error_page(400, "Este pedido veio de outro site, por isso não foi aceito.")


def _offer_again(status: int, reason: str) -> Response:
    """The same form once more with a fresh token: what was typed is shown, passwords and files are asked again."""
    typed = [
        (name, value)
        for name, value in request.form.items(multi=True)
        if not name.endswith("csrf_token") and name != COMMAND_FIELD
    ]
    page = render_template(
        "errors/again.html",
        reason=reason,
        status=status,
        action=request.full_path.rstrip("?"),
        typed=[(name, value) for name, value in typed if not SECRET_FIELD.search(name)],
        secrets=[name for name, _ in typed if SECRET_FIELD.search(name)],
        files=list(dict.fromkeys(name for name, file in request.files.items(multi=True))),
    )
    return make_response(page, status)


def _failed(error: Exception) -> BaseResponse:
    """500: the log has the whole story under the code that the page shows."""
    cause = getattr(error, "original_exception", None) or error
    log.error("request failed", exc_info=cause, extra={"code": error_code(), "route": route()})
    # Who is asking may be the very thing that cannot be looked up now.
    g.setdefault("actor", ANYONE)
    try:
        answer = _error_page(500, REASONS[500], code=error_code(), live=house().desk.is_alive)
    except Exception:
        log.exception("the page of the error failed, too")
        text = f"Falha nossa. Nada do que você pediu foi registrado. Código: {error_code()}\n"
        answer = Response(text, 500, mimetype="text/plain")
    return answer


def _busy(_error: DoorClosed) -> BaseResponse:
    answer = _error_page(503, REASONS[503])
    answer.headers["Retry-After"] = str(RETRY_SECONDS)
    return answer


def _still_waiting(waiting: StillWaiting) -> BaseResponse:
    where = f"/pedidos/{waiting.command_id}"
    if wants_json():
        answer = _json(202, {"codigo": "em_espera", "motivo": "Seu pedido está na fila.", "pergunte_em": where})
    else:
        answer = make_response(render_template("errors/202.html", where=where), 202)
    answer.headers["Location"] = where
    answer.headers["Retry-After"] = "2"
    return answer


def init_errors(app: Flask) -> None:
    """Register every handler; chapters raise, or let the desk raise."""
    app.before_request(_refuse_elsewhere)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(500, _failed)
    app.register_error_handler(NotSignedIn, _not_signed_in)
    app.register_error_handler(CSRFError, _forged)
    app.register_error_handler(Refusal, refusal_answer)
    app.register_error_handler(StillWaiting, _still_waiting)
    app.register_error_handler(DeskBroken, _failed)
    app.register_error_handler(DoorClosed, _busy)
