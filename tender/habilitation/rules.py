"""Decisions about applications. The machine reads, the commission decides; here is what each may do and when."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tender.acts import Refusal, Turn
from tender.habilitation.model import (
    REQUIREMENTS,
    Application,
    ApplicationHabilitated,
    ApplicationInhabilitated,
    ApplicationSubmitted,
    DocumentReceived,
    HabilitateApplication,
    InhabilitateApplication,
    ReceiveDocument,
    Status,
    SubmitApplication,
)
from tender.law import L14133, MUN

REASON_MIN = 10


def receive_document(state: Application, command: ReceiveDocument, turn: Turn) -> list[Any]:
    """A document counts when its upload began in time (Lei 14.133 art. 55; the grace is the edital's)."""
    _in_time(turn, command.started_at)
    if state.status not in (Status.DRAFT, Status.SUBMITTED):
        raise Refusal("A inscrição já foi decidida.", L14133(64), code="ja_decidida")
    allowed = {requirement for group in REQUIREMENTS.values() for requirement in group}
    if command.requirement not in allowed:
        raise Refusal("Esta exigência não está no edital.", MUN(4), code="exigencia_desconhecida", field="exigência")
    return [
        DocumentReceived(command.requirement, command.sha256, command.size, command.started_at, command.finished_at)
    ]


def submit_application(state: Application, command: SubmitApplication, turn: Turn) -> list[Any]:
    """Within the period, for stands that are offered, never by an office holder or somebody barred."""
    _in_time(turn, turn.now)
    if state.status not in (Status.DRAFT, Status.SUBMITTED):
        raise Refusal("A inscrição já foi decidida.", L14133(64), code="ja_decidida")
    if turn.known["office_holder"]:
        raise Refusal("Quem exerce cargo nesta licitação não pode se inscrever.", L14133(9, 1), code="cargo")
    if turn.known["barred"]:
        raise Refusal("Quem teve a permissão cassada não pode se inscrever.", MUN(24, "único"), code="impedido")
    offered = turn.known["stands"]
    if not command.stands or not set(command.stands) <= set(offered):
        raise Refusal(
            "Escolha ao menos um ponto oferecido pelo edital.",
            MUN(4),
            code="ponto_nao_oferecido",
            field="pontos",
            got=", ".join(map(str, command.stands)),
            passes=", ".join(map(str, offered)),
        )
    return [ApplicationSubmitted(command.applicant, command.kind, tuple(sorted(set(command.stands))))]


def _in_time(turn: Turn, instant: Any) -> None:
    opens, closes = turn.known["opens_at"], turn.known["closes_at"]
    if opens is None or closes is None:
        raise Refusal("Este edital não está com inscrições abertas.", L14133(55), code="fora_do_prazo")
    if instant < opens:
        raise Refusal("As inscrições ainda não começaram.", L14133(55), code="antes_do_prazo")
    if instant >= closes:
        raise Refusal("O prazo de inscrição terminou.", L14133(55), code="fora_do_prazo")


def habilitate_application(state: Application, command: HabilitateApplication, turn: Turn) -> list[Any]:
    """Only a submitted application whose every requirement has a document."""
    if state.status is not Status.SUBMITTED or state.kind is None:
        raise Refusal("Só uma inscrição enviada pode ser decidida.", L14133(64), code="nao_enviada")
    missing = [one for one in REQUIREMENTS[state.kind] if one.key not in state.documents]
    if missing:
        raise Refusal(f"Falta documento de: {missing[0].short}.", missing[0], code="falta_documento")
    return [ApplicationHabilitated(state.applicant, state.stands, command.reason)]


def inhabilitate_application(state: Application, command: InhabilitateApplication, turn: Turn) -> list[Any]:
    """Two members, a requirement, a written reason (Lei 14.133 arts. 8º § 2º, 64)."""
    if state.status is not Status.SUBMITTED:
        raise Refusal("Só uma inscrição enviada pode ser decidida.", L14133(64), code="nao_enviada")
    if len(command.reason.strip()) < REASON_MIN:
        raise Refusal(
            f"Escreva o motivo em pelo menos {REASON_MIN} letras.", L14133(64), code="motivo_curto", field="motivo"
        )
    return [ApplicationInhabilitated(state.applicant, command.requirement, command.reason)]


DECIDE: Mapping[type[Any], Callable[[Any, Any, Turn], list[Any]]] = {
    ReceiveDocument: receive_document,
    SubmitApplication: submit_application,
    HabilitateApplication: habilitate_application,
    InhabilitateApplication: inhabilitate_application,
}


def decide(state: Application, command: Any, turn: Turn) -> list[Any]:
    """The facts that follow from a command, or a Refusal."""
    return DECIDE[type(command)](state, command, turn)
