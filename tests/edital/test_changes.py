"""Changes after publication: who, when, why; time given back; the interested heard; both sides of each edge."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tender.acts import EditalId, Role, StandId
from tender.clock import day_of
from tender.edital.model import LIVE, MACHINE, SUSPENSIONS, Status, Terms
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
    differences,
    must_affect,
)
from tender.law import L14133
from tender.money import Money
from tests.edital.test_rules import CLOSED, DRAFTED, IN_SESSION, JUDGED, PUBLISHED, READY, TERMS
from tests.given import Outcome, given
from tests.town import DAY, EDITAL, MICROSECOND, SESSION_AT

WHY = "Uma razão escrita para quem lê."
CLOSES, SESSION = TERMS.applications_close_at, TERMS.session_at
NOW = CLOSES - 2 * DAY
FLOORS = replace(TERMS, stands=tuple(replace(one, floor=Money.reais(12_000)) for one in TERMS.stands))
TITLED = replace(TERMS, title="Outro título")
HASH = "c" * 64
assert len(WHY) >= REASON_MIN


def amend(terms: Terms, affects: bool, *facts: Any, reason: str = WHY) -> Outcome:
    return given(*facts).when(DraftAmendment(EDITAL, terms, affects, reason), at=NOW, by="marta", role=Role.PREGOEIRO)


def publish(*facts: Any, by: str = "dirce", at: Any = NOW, sha: str = HASH, earliest: Any = None) -> Outcome:
    known = {"terms_sha256": HASH, "earliest_session": earliest}
    return given(*facts).when(AmendEdital(EDITAL, sha), at=at, by=by, role=Role.MAYOR, known=known)


# --- amendment -------------------------------------------------------------------------------------------------------


def test_an_amendment_is_drafted_by_one_and_published_by_another() -> None:
    drafted = AmendmentDrafted(TITLED, False, WHY, "marta")
    amend(TITLED, False, *PUBLISHED).then(drafted)
    publish(*PUBLISHED, drafted, by="marta").refused(L14133(7, 1), code="mesma_pessoa")
    done = publish(*PUBLISHED, drafted).then(EditalAmended(TITLED, HASH, False, WHY))
    assert (done.state.terms, done.state.amendment, done.state.status) == (TITLED, None, Status.PUBLISHED)


def test_what_was_read_is_what_is_published() -> None:
    drafted = AmendmentDrafted(TITLED, False, WHY, "marta")
    publish(*PUBLISHED, drafted, sha="d" * 64).refused(L14133(55, 1), code="rascunho_mudou", passes=HASH)
    publish(*PUBLISHED).refused(L14133(55, 1), code="sem_retificacao")


def test_a_change_of_the_floor_cannot_be_declared_harmless() -> None:
    amend(FLOORS, False, *PUBLISHED).refused(L14133(55, 1), code="afeta_propostas", passes="afeta as propostas")
    amend(FLOORS, True, *PUBLISHED).then(AmendmentDrafted(FLOORS, True, WHY, "marta"))
    assert must_affect(TERMS, TITLED) == []


def test_when_offers_are_affected_the_term_of_publicity_begins_again() -> None:
    drafted = AmendmentDrafted(FLOORS, True, WHY, "marta")
    session = day_of(SESSION)
    publish(*PUBLISHED, drafted, earliest=session).then(EditalAmended(FLOORS, HASH, True, WHY))
    early = publish(*PUBLISHED, drafted, earliest=session + timedelta(days=1))
    early.refused(L14133(55, 1), code="prazo_recomeca", passes="a partir de sábado, 6 de março de 2027")
    harmless = AmendmentDrafted(TITLED, False, WHY, "marta")
    assert publish(*PUBLISHED, harmless, earliest=session + timedelta(days=1)).refusal is None


def test_an_amendment_is_not_published_after_its_own_end_of_enrolment() -> None:
    drafted = AmendmentDrafted(TITLED, False, WHY, "marta")
    publish(*PUBLISHED, drafted, at=CLOSES).refused(L14133(55), code="cedo_demais")
    assert publish(*PUBLISHED, drafted, at=CLOSES - MICROSECOND).refusal is None


def test_a_stand_is_added_by_amendment_but_not_taken_away() -> None:
    more = replace(TERMS, stands=(*TERMS.stands, replace(TERMS.stands[0], number=StandId(3))))
    assert amend(more, True, *PUBLISHED).refusal is None
    fewer = replace(TERMS, stands=TERMS.stands[:1])
    amend(fewer, True, *PUBLISHED).refused(L14133(71, 3), code="ponto_retirado")


def test_an_amendment_changes_something_says_why_and_is_of_this_edital() -> None:
    amend(TERMS, True, *PUBLISHED).refused(L14133(55, 1), code="nada_muda")
    amend(TITLED, False, *PUBLISHED, reason="x" * (REASON_MIN - 1)).refused(L14133(55, 1), code="sem_motivo")
    assert amend(TITLED, False, *PUBLISHED, reason="x" * REASON_MIN).refusal is None
    other = replace(TITLED, edital=EditalId("002-2027"))
    assert amend(other, False, *PUBLISHED).refusal is not None


@pytest.mark.parametrize("facts", [(DRAFTED,), CLOSED, READY, IN_SESSION, JUDGED])
def test_outside_of_the_enrolment_nothing_is_amended(facts: tuple[Any, ...]) -> None:
    amend(TITLED, False, *facts).refused(L14133(55, 1), code="fora_da_fase")


def test_a_suspended_edital_can_be_amended() -> None:
    assert amend(TITLED, False, *PUBLISHED, EditalSuspended(NOW, WHY)).state.status is Status.SUSPENDED


# --- extension -------------------------------------------------------------------------------------------------------


def extend(closes: Any, session: Any, *facts: Any, reason: str = WHY) -> Outcome:
    return given(*facts).when(ExtendDates(EDITAL, closes, session, reason), at=NOW, by="marta", role=Role.PREGOEIRO)


def test_dates_move_later_and_never_sooner() -> None:
    done = extend(CLOSES + MICROSECOND, SESSION, *PUBLISHED).then(EditalExtended(CLOSES + MICROSECOND, SESSION, WHY))
    assert done.state.terms.applications_close_at == CLOSES + MICROSECOND
    extend(CLOSES - MICROSECOND, SESSION + DAY, *PUBLISHED).refused(L14133(55), code="cedo_demais")
    extend(CLOSES + DAY, SESSION - MICROSECOND, *PUBLISHED).refused(L14133(55), code="cedo_demais")
    extend(CLOSES, SESSION, *PUBLISHED).refused(L14133(55), code="nada_muda")


def test_the_session_stays_after_the_enrolment() -> None:
    extend(SESSION, SESSION, *PUBLISHED).refused(L14133(17, 1))
    assert extend(SESSION, SESSION + MICROSECOND, *PUBLISHED).refusal is None


def test_once_enrolment_ended_only_the_session_moves() -> None:
    for facts in (CLOSED, READY):
        extend(CLOSES + DAY, SESSION + DAY, *facts).refused(L14133(55), code="inscricoes_fechadas")
        assert extend(CLOSES, SESSION + DAY, *facts).refusal is None
    for facts in (IN_SESSION, JUDGED):
        extend(CLOSES, SESSION + DAY, *facts).refused(L14133(55), code="fora_da_fase")


# --- suspension ------------------------------------------------------------------------------------------------------

STOPPED = EditalSuspended(NOW, WHY)


def resume(closes: Any, session: Any, at: Any, *facts: Any) -> Outcome:
    return given(*facts).when(ResumeEdital(EDITAL, closes, session, WHY), at=at, by="dirce", role=Role.MAYOR)


def test_a_suspension_leads_back_to_where_it_was() -> None:
    for facts in (PUBLISHED, CLOSED, READY, IN_SESSION, JUDGED):
        before = given(*facts).when(SuspendEdital(EDITAL, WHY), at=NOW, by="dirce", role=Role.MAYOR)
        before.then(EditalSuspended(NOW, WHY))
        assert before.state.status in SUSPENSIONS.values()
        after = MACHINE.after(before.state.status, EditalResumed(CLOSES, SESSION, WHY))
        assert SUSPENSIONS[after] is before.state.status


def test_a_draft_and_what_is_suspended_already_are_not_suspended() -> None:
    for facts in ((DRAFTED,), (*PUBLISHED, STOPPED)):
        given(*facts).when(SuspendEdital(EDITAL, WHY), at=NOW).refused(L14133(71), code="fora_da_fase")
    given(*PUBLISHED).when(SuspendEdital(EDITAL, "curto"), at=NOW).refused(L14133(71), code="sem_motivo")


def test_resuming_gives_back_the_time_that_was_left() -> None:
    at = NOW + 7 * DAY
    closes, session = at + (CLOSES - NOW), at + (SESSION - NOW)
    done = resume(closes, session, at, *PUBLISHED, STOPPED).then(EditalResumed(closes, session, WHY))
    assert done.state.status is Status.PUBLISHED
    for less in ((closes - MICROSECOND, session), (closes, session - MICROSECOND)):
        resume(*less, at, *PUBLISHED, STOPPED).refused(L14133(55), code="cedo_demais")


def test_dates_that_are_over_do_not_move() -> None:
    at = SESSION + 7 * DAY
    stopped = EditalSuspended(SESSION, WHY)
    assert resume(CLOSES, SESSION, at, *IN_SESSION, stopped).state.status is Status.IN_SESSION
    resume(CLOSES, SESSION + DAY, at, *IN_SESSION, stopped).refused(L14133(71), code="data_passada")
    ready = (*READY, EditalSuspended(SESSION - DAY, WHY))
    assert resume(CLOSES, at + DAY, at, *ready).refusal is None
    resume(CLOSES + DAY, at + DAY, at, *ready).refused(L14133(71), code="data_passada")
    resume(CLOSES, SESSION, at, *PUBLISHED).refused(L14133(71), code="nao_suspensa")


# --- revocation and annulment -----------------------------------------------------------------------------------------

APPEAL = NOW + 30 * DAY
UNTIL = NOW + 5 * DAY
ENDINGS: list[tuple[Ending, Any, Any]] = [
    (Ending.REVOCATION, RevokeEdital, EditalRevoked),
    (Ending.ANNULMENT, AnnulEdital, EditalAnnulled),
]


@pytest.mark.parametrize(("ending", "asked", "made"), ENDINGS)
def test_an_edital_ends_early_only_after_the_interested_were_heard(ending: Ending, asked: Any, made: Any) -> None:
    command, known = asked(EDITAL, WHY, "As inscrições perdem o efeito."), {"appeal_until": APPEAL}
    given(*PUBLISHED).when(command, at=NOW, known=known).refused(L14133(71, 3), code="sem_manifestacao")
    heard = (*PUBLISHED, HearingOpened(ending, WHY, UNTIL))
    given(*heard).when(command, at=UNTIL, known=known).refused(L14133(71, 3), code="manifestacao_em_curso")
    done = given(*heard).when(command, at=UNTIL + MICROSECOND, known=known)
    done.then(made(WHY, "As inscrições perdem o efeito.", APPEAL))
    assert done.state.status in MACHINE.final
    other = (*PUBLISHED, HearingOpened(next(one for one in Ending if one is not ending), WHY, UNTIL))
    given(*other).when(command, at=APPEAL, known=known).refused(L14133(71, 3), code="sem_manifestacao")


def test_an_ending_says_what_becomes_of_the_enrolments() -> None:
    heard = (*PUBLISHED, HearingOpened(Ending.REVOCATION, WHY, UNTIL))
    told = given(*heard).when(RevokeEdital(EDITAL, WHY, " "), at=APPEAL, known={"appeal_until": APPEAL})
    told.refused(L14133(71, 3), code="sem_efeito")


def test_a_hearing_lasts_long_enough() -> None:
    def hear(until: Any, *facts: Any) -> Outcome:
        asked = OpenHearing(EDITAL, Ending.REVOCATION, WHY, until)
        return given(*facts).when(asked, at=NOW, known={"hear_until": UNTIL})

    hear(UNTIL, *PUBLISHED).then(HearingOpened(Ending.REVOCATION, WHY, UNTIL))
    hear(UNTIL - MICROSECOND, *PUBLISHED).refused(L14133(71, 3), code="cedo_demais")
    hear(UNTIL, DRAFTED).refused(L14133(71, 3), code="fora_da_fase")


def test_what_ended_early_is_over() -> None:
    over = (
        *PUBLISHED,
        HearingOpened(Ending.REVOCATION, WHY, UNTIL),
        EditalRevoked(WHY, "As inscrições perdem o efeito.", APPEAL),
    )
    given(*over).when(SuspendEdital(EDITAL, WHY)).refused(L14133(71), code="fora_da_fase")
    extend(CLOSES, SESSION + DAY, *over).refused(L14133(54), code="fora_da_fase")
    assert Status.REVOKED not in LIVE


# --- the difference --------------------------------------------------------------------------------------------------


def test_the_difference_names_what_changed_before_and_after() -> None:
    found = {one.label: (one.before, one.after) for one in differences(TERMS, replace(FLOORS, title="Outro título"))}
    spoken = {label: tuple(text.replace("\N{NO-BREAK SPACE}", " ") for text in both) for label, both in found.items()}
    assert spoken == {
        "Título": (TERMS.title, "Outro título"),
        "Ponto 1: lance mínimo": ("R$ 10.000,00", "R$ 12.000,00"),
        "Ponto 2: lance mínimo": ("R$ 10.000,00", "R$ 12.000,00"),
    }
    assert differences(TERMS, TERMS) == []


def test_a_stand_that_is_new_has_no_before() -> None:
    more = replace(TERMS, stands=(*TERMS.stands, replace(TERMS.stands[0], number=StandId(3), name="Feira")))
    (found,) = differences(TERMS, more)
    assert (found.label, found.before) == ("Ponto 3: oferecido", "")
    assert "Feira" in found.after


def test_dates_are_said_with_weekday_and_hour() -> None:
    (found,) = differences(TERMS, replace(TERMS, session_at=SESSION_AT + DAY))
    assert found.after == "sábado, 6 de março de 2027, às 9h (horário de Brasília)"
