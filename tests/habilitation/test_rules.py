"""The rules of applications, one story an article, both sides of each edge."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from tender.acts import PersonId, StandId
from tender.habilitation.model import (
    REQUIREMENTS,
    ApplicationHabilitated,
    ApplicationInhabilitated,
    ApplicationSubmitted,
    DocumentReceived,
    HabilitateApplication,
    InhabilitateApplication,
    PersonKind,
    ReceiveDocument,
    SubmitApplication,
)
from tender.habilitation.rules import REASON_MIN
from tender.law import L14133, MUN, Citation
from tests.given import Outcome, given
from tests.town import EDITAL, MICROSECOND, SECOND, terms_of

TERMS = terms_of(stands=3)
OPENS, CLOSES = TERMS.applications_open_at, TERMS.applications_close_at
ANA = PersonId("pt_ana")
ONE, TWO, THREE, FOUR = (StandId(n) for n in (1, 2, 3, 4))
LICENCE = MUN(4, 1, "I")
SUBMITTED = ApplicationSubmitted(ANA, PersonKind.NATURAL, (ONE, TWO))
HABILITATED = ApplicationHabilitated(ANA, (ONE, TWO), "Conferido.")
INHABILITATED = ApplicationInhabilitated(ANA, LICENCE, "A CNH venceu em janeiro.")
KNOWN: dict[str, Any] = {
    "opens_at": OPENS,
    "closes_at": CLOSES,
    "stands": (ONE, TWO, THREE),
    "barred": False,
    "office_holder": False,
}


def sent(requirement: Citation, sha256: str = "a" * 64, started: datetime = OPENS) -> DocumentReceived:
    return DocumentReceived(requirement, sha256, 1000, started, started + SECOND)


def send(*facts: Any, requirement: Citation = LICENCE, started: datetime = OPENS, **known: Any) -> Outcome:
    command = ReceiveDocument(EDITAL, ANA, requirement, "a" * 64, 1000, started, started + SECOND)
    return given(*facts).when(command, at=started + SECOND, known={**KNOWN, **known})


def submit(*facts: Any, stands: tuple[StandId, ...] = (ONE, TWO), at: datetime = OPENS, **known: Any) -> Outcome:
    command = SubmitApplication(EDITAL, ANA, PersonKind.NATURAL, stands)
    return given(*facts).when(command, at=at, known={**KNOWN, **known})


# --- documents -------------------------------------------------------------------------------------------------------


def test_a_document_counts_when_its_upload_began_in_time() -> None:
    send(started=OPENS).then(sent(LICENCE))
    send(started=OPENS - MICROSECOND).refused(L14133(55), code="antes_do_prazo")
    # It ends a second after the period does, and counts.
    send(started=CLOSES - MICROSECOND).then(sent(LICENCE, started=CLOSES - MICROSECOND))
    send(started=CLOSES).refused(L14133(55), code="fora_do_prazo")


def test_where_no_period_runs_nothing_is_taken() -> None:
    send(opens_at=None, closes_at=None).refused(L14133(55), code="fora_do_prazo")
    submit(opens_at=None, closes_at=None).refused(L14133(55), code="fora_do_prazo")


def test_a_document_answers_a_requirement_of_either_kind_of_person_and_no_other() -> None:
    for group in REQUIREMENTS.values():
        for requirement in group:
            send(requirement=requirement).then(sent(requirement))
    send(requirement=MUN(4, 1, "VI")).refused(MUN(4), code="exigencia_desconhecida")


def test_documents_are_added_after_submitting_and_not_after_the_decision() -> None:
    send(SUBMITTED).then(sent(LICENCE))
    documents = [sent(one) for one in REQUIREMENTS[PersonKind.NATURAL]]
    for decided in (HABILITATED, INHABILITATED):
        send(*documents, SUBMITTED, decided).refused(L14133(64), code="ja_decidida")


def test_the_last_document_of_a_requirement_is_the_one_that_counts() -> None:
    state = send(sent(LICENCE, "b" * 64), sent(MUN(4, 1, "II"), "c" * 64)).state
    assert state.documents == {LICENCE.key: "a" * 64, MUN(4, 1, "II").key: "c" * 64}


# --- submitting ------------------------------------------------------------------------------------------------------


def test_an_application_is_taken_from_the_first_to_before_the_last_instant_of_the_period() -> None:
    submit(at=OPENS).then(SUBMITTED)
    submit(at=OPENS - MICROSECOND).refused(L14133(55), code="antes_do_prazo")
    submit(at=CLOSES - MICROSECOND).then(SUBMITTED)
    submit(at=CLOSES).refused(L14133(55), code="fora_do_prazo")


def test_stands_are_chosen_among_those_offered_each_once_and_in_order() -> None:
    submit(stands=(THREE, ONE, THREE)).then(ApplicationSubmitted(ANA, PersonKind.NATURAL, (ONE, THREE)))
    submit(stands=(FOUR,)).refused(MUN(4), code="ponto_nao_oferecido", passes="1, 2, 3")
    submit(stands=(ONE, FOUR)).refused(MUN(4), code="ponto_nao_oferecido")
    submit(stands=()).refused(MUN(4), code="ponto_nao_oferecido")


def test_whoever_acts_in_the_tender_does_not_compete_and_whoever_was_barred_does_not_either() -> None:
    submit(office_holder=True).refused(L14133(9, 1), code="cargo")
    submit(barred=True).refused(MUN(24, "único"), code="impedido")


def test_an_application_is_sent_again_until_it_was_decided() -> None:
    again = submit(SUBMITTED, stands=(TWO,)).then(ApplicationSubmitted(ANA, PersonKind.NATURAL, (TWO,)))
    assert again.state.stands == (TWO,)
    for decided in (HABILITATED, INHABILITATED):
        submit(SUBMITTED, decided).refused(L14133(64), code="ja_decidida")


# --- decisions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", list(PersonKind))
def test_an_application_is_habilitated_with_every_document_and_not_with_one_less(kind: PersonKind) -> None:
    submitted = ApplicationSubmitted(ANA, kind, (ONE,))
    decide = HabilitateApplication(EDITAL, ANA, "Conferido.")
    every = [sent(one) for one in REQUIREMENTS[kind]]
    given(*every, submitted).when(decide).then(ApplicationHabilitated(ANA, (ONE,), "Conferido."))
    for missing in REQUIREMENTS[kind]:
        some = [one for one in every if one.requirement != missing]
        refused = given(*some, submitted).when(decide).refused(missing, code="falta_documento")
        assert refused.refusal is not None
        assert missing.short in refused.refusal.reason


def test_only_a_submitted_application_is_decided_and_only_once() -> None:
    every = [sent(one) for one in REQUIREMENTS[PersonKind.NATURAL]]
    for command in (
        HabilitateApplication(EDITAL, ANA, "Conferido."),
        InhabilitateApplication(EDITAL, ANA, LICENCE, "A CNH venceu em janeiro."),
    ):
        given(*every).when(command).refused(L14133(64), code="nao_enviada")
        for decided in (HABILITATED, INHABILITATED):
            given(*every, SUBMITTED, decided).when(command).refused(L14133(64), code="nao_enviada")


def test_an_inhabilitation_names_requirement_and_reason() -> None:
    long_enough, too_short = "x" * REASON_MIN, "x" * (REASON_MIN - 1)
    made = given(SUBMITTED).when(InhabilitateApplication(EDITAL, ANA, LICENCE, long_enough))
    made.then(ApplicationInhabilitated(ANA, LICENCE, long_enough))
    padded = InhabilitateApplication(EDITAL, ANA, LICENCE, f"   {too_short}   ")
    given(SUBMITTED).when(padded).refused(L14133(64), code="motivo_curto")


def test_an_inhabilitation_takes_two_members() -> None:
    assert InhabilitateApplication.META.members == 2
    assert HabilitateApplication.META.members == 1
