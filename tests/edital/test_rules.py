"""The edital's rules, one story an article, both sides of each edge."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tender.acts import EditalId, Role, StandId
from tender.edital.model import (
    ApplicationsClosed,
    CloseApplications,
    CloseSession,
    ConcludeHabilitation,
    DraftEdital,
    EditalDrafted,
    EditalPublished,
    HabilitationConcluded,
    NoteOutage,
    OpenSession,
    OutageNoticed,
    PublishEdital,
    SessionClosed,
    SessionOpened,
    Stand,
    Terms,
)
from tender.edital.model.terms import Mode, Switches
from tender.edital.rules import STANDS_MAX
from tender.law import IN73, L14133, MUN, Citation
from tender.money import Money
from tests.edital.opened import NOW, around, facts_of
from tests.given import Outcome, given
from tests.town import DAY, EDITAL, MICROSECOND, SECOND, SESSION_AT, terms_of

TERMS = terms_of(stands=2)
HASH = "a" * 64
DRAFTED = EditalDrafted(TERMS, "marta")
PUBLISHED = (DRAFTED, EditalPublished(TERMS, HASH))
CLOSED = (*PUBLISHED, ApplicationsClosed(EDITAL))
READY = (*CLOSED, HabilitationConcluded(EDITAL, 3))
IN_SESSION = (*READY, SessionOpened(EDITAL))
JUDGED = (*IN_SESSION, SessionClosed(EDITAL))


def draft(terms: Terms, edital: str = EDITAL, *facts: Any) -> Outcome:
    return given(*facts).when(DraftEdital(EditalId(edital), terms), by="marta", role=Role.PREGOEIRO)


# --- draft -----------------------------------------------------------------------------------------------------------


def test_a_draft_says_what_it_says_and_who_wrote_it() -> None:
    draft(TERMS).then(DRAFTED)


def test_a_draft_is_rewritten_until_it_is_published() -> None:
    changed = replace(TERMS, title="Outro título")
    draft(changed, EDITAL, DRAFTED).then(EditalDrafted(changed, "marta"))
    for later in (PUBLISHED, CLOSED, READY, IN_SESSION, JUDGED):
        draft(changed, EDITAL, *later).refused(L14133(55, 1), code="ja_publicado")


def test_the_terms_are_those_of_the_same_edital() -> None:
    draft(terms_of("002-2027")).refused(MUN(3), code="outro_edital", passes=EDITAL)
    draft(terms_of("002-2027"), "002-2027").then(EditalDrafted(terms_of("002-2027"), "marta"))


@pytest.mark.parametrize("number", ["", "001/2027", "001 2027", "001-2027\n", "nº1", "../x"])
def test_a_number_that_would_not_fit_into_an_address_is_refused(number: str) -> None:
    draft(terms_of(number), number).refused(MUN(3), code="numero_invalido", passes="001-2027")


def with_stand(**changes: Any) -> Terms:
    return replace(TERMS, stands=(TERMS.stands[0], replace(TERMS.stands[1], **changes)))


def many(count: int) -> tuple[Stand, ...]:
    return terms_of(stands=count).stands


OPEN_AT, CLOSE_AT = TERMS.applications_open_at, TERMS.applications_close_at
EDGES: tuple[tuple[str, Terms, Terms, Citation], ...] = (
    (
        "a mode not run here",
        replace(TERMS, switches=Switches(mode=Mode.CLOSED)),
        replace(TERMS, switches=Switches(mode=Mode.CLOSED_OPEN)),
        L14133(56),
    ),
    ("too many", replace(TERMS, stands=many(STANDS_MAX + 1)), replace(TERMS, stands=many(STANDS_MAX)), MUN(10)),
    ("twice", with_stand(number=StandId(1)), with_stand(number=StandId(3)), MUN(10)),
    ("no decree", with_stand(decree=""), with_stand(decree="Decreto 2/2027"), MUN(10)),
    ("free floor", with_stand(floor=Money(0)), with_stand(floor=Money(100)), MUN(4)),
    ("cents in the floor", with_stand(floor=Money(1_000_001)), with_stand(floor=Money(1_000_100)), MUN(4)),
    ("no step", replace(TERMS, step=Money(0)), replace(TERMS, step=Money(100)), L14133(57)),
    (
        "cents in the step",
        replace(TERMS, step=Money(99)),
        replace(TERMS, step=Money(99), whole_reais=False),
        L14133(57),
    ),
    (
        "closes as it opens",
        replace(TERMS, applications_close_at=OPEN_AT),
        replace(TERMS, applications_close_at=OPEN_AT + MICROSECOND),
        L14133(55),
    ),
    (
        "session as it closes",
        replace(TERMS, session_at=CLOSE_AT),
        replace(TERMS, session_at=CLOSE_AT + MICROSECOND),
        L14133(17, 1),
    ),
    ("no open stage", replace(TERMS, open_stage_seconds=0), replace(TERMS, open_stage_seconds=1), L14133(56)),
    ("backward window", replace(TERMS, window_seconds=-1), replace(TERMS, window_seconds=0), L14133(56)),
    ("backward seconds", replace(TERMS, withdraw_seconds=-1), replace(TERMS, withdraw_seconds=0), IN73(21, 3)),
    ("no time to answer", replace(TERMS, call_hours=0), replace(TERMS, call_hours=1), L14133(90)),
)


@pytest.mark.parametrize(("bad", "good", "article"), [pytest.param(*edge[1:], id=edge[0]) for edge in EDGES])
def test_terms_that_could_not_be_kept_are_refused_and_those_just_beside_them_pass(
    bad: Terms, good: Terms, article: Citation
) -> None:
    draft(bad).refused(article)
    draft(good).then(EditalDrafted(good, "marta"))


# --- publication -----------------------------------------------------------------------------------------------------


def publish(*facts: Any, by: str = "dirce", read: str = HASH, written: str = HASH) -> Outcome:
    known = {"terms_sha256": written, "surroundings": around(TERMS)}
    filed = facts_of(TERMS) if facts and not any(isinstance(one, EditalPublished) for one in facts) else ()
    return given(*facts, *filed).when(PublishEdital(EDITAL, read), at=NOW, by=by, role=Role.MAYOR, known=known)


def test_another_person_publishes_exactly_what_was_read() -> None:
    publish(DRAFTED).then(EditalPublished(TERMS, HASH))
    publish(DRAFTED, by="marta").refused(L14133(7, 1), code="mesma_pessoa")
    publish(DRAFTED, written="b" * 64).refused(L14133(54), code="rascunho_mudou", passes="b" * 64)


def test_who_drafted_first_may_publish_what_another_rewrote() -> None:
    publish(DRAFTED, EditalDrafted(TERMS, "paulo"), by="marta").then(EditalPublished(TERMS, HASH))
    publish(DRAFTED, EditalDrafted(TERMS, "paulo"), by="paulo").refused(L14133(7, 1), code="mesma_pessoa")


def test_only_a_draft_is_published_and_only_once() -> None:
    publish().refused(L14133(54), code="nao_e_rascunho")
    publish(*PUBLISHED).refused(L14133(54), code="nao_e_rascunho")


# --- the period, the list, the session -------------------------------------------------------------------------------


def test_applications_close_at_the_printed_hour_and_not_a_microsecond_before() -> None:
    close = CloseApplications(EDITAL)
    given(*PUBLISHED).when(close, at=CLOSE_AT - MICROSECOND).refused(L14133(55), code="ainda_no_prazo")
    given(*PUBLISHED).when(close, at=CLOSE_AT).then(ApplicationsClosed(EDITAL))
    for other in ((), (DRAFTED,), CLOSED, JUDGED):
        given(*other).when(close, at=CLOSE_AT).refused(L14133(55), code="inscricoes_fechadas")


def test_the_list_is_published_when_every_application_was_decided() -> None:
    conclude = ConcludeHabilitation(EDITAL)
    one_left, none_left = {"undecided": 1, "habilitated": 2}, {"undecided": 0, "habilitated": 3}
    refused = given(*CLOSED).when(conclude, known=one_left).refused(MUN(4), code="inscricoes_pendentes")
    assert refused.refusal is not None
    assert refused.refusal.got == "1"
    given(*CLOSED).when(conclude, known=none_left).then(HabilitationConcluded(EDITAL, 3))
    given(*CLOSED).when(conclude, known={"undecided": 0, "habilitated": 0}).then(HabilitationConcluded(EDITAL, 0))
    for other in ((), PUBLISHED, READY):
        given(*other).when(conclude, known=none_left).refused(L14133(17, 1), code="fora_da_fase")


def test_the_session_opens_at_its_hour_and_not_a_microsecond_before() -> None:
    opening = OpenSession(EDITAL)
    given(*READY).when(opening, at=SESSION_AT - MICROSECOND).refused(L14133(17), code="antes_da_hora")
    given(*READY).when(opening, at=SESSION_AT).then(SessionOpened(EDITAL))
    for other in ((), CLOSED, IN_SESSION):
        given(*other).when(opening, at=SESSION_AT).refused(MUN(4), code="fora_da_fase")


def test_the_session_closes_with_its_last_stand() -> None:
    given(*IN_SESSION).when(CloseSession(EDITAL), known={"open_stands": 1}).then()
    given(*IN_SESSION).when(CloseSession(EDITAL), known={"open_stands": 0}).then(SessionClosed(EDITAL))
    given(*JUDGED).when(CloseSession(EDITAL), known={"open_stands": 0}).then()


# --- outages ---------------------------------------------------------------------------------------------------------


def test_an_outage_is_noted_in_an_edital_that_people_act_on() -> None:
    since, until = SESSION_AT, SESSION_AT + 7 * 60 * SECOND
    noted = OutageNoticed("queda", since, until)
    for facts in (PUBLISHED, CLOSED, READY, IN_SESSION, JUDGED):
        given(*facts).when(NoteOutage(EDITAL, "queda", since, until)).then(noted)
    for facts in ((), (DRAFTED,)):
        given(*facts).when(NoteOutage(EDITAL, "queda", since, until)).then()


def test_what_began_at_the_same_instant_is_the_same_outage_whoever_noticed_it() -> None:
    since, until = SESSION_AT, SESSION_AT + DAY
    noted = OutageNoticed("queda", since, until)
    given(*IN_SESSION, noted).when(NoteOutage(EDITAL, "queda", since, until + SECOND)).then()
    later = NoteOutage(EDITAL, "queda", since + MICROSECOND, until)
    given(*IN_SESSION, noted).when(later).then(OutageNoticed("queda", since + MICROSECOND, until))
    given(*IN_SESSION, noted).when(NoteOutage(EDITAL, "relogio", since, until)).then(
        OutageNoticed("relogio", since, until)
    )
