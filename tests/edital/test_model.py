"""The edital's machine and what its state keeps of the facts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tender.edital.model import (
    MACHINE,
    ApplicationsClosed,
    EditalDrafted,
    EditalPublished,
    OutageNoticed,
    SessionClosed,
    Status,
    begin,
    evolve,
)
from tests.town import EDITAL, SESSION_AT, terms_of


def test_the_machine_has_no_dead_ends_and_nothing_out_of_reach() -> None:
    assert MACHINE.faults() == []


def test_an_edital_begins_as_nothing_and_keeps_the_last_draft_and_its_author() -> None:
    first, second = terms_of(), replace(terms_of(), title="Outro")
    state = begin("edital/001-2027")
    assert (state.edital, state.status, state.terms) == (EDITAL, Status.NONE, None)
    state = evolve(evolve(state, EditalDrafted(first, "marta")), EditalDrafted(second, "paulo"))
    assert (state.status, state.terms, state.drafted_by) == (Status.DRAFT, second, "paulo")
    assert evolve(state, EditalPublished(second, "")).status is Status.PUBLISHED


def test_an_outage_changes_no_status_and_is_remembered_by_its_beginning() -> None:
    state = evolve(evolve(begin("edital/1"), EditalDrafted(terms_of(), "x")), EditalPublished(terms_of(), ""))
    after = evolve(state, OutageNoticed("queda", SESSION_AT, SESSION_AT))
    assert after == replace(state, last_outage=("queda", SESSION_AT))


@pytest.mark.parametrize(
    "fact", [SessionClosed(EDITAL), ApplicationsClosed(EDITAL), OutageNoticed("x", SESSION_AT, SESSION_AT)]
)
def test_what_is_not_declared_does_not_happen(fact: object) -> None:
    with pytest.raises(AssertionError, match="cannot happen while Inexistente"):
        evolve(begin("edital/1"), fact)
