"""Alembic's way in: the engine and the tables come from the program, so the two cannot disagree."""

from __future__ import annotations

from alembic import context

import tender.app  # noqa: F401 - every module that owns a table is loaded by it
from tender.ledger import metadata

engine = context.config.attributes["engine"]

with engine.connect().execution_options(write=True) as connection:
    context.configure(
        connection=connection,
        target_metadata=metadata,
        render_as_batch=True,
        compare_type=True,
        transaction_per_migration=True,
    )
    with context.begin_transaction():
        context.run_migrations()
