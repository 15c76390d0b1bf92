"""Counting tries: any span, every process, and nothing kept longer than it counts."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from sqlalchemy import Engine, func, select

from tender.clock import FrozenClock
from tender.ledger import reading, writing
from tender.people import People, TooManyTries
from tender.people.rates import Limit
from tender.people.tables import rates
from tests.people.made import HOME

THREE = Limit("teste", 3, timedelta(minutes=10))
OTHER = Limit("outro", 1, timedelta(minutes=30))


def take(people: People, *tries: tuple[Limit, str]) -> list[str]:
    with writing(people.engine) as tx:
        return people.rates.take(tx, people.now(), tries)


def test_the_span_slides_so_that_no_two_spans_meet_at_an_edge(people: People, clock: FrozenClock) -> None:
    for _ in range(3):
        take(people, (THREE, "a"))
        clock.advance(timedelta(minutes=3))
    with pytest.raises(TooManyTries) as slowed:
        take(people, (THREE, "a"))
    assert slowed.value.retry_at - clock.now() == timedelta(minutes=1)
    assert slowed.value.seconds == 60
    assert "1 minuto)" in slowed.value.reason
    clock.advance(timedelta(minutes=1))
    take(people, (THREE, "a"))
    with pytest.raises(TooManyTries):
        take(people, (THREE, "a"))


def test_keys_and_scopes_count_apart_and_what_is_given_back_does_not_count(people: People, engine: Engine) -> None:
    taken = [take(people, (THREE, "a")) for _ in range(3)]
    take(people, (THREE, "b"))
    with writing(engine) as tx:
        people.rates.give_back(tx, taken[1])
    take(people, (THREE, "a"))
    with pytest.raises(TooManyTries):
        take(people, (THREE, "a"))


def test_when_one_of_several_is_full_none_is_counted_and_the_longest_wait_is_said(
    people: People, clock: FrozenClock, engine: Engine
) -> None:
    for _ in range(3):
        take(people, (THREE, "a"))
    take(people, (OTHER, "a"))
    with pytest.raises(TooManyTries) as slowed:
        take(people, (THREE, "a"), (OTHER, "a"))
    assert slowed.value.retry_at - clock.now() == timedelta(minutes=30)
    with pytest.raises(TooManyTries):
        take(people, (THREE, "a"), (OTHER, "b"))
    take(people, (OTHER, "b"))


def test_what_no_longer_counts_is_not_kept_and_no_key_can_be_read(
    people: People, clock: FrozenClock, engine: Engine
) -> None:
    take(people, (THREE, HOME))
    with reading(engine) as tx:
        assert HOME not in str(tx.execute(select(rates)).one())
    clock.advance(timedelta(hours=1))
    take(people, (THREE, "b"))
    with reading(engine) as tx:
        assert tx.execute(select(func.count()).select_from(rates)).scalar() == 1


def test_the_time_to_try_again_is_never_said_too_early(people: People, clock: FrozenClock) -> None:
    clock.advance(timedelta(seconds=30))
    for _ in range(3):
        take(people, (THREE, "a"))
    with pytest.raises(TooManyTries, match="14h11"):  # free at 14:10:30
        take(people, (THREE, "a"))


def test_tries_side_by_side_all_count(people: People) -> None:
    heard: list[bool] = []
    start = threading.Barrier(8)

    def attempt() -> None:
        start.wait()
        try:
            take(people, (THREE, "a"))
            heard.append(True)
        except TooManyTries:
            heard.append(False)

    threads = [threading.Thread(target=attempt) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(heard) == [False] * 5 + [True] * 3
