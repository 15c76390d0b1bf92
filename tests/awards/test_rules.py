"""The rules of the award, one story an article, both sides of each edge."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from tender.acts import Pseudonym, StandId
from tender.awards.model import (
    AcceptAward,
    AwardAccepted,
    BidderCalled,
    CallLapsed,
    DesistenciaSigned,
    LapseCall,
    Moment,
    Placed,
    RankStand,
    SignDesistencia,
    StandFailed,
    StandRanked,
    Status,
)
from tender.law import L14133, MUN
from tender.money import Money
from tests.given import NOON, Outcome, given
from tests.town import EDITAL, MICROSECOND

STAND = StandId(1)
HOURS_48 = 48 * 3600
ANA, BIA, CAIO = (Pseudonym(one) for one in ("ANA", "BIA", "CAIO"))
QUEUE = tuple(
    Placed(place, bidder, Money.reais(reais)) for place, bidder, reais in ((1, ANA, 300), (2, BIA, 200), (3, CAIO, 100))
)
UNTIL = NOON + timedelta(hours=48)


def called(place: int, until: datetime = UNTIL) -> BidderCalled:
    line = QUEUE[place - 1]
    return BidderCalled(place, line.bidder, line.amount, until)


RANKED = (StandRanked(QUEUE, HOURS_48), called(1))
ACCEPTED = AwardAccepted(1, ANA, Money.reais(300))
FAILED = (
    StandRanked(QUEUE[:1], HOURS_48),
    called(1),
    CallLapsed(1, ANA),
    StandFailed(1),
)


def accept(*facts: Any, bidder: Pseudonym = ANA, at: datetime = NOON) -> Outcome:
    return given(*facts).when(AcceptAward(EDITAL, STAND, bidder), at=at)


def desist(*facts: Any, bidder: Pseudonym = ANA, at: datetime = NOON, moment: Moment = Moment.AT_ONCE) -> Outcome:
    return given(*facts).when(SignDesistencia(EDITAL, STAND, bidder, moment), at=at)


def lapse(*facts: Any, place: int = 1, at: datetime = UNTIL) -> Outcome:
    return given(*facts).when(LapseCall(EDITAL, STAND, place), at=at)


def test_a_ranked_stand_calls_its_first_placed_at_once() -> None:
    rank = RankStand(EDITAL, STAND, QUEUE, HOURS_48)
    given().when(rank, at=NOON).then(*RANKED)
    given(*RANKED).when(rank, at=NOON).refused(MUN(4), code="ja_classificado")
    given().when(RankStand(EDITAL, STAND, (), HOURS_48)).refused(MUN(4), code="ja_classificado")


def test_the_called_bidder_accepts_before_the_last_instant_of_the_term_and_not_at_it() -> None:
    accept(*RANKED).then(ACCEPTED)
    accept(*RANKED, at=UNTIL - MICROSECOND).then(ACCEPTED)
    accept(*RANKED, at=UNTIL).refused(L14133(90), code="fora_do_prazo")


def test_only_who_is_called_answers() -> None:
    for bidder in (BIA, CAIO, Pseudonym("")):
        accept(*RANKED, bidder=bidder).refused(MUN(4, 3), code="nao_convocado")
        desist(*RANKED, bidder=bidder).refused(MUN(4, 3), code="nao_convocado")


def test_where_nobody_is_called_nobody_answers() -> None:
    for facts in ((), (*RANKED, ACCEPTED), FAILED):
        accept(*facts).refused(MUN(4, 3), code="sem_convocado")
        desist(*facts).refused(MUN(4, 3), code="sem_convocado")


@pytest.mark.parametrize("moment", list(Moment))
def test_a_desistencia_calls_the_runner_up_by_the_same_decision_at_their_own_price(moment: Moment) -> None:
    at = UNTIL - MICROSECOND
    gone = DesistenciaSigned(1, ANA, Money.reais(300), moment)
    desist(*RANKED, at=at, moment=moment).then(gone, called(2, at + timedelta(hours=48)))
    desist(*RANKED, at=UNTIL, moment=moment).refused(L14133(90), code="fora_do_prazo")


def test_silence_passes_the_turn_at_the_end_of_the_term_and_not_a_microsecond_before() -> None:
    lapse(*RANKED).then(CallLapsed(1, ANA), called(2, UNTIL + timedelta(hours=48)))
    lapse(*RANKED, at=UNTIL - MICROSECOND).refused(L14133(90), code="ainda_no_prazo")


def test_a_deadline_of_a_call_that_was_answered_changes_nothing() -> None:
    second = (*RANKED, CallLapsed(1, ANA), called(2, UNTIL + timedelta(hours=48)))
    lapse(*second, at=UNTIL + timedelta(days=9)).refused(L14133(90), code="ja_respondida")
    lapse(*RANKED, ACCEPTED).refused(L14133(90), code="ja_respondida")
    lapse().refused(L14133(90), code="ja_respondida")


def test_when_the_last_of_the_queue_gives_up_the_stand_has_failed() -> None:
    last = (*RANKED, CallLapsed(1, ANA), called(2), CallLapsed(2, BIA), called(3))
    gone = DesistenciaSigned(3, CAIO, Money.reais(100), Moment.AT_ONCE)
    assert desist(*last, bidder=CAIO).then(gone, StandFailed(3)).state.status is Status.FAILED
    lapse(*last, place=3).then(CallLapsed(3, CAIO), StandFailed(3))


@examples(
    count=st.integers(1, 8),
    answers=st.lists(st.sampled_from(["accept", "desist", "lapse"]), min_size=8, max_size=8),
)
def test_the_turn_passes_down_the_queue_one_by_one_until_somebody_accepts(count: int, answers: list[str]) -> None:
    queue = tuple(Placed(n, Pseudonym(f"P{n}"), Money.reais(1000 - n)) for n in range(1, count + 1))
    outcome = given().when(RankStand(EDITAL, STAND, queue, HOURS_48), at=NOON)
    facts, turns = list(outcome.facts), []
    for answer in answers:
        if outcome.state.status is not Status.CALLED:
            break
        assert outcome.state.called is not None
        turns.append(outcome.state.called.place)
        bidder = outcome.state.called.bidder
        match answer:
            case "accept":
                outcome = accept(*facts, bidder=bidder)
            case "desist":
                outcome = desist(*facts, bidder=bidder)
            case _:
                outcome = lapse(*facts, place=turns[-1], at=outcome.state.answer_until or NOON)
        assert outcome.refusal is None
        facts += outcome.facts
    assert turns == list(range(1, len(turns) + 1))
    stopped = answers.index("accept") + 1 if "accept" in answers else len(answers)
    assert len(turns) == min(count, stopped)
    expected = Status.ACCEPTED if stopped <= count and "accept" in answers else Status.FAILED
    assert outcome.state.status is expected
