"""The book with its guards, the answers given, the deadlines set, the heartbeats.

Revision ID: 0001
Revises:
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

ONLY_GROWS = "o livro só cresce"
DOES_NOT_FOLLOW = (
    "NEW.seq < 1 OR EXISTS (SELECT 1 FROM ledger WHERE chain = NEW.chain AND seq = NEW.seq) "
    "OR NEW.seq > 1 AND NOT EXISTS (SELECT 1 FROM ledger WHERE chain = NEW.chain AND seq = NEW.seq - 1) "
    "OR NEW.at < (SELECT at FROM ledger WHERE chain = NEW.chain AND seq = NEW.seq - 1) "
    "OR NEW.version < 1 OR EXISTS (SELECT 1 FROM ledger WHERE stream = NEW.stream AND version = NEW.version) "
    "OR NEW.version > 1 AND NOT EXISTS (SELECT 1 FROM ledger WHERE stream = NEW.stream AND version = NEW.version - 1) "
    "OR EXISTS (SELECT 1 FROM ledger WHERE command_id = NEW.command_id AND step = NEW.step) "
)
RAISE = f"RAISE EXCEPTION '{ONLY_GROWS}' USING ERRCODE = 'integrity_constraint_violation';"
GUARDS = {
    "sqlite": (
        f"CREATE TRIGGER ledger_no_update BEFORE UPDATE ON ledger BEGIN SELECT RAISE(ABORT, '{ONLY_GROWS}'); END",
        f"CREATE TRIGGER ledger_no_delete BEFORE DELETE ON ledger BEGIN SELECT RAISE(ABORT, '{ONLY_GROWS}'); END",
        f"CREATE TRIGGER ledger_next BEFORE INSERT ON ledger WHEN {DOES_NOT_FOLLOW}"
        "OR typeof(NEW.at) <> 'integer' OR typeof(NEW.step) <> 'integer' "
        f"BEGIN SELECT RAISE(ABORT, '{ONLY_GROWS}'); END",
    ),
    "postgresql": (
        f"CREATE OR REPLACE FUNCTION ledger_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {RAISE} END $$",
        "CREATE OR REPLACE FUNCTION ledger_follows() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$ "
        f"BEGIN IF {DOES_NOT_FOLLOW} THEN {RAISE} END IF; RETURN NEW; END $$",
        "CREATE TRIGGER ledger_no_change BEFORE UPDATE OR DELETE ON ledger "
        "FOR EACH ROW EXECUTE FUNCTION ledger_only_grows()",
        "CREATE TRIGGER ledger_no_truncate BEFORE TRUNCATE ON ledger "
        "FOR EACH STATEMENT EXECUTE FUNCTION ledger_only_grows()",
        "CREATE TRIGGER ledger_next BEFORE INSERT ON ledger FOR EACH ROW EXECUTE FUNCTION ledger_follows()",
        *(f"ALTER TABLE ledger ENABLE ALWAYS TRIGGER ledger_{name}" for name in ("no_change", "no_truncate", "next")),
    ),
}


def upgrade() -> None:
    """Apply."""
    _ledger()
    for guard in GUARDS[op.get_bind().dialect.name]:
        op.execute(guard)
    _answers()
    _deadlines()
    _heartbeats()


def downgrade() -> None:
    """Take back, unless there is something in it: the book only grows."""
    for table in ("heartbeats", "deadlines", "answers", "ledger"):
        _drop_empty(table)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION ledger_follows()")
        op.execute("DROP FUNCTION ledger_only_grows()")


def _drop_empty(table: str) -> None:
    tx = op.get_bind()
    if tx.dialect.name == "postgresql":
        tx.execute(sa.text(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"))
    if tx.execute(sa.text(f"SELECT 1 FROM {table} LIMIT 1")).first() is not None:  # noqa: S608 - names from above
        raise RuntimeError(f"a tabela {table} tem linhas que nada refaz: não será apagada")
    op.drop_table(table)


def _ledger() -> None:
    op.create_table(
        "ledger",
        sa.Column("chain", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("stream", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("law", sa.Text(), nullable=False),
        sa.Column("command_id", sa.Text(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.CheckConstraint("seq >= 1 AND version >= 1 AND step >= 0", name=op.f("ck_ledger_counts")),
        sa.PrimaryKeyConstraint("chain", "seq", name=op.f("pk_ledger")),
        sa.UniqueConstraint("stream", "version", name=op.f("uq_ledger_stream_version")),
        sa.UniqueConstraint("command_id", "step", name=op.f("uq_ledger_command_id_step")),
    )
    op.create_index(op.f("ix_ledger_kind"), "ledger", ["kind"])


def _answers() -> None:
    op.create_table(
        "answers",
        sa.Column("command_id", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("command", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("chain", sa.Text(), nullable=False),
        sa.Column("stream", sa.Text(), nullable=False),
        sa.Column("arrived_at", sa.BigInteger(), nullable=False),
        sa.Column("registered_at", sa.BigInteger(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("law", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("field", sa.Text(), nullable=False),
        sa.Column("got", sa.Text(), nullable=False),
        sa.Column("passes", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("command_id", name=op.f("pk_answers")),
    )
    op.create_index(op.f("ix_answers_chain_outcome"), "answers", ["chain", "outcome"])


def _deadlines() -> None:
    op.create_table(
        "deadlines",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("chain", sa.Text(), nullable=False),
        sa.Column("stream", sa.Text(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("try_at", sa.BigInteger(), nullable=False),
        sa.Column("command", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("law", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("done_at", sa.BigInteger()),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_deadlines")),
    )
    op.create_index(op.f("ix_deadlines_state_try_at"), "deadlines", ["state", "try_at"])


def _heartbeats() -> None:
    op.create_table(
        "heartbeats",
        sa.Column("process", sa.Text(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("beat_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("process", name=op.f("pk_heartbeats")),
    )
