"""What a rule about an edital must know beside its own stream: terms counted by the calendar, hashes, letters.

Each takes the seed of the calendar (None: nothing is counted) and answers the lookup that `process` hands to the desk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from sqlalchemy import Connection

from tender.acts import Turn
from tender.calendars import Calendar
from tender.clock import day_of
from tender.edital import reads
from tender.edital.model import changes, schedule
from tender.ledger import Book
from tender.people import People

Lookup = Callable[[Connection, Any, Turn], Mapping[str, Any]]


def draft(calendar: Calendar) -> Lookup:
    def known(tx: Connection, command: Any, turn: Turn) -> Mapping[str, Any]:
        view, book = reads.find(tx, command.edital), Book()
        state = reads.folded(tx, book, command.edital)
        town = reads.calendar_of(tx, book, calendar)
        around = reads.surroundings(tx, book, state, town, turn.now)
        return {"terms_sha256": view.terms_sha256 if view else "", "surroundings": around}

    return known


def asking(calendar: Calendar | None) -> Lookup:
    def known(tx: Connection, command: Any, turn: Turn) -> Mapping[str, Any]:
        view = reads.find(tx, command.edital)
        if view is None:
            return {"until": turn.now, "answer_until": turn.now}
        terms = view.terms
        if calendar is None:
            return {"until": terms.session_at, "answer_until": terms.session_at}
        town = reads.calendar_of(tx, Book(), calendar)
        last = schedule.challenge_until(terms, town).day
        answer = schedule.answer_until(terms, town, day_of(turn.now))
        return {
            "until": schedule.instant_of(terms, town, last),
            "answer_until": schedule.instant_of(terms, town, answer),
        }

    return known


def answering(people: People) -> Lookup:
    def known(tx: Connection, command: Any, turn: Turn) -> Mapping[str, Any]:
        asked = {one.number: one.mark for one in reads.questions_of(tx, command.edital)}
        letter = people.letters.by_mark(tx, asked.get(command.number, ""))
        return {"asked": letter.text if letter else ""}

    return known


def amending(calendar: Calendar | None) -> Lookup:
    def known(tx: Connection, command: Any, turn: Turn) -> Mapping[str, Any]:
        drafted = reads.folded(tx, Book(), command.edital).amendment
        earliest: date | None = None
        if drafted is not None and calendar is not None:
            town = reads.calendar_of(tx, Book(), calendar)
            earliest = schedule.earliest_session(drafted.terms, town, day_of(turn.now)).day
        mark = reads.terms_sha256(drafted.terms) if drafted else ""
        return {"terms_sha256": mark, "earliest_session": earliest}

    return known


def ending(calendar: Calendar | None) -> Lookup:
    def known(tx: Connection, command: Any, turn: Turn) -> Mapping[str, Any]:
        view = reads.find(tx, command.edital)
        if view is None or calendar is None:
            return {"appeal_until": turn.now}
        town = reads.calendar_of(tx, Book(), calendar)
        last = schedule.appeal_until(town, day_of(turn.now), schedule.start_reading(view.terms)).day
        return {"appeal_until": schedule.instant_of(view.terms, town, last)}

    return known


def hearing(calendar: Calendar | None) -> Lookup:
    def known(tx: Connection, command: Any, turn: Turn) -> Mapping[str, Any]:
        view = reads.find(tx, command.edital)
        if view is None or calendar is None:
            return {"hear_until": turn.now}
        town = reads.calendar_of(tx, Book(), calendar)
        reading = schedule.start_reading(view.terms)
        last = town.add_business_days(day_of(turn.now), changes.HEARING_DAYS, reading)
        return {"hear_until": schedule.instant_of(view.terms, town, last)}

    return known
