"""Small books for the tests: honest ones in a database, and forged ones as lines."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Engine, func, select
from sqlalchemy.exc import IntegrityError

from tender import verifier
from tender.acts import ActProposed
from tender.ledger import Book, Draft, Entry, ledger, open_engine, reading, writing

CHAIN = "edital/001-2027"
NOON = datetime(2027, 3, 5, 15, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)
BOOK = Book()


# --- in a database ---------------------------------------------------------------------------------------------------


def draft(version: int, at: datetime = NOON, stream: str = CHAIN, command: str = "", step: int = 0) -> Draft:
    """The n-th fact of a stream; each is of a request of its own unless one is named."""
    content = f'Praça Américo nº {version} — "ponto" 🚕 e\N{COMBINING ACUTE ACCENT}'
    fact = ActProposed("Publicar", f"{version:064x}", content, "pessoa-1")
    law = fact.META.law.key
    return Draft(stream, version, fact, "pessoa-1", "pregoeiro", at, law, command or f"{stream}#{version}", step)


def filled(engine: Engine, entries: int = 3, chain: str = CHAIN) -> list[Entry]:
    """A book with so many entries, a second apart."""
    with writing(engine) as tx:
        return BOOK.append(tx, chain, [draft(n + 1, NOON + n * SECOND, chain) for n in range(entries)])


def exported(engine: Engine, chain: str = CHAIN) -> list[bytes]:
    """The lines of the book as the public gets them."""
    with reading(engine) as tx:
        return list(BOOK.export(tx, chain))


def counted(engine: Engine) -> int:
    """How many entries the database holds."""
    with reading(engine) as tx:
        return int(tx.execute(select(func.count()).select_from(ledger)).scalar_one())


def write_many(url: str, name: str, count: int, ahead: timedelta) -> None:
    """Run in a process of its own: one entry after the other into a book that others write too.

    Says `ready`, waits for a line, then writes; whoever was slower than another asks for the end of the book again.
    `ahead`: by how much this process's clock is fast. Prints how often it was slower.
    """
    engine, slower, done = open_engine(url), 0, 0
    print("ready", flush=True)
    sys.stdin.readline()
    while done < count:
        try:
            with writing(engine) as tx:
                at = NOON + ahead + done * SECOND
                BOOK.append(tx, CHAIN, [draft(BOOK.version(tx, CHAIN) + 1, at, command=f"{name}-{done}")])
            done += 1
        except IntegrityError:
            slower += 1
    print(slower)


# --- as lines --------------------------------------------------------------------------------------------------------


def record(seq: int, /, **changes: Any) -> dict[str, Any]:
    """An entry as data, without its hash."""
    return {
        "actor": "pessoa-1", "at": f"2027-03-05T15:00:{seq % 60:02}.000000Z", "body": {"número": seq}, "chain": CHAIN,
        "command": f"pedido-{seq}", "kind": "Feito", "law": "lei-724-2008#art-4", "role": "sistema", "seq": seq,
        "step": 0, "stream": CHAIN, "version": seq, **changes,
    }  # fmt: skip


def sealed(records: Iterable[dict[str, Any]], previous: str = "") -> list[dict[str, Any]]:
    """The entries with their hashes, as a forger makes them: consistent whatever they say."""
    done: list[dict[str, Any]] = []
    for one in records:
        before = done[-1]["hash"] if done else previous or verifier.genesis(one["chain"])
        done.append({**one, "hash": verifier.entry_hash(before, one)})
    return done


def line(data: Any) -> bytes:
    """One line of a book in canonical form."""
    return (verifier.canonical(data) + "\n").encode()


def book(entries: Sequence[dict[str, Any]], /, **closing: Any) -> list[bytes]:
    """The lines of a book with these entries; `closing` changes its last line."""
    last = {"book": verifier.FORMAT, "chain": entries[0]["chain"], "entries": len(entries), "head": entries[-1]["hash"]}
    return [*map(line, entries), line({**last, **closing})]
