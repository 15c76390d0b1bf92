"""What pages show of editais: tables computed from facts, and queries over them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Integer,
    Table,
    Text,
    delete,
    func,
    insert,
    select,
    update,
)

from tender import verifier
from tender.acts import DESK_FACTS, EditalId
from tender.calendars import Calendar, Closure, ClosureKind
from tender.clock import day_of
from tender.codec import from_plain, to_plain
from tender.edital.model import MACHINE, Edital, EditalDrafted, EditalPublished, Status, Terms, begin, evolve
from tender.edital.model import register as registers
from tender.edital.model.changes import CHANGES, EditalAmended, EditalExtended, EditalResumed
from tender.edital.model.gates import Surroundings
from tender.edital.model.questions import QuestionAnswered, QuestionAsked
from tender.edital.model.register import Register
from tender.edital.model.schedule import calendar_problem, earliest_session
from tender.edital.reads.after import ChangeView as ChangeView
from tender.edital.reads.after import QuestionView as QuestionView
from tender.edital.reads.after import changes_of as changes_of
from tender.edital.reads.after import project_change, project_question
from tender.edital.reads.after import questions_of as questions_of
from tender.ledger import Book, Entry, Instant, projections, status_column

editais = Table(
    "editais",
    projections,
    Column("edital", Text, primary_key=True),
    status_column(MACHINE),
    Column("title", Text, nullable=False),
    Column("terms", Text, nullable=False),
    Column("terms_sha256", Text, nullable=False),
    Column("drafted_by", Text, nullable=False),
    Column("applications_open_at", Instant, nullable=False),
    Column("applications_close_at", Instant, nullable=False),
    Column("session_at", Instant, nullable=False),
    Column("published_at", Instant),
    Column("year", Integer),  # of the publication, in Brasília
)

stands = Table(
    "stands",
    projections,
    Column("edital", Text, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("places", Integer, nullable=False),
    Column("floor_centavos", BigInteger, nullable=False),
    Column("decree", Text, nullable=False),
    Column("ponto", Text, nullable=False, default=""),
)


@dataclass(frozen=True, slots=True)
class EditalView:
    """An edital as pages show it."""

    edital: EditalId
    status: Status
    terms: Terms
    terms_sha256: str
    drafted_by: str
    published_at: datetime | None


def terms_sha256(terms: Terms) -> str:
    """SHA-256 of the terms' canonical form: what is published is exactly what was read."""
    return hashlib.sha256(verifier.canonical(to_plain(terms)).encode()).hexdigest()


def project(tx: Connection, entry: Entry) -> None:
    """Fold an entry of `edital/…` into the tables."""
    if not entry.stream.startswith("edital/"):
        return
    edital = entry.stream.partition("/")[2]
    fact = entry.fact
    if isinstance(fact, EditalDrafted):
        _write(tx, edital, fact.terms, {"status": Status.DRAFT.value, "drafted_by": fact.by})
    elif isinstance(fact, EditalPublished):
        _write(tx, edital, fact.terms, _published(entry))
        _offer(tx, edital, fact.terms)
    elif isinstance(fact, QuestionAsked | QuestionAnswered):
        project_question(tx, edital, entry)
    elif not isinstance(fact, DESK_FACTS):
        _project_change(tx, edital, entry)


def _project_change(tx: Connection, edital: str, entry: Entry) -> None:
    row = tx.execute(select(editais).where(editais.c.edital == edital)).one()
    fact, here = entry.fact, editais.c.edital == edital
    after = MACHINE.moves.get((Status(row.status), type(fact)))
    if after is not None and after.value != row.status:
        tx.execute(update(editais).where(here).values(status=after.value))
    if isinstance(fact, CHANGES):
        project_change(tx, edital, entry, row.terms if isinstance(fact, EditalAmended) else "")
    if isinstance(fact, EditalAmended):
        _write(tx, edital, fact.terms, {})
        _offer(tx, edital, fact.terms)
    elif isinstance(fact, EditalExtended | EditalResumed):
        terms = from_plain(Terms, json.loads(row.terms))
        dates = {"applications_close_at": fact.applications_close_at, "session_at": fact.session_at}
        _write(tx, edital, replace(terms, **dates), {})


def _published(entry: Entry) -> dict[str, Any]:
    return {"status": Status.PUBLISHED.value, "published_at": entry.at, "year": day_of(entry.at).year}


def _offer(tx: Connection, edital: str, terms: Terms) -> None:
    tx.execute(delete(stands).where(stands.c.edital == edital))
    for stand in terms.stands:
        tx.execute(
            insert(stands),
            {
                "edital": edital,
                "number": stand.number,
                "name": stand.name,
                "address": stand.address,
                "places": stand.places,
                "floor_centavos": stand.floor.centavos,
                "decree": stand.decree,
                "ponto": stand.ponto,
            },
        )


def _write(tx: Connection, edital: str, terms: Terms, more: dict[str, Any]) -> None:
    values = {
        "title": terms.title,
        "terms": verifier.canonical(to_plain(terms)),
        "terms_sha256": terms_sha256(terms),
        "applications_open_at": terms.applications_open_at,
        "applications_close_at": terms.applications_close_at,
        "session_at": terms.session_at,
        **more,
    }
    if tx.execute(update(editais).where(editais.c.edital == edital).values(values)).rowcount == 0:
        tx.execute(insert(editais), {"edital": edital, **values})


def _view(row: Any) -> EditalView:
    terms = from_plain(Terms, json.loads(row.terms))
    return EditalView(row.edital, Status(row.status), terms, row.terms_sha256, row.drafted_by, row.published_at)


def find(tx: Connection, edital: str) -> EditalView | None:
    """One edital, drafts included; None when there is none."""
    row = tx.execute(select(editais).where(editais.c.edital == edital)).first()
    return _view(row) if row else None


def published(tx: Connection) -> list[EditalView]:
    """All published editais, the next session first."""
    query = select(editais).where(editais.c.published_at.is_not(None)).order_by(editais.c.session_at.desc())
    return [_view(row) for row in tx.execute(query)]


def counts(tx: Connection, year: int | None = None) -> dict[Status, int]:
    """How many published editais are in each status, all years or one."""
    query = select(editais.c.status, func.count()).where(editais.c.published_at.is_not(None)).group_by(editais.c.status)
    if year is not None:
        query = query.where(editais.c.year == year)
    return {Status(status): count for status, count in tx.execute(query)}


def years(tx: Connection) -> list[int]:
    """Years in which something was published, the last one first."""
    query = select(editais.c.year).where(editais.c.year.is_not(None)).distinct()
    return sorted(tx.execute(query).scalars(), reverse=True)


def archive(
    tx: Connection, statuses: Collection[Status] = (), year: int | None = None, limit: int = 20, offset: int = 0
) -> list[EditalView]:
    """Published editais of these statuses (all, when none is named) and of that year, the last session first."""
    query = select(editais).where(editais.c.published_at.is_not(None))
    if statuses:
        query = query.where(editais.c.status.in_([status.value for status in statuses]))
    if year is not None:
        query = query.where(editais.c.year == year)
    query = query.order_by(editais.c.session_at.desc(), editais.c.edital.desc())
    return [_view(row) for row in tx.execute(query.limit(limit).offset(offset))]


def same_ponto(tx: Connection, ponto: str) -> list[tuple[str, int]]:
    """(edital, number) of every time this ponto of the register was offered, the last one first."""
    query = select(stands.c.edital, stands.c.number).join(editais, editais.c.edital == stands.c.edital)
    rows = tx.execute(query.where(stands.c.ponto == ponto).order_by(editais.c.published_at.desc(), stands.c.number))
    return [(row.edital, row.number) for row in rows]


def drafts(tx: Connection) -> list[EditalView]:
    """Editais still in draft: for the commission and the authority."""
    query = select(editais).where(editais.c.published_at.is_(None)).order_by(editais.c.edital)
    return [_view(row) for row in tx.execute(query)]


def register(tx: Connection, book: Book) -> Register:
    """The register of stands as it now is: decrees, stands, permits in force, days without expediente."""
    state = registers.begin(registers.STREAM)
    for entry in book.load(tx, registers.STREAM):
        state = registers.evolve(state, entry.fact)
    return state


def folded(tx: Connection, book: Book, edital: str) -> Edital:
    """An edital with its whole dossier, folded from the book: drafts included."""
    stream = f"edital/{edital}"
    state = begin(stream)
    for entry in book.load(tx, stream):
        if not isinstance(entry.fact, DESK_FACTS):
            state = evolve(state, entry.fact)
    return state


@cache
def seed_calendar(static: Path) -> Calendar:
    """The municipality's calendar as shipped, before any decree of the register."""
    return Calendar.from_plain(json.loads((static / "calendar" / "arapora.json").read_text("utf-8")))


def calendar_of(tx: Connection, book: Book, seed: Calendar) -> Calendar:
    """The municipality's calendar: the seed, with every day that a decree of the register declared."""
    declared = [
        Closure(one.day, one.name, ClosureKind.MUNICIPAL, f"Decreto {one.decree}", confirmed=True)
        for one in register(tx, book).closures
    ]
    return seed.amended(*declared)


def surroundings(tx: Connection, book: Book, state: Edital, calendar: Calendar, now: datetime) -> Surroundings:
    """What the gates must know beside terms and dossier."""
    known = register(tx, book)
    terms, published = state.terms, state.dossier.clock_starts_on
    problem, earliest = "", None
    if terms is not None:
        problem = calendar_problem(terms, calendar)
        if published is not None and not problem:
            earliest = earliest_session(terms, calendar, published).day
    decreed = {code: (one.decree, one.vehicles, one.is_open) for code, one in known.stands.items()}
    return Surroundings(now, known.permits, decreed, problem, earliest)
