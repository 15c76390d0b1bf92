"""Decisions about the edital. Pure: what is known comes in the turn (house rule 3)."""

from __future__ import annotations

from typing import Any

from tender.acts import Refusal, Turn
from tender.edital.model import (
    ApplicationsClosed,
    CloseApplications,
    CloseSession,
    ConcludeHabilitation,
    Edital,
    HabilitationConcluded,
    NoteOutage,
    OpenSession,
    OutageNoticed,
    SessionClosed,
    SessionOpened,
    Status,
)
from tender.law import L14133, MUN


def close_applications(state: Edital, command: CloseApplications, turn: Turn) -> list[Any]:
    """At the printed hour and not before (Lei 14.133 art. 55)."""
    if state.status is not Status.PUBLISHED or state.terms is None:
        raise Refusal("As inscrições não estão abertas.", L14133(55), code="inscricoes_fechadas")
    if turn.now < state.terms.applications_close_at:
        raise Refusal("As inscrições ainda estão no prazo do edital.", L14133(55), code="ainda_no_prazo")
    return [ApplicationsClosed(state.edital)]


def conclude_habilitation(state: Edital, command: ConcludeHabilitation, turn: Turn) -> list[Any]:
    """Only when every application was decided (Lei 14.133 art. 17 § 1º)."""
    if state.status is not Status.JUDGING:
        raise Refusal("A análise de documentos não está em curso.", L14133(17, 1), code="fora_da_fase")
    pending = turn.known["undecided"]
    if pending:
        raise Refusal(f"Faltam decidir {pending} inscrições.", MUN(4), code="inscricoes_pendentes", got=str(pending))
    return [HabilitationConcluded(state.edital, turn.known["habilitated"])]


def open_session(state: Edital, command: OpenSession, turn: Turn) -> list[Any]:
    """At the printed hour and not before."""
    if state.status is not Status.READY or state.terms is None:
        raise Refusal("A sessão só abre depois da habilitação.", MUN(4), code="fora_da_fase")
    if turn.now < state.terms.session_at:
        raise Refusal("Ainda não chegou a hora da sessão.", L14133(17), code="antes_da_hora")
    return [SessionOpened(state.edital)]


def note_outage(state: Edital, command: NoteOutage, turn: Turn) -> list[Any]:
    """An outage matters to an edital that people may be acting on (Lei 14.133 art. 183 § 2º).

    Several processes notice the same one, each with its own end: what began at the same instant is noted once.
    """
    if state.status in (Status.NONE, Status.DRAFT) or state.last_outage == (command.cause, command.since):
        return []
    return [OutageNoticed(command.cause, command.since, command.until)]


def close_session(state: Edital, command: CloseSession, turn: Turn) -> list[Any]:
    """When the last stand closed; a stand still open leaves the session open."""
    if state.status is not Status.IN_SESSION or turn.known["open_stands"]:
        return []
    return [SessionClosed(state.edital)]
