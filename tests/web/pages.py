"""The pages of the tests' small site, and a desk that knows one real command: CloseApplications."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import Any

from flask import Blueprint, Response, abort, flash, render_template_string, request
from werkzeug.exceptions import TooManyRequests

from tender.acts import EditalId, Refusal, Role, Turn
from tender.clerk import Office, Procedure
from tender.desk import DoorClosed
from tender.edital.model import ApplicationsClosed, CloseApplications, OpenSession
from tender.law import L14133, MUN
from tender.web import drop_session, gone, keep_session, may, perform, refusal_answer, require

pages_bp = Blueprint("pages", __name__)
EARLY, BROKEN, SLOW = "999-2027", "500-2027", "202-2027"
HOLD = threading.Event()
"""While it is not set, the desk does not finish with the edital SLOW."""
ENDED = datetime(2027, 3, 5, 20, 0, tzinfo=UTC)

FRAME = """{% extends "_layout.html" %}{% from "_macros.html" import form_start, form_end, entry %}
{% block title %}Página{% endblock %}{% block main %}<h1>Página</h1>BODY{% endblock %}"""
FORM = FRAME.replace(
    "BODY",
    '{{ form_start("/fechar") }}{{ entry("edital", "Edital") }}<button class="btn p">Encerrar inscrições</button>'
    "{{ form_end() }}",
)


def _close(state: Any, command: CloseApplications, turn: Turn) -> list[ApplicationsClosed]:
    if command.edital == EARLY:
        raise Refusal(
            "Ainda não é hora de encerrar.",
            L14133(55),
            code="cedo",
            field="hora",
            got="14h <b>",
            passes="a partir de 17h",
        )
    if command.edital == BROKEN:
        raise RuntimeError("the CPF 123.456.789-09 broke it")
    if command.edital == SLOW:
        HOLD.wait(30)
    return [ApplicationsClosed(command.edital)]


PROCEDURE = Procedure(
    offices={
        CloseApplications: Office(
            "edital", lambda command: f"edital/{command.edital}", lambda stream: None, _close, lambda state, fact: state
        )
    },
    follows={},
    known={},
    projections=(),
)


@pages_bp.get("/aberta")
def public() -> str:
    return render_template_string(FRAME.replace("BODY", "<p>Olá</p>"))


@pages_bp.get("/formulario")
def form() -> str:
    return render_template_string(FORM)


@pages_bp.post("/fechar")
def close() -> Response:
    receipt = perform(CloseApplications(EditalId(request.form["edital"])))
    return Response(f"{receipt.command_id} {receipt.entries[0].seq}")


@pages_bp.post("/api/fechar")
def close_by_script() -> Any:
    receipt = perform(CloseApplications(EditalId(request.get_json()["edital"])))
    return {"pedido": receipt.command_id}


@pages_bp.post("/recebe")
def receive() -> str:
    return f"{len(request.form)} {len(request.files)}"


@pages_bp.post("/api/recebe")
def receive_json() -> str:
    return str(len(request.get_data()))


@pages_bp.get("/erro/<int:status>")
def error(status: int) -> str:
    if status == 410:
        gone(ENDED, "O prazo de inscrição acabou.")
    if status == 429:
        raise TooManyRequests(retry_after=60)
    if status == 500:
        raise RuntimeError("a pessoa 123.456.789-09 quebrou")
    if status == 503:
        raise DoorClosed("muitos pedidos")
    abort(status)


@pages_bp.get("/recusa")
def refuse() -> Response:
    return refusal_answer(Refusal("Não pode.", MUN(4, 3), code="nao_pode"))


@pages_bp.route("/comissao", methods=["GET", "POST"])
def commission() -> str:
    require(Role.PREGOEIRO, Role.COMMISSION)
    return "dentro"


@pages_bp.get("/minha")
def mine() -> str:
    return require().person


@pages_bp.get("/posso")
def can() -> dict[str, bool]:
    return {"fechar": may(CloseApplications), "abrir": may(OpenSession)}


@pages_bp.get("/entrou")
def signed() -> Response:
    response = Response("ok")
    keep_session(response, "abc")
    return response


@pages_bp.get("/saiu")
def left() -> Response:
    response = Response("ok")
    drop_session(response)
    return response


@pages_bp.get("/recado")
def told() -> str:
    flash("Inscrição enviada.", "ok")
    return public()


@pages_bp.get("/texto/<int:length>")
def text(length: int) -> Response:
    return Response("x" * length, mimetype=request.args.get("tipo", "text/plain"))


@pages_bp.get("/aos-poucos")
def streamed() -> Response:
    return Response((b"x" * 1000 for _ in range(5)), mimetype="text/plain")


@pages_bp.get("/quem")
def address() -> str:
    return f"{request.remote_addr} {request.scheme} {request.host}"


@pages_bp.get("/segredo/<token>")
def secret(token: str) -> str:
    return token
