"""The application's machine, and what each kind of person proves."""

from __future__ import annotations

import pytest

from tender.acts import EditalId, PersonId, StandId
from tender.habilitation.model import (
    MACHINE,
    REQUIREMENTS,
    ApplicationHabilitated,
    ApplicationSubmitted,
    PersonKind,
    Status,
    begin,
    evolve,
)


def test_the_machine_has_no_dead_ends_and_nothing_out_of_reach() -> None:
    assert MACHINE.faults() == []


def test_a_stream_names_edital_and_applicant() -> None:
    state = begin("application/001-2027/pt_a/b")
    assert (state.edital, state.applicant) == (EditalId("001-2027"), PersonId("pt_a/b"))
    assert (state.status, state.kind, state.stands, dict(state.documents)) == (Status.DRAFT, None, (), {})


def test_a_natural_person_proves_four_things_and_a_company_nine() -> None:
    natural, company = REQUIREMENTS[PersonKind.NATURAL], REQUIREMENTS[PersonKind.LEGAL]
    assert [one.short for one in natural] == [f"art. 4º, § 1º, {n}" for n in "I II III IV".split()]
    assert [one.short for one in company] == [f"art. 4º, § 2º, {n}" for n in "I II III IV V VI VII VIII IX".split()]


def test_what_is_not_declared_does_not_happen() -> None:
    ana, stands = PersonId("a"), (StandId(1),)
    with pytest.raises(AssertionError, match="cannot happen while Em preenchimento"):
        evolve(begin("application/1/a"), ApplicationHabilitated(ana, stands, ""))
    submitted = evolve(begin("application/1/a"), ApplicationSubmitted(ana, PersonKind.NATURAL, stands))
    habilitated = evolve(submitted, ApplicationHabilitated(ana, stands, ""))
    with pytest.raises(AssertionError):
        evolve(habilitated, ApplicationHabilitated(ana, stands, ""))
