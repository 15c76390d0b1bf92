"""Each deadline is performed once, whoever ticks and whatever breaks; gaps in the heartbeats are handed on."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import insert, select, update

from tender.acts import SYSTEM
from tender.bidding.model import Status
from tender.clock import SystemClock
from tender.deadlines import CLOCK_STEP, DUE_MAX, KEPT_BEATS, OUTAGE, Due, Gap, Ticker, deadlines, heartbeats
from tender.ledger import Entry, reading, writing
from tests.abacus import ABACUS, Abacus, Add, Clear
from tests.simulation.children import children, context, tick_the_abacus, wake_up_in_town
from tests.town import DAY, EDITAL, MICROSECOND, SECOND, SESSION_AT, Town, terms_of

STREAM = f"edital/{ABACUS}"
NOON = SESSION_AT


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


def put(abacus: Abacus, key: str, at: datetime = NOON, command: Any = None) -> None:
    with writing(abacus.engine) as tx:
        abacus.rows.set(tx, key, STREAM, at, command or Add(ABACUS, 1, key))


def ticker(abacus: Abacus, perform: Callable[..., Any] | None = None, **more: Any) -> Ticker:
    gaps: Callable[[Gap], None] = more.pop("on_gap", lambda gap: None)
    return Ticker(abacus.engine, abacus.clock, abacus.rows, perform or abacus.ask, gaps, **more)


def row(abacus: Abacus, key: str) -> Any:
    with reading(abacus.engine) as tx:
        return tx.execute(select(deadlines).where(deadlines.c.key == key)).one()


def keys(dues: list[Due]) -> list[str]:
    return [due.key for due in dues]


def book(abacus: Abacus) -> list[Entry]:
    with reading(abacus.engine) as tx:
        return list(abacus.book.entries(tx, STREAM))


# --- rows ------------------------------------------------------------------------------------------------------------


def test_a_deadline_is_due_at_its_hour_and_not_a_microsecond_before(abacus: Abacus) -> None:
    put(abacus, "a", NOON)
    assert abacus.rows.due(NOON - MICROSECOND) == []
    (due,) = abacus.rows.due(NOON)
    assert (due.key, due.stream, due.due_at, due.command, due.state) == (
        "a", STREAM, NOON, Add(ABACUS, 1, "a"), "pendente",
    )  # fmt: skip
    assert row(abacus, "a").law == "lei-724-2008#art-1"


def test_the_earliest_comes_first_and_at_most_so_many_at_once(lonely: Abacus) -> None:
    with writing(lonely.engine) as tx:
        for n in range(DUE_MAX + 5):
            lonely.rows.set(tx, f"{n:03}", STREAM, NOON - n * SECOND, Add(ABACUS, 1))
    due = keys(lonely.rows.due(NOON))
    assert due == [f"{n:03}" for n in range(DUE_MAX + 4, 4, -1)]
    with reading(lonely.engine) as tx:
        assert len(lonely.rows.of_chain(tx, STREAM)) == DUE_MAX + 5


def test_a_deadline_that_is_set_again_moves_and_is_pending_again(abacus: Abacus) -> None:
    put(abacus, "a", NOON)
    assert ticker(abacus).tick() == 1
    put(abacus, "a", NOON + SECOND)
    assert abacus.rows.due(NOON + SECOND - MICROSECOND) == []
    abacus.clock.advance(SECOND)
    assert ticker(abacus).tick() == 1
    assert [entry.body["total"] for entry in book(abacus)] == [1, 2]  # another hour, another id


def test_a_cancelled_deadline_is_never_due_but_one_performed_stays_performed(abacus: Abacus) -> None:
    put(abacus, "a", NOON)
    put(abacus, "b", NOON)
    with writing(abacus.engine) as tx:
        abacus.rows.cancel(tx, "a")
    assert ticker(abacus).tick() == 1
    with writing(abacus.engine) as tx:
        abacus.rows.cancel(tx, "b")
    assert (row(abacus, "a").state, row(abacus, "b").state) == ("cancelado", "cumprido")
    put(abacus, "a", NOON)
    assert keys(abacus.rows.due(NOON)) == ["a"]


def test_a_deadline_stands_or_falls_with_the_transaction_that_sets_it(abacus: Abacus) -> None:
    put(abacus, "a", NOON)

    def set_and_fall() -> None:
        with writing(abacus.engine) as tx:
            abacus.rows.set(tx, "a", STREAM, NOON + DAY, Add(ABACUS, 1))
            abacus.rows.set(tx, "b", STREAM, NOON, Add(ABACUS, 1))
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError):
        set_and_fall()
    assert keys(abacus.rows.due(NOON)) == ["a"]


def test_late_counts_what_is_pending_past_its_hour(abacus: Abacus) -> None:
    put(abacus, "a", NOON)
    put(abacus, "b", NOON + SECOND)
    assert [abacus.rows.late(NOON + n * MICROSECOND) for n in (-1, 0, 1)] == [0, 0, 1]
    assert abacus.rows.late(NOON + DAY) == 2
    abacus.clock.set(NOON)
    ticker(abacus).tick()
    assert abacus.rows.late(NOON + DAY) == 1


# --- performing ------------------------------------------------------------------------------------------------------


def test_what_is_performed_is_marked_with_its_hour_and_only_once(abacus: Abacus) -> None:
    put(abacus, "a", NOON - SECOND)
    assert [ticker(abacus).tick() for _ in range(3)] == [1, 0, 0]
    done = row(abacus, "a")
    assert (done.state, done.done_at, done.outcome, done.attempts) == ("cumprido", NOON, "", 0)
    assert [entry.actor for entry in book(abacus)] == ["sistema"]


def test_a_refused_deadline_is_over_and_says_why(abacus: Abacus) -> None:
    put(abacus, "a", NOON, Add(ABACUS, 101))
    put(abacus, "b", NOON, Add(ABACUS, 1))
    assert [ticker(abacus).tick() for _ in range(2)] == [1, 0]
    assert (row(abacus, "a").state, row(abacus, "a").outcome) == (
        "recusado", "São contas demais. (art. 1º da Lei nº 724/2008)",
    )  # fmt: skip
    assert row(abacus, "b").state == "cumprido"


def test_killed_between_performing_and_marking_it_is_not_performed_twice(abacus: Abacus) -> None:
    put(abacus, "a", NOON)
    put(abacus, "b", NOON)

    def perform_and_die(*asked: Any) -> None:
        abacus.ask(*asked)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ticker(abacus, perform_and_die).tick()
    assert row(abacus, "a").state == "pendente"
    abacus.restart()
    assert ticker(abacus).tick() == 2
    assert Counter(entry.command_id for entry in book(abacus)).most_common(1)[0][1] == 1
    assert len(book(abacus)) == 2
    assert row(abacus, "a").state == "cumprido"


def test_moved_while_it_was_being_performed_it_stays_pending_at_its_new_hour(abacus: Abacus) -> None:
    put(abacus, "a", NOON)

    def perform_and_move(*asked: Any) -> None:
        abacus.ask(*asked)
        put(abacus, "a", NOON + SECOND)

    ticker(abacus, perform_and_move).tick()
    assert (row(abacus, "a").state, row(abacus, "a").due_at) == ("pendente", NOON + SECOND)
    abacus.clock.advance(SECOND)
    assert ticker(abacus).tick() == 1
    assert len(book(abacus)) == 2


def test_a_fault_is_tried_again_after_longer_and_longer_waits_and_harms_no_other(lonely: Abacus) -> None:
    put(lonely, "a", NOON, Add(ABACUS, 13))
    put(lonely, "b", NOON)
    one = ticker(lonely)
    assert one.tick() == 1
    for attempt, wait in enumerate((1, 5, 30, 120, 120), start=1):
        found = row(lonely, "a")
        assert (found.state, found.attempts, found.due_at) == ("pendente", attempt, NOON)
        assert found.try_at == lonely.clock.now() + wait * SECOND
        assert found.outcome.startswith("DeskBroken: ")
        assert lonely.rows.due(found.try_at - MICROSECOND) == []
        lonely.clock.set(found.try_at)
        one._last = None  # the hour was moved on by the test, not by a faulty clock
        one.tick()
    assert lonely.rows.late(lonely.clock.now()) == 1


def test_a_fault_told_late_changes_nothing_of_what_another_process_did_meanwhile(lonely: Abacus) -> None:
    put(lonely, "a", NOON)
    (due,) = lonely.rows.due(NOON)
    ticker(lonely).tick()
    lonely.rows.postpone(due, "StillWaiting")
    assert (row(lonely, "a").state, row(lonely, "a").outcome, row(lonely, "a").attempts) == ("cumprido", "", 0)


def test_a_row_that_this_version_cannot_read_keeps_no_other_from_being_performed(abacus: Abacus) -> None:
    for n, broken in enumerate(({"command": "OfAnotherVersion"}, {"body": "{"}, {"body": '{"edital":5}'})):
        put(abacus, f"broken-{n}", NOON - SECOND)
        with writing(abacus.engine) as tx:
            tx.execute(update(deadlines).where(deadlines.c.key == f"broken-{n}").values(broken))
    put(abacus, "a", NOON)
    assert ticker(abacus).tick() == 1
    assert {row(abacus, f"broken-{n}").attempts for n in range(3)} == {1}
    assert row(abacus, "broken-0").outcome == "KeyError: 'OfAnotherVersion'"
    assert abacus.rows.late(NOON + SECOND) == 3  # the health page goes on showing them


def test_the_id_of_a_deadline_is_the_same_in_every_process_and_another_at_another_hour() -> None:
    one = Due("stand/001-2027/1:fim", STREAM, NOON, Clear(ABACUS))
    assert one.command_id == "c2fe9345-89da-5988-9ba4-28d5aaad4a79"
    assert one.command_id == Due(one.key, "", NOON, None).command_id
    assert one.command_id != Due(one.key, STREAM, NOON + MICROSECOND, one.command).command_id
    assert one.command_id != Due("stand/001-2027/2:fim", STREAM, NOON, one.command).command_id


def test_three_processes_that_tick_at_once_perform_each_deadline_once(database_url: str) -> None:
    clock = SystemClock()
    abacus = Abacus(database_url, clock)
    start = clock.now() + 2 * SECOND
    for n in range(40):
        put(abacus, f"{n:02}", start + (n // 4) * timedelta(milliseconds=100))
    together = context().Barrier(3)
    with children(tick_the_abacus, *[(database_url, together, start + SECOND)] * 3):
        pass
    entries = book(abacus)
    assert [entry.body["total"] for entry in entries] == list(range(1, 41))
    assert len({entry.command_id for entry in entries}) == 40
    assert {row(abacus, f"{n:02}").state for n in range(40)} == {"cumprido"}
    with reading(abacus.engine) as tx:
        assert len(tx.execute(select(heartbeats)).all()) == 3
    abacus.close()


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
