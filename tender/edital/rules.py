"""Decisions about the edital. Pure: what is known comes in the turn (house rule 3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tender.acts import Refusal, Turn
from tender.edital.model import (
    ApplicationsClosed,
    CloseApplications,
    CloseSession,
    ConcludeHabilitation,
    DraftEdital,
    Edital,
    EditalDrafted,
    EditalPublished,
    HabilitationConcluded,
    NoteOutage,
    OpenSession,
    OutageNoticed,
    PublishEdital,
    SessionClosed,
    SessionOpened,
    Status,
    Terms,
)
from tender.law import IN73, L14133, MUN

STANDS_MAX = 60
"""Each stand is a consequence of the publication, and of the habilitation: the desk performs 64 at once."""


def draft_edital(state: Edital, command: DraftEdital, turn: Turn) -> list[Any]:
    """A draft may be rewritten until it is published (art. 3º)."""
    if state.status not in (Status.NONE, Status.DRAFT):
        raise Refusal("Este edital já foi publicado. Mude-o por retificação.", L14133(55, 1), code="ja_publicado")
    if not command.edital or not all(sign.isascii() and (sign.isalnum() or sign in "-.") for sign in command.edital):
        raise Refusal(
            "O número do edital só leva letras, algarismos, hífen e ponto.",
            MUN(3),
            code="numero_invalido",
            field="edital",
            got=command.edital,
            passes="001-2027",
        )
    if command.terms.edital != command.edital:
        raise Refusal(
            "Estes termos são de outro edital.",
            MUN(3),
            code="outro_edital",
            field="edital",
            got=command.terms.edital,
            passes=command.edital,
        )
    _check_terms(command.terms)
    _check_times(command.terms)
    return [EditalDrafted(command.terms, turn.by)]


def _check_terms(terms: Terms) -> None:
    if not terms.stands:
        raise Refusal("O edital precisa oferecer ao menos um ponto.", MUN(10), field="pontos", passes="1 ponto ou mais")
    if len(terms.stands) > STANDS_MAX:
        raise Refusal(f"Um edital oferece até {STANDS_MAX} pontos. Divida-o em dois.", MUN(10), field="pontos")
    if terms.applications_close_at <= terms.applications_open_at:
        raise Refusal("As inscrições devem terminar depois de começar.", L14133(55), field="fim das inscrições")
    if terms.session_at <= terms.applications_close_at:
        raise Refusal("A sessão deve ser depois do fim das inscrições.", L14133(17, 1), field="sessão")
    if terms.step.centavos <= 0:
        raise Refusal("O intervalo entre lances deve ser maior que zero.", L14133(57), field="intervalo")
    if terms.whole_reais and terms.step.centavos % 100:
        raise Refusal("Com lances em reais inteiros, o intervalo também é.", L14133(57), field="intervalo")
    seen: set[int] = set()
    for stand in terms.stands:
        if stand.number in seen:
            raise Refusal(f"O ponto {stand.number} aparece duas vezes.", MUN(10), field="pontos")
        seen.add(stand.number)
        if stand.floor.centavos <= 0:
            raise Refusal(f"O lance mínimo do ponto {stand.number} deve ser maior que zero.", MUN(4), field="mínimo")
        if terms.whole_reais and stand.floor.centavos % 100:
            raise Refusal("Com lances em reais inteiros, o lance mínimo também é.", MUN(4), field="mínimo")
        if not stand.decree:
            raise Refusal(f"Falta o decreto que criou o ponto {stand.number}.", MUN(10), field="decreto")


def _check_times(terms: Terms) -> None:
    # No extension at all is a close that everybody can see coming; an empty open stage or call is a trap.
    least = (
        ("etapa aberta", L14133(56), terms.open_stage_seconds, 1, "segundo"),
        ("prorrogação", L14133(56), terms.window_seconds, 0, "segundos"),
        ("cancelamento de lance", IN73(21, 3), terms.undo_seconds, 0, "segundos"),
        ("resposta à convocação", L14133(90), terms.call_hours, 1, "hora"),
    )
    for field, law, length, floor, unit in least:
        if length < floor:
            raise Refusal(
                f"O prazo de {field} é curto demais.",
                law,
                code="prazo_curto",
                field=field,
                got=str(length),
                passes=f"{floor} {unit} ou mais",
            )


def publish_edital(state: Edital, command: PublishEdital, turn: Turn) -> list[Any]:
    """Another person than the author publishes, and publishes exactly what was read (Lei 14.133 art. 54)."""
    if state.status is not Status.DRAFT or state.terms is None:
        raise Refusal("Só um rascunho pode ser publicado.", L14133(54), code="nao_e_rascunho")
    if turn.by == state.drafted_by:
        raise Refusal("Quem redigiu o edital não o publica.", L14133(7, 1), code="mesma_pessoa")
    if command.terms_sha256 != turn.known["terms_sha256"]:
        raise Refusal(
            "O rascunho mudou depois que você o leu. Leia de novo e publique.",
            L14133(54),
            code="rascunho_mudou",
            field="hash dos termos",
            got=command.terms_sha256,
            passes=str(turn.known["terms_sha256"]),
        )
    return [EditalPublished(state.terms, command.terms_sha256)]


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


DECIDE: Mapping[type[Any], Callable[[Any, Any, Turn], list[Any]]] = {
    DraftEdital: draft_edital,
    PublishEdital: publish_edital,
    CloseApplications: close_applications,
    ConcludeHabilitation: conclude_habilitation,
    OpenSession: open_session,
    NoteOutage: note_outage,
    CloseSession: close_session,
}


def decide(state: Edital, command: Any, turn: Turn) -> list[Any]:
    """The facts that follow from a command, or a Refusal."""
    return DECIDE[type(command)](state, command, turn)
