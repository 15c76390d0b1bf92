"""The Door: first come, first served. Each command gets its hour of arrival under the same small lock that queues it.

A database lock keeps the total right, not the order: at a hard bell it tells people in time that it is closed. Here
receipt order is queue order, and the closer waits in the same queue, so that a bid that arrived before the bell is
decided before the bell. This is the Door of one process; section 5.4 of ARCHITECTURE.md describes its other home.
"""

from __future__ import annotations

import threading
import uuid
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tender.acts import Actor
from tender.clock import Clock

WAITING_MAX = 10_000


class DoorClosed(RuntimeError):
    """The desk is stopping, or too many wait: nothing was taken in; ask again later."""


@dataclass(slots=True)
class Ticket:
    """A command in the queue: who asks, when it arrived (aware UTC), and where its answer will be."""

    command: Any
    actor: Actor
    command_id: str
    arrived_at: datetime
    answer: Future[Any] = field(default_factory=Future)


class Door:
    """A first-come queue whose hours never go backwards. Safe for any number of threads."""

    def __init__(self, clock: Clock, waiting_max: int = WAITING_MAX) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._some = threading.Condition(self._lock)
        self._queue: deque[Ticket] = deque()
        self._waiting_max = waiting_max
        self._last: datetime | None = None
        self._open = True

    def enter(self, command: Any, actor: Actor, command_id: str = "") -> Ticket:
        """Stamp and queue a command. DoorClosed when stopping or when `waiting_max` already wait."""
        with self._some:
            if not self._open:
                raise DoorClosed("o balcão está fechando")
            if len(self._queue) >= self._waiting_max:
                raise DoorClosed("muitos pedidos ao mesmo tempo; nada foi registrado")
            now = self._clock.now()
            # A clock stepped back must not put a later comer before an earlier one.
            self._last = now if self._last is None or now > self._last else self._last
            ticket = Ticket(command, actor, command_id or str(uuid.uuid4()), self._last)
            self._queue.append(ticket)
            self._some.notify()
            return ticket

    def take(self, most: int, timeout: float | None = None) -> list[Ticket]:
        """The next tickets in order of arrival, at most `most`; waits for one. Empty when closed or timed out."""
        with self._some:
            if not self._queue and self._open:
                self._some.wait(timeout)
            return [self._queue.popleft() for _ in range(min(most, len(self._queue)))]

    def waiting(self) -> int:
        """How many commands are in the queue."""
        return len(self._queue)

    @property
    def is_open(self) -> bool:
        """False once `close` was called."""
        return self._open

    def close(self) -> None:
        """Let nobody in any more; who is queued will still be served."""
        with self._some:
            self._open = False
            self._some.notify_all()
