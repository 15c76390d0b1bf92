"""Databases on their way through the migrations: moved up and down, and looked at to the last trigger."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, MetaData, inspect, text

from tender.ledger import reading
from tender.schema import alembic_config, alone, share

REVISIONS = [path.stem.split("_")[0] for path in sorted((share("migrations") / "versions").glob("*.py"))]
HEAD = REVISIONS[-1]


def to(engine: Engine, revision: str, folder: Path | None = None) -> None:
    """Migrate the kept tables up to a revision."""
    with alone(engine) as tx:
        command.upgrade(alembic_config(tx, folder), revision)


def back(engine: Engine, revision: str) -> None:
    """Migrate the kept tables down to a revision."""
    with alone(engine) as tx:
        command.downgrade(alembic_config(tx), revision)


def tables(engine: Engine) -> set[str]:
    """Which tables there are, Alembic's own apart."""
    return set(inspect(engine).get_table_names()) - {"alembic_version"}


def at(engine: Engine) -> str | None:
    """The revision that the database says it has."""
    with reading(engine) as tx:
        return MigrationContext.configure(tx).get_current_revision()


def differences(engine: Engine, described: MetaData) -> list[Any]:
    """What Alembic would change in the database."""
    with reading(engine) as tx:
        return compare_metadata(MigrationContext.configure(tx, opts={"compare_type": True}), described)


SQLITE_CODE = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
POSTGRES_CODE = (
    "SELECT tgname, pg_get_triggerdef(oid) || tgenabled::text FROM pg_trigger WHERE NOT tgisinternal "
    "UNION SELECT proname || '()', pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
)


def anatomy(engine: Engine) -> dict[str, Any]:
    """Everything a database says about its tables: also what Alembic does not compare (checks, keys, triggers)."""
    with reading(engine) as tx:
        code = SQLITE_CODE if tx.dialect.name == "sqlite" else POSTGRES_CODE
        seen = inspect(tx)
        found: dict[str, Any] = {"code": {row[0]: row[1] for row in tx.execute(text(code))}}
        for aspect in (
            "columns",
            "pk_constraint",
            "unique_constraints",
            "check_constraints",
            "foreign_keys",
            "indexes",
        ):
            for (_, table), what in getattr(seen, f"get_multi_{aspect}")().items():
                if table != "alembic_version":
                    # As text: conditions and types are not equal to themselves when they are read twice.
                    parts = what if isinstance(what, list) else [what]
                    found.setdefault(table, {})[aspect] = sorted(str(part) for part in map(spelled, parts))
    return found


def spelled(part: dict[str, Any]) -> dict[str, Any]:
    """A column, key or index with everything in it as text."""
    return {name: spelled(item) if isinstance(item, dict) else str(item) for name, item in sorted(part.items())}
