"""Letters and subscriptions of people without an account.

Revision ID: 0005
Revises: 0004
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    _letters()
    _subscribers()


def downgrade() -> None:
    """Take back, unless rows would be lost that nothing can rebuild."""
    for table in ("subscribers", "letters"):
        _drop_empty(table)


def _drop_empty(table: str) -> None:
    tx = op.get_bind()
    if tx.dialect.name == "postgresql":
        tx.execute(sa.text(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"))
    if tx.execute(sa.text(f"SELECT 1 FROM {table} LIMIT 1")).first() is not None:  # noqa: S608 - names from above
        raise RuntimeError(f"a tabela {table} tem linhas que nada refaz: não será apagada")
    op.drop_table(table)


def _letters() -> None:
    op.create_table(
        "letters",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("edital", sa.Text(), nullable=False),
        sa.Column("mark", sa.Text(), nullable=False),
        sa.Column("code_hash", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("settled_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_letters")),
        sa.UniqueConstraint("mark", name=op.f("uq_letters_mark")),
        sa.UniqueConstraint("code_hash", name=op.f("uq_letters_code_hash")),
    )
    op.create_index(op.f("ix_letters_settled_at"), "letters", ["settled_at"])


def _subscribers() -> None:
    op.create_table(
        "subscribers",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("email_index", sa.Text(), nullable=False),
        sa.Column("topics", sa.Text(), nullable=False),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("confirmed_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_subscribers")),
        sa.UniqueConstraint("email_index", name=op.f("uq_subscribers_email_index")),
    )
