"""The book: one hash chain per edital (and one for the register of permits), kept by the database itself.

The book only grows (house rule 4): UPDATE, DELETE, TRUNCATE and REPLACE are refused by triggers on SQLite and on
PostgreSQL. Bodies are canonical JSON without personal data. `tender.verifier` holds the format, so that what the
program writes and what the public checks are the same lines.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    DDL,
    BigInteger,
    CheckConstraint,
    Column,
    Connection,
    Engine,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    event,
    insert,
    select,
)
from sqlalchemy.types import TypeDecorator

from tender import verifier
from tender.acts import FACTS
from tender.codec import CodecError, from_plain, instant_from, instant_text, to_plain
from tender.machine import Machine

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}
metadata = MetaData(naming_convention=NAMING)
"""Tables that cannot be rebuilt: kept by Alembic."""
projections = MetaData(naming_convention=NAMING)
"""Tables computed from the book: `tender rebuild` drops and replays them."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
BUSY_TIMEOUT_MS = 5_000
POOL = {"pool_size": 20, "max_overflow": 40}


class Instant(TypeDecorator[datetime]):
    """Aware UTC datetime kept as whole microseconds since 1970; naive ones are refused (ValueError)."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> int | None:
        if value is None:
            return None
        if value.utcoffset() is None:
            raise ValueError("an instant needs its zone")
        return (value - EPOCH) // MICROSECOND

    def process_result_value(self, value: int | None, dialect: Any) -> datetime | None:
        return None if value is None else EPOCH + value * MICROSECOND


ledger = Table(
    "ledger",
    metadata,
    Column("chain", Text, primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("stream", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("at", Instant, nullable=False),
    Column("law", Text, nullable=False),
    Column("command_id", Text, nullable=False),
    Column("step", Integer, nullable=False),
    Column("hash", Text, nullable=False),
    UniqueConstraint("stream", "version"),
    UniqueConstraint("command_id", "step"),
    CheckConstraint("seq >= 1 AND version >= 1 AND step >= 0", name="counts"),
    Index(None, "kind"),
)

ONLY_GROWS = "o livro só cresce"
# Only questions after one row each, never after the largest: their cost may not grow with the book.
_DOES_NOT_FOLLOW = (
    "NEW.seq < 1 OR EXISTS (SELECT 1 FROM ledger WHERE chain = NEW.chain AND seq = NEW.seq) "
    "OR NEW.seq > 1 AND NOT EXISTS (SELECT 1 FROM ledger WHERE chain = NEW.chain AND seq = NEW.seq - 1) "
    "OR NEW.at < (SELECT at FROM ledger WHERE chain = NEW.chain AND seq = NEW.seq - 1) "
    "OR NEW.version < 1 OR EXISTS (SELECT 1 FROM ledger WHERE stream = NEW.stream AND version = NEW.version) "
    "OR NEW.version > 1 AND NOT EXISTS (SELECT 1 FROM ledger WHERE stream = NEW.stream AND version = NEW.version - 1) "
    "OR EXISTS (SELECT 1 FROM ledger WHERE command_id = NEW.command_id AND step = NEW.step) "
)
SQLITE_GUARDS = (
    f"CREATE TRIGGER ledger_no_update BEFORE UPDATE ON ledger BEGIN SELECT RAISE(ABORT, '{ONLY_GROWS}'); END",
    f"CREATE TRIGGER ledger_no_delete BEFORE DELETE ON ledger BEGIN SELECT RAISE(ABORT, '{ONLY_GROWS}'); END",
    # REPLACE deletes without the trigger above; an entry that does not follow the last one is refused here.
    # SQLite lets any type into any column: an hour or a step that is no whole number would stop the export.
    f"CREATE TRIGGER ledger_next BEFORE INSERT ON ledger WHEN {_DOES_NOT_FOLLOW}"
    "OR typeof(NEW.at) <> 'integer' OR typeof(NEW.step) <> 'integer' "
    f"BEGIN SELECT RAISE(ABORT, '{ONLY_GROWS}'); END",
)
_RAISE = f"RAISE EXCEPTION '{ONLY_GROWS}' USING ERRCODE = 'integrity_constraint_violation';"
POSTGRESQL_GUARDS = (
    f"CREATE OR REPLACE FUNCTION ledger_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {_RAISE} END $$",
    # A session that first wrote while the book was short would go on reading all of it for every entry.
    "CREATE OR REPLACE FUNCTION ledger_follows() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$ "
    f"BEGIN IF {_DOES_NOT_FOLLOW} THEN {_RAISE} END IF; RETURN NEW; END $$",
    "CREATE TRIGGER ledger_no_change BEFORE UPDATE OR DELETE ON ledger "
    "FOR EACH ROW EXECUTE FUNCTION ledger_only_grows()",
    "CREATE TRIGGER ledger_no_truncate BEFORE TRUNCATE ON ledger "
    "FOR EACH STATEMENT EXECUTE FUNCTION ledger_only_grows()",
    "CREATE TRIGGER ledger_next BEFORE INSERT ON ledger FOR EACH ROW EXECUTE FUNCTION ledger_follows()",
    # ALWAYS: also for a session that calls itself a replica, to which ordinary triggers do not apply.
    *(f"ALTER TABLE ledger ENABLE ALWAYS TRIGGER ledger_{name}" for name in ("no_change", "no_truncate", "next")),
)
for _dialect, _guards in (("sqlite", SQLITE_GUARDS), ("postgresql", POSTGRESQL_GUARDS)):
    for _guard in _guards:
        event.listen(ledger, "after_create", DDL(_guard.replace("%", "%%")).execute_if(dialect=_dialect))


@dataclass(frozen=True, slots=True)
class Draft:
    """A fact on its way into the book."""

    stream: str
    version: int
    fact: Any
    actor: str
    role: str
    at: datetime
    law: str
    command_id: str
    step: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the book. `body` is plain data; `fact` is the value it stands for."""

    chain: str
    seq: int
    stream: str
    version: int
    kind: str
    body: dict[str, Any]
    actor: str
    role: str
    at: datetime
    law: str
    command_id: str
    step: int
    hash: str

    @property
    def fact(self) -> Any:
        """The fact as a value; CodecError when the body does not fit its kind, or nothing here is of that kind."""
        if self.kind not in FACTS:
            raise CodecError(f"no fact is called {self.kind}")
        return from_plain(FACTS[self.kind], self.body)

    def public(self) -> dict[str, Any]:
        """The entry as exported: the fields of the format `tender-book/1`."""
        return {
            "actor": self.actor,
            "at": instant_text(self.at),
            "body": self.body,
            "chain": self.chain,
            "command": self.command_id,
            "hash": self.hash,
            "kind": self.kind,
            "law": self.law,
            "role": self.role,
            "seq": self.seq,
            "step": self.step,
            "stream": self.stream,
            "version": self.version,
        }


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a chain: number, hash and hour of its last entry (0, genesis and 1970 when empty)."""

    seq: int
    hash: str
    at: datetime


def status_column(machine: Machine[Any]) -> Column[str]:
    """A status column that the database itself holds to the machine's statuses (a second assertion)."""
    # Quoted for SQL, and the colon for SQLAlchemy, which takes `:word` for a parameter.
    values = ", ".join("'" + status.value.replace("'", "''").replace(":", r"\:") + "'" for status in machine.statuses())
    held = CheckConstraint(f"status IN ({values})", name=f"{machine.name}_status")
    return Column("status", Text, held, nullable=False)


def chain_of(stream: str) -> str:
    """The chain a stream belongs to: its edital's, or the register of permits.

    >>> chain_of("stand/001-2027/3")
    'edital/001-2027'
    """
    kind, _, rest = stream.partition("/")
    if kind in ("edital", "application", "stand", "award"):
        return f"edital/{rest.partition('/')[0]}"
    return "permits" if kind == "permit" else stream


def open_engine(url: str) -> Engine:
    """Engine for SQLite or PostgreSQL with the product's transaction rules (see `writing`)."""
    if not url.startswith("sqlite"):
        return create_engine(url, pool_pre_ping=True, **POOL)
    waits = {"timeout": BUSY_TIMEOUT_MS / 1000, "check_same_thread": False}
    engine = create_engine(url, connect_args=waits, **POOL)

    @event.listens_for(engine, "connect")
    def _set_up(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={BUSY_TIMEOUT_MS}"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # A deferred read-then-write fails at once with "database is locked": writers queue at BEGIN instead.
        write = connection.get_execution_options().get("write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    return engine


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """One write transaction: committed at the end, rolled back on any exception."""
    with engine.connect().execution_options(write=True) as tx, tx.begin():
        yield tx


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """One read transaction; it never waits for the writer."""
    with engine.connect() as tx, tx.begin():
        yield tx


def _entry(row: Any) -> Entry:
    data = dict(row._mapping)
    data["body"] = json.loads(data["body"])
    return Entry(**data)


class Book:
    """Append to, read and export the book. Methods take the caller's transaction first."""

    def head(self, tx: Connection, chain: str) -> Head:
        """End of the chain."""
        query = select(ledger.c.seq, ledger.c.hash, ledger.c.at).where(ledger.c.chain == chain)
        row = tx.execute(query.order_by(ledger.c.seq.desc()).limit(1)).first()
        return Head(row.seq, row.hash, row.at) if row else Head(0, verifier.genesis(chain), EPOCH)

    def version(self, tx: Connection, stream: str) -> int:
        """Version of the stream: how many facts it has."""
        query = select(ledger.c.version).where(ledger.c.stream == stream).order_by(ledger.c.version.desc()).limit(1)
        return tx.execute(query).scalar() or 0

    def append(self, tx: Connection, chain: str, drafts: Sequence[Draft], head: Head | None = None) -> list[Entry]:
        """Write facts at the end of the chain and return their entries. `head`: the chain's end, when known.

        IntegrityError when another writer was faster; hours never go backwards within a chain. CodecError or
        AssertionError for a fact that would not be read back as it is, ValueError when it is too long for a line.
        """
        last = self.head(tx, chain) if head is None else head
        entries: list[Entry] = []
        for draft in drafts:
            assert chain_of(draft.stream) == chain, f"{draft.stream} is not of {chain}"
            entry = Entry(
                chain=chain,
                seq=last.seq + 1,
                stream=draft.stream,
                version=draft.version,
                kind=type(draft.fact).__name__,
                body=_readable(draft.fact),
                actor=draft.actor,
                role=draft.role,
                at=max(draft.at, last.at),
                law=draft.law,
                command_id=draft.command_id,
                step=draft.step,
                hash="",
            )
            sealed = verifier.entry_hash(last.hash, entry.public())
            entry = _with_hash(entry, sealed)
            last = Head(entry.seq, sealed, entry.at)
            entries.append(entry)
        if entries:
            tx.execute(insert(ledger), [_row(entry) for entry in entries])
        return entries

    def load(self, tx: Connection, stream: str, after: int = 0) -> list[Entry]:
        """Entries of a stream with a version above `after`, in order."""
        query = select(ledger).where(ledger.c.stream == stream, ledger.c.version > after).order_by(ledger.c.version)
        return [_entry(row) for row in tx.execute(query)]

    def of_command(self, tx: Connection, command_id: str) -> list[Entry]:
        """What a command wrote, consequences included, in order."""
        query = select(ledger).where(ledger.c.command_id == command_id).order_by(ledger.c.step)
        return [_entry(row) for row in tx.execute(query)]

    def entries(self, tx: Connection, chain: str, after: int = 0, limit: int | None = None) -> Iterator[Entry]:
        """Entries of a chain above `after`, in order, streamed."""
        query = select(ledger).where(ledger.c.chain == chain, ledger.c.seq > after).order_by(ledger.c.seq)
        # On the statement: on the connection the option would stay for whatever the caller asks next.
        asked = (query if limit is None else query.limit(limit)).execution_options(yield_per=500)
        with tx.execute(asked) as rows:  # whoever stops in the middle leaves no cursor behind
            for row in rows:
                yield _entry(row)

    def chains(self, tx: Connection) -> list[str]:
        """Names of all chains, editais first, in order of name."""
        return sorted(tx.execute(select(ledger.c.chain).distinct()).scalars(), key=lambda c: (c == "permits", c))

    def export(self, tx: Connection, chain: str) -> Iterator[bytes]:
        """The chain as JSONL in the format `tender-book/1`, line by line, closed by its head."""
        last = Head(0, verifier.genesis(chain), EPOCH)
        for entry in self.entries(tx, chain):
            yield (verifier.canonical(entry.public()) + "\n").encode()
            last = Head(entry.seq, entry.hash, entry.at)
        yield (verifier.closing_line(chain, last.seq, last.hash) + "\n").encode()


def export_in_portions(engine: Engine, chain: str, portion: int = 500) -> Iterator[bytes]:
    """The chain as `Book.export` gives it, up to the head it has now, each portion read in a transaction of its own.

    For downloads: whoever reads slowly, or not at all, holds neither a connection nor old pages of the database.
    """
    book = Book()
    with reading(engine) as tx:
        head = book.head(tx, chain)
    for start in range(0, head.seq, portion):
        with reading(engine) as tx:
            entries = list(book.entries(tx, chain, after=start, limit=min(portion, head.seq - start)))
        for entry in entries:
            yield (verifier.canonical(entry.public()) + "\n").encode()
    yield (verifier.closing_line(chain, head.seq, head.hash) + "\n").encode()


def _readable(fact: Any) -> dict[str, Any]:
    # A fact that cannot be read back would stop its stream for ever: nobody can take it out again.
    kind, body = type(fact).__name__, to_plain(fact)
    assert FACTS.get(kind) is type(fact), f"{kind} is no fact"
    assert from_plain(type(fact), body) == fact, f"{kind} would be read back as another: {body}"
    return dict(body)


def _with_hash(entry: Entry, sealed: str) -> Entry:
    values = {name: getattr(entry, name) for name in Entry.__dataclass_fields__}
    return Entry(**{**values, "hash": sealed})


def _row(entry: Entry) -> dict[str, Any]:
    row = {name: getattr(entry, name) for name in Entry.__dataclass_fields__}
    row["body"] = verifier.canonical(entry.body)
    return row


def import_lines(tx: Connection, lines: Iterable[bytes]) -> int:
    """Put an exported book into an empty chain of this database, checked line by line; returns how many entries.

    BookFault when the export is not whole; used to restore and to replay golden books.
    """
    kept = list(lines)
    verifier.verify(iter(kept))
    rows = []
    for line in kept[:-1]:
        data = json.loads(line)
        if chain_of(data["stream"]) != data["chain"]:
            raise verifier.BookFault(data["seq"], f"{data['stream']} não é deste livro")
        data["command_id"] = data.pop("command")
        data["at"] = instant_from(data["at"])
        rows.append(_row(Entry(**data)))
    for start in range(0, len(rows), 500):
        tx.execute(insert(ledger), rows[start : start + 500])
    return len(rows)
