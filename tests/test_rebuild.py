"""What is computed from the book is the same when it is computed again, and only a book that verifies is replayed."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event, insert, select, text

from tender import verifier
from tender.ledger import Entry, ledger, open_engine, projections, reading, writing
from tender.schema import UnfitDatabase, projection_shape, rebuild, upgrade
from tests.books import BOOK, CHAIN, NOON, SECOND, counted, draft
from tests.days import a_day, another_tender
from tests.town import Town

ROOT = Path(__file__).parent.parent
Rows = dict[str, list[tuple[Any, ...]]]


def computed(engine: Engine) -> Rows:
    """All rows of all computed tables, in an order of their own."""
    with reading(engine) as tx:
        return {
            name: sorted((tuple(row) for row in tx.execute(select(table))), key=repr)
            for name, table in projections.tables.items()
        }


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """A database at the newest version, with nothing in it."""
    opened = open_engine(database_url)
    upgrade(opened)
    yield opened
    opened.dispose()


@pytest.fixture
def town(engine: Engine, database_url: str, tmp_path: Path) -> Iterator[Town]:
    """A municipality on the migrated database."""
    made = Town(database_url, tmp_path, create=False)
    yield made
    made.close()


def written(engine: Engine, entries: int = 3, chain: str = CHAIN) -> list[Entry]:
    """So many acts of a chain that wait for a second member, each another."""
    with writing(engine) as tx:
        ready = []
        for number in range(1, entries + 1):
            made = draft(number, NOON + number * SECOND, chain)
            mark = hashlib.sha256(f"{chain} {number}".encode()).hexdigest()
            ready.append(replace(made, fact=replace(made.fact, digest=mark)))
        return BOOK.append(tx, chain, ready)


# -- the same again ----------------------------------------------------------------------------------------------------


def test_after_a_real_day_everything_computed_is_the_same_when_it_is_computed_again(town: Town) -> None:
    a_day(town)
    another_tender(town)
    before = computed(town.engine)
    assert [name for name, rows in before.items() if not rows] == [], "tests/days.py has nothing for these tables"
    assert rebuild(town.engine) == counted(town.engine)
    assert computed(town.engine) == before


def test_what_was_tampered_with_is_put_right(town: Town) -> None:
    a_day(town)
    before = computed(town.engine)
    with writing(town.engine) as tx:
        for statement in (
            "UPDATE bids SET amount_centavos = amount_centavos + 1",
            "UPDATE contests SET leader = 'outro' WHERE stand = 1",
            "DELETE FROM applications",
            "INSERT INTO bidders SELECT edital, 9, bidder, number FROM bidders WHERE stand = 1",
            "ALTER TABLE documents ADD COLUMN forged TEXT",
            "DROP TABLE award_queue",
        ):
            tx.execute(text(statement))
    rebuild(town.engine)
    assert computed(town.engine) == before


def test_who_has_read_before_reads_on_with_the_same_connection(engine: Engine) -> None:
    written(engine, entries=2)
    rebuild(engine)
    with engine.connect() as reader:
        for _ in range(10):  # often enough for the statement to be prepared on PostgreSQL
            assert len(reader.execute(select(projections.tables["proposals"])).all()) == 2
            reader.rollback()
        written(engine, entries=1, chain="permits")
        assert rebuild(engine) == 3
        assert len(reader.execute(select(projections.tables["proposals"])).all()) == 3


def test_a_long_book_is_read_in_portions(engine: Engine) -> None:
    written(engine, entries=1100)
    assert rebuild(engine) == 1100
    assert len(computed(engine)["proposals"]) == 1100


def test_permits_are_replayed_last(engine: Engine) -> None:
    for chain in ("permits", "vistoria", "edital/002-2027", "edital/001-2027"):
        written(engine, entries=1, chain=chain)
    order: list[str] = []

    def watch(_tx: Any, _cursor: Any, statement: str, values: Any, *_: Any) -> None:
        if statement.startswith("INSERT INTO proposals"):
            order.append(values["chain"] if isinstance(values, dict) else values[0])

    event.listen(engine, "before_cursor_execute", watch)
    rebuild(engine)
    assert order == ["edital/001-2027", "edital/002-2027", "vistoria", "permits"]


def test_the_desk_writes_on_meanwhile_and_nothing_of_it_is_lost(town: Town) -> None:
    town.to_session(bidders=2)
    town.start(1)
    failed: list[BaseException] = []
    done = threading.Semaphore(0)

    def bid() -> None:
        for number in range(25):
            try:
                town.bid(1, number % 2, 10_000 + 200 * number)
            except BaseException as error:
                failed.append(error)
            done.release()

    bidding = threading.Thread(target=bid)
    bidding.start()
    counts = []
    for _ in range(5):  # each while the bidders go on; not one after the other, or they would starve
        for _ in range(4):
            done.acquire()
        counts.append(rebuild(town.engine))
    bidding.join()
    assert failed == []
    assert counts == sorted(counts)
    before = computed(town.engine)
    assert len(before["bids"]) == 25
    rebuild(town.engine)
    assert computed(town.engine) == before


WAITING = (
    "SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database "
    "WHERE NOT granted AND datname = current_database()"
)


@pytest.mark.postgres
def test_a_rebuild_and_the_desk_do_not_wait_for_each_other(postgres_url: str, tmp_path: Path) -> None:
    town = Town(postgres_url, tmp_path, create=False)
    upgrade(town.engine)
    rebuilding = threading.Thread(target=rebuild, args=(town.engine,))
    with writing(town.engine) as batch:
        town.desk._lock_chains(batch, ())
        batch.execute(select(projections.tables["applications"])).all()
        rebuilding.start()
        while not batch.execute(text(WAITING)).scalar():
            pass
        for table in projections.sorted_tables:
            batch.execute(select(table)).all()  # PostgreSQL would end one of the two, were it not for the desk's lock
    rebuilding.join()
    town.close()


# -- when the tables of the program are others -------------------------------------------------------------------------


def test_tables_of_another_shape_are_filled_again_by_an_upgrade(town: Town) -> None:
    a_day(town)
    before = computed(town.engine)
    with writing(town.engine) as tx:
        tx.execute(text("UPDATE projection_shape SET sha256 = 'of an older program'"))
        tx.execute(text("ALTER TABLE stands DROP COLUMN decree"))
    upgrade(town.engine)
    assert computed(town.engine) == before


def test_a_computed_table_that_is_missing_is_filled_by_an_upgrade(town: Town) -> None:
    a_day(town)
    before = computed(town.engine)
    with writing(town.engine) as tx:
        tx.execute(text("DROP TABLE bids"))
    upgrade(town.engine)
    assert computed(town.engine) == before


SHAPE = """
import sys
from tender.ledger import open_engine, reading
from tender.schema import _shape
with reading(open_engine(sys.argv[1])) as tx:
    print(_shape(tx))
"""


def test_the_shape_of_the_tables_is_the_same_in_every_process(sqlite_url: str) -> None:
    seen = {
        subprocess.run(
            [sys.executable, "-c", SHAPE, sqlite_url],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


# -- a book that does not verify ---------------------------------------------------------------------------------------


def forge(engine: Engine, *statements: str) -> None:
    """Change the book as somebody with the keys of the database can: without its guards."""
    with writing(engine) as tx:
        guards = "ledger_no_change ledger_no_truncate ledger_next".split()
        if tx.dialect.name == "sqlite":
            guards = "ledger_no_update ledger_no_delete ledger_next".split()
        for guard in guards:
            tx.execute(text(f"DROP TRIGGER {guard}" + (" ON ledger" if tx.dialect.name == "postgresql" else "")))
        for statement in statements:
            tx.execute(text(statement))


BROKEN = {
    "another content": ("UPDATE ledger SET body = '{}' WHERE seq = 2", "registro 2: o hash não confere"),
    "another hour": ("UPDATE ledger SET at = at + 1 WHERE seq = 3", "registro 3: o hash não confere"),
    "an hour beyond all years": (
        "UPDATE ledger SET at = 9000000000000000000 WHERE seq = 2",
        "registro 2: não pode ser",
    ),
    "no JSON": ("UPDATE ledger SET body = '{' WHERE seq = 2", "registro 2: não pode ser lido"),
    "an entry removed": ("DELETE FROM ledger WHERE seq = 2", "registro 2: aqui deveria estar o registro 2, está o 3"),
    "of another book": ("UPDATE ledger SET stream = 'permit/1' WHERE seq = 2", "registro 2: permit/1 não é deste"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_book_that_does_not_verify_is_not_replayed(engine: Engine, kind: str) -> None:
    written(engine, entries=3)
    rebuild(engine)
    statement, says = BROKEN[kind]
    forge(engine, statement, "UPDATE proposals SET content = 'marcado'")
    before = computed(engine)
    with pytest.raises(UnfitDatabase) as told:
        rebuild(engine)
    assert str(told.value).startswith(f"O livro {CHAIN} não confere: {says}")
    assert str(told.value).endswith(". Nada foi mudado.")
    assert computed(engine) == before != {}


def test_a_fault_in_the_last_chain_takes_back_what_was_replayed_of_the_others(engine: Engine) -> None:
    written(engine)
    written(engine, chain="permits")
    rebuild(engine)
    forge(engine, "UPDATE ledger SET actor = 'outro' WHERE chain = 'permits' AND seq = 3", "DELETE FROM proposals")
    with pytest.raises(UnfitDatabase, match="O livro permits não confere: registro 3"):
        rebuild(engine)
    assert computed(engine)["proposals"] == []


def test_facts_of_a_newer_program_are_not_guessed_at(engine: Engine) -> None:
    (last,) = written(engine, entries=1)
    rebuild(engine)
    before = computed(engine)
    newer = replace(last, seq=2, version=2, kind="CoisaNova", body={}, command_id="novo")
    row = {**dataclasses.asdict(newer), "body": "{}", "hash": verifier.entry_hash(last.hash, newer.public())}
    with writing(engine) as tx:
        tx.execute(insert(ledger), row)
    with pytest.raises(UnfitDatabase, match=r"Este programa não entende o livro .*: no fact is called CoisaNova"):
        rebuild(engine)
    assert computed(engine) == before


def test_without_a_book_there_is_nothing_to_rebuild(database_url: str) -> None:
    empty = open_engine(database_url)
    with pytest.raises(UnfitDatabase, match="tender db upgrade"):
        rebuild(empty)
    empty.dispose()


# -- interrupted, and from the command line ----------------------------------------------------------------------------

KILLED = """
import os, signal, sys
from sqlalchemy import event
from tender.ledger import open_engine
from tender.schema import rebuild
engine, seen = open_engine(sys.argv[1]), []

@event.listens_for(engine, "before_cursor_execute")
def die(_tx, _cursor, statement, *_):
    seen.append(statement.startswith("INSERT INTO proposals"))
    if sum(seen) == 3:
        os.kill(os.getpid(), signal.SIGKILL)

rebuild(engine)
"""


def test_a_process_killed_while_it_rebuilds_leaves_everything_as_it_was(engine: Engine, database_url: str) -> None:
    written(engine, entries=5)
    rebuild(engine)
    with writing(engine) as tx:
        tx.execute(text("UPDATE proposals SET content = 'marcado' WHERE seq = 4"))
    before = computed(engine)
    done = subprocess.run([sys.executable, "-c", KILLED, database_url], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    assert computed(engine) == before
    assert rebuild(engine) == 5
    assert "marcado" not in str(computed(engine))


@pytest.fixture
def tender(database_url: str, tmp_path: Path) -> Callable[..., tuple[int, str, str]]:
    """The `tender` command with the settings of an installation: its exit code and what it said."""
    environment = {
        **os.environ,
        "TENDER_DATABASE_URL": database_url,
        "TENDER_DATA_DIR": str(tmp_path),
        "TENDER_SECRET_KEY": "x" * 48,
        "TENDER_FILES_KEY": "A" * 43 + "=",
        "TENDER_BASE_URL": "https://licitacoes.exemplo.invalid",
    }

    def run(*arguments: str) -> tuple[int, str, str]:
        line = [sys.executable, "-m", "tender.cli", *arguments]
        done = subprocess.run(line, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.mark.slow
def test_the_command_upgrades_rebuilds_and_refuses(
    tender: Callable[..., tuple[int, str, str]], database_url: str
) -> None:
    code, _, said = tender("rebuild")
    assert (code, said) == (1, "Neste banco não há livro: rode antes `tender db upgrade`.\n")
    assert tender("db", "upgrade") == (0, "O banco está na versão mais nova.\n", "")
    engine = open_engine(database_url)
    written(engine, entries=3)
    assert tender("rebuild") == (0, "Refeito a partir de 3 registros do livro.\n", "")
    before = computed(engine)
    assert len(before["proposals"]) == 3
    forge(engine, "UPDATE ledger SET role = 'outro' WHERE seq = 1")
    code, out, said = tender("rebuild")
    assert (code, out) == (1, "")
    assert said == (
        f"O livro {CHAIN} não confere: registro 1: o hash não confere com o conteúdo e o registro anterior. "
        "Nada foi mudado.\n"
    )
    with writing(engine) as tx:
        tx.execute(projection_shape.delete())
    before = computed(engine)
    assert tender("db", "upgrade") == (1, "", said)
    assert computed(engine) == before
    engine.dispose()
