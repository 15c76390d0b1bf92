"""The dates that an edital prints: counted by hand for 2027, in both readings of the law."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time

import pytest

from tender.calendars import R1, R2, Closure, ClosureKind
from tender.clock import at_hour, day_of
from tender.edital.model import Terms, schedule
from tender.edital.model.terms import HourOfDeadline
from tests.town import SEED, terms_of


def counted(start: str = "R2", before: str = "B1", session: date | None = None) -> Terms:
    terms = terms_of()
    if session is not None:
        terms = replace(terms, session_at=at_hour(session, time(9)))
    return replace(terms, counting=replace(terms.counting, start=start, before=before))


def on(text: str) -> date:
    return date.fromisoformat(f"2027-{text}")


PUBLICITY = (
    ("02-01", "02-25", "02-26", "02-26", "03-01"),
    ("02-05", "03-03", "03-04", "03-04", "03-05"),
    ("04-16", "05-10", "05-11", "05-11", "05-12"),
    ("04-20", "05-12", "05-13", "05-13", "05-14"),
)


@pytest.mark.parametrize(("published", "last1", "open1", "last2", "open2"), PUBLICITY)
def test_fifteen_business_days_of_publicity_in_both_readings(
    published: str, last1: str, open1: str, last2: str, open2: str
) -> None:
    for start, (mine, opens), (other, others) in (
        ("R1", (last1, open1), (last2, open2)),
        ("R2", (last2, open2), (last1, open1)),
    ):
        last = schedule.last_of_publicity(counted(start), SEED, on(published))
        earliest = schedule.earliest_session(counted(start), SEED, on(published))
        assert (last.day, last.reading, last.other_day) == (on(mine), start, on(other))
        assert (earliest.day, earliest.reading, earliest.other_day) == (on(opens), start, on(others))


@pytest.mark.parametrize(
    ("ata", "r1", "r2"), [("02-04", "02-12", "02-15"), ("03-24", "03-30", "03-31"), ("04-19", "04-23", "04-26")]
)
def test_three_business_days_to_give_the_reasons_of_an_appeal(ata: str, r1: str, r2: str) -> None:
    found = schedule.appeal_until(SEED, on(ata), R1)
    assert (found.day, found.other_day, found.other_reading) == (on(r1), on(r2), "R2")
    assert schedule.appeal_until(SEED, on(ata), R2).day == on(r2)


def test_twenty_business_days_to_put_the_term_on_the_pncp() -> None:
    found = schedule.contract_on_pncp_until(SEED, on("05-20"), R1)
    assert (found.day, found.other_day) == (on("06-18"), on("06-21"))


OPENINGS = (
    ("03-01", "02-24", "02-23", "02-26"),
    ("04-22", "04-16", "04-15", "04-20"),
    ("02-12", "02-04", "02-03", "02-11"),
)


@pytest.mark.parametrize(("opening", "b1", "b2", "answer"), OPENINGS)
def test_the_last_day_to_challenge_and_the_last_to_answer(opening: str, b1: str, b2: str, answer: str) -> None:
    session = on(opening)
    first = schedule.challenge_until(counted(before="B1", session=session), SEED)
    assert (first.day, first.reading, first.other_day, first.other_reading) == (on(b1), "B1", on(b2), "B2")
    assert schedule.challenge_until(counted(before="B2", session=session), SEED).day == on(b2)
    assert schedule.answer_until(counted(session=session), SEED, first.day) <= on(answer)
    assert schedule.answer_until(counted(session=session), SEED, on(answer)) == on(answer)


def test_an_answer_takes_three_business_days_where_the_session_is_far() -> None:
    assert schedule.answer_until(counted(session=on("05-31")), SEED, on("04-19")) == on("04-23")


def test_a_term_ends_with_the_day_or_with_the_expediente_as_the_edital_says() -> None:
    terms = counted()
    assert schedule.instant_of(terms, SEED, on("02-24")) == at_hour(on("02-24"), time(23, 59, 59, 999999))
    early = replace(terms, counting=replace(terms.counting, hour=HourOfDeadline.EXPEDIENTE_END))
    assert schedule.instant_of(early, SEED, on("02-24")) == at_hour(on("02-24"), SEED.closes)


def test_dates_that_count_from_the_publication_come_with_it() -> None:
    terms = counted()
    before, after = schedule.dates(terms, SEED, None), schedule.dates(terms, SEED, on("02-01"))
    assert [one.key for one in before] == ["impugnar_ate", "razoes_ate", "pncp_ate"]
    assert [one.key for one in after][:2] == ["fim_da_publicidade", "sessao_a_partir_de"]
    assert [one.key for one in after][2:] == [one.key for one in before]


def test_a_day_that_no_decree_confirmed_keeps_the_calendar_from_closing() -> None:
    terms = counted()
    assert "Carnaval" in schedule.calendar_problem(terms, SEED)
    confirmed = SEED.amended(
        *(
            Closure(one.day, one.name, ClosureKind.MUNICIPAL, "Decreto 1/2027", confirmed=True)
            for one in SEED.unconfirmed(day_of(terms.applications_open_at), day_of(terms.session_at))
        )
    )
    assert schedule.calendar_problem(terms, confirmed) == ""


def test_a_session_beyond_the_calendar_is_a_problem_said_in_words() -> None:
    far = replace(counted(), session_at=datetime(2033, 3, 1, 12, tzinfo=terms_of().session_at.tzinfo))
    assert "só vai de" in schedule.calendar_problem(far, SEED)
