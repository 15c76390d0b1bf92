"""The folder of migrations: one line of records that lean on nothing, and whatever fails in one is taken back."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, insert, select, text
from sqlalchemy.exc import IntegrityError

from tender.ledger import EPOCH, metadata, open_engine, reading, writing
from tender.people.tables import offices, persons
from tender.schema import alembic_config, alone, draft, share, upgrade
from tests.databases import HEAD, REVISIONS, anatomy, at, differences, to


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """A database with nothing in it."""
    opened = open_engine(database_url)
    yield opened
    opened.dispose()


def revisions() -> list[Path]:
    """The migrations, in order."""
    return sorted((share("migrations") / "versions").glob("*.py"))


def test_there_is_one_head_and_one_line_of_ancestors_in_the_order_of_the_files(engine: Engine) -> None:
    with alone(engine) as tx:
        scripts = ScriptDirectory.from_config(alembic_config(tx))
    assert scripts.get_heads() == [HEAD]
    line = [script.revision for script in scripts.walk_revisions()][::-1]
    assert line == REVISIONS


@pytest.mark.parametrize("path", revisions(), ids=lambda path: path.stem)
def test_a_migration_does_not_change_when_the_program_does(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    modules += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    assert {module.split(".")[0] for module in modules} == {"__future__", "alembic", "sqlalchemy"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the migrations, to add to; its name is one that settings files trip over."""
    copy = tmp_path / "50% of %(here)s"
    shutil.copytree(share("migrations"), copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def added(folder: Path, body: str) -> None:
    """Add one more migration, which does this on its way up."""
    head = f'import sqlalchemy as sa\nfrom alembic import op\nrevision = "more"\ndown_revision = "{HEAD}"\n'
    (folder / "versions" / "more.py").write_text(f"{head}def upgrade():\n{body}", "utf-8")


def test_the_draft_of_the_next_migration_can_be_run_and_does_not_lean_on_the_program(
    engine: Engine, folder: Path
) -> None:
    to(engine, "0003")
    for path in revisions()[3:]:
        (folder / "versions" / path.name).unlink()
    draft(engine, "0004", "avisos e o que veio depois", folder)
    (written,) = (folder / "versions").glob("0004_*.py")
    assert "tender" not in written.read_text("utf-8")
    assert "sa.BigInteger()" in written.read_text("utf-8")
    to(engine, "head", folder)
    assert differences(engine, metadata) == []


def test_a_migration_that_fails_leaves_nothing_behind(engine: Engine, folder: Path) -> None:
    to(engine, "0002")
    before = anatomy(engine)
    added(folder, '    op.create_table("half", sa.Column("id", sa.Text()))\n    raise OSError("no more room")\n')
    with pytest.raises(OSError, match="no more room"):
        to(engine, "head", folder)
    assert at(engine) == "0002"
    assert anatomy(engine) == before


def with_a_person(engine: Engine) -> None:
    """A person with an office, which refers to them."""
    upgrade(engine)
    with writing(engine) as tx:
        tx.execute(insert(persons), {"id": "p_1", "password_hash": "x", "created_at": EPOCH})
        row = {"id": "x_1", "person": "p_1", "role": "mayor", "act": "x", "granted_by": "x", "granted_at": EPOCH}
        tx.execute(insert(offices), row)


def test_a_table_that_others_refer_to_can_be_altered(engine: Engine, folder: Path) -> None:
    with_a_person(engine)
    added(
        folder,
        '    with op.batch_alter_table("persons") as batch:\n'
        '        batch.alter_column("password_hash", existing_type=sa.Text(), nullable=True)\n',
    )
    to(engine, "head", folder)
    with writing(engine) as tx:
        tx.execute(text("UPDATE persons SET password_hash = NULL"))
        assert tx.execute(text("SELECT person FROM offices JOIN persons ON persons.id = person")).scalar() == "p_1"
    with pytest.raises(IntegrityError), writing(engine) as tx:
        tx.execute(text("DELETE FROM persons"))


def test_a_migration_that_leaves_rows_without_what_they_refer_to_is_taken_back(engine: Engine, folder: Path) -> None:
    with_a_person(engine)
    added(folder, '    op.execute("DELETE FROM persons")\n')
    with pytest.raises((RuntimeError, IntegrityError), match=r"apontam para o nada|fk_offices_person"):
        to(engine, "head", folder)
    assert at(engine) == HEAD
    with reading(engine) as tx:
        assert tx.execute(select(persons.c.id)).scalars().all() == ["p_1"]
