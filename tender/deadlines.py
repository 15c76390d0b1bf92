"""Deadlines as rows, performed by a ticker; heartbeats, and the outages that their gaps betray.

Every deadline is computed once, at the fact that starts it, and stored as an instant with its command and citation.
The rule checks the hour itself, so a late ticker changes nothing. Each (key, hour) is performed exactly once however
many processes tick, because its command id is derived from both and the desk answers an id once.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Column, Connection, Engine, Index, Integer, Table, Text, delete, func, insert, select, update

from tender import verifier
from tender.acts import COMMANDS, SYSTEM, Refusal
from tender.clock import Clock
from tender.codec import from_plain, to_plain
from tender.ledger import EPOCH, Instant, chain_of, metadata, reading, writing

log = logging.getLogger("tender.deadlines")

OUTAGE = timedelta(seconds=15)
"""A gap between heartbeats longer than this is an outage (live-auction.md § 3.7)."""
CLOCK_STEP = timedelta(seconds=2)
RETRY = (timedelta(seconds=1), timedelta(seconds=5), timedelta(seconds=30), timedelta(minutes=2))
DUE_MAX = 100
KEPT_BEATS = timedelta(days=30)
_IDS = uuid.UUID("7240724a-2008-5000-8000-000000000724")

deadlines = Table(
    "deadlines",
    metadata,
    Column("key", Text, primary_key=True),
    Column("chain", Text, nullable=False),
    Column("stream", Text, nullable=False),
    Column("due_at", Instant, nullable=False),
    Column("try_at", Instant, nullable=False),
    Column("command", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("law", Text, nullable=False),
    Column("state", Text, nullable=False),  # pendente | cumprido | recusado | cancelado
    Column("attempts", Integer, nullable=False, default=0),
    Column("done_at", Instant),
    Column("outcome", Text, nullable=False, default=""),
    Index(None, "state", "try_at"),
)

heartbeats = Table(
    "heartbeats",
    metadata,
    Column("process", Text, primary_key=True),
    Column("started_at", Instant, nullable=False),
    Column("beat_at", Instant, nullable=False),
)

PENDING, DONE, REFUSED, CANCELLED = "pendente", "cumprido", "recusado", "cancelado"


@dataclass(frozen=True, slots=True)
class Due:
    """A deadline: `key` names it within the product, `due_at` (UTC) is when `command` is to be performed."""

    key: str
    stream: str
    due_at: datetime
    command: Any
    state: str = PENDING

    @property
    def command_id(self) -> str:
        """The id under which this deadline at this hour is performed: the same in every process."""
        return str(uuid.uuid5(_IDS, f"{self.key}@{to_plain(self.due_at)}"))


@dataclass(frozen=True, slots=True)
class Gap:
    """Time during which the service was not to be trusted: from, until (UTC), and why (queda, parada, relogio)."""

    cause: str
    since: datetime
    until: datetime


class Deadlines:
    """Rows of deadlines. Methods with `tx` work inside the caller's transaction."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    def set(self, tx: Connection, key: str, stream: str, due_at: datetime, command: Any) -> None:
        """Set or move a deadline; a deadline moved is pending again."""
        values = {
            "chain": chain_of(stream),
            "stream": stream,
            "due_at": due_at,
            "try_at": due_at,
            "command": type(command).__name__,
            "body": verifier.canonical(to_plain(command)),
            "law": command.META.law.key,
            "state": PENDING,
            "attempts": 0,
            "done_at": None,
            "outcome": "",
        }
        if tx.execute(update(deadlines).where(deadlines.c.key == key).values(values)).rowcount == 0:
            tx.execute(insert(deadlines), {"key": key, **values})

    def cancel(self, tx: Connection, key: str) -> None:
        """A deadline that no longer matters."""
        pending = (deadlines.c.key == key) & (deadlines.c.state == PENDING)
        tx.execute(update(deadlines).where(pending).values(state=CANCELLED))

    def due(self, now: datetime) -> list[Due]:
        """Pending deadlines whose hour has come, earliest first, at most DUE_MAX."""
        query = select(deadlines).where(deadlines.c.state == PENDING, deadlines.c.try_at <= now)
        with reading(self._engine) as tx:
            rows = tx.execute(query.order_by(deadlines.c.due_at, deadlines.c.key).limit(DUE_MAX)).all()
        found = []
        for row in rows:
            try:
                found.append(_due(row))
            except Exception as error:
                # Written by another version of the program: it must not keep the others from being performed.
                log.exception("deadline %s cannot be read", row.key)
                self._postpone(row.key, row.due_at, f"{type(error).__name__}: {error}")
        return found

    def of_chain(self, tx: Connection, chain: str) -> list[Due]:
        """All deadlines of a chain, earliest first."""
        query = select(deadlines).where(deadlines.c.chain == chain).order_by(deadlines.c.due_at, deadlines.c.key)
        return [_due(row) for row in tx.execute(query)]

    def late(self, now: datetime) -> int:
        """How many pending deadlines are past their hour: the health page and the metrics show it."""
        query = select(func.count()).select_from(deadlines)
        with reading(self._engine) as tx:
            return tx.execute(query.where(deadlines.c.state == PENDING, deadlines.c.due_at < now)).scalar_one()

    def finish(self, due: Due, outcome: str, state: str) -> None:
        """Mark as performed, unless it was moved to another hour meanwhile."""
        same = (deadlines.c.key == due.key) & (deadlines.c.due_at == due.due_at) & (deadlines.c.state == PENDING)
        with writing(self._engine) as tx:
            tx.execute(update(deadlines).where(same).values(state=state, outcome=outcome, done_at=self._clock.now()))

    def postpone(self, due: Due, outcome: str) -> None:
        """A fault of ours: try the same hour's act again a little later, unless another process did it meanwhile."""
        self._postpone(due.key, due.due_at, outcome)

    def _postpone(self, key: str, due_at: datetime, outcome: str) -> None:
        with writing(self._engine) as tx:
            same = (deadlines.c.key == key) & (deadlines.c.due_at == due_at) & (deadlines.c.state == PENDING)
            tries = tx.execute(select(deadlines.c.attempts).where(same)).scalar() or 0
            wait = RETRY[min(tries, len(RETRY) - 1)]
            later = {"attempts": tries + 1, "try_at": self._clock.now() + wait, "outcome": outcome[:500]}
            tx.execute(update(deadlines).where(same).values(later))


def _due(row: Any) -> Due:
    command = from_plain(COMMANDS[row.command], json.loads(row.body))
    return Due(row.key, row.stream, row.due_at, command, row.state)


class Ticker:
    """Performs what is due, writes the heartbeat, notices gaps. One a process; any number of processes."""

    def __init__(
        self,
        engine: Engine,
        clock: Clock,
        rows: Deadlines,
        perform: Callable[[Any, Any, str], Any],
        on_gap: Callable[[Gap], None],
        chores: tuple[Callable[[], Any], ...] = (),
        interval: float = 0.25,
    ) -> None:
        self._engine = engine
        self._clock = clock
        self._rows = rows
        self._perform = perform
        self._on_gap = on_gap
        self._chores = chores
        self._interval = interval
        self._process = f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._last: tuple[datetime, float] | None = None
        self._last_beat = EPOCH
        self.last_tick_at: datetime | None = None

    def start(self) -> None:
        """Notice an outage before anything else happens, then tick in a thread."""
        self.wake_up()
        self._thread = threading.Thread(target=self._run, name="tender-ticker", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread; the last heartbeat stays, so that the next start knows how long we were away."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(timeout=30)

    def wake_up(self) -> None:
        """Compare with the last heartbeat of any process: a gap longer than OUTAGE is handed on as an outage.

        Beaten only afterwards: who is killed in between finds the same gap again, and so does another process that
        starts at the same time. Whoever is told must take a gap of the same beginning as the same gap.
        """
        now = self._clock.now()
        with reading(self._engine) as tx:
            last = tx.execute(select(func.max(heartbeats.c.beat_at))).scalar()
        if last is not None and now - last > OUTAGE:
            self._on_gap(Gap("queda", last, now))
        elif last is not None and last - now > CLOCK_STEP:
            self._on_gap(Gap("relogio", now, last))
        self._beat(now)

    def tick(self) -> int:
        """One round: clock, heartbeat, what is due, chores. Returns how many deadlines were performed."""
        now = self._clock.now()
        self._watch(now)
        if now - self._last_beat >= timedelta(seconds=1) or now < self._last_beat:
            self._beat(now)
        done = sum(self._one(due) for due in self._rows.due(now))
        for chore in self._chores:
            try:
                chore()
            except Exception:
                log.exception("a chore of the ticker failed")
        self.last_tick_at = now
        return done

    def _run(self) -> None:
        while not self._stopping.wait(self._interval):
            try:
                self.tick()
            except Exception:
                log.exception("a tick failed; the next one follows")

    def _watch(self, now: datetime) -> None:
        steady = time.monotonic()
        if self._last is not None:
            before, mono = self._last
            wall, passed = now - before, timedelta(seconds=steady - mono)
            if abs(wall - passed) > CLOCK_STEP:
                self._on_gap(Gap("relogio", min(before, now), max(before, now)))
            elif passed > OUTAGE:
                self._on_gap(Gap("parada", before, now))
        self._last = (now, steady)

    def _one(self, due: Due) -> int:
        try:
            self._perform(due.command, SYSTEM, due.command_id)
        except Refusal as refusal:
            # The rule checked the hour and the state itself; an early or needless deadline changes nothing.
            self._rows.finish(due, str(refusal), REFUSED)
            return 0
        except Exception as error:
            log.exception("deadline %s could not be performed", due.key)
            self._rows.postpone(due, f"{type(error).__name__}: {error}")
            return 0
        self._rows.finish(due, "", DONE)
        return 1

    def _beat(self, now: datetime) -> None:
        with writing(self._engine) as tx:
            mine = heartbeats.c.process == self._process
            if tx.execute(update(heartbeats).where(mine).values(beat_at=now)).rowcount == 0:
                tx.execute(insert(heartbeats), {"process": self._process, "started_at": now, "beat_at": now})
                tx.execute(delete(heartbeats).where(heartbeats.c.beat_at < now - KEPT_BEATS))
        self._last_beat = now
