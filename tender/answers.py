"""What each command was answered, kept by its id: the same id gives the same answer for ever.

Refusals are not history: they stand here, never in the book, and are counted in the ata. An id reused for another
request, or by somebody else, is refused rather than answered with what is not theirs. A bidder stands here, as in the
book, by the stand's pseudonym: an id is in the book too, so a person beside it would open the names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Connection, Index, Table, Text, func, insert, select

from tender import verifier
from tender.acts import Refusal
from tender.codec import to_plain
from tender.door import Ticket
from tender.law import L14133, Citation
from tender.ledger import Entry, Instant, metadata

answers = Table(
    "answers",
    metadata,
    Column("command_id", Text, primary_key=True),
    Column("digest", Text, nullable=False),
    Column("command", Text, nullable=False),
    Column("actor", Text, nullable=False),  # as the book names who asked
    Column("chain", Text, nullable=False),
    Column("stream", Text, nullable=False),
    Column("arrived_at", Instant, nullable=False),
    Column("registered_at", Instant, nullable=False),
    Column("outcome", Text, nullable=False),  # feito | recusado
    Column("reason", Text, nullable=False, default=""),
    Column("law", Text, nullable=False, default=""),
    Column("code", Text, nullable=False, default=""),
    Column("field", Text, nullable=False, default=""),
    Column("got", Text, nullable=False, default=""),
    Column("passes", Text, nullable=False, default=""),
    Index(None, "chain", "outcome"),
)

DONE, REFUSED = "feito", "recusado"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer given before. `refusal` is None when the command was done."""

    command_id: str
    arrived_at: datetime
    registered_at: datetime
    refusal: Refusal | None


def digest(ticket: Ticket, who: str) -> str:
    """SHA-256 of who asked and what: two requests are the same when this is."""
    plain = [who, type(ticket.command).__name__, to_plain(ticket.command)]
    return hashlib.sha256(verifier.canonical(plain).encode()).hexdigest()


class Answers:
    """Keep and find answers; every method works inside the desk's transaction. `who`: the book's name of who asks."""

    def find(self, tx: Connection, ticket: Ticket, who: str) -> Answer | None:
        """The answer given to this id before, or None. Refusal `id_repetido` when it was for another request."""
        row = tx.execute(select(answers).where(answers.c.command_id == ticket.command_id)).first()
        if row is None:
            return None
        if row.digest != digest(ticket, who):
            raise Refusal(
                "Este identificador já foi usado em outro pedido. Gere um novo (UUID) para cada pedido.",
                L14133(12, None, "VI"),
                code="id_repetido",
                field="id",
                got=ticket.command_id,
                passes="um UUID novo",
            )
        return Answer(row.command_id, row.arrived_at, row.registered_at, _refusal(row))

    def accepted(
        self, tx: Connection, ticket: Ticket, who: str, entries: Sequence[Entry], registered_at: datetime
    ) -> None:
        """Keep that the command was done and wrote `entries`."""
        stream, chain = (entries[0].stream, entries[0].chain) if entries else ("", "")
        self._insert(tx, ticket, who, DONE, chain, stream, registered_at, {})

    def refused(
        self, tx: Connection, ticket: Ticket, who: str, refusal: Refusal, chain: str, registered_at: datetime
    ) -> None:
        """Keep a refusal: who, what, why, by which article."""
        reasons = {
            "reason": refusal.reason,
            "law": refusal.law.key,
            "code": refusal.code,
            "field": refusal.field,
            "got": refusal.got,
            "passes": refusal.passes,
        }
        self._insert(tx, ticket, who, REFUSED, chain, "", registered_at, reasons)

    def refusals(self, tx: Connection, chain: str) -> dict[str, int]:
        """How many refusals a chain had, by code: the ata counts them."""
        refused = (answers.c.chain == chain) & (answers.c.outcome == REFUSED)
        query = select(answers.c.code, func.count().label("times")).where(refused).group_by(answers.c.code)
        return {row.code: row.times for row in tx.execute(query)}

    def _insert(
        self,
        tx: Connection,
        ticket: Ticket,
        who: str,
        outcome: str,
        chain: str,
        stream: str,
        registered_at: datetime,
        reasons: dict[str, Any],
    ) -> None:
        tx.execute(
            insert(answers),
            {
                "command_id": ticket.command_id,
                "digest": digest(ticket, who),
                "command": type(ticket.command).__name__,
                "actor": who,
                "chain": chain,
                "stream": stream,
                "arrived_at": ticket.arrived_at,
                "registered_at": registered_at,
                "outcome": outcome,
                **reasons,
            },
        )


def _refusal(row: Any) -> Refusal | None:
    if row.outcome == DONE:
        return None
    law = Citation.parse(row.law)
    return Refusal(row.reason, law, code=row.code, field=row.field, got=row.got, passes=row.passes)
