"""First come, first served: hours never go backwards, order is kept under threads, and nobody is let in too many."""

from __future__ import annotations

import threading
import uuid
from datetime import UTC, datetime, timedelta

import pytest

from tender.acts import ANYONE
from tender.clock import FrozenClock, SystemClock
from tender.door import Door, DoorClosed

NOON = datetime(2027, 3, 5, 15, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


def test_a_ticket_carries_who_asks_what_and_the_hour_of_arrival(clock: FrozenClock) -> None:
    ticket = Door(clock).enter("a command", ANYONE, "an id")
    assert (ticket.command, ticket.actor, ticket.command_id, ticket.arrived_at) == ("a command", ANYONE, "an id", NOON)
    assert not ticket.answer.done()


def test_who_brings_no_id_is_given_one_of_their_own(clock: FrozenClock) -> None:
    door = Door(clock)
    ids = {door.enter(None, ANYONE).command_id for _ in range(3)}
    assert len(ids) == 3
    assert all(str(uuid.UUID(one)) == one for one in ids)


def test_hours_never_go_backwards_when_the_clock_does(clock: FrozenClock) -> None:
    door = Door(clock)
    hours = []
    for step in (SECOND, -SECOND, -SECOND, timedelta(hours=-1), timedelta(hours=1), 3 * SECOND):
        clock.set(clock.now() + step)
        hours.append(door.enter(None, ANYONE).arrived_at - NOON)
    assert hours == [SECOND, SECOND, SECOND, SECOND, SECOND, SECOND * 2]


def test_who_comes_first_is_taken_first_and_at_most_so_many(clock: FrozenClock) -> None:
    door = Door(clock)
    for number in range(5):
        door.enter(number, ANYONE)
    assert [one.command for one in door.take(3)] == [0, 1, 2]
    assert door.waiting() == 2
    assert [one.command for one in door.take(3)] == [3, 4]
    assert door.take(3, timeout=0) == []


def test_under_threads_the_order_of_the_queue_is_the_order_of_the_hours_and_nobody_is_lost() -> None:
    door = Door(SystemClock())
    together = threading.Barrier(20)

    def come(who: int) -> None:
        together.wait()
        for number in range(200):
            door.enter((who, number), ANYONE)

    threads = [threading.Thread(target=come, args=(who,)) for who in range(20)]
    for thread in threads:
        thread.start()
    taken = []
    while len(taken) < 4000:
        taken += door.take(256, timeout=5)
    for thread in threads:
        thread.join()
    hours = [one.arrived_at for one in taken]
    assert hours == sorted(hours)
    for who in range(20):
        assert [one.command[1] for one in taken if one.command[0] == who] == list(range(200))


def test_the_last_who_fits_is_let_in_and_the_next_is_told_that_nothing_was_taken(clock: FrozenClock) -> None:
    door = Door(clock, waiting_max=2)
    door.enter(1, ANYONE)
    door.enter(2, ANYONE)
    with pytest.raises(DoorClosed, match="nada foi registrado"):
        door.enter(3, ANYONE)
    door.take(1)
    door.enter(4, ANYONE)
    assert [one.command for one in door.take(9)] == [2, 4]


def test_a_closed_door_lets_nobody_in_and_still_hands_out_who_waits(clock: FrozenClock) -> None:
    door = Door(clock)
    door.enter(1, ANYONE)
    assert door.is_open
    door.close()
    assert not door.is_open
    with pytest.raises(DoorClosed, match="fechando"):
        door.enter(2, ANYONE)
    assert [one.command for one in door.take(9)] == [1]
    assert door.take(9, timeout=60) == []  # at once: nobody can come any more


def test_who_waits_at_the_door_wakes_when_somebody_comes_and_when_it_closes(clock: FrozenClock) -> None:
    door = Door(clock)
    taken: list[list[object]] = []

    def clerk() -> None:
        while batch := door.take(9, timeout=60):
            taken.append([one.command for one in batch])

    thread = threading.Thread(target=clerk)
    thread.start()
    door.enter(1, ANYONE)
    while not taken:  # the test's own time limit is the judge
        threading.Event().wait(0.005)
    door.close()
    thread.join(timeout=30)
    assert not thread.is_alive()
    assert taken == [[1]]
