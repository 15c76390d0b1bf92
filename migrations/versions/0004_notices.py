"""Notices and their way by mail.

Revision ID: 0004
Revises: 0003
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    _notices()
    _outbox()


def downgrade() -> None:
    """Take back, unless rows would be lost that nothing can rebuild."""
    for table in ("outbox", "notices"):
        _drop_empty(table)


def _drop_empty(table: str) -> None:
    tx = op.get_bind()
    if tx.dialect.name == "postgresql":
        tx.execute(sa.text(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"))
    if tx.execute(sa.text(f"SELECT 1 FROM {table} LIMIT 1")).first() is not None:  # noqa: S608 - names from above
        raise RuntimeError(f"a tabela {table} tem linhas que nada refaz: não será apagada")
    op.drop_table(table)


def _notices() -> None:
    op.create_table(
        "notices",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("read_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notices")),
        sa.UniqueConstraint("key", name=op.f("uq_notices_key")),
    )
    op.create_index(op.f("ix_notices_person_id"), "notices", ["person", "id"])


def _outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("notice", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_try_at", sa.BigInteger(), nullable=False),
        sa.Column("claim", sa.Text(), nullable=False),
        sa.Column("claimed_until", sa.BigInteger()),
        sa.Column("last_error", sa.Text(), nullable=False),
        sa.Column("sent_at", sa.BigInteger()),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.CheckConstraint("state IN ('pending', 'sent', 'failed', 'shown')", name=op.f("ck_outbox_state")),
        sa.ForeignKeyConstraint(["notice"], ["notices.id"], name=op.f("fk_outbox_notice")),
        sa.PrimaryKeyConstraint("notice", name=op.f("pk_outbox")),
    )
    op.create_index(op.f("ix_outbox_state_next_try_at"), "outbox", ["state", "next_try_at"])
