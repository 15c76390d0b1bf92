"""Migrations make what the program describes, on both databases, and lose nothing that cannot be rebuilt."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from sqlalchemy import BigInteger, Column, Engine, MetaData, Table, Text, event, insert, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError

import tender.app  # noqa: F401 - every module that owns a table is loaded by it
from tender.ledger import EPOCH, NAMING, metadata, open_engine, projections, reading, writing
from tender.people.tables import name_readings, people_log, persons
from tender.schema import UnfitDatabase, alembic_config, alone, upgrade
from tests.books import exported, filled
from tests.databases import HEAD, REVISIONS, anatomy, at, back, differences, tables, to

ROOT = Path(__file__).parent.parent


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """A database with nothing in it."""
    opened = open_engine(database_url)
    yield opened
    opened.dispose()


def copied(**more: Column[Any]) -> MetaData:
    """A copy of the described tables, with a column more in the named ones."""
    copy = MetaData(naming_convention=NAMING)
    for table in metadata.sorted_tables:
        table.to_metadata(copy)
    for name, column in more.items():
        copy.tables[name].append_column(column)
    return copy


# -- what they make ----------------------------------------------------------------------------------------------------


def test_from_nothing_to_the_newest_version(engine: Engine) -> None:
    upgrade(engine)
    assert tables(engine) == set(metadata.tables) | set(projections.tables)
    assert at(engine) == HEAD


def test_no_migration_speaks_of_what_is_computed(engine: Engine) -> None:
    to(engine, "head")
    assert tables(engine) == set(metadata.tables)


def test_migrated_tables_are_those_that_the_program_describes(engine: Engine) -> None:
    to(engine, "head")
    assert differences(engine, metadata) == []
    upgrade(engine)
    with alone(engine) as tx:
        command.check(alembic_config(tx))  # as whoever drafts the next migration has it; raises on a difference


def test_a_table_or_a_column_without_a_migration_is_noticed(engine: Engine) -> None:
    to(engine, "head")
    described = copied(persons=Column("birthday", Text))
    Table("throw_away", described, Column("id", Text, primary_key=True))
    found = differences(engine, described)
    assert {(change[0], getattr(change[-1], "name", "")) for change in found} == {
        ("add_table", "throw_away"),
        ("add_column", "birthday"),
    }


def test_an_hour_is_the_same_type_for_alembic_and_another_type_is_not(engine: Engine) -> None:
    to(engine, "head")
    described = copied()
    described.tables["persons"].c.created_at.type = Text()
    described.tables["persons"].c.name.type = BigInteger()
    (first,), (second,) = differences(engine, described)
    assert {first[0], second[0]} == {"modify_type"}
    assert {first[3], second[3]} == {"created_at", "name"}


def test_checks_keys_indexes_and_triggers_are_those_that_the_program_describes(engine: Engine) -> None:
    to(engine, "head")
    migrated = anatomy(engine)
    back(engine, "base")
    metadata.create_all(engine)
    assert migrated == anatomy(engine)
    assert {"ledger_next", "people_log_no_update"} <= set(migrated["code"])
    assert "ck_ledger_counts" in str(migrated["ledger"]["check_constraints"])


def test_a_missing_trigger_is_seen_in_the_anatomy(engine: Engine) -> None:
    to(engine, "head")
    whole = anatomy(engine)
    with writing(engine) as tx:
        tx.execute(text("DROP TRIGGER ledger_next" + (" ON ledger" if tx.dialect.name == "postgresql" else "")))
    assert anatomy(engine) != whole


def test_guards_refuse_after_the_migration(engine: Engine) -> None:
    to(engine, "head")
    filled(engine)
    before = exported(engine)
    changes = ["UPDATE ledger SET actor = 'outro'", "DELETE FROM ledger", "INSERT INTO ledger SELECT * FROM ledger"]
    for change in changes + ["TRUNCATE ledger"] * (engine.dialect.name == "postgresql"):
        with pytest.raises(IntegrityError), writing(engine) as tx:
            tx.execute(text(change))
    assert exported(engine) == before


def test_what_was_read_of_people_does_not_change_after_the_migration(engine: Engine) -> None:
    to(engine, "head")
    texts = dict.fromkeys(("reader", "what", "subject", "edital", "stand", "why", "by", "address", "detail"), "x")
    for table in (name_readings, people_log):
        with writing(engine) as tx:
            row = {name: value for name, value in texts.items() if name in table.c}
            tx.execute(insert(table), {"id": "x_1", "at": EPOCH, **row})
        with pytest.raises(DBAPIError, match="o registro de acessos não muda"), writing(engine) as tx:
            tx.execute(table.update().values(what="outra coisa"))


LOADED = """
import importlib, pkgutil
import tender.schema
from tender.ledger import metadata, projections
computed = {*projections.tables}
import tender.app
before = {*metadata.tables}, {*projections.tables}
import tender
for module in pkgutil.walk_packages(tender.__path__, "tender."):
    if "._share" not in module.name and not module.name.endswith("__main__"):
        importlib.import_module(module.name)
assert len(before[0]) > 20
assert computed == {*projections.tables}, "a module with a computed table is not loaded by tender.process"
assert before == ({*metadata.tables}, {*projections.tables}), "a module with a table is not loaded by tender.app"
"""


def test_whoever_drafts_a_migration_or_rebuilds_sees_the_tables_of_every_module() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# -- up and down -------------------------------------------------------------------------------------------------------


def test_down_and_up_again(engine: Engine) -> None:
    to(engine, "head")
    whole = anatomy(engine)
    back(engine, "base")
    assert anatomy(engine) == {"code": {}}
    assert at(engine) is None
    for revision in REVISIONS:
        to(engine, revision)
    assert anatomy(engine) == whole


def test_upgrading_twice_changes_nothing(engine: Engine) -> None:
    upgrade(engine)
    said: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda _c, _cu, statement, *_: said.append(statement))
    upgrade(engine)
    assert said
    assert {statement.split()[0] for statement in said} <= {"SELECT", "PRAGMA", "BEGIN"}


def test_a_database_that_a_newer_program_has_migrated_is_left_alone(engine: Engine) -> None:
    upgrade(engine)
    filled(engine)
    with writing(engine) as tx:
        tx.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        tx.execute(text("DROP TABLE bids"))
    before = anatomy(engine)
    with pytest.raises(UnfitDatabase, match="Um programa mais novo já migrou este banco"):
        upgrade(engine)
    assert anatomy(engine) == before


def test_an_older_database_keeps_its_rows_and_its_book_is_read(engine: Engine) -> None:
    to(engine, "0001")
    filled(engine, entries=3)
    before = exported(engine)
    upgrade(engine)
    assert at(engine) == HEAD
    assert exported(engine) == before
    with reading(engine) as tx:
        assert tx.execute(select(projections.tables["proposals"].c.seq)).scalars().all() == [1, 2, 3]


def test_a_book_with_entries_is_not_dropped_and_nothing_else_is_then(engine: Engine) -> None:
    to(engine, "head")
    filled(engine, entries=1)
    before = exported(engine)
    whole = anatomy(engine)
    with pytest.raises(RuntimeError, match="a tabela ledger tem linhas que nada refaz"):
        back(engine, "base")
    assert exported(engine) == before
    assert anatomy(engine) == whole
    assert at(engine) == HEAD


def test_people_are_not_dropped(engine: Engine) -> None:
    to(engine, "head")
    with writing(engine) as tx:
        tx.execute(insert(persons), {"id": "p_1", "password_hash": "x", "created_at": EPOCH})
    with pytest.raises(RuntimeError, match="a tabela persons tem linhas"):
        back(engine, "0001")
    assert tables(engine) == set(metadata.tables)
    back(engine, "0002")
    assert at(engine) == "0002"


UPGRADES = """
import sys
from sqlalchemy import text
from tender.ledger import open_engine, writing
from tender.schema import upgrade
engine = open_engine(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
upgrade(engine)
"""


@pytest.mark.slow
def test_processes_that_upgrade_at_once_do_not_disturb_each_other(engine: Engine, database_url: str) -> None:
    command_line = [sys.executable, "-c", UPGRADES, database_url]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    started = [subprocess.Popen(command_line, cwd=ROOT, text=True, **pipes) for _ in range(2)]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    ends = [process.communicate()[1] for process in started]
    assert [process.returncode for process in started] == [0, 0], ends
    assert at(engine) == HEAD
    assert differences(engine, copied_with_computed()) == []


def copied_with_computed() -> MetaData:
    """All tables of the program, kept and computed."""
    copy = copied()
    for table in projections.sorted_tables:
        table.to_metadata(copy)
    return copy
