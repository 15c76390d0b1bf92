"""What the tests of deadlines and of heartbeats share: rows to put and to look at, and a ticker of one's own."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from sqlalchemy import select

from tender.deadlines import Due, Gap, Ticker, deadlines
from tender.ledger import Entry, reading, writing
from tests.abacus import ABACUS, Abacus, Add
from tests.town import SESSION_AT

STREAM = f"edital/{ABACUS}"
NOON = SESSION_AT


def put(abacus: Abacus, key: str, at: datetime = NOON, command: Any = None) -> None:
    with writing(abacus.engine) as tx:
        abacus.rows.set(tx, key, STREAM, at, command or Add(ABACUS, 1, key))


def ticker(abacus: Abacus, perform: Callable[..., Any] | None = None, **more: Any) -> Ticker:
    gaps: Callable[[Gap], None] = more.pop("on_gap", lambda gap: None)
    return Ticker(abacus.engine, abacus.clock, abacus.rows, perform or abacus.ask, gaps, **more)


def row(abacus: Abacus, key: str) -> Any:
    with reading(abacus.engine) as tx:
        return tx.execute(select(deadlines).where(deadlines.c.key == key)).one()


def keys(dues: list[Due]) -> list[str]:
    return [due.key for due in dues]


def book(abacus: Abacus) -> list[Entry]:
    with reading(abacus.engine) as tx:
        return list(abacus.book.entries(tx, STREAM))
