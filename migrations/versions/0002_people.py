"""Who is who: accounts, parties, offices, sessions, pseudonyms, and who read a name.

Revision ID: 0002
Revises: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

READINGS_STAY = "o registro de acessos não muda"
ONLY_ADDED_TO = ("name_readings", "people_log")


def upgrade() -> None:
    """Apply."""
    _persons()
    _confirmations()
    _parties()
    _representations()
    _offices()
    _sessions()
    _devices()
    _second_factors()
    _recovery_codes()
    _resets()
    _pseudonyms()
    _name_openings()
    _name_readings()
    _bars()
    _rates()
    _people_log()
    for table in ONLY_ADDED_TO:
        _only_added_to(table)


def downgrade() -> None:
    """Take back, unless rows would be lost that nothing can rebuild."""
    for table in (
        "people_log",
        "rates",
        "bars",
        "name_readings",
        "name_openings",
        "pseudonyms",
        "resets",
        "recovery_codes",
        "second_factors",
        "devices",
        "sessions",
        "offices",
        "representations",
        "parties",
        "confirmations",
        "persons",
    ):
        _drop_empty(table)
    if op.get_bind().dialect.name == "postgresql":
        for table in ONLY_ADDED_TO:
            op.execute(f"DROP FUNCTION {table}_no_update()")


def _drop_empty(table: str) -> None:
    tx = op.get_bind()
    if tx.dialect.name == "postgresql":
        tx.execute(sa.text(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"))
    if tx.execute(sa.text(f"SELECT 1 FROM {table} LIMIT 1")).first() is not None:  # noqa: S608 - names from above
        raise RuntimeError(f"a tabela {table} tem linhas que nada refaz: não será apagada")
    op.drop_table(table)


def _only_added_to(table: str) -> None:
    trigger = f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} "
    if op.get_bind().dialect.name == "sqlite":
        op.execute(f"{trigger}BEGIN SELECT RAISE(ABORT, '{READINGS_STAY}'); END")
        return
    op.execute(
        f"CREATE OR REPLACE FUNCTION {table}_no_update() RETURNS trigger LANGUAGE plpgsql AS $$ "
        f"BEGIN RAISE EXCEPTION '{READINGS_STAY}'; END $$"
    )
    op.execute(f"{trigger}FOR EACH ROW EXECUTE FUNCTION {table}_no_update()")


def _persons() -> None:
    op.create_table(
        "persons",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("cpf", sa.Text()),
        sa.Column("cpf_index", sa.Text()),
        sa.Column("name", sa.Text()),
        sa.Column("email", sa.Text()),
        sa.Column("email_index", sa.Text()),
        sa.Column("phone", sa.Text()),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("forgotten_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_persons")),
        sa.UniqueConstraint("cpf_index", name=op.f("uq_persons_cpf_index")),
        sa.UniqueConstraint("email_index", name=op.f("uq_persons_email_index")),
    )


def _confirmations() -> None:
    op.create_table(
        "confirmations",
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("addressee", sa.Text(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("person", sa.Text()),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["persons.id"], name=op.f("fk_confirmations_person")),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_confirmations")),
    )
    op.create_index(op.f("ix_confirmations_addressee"), "confirmations", ["addressee"])
    op.create_index(op.f("ix_confirmations_expires_at"), "confirmations", ["expires_at"])


def _parties() -> None:
    op.create_table(
        "parties",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("document", sa.Text()),
        sa.Column("document_index", sa.Text()),
        sa.Column("name", sa.Text()),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_parties")),
        sa.UniqueConstraint("document_index", name=op.f("uq_parties_document_index")),
    )


def _representations() -> None:
    op.create_table(
        "representations",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("party", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("answered_at", sa.BigInteger()),
        sa.Column("answered_by", sa.Text()),
        sa.Column("ended_at", sa.BigInteger()),
        sa.Column("ended_by", sa.Text()),
        sa.ForeignKeyConstraint(["party"], ["parties.id"], name=op.f("fk_representations_party")),
        sa.ForeignKeyConstraint(["person"], ["persons.id"], name=op.f("fk_representations_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_representations")),
    )
    op.create_index(op.f("ix_representations_party"), "representations", ["party"])
    op.create_index(op.f("ix_representations_person"), "representations", ["person"])
    op.create_index(
        "uq_representations_live",
        "representations",
        ["party", "person"],
        unique=True,
        sqlite_where=sa.text("status <> 'ended'"),
        postgresql_where=sa.text("status <> 'ended'"),
    )


def _offices() -> None:
    op.create_table(
        "offices",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("act", sa.Text(), nullable=False),
        sa.Column("granted_by", sa.Text(), nullable=False),
        sa.Column("granted_at", sa.BigInteger(), nullable=False),
        sa.Column("until", sa.BigInteger()),
        sa.Column("revoked_at", sa.BigInteger()),
        sa.Column("revoked_by", sa.Text()),
        sa.Column("revoking_act", sa.Text()),
        sa.ForeignKeyConstraint(["person"], ["persons.id"], name=op.f("fk_offices_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_offices")),
    )
    op.create_index(op.f("ix_offices_person"), "offices", ["person"])


def _sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("second_factor", sa.Boolean(), nullable=False),
        sa.Column("opened_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.Column("verified_at", sa.BigInteger(), nullable=False),
        sa.Column("verified_how", sa.Text(), nullable=False),
        sa.Column("user_agent", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("address_index", sa.Text(), nullable=False),
        sa.Column("ended_at", sa.BigInteger()),
        sa.Column("ended_why", sa.Text()),
        sa.ForeignKeyConstraint(["person"], ["persons.id"], name=op.f("fk_sessions_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_sessions_token_hash")),
    )
    op.create_index(op.f("ix_sessions_address_index"), "sessions", ["address_index"])
    op.create_index(op.f("ix_sessions_person"), "sessions", ["person"])


def _devices() -> None:
    op.create_table(
        "devices",
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.BigInteger(), nullable=False),
        sa.Column("last_seen_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["persons.id"], name=op.f("fk_devices_person")),
        sa.PrimaryKeyConstraint("token_hash", "person", name=op.f("pk_devices")),
    )


def _second_factors() -> None:
    op.create_table(
        "second_factors",
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("secret", sa.Text()),
        sa.Column("new_secret", sa.Text()),
        sa.Column("enabled_at", sa.BigInteger()),
        sa.Column("last_step", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["persons.id"], name=op.f("fk_second_factors_person")),
        sa.PrimaryKeyConstraint("person", name=op.f("pk_second_factors")),
    )


def _recovery_codes() -> None:
    op.create_table(
        "recovery_codes",
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("code_index", sa.Text(), nullable=False),
        sa.Column("used_at", sa.BigInteger()),
        sa.ForeignKeyConstraint(["person"], ["persons.id"], name=op.f("fk_recovery_codes_person")),
        sa.PrimaryKeyConstraint("person", "code_index", name=op.f("pk_recovery_codes")),
    )


def _resets() -> None:
    op.create_table(
        "resets",
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["persons.id"], name=op.f("fk_resets_person")),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_resets")),
    )
    op.create_index(op.f("ix_resets_expires_at"), "resets", ["expires_at"])
    op.create_index(op.f("ix_resets_person"), "resets", ["person"])


def _pseudonyms() -> None:
    op.create_table(
        "pseudonyms",
        sa.Column("pseudonym", sa.Text(), nullable=False),
        sa.Column("edital", sa.Text(), nullable=False),
        sa.Column("stand", sa.Text(), nullable=False),
        sa.Column("party", sa.Text(), nullable=False),
        sa.Column("party_index", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("pseudonym", name=op.f("pk_pseudonyms")),
        sa.UniqueConstraint("party_index", name=op.f("uq_pseudonyms_party_index")),
    )
    op.create_index(op.f("ix_pseudonyms_edital_stand"), "pseudonyms", ["edital", "stand"])


def _name_openings() -> None:
    op.create_table(
        "name_openings",
        sa.Column("edital", sa.Text(), nullable=False),
        sa.Column("stand", sa.Text(), nullable=False),
        sa.Column("opened_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("edital", "stand", name=op.f("pk_name_openings")),
    )


def _name_readings() -> None:
    op.create_table(
        "name_readings",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("reader", sa.Text(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("edital", sa.Text(), nullable=False),
        sa.Column("stand", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_name_readings")),
    )
    op.create_index(op.f("ix_name_readings_at"), "name_readings", ["at"])


def _bars() -> None:
    op.create_table(
        "bars",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("document_index", sa.Text(), nullable=False),
        sa.Column("act", sa.Text(), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("until", sa.BigInteger()),
        sa.Column("lifted_at", sa.BigInteger()),
        sa.Column("lifting_act", sa.Text()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bars")),
    )
    op.create_index(op.f("ix_bars_document_index"), "bars", ["document_index"])


def _rates() -> None:
    op.create_table(
        "rates",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rates")),
    )
    op.create_index(op.f("ix_rates_at"), "rates", ["at"])
    op.create_index(op.f("ix_rates_scope_key_at"), "rates", ["scope", "key", "at"])


def _people_log() -> None:
    op.create_table(
        "people_log",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("person", sa.Text()),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people_log")),
    )
    op.create_index(op.f("ix_people_log_at"), "people_log", ["at"])
    op.create_index(op.f("ix_people_log_person"), "people_log", ["person"])
