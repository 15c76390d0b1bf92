"""Heartbeats betray outages: a gap is noticed at the start or between two ticks, and handed on once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import insert, select

from tender.acts import SYSTEM
from tender.bidding.model import Status
from tender.clock import SystemClock
from tender.deadlines import CLOCK_STEP, KEPT_BEATS, OUTAGE, Gap, Ticker, heartbeats
from tender.ledger import reading, writing
from tests.abacus import ABACUS, Abacus, Clear
from tests.simulation.children import children, context, wake_up_in_town
from tests.ticking import NOON, book, put, row, ticker
from tests.town import DAY, EDITAL, MICROSECOND, SECOND, Town, terms_of


@pytest.fixture
def abacus(database_url: str) -> Iterator[Abacus]:
    made = Abacus(database_url)
    yield made
    made.close()


@pytest.fixture
def lonely(sqlite_url: str) -> Iterator[Abacus]:
    """On SQLite only: where the database has no say."""
    made = Abacus(sqlite_url)
    yield made
    made.close()


# --- heartbeats and gaps ---------------------------------------------------------------------------------------------


def beats(abacus: Abacus) -> list[tuple[datetime, datetime]]:
    with reading(abacus.engine) as tx:
        found = tx.execute(select(heartbeats).order_by(heartbeats.c.started_at, heartbeats.c.beat_at))
        return [(one.started_at, one.beat_at) for one in found]


def test_each_process_has_one_row_and_beats_once_a_second(lonely: Abacus) -> None:
    one, other = ticker(lonely), ticker(lonely)
    one.wake_up()
    lonely.clock.advance(SECOND - MICROSECOND)
    one.tick()
    assert beats(lonely) == [(NOON, NOON)]
    lonely.clock.advance(MICROSECOND)
    one.tick()
    other.wake_up()
    assert beats(lonely) == [(NOON, NOON + SECOND), (NOON + SECOND, NOON + SECOND)]
    assert one.last_tick_at == NOON + SECOND


def test_beats_of_long_ago_are_swept_away_when_a_process_starts(lonely: Abacus) -> None:
    with writing(lonely.engine) as tx:
        for n in (-1, 0, 1):
            at = NOON - KEPT_BEATS + n * MICROSECOND
            tx.execute(insert(heartbeats), {"process": str(n), "started_at": at, "beat_at": at})
    ticker(lonely).wake_up()
    assert len(beats(lonely)) == 3
    assert beats(lonely)[0][0] == NOON - KEPT_BEATS


@pytest.mark.parametrize(
    ("away", "told"),
    [
        (OUTAGE, []),
        (OUTAGE + MICROSECOND, [Gap("queda", NOON, NOON + OUTAGE + MICROSECOND)]),
        (timedelta(minutes=7), [Gap("queda", NOON, NOON + timedelta(minutes=7))]),
        (-CLOCK_STEP, []),
        (-CLOCK_STEP - MICROSECOND, [Gap("relogio", NOON - CLOCK_STEP - MICROSECOND, NOON)]),
    ],
)
def test_a_start_long_after_the_last_beat_or_before_it_hands_a_gap_on(
    lonely: Abacus, away: timedelta, told: list[Gap]
) -> None:
    gaps: list[Gap] = []
    first = ticker(lonely, on_gap=gaps.append)
    first.wake_up()
    assert gaps == []  # nobody was ever there
    lonely.clock.set(NOON + away)
    ticker(lonely, on_gap=gaps.append).wake_up()
    assert gaps == told


def test_a_process_that_starts_while_another_is_beating_finds_no_gap(lonely: Abacus) -> None:
    gaps: list[Gap] = []
    ticker(lonely).wake_up()
    lonely.clock.advance(OUTAGE)
    ticker(lonely).tick()
    lonely.clock.advance(OUTAGE)
    ticker(lonely, on_gap=gaps.append).wake_up()
    assert gaps == []


def test_killed_while_handing_a_gap_on_it_is_handed_on_at_the_next_start(lonely: Abacus) -> None:
    def die(gap: Gap) -> None:
        raise KeyboardInterrupt

    gaps: list[Gap] = []
    ticker(lonely).wake_up()
    lonely.clock.advance(DAY)
    with pytest.raises(KeyboardInterrupt):
        ticker(lonely, on_gap=die).wake_up()
    lonely.clock.advance(SECOND)
    ticker(lonely, on_gap=gaps.append).wake_up()
    assert gaps == [Gap("queda", NOON, NOON + DAY + SECOND)]


def test_of_two_processes_that_start_together_after_an_outage_one_outage_is_noted(
    database_url: str, tmp_path: Path
) -> None:
    town = Town(database_url, tmp_path)
    town.to_session(terms_of(stands=2), bidders=1)
    town.start(1)
    ticking = Ticker(town.engine, town.clock, town.deadlines, town.ask, town.tell)
    ticking.wake_up()
    last = town.clock.now()
    together = context().Barrier(2)
    hours = [last + timedelta(minutes=7, milliseconds=n * 300) for n in range(2)]
    with children(wake_up_in_town, *[(database_url, tmp_path, together, hour) for hour in hours]):
        pass
    noted = [entry for entry in town.entries() if entry.kind == "OutageNoticed"]
    assert [entry.fact.since for entry in noted] == [last]
    suspended = [entry for entry in town.entries() if entry.kind == "ContestSuspended"]
    assert [entry.fact.remaining_us for entry in suspended] == [600_000_000]
    assert (town.contest(1).status, town.contest(2).status) == (Status.SUSPENDED, Status.WAITING)
    assert town.contest(1).edital == EDITAL
    town.close()


class Steady:
    """A monotonic clock that the test moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds = 1000.0
        monkeypatch.setattr("tender.deadlines.time", SimpleNamespace(monotonic=lambda: self.seconds))


@pytest.mark.parametrize(
    ("wall", "steady", "told"),
    [
        (2.0, 0.0, []),
        (2.5, 0.0, ["relogio"]),
        (-2.0, 0.0, []),
        (-2.5, 0.0, ["relogio"]),
        (15.0, 15.0, []),
        (15.5, 15.5, ["parada"]),
        (-3600.0, 1.0, ["relogio"]),
        (3600.0, 3600.0, ["parada"]),
    ],
)
def test_between_two_ticks_a_stepped_clock_and_a_standstill_are_noticed(
    lonely: Abacus, monkeypatch: pytest.MonkeyPatch, wall: float, steady: float, told: list[str]
) -> None:
    machine = Steady(monkeypatch)
    gaps: list[Gap] = []
    one = ticker(lonely, on_gap=gaps.append)
    one.tick()
    now = lonely.clock.set(NOON + timedelta(seconds=wall))
    machine.seconds += steady
    one.tick()
    assert [gap.cause for gap in gaps] == told
    assert all((gap.since, gap.until) == (min(NOON, now), max(NOON, now)) for gap in gaps)
    one.tick()
    assert len(gaps) == len(told)  # told once


def test_a_gap_that_could_not_be_handed_on_is_handed_on_by_the_next_tick(
    lonely: Abacus, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Steady(monkeypatch)
    gaps: list[Gap] = []

    def fail_once(gap: Gap) -> None:
        gaps.append(gap)
        if len(gaps) == 1:
            raise RuntimeError("the desk is stopping")

    one = ticker(lonely, on_gap=fail_once)
    one.tick()
    lonely.clock.advance(timedelta(minutes=1))
    machine.seconds += 60
    with pytest.raises(RuntimeError):
        one.tick()
    one.tick()
    assert [(gap.cause, gap.since) for gap in gaps] == [("parada", NOON)] * 2


# --- the thread ------------------------------------------------------------------------------------------------------


def test_the_tickers_thread_performs_survives_faults_and_does_its_chores(database_url: str) -> None:
    abacus = Abacus(database_url, SystemClock())
    abacus.desk.start()
    done: list[int] = []

    def fail() -> None:
        raise RuntimeError("no post today")

    def chore() -> None:
        done.append(1)

    one = ticker(abacus, abacus.desk.perform, chores=(fail, chore), interval=0.01)
    put(abacus, "a", abacus.clock.now())
    one.start()
    while len(done) < 5 or row(abacus, "a").state != "cumprido":  # the test's own time limit is the judge
        threading.Event().wait(0.005)
    one.stop()
    seen = len(done)
    assert one.last_tick_at is not None
    assert len(book(abacus)) == 1
    assert len(done) == seen
    abacus.close()


def test_the_system_performs_deadlines(lonely: Abacus) -> None:
    asked: list[Any] = []
    put(lonely, "a", NOON, Clear(ABACUS))
    ticker(lonely, lambda *each: asked.append(each)).tick()
    assert [(command, actor) for command, actor, _ in asked] == [(Clear(ABACUS), SYSTEM)]
