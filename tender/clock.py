"""The hour: who tells it, and how the calendar of a municipality counts it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from queue import SimpleQueue
from typing import Protocol
from zoneinfo import ZoneInfo

BRASILIA = ZoneInfo("America/Sao_Paulo")
"""Horário de Brasília: every screen and paper shows it; nothing is stored in it."""


class Clock(Protocol):
    """Whoever can tell the hour: an aware instant in UTC."""

    def now(self) -> datetime: ...


class SystemClock:
    """The machine's clock: the only place in the product that asks for it."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class FrozenClock:
    """A clock that moves only when told to. Threads may share it."""

    def __init__(self, start: datetime) -> None:
        self._hour: SimpleQueue[datetime] = SimpleQueue()
        self._hour.put(as_utc(start))

    def now(self) -> datetime:
        return _turn(self._hour, lambda hour: hour)

    def advance(self, by: timedelta) -> datetime:
        """Move forward by `by` (never back: that is `set`) and return the new hour."""
        if by < timedelta(0):
            raise ValueError("advance goes forward only; use set() to go back")
        return _turn(self._hour, lambda hour: hour + by)

    def set(self, to: datetime) -> datetime:
        """Put the clock at `to`, forward or back, and return it in UTC."""
        instant = as_utc(to)
        return _turn(self._hour, lambda _: instant)


def as_utc(instant: datetime) -> datetime:
    """The same instant in UTC. Raises ValueError on a naive datetime: its hour is unknown."""
    if instant.utcoffset() is None:
        raise ValueError("a naive datetime has no instant: give it a time zone")
    return instant.astimezone(UTC)


def _turn(
    held: SimpleQueue[datetime], change: Callable[[datetime], datetime]
) -> datetime:
    # The hour is a baton: whoever took it out is alone with it until he puts one back.
    # A lock would say the same, but the pure modules import no `threading`.
    hour = held.get()
    try:
        hour = change(hour)
    finally:
        held.put(hour)
    return hour
