"""What the databases themselves refuse to whoever speaks SQL to them: the book only grows, entry after entry."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import IntegrityError

from tender import verifier
from tender.ledger import EPOCH, ledger, metadata, open_engine, writing
from tests.books import CHAIN, NOON, SECOND, counted, exported, filled


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """An empty book, on SQLite and on PostgreSQL."""
    opened = open_engine(database_url)
    metadata.create_all(opened)
    yield opened
    opened.dispose()


def ask(engine: Engine, *statements: str, **values: Any) -> None:
    """Raw SQL in one transaction; `values` are for the last statement."""
    with writing(engine) as tx:
        for statement in statements[:-1]:
            tx.execute(text(statement))
        tx.execute(text(statements[-1]), values)


def is_refused(engine: Engine, *statements: str, **values: Any) -> None:
    """The database refuses raw SQL and nothing has changed."""
    before = exported(engine)
    with pytest.raises(IntegrityError):
        ask(engine, *statements, **values)
    assert exported(engine) == before


CHANGES = (
    "UPDATE ledger SET actor = 'outro' WHERE seq = 2",
    "UPDATE ledger SET actor = actor",
    "DELETE FROM ledger WHERE seq = 3",
    "DELETE FROM ledger",
)
CHANGES_IN_SQLITE = (
    "UPDATE OR REPLACE ledger SET seq = 2 WHERE seq = 3",
    "UPDATE OR IGNORE ledger SET body = '{}'",
)
CHANGES_IN_POSTGRESQL = (
    "TRUNCATE ledger",
    "TRUNCATE ledger RESTART IDENTITY CASCADE",
    "MERGE INTO ledger USING (SELECT 1) AS s ON seq = 2 WHEN MATCHED THEN UPDATE SET actor = 'outro'",
    "WITH gone AS (DELETE FROM ledger WHERE seq = 3 RETURNING *) SELECT * FROM gone",
)


def test_no_entry_is_changed_or_removed_by_whatever_statement(engine: Engine) -> None:
    filled(engine)
    for statement in (*CHANGES, *(CHANGES_IN_SQLITE if engine.dialect.name == "sqlite" else CHANGES_IN_POSTGRESQL)):
        is_refused(engine, statement)


COLUMNS = [column.name for column in ledger.columns]
INSERT = f"INSERT INTO ledger ({', '.join(COLUMNS)}) VALUES (:{', :'.join(COLUMNS)})"  # noqa: S608 - constant
UPSERTS = tuple(
    f"{INSERT} ON CONFLICT ({key}) DO UPDATE SET body = excluded.body, hash = excluded.hash"
    for key in ("chain, seq", "stream, version", "command_id, step")
)
REPLACES = tuple(INSERT.replace("INSERT", way) for way in ("REPLACE", "INSERT OR REPLACE", "INSERT OR ROLLBACK"))


def ways_in(engine: Engine) -> tuple[str, ...]:
    """Statements that insert a row, or replace one were there no guard."""
    return (INSERT, *UPSERTS, *(REPLACES if engine.dialect.name == "sqlite" else ()))


def row(seq: int, **changes: Any) -> dict[str, Any]:
    """A row as a forger would write it after `filled`: like an honest one but for its hash and the changes."""
    at = (NOON + seq * SECOND - EPOCH) // timedelta(microseconds=1)
    return {
        "chain": CHAIN, "seq": seq, "stream": CHAIN, "version": seq, "kind": "ActProposed", "body": "{}",
        "actor": "x", "role": "x", "at": at, "law": "x", "command_id": f"forjado-{seq}", "step": 0, "hash": "0" * 64,
        **changes,
    }  # fmt: skip


FORGED = {
    "an entry written again": row(3),
    "an entry written again for its own request": row(3, command_id=f"{CHAIN}#3"),
    "a gap": row(5, version=4),
    "far away": row(2_000_000_000, version=4),
    "before the first": row(0, version=4),
    "a negative number": row(-1, version=4),
    "a gap in the stream": row(4, version=5),
    "an old version of the stream": row(4, version=3),
    "version zero": row(4, version=0, stream="stand/001-2027/1"),
    "a new stream that does not begin with 1": row(4, version=2, stream="stand/001-2027/1"),
    "a step of a request written again": row(4, command_id=f"{CHAIN}#2"),
    "a negative step": row(4, step=-1),
    "an hour before the last one": row(4, at=row(1)["at"]),
    "a new chain that does not begin with 1": row(2, chain="permits", stream="permit/1", version=1),
}  # fmt: skip


def test_an_entry_that_does_not_follow_is_refused_by_whatever_statement(engine: Engine) -> None:
    filled(engine)
    for forged in FORGED.values():
        for statement in ways_in(engine):
            is_refused(engine, statement, **forged)


def test_no_column_may_be_empty(engine: Engine) -> None:
    filled(engine)
    for column in COLUMNS:
        for statement in ways_in(engine):
            is_refused(engine, statement, **{**row(4), column: None})


def test_an_entry_to_be_ignored_when_it_does_not_fit_is_never_in_the_place_of_another(sqlite_url: str) -> None:
    engine = open_engine(sqlite_url)
    metadata.create_all(engine)
    filled(engine)
    before = exported(engine)
    for forged in FORGED.values():
        try:
            ask(engine, INSERT.replace("INSERT", "INSERT OR IGNORE"), **forged)
        except IntegrityError:
            continue
        assert forged["step"] == -1  # left out without a word: IGNORE overrules a CHECK, not a trigger
    assert exported(engine) == before
    engine.dispose()


def test_replacing_is_refused_though_it_does_not_fire_the_trigger_that_forbids_removing(sqlite_url: str) -> None:
    engine = open_engine(sqlite_url)
    metadata.create_all(engine)
    filled(engine)
    with writing(engine) as tx:
        assert tx.exec_driver_sql("PRAGMA recursive_triggers").scalar() == 0
    is_refused(engine, REPLACES[0], **row(3))
    engine.dispose()


def test_sqlite_that_takes_anything_takes_only_whole_numbers_here(sqlite_url: str) -> None:
    engine = open_engine(sqlite_url)
    metadata.create_all(engine)
    filled(engine)
    for column, wrong in (
        ("at", "tarde"),
        ("at", 2e15 + 0.5),
        ("step", 0.5),
        ("step", "a"),
        ("seq", 4.5),
        ("version", "d"),
    ):
        is_refused(engine, INSERT, **{**row(4), column: wrong})
    engine.dispose()


@pytest.mark.postgres
def test_guards_hold_in_a_session_that_calls_itself_a_replica(postgres_url: str) -> None:
    engine = open_engine(postgres_url)
    metadata.create_all(engine)
    filled(engine)
    replica = "SET LOCAL session_replication_role = replica"
    for statement in (*CHANGES, *CHANGES_IN_POSTGRESQL):
        is_refused(engine, replica, statement)
    is_refused(engine, replica, INSERT, **row(5))
    engine.dispose()


@pytest.mark.postgres
def test_a_copy_into_the_book_must_follow_too(postgres_url: str) -> None:
    engine = open_engine(postgres_url)
    metadata.create_all(engine)
    filled(engine)
    is_refused(
        engine,
        "CREATE TEMP TABLE stage AS SELECT * FROM ledger",
        "UPDATE stage SET seq = seq + 3, version = version + 3, command_id = command_id || 'x'",
        "INSERT INTO ledger SELECT * FROM stage ORDER BY seq DESC",
    )
    engine.dispose()


def test_what_follows_passes_the_guards_and_only_the_hash_tells_that_it_is_forged(engine: Engine) -> None:
    filled(engine)
    ask(engine, INSERT, **row(4))
    ask(engine, INSERT, **row(1, chain="permits", stream="permit/1", command_id="a", step=7))
    assert counted(engine) == 5
    with pytest.raises(verifier.BookFault) as fault:
        verifier.verify(iter(exported(engine)))
    assert fault.value.entry == 4
