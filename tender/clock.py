"""The hour and the day: who tells it, what day it is in Brasília, how both are said in Portuguese.

Instants are aware datetimes in UTC; days are days of Brasília. Which days have expediente, and when a term ends, is in
`tender.calendars`.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from queue import SimpleQueue
from typing import Final, Protocol
from zoneinfo import ZoneInfo

BRASILIA: Final = ZoneInfo("America/Sao_Paulo")
"""Horário de Brasília: every screen and paper shows it; nothing is stored in it."""

END_OF_DAY: Final = time(23, 59, 59, 999_999)
"""A term "até 23h59" takes in the whole last minute; the next microsecond is the next day."""


# --- who tells the hour ------------------------------------------------------------------------


class Clock(Protocol):
    """Whoever can tell the hour: an aware instant in UTC."""

    def now(self) -> datetime:
        """This hour, in UTC."""
        ...


class SystemClock:
    """The machine's clock: the only place in the product that asks for it."""

    def now(self) -> datetime:
        """The machine's hour, in UTC."""
        return datetime.now(UTC)


class FrozenClock:
    """A clock that moves only when told to. Threads may share it."""

    def __init__(self, start: datetime) -> None:
        self._hour: SimpleQueue[datetime] = SimpleQueue()
        self._hour.put(as_utc(start))

    def now(self) -> datetime:
        """The hour it was last put at."""
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


class SteadyClock:
    """Another clock that never goes back: while the machine's is set back, the latest hour is repeated."""

    def __init__(self, clock: Clock, latest: datetime | None = None) -> None:
        """`latest`: the last hour already written (the head of the book), if there is one."""
        self._clock = clock
        self._latest: SimpleQueue[datetime] = SimpleQueue()
        self._latest.put(as_utc(latest) if latest else datetime.min.replace(tzinfo=UTC))

    def now(self) -> datetime:
        """The other clock's hour, or the latest one told if that is later."""
        return _turn(self._latest, lambda latest: max(latest, self._clock.now()))


def _turn(held: SimpleQueue[datetime], change: Callable[[datetime], datetime]) -> datetime:
    # The hour is a baton: whoever took it out is alone with it until he puts one back.
    # A lock would say the same, but the pure modules import no `threading`.
    hour = held.get()
    try:
        hour = change(hour)
    finally:
        held.put(hour)
    return hour


# --- instants and days -------------------------------------------------------------------------


def as_utc(instant: datetime) -> datetime:
    """The same instant in UTC. Raises ValueError on a naive datetime: its hour is unknown."""
    if instant.utcoffset() is None:
        raise ValueError("a naive datetime has no instant: give it a time zone")
    return instant.astimezone(UTC)


def day_of(instant: datetime) -> date:
    """The day it is in Brasília at an aware instant."""
    return as_utc(instant).astimezone(BRASILIA).date()


def at_hour(day: date, hour: time = END_OF_DAY) -> datetime:
    """The UTC instant of an hour of Brasília. Where the hour comes twice (the end of a summer time), the later one."""
    return datetime.combine(day, hour, BRASILIA).replace(fold=1).astimezone(UTC)


def in_time(now: datetime, due: datetime) -> bool:
    """Whether an act at `now` keeps a term that ends at `due`: the last instant still counts."""
    return as_utc(now) <= as_utc(due)


def extend_only(old_due: datetime, new_due: datetime) -> datetime:
    """The end of a running term after its calendar changed: a later decree extends it and never shortens it."""
    return max(as_utc(old_due), as_utc(new_due))


def add_months(start: date, n: int) -> date:
    """`n` months date to date; in a month without that day, its last one (Lei 14.133, art. 183 § 3).

    `Calendar.settle` moves it on where there is no expediente.
    """
    year, month = divmod(start.year * 12 + start.month - 1 + n, 12)
    return date(year, month + 1, min(start.day, monthrange(year, month + 1)[1]))


def add_years(start: date, n: int) -> date:
    """`n` years date to date; 29 February becomes the 28th where there is none."""
    return add_months(start, 12 * n)


# --- said in Portuguese ------------------------------------------------------------------------

_WEEKDAYS: Final = ("segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado", "domingo")
# fmt: off
_MONTHS: Final = (
    "janeiro", "fevereiro", "março", "abril", "maio", "junho",
    "julho", "agosto", "setembro", "outubro", "novembro", "dezembro",
)
# fmt: on


def long_day(day: date) -> str:
    """ "sexta-feira, 5 de março de 2027" (papers, editais)."""
    return f"{_WEEKDAYS[day.weekday()]}, {_day_and_month(day)} de {day.year}"


def short_day(day: date) -> str:
    """ "sexta, 5 de março" (screens)."""
    return f"{_WEEKDAYS[day.weekday()].removesuffix('-feira')}, {_day_and_month(day)}"


def long_when(instant: datetime) -> str:
    """ "sexta-feira, 5 de março de 2027, às 17h (horário de Brasília)"; `END_OF_DAY` is said "às 23h59"."""
    local = as_utc(instant).astimezone(BRASILIA)
    return f"{long_day(local.date())}, {_said_hour(local)} (horário de Brasília)"


def short_when(instant: datetime) -> str:
    """ "sexta, 5 de março, às 17h", in Brasília."""
    local = as_utc(instant).astimezone(BRASILIA)
    return f"{short_day(local.date())}, {_said_hour(local)}"


def face(instant: datetime, with_ms: bool = False) -> str:
    """ "14:18:13", or "14:18:13,042" for receipts and the ata; cut, never rounded up. In Brasília."""
    local = as_utc(instant).astimezone(BRASILIA)
    return f"{local:%H:%M:%S}" + (f",{local.microsecond // 1000:03}" if with_ms else "")


def remaining(now: datetime, due: datetime) -> str:
    """ "faltam 9 dias", "falta 1 hora", …: whole units still to run, never more than there are; "prazo encerrado"."""
    left = as_utc(due) - as_utc(now)
    if left < timedelta(0):
        return "prazo encerrado"
    for unit, name in ((timedelta(days=1), "dia"), (timedelta(hours=1), "hora"), (timedelta(minutes=1), "minuto")):
        n = left // unit
        if n:
            return f"falta 1 {name}" if n == 1 else f"faltam {n} {name}s"
    return "falta menos de 1 minuto"


def _day_and_month(day: date) -> str:
    return f"{day.day}{'º' if day.day == 1 else ''} de {_MONTHS[day.month - 1]}"


def _said_hour(local: datetime) -> str:
    minutes = f"{local.minute:02}" if local.minute else ""
    return f"{'à' if local.hour <= 1 else 'às'} {local.hour}h{minutes}"
