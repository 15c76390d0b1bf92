"""Forty people at a hard bell: nobody in time is told that it is closed, nobody late gets in, the book is in order.

A database lock alone keeps the total right and not the order; here each command is stamped and queued under one small
lock, and the closer stands in the same queue. The desk, its threads, the ticker and the clock are the real ones.
"""

from __future__ import annotations

import itertools
import random
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tender import verifier
from tender.acts import Refusal
from tender.bidding.model import Status
from tender.deadlines import Ticker
from tests.town import EDITAL, FLOOR, STEP, Town, live_town

THREADS, BIDDERS = 40, 10
ROUNDS = 3
PATIENCE = 60.0


@pytest.fixture
def live(database_url: str, tmp_path: Path) -> Iterator[Town]:
    """A town at this hour, desk and ticker at work; each stand is open for one second and is never extended."""
    town = live_town(database_url, tmp_path, BIDDERS, stands=ROUNDS, open_stage_seconds=1, window_seconds=0)
    ticker = Ticker(town.engine, town.clock, town.deadlines, town.desk.perform, town.tell, interval=0.005)
    ticker.start()
    yield town
    ticker.stop()
    town.close()


def together(work: Callable[[int], None]) -> None:
    """Run `work(number)` in forty threads, let go at the same moment."""
    start = threading.Barrier(THREADS)

    def run(number: int) -> None:
        start.wait(PATIENCE)
        work(number)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in threads)


class Answer(NamedTuple):
    """When a command came, its id, and what it was answered: `ok`, or the code of the refusal."""

    came: datetime
    name: str
    code: str


class Round:
    """One stand from its start to its close; what each command was answered, `ok` or the code of the refusal."""

    def __init__(self, town: Town, stand: int) -> None:
        self.town = town
        self.stand = stand
        started = town.desk.perform(town.start_of(stand), town.pregoeiro, wait=PATIENCE)
        self.closes_at: datetime = started.entries[0].fact.closes_at
        self.amounts = itertools.count(FLOOR + STEP, STEP)
        self.answers: list[Answer] = []

    def bid(self, number: int, reais: int) -> None:
        """Thread `number` bids for its bidder and waits for the answer."""
        bidder = number % BIDDERS
        before = self.town.clock.now()
        ticket = self.town.desk.enter(self.town.bid_of(self.stand, bidder, reais), self.town.bidders[bidder].bidder)
        came = ticket.arrived_at
        assert before <= came <= self.town.clock.now(), "stamped on arrival, not when somebody has time for it"
        try:
            receipt = self.town.desk.result(ticket, PATIENCE)
        except Refusal as refusal:
            self.answers.append(Answer(came, ticket.command_id, refusal.code))
        else:
            self.answers.append(Answer(came, ticket.command_id, "ok" if receipt.arrived_at == came else "another hour"))

    def bid_equal(self, number: int) -> None:
        """The floor, at once."""
        self.bid(number, FLOOR)

    def bid_near_the_end(self, number: int) -> None:
        """Four rising amounts at instants around the bell."""
        chance = random.Random(1000 * self.stand + number)
        for offset in sorted(chance.uniform(-0.12, 0.04) for _ in range(4)):
            wait = self.closes_at + timedelta(seconds=offset) - self.town.clock.now()
            time.sleep(max(0.0, wait.total_seconds()))
            self.bid(number, next(self.amounts))


def test_the_hour_of_arrival_decides_and_nothing_else_and_of_equal_amounts_one_counts(live: Town) -> None:
    for stand in range(1, ROUNDS + 1):
        round_ = Round(live, stand)
        together(round_.bid_equal)
        equal = [one.code for one in round_.answers]
        assert equal.count("ok") == 1
        assert set(equal) <= {"ok", "lance_igual", "ja_lidera"}
        assert round_.answers[equal.index("ok")].came == min(one.came for one in round_.answers)
        together(round_.bid_near_the_end)
        judge(live, stand, round_.closes_at, round_.answers)


def judge(town: Town, stand: int, closes_at: Any, answers: list[Answer]) -> None:
    """What each was answered and what the book says, against the hours at which they came."""
    assert len(answers) == THREADS * 5
    in_time = [one.code for one in answers if one.came < closes_at]
    late = [one.code for one in answers if one.came >= closes_at]
    assert in_time, "the machine was too slow for anybody to be in time"
    assert late, "nobody came late"
    assert in_time.count("encerrado") == 0
    assert set(late) == {"encerrado"}
    assert in_time.count("ok") >= 1
    while town.contest(stand).status is Status.CONTESTED:
        time.sleep(0.005)  # the closer is on its way; the test's own time limit is the judge
    entries = [entry for entry in town.entries() if entry.stream == f"stand/{EDITAL}/{stand}"]
    placed = [entry for entry in entries if entry.kind == "BidPlaced"]
    accepted = sorted(one for one in answers if one.code == "ok")
    assert [entry.at for entry in placed] == [one.came for one in accepted]
    assert {entry.command_id for entry in placed} == {one.name for one in accepted}
    assert entries[-1].kind == "StandClosed"
    assert entries[-1].at >= closes_at
    verifier.verify(iter(town.export()))
