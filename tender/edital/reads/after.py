"""What pages show of what came after the publication: questions with their answers, changes with their reasons."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Column, Connection, Integer, Table, Text, insert, select, update

from tender import verifier
from tender.acts import FACTS
from tender.codec import from_plain
from tender.edital.model import Terms
from tender.edital.model.questions import Asking, Effect, QuestionAsked
from tender.law import Citation
from tender.ledger import Entry, Instant, projections

questions = Table(
    "questions",
    projections,
    Column("edital", Text, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("mark", Text, nullable=False),
    Column("asked_at", Instant, nullable=False),
    Column("answer_until", Instant, nullable=False),
    Column("question", Text, nullable=False, default=""),
    Column("answer", Text, nullable=False, default=""),
    Column("effect", Text, nullable=False, default=""),
    Column("upheld", Boolean, nullable=False, default=False),
    Column("redacted", Boolean, nullable=False, default=False),
    Column("answered_at", Instant),
)

changes = Table(
    "changes",
    projections,
    Column("edital", Text, primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("at", Instant, nullable=False),
    Column("law", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("terms_before", Text, nullable=False, default=""),
)


@dataclass(frozen=True, slots=True)
class QuestionView:
    """A question as pages show it; question and answer are empty until it is answered. Never who asked."""

    number: int
    kind: Asking
    mark: str
    asked_at: datetime
    answer_until: datetime
    question: str
    answer: str
    effect: Effect | None
    upheld: bool
    redacted: bool
    answered_at: datetime | None


@dataclass(frozen=True, slots=True)
class ChangeView:
    """A change after publication: its fact, when, by which article; the terms before it when it changed them."""

    seq: int
    at: datetime
    law: Citation
    fact: Any
    before: Terms | None


def project_question(tx: Connection, edital: str, entry: Entry) -> None:
    """Fold a question or its answer into the table."""
    fact = entry.fact
    if isinstance(fact, QuestionAsked):
        row = {"edital": edital, "number": fact.number, "kind": fact.kind.value, "mark": fact.mark}
        tx.execute(insert(questions), {**row, "asked_at": entry.at, "answer_until": fact.answer_until})
        return
    values = {
        "question": fact.question,
        "answer": fact.answer,
        "effect": fact.effect.value,
        "upheld": fact.upheld,
        "redacted": fact.redacted,
        "answered_at": entry.at,
    }
    here = (questions.c.edital == edital) & (questions.c.number == fact.number)
    tx.execute(update(questions).where(here).values(values))


def project_change(tx: Connection, edital: str, entry: Entry, terms_before: str) -> None:
    """Keep a change; `terms_before`: the canonical terms that it replaced, "" when it replaced none."""
    told = {"edital": edital, "seq": entry.seq, "kind": entry.kind, "at": entry.at, "law": entry.law}
    tx.execute(insert(changes), {**told, "body": verifier.canonical(entry.body), "terms_before": terms_before})


def questions_of(tx: Connection, edital: str) -> list[QuestionView]:
    """Every question about an edital in the order in which they came."""
    query = select(questions).where(questions.c.edital == edital).order_by(questions.c.number)
    return [
        QuestionView(
            row.number,
            Asking(row.kind),
            row.mark,
            row.asked_at,
            row.answer_until,
            row.question,
            row.answer,
            Effect(row.effect) if row.effect else None,
            row.upheld,
            row.redacted,
            row.answered_at,
        )
        for row in tx.execute(query)
    ]


def changes_of(tx: Connection, edital: str) -> list[ChangeView]:
    """What changed after the publication, the last change first."""
    query = select(changes).where(changes.c.edital == edital).order_by(changes.c.seq.desc())
    return [
        ChangeView(
            row.seq,
            row.at,
            Citation.parse(row.law),
            from_plain(FACTS[row.kind], json.loads(row.body)),
            from_plain(Terms, json.loads(row.terms_before)) if row.terms_before else None,
        )
        for row in tx.execute(query)
    ]
