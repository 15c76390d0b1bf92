"""Files as received: who holds them, who read them, which were eliminated.

Revision ID: 0003
Revises: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    _files()
    _file_owners()
    _file_readings()
    _file_eliminations()


def downgrade() -> None:
    """Take back, unless rows would be lost that nothing can rebuild."""
    for table in ("file_eliminations", "file_readings", "file_owners", "files"):
        _drop_empty(table)


def _drop_empty(table: str) -> None:
    tx = op.get_bind()
    if tx.dialect.name == "postgresql":
        tx.execute(sa.text(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"))
    if tx.execute(sa.text(f"SELECT 1 FROM {table} LIMIT 1")).first() is not None:  # noqa: S608 - names from above
        raise RuntimeError(f"a tabela {table} tem linhas que nada refaz: não será apagada")
    op.drop_table(table)


def _files() -> None:
    op.create_table(
        "files",
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("copy_sha256", sa.Text(), nullable=False),
        sa.CheckConstraint("length(sha256) = 64 AND size_bytes > 0", name=op.f("ck_files_whole")),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_files")),
    )


def _file_owners() -> None:
    op.create_table(
        "file_owners",
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("filename", sa.Text(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["sha256"], ["files.sha256"], name=op.f("fk_file_owners_sha256")),
        sa.PrimaryKeyConstraint("sha256", "owner", name=op.f("pk_file_owners")),
    )
    op.create_index(op.f("ix_file_owners_owner"), "file_owners", ["owner"])


def _file_readings() -> None:
    op.create_table(
        "file_readings",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("reader", sa.Text(), nullable=False),
        sa.Column("roles", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_file_readings")),
    )
    op.create_index(op.f("ix_file_readings_sha256"), "file_readings", ["sha256"])


def _file_eliminations() -> None:
    op.create_table(
        "file_eliminations",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.Integer(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("erased_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_file_eliminations")),
    )
    op.create_index(op.f("ix_file_eliminations_sha256"), "file_eliminations", ["sha256"])
