"""The contest's state, and what holds for every contest that could ever be: hypothesis plays them, edges first."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from tender.acts import Pseudonym, StandId
from tender.bidding.model import (
    MACHINE,
    BidderAdmitted,
    BidPlaced,
    BidTerms,
    BidWithdrawn,
    CloseStand,
    Contest,
    ContestStarted,
    ContestSuspended,
    PlaceBid,
    StandPrepared,
    Status,
    WithdrawBid,
    begin,
    evolve,
)
from tender.money import Money, parse_brl
from tests.given import NOON, given
from tests.town import EDITAL, MICROSECOND, SECOND

STAND = StandId(1)
END = NOON + 600 * SECOND
BIDDERS = tuple(Pseudonym(one) for one in ("ANA", "BIA", "CAIO"))


def opening(terms: BidTerms) -> tuple[Any, ...]:
    admitted = [BidderAdmitted(one, n) for n, one in enumerate(BIDDERS, start=1)]
    return (StandPrepared(terms), *admitted, ContestStarted(END))


def folded(*facts: Any) -> Contest:
    state = begin("stand/001-2027/1")
    for one in facts:
        state = evolve(state, one)
    return state


TERMS = BidTerms(Money.reais(1000), Money.reais(50), 600, 120, 15, "instante_do_lance", whole_reais=False)


def placed(number: int, bidder: str, reais: int, until: datetime = END) -> BidPlaced:
    return BidPlaced(Pseudonym(bidder), number, Money.reais(reais), NOON, True, until)


# --- by hand ---------------------------------------------------------------------------------------------------------


def test_the_machine_has_no_dead_ends_and_nothing_out_of_reach() -> None:
    assert MACHINE.faults() == []


def test_a_contest_begins_with_its_stand_and_nobody() -> None:
    state = begin("stand/001-2027/12")
    assert (state.edital, state.stand, state.status) == ("001-2027", 12, Status.NONE)
    assert (state.best, state.ranking()) == (None, ())


def test_among_equals_the_first_registered_ranks_first_though_the_rules_admit_no_equals() -> None:
    facts = (*opening(TERMS), placed(1, "BIA", 1000), placed(2, "ANA", 1000), placed(3, "CAIO", 1000))
    assert [line.bidder for line in folded(*facts).ranking()] == ["BIA", "ANA", "CAIO"]
    best = folded(*facts).best
    assert best is not None
    assert best.bidder == "BIA"


def test_the_clock_refuses_to_shrink() -> None:
    with pytest.raises(AssertionError, match="the clock shrank"):
        folded(*opening(TERMS), placed(1, "ANA", 1000, END - MICROSECOND))


def test_a_suspended_contest_has_no_end_until_it_goes_on() -> None:
    state = folded(*opening(TERMS), ContestSuspended("queda", NOON, 42))
    assert (state.closes_at, state.remaining_us, state.status) == (None, 42, Status.SUSPENDED)
    with pytest.raises(AssertionError):
        evolve(state, placed(1, "ANA", 1000))


# --- played ----------------------------------------------------------------------------------------------------------

terms = st.builds(
    BidTerms,
    floor=st.integers(1, 20).map(Money.reais),
    step=st.sampled_from([1, 100, 250]).map(Money),
    open_stage_seconds=st.just(600),
    window_seconds=st.sampled_from([0, 1, 120]),
    withdraw_seconds=st.sampled_from([0, 15]),
    anchor=st.sampled_from(["instante_do_lance", "fim_do_periodo"]),
    whole_reais=st.booleans(),
)
MOVES = ("bid over", "bid over", "bid own", "bid floor", "bid equal", "withdraw", "withdraw", "close")
moves = st.lists(
    st.tuples(
        st.sampled_from(MOVES),
        st.sampled_from(BIDDERS),
        st.sampled_from([0, 0, 0, -101, -100, -1, 1, 99, 100]),  # centavos beside the edge
        # Microseconds later, or near the end; mostly soon, or the contest is over before it has begun.
        st.sampled_from([0] * 12 + [1, 15_000_000, 15_000_001, "end - 1", "end"]),
    ),
    min_size=8,
    max_size=40,
)


def amount(state: Contest, move: str, bidder: Pseudonym, by: int) -> Money:
    """Centavos around an edge of the contest as it stands."""
    assert state.terms is not None
    best, own, step = state.best, state.standing.get(bidder), state.terms.step
    bases = {
        "bid over": best.amount + step if best else state.terms.floor,
        "bid own": own.amount + step if own else state.terms.floor,
        "bid equal": Money(max(state.amounts, default=100)),
        "bid floor": state.terms.floor,
    }
    return Money(max(0, bases[move].centavos + by))


def play(
    agreed: BidTerms, steps: list[tuple[str, Pseudonym, int, int | str]]
) -> Iterator[tuple[Any, Contest, Any, Contest]]:
    """Each command with the state before it, the Outcome of it, and the state after it."""
    facts, now, state = opening(agreed), NOON, folded(*opening(agreed))
    for move, bidder, by, later in steps:
        at = now + (later if isinstance(later, int) else 0) * MICROSECOND
        if isinstance(later, str) and state.closes_at is not None:
            at = max(at, state.closes_at - (MICROSECOND if later == "end - 1" else 0 * MICROSECOND))
        if move == "close":
            command: Any = CloseStand(EDITAL, STAND)
        elif move == "withdraw":
            command = WithdrawBid(EDITAL, STAND, bidder)
        else:
            command = PlaceBid(EDITAL, STAND, bidder, amount(state, move, bidder, by))
        outcome = given(*facts).when(command, at=at)
        yield command, state, outcome, outcome.state
        facts, state = (*facts, *outcome.facts), outcome.state
        now = at if outcome.facts else now  # who was late does not end it for the others


@examples(agreed=terms, steps=moves)
def test_the_leader_strictly_rises_by_at_least_a_step_but_for_withdrawals(agreed: BidTerms, steps: Any) -> None:
    for command, before, outcome, after in play(agreed, steps):
        if not isinstance(command, PlaceBid) or outcome.refusal:
            continue
        (fact,) = outcome.facts
        if fact.leads:
            assert before.best is None or after.best.amount >= before.best.amount + agreed.step
            assert after.best.bidder == command.bidder
        else:
            assert after.best == before.best
        assert fact.amount >= agreed.floor
        if command.bidder in before.standing:
            assert fact.amount >= before.standing[command.bidder].amount + agreed.step
        assert fact.number == before.bids + 1


@examples(agreed=terms, steps=moves)
def test_the_clock_never_shrinks_and_no_lance_counts_at_its_end_or_after(agreed: BidTerms, steps: Any) -> None:
    for _, before, outcome, after in play(agreed, steps):
        if before.closes_at is not None and after.closes_at is not None:
            assert after.closes_at >= before.closes_at
        for fact in outcome.facts:
            if isinstance(fact, BidPlaced):
                assert fact.at < before.closes_at <= fact.closes_at
                assert agreed.anchor == "fim_do_periodo" or fact.closes_at >= fact.at + agreed.window_seconds * SECOND


@examples(agreed=terms, steps=moves)
def test_the_ranking_is_a_permutation_of_who_stands_with_falling_amounts_and_no_equals(
    agreed: BidTerms, steps: Any
) -> None:
    for *_, after in play(agreed, steps):
        ranking = after.ranking()
        amounts = [line.amount.centavos for line in ranking]
        assert sorted(line.bidder for line in ranking) == sorted(after.standing)
        assert amounts == sorted(set(amounts), reverse=True)
        assert [line.place for line in ranking] == list(range(1, len(ranking) + 1))
        assert (ranking[0].bidder if ranking else None) == (after.best.bidder if after.best else None)


@examples(agreed=terms, steps=moves)
def test_a_refusal_changes_nothing_and_the_amount_that_it_names_would_pass(agreed: BidTerms, steps: Any) -> None:
    if agreed.whole_reais and agreed.step.centavos % 100:
        return  # an edital with such terms is refused
    facts, now = opening(agreed), NOON
    for command, before, outcome, after in play(agreed, steps):
        if outcome.refusal is None:
            facts = (*facts, *outcome.facts)
            now = max([now, *(fact.at for fact in outcome.facts if isinstance(fact, BidPlaced))])
            continue
        assert after == before
        if outcome.refusal.passes and before.status is Status.CONTESTED:
            named = parse_brl(outcome.refusal.passes.removesuffix(" ou mais"))
            again = given(*facts).when(PlaceBid(EDITAL, STAND, command.bidder, named), at=now)
            assert again.refusal is None, f"{outcome.refusal} but {named}: {again.refusal}"


@examples(agreed=terms, steps=moves)
def test_nobody_withdraws_twice_and_a_withdrawn_lance_leaves_the_contest_as_it_was(
    agreed: BidTerms, steps: Any
) -> None:
    withdrawn: list[Pseudonym] = []
    for _, before, outcome, after in play(agreed, steps):
        for fact in outcome.facts:
            if isinstance(fact, BidWithdrawn):
                withdrawn.append(fact.bidder)
                gone = before.standing[fact.bidder]
                assert after.standing.get(fact.bidder) == gone.below
                assert after.amounts == before.amounts - {gone.amount.centavos}
                assert gone.number == fact.number
    assert len(withdrawn) == len(set(withdrawn))
