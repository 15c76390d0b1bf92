"""What pages show of an award: whose turn it is, and the chain of calls with what became of each."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tender.acts import StandId
from tender.awards import reads
from tender.awards.model import AcceptAward, Moment, SignDesistencia, Status
from tender.awards.reads import AwardView
from tests.town import EDITAL, SECOND, Town

STAND = StandId(1)


@pytest.fixture
def closed(town: Town) -> Town:
    """Three bidders; the third leads, then the second, then the first; the stand has closed."""
    town.to_session(bidders=3)
    town.start(1)
    for bidder, reais in ((0, 10_000), (1, 10_200), (2, 10_400)):
        town.bid(1, bidder, reais)
    town.clock.advance(timedelta(minutes=10))
    town.fall_due()
    return town


def award(town: Town) -> AwardView:
    view = town.award()
    assert view is not None
    return view


def desist(town: Town, bidder: int) -> None:
    who = town.bidders[bidder]
    town.ask(SignDesistencia(EDITAL, STAND, who.pseudonyms[1], Moment.AT_ONCE), who.bidder)


def test_before_the_stand_closes_there_is_no_award(town: Town) -> None:
    town.to_session(bidders=1)
    town.start(1)
    assert town.award() is None


def test_the_first_placed_is_called_and_the_others_wait(closed: Town) -> None:
    view, now = award(closed), closed.clock.now()
    assert (view.status, view.place, view.ranked_at) == (Status.CALLED, 1, now)
    assert view.answer_until == now + timedelta(hours=48)
    assert [line.bidder for line in view.queue] == [closed.bidders[n].pseudonyms[1] for n in (2, 1, 0)]
    assert [line.outcome for line in view.queue] == [reads.CALLED, reads.WAITING, reads.WAITING]
    assert view.called == view.queue[0]
    assert (view.queue[0].called_at, view.queue[1].called_at) == (now, None)


def test_each_answer_is_shown_with_its_hour_and_its_entry_of_the_book(closed: Town) -> None:
    closed.clock.advance(SECOND)
    desist(closed, 2)
    gone = closed.clock.now()
    view = award(closed)
    assert [line.outcome for line in view.queue] == [reads.DESISTED, reads.CALLED, reads.WAITING]
    assert (view.queue[0].answered_at, view.place) == (gone, 2)
    assert view.answer_until == gone + timedelta(hours=48)

    closed.clock.advance(timedelta(hours=48))
    closed.fall_due()
    assert [line.outcome for line in award(closed).queue] == [reads.DESISTED, reads.LAPSED, reads.CALLED]

    last = closed.bidders[0]
    closed.ask(AcceptAward(EDITAL, STAND, last.pseudonyms[1]), last.bidder)
    view = award(closed)
    assert (view.status, view.answer_until, view.called) == (Status.ACCEPTED, None, None)
    assert [line.outcome for line in view.queue] == [reads.DESISTED, reads.LAPSED, reads.ACCEPTED]
    entries = {entry.seq: entry.kind for entry in closed.entries()}
    assert [entries[line.seq or 0] for line in view.queue] == ["DesistenciaSigned", "CallLapsed", "AwardAccepted"]


def test_when_everybody_gave_up_the_stand_has_failed(closed: Town) -> None:
    for bidder in (2, 1, 0):
        desist(closed, bidder)
    view = award(closed)
    assert (view.status, view.answer_until, view.called) == (Status.FAILED, None, None)
    assert {line.outcome for line in view.queue} == {reads.DESISTED}
    closed.clock.advance(timedelta(days=9))
    assert closed.fall_due() == []
