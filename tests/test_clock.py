"""The hour: who tells it, what day it is in Brasília, how it is said."""

from __future__ import annotations

import sys
import time as machine_time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
import time_machine
from hypothesis import given
from hypothesis import strategies as st

from tender.clock import (
    BRASILIA,
    END_OF_DAY,
    FrozenClock,
    SteadyClock,
    SystemClock,
    add_months,
    add_years,
    as_utc,
    at_hour,
    day_of,
    extend_only,
    face,
    in_time,
    long_day,
    long_when,
    remaining,
    short_day,
    short_when,
)

NOON = datetime(2027, 3, 5, 15, 0, tzinfo=UTC)  # 12h in Brasília, a Friday
MICROSECOND = timedelta(microseconds=1)
instants = st.datetimes(datetime(2020, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


@pytest.fixture(params=["UTC", "America/Sao_Paulo", "Asia/Tokyo", "America/Manaus"])
def machine_zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("TZ", request.param)
    machine_time.tzset()
    yield request.param
    monkeypatch.undo()
    machine_time.tzset()


# --- clocks ------------------------------------------------------------------------------------


def test_the_system_clock_tells_the_hour_in_utc_whatever_the_machine_is_set_to(machine_zone: str) -> None:
    with time_machine.travel(NOON, tick=False):
        now = SystemClock().now()
    assert now == NOON
    assert now.tzinfo is UTC


def test_a_frozen_clock_stands_until_it_is_moved() -> None:
    clock = FrozenClock(NOON)
    assert clock.now() == clock.now() == NOON
    assert clock.advance(timedelta(seconds=1)) == clock.now() == NOON + timedelta(seconds=1)
    assert clock.advance(timedelta(0)) == NOON + timedelta(seconds=1)
    assert clock.set(NOON - timedelta(days=1)) == clock.now() == NOON - timedelta(days=1)


def test_a_frozen_clock_answers_in_utc_whatever_zone_it_was_given() -> None:
    clock = FrozenClock(datetime(2027, 3, 5, 12, 0, tzinfo=BRASILIA))
    assert clock.now() == NOON
    assert clock.now().tzinfo is UTC
    assert clock.set(datetime(2027, 3, 6, 0, 0, tzinfo=ZoneInfo("Asia/Tokyo"))).tzinfo is UTC
    assert clock.now() == NOON


def test_a_frozen_clock_does_not_advance_backwards_and_survives_being_asked() -> None:
    clock = FrozenClock(NOON)
    with pytest.raises(ValueError, match="forward only"):
        clock.advance(-MICROSECOND)
    with pytest.raises(OverflowError):
        clock.advance(timedelta.max)
    assert clock.now() == NOON


def test_a_naive_hour_is_refused_everywhere() -> None:
    naive = datetime(2027, 3, 5, 12, 0)  # noqa: DTZ001
    with pytest.raises(ValueError, match="naive"):
        FrozenClock(naive)
    with pytest.raises(ValueError, match="naive"):
        FrozenClock(NOON).set(naive)
    for ask in (as_utc, day_of, long_when, short_when, face):
        with pytest.raises(ValueError, match="naive"):
            ask(naive)
    for compare in (in_time, extend_only, remaining):
        with pytest.raises(ValueError, match="naive"):
            compare(naive, NOON)
        with pytest.raises(ValueError, match="naive"):
            compare(NOON, naive)


@pytest.fixture
def hurried_threads() -> Iterator[ThreadPoolExecutor]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(16) as pool:
            yield pool
    finally:
        sys.setswitchinterval(interval)


def test_threads_that_advance_one_clock_lose_no_time(hurried_threads: ThreadPoolExecutor) -> None:
    clock = FrozenClock(NOON)
    told = list(hurried_threads.map(lambda _: clock.advance(MICROSECOND), range(5000)))
    assert clock.now() == NOON + 5000 * MICROSECOND
    assert sorted(told) == [NOON + n * MICROSECOND for n in range(1, 5001)]


def test_a_steady_clock_never_goes_back_when_the_other_does() -> None:
    machine = FrozenClock(NOON)
    steady = SteadyClock(machine)
    assert steady.now() == NOON
    machine.set(NOON - timedelta(hours=1))
    assert steady.now() == NOON
    machine.set(NOON + MICROSECOND)
    assert steady.now() == NOON + MICROSECOND


def test_a_steady_clock_goes_on_from_the_last_hour_written() -> None:
    assert SteadyClock(FrozenClock(NOON), latest=NOON + MICROSECOND).now() == NOON + MICROSECOND
    assert SteadyClock(FrozenClock(NOON), latest=NOON - MICROSECOND).now() == NOON


def test_threads_that_ask_a_steady_clock_each_see_it_rise(hurried_threads: ThreadPoolExecutor) -> None:
    machine = FrozenClock(NOON)
    steady = SteadyClock(machine)

    def ask(n: int) -> list[datetime]:
        machine.set(NOON + n * MICROSECOND)
        return [steady.now() for _ in range(20)]

    told = list(hurried_threads.map(ask, [7 * n % 500 for n in range(500)]))
    assert all(hours == sorted(hours) for hours in told)
    machine.set(NOON - timedelta(days=1))
    assert steady.now() == max(hours[-1] for hours in told)


# --- days and hours ----------------------------------------------------------------------------


def test_the_day_turns_at_midnight_of_brasilia(machine_zone: str) -> None:
    midnight = datetime(2027, 3, 6, 3, 0, tzinfo=UTC)
    assert day_of(midnight - MICROSECOND) == date(2027, 3, 5)
    assert day_of(midnight) == date(2027, 3, 6)
    assert day_of(midnight.astimezone(ZoneInfo("Asia/Tokyo"))) == date(2027, 3, 6)


def test_until_23h59_takes_in_the_whole_last_minute(machine_zone: str) -> None:
    due = at_hour(date(2027, 3, 5))
    assert due == datetime(2027, 3, 6, 2, 59, 59, 999_999, tzinfo=UTC)
    assert due.tzinfo is UTC
    assert in_time(datetime(2027, 3, 5, 23, 59, 59, 999_999, tzinfo=BRASILIA), due)
    assert not in_time(datetime(2027, 3, 6, 0, 0, tzinfo=BRASILIA), due)


def test_until_the_end_of_the_expediente_takes_in_its_last_instant(machine_zone: str) -> None:
    due = at_hour(date(2027, 3, 5), time(17, 0))
    assert due == datetime(2027, 3, 5, 20, 0, tzinfo=UTC)
    assert in_time(due - MICROSECOND, due)
    assert in_time(due, due)
    assert not in_time(due + MICROSECOND, due)


def test_an_hour_that_came_twice_is_the_later_one() -> None:
    assert at_hour(date(2018, 2, 17)) == datetime(2018, 2, 18, 2, 59, 59, 999_999, tzinfo=UTC)


def test_there_is_no_summer_time_in_the_years_of_the_calendar() -> None:
    days = (date(2026, 1, 1) + timedelta(days=n) for n in range((date(2032, 12, 31) - date(2026, 1, 1)).days + 1))
    offsets = {datetime.combine(day, time(12), BRASILIA).utcoffset() for day in days}
    assert offsets == {timedelta(hours=-3)}


@given(instants)
def test_an_instant_lies_in_the_day_it_belongs_to(instant: datetime) -> None:
    day = day_of(instant)
    assert at_hour(day, time(0)) <= instant <= at_hour(day)
    assert at_hour(day) + MICROSECOND == at_hour(day + timedelta(days=1), time(0))


@given(instants, instants)
def test_a_later_decree_extends_and_never_shortens(old: datetime, new: datetime) -> None:
    assert extend_only(old, new) == max(old, new)
    assert extend_only(old, new) >= old


@pytest.mark.parametrize(
    ("start", "months", "end"),
    [
        ("2027-01-31", 1, "2027-02-28"),
        ("2028-01-31", 1, "2028-02-29"),
        ("2028-01-30", 1, "2028-02-29"),
        ("2027-01-28", 1, "2027-02-28"),
        ("2027-03-31", 1, "2027-04-30"),
        ("2027-12-31", 2, "2028-02-29"),
        ("2027-11-30", 1, "2027-12-30"),
        ("2027-12-01", 1, "2028-01-01"),
        ("2027-03-05", 48, "2031-03-05"),
        ("2027-03-31", -1, "2027-02-28"),
        ("2027-01-15", -12, "2026-01-15"),
        ("2027-03-05", 0, "2027-03-05"),
    ],
)
def test_months_run_date_to_date_or_to_the_last_day(start: str, months: int, end: str) -> None:
    assert add_months(date.fromisoformat(start), months) == date.fromisoformat(end)


def test_a_permit_of_four_years_ends_on_the_same_day_or_on_28_february() -> None:
    assert add_years(date(2027, 3, 5), 4) == date(2031, 3, 5)
    assert add_years(date(2028, 2, 29), 4) == date(2032, 2, 29)
    assert add_years(date(2028, 2, 29), 1) == date(2029, 2, 28)


# --- said in Portuguese ------------------------------------------------------------------------


def test_a_date_is_said_with_its_weekday_on_paper_and_on_screens() -> None:
    assert long_day(date(2027, 3, 5)) == "sexta-feira, 5 de março de 2027"
    assert short_day(date(2027, 3, 5)) == "sexta, 5 de março"
    assert long_day(date(2027, 5, 1)) == "sábado, 1º de maio de 2027"
    assert short_day(date(2027, 5, 2)) == "domingo, 2 de maio"
    assert short_day(date(2027, 5, 11)) == "terça, 11 de maio"


def test_the_seven_weekdays_and_twelve_months() -> None:
    week = [short_day(date(2027, 3, n)).split(",")[0] for n in range(1, 8)]
    assert week == ["segunda", "terça", "quarta", "quinta", "sexta", "sábado", "domingo"]
    months = " ".join(long_day(date(2027, n, 2)).split()[3] for n in range(1, 13))
    assert months == "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro"


@pytest.mark.parametrize(
    ("hour", "said"),
    [
        (time(17), "às 17h"),
        (time(17, 5), "às 17h05"),
        (time(9, 30, 59), "às 9h30"),
        (time(0), "à 0h"),
        (time(1), "à 1h"),
        (time(1, 59), "à 1h59"),
        (time(2), "às 2h"),
        (END_OF_DAY, "às 23h59"),
    ],
)
def test_an_hour_is_said_in_brasilia(hour: time, said: str, machine_zone: str) -> None:
    at = at_hour(date(2027, 3, 5), hour)
    assert long_when(at) == f"sexta-feira, 5 de março de 2027, {said} (horário de Brasília)"
    assert short_when(at) == f"sexta, 5 de março, {said}"
    assert short_when(at.astimezone(timezone(timedelta(hours=9)))) == short_when(at)


def test_the_face_of_the_clock_is_cut_and_never_rounded_up() -> None:
    at = datetime(2027, 3, 5, 17, 18, 13, 42_999, tzinfo=UTC)
    assert face(at) == "14:18:13"
    assert face(at, with_ms=True) == "14:18:13,042"
    assert face(at.replace(microsecond=999_999), with_ms=True) == "14:18:13,999"
    assert face(at.replace(hour=2, minute=59, second=59)) == "23:59:59"


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (timedelta(days=9), "faltam 9 dias"),
        (timedelta(days=9) - MICROSECOND, "faltam 8 dias"),
        (timedelta(days=2), "faltam 2 dias"),
        (timedelta(days=2) - MICROSECOND, "falta 1 dia"),
        (timedelta(days=1), "falta 1 dia"),
        (timedelta(days=1) - MICROSECOND, "faltam 23 horas"),
        (timedelta(hours=1), "falta 1 hora"),
        (timedelta(hours=1) - MICROSECOND, "faltam 59 minutos"),
        (timedelta(minutes=1), "falta 1 minuto"),
        (timedelta(minutes=1) - MICROSECOND, "falta menos de 1 minuto"),
        (timedelta(0), "falta menos de 1 minuto"),
        (-MICROSECOND, "prazo encerrado"),
    ],
)
def test_what_remains_is_never_said_longer_than_it_is(left: timedelta, said: str) -> None:
    assert remaining(NOON, NOON + left) == said
