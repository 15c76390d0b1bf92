"""Each deadline is performed once, whoever ticks and whatever breaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from tender.clock import SystemClock
from tender.deadlines import DUE_MAX, Due, deadlines, heartbeats
from tender.ledger import reading, writing
from tests.abacus import ABACUS, Abacus, Add, Clear
from tests.simulation.children import children, context, tick_the_abacus
from tests.ticking import NOON, STREAM, book, keys, put, row, ticker
from tests.town import DAY, MICROSECOND, SECOND


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
