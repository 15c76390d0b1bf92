"""What pages show of applications: tables computed from facts, and queries over them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Connection, Integer, Table, Text, delete, func, insert, select, update

from tender import verifier
from tender.acts import PersonId, StandId
from tender.habilitation.model import (
    MACHINE,
    ApplicationHabilitated,
    ApplicationInhabilitated,
    ApplicationSubmitted,
    DocumentReceived,
    PersonKind,
    Status,
)
from tender.ledger import Entry, Instant, projections, status_column

applications = Table(
    "applications",
    projections,
    Column("edital", Text, primary_key=True),
    Column("applicant", Text, primary_key=True),
    status_column(MACHINE),
    Column("number", Integer, nullable=False, default=0),  # order of submission, from 1
    Column("kind", Text, nullable=False, default=""),
    Column("stands", Text, nullable=False, default="[]"),
    Column("submitted_at", Instant),
    Column("reason", Text, nullable=False, default=""),
)

documents = Table(
    "documents",
    projections,
    Column("edital", Text, primary_key=True),
    Column("applicant", Text, primary_key=True),
    Column("requirement", Text, primary_key=True),
    Column("sha256", Text, nullable=False),
    Column("size", Integer, nullable=False),
    Column("received_at", Instant, nullable=False),
)


@dataclass(frozen=True, slots=True)
class ApplicationView:
    """An application as pages show it; `documents` maps a requirement's key to (SHA-256, size in bytes)."""

    edital: str
    applicant: PersonId
    status: Status
    number: int
    kind: PersonKind | None
    stands: tuple[StandId, ...]
    submitted_at: datetime | None
    reason: str
    documents: dict[str, tuple[str, int]]


def project(tx: Connection, entry: Entry) -> None:
    """Fold an entry of `application/…` into the tables."""
    if not entry.stream.startswith("application/"):
        return
    _, edital, applicant = entry.stream.split("/", 2)
    mine = (applications.c.edital == edital) & (applications.c.applicant == applicant)
    if tx.execute(select(applications.c.status).where(mine)).first() is None:
        tx.execute(insert(applications), {"edital": edital, "applicant": applicant, "status": Status.DRAFT.value})
    fact = entry.fact
    if isinstance(fact, DocumentReceived):
        key = {"edital": edital, "applicant": applicant, "requirement": fact.requirement.key}
        where = [documents.c[name] == value for name, value in key.items()]
        tx.execute(delete(documents).where(*where))
        tx.execute(insert(documents), {**key, "sha256": fact.sha256, "size": fact.size, "received_at": entry.at})
    elif isinstance(fact, ApplicationSubmitted):
        number = tx.execute(select(func.max(applications.c.number)).where(applications.c.edital == edital)).scalar()
        own = tx.execute(select(applications.c.number).where(mine)).scalar()
        values = {
            "status": Status.SUBMITTED.value,
            "number": own or (number or 0) + 1,
            "kind": fact.kind.value,
            "stands": verifier.canonical(list(fact.stands)),
            "submitted_at": entry.at,
        }
        tx.execute(update(applications).where(mine).values(values))
    elif isinstance(fact, ApplicationHabilitated):
        tx.execute(update(applications).where(mine).values(status=Status.HABILITATED.value, reason=fact.reason))
    elif isinstance(fact, ApplicationInhabilitated):
        tx.execute(update(applications).where(mine).values(status=Status.INHABILITATED.value, reason=fact.reason))


def _view(tx: Connection, row: Any) -> ApplicationView:
    mine = (documents.c.edital == row.edital) & (documents.c.applicant == row.applicant)
    sent = {d.requirement: (d.sha256, d.size) for d in tx.execute(select(documents).where(mine))}
    kind = PersonKind(row.kind) if row.kind else None
    stands = tuple(StandId(n) for n in json.loads(row.stands))
    return ApplicationView(
        row.edital, row.applicant, Status(row.status), row.number, kind, stands, row.submitted_at, row.reason, sent
    )


def find(tx: Connection, edital: str, applicant: str) -> ApplicationView | None:
    """One application; None when nothing was sent yet."""
    mine = (applications.c.edital == edital) & (applications.c.applicant == applicant)
    row = tx.execute(select(applications).where(mine)).first()
    return _view(tx, row) if row else None


def submitted(tx: Connection, edital: str) -> list[ApplicationView]:
    """Applications that were sent, in order of number."""
    query = select(applications).where(applications.c.edital == edital, applications.c.number > 0)
    return [_view(tx, row) for row in tx.execute(query.order_by(applications.c.number)).all()]


def of_person(tx: Connection, applicants: list[str]) -> list[ApplicationView]:
    """Applications of any of these parties, newest edital first."""
    query = select(applications).where(applications.c.applicant.in_(applicants)).order_by(applications.c.edital.desc())
    return [_view(tx, row) for row in tx.execute(query).all()]


def counts(tx: Connection, edital: str) -> dict[Status, int]:
    """How many applications an edital has in each status."""
    query = select(applications.c.status, func.count().label("n")).where(applications.c.edital == edital)
    return {Status(row.status): row.n for row in tx.execute(query.group_by(applications.c.status))}


def habilitated_for(tx: Connection, edital: str, stand: int) -> list[PersonId]:
    """Parties habilitated for a stand, in no telling order (sorted by their random ids)."""
    ready = [one for one in submitted(tx, edital) if one.status is Status.HABILITATED]
    return sorted(one.applicant for one in ready if stand in one.stands)
