"""Real processes for the tests that need them: forked from a clean server that has imported everything once.

A child costs some hundredths of a second instead of a second, so that hundreds of them can be killed. What children
run stands here, because a process finds its work by the name of a module.
"""

from __future__ import annotations

import json
import multiprocessing
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import Any

from tender.acts import Refusal
from tender.clock import FrozenClock, SystemClock
from tender.deadlines import Ticker
from tests.abacus import Abacus
from tests.town import FLOOR, STEP, Somebody, Town

PATIENCE = 60.0  # seconds until a test says that a child will never come


def context() -> ForkServerContext:
    """The server of this run; started when the first child is asked for, gone when we are."""
    found = multiprocessing.get_context("forkserver")
    # `pytest` because children look into our main program, `psycopg` because the driver is imported late.
    found.set_forkserver_preload(["pytest", "psycopg", "sqlalchemy.dialects.sqlite", __name__])
    return found


@contextmanager
def children(work: Callable[..., None], *each: Sequence[Any]) -> Iterator[list[ForkServerProcess]]:
    """Run `work(*arguments)` in one process for each set of arguments; at the end all must have ended well."""
    started = [context().Process(target=work, args=tuple(arguments), daemon=True) for arguments in each]
    for one in started:
        one.start()
    try:
        yield started
        for one in started:
            one.join(PATIENCE)
        assert [one.exitcode for one in started] == [0] * len(started)
    finally:
        for one in started:
            one.kill()
            one.join()
            one.close()


def tick_the_abacus(url: str, together: Any, until: datetime) -> None:
    """Tick with a desk of one's own until an hour has passed and nothing is due any more."""
    abacus = Abacus(url, SystemClock(), create=False)
    abacus.desk.start()
    ticker = Ticker(abacus.engine, abacus.clock, abacus.rows, abacus.desk.perform, lambda gap: None)
    together.wait(PATIENCE)
    while abacus.clock.now() < until or abacus.rows.due(abacus.clock.now()):
        ticker.tick()
    abacus.close()


def wake_up_in_town(url: str, folder: Path, together: Any, now: datetime) -> None:
    """Start at an hour, together with another process, after an outage."""
    town = Town(url, folder, FrozenClock(now), create=False)
    town.desk.start()
    ticker = Ticker(town.engine, town.clock, town.deadlines, town.desk.perform, town.tell)
    together.wait(PATIENCE)
    ticker.wake_up()
    town.close()


def bid_at_ones_own_door(
    url: str, folder: Path, bidders: list[Somebody], who: int, shared: list[str], lances: int, together: Any
) -> None:
    """Bid for bidder `who` at a desk of this process; now and then what the other process asks too, under the same id.

    Leaves [id, hash or code of the refusal] of each in `door-<who>.json`.
    """
    town = Town(url, folder, SystemClock(), create=False)
    town.bidders = bidders
    town.desk.start()
    told: list[tuple[str, str]] = []

    def bid(bidder: int, reais: int, name: str) -> None:
        try:
            receipt = town.desk.perform(town.bid_of(1, bidder, reais), bidders[bidder].bidder, name, wait=PATIENCE)
            told.append((name, receipt.entries[0].hash))
        except Refusal as refusal:
            told.append((name, refusal.code))

    together.wait(PATIENCE)
    for n in range(lances):
        bid(who, town.contest(1).least.centavos // 100, str(uuid.uuid4()))
        if n % (lances // len(shared)) == 0:
            turn = n // (lances // len(shared))
            bid(2, FLOOR + 7 * STEP * turn, shared[turn])
    (folder / f"door-{who}.json").write_text(json.dumps(told), "utf-8")
    town.close()
