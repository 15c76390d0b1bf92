"""The calendar of a body: which days have expediente, and on which day a term ends.

A `Calendar` is a value: it arrives as plain data, answers only for the years it holds and knows no hour but its own
expediente. Where the law can be read in two ways both are here and the caller says which. Paragraphs cited alone are of
art. 183 of Lei 14.133/2021.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from enum import StrEnum
from functools import cached_property
from hashlib import sha256
from typing import Any, Final

from tender.law import L14133, Citation

ONE_DAY: Final = timedelta(days=1)


# --- how doubtful provisions are read ----------------------------------------------------------


class StartReading(StrEnum):
    """Which day a term that runs from an availability on the internet begins to count after (§ 1, I)."""

    R1 = "R1"
    R2 = "R2"

    @property
    def law(self) -> Citation:
        """The provision that is read."""
        return L14133(183, 1, "I")

    @property
    def says_pt(self) -> str:
        """The reading in one sentence, for the edital."""
        if self is StartReading.R1:
            return "o dia da disponibilização é o dia do começo: o dia 1 é o primeiro dia útil seguinte"
        return "o primeiro dia útil seguinte à disponibilização é o dia do começo: o dia 1 é o segundo dia útil"


class BeforeReading(StrEnum):
    """How "até n dias úteis antes" of the opening is counted (art. 164)."""

    B1 = "B1"
    B2 = "B2"

    @property
    def law(self) -> Citation:
        """The provision that is read."""
        return L14133(164)

    @property
    def says_pt(self) -> str:
        """The reading in one sentence, for the edital."""
        if self is BeforeReading.B1:
            return "o último dia é o n-ésimo dia útil antes da abertura, inclusive"
        return "entre o último dia e a abertura há n dias úteis inteiros"


R1: Final = StartReading.R1
R2: Final = StartReading.R2
B1: Final = BeforeReading.B1
B2: Final = BeforeReading.B2
DEFAULT_START: Final = R2
"""The longer term: to be taken where the edital is silent and the term protects whoever takes part."""
DEFAULT_BEFORE: Final = B1
"""The later last day: to be taken where the edital is silent, for questions and challenges."""


# --- the calendar ------------------------------------------------------------------------------


class CalendarError(ValueError):
    """The calendar cannot answer, or its data are wrong. Portuguese."""


class ClosureKind(StrEnum):
    NATIONAL = "nacional"
    STATE = "estadual"
    MUNICIPAL = "municipal"
    OPTIONAL = "facultativo"


@dataclass(frozen=True, order=True, slots=True)
class Closure:
    """A day without expediente or, with `closes`, one whose expediente ends at that hour, before the usual one."""

    day: date
    name: str
    kind: ClosureKind
    source: str
    confirmed: bool
    closes: time | None = None


@dataclass(frozen=True)
class Calendar:
    """The days with expediente of one body, from `first` to `last`, and its usual hours in Brasília.

    Monday to Friday, less the closures. Methods take and return days of Brasília; CalendarError outside the range.
    """

    entity: str
    first: date
    last: date
    opens: time
    closes: time
    closures: tuple[Closure, ...]
    confirmed: bool

    def __post_init__(self) -> None:
        object.__setattr__(self, "closures", tuple(sorted(self.closures, key=lambda closure: closure.day)))
        days = [closure.day for closure in self.closures]
        if self.first > self.last or self.opens >= self.closes:
            raise CalendarError("o calendário termina antes de começar; confira as datas e as horas do expediente")
        for closure in self.closures:
            if days.count(closure.day) > 1:
                raise CalendarError(f"o dia {closure.day:%d/%m/%Y} está duas vezes no calendário")
            if not self.first <= closure.day <= self.last:
                raise CalendarError(f"o dia {closure.day:%d/%m/%Y} está fora do período do calendário")
            if not closure.name or not closure.source:
                raise CalendarError(f"o dia {closure.day:%d/%m/%Y} precisa do nome e da lei ou do decreto")
            if closure.closes and not self.opens < closure.closes < self.closes:
                raise CalendarError(f"em {closure.day:%d/%m/%Y} o expediente não se encerra antes da hora normal")

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Calendar:
        """From plain data (ISO days, "HH:MM" hours) as in static/calendar/; CalendarError if something is missing."""
        try:
            return cls(
                entity=data["entity"],
                first=date.fromisoformat(data["first"]),
                last=date.fromisoformat(data["last"]),
                opens=time.fromisoformat(data["opens"]),
                closes=time.fromisoformat(data["closes"]),
                closures=tuple(_closure(row) for row in data["closures"]),
                confirmed=data["confirmed"] is True,
            )
        except CalendarError:
            raise
        except KeyError as missing:
            raise CalendarError(f"falta o campo {missing} no calendário") from None
        except (TypeError, ValueError) as wrong:
            raise CalendarError(f"dado ilegível no calendário: {wrong}") from None

    def to_plain(self) -> dict[str, Any]:
        """The data `from_plain` takes, so that an edital can keep the calendar it was published with."""
        return {
            "entity": self.entity,
            "confirmed": self.confirmed,
            "first": self.first.isoformat(),
            "last": self.last.isoformat(),
            "opens": f"{self.opens:%H:%M}",
            "closes": f"{self.closes:%H:%M}",
            "closures": [_plain_closure(closure) for closure in self.closures],
        }

    @cached_property
    def frozen_version(self) -> str:
        """A name for exactly this content: the same data have it on every machine, any change gives another."""
        rows = [[self.entity, self.confirmed, self.first, self.last, self.opens, self.closes]]
        rows += [[c.day, c.name, c.kind.value, c.source, c.confirmed, c.closes] for c in self.closures]
        fields = [str(field) for row in rows for field in row]
        return sha256("".join(f"{len(field)}:{field}," for field in fields).encode()).hexdigest()[:16]

    def amended(self, *closures: Closure) -> Calendar:
        """The calendar after a decree: its closures added, or put in place of those of the same day.

        Terms already running keep the later of their two ends: `extend_only`.
        """
        days = {closure.day for closure in closures}
        kept = tuple(closure for closure in self.closures if closure.day not in days)
        return replace(self, closures=kept + closures)

    def unconfirmed(self, first: date, last: date) -> tuple[Closure, ...]:
        """Closures of these days whose law or decree nobody has confirmed yet."""
        return tuple(c for c in self.closures if first <= c.day <= last and not c.confirmed)

    def closure(self, day: date) -> Closure | None:
        """Why a day has no expediente, or ends early; None for an ordinary day and for plain weekends."""
        self._answers_for(day)
        return self._by_day.get(day)

    def is_business_day(self, day: date) -> bool:
        """Whether there is expediente that day, be it a short one."""
        self._answers_for(day)
        return day in self._places

    def next_business_day(self, day: date) -> date:
        """The first business day after `day`."""
        return self._at(self._count_through(day) + 1)

    def last_business_day_before(self, day: date) -> date:
        """The last business day before `day`: where answers to challenges must end (art. 164, parágrafo único)."""
        return self._at(self._count_through(day - ONE_DAY))

    def add_business_days(self, start: date, n: int, reading: StartReading, outages: Collection[date] = ()) -> date:
        """The last day of a term of `n` business days from what became available on `start`, settled (§ 2)."""
        _at_least_one(n)
        before = self._count_through(self._start(start, reading))
        return self.settle(self._at(before + n), outages)

    def add_calendar_days(self, start: date, n: int, reading: StartReading, outages: Collection[date] = ()) -> date:
        """The last day of a term of `n` calendar days, settled (§ 2)."""
        _at_least_one(n)
        return self.settle(self._start(start, reading) + n * ONE_DAY, outages)

    def business_days_before(self, opening: date, n: int, reading: BeforeReading) -> date:
        """The last day for what must come "até n dias úteis antes" of `opening`.

        Not settled: the edital prints it as a date. An outage on it moves it on: `settle(day, outages)`.
        """
        _at_least_one(n)
        back = n if reading is BeforeReading.B1 else n + 1
        return self._at(self._count_through(opening - ONE_DAY) - back + 1)

    def earliest_opening(self, made_public: date, n: int, reading: StartReading, on_last_day: bool = False) -> date:
        """The first day the session may open with `n` business days of publicity (art. 55): after the last of them."""
        last = self.add_business_days(made_public, n, reading)
        return last if on_last_day else self.next_business_day(last)

    def settle(self, day: date, outages: Collection[date] = ()) -> date:
        """Where a term that falls on `day` ends: moved on while there is no expediente, it closes early, or the
        electronic communication was unavailable (`outages`, days) (§ 2)."""
        while not self.is_business_day(day) or day in self._by_day or day in outages:
            day = self.next_business_day(day)
        return day

    @cached_property
    def _by_day(self) -> dict[date, Closure]:
        return {closure.day: closure for closure in self.closures}

    @cached_property
    def _business_days(self) -> list[date]:
        every = (self.first + n * ONE_DAY for n in range((self.last - self.first).days + 1))
        closed = {closure.day for closure in self.closures if closure.closes is None}
        return [day for day in every if day.weekday() < 5 and day not in closed]

    @cached_property
    def _places(self) -> dict[date, int]:
        return {day: place for place, day in enumerate(self._business_days, start=1)}

    def _count_through(self, day: date) -> int:
        """How many business days there are from the first of the calendar through `day`."""
        self._answers_for(day)
        return self._places.get(day) or bisect_left(self._business_days, day)

    def _at(self, place: int) -> date:
        if not 1 <= place <= len(self._business_days):
            raise self._out_of_range()
        return self._business_days[place - 1]

    def _start(self, start: date, reading: StartReading) -> date:
        return start if reading is StartReading.R1 else self.next_business_day(start)

    def _answers_for(self, day: date) -> None:
        if not self.first <= day <= self.last:
            raise self._out_of_range()

    def _out_of_range(self) -> CalendarError:
        return CalendarError(
            f"o calendário de expediente só vai de {self.first:%d/%m/%Y} a {self.last:%d/%m/%Y}; complete-o antes"
        )


def _at_least_one(n: int) -> None:
    if n < 1:
        raise ValueError("a term has at least one day")


def _closure(row: Mapping[str, Any]) -> Closure:
    unknown = set(row) - {"day", "name", "kind", "source", "confirmed", "closes"}
    if unknown:
        # A misspelt "closes" must not turn a short day into a day without expediente.
        raise CalendarError(f"campo desconhecido no calendário: {', '.join(sorted(unknown))}")
    return Closure(
        day=date.fromisoformat(row["day"]),
        name=row["name"],
        kind=ClosureKind(row["kind"]),
        source=row["source"],
        confirmed=row["confirmed"] is True,
        closes=time.fromisoformat(row["closes"]) if "closes" in row else None,
    )


def _plain_closure(closure: Closure) -> dict[str, Any]:
    plain = {
        "day": closure.day.isoformat(),
        "name": closure.name,
        "kind": closure.kind.value,
        "source": closure.source,
        "confirmed": closure.confirmed,
    }
    return plain | ({"closes": f"{closure.closes:%H:%M}"} if closure.closes else {})
