"""Which days count and when a term ends: tables a jurist can read, each doubtful count in both readings.

The calendar of the tables is the seed of Araporã: in 2027 Carnival is on 8 to 10 February, Good Friday on 26 March,
Corpus Christi on 27 May, all without expediente.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tender.calendars import (
    B1,
    B2,
    DEFAULT_BEFORE,
    DEFAULT_START,
    R1,
    R2,
    BeforeReading,
    Calendar,
    CalendarError,
    Closure,
    ClosureKind,
    StartReading,
)
from tender.clock import add_years, at_hour, extend_only, in_time, long_when
from tender.law import L14133

SEED: dict[str, Any] = json.loads((Path(__file__).parents[1] / "static/calendar/arapora.json").read_text("utf-8"))
ARAPORA = Calendar.from_plain(SEED)
DAY = timedelta(days=1)


def on(text: str) -> date:
    """A day written as jurists' tables write it here, with its weekday: "qui 2027-02-25"."""
    weekday, _, iso = text.rpartition(" ")
    day = date.fromisoformat(iso)
    assert weekday == ("seg", "ter", "qua", "qui", "sex", "sáb", "dom")[day.weekday()], text
    return day


def closed(day: str, name: str = "Luto oficial", closes: time | None = None) -> Closure:
    return Closure(date.fromisoformat(day), name, ClosureKind.OPTIONAL, "Decreto nº 1/2027", True, closes)


# --- the tables --------------------------------------------------------------------------------

# fmt: off
FORWARD = [
    # what runs                       business days, made public on   R1: ends on        R2: ends on
    ("publicidade do edital",             15, "seg 2027-02-01", "qui 2027-02-25", "sex 2027-02-26"),
    ("publicidade do edital",             15, "sex 2027-02-05", "qua 2027-03-03", "qui 2027-03-04"),
    ("publicidade, 21 de abril no meio",  15, "sex 2027-04-16", "seg 2027-05-10", "ter 2027-05-11"),
    ("publicidade, véspera de feriado",   15, "ter 2027-04-20", "qua 2027-05-12", "qui 2027-05-13"),
    ("razões de recurso, Carnaval",        3, "qui 2027-02-04", "sex 2027-02-12", "seg 2027-02-15"),
    ("razões de recurso, Sexta-feira Santa", 3, "qua 2027-03-24", "ter 2027-03-30", "qua 2027-03-31"),
    ("razões, ata na quinta-feira santa",  3, "qui 2027-03-25", "qua 2027-03-31", "qui 2027-04-01"),
    ("razões de recurso, 21 de abril",     3, "seg 2027-04-19", "sex 2027-04-23", "seg 2027-04-26"),
    ("razões, 20 de novembro",             3, "qua 2026-11-18", "ter 2026-11-24", "qua 2026-11-25"),
    ("contrato no PNCP, Corpus Christi",  20, "qui 2027-05-20", "sex 2027-06-18", "seg 2027-06-21"),
    ("publicado no sábado",                1, "sáb 2027-03-06", "seg 2027-03-08", "ter 2027-03-09"),
    ("publicado no domingo",               1, "dom 2027-03-07", "seg 2027-03-08", "ter 2027-03-09"),
    ("publicado na sexta",                 1, "sex 2027-03-05", "seg 2027-03-08", "ter 2027-03-09"),
    ("publicado no feriado",               1, "qua 2027-04-21", "qui 2027-04-22", "sex 2027-04-23"),
    ("virada do ano",                      2, "qua 2027-12-29", "seg 2028-01-03", "ter 2028-01-04"),
]
OPENINGS = [
    # made public on   R1: may open from   R2: may open from
    ("seg 2027-02-01", "sex 2027-02-26", "seg 2027-03-01"),
    ("sex 2027-02-05", "qui 2027-03-04", "sex 2027-03-05"),
    ("sex 2027-04-16", "ter 2027-05-11", "qua 2027-05-12"),
    ("ter 2027-04-20", "qui 2027-05-13", "sex 2027-05-14"),
]
BACKWARD = [
    # the session opens on  B1: last day to challenge  B2               last day to answer
    ("seg 2027-03-01",      "qua 2027-02-24",     "ter 2027-02-23", "sex 2027-02-26"),
    ("qui 2027-04-22",      "sex 2027-04-16",     "qui 2027-04-15", "ter 2027-04-20"),
    ("sex 2027-02-12",      "qui 2027-02-04",     "qua 2027-02-03", "qui 2027-02-11"),
    ("qua 2026-11-25",      "qui 2026-11-19",     "qua 2026-11-18", "ter 2026-11-24"),
    ("sáb 2027-03-06",      "qua 2027-03-03",     "ter 2027-03-02", "sex 2027-03-05"),
    ("dom 2027-03-07",      "qua 2027-03-03",     "ter 2027-03-02", "sex 2027-03-05"),
]
# fmt: on


@pytest.mark.parametrize(("what", "n", "made_public", "r1", "r2"), FORWARD)
def test_terms_in_business_days_in_both_readings(what: str, n: int, made_public: str, r1: str, r2: str) -> None:
    assert ARAPORA.add_business_days(on(made_public), n, R1) == on(r1)
    assert ARAPORA.add_business_days(on(made_public), n, R2) == on(r2)


@pytest.mark.parametrize(("made_public", "r1", "r2"), OPENINGS)
def test_the_session_opens_after_fifteen_business_days_of_publicity(made_public: str, r1: str, r2: str) -> None:
    for reading, opening in ((R1, on(r1)), (R2, on(r2))):
        assert ARAPORA.earliest_opening(on(made_public), 15, reading) == opening
        last = ARAPORA.earliest_opening(on(made_public), 15, reading, on_last_day=True)
        assert last == ARAPORA.add_business_days(on(made_public), 15, reading) < opening


@pytest.mark.parametrize(("opening", "b1", "b2", "answer"), BACKWARD)
def test_challenges_end_three_business_days_before_in_both_readings(
    opening: str, b1: str, b2: str, answer: str
) -> None:
    assert ARAPORA.business_days_before(on(opening), 3, B1) == on(b1)
    assert ARAPORA.business_days_before(on(opening), 3, B2) == on(b2)
    assert ARAPORA.last_business_day_before(on(opening)) == on(answer)


def test_each_reading_names_its_article_and_says_itself_and_the_longer_is_the_default() -> None:
    assert {reading.law for reading in StartReading} == {L14133(183, 1, "I")}
    assert {reading.law for reading in BeforeReading} == {L14133(164)}
    assert len({reading.says_pt for reading in (*StartReading, *BeforeReading)}) == 4
    assert (StartReading("R2"), BeforeReading("B1")) == (DEFAULT_START, DEFAULT_BEFORE)


# --- business days -----------------------------------------------------------------------------


def test_only_days_with_expediente_count() -> None:
    for day in ("sex 2027-02-05", "qui 2027-02-11", "qui 2026-11-19"):
        assert ARAPORA.is_business_day(on(day))
    for day in ("sáb 2027-02-06", "seg 2027-02-08", "qua 2027-02-10", "sex 2026-11-20", "qui 2026-01-01"):
        assert not ARAPORA.is_business_day(on(day))


def test_the_next_business_day_is_never_the_day_itself() -> None:
    assert ARAPORA.next_business_day(on("qui 2027-02-04")) == on("sex 2027-02-05")
    assert ARAPORA.next_business_day(on("sex 2027-02-05")) == on("qui 2027-02-11")
    assert ARAPORA.next_business_day(on("seg 2027-02-08")) == on("qui 2027-02-11")


def test_a_municipal_holiday_counts_out_in_both_directions() -> None:
    calendar = ARAPORA.amended(closed("2027-02-24", "Aniversário da cidade"))
    assert calendar.add_business_days(on("seg 2027-02-01"), 15, R1) == on("sex 2027-02-26")
    assert calendar.business_days_before(on("seg 2027-03-01"), 3, B1) == on("ter 2027-02-23")


@pytest.mark.parametrize("n", [0, -1])
def test_a_term_has_at_least_one_day(n: int) -> None:
    for count in (ARAPORA.add_business_days, ARAPORA.add_calendar_days):
        with pytest.raises(ValueError, match="at least one day"):
            count(on("qui 2027-03-04"), n, R1)
    with pytest.raises(ValueError, match="at least one day"):
        ARAPORA.business_days_before(on("qui 2027-03-04"), n, B1)


def test_the_calendar_does_not_answer_for_years_it_does_not_hold() -> None:
    message = r"só vai de 01/01/2026 a 31/12/2032; complete-o antes"
    first, last = ARAPORA.first, ARAPORA.last
    assert ARAPORA.add_business_days(first, 1, R1) == date(2026, 1, 2)
    assert ARAPORA.last_business_day_before(last) == date(2032, 12, 30)
    assert ARAPORA.closure(last) == ARAPORA.closures[-1]
    asked: list[Callable[[], object]] = [
        lambda: ARAPORA.is_business_day(first - DAY),
        lambda: ARAPORA.is_business_day(last + DAY),
        lambda: ARAPORA.closure(last + DAY),
        lambda: ARAPORA.next_business_day(date(2032, 12, 30)),
        lambda: ARAPORA.add_business_days(date(2032, 12, 20), 15, R1),
        lambda: ARAPORA.last_business_day_before(first),
        lambda: ARAPORA.last_business_day_before(first + DAY),
        lambda: ARAPORA.business_days_before(date(2026, 1, 6), 3, B1),
        lambda: ARAPORA.settle(last),
        lambda: ARAPORA.add_calendar_days(last, 1, R1),
    ]
    for ask in asked:
        with pytest.raises(CalendarError, match=message):
            ask()


# --- where a term ends (art. 183, § 2) ---------------------------------------------------------


def test_a_term_that_falls_on_a_day_without_expediente_moves_on() -> None:
    assert ARAPORA.settle(on("sex 2027-02-05")) == on("sex 2027-02-05")
    assert ARAPORA.settle(on("sáb 2027-02-06")) == on("qui 2027-02-11")
    assert ARAPORA.settle(on("seg 2027-02-08")) == on("qui 2027-02-11")


def test_calendar_days_run_through_weekends_and_only_their_end_moves() -> None:
    assert ARAPORA.add_calendar_days(on("seg 2027-03-01"), 10, R1) == on("qui 2027-03-11")
    assert ARAPORA.add_calendar_days(on("sex 2027-01-29"), 10, R1) == on("qui 2027-02-11")  # the 10th day is Carnival
    assert ARAPORA.add_calendar_days(on("qui 2027-03-04"), 10, R1) == on("seg 2027-03-15")  # the 10th day is a Sunday
    assert ARAPORA.add_calendar_days(on("sex 2027-03-05"), 10, R1) == on("seg 2027-03-15")
    assert ARAPORA.add_calendar_days(on("sex 2027-03-05"), 10, R2) == on("qui 2027-03-18")


def test_a_permit_of_four_years_that_ends_on_a_saturday_is_answered_on_monday() -> None:
    end = add_years(on("sex 2028-02-18"), 4)
    assert ARAPORA.settle(end) == end == on("qua 2032-02-18")
    assert ARAPORA.settle(add_years(on("dom 2027-03-07"), 4)) == on("sex 2031-03-07")
    assert ARAPORA.settle(add_years(on("qua 2027-06-16"), 4)) == on("seg 2031-06-16")
    assert ARAPORA.settle(add_years(on("ter 2027-03-09"), 4)) == on("seg 2031-03-10")


def test_a_day_that_closes_early_counts_but_no_term_ends_on_it() -> None:
    calendar = ARAPORA.amended(closed("2027-03-10", "Jogo da seleção", closes=time(13)))
    assert calendar.is_business_day(on("qua 2027-03-10"))
    assert calendar.settle(on("qua 2027-03-10")) == on("qui 2027-03-11")
    assert calendar.settle(on("ter 2027-03-09")) == on("ter 2027-03-09")
    assert calendar.add_business_days(on("sex 2027-03-05"), 2, R1) == on("ter 2027-03-09")
    assert calendar.add_business_days(on("sex 2027-03-05"), 3, R1) == on("qui 2027-03-11")
    assert calendar.add_business_days(on("sex 2027-03-05"), 4, R1) == on("qui 2027-03-11")
    assert calendar.business_days_before(on("sex 2027-03-12"), 2, B1) == on("qua 2027-03-10")
    assert calendar.closure(on("qua 2027-03-10")) == closed("2027-03-10", "Jogo da seleção", time(13))


def test_a_term_that_ends_on_a_day_of_outage_moves_to_the_next_business_day() -> None:
    ata = on("qui 2027-02-04")
    end = on("sex 2027-02-12")
    assert ARAPORA.add_business_days(ata, 3, R1, outages=[on("qui 2027-02-11")]) == end
    assert ARAPORA.add_business_days(ata, 3, R1, outages=[end]) == on("seg 2027-02-15")
    assert ARAPORA.add_business_days(ata, 3, R1, outages={end, on("seg 2027-02-15")}) == on("ter 2027-02-16")
    assert ARAPORA.add_business_days(ata, 3, R1, outages=[on("seg 2027-02-15")]) == end
    assert ARAPORA.add_calendar_days(ata, 8, R1, outages=[end]) == on("seg 2027-02-15")
    assert ARAPORA.settle(on("qua 2027-02-24"), outages=[on("qua 2027-02-24")]) == on("qui 2027-02-25")


def test_the_last_instant_of_a_term_and_the_next() -> None:
    day = ARAPORA.add_business_days(on("qui 2027-02-04"), 3, R2)
    until_midnight, until_closing = at_hour(day), at_hour(day, ARAPORA.closes)
    assert long_when(until_midnight) == "segunda-feira, 15 de fevereiro de 2027, às 23h59 (horário de Brasília)"
    assert long_when(until_closing) == "segunda-feira, 15 de fevereiro de 2027, às 17h (horário de Brasília)"
    assert in_time(datetime(2027, 2, 16, 2, 59, 59, 999_999, tzinfo=UTC), until_midnight)
    assert not in_time(datetime(2027, 2, 16, 3, 0, tzinfo=UTC), until_midnight)
    assert in_time(datetime(2027, 2, 15, 20, 0, tzinfo=UTC), until_closing)
    assert not in_time(datetime(2027, 2, 15, 20, 0, 0, 1, tzinfo=UTC), until_closing)


# --- the calendar as a value -------------------------------------------------------------------


def test_a_calendar_goes_into_an_edital_and_comes_back_the_same() -> None:
    calendar = ARAPORA.amended(closed("2027-03-10", closes=time(13)))
    back = Calendar.from_plain(json.loads(json.dumps(calendar.to_plain())))
    assert back == calendar
    assert hash(back) == hash(calendar)
    assert back.frozen_version == calendar.frozen_version != ARAPORA.frozen_version


def test_the_frozen_version_is_the_same_on_every_machine() -> None:
    small = Calendar("Vila", date(2027, 1, 1), date(2027, 12, 31), time(8), time(17), (closed("2027-03-10"),), True)
    assert small.frozen_version == "634f87177211872e"


def test_the_frozen_version_depends_on_the_content_and_not_on_its_order() -> None:
    assert replace(ARAPORA, closures=ARAPORA.closures[::-1]).frozen_version == ARAPORA.frozen_version
    changes: list[dict[str, Any]] = [
        {"entity": "Outro"}, {"first": date(2025, 12, 31)}, {"last": date(2033, 1, 1)}, {"opens": time(7)},
        {"closes": time(18)}, {"confirmed": True}, {"closures": ARAPORA.closures[1:]},
    ]  # fmt: skip
    of_a_day: list[dict[str, Any]] = [
        {"name": "Ano"}, {"kind": ClosureKind.STATE}, {"source": "Lei"}, {"confirmed": False}, {"closes": time(12)},
    ]  # fmt: skip
    changed = [replace(ARAPORA, **change) for change in changes]
    changed += [ARAPORA.amended(replace(ARAPORA.closures[0], **change)) for change in of_a_day]
    versions = {calendar.frozen_version for calendar in changed}
    assert len(versions) == len(changed)
    assert ARAPORA.frozen_version not in versions


def test_a_decree_adds_a_day_or_takes_the_place_of_the_one_there() -> None:
    half_day = closed("2027-02-10", "Quarta-feira de Cinzas", closes=time(12))
    amended = ARAPORA.amended(half_day, closed("2027-03-10"))
    assert amended.closure(date(2027, 2, 10)) == half_day
    assert len(amended.closures) == len(ARAPORA.closures) + 1
    assert amended.is_business_day(date(2027, 2, 10))
    assert not ARAPORA.is_business_day(date(2027, 2, 10))
    assert ARAPORA.closure(date(2027, 3, 10)) is None


def test_a_decree_that_gives_a_day_back_does_not_shorten_a_running_term() -> None:
    ata = on("qui 2027-02-04")
    old = at_hour(ARAPORA.add_business_days(ata, 3, R1))
    shorter = ARAPORA.amended(closed("2027-02-10", "Quarta-feira de Cinzas", closes=time(12)))
    longer = ARAPORA.amended(closed("2027-02-11"))
    assert extend_only(old, at_hour(shorter.add_business_days(ata, 3, R1))) == old
    assert extend_only(old, at_hour(longer.add_business_days(ata, 3, R1))) == at_hour(on("seg 2027-02-15"))


def broken(**changes: Any) -> dict[str, Any]:
    return {**SEED, **changes}


def row(**changes: Any) -> dict[str, Any]:
    plain = {"day": "2027-03-10", "name": "Luto", "kind": "municipal", "source": "Decreto nº 1/2027", "confirmed": True}
    return broken(closures=[{**plain, **changes}])


# fmt: off
WRONG = [
    ({key: value for key, value in SEED.items() if key != "closes"}, "falta o campo 'closes'"),
    (broken(closures=[{"day": "2027-03-10"}]), "falta o campo 'name'"),
    (broken(first="2033-01-01"), "termina antes de começar"), (broken(opens="17:00"), "termina antes de começar"),
    (broken(first="01/01/2026"), "ilegível"), (broken(closures=None), "ilegível"),
    (broken(closures=SEED["closures"][:1] * 2), "01/01/2026 está duas vezes"),
    (row(day="2025-12-31"), "31/12/2025 está fora"), (row(day="2033-01-01"), "01/01/2033 está fora"),
    (row(day="2027-02-29"), "ilegível"), (row(kind="feriadão"), "ilegível"),
    (row(name=""), "precisa do nome e da lei"), (row(source=""), "precisa do nome e da lei"),
    (row(closes="17:00"), "não se encerra antes da hora normal"),
    (row(closes="08:00"), "não se encerra antes da hora normal"),
    (row(close="12:00"), "campo desconhecido no calendário: close"),
]
# fmt: on


@pytest.mark.parametrize(("data", "message"), WRONG)
def test_wrong_data_are_refused_with_the_reason(data: dict[str, Any], message: str) -> None:
    with pytest.raises(CalendarError, match=message):
        Calendar.from_plain(data)


def test_data_one_minute_inside_the_edge_pass() -> None:
    assert Calendar.from_plain(row(closes="16:59")).closures[0].closes == time(16, 59)
    assert Calendar.from_plain(row(closes="08:01")).closures[0].closes == time(8, 1)
    assert Calendar.from_plain(row(day="2032-12-31")).closures[0].day == ARAPORA.last


@pytest.mark.parametrize("word", ["true", 1, "sim", None])
def test_only_true_confirms(word: Any) -> None:
    assert not Calendar.from_plain(broken(confirmed=word)).confirmed
    assert not Calendar.from_plain(row(confirmed=word)).closures[0].confirmed


# --- properties --------------------------------------------------------------------------------

days = st.dates(date(2026, 2, 1), date(2031, 12, 31))
lengths = st.integers(1, 60)
readings = st.sampled_from(StartReading)
befores = st.sampled_from(BeforeReading)
calendars = st.sets(days, max_size=30).map(lambda extra: ARAPORA.amended(*(closed(day.isoformat()) for day in extra)))


def counted(calendar: Calendar, after: date, through: date) -> int:
    """Business days in (after, through], counted one by one with nothing of the calendar but its list."""
    without = {closure.day for closure in calendar.closures}
    walked = (after + n * DAY for n in range(1, (through - after).days + 1))
    return sum(1 for day in walked if day.isoweekday() <= 5 and day not in without)


@given(calendars, days, lengths)
def test_a_term_holds_exactly_its_business_days(calendar: Calendar, start: date, n: int) -> None:
    end = calendar.add_business_days(start, n, R1)
    assert counted(calendar, start, end) == n
    assert counted(calendar, start, end - DAY) == n - 1
    assert calendar.add_business_days(start, n, R2) == calendar.add_business_days(start, n + 1, R1)


@given(calendars, days, lengths)
def test_what_lies_before_an_opening_holds_exactly_its_business_days(calendar: Calendar, day: date, n: int) -> None:
    assume(day.year > 2026)
    b1, b2 = (calendar.business_days_before(day, n, reading) for reading in BeforeReading)
    assert counted(calendar, b1 - DAY, day - DAY) == n
    assert counted(calendar, b2, day - DAY) == n
    assert calendar.is_business_day(b1)
    assert calendar.is_business_day(b2)


@given(calendars, days, lengths)
def test_counting_forth_and_back_comes_home(calendar: Calendar, start: date, n: int) -> None:
    home = start if calendar.is_business_day(start) else calendar.last_business_day_before(start)
    assert calendar.business_days_before(calendar.add_business_days(start, n, R1), n, B1) == home


@given(calendars, days, days, lengths, lengths, readings)
def test_a_longer_term_and_a_later_start_never_end_earlier(
    calendar: Calendar, one: date, other: date, few: int, many: int, reading: StartReading
) -> None:
    (early, late), (short, long) = sorted((one, other)), sorted((few, many))
    assert calendar.add_business_days(early, short, reading) <= calendar.add_business_days(late, short, reading)
    assert calendar.add_calendar_days(early, short, reading) <= calendar.add_calendar_days(early, long, reading)
    ends = [calendar.add_business_days(early, n, reading) for n in (short, long)]
    assert (ends[0] < ends[1]) == (short < long)


@given(days, lengths, readings, st.sets(days, max_size=40), st.sets(days, max_size=20))
def test_closures_and_outages_extend_and_never_shorten(
    start: date, n: int, reading: StartReading, shut: set[date], outages: set[date]
) -> None:
    near = {start + (day.toordinal() % 90) * DAY for day in shut}
    calendar = ARAPORA.amended(*(closed(day.isoformat()) for day in near if ARAPORA.closure(day) is None))
    plain = ARAPORA.add_business_days(start, n, reading)
    assert plain <= calendar.add_business_days(start, n, reading)
    down = {plain + (day.toordinal() % 7) * DAY for day in outages}
    moved = ARAPORA.add_business_days(start, n, reading, down)
    assert plain <= moved
    assert moved not in down
    assert (moved == plain) == (plain not in down)


@given(days, st.integers(1, 9), befores)
def test_the_citizens_reading_is_never_the_earlier_one(opening: date, n: int, reading: BeforeReading) -> None:
    assert ARAPORA.business_days_before(opening, n, reading) <= ARAPORA.business_days_before(opening, n, B1) < opening
