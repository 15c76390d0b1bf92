"""Letters of those who ask about an edital without an account: sealed until the answer is public, then taken away.

The asker's name is not kept at all. An e-mail is kept only when one was left, sealed, to tell that the answer is there.
The code of the receipt is known to the asker alone; the database has its hash.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Column, Connection, Index, Table, Text, delete, insert, select, update

from tender.ledger import Instant, metadata
from tender.people.rates import HOUR, Limit
from tender.people.sealing import Seal, token_hash
from tender.people.tables import new_id

LETTERS_ADDRESS = Limit("letters.address", 10, HOUR)  # a counter of the town hall shares one address
LETTER_KEPT = timedelta(days=30)
"""How long a letter is kept after its answer: as long as the mail about it may still be on its way."""
CODE_SIGNS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"

letters = Table(
    "letters",
    metadata,
    Column("id", Text, primary_key=True),  # to whom the notice of the answer goes
    Column("edital", Text, nullable=False),
    Column("mark", Text, nullable=False, unique=True),
    Column("code_hash", Text, nullable=False, unique=True),
    Column("text", Text, nullable=False),  # sealed
    Column("email", Text, nullable=False),  # sealed; empty when none was left
    Column("at", Instant, nullable=False),
    Column("settled_at", Instant),
    Index(None, "settled_at"),
)


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter as its asker finds it by its code, and as the commission reads it."""

    id: str
    edital: str
    mark: str
    text: str
    has_email: bool
    at: datetime


def mark_of(code: str, text: str) -> str:
    """What the book keeps of a question until it is answered: SHA-256 of code, line feed and text."""
    return hashlib.sha256(f"{code}\n{text}".encode()).hexdigest()


def plain_code(typed: str) -> str:
    """A code as typed, in its one spelling: capitals, groups of four."""
    signs = "".join(sign for sign in typed.upper() if sign in CODE_SIGNS)
    return "-".join(signs[at : at + 4] for at in range(0, len(signs), 4))


class Letters:
    """Keeps letters; methods take the caller's transaction."""

    def __init__(self, seal: Seal) -> None:
        self._seal = seal

    def code_for(self, request_id: str) -> str:
        """The code of a request: 80 bits that only this house can make, the same when the same form is sent twice."""
        value = int(self._seal.index("letter", request_id)[:20], 16)
        signs = "".join(CODE_SIGNS[value >> shift & 31] for shift in range(75, -1, -5))
        return "-".join(signs[at : at + 4] for at in range(0, 16, 4))

    def put(self, tx: Connection, now: datetime, edital: str, code: str, text: str, email: str = "") -> str:
        """Keep a letter and return its mark; the same code and text are kept once."""
        mark = mark_of(code, text)
        if tx.execute(select(letters.c.id).where(letters.c.mark == mark)).first() is None:
            row = new_id("l")
            sealed = {
                "text": self._seal.shut(text, f"letters.text:{row}"),
                "email": self._seal.shut(email, f"letters.email:{row}") if email else "",
            }
            tx.execute(delete(letters).where(letters.c.code_hash == token_hash(code)))
            known = {"id": row, "edital": edital, "mark": mark, "code_hash": token_hash(code), "at": now}
            tx.execute(insert(letters), {**known, **sealed})
        return mark

    def drop(self, tx: Connection, mark: str) -> None:
        """Forget a letter that the desk did not take."""
        tx.execute(delete(letters).where(letters.c.mark == mark))

    def by_code(self, tx: Connection, code: str) -> Letter | None:
        """The letter of a receipt; None when the code is wrong or the letter is gone."""
        return self._letter(tx.execute(select(letters).where(letters.c.code_hash == token_hash(code))).first())

    def by_mark(self, tx: Connection, mark: str) -> Letter | None:
        """The letter behind a mark of the book; None when it is gone."""
        return self._letter(tx.execute(select(letters).where(letters.c.mark == mark)).first())

    def settle(self, tx: Connection, mark: str, now: datetime) -> None:
        """The answer is public: the letter is swept after a while."""
        tx.execute(update(letters).where(letters.c.mark == mark).values(settled_at=now))

    def email_of(self, tx: Connection, addressee: str) -> str | None:
        """The e-mail left with the letter of this id; None when there is none."""
        row = tx.execute(select(letters.c.email).where(letters.c.id == addressee)).first()
        return self._seal.open(row.email, f"letters.email:{addressee}") if row and row.email else None

    def sweep(self, tx: Connection, now: datetime) -> int:
        """Delete the letters that were answered long enough ago; how many."""
        return tx.execute(delete(letters).where(letters.c.settled_at <= now - LETTER_KEPT)).rowcount

    def _letter(self, row: object) -> Letter | None:
        if row is None:
            return None
        text = self._seal.open(row.text, f"letters.text:{row.id}")  # type: ignore[attr-defined]
        return Letter(row.id, row.edital, row.mark, text, bool(row.email), row.at)  # type: ignore[attr-defined]
