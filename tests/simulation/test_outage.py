"""The service is away during an auction: lances stay, the clock stood still, and all the time comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tender import process
from tender.acts import SYSTEM, Actor
from tender.bidding.model import ResumeContest, Status
from tender.deadlines import OUTAGE, Gap, Ticker
from tender.edital.reads import published
from tests.town import EDITAL, MICROSECOND, SECOND, SESSION_AT, Town, terms_of

MINUTE = timedelta(minutes=1)
END = SESSION_AT + 10 * MINUTE


def tell(town: Town, gap: Gap) -> None:
    """Hand a gap on to every published edital, as the program does."""
    for command in process.outage(gap, [view.edital for view in town.look(published)]):
        town.ask(command)


def started(town: Town) -> Ticker:
    """The program starts: a fresh desk, then the ticker, which looks for an outage before anything falls due."""

    def perform(command: Any, actor: Actor, command_id: str) -> None:
        town.ask(command, actor, command_id=command_id)

    town.open_doors()
    ticker = Ticker(town.engine, town.clock, town.deadlines, perform, lambda gap: tell(town, gap))
    ticker.wake_up()
    ticker.tick()
    return ticker


def away(town: Town, length: timedelta) -> Ticker:
    """Killed now, and started again after so long."""
    town.clock.advance(length)
    return started(town)


def kinds(town: Town, kind: str) -> list[Any]:
    return [entry.fact for entry in town.entries() if entry.kind == kind]


def beat(town: Town, at: datetime, perform: Callable[..., Any] | None = None) -> None:
    """The program is there at this hour: its heart beats, and what is due is performed."""
    town.clock.set(at)

    def ask(command: Any, actor: Actor, command_id: str) -> None:
        town.ask(command, actor, command_id=command_id)

    Ticker(town.engine, town.clock, town.deadlines, perform or ask, lambda gap: None).tick()


def stuck(*asked: Any) -> None:
    """A desk that answers nobody."""
    raise RuntimeError("the disk is full")


def opened(town: Town) -> Town:
    """Stand 1 runs since nine with a lance of 9:01; the last heartbeat is of 9:02."""
    town.to_session(terms_of(stands=2), bidders=2)
    town.start(1, at=SESSION_AT)
    town.bid(1, 0, 10_000, SESSION_AT + MINUTE)
    beat(town, SESSION_AT + 2 * MINUTE)
    return town


@pytest.fixture
def everywhere(town: Town) -> Town:
    """The auction, on both databases."""
    return opened(town)


@pytest.fixture
def auction(sqlite_url: str, tmp_path: Path) -> Iterator[Town]:
    """The auction, where the database has no say."""
    town = opened(Town(sqlite_url, tmp_path))
    yield town
    town.close()


def resume(town: Town, stand: int = 1) -> None:
    town.ask(ResumeContest(EDITAL, type(town.start_of().stand)(stand)), town.pregoeiro)


def test_after_seven_minutes_away_the_time_left_is_what_it_was_at_the_last_heartbeat(everywhere: Town) -> None:
    away(everywhere, 7 * MINUTE)
    contest = everywhere.contest(1)
    assert (contest.status, contest.closes_at) == (Status.SUSPENDED, None)
    assert contest.remaining_us == 8 * 60_000_000
    (noticed,) = kinds(everywhere, "OutageNoticed")
    assert (noticed.cause, noticed.since, noticed.until) == (
        "queda", SESSION_AT + 2 * MINUTE, SESSION_AT + 9 * MINUTE,
    )  # fmt: skip
    assert everywhere.contest(2).status is Status.WAITING


def test_lances_of_before_stay_and_none_is_taken_until_it_goes_on(everywhere: Town) -> None:
    away(everywhere, 7 * MINUTE)
    assert everywhere.refused(everywhere.bid_of(1, 1, 10_200), everywhere.bidders[1].bidder).code == "pausado"
    everywhere.clock.advance(MINUTE)
    resume(everywhere)
    contest = everywhere.contest(1)
    assert contest.closes_at == everywhere.clock.now() + 8 * MINUTE
    assert (contest.leader, contest.bids) == (everywhere.bidders[0].pseudonyms[1], 1)
    everywhere.bid(1, 1, 10_200)
    everywhere.clock.set(contest.closes_at)
    assert everywhere.fall_due() == [f"stand/{EDITAL}/1:fim"]
    award = everywhere.award(1)
    assert award is not None
    assert [line.bidder for line in award.queue] == [everywhere.bidders[n].pseudonyms[1] for n in (1, 0)]


def test_a_clock_that_ran_out_during_the_outage_is_suspended_and_not_closed(auction: Town) -> None:
    # At the start the deadline of the close is long due; the outage is noticed before anything is performed.
    away(auction, 3 * 60 * MINUTE)
    assert auction.contest(1).status is Status.SUSPENDED
    assert kinds(auction, "StandClosed") == []
    assert auction.fall_due() == []
    resume(auction)
    assert auction.contest(1).closes_at == auction.clock.now() + 8 * MINUTE


def test_a_clock_that_had_run_out_before_the_outage_is_closed(auction: Town) -> None:
    beat(auction, END, perform=stuck)  # beaten at the very end, killed before the close was performed
    away(auction, 7 * MINUTE)
    assert auction.contest(1).status is Status.CLOSED
    assert [fact.since for fact in kinds(auction, "OutageNoticed")] == [END]


def test_a_clock_with_a_microsecond_left_at_the_last_heartbeat_is_suspended(auction: Town) -> None:
    beat(auction, END - MICROSECOND)
    away(auction, 7 * MINUTE)
    assert auction.contest(1).remaining_us == 1


def test_an_absence_as_short_as_allowed_changes_nothing_and_a_microsecond_more_suspends(auction: Town) -> None:
    away(auction, OUTAGE)
    assert auction.contest(1).status is Status.CONTESTED
    assert kinds(auction, "OutageNoticed") == []
    away(auction, OUTAGE + MICROSECOND)
    assert auction.contest(1).status is Status.SUSPENDED
    assert auction.contest(1).remaining_us == (END - SESSION_AT - 2 * MINUTE - OUTAGE) // MICROSECOND


def test_five_restarts_in_a_row_give_one_suspension_and_one_notice_for_each_absence(auction: Town) -> None:
    for _ in range(5):
        away(auction, MINUTE)
    noticed = kinds(auction, "OutageNoticed")
    assert [fact.until - fact.since for fact in noticed] == [MINUTE] * 5
    assert len(kinds(auction, "ContestSuspended")) == 1
    for _ in range(5):
        started(auction)
    assert len(kinds(auction, "OutageNoticed")) == 5


def test_little_time_left_becomes_a_whole_window(auction: Town) -> None:
    beat(auction, END - SECOND)
    away(auction, MINUTE)
    assert auction.contest(1).remaining_us == 1_000_000
    resume(auction)
    assert auction.contest(1).closes_at == auction.clock.now() + 2 * MINUTE


def test_calls_and_what_is_over_are_not_touched_by_an_outage(auction: Town) -> None:
    beat(auction, END)
    before = auction.award(1)
    assert before is not None
    away(auction, 60 * MINUTE)
    assert auction.award(1) == before
    assert auction.contest(1).status is Status.CLOSED
    assert kinds(auction, "ContestSuspended") == []
    assert auction.ask(auction.start_of(2), auction.pregoeiro).entries[0].actor != SYSTEM.person
