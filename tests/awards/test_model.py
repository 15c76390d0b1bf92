"""The award's machine: there is no moment without a called bidder."""

from __future__ import annotations

import pytest

from tender.awards.model import MACHINE, AwardAccepted, CallLapsed, StandFailed, Status, begin, evolve
from tender.money import Money


def test_the_machine_has_no_dead_ends_and_nothing_out_of_reach() -> None:
    assert MACHINE.faults() == []


def test_an_award_begins_with_its_stand_and_nobody_called() -> None:
    state = begin("award/001-2027/3")
    assert (state.edital, state.stand, state.status, state.called) == ("001-2027", 3, Status.NONE, None)


@pytest.mark.parametrize("fact", [AwardAccepted(1, "A", Money(1)), CallLapsed(1, "A")])
def test_nobody_answers_before_being_called(fact: object) -> None:
    with pytest.raises(AssertionError, match="cannot happen while Sem chamada"):
        evolve(begin("award/1/1"), fact)


def test_a_stand_that_failed_stays_failed() -> None:
    failed = evolve(begin("award/1/1"), StandFailed(0))
    with pytest.raises(AssertionError):
        evolve(failed, StandFailed(0))
