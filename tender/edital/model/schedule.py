"""The dates of an edital, each as a calendar day in both readings, so that nobody has to count (rules.md § 8)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time

from tender.calendars import B1, B2, R1, R2, BeforeReading, Calendar, CalendarError, StartReading
from tender.clock import END_OF_DAY, at_hour, day_of
from tender.edital.model.terms import HourOfDeadline, Terms
from tender.law import L14133, Citation

CHALLENGE_DAYS = 3
APPEAL_DAYS = 3
PNCP_DAYS = 20


@dataclass(frozen=True, slots=True)
class Dated:
    """A term: what it is, its article, the day in the edital's reading and the day in the other one."""

    key: str
    label: str
    law: Citation
    day: date
    reading: str
    other_day: date
    other_reading: str


def start_reading(terms: Terms) -> StartReading:
    """The edital's reading of terms that run forward (Lei 14.133 art. 183 § 1º)."""
    return R1 if terms.counting.start == "R1" else R2


def before_reading(terms: Terms) -> BeforeReading:
    """The edital's reading of terms that run backward (Lei 14.133 art. 164)."""
    return B2 if terms.counting.before == "B2" else B1


def hour_of(terms: Terms, calendar: Calendar) -> time:
    """Until which hour of a day an act is in time."""
    return END_OF_DAY if terms.counting.hour is HourOfDeadline.END_OF_DAY else calendar.closes


def instant_of(terms: Terms, calendar: Calendar, day: date) -> datetime:
    """The last instant of a term that ends on `day`, aware UTC."""
    return at_hour(day, hour_of(terms, calendar))


def earliest_session(terms: Terms, calendar: Calendar, published: date) -> Dated:
    """First day of the session, counted from the last publication (Lei 14.133 art. 55)."""
    days, chosen = terms.counting.publication_business_days, start_reading(terms)
    other = R2 if chosen is R1 else R1
    return Dated(
        "sessao_a_partir_de",
        "Sessão a partir de",
        L14133(55, None, "III"),
        calendar.earliest_opening(published, days, chosen),
        chosen.value,
        calendar.earliest_opening(published, days, other),
        other.value,
    )


def last_of_publicity(terms: Terms, calendar: Calendar, published: date) -> Dated:
    """Last of the business days of publicity."""
    days, chosen = terms.counting.publication_business_days, start_reading(terms)
    other = R2 if chosen is R1 else R1
    return Dated(
        "fim_da_publicidade",
        f"{days}º dia útil depois da publicação",
        L14133(55, None, "III"),
        calendar.add_business_days(published, days, chosen),
        chosen.value,
        calendar.add_business_days(published, days, other),
        other.value,
    )


def challenge_until(terms: Terms, calendar: Calendar) -> Dated:
    """Last day to ask or to challenge (Lei 14.133 art. 164)."""
    opening, chosen = day_of(terms.session_at), before_reading(terms)
    other = B2 if chosen is B1 else B1
    return Dated(
        "impugnar_ate",
        "Pedir esclarecimento ou impugnar até",
        L14133(164),
        calendar.business_days_before(opening, CHALLENGE_DAYS, chosen),
        chosen.value,
        calendar.business_days_before(opening, CHALLENGE_DAYS, other),
        other.value,
    )


def answer_until(terms: Terms, calendar: Calendar, asked: date) -> date:
    """Last day to answer: three business days, never later than the last business day before the session (art. 164)."""
    ceiling = calendar.last_business_day_before(day_of(terms.session_at))
    return min(calendar.add_business_days(asked, CHALLENGE_DAYS, R1), ceiling)


def appeal_until(calendar: Calendar, ata: date, chosen: StartReading) -> Dated:
    """Last day of the reasons of an appeal (Lei 14.133 art. 165, I)."""
    other = R2 if chosen is R1 else R1
    return Dated(
        "razoes_ate",
        "Razões do recurso até",
        L14133(165, None, "I"),
        calendar.add_business_days(ata, APPEAL_DAYS, chosen),
        chosen.value,
        calendar.add_business_days(ata, APPEAL_DAYS, other),
        other.value,
    )


def contract_on_pncp_until(calendar: Calendar, signed: date, chosen: StartReading) -> Dated:
    """Last day to put the signed term on the PNCP (Lei 14.133 art. 94, I)."""
    other = R2 if chosen is R1 else R1
    return Dated(
        "pncp_ate",
        "Termo no PNCP até",
        L14133(94, None, "I"),
        calendar.add_business_days(signed, PNCP_DAYS, chosen),
        chosen.value,
        calendar.add_business_days(signed, PNCP_DAYS, other),
        other.value,
    )


def dates(terms: Terms, calendar: Calendar, published: date | None) -> list[Dated]:
    """Every date that the edital prints, in order; CalendarError beyond the years that the calendar holds."""
    found = [challenge_until(terms, calendar)]
    if published is not None:
        found = [last_of_publicity(terms, calendar, published), earliest_session(terms, calendar, published), *found]
    chosen = start_reading(terms)
    session = day_of(terms.session_at)
    return [*found, appeal_until(calendar, session, chosen), contract_on_pncp_until(calendar, session, chosen)]


def calendar_problem(terms: Terms, calendar: Calendar) -> str:
    """Why the calendar cannot give the edital's dates (Portuguese), or ""; unconfirmed days are a problem too."""
    try:
        dates(terms, calendar, None)
    except CalendarError as error:
        return str(error)
    open_days = calendar.unconfirmed(day_of(terms.applications_open_at), day_of(terms.session_at))
    if open_days:
        first = open_days[0]
        return f"o dia {first.day:%d/%m/%Y} ({first.name}) ainda não foi confirmado por decreto"
    return ""
