"""Decisions about changes after publication: authors do not publish, time is given back, the interested are heard."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from tender.acts import Refusal, Turn
from tender.clock import day_of, in_time, long_day, long_when
from tender.edital.model import LIVE, SUSPENDED, SUSPENSIONS, Edital, Status, Terms
from tender.edital.model.changes import (
    REASON_MIN,
    AmendEdital,
    AmendmentDrafted,
    AnnulEdital,
    DraftAmendment,
    EditalAmended,
    EditalAnnulled,
    EditalExtended,
    EditalResumed,
    EditalRevoked,
    EditalSuspended,
    Ending,
    ExtendDates,
    HearingOpened,
    OpenHearing,
    ResumeEdital,
    RevokeEdital,
    SuspendEdital,
    must_affect,
)
from tender.edital.rules.drafting import check_draft
from tender.law import L14133, Citation

DATES = L14133(55)


def draft_amendment(state: Edital, command: DraftAmendment, turn: Turn) -> list[Any]:
    """While enrolment is open or suspended; the change that touches offers is declared so (art. 55 § 1º)."""
    before = _amendable(state)
    _reasoned(command.reason, L14133(55, 1))
    check_draft(command.edital, command.terms)
    if command.terms == before:
        raise Refusal("A retificação não muda nada.", L14133(55, 1), code="nada_muda", field="edital")
    kept = {one.number for one in command.terms.stands}
    gone = [str(one.number) for one in before.stands if one.number not in kept]
    if gone:
        raise Refusal(
            "Um ponto publicado não sai por retificação: quem já se inscreveu nele precisa ser ouvido.",
            L14133(71, 3),
            code="ponto_retirado",
            field="pontos",
            got=f"sem o ponto {', '.join(gone)}",
            passes="revogação, com prazo de manifestação",
        )
    touched = must_affect(before, command.terms)
    if touched and not command.affects_offers:
        raise Refusal(
            "Esta mudança afeta as propostas: publique-a de novo, com os prazos desde o início.",
            L14133(55, 1),
            code="afeta_propostas",
            field=touched[0],
            got="não afeta",
            passes="afeta as propostas",
        )
    return [AmendmentDrafted(command.terms, command.affects_offers, command.reason.strip(), turn.by)]


def amend_edital(state: Edital, command: AmendEdital, turn: Turn) -> list[Any]:
    """Another person than the author publishes what was read. When offers are affected the dates begin again.

    `turn.known`: `terms_sha256` of the drafted terms, `earliest_session` (date) counted from today, or None.
    """
    _amendable(state)
    drafted = state.amendment
    if drafted is None:
        raise Refusal("Não há retificação redigida.", L14133(55, 1), code="sem_retificacao")
    if turn.by == drafted.by:
        raise Refusal("Quem redigiu a retificação não a publica.", L14133(7, 1), code="mesma_pessoa")
    if command.terms_sha256 != turn.known["terms_sha256"]:
        raise Refusal(
            "A retificação mudou depois que você a leu. Leia de novo e publique.",
            L14133(55, 1),
            code="rascunho_mudou",
            field="hash dos termos",
            got=command.terms_sha256,
            passes=str(turn.known["terms_sha256"]),
        )
    terms, earliest = drafted.terms, turn.known["earliest_session"]
    if terms.applications_close_at <= turn.now:
        _too_early("fim das inscrições", terms.applications_close_at, turn.now)
    if drafted.affects_offers and earliest is not None and day_of(terms.session_at) < earliest:
        raise Refusal(
            "A mudança afeta as propostas e o prazo de publicidade recomeça: a sessão está cedo demais.",
            L14133(55, 1),
            code="prazo_recomeca",
            field="sessão",
            got=long_when(terms.session_at),
            passes=f"a partir de {long_day(earliest)}",
        )
    return [EditalAmended(terms, command.terms_sha256, drafted.affects_offers, drafted.reason)]


def extend_dates(state: Edital, command: ExtendDates, turn: Turn) -> list[Any]:
    """Later and never sooner; once enrolment ended only the session moves."""
    terms = _terms(state)
    if state.status not in (Status.PUBLISHED, Status.JUDGING, Status.READY):
        raise Refusal("Só se prorroga o que ainda não chegou.", L14133(55), code="fora_da_fase")
    _reasoned(command.reason, L14133(55))
    if state.status is not Status.PUBLISHED and command.applications_close_at != terms.applications_close_at:
        raise Refusal(
            "As inscrições já terminaram: só a sessão pode ser adiada.",
            L14133(55),
            code="inscricoes_fechadas",
            field="fim das inscrições",
            got=long_when(command.applications_close_at),
            passes=long_when(terms.applications_close_at),
        )
    for field, old, new in (
        ("fim das inscrições", terms.applications_close_at, command.applications_close_at),
        ("sessão", terms.session_at, command.session_at),
    ):
        if new < old:
            _too_early(field, new, old)
    if (command.applications_close_at, command.session_at) == (terms.applications_close_at, terms.session_at):
        raise Refusal("Nenhuma data mudou.", L14133(55), code="nada_muda", field="sessão")
    _in_order(command.applications_close_at, command.session_at)
    return [EditalExtended(command.applications_close_at, command.session_at, command.reason.strip())]


def suspend_edital(state: Edital, command: SuspendEdital, turn: Turn) -> list[Any]:
    """Wherever it stands, with a reason."""
    if state.status not in SUSPENSIONS:
        raise Refusal("Só se suspende uma licitação em curso.", L14133(71), code="fora_da_fase")
    _reasoned(command.reason, L14133(71))
    return [EditalSuspended(turn.now, command.reason.strip())]


def resume_edital(state: Edital, command: ResumeEdital, turn: Turn) -> list[Any]:
    """Where it was. What was left of the enrolment and of the days to the session is given back whole."""
    terms = _terms(state)
    if state.status not in SUSPENDED or state.suspended_at is None:
        raise Refusal("Esta licitação não está suspensa.", L14133(71), code="nao_suspensa")
    _reasoned(command.reason, L14133(71))
    stopped = state.suspended_at
    session_over = state.status in (Status.SUSPENDED_SESSION, Status.SUSPENDED_JUDGED)
    for field, old, new, over in (
        (
            "fim das inscrições",
            terms.applications_close_at,
            command.applications_close_at,
            state.status is not Status.SUSPENDED,
        ),
        ("sessão", terms.session_at, command.session_at, session_over),
    ):
        if over and new != old:
            raise Refusal(
                f"A data de {field} já passou e não muda.",
                L14133(71),
                code="data_passada",
                field=field,
                got=long_when(new),
                passes=long_when(old),
            )
        if not over and new < turn.now + (old - stopped):
            _too_early(field, new, turn.now + (old - stopped))
    _in_order(command.applications_close_at, command.session_at)
    return [EditalResumed(command.applications_close_at, command.session_at, command.reason.strip())]


def open_hearing(state: Edital, command: OpenHearing, turn: Turn) -> list[Any]:
    """A new hearing replaces one that was opened before. `turn.known["hear_until"]`: the earliest end."""
    _live(state, L14133(71, 3))
    _reasoned(command.reason, L14133(71, 3))
    earliest = turn.known["hear_until"]
    if command.until < earliest:
        _too_early("prazo de manifestação", command.until, earliest, L14133(71, 3))
    return [HearingOpened(command.ending, command.reason.strip(), command.until)]


def revoke_edital(state: Edital, command: RevokeEdital, turn: Turn) -> list[Any]:
    """After the hearing (Lei 14.133 art. 71 §§ 2º and 3º)."""
    _heard(state, Ending.REVOCATION, turn)
    _reasoned(command.reason, L14133(71, 2))
    return [EditalRevoked(command.reason.strip(), _effect(command.effect), turn.known["appeal_until"])]


def annul_edital(state: Edital, command: AnnulEdital, turn: Turn) -> list[Any]:
    """After the hearing (Lei 14.133 art. 71 §§ 1º and 3º)."""
    _heard(state, Ending.ANNULMENT, turn)
    _reasoned(command.reason, L14133(71, 1))
    return [EditalAnnulled(command.reason.strip(), _effect(command.effect), turn.known["appeal_until"])]


# -- what they share ---------------------------------------------------------------------------------------------------


def _terms(state: Edital) -> Terms:
    if state.terms is None or state.status not in LIVE:
        raise Refusal("Esta licitação não está em curso.", L14133(54), code="fora_da_fase")
    return state.terms


def _amendable(state: Edital) -> Terms:
    if state.status not in (Status.PUBLISHED, Status.SUSPENDED):
        raise Refusal(
            "O edital se retifica enquanto as inscrições estão abertas ou suspensas.",
            L14133(55, 1),
            code="fora_da_fase",
        )
    return _terms(state)


def _live(state: Edital, law: Citation) -> None:
    if state.status not in LIVE:
        raise Refusal("Esta licitação não está em curso.", law, code="fora_da_fase")


def _heard(state: Edital, ending: Ending, turn: Turn) -> None:
    _live(state, L14133(71, 3))
    hearing = state.hearing
    if hearing is None or hearing.ending is not ending:
        raise Refusal(
            f"Antes de a licitação ser {ending.value}, os interessados são ouvidos.",
            L14133(71, 3),
            code="sem_manifestacao",
            field="manifestação",
            passes="abra o prazo de manifestação",
        )
    if in_time(turn.now, hearing.until):
        raise Refusal(
            "O prazo de manifestação ainda corre.",
            L14133(71, 3),
            code="manifestacao_em_curso",
            field="manifestação",
            got=long_when(turn.now),
            passes=f"depois de {long_when(hearing.until)}",
        )


def _reasoned(reason: str, law: Citation) -> None:
    length = len(reason.strip())
    if length < REASON_MIN:
        raise Refusal(
            "Explique o motivo para quem vai ler.",
            law,
            code="sem_motivo",
            field="motivo",
            got=f"{length} letras",
            passes=f"{REASON_MIN} letras ou mais",
        )


def _effect(effect: str) -> str:
    if not effect.strip():
        raise Refusal(
            "Diga o que acontece com quem se inscreveu.",
            L14133(71, 3),
            code="sem_efeito",
            field="efeito",
            passes="As inscrições perdem o efeito.",
        )
    return effect.strip()


def _in_order(closes: datetime, session: datetime) -> None:
    if session <= closes:
        raise Refusal(
            "A sessão deve ser depois do fim das inscrições.", L14133(17, 1), field="sessão", got=long_when(session)
        )


def _too_early(field: str, got: datetime, least: datetime, law: Citation = DATES) -> None:
    raise Refusal(
        f"A data de {field} está cedo demais.",
        law,
        code="cedo_demais",
        field=field,
        got=long_when(got),
        passes=f"a partir de {long_when(least)}",
    )
