"""Alembic's way in: transaction and tables come from the program, so the two cannot disagree.

`tender.schema.alone` opens the transaction; all migrations of an upgrade happen in it, or none. The next migration is
drafted on a migrated database with `tender.schema.draft`, which first loads every module that owns a table, and is
then split by hand, one small function a table. To migrate, no table need be loaded.
"""

from __future__ import annotations

from typing import Any

from alembic import context
from sqlalchemy import Connection

from tender.ledger import Instant, metadata, projections


def is_kept(name: str | None, kind: str, _parents: Any) -> bool:
    """False for what is computed from the book: a migration never speaks of it."""
    return kind != "table" or name not in projections.tables


def written(kind: str, item: Any, _autogen: Any) -> str | bool:
    """How a draft spells our own type: as what it is in the database, because the program may change."""
    return "sa.BigInteger()" if kind == "type" and isinstance(item, Instant) else False


def check_references(tx: Connection) -> None:
    """SQLite was told not to enforce foreign keys while tables were replaced: they must hold now."""
    if tx.dialect.name == "sqlite":
        broken = tx.exec_driver_sql("PRAGMA foreign_key_check").all()
        if broken:
            raise RuntimeError(f"depois da migração, {len(broken)} linhas apontam para o nada: {broken[0]}")


connection: Connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    render_as_batch=True,
    compare_type=True,
    include_name=is_kept,
    render_item=written,
)
context.run_migrations()
check_references(connection)
