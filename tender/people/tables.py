"""The tables of people: the only place where names, documents and contacts are kept.

Columns marked *sealed* hold what `sealing.py` made of them; `*_index` columns are blind indexes. Every id is random:
a number that counts would tell how many registered, and in which order.
"""

from __future__ import annotations

import secrets

from sqlalchemy import DDL, Boolean, Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint, event, text

from tender.ledger import Instant, metadata


def new_id(kind: str) -> str:
    """A random id with 128 bits: `p_…` a person, `pt_…` a party, `s_…` a session, `x_…` anything else."""
    return f"{kind}_{secrets.token_urlsafe(16)}"


persons = Table(
    "persons",
    metadata,
    Column("id", Text, primary_key=True),
    Column("cpf", Text),  # sealed; empty once forgotten
    Column("cpf_index", Text, unique=True),
    Column("name", Text),  # sealed
    Column("email", Text),  # sealed
    Column("email_index", Text, unique=True),
    Column("phone", Text),  # sealed
    Column("password_hash", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("forgotten_at", Instant),
)

confirmations = Table(
    "confirmations",
    metadata,
    Column("token_hash", Text, primary_key=True),
    Column("addressee", Text, nullable=False, index=True),  # to whom the mail goes; becomes the person's id
    Column("purpose", Text, nullable=False),  # registration | email
    Column("person", Text, ForeignKey("persons.id")),  # whose e-mail changes
    Column("payload", Text, nullable=False),  # sealed
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False, index=True),
)

parties = Table(
    "parties",
    metadata,
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),  # PersonKind
    Column("document", Text),  # sealed
    Column("document_index", Text, unique=True),
    Column("name", Text),  # sealed
    Column("created_at", Instant, nullable=False),
)

representations = Table(
    "representations",
    metadata,
    Column("id", Text, primary_key=True),
    Column("party", Text, ForeignKey("parties.id"), nullable=False, index=True),
    Column("person", Text, ForeignKey("persons.id"), nullable=False, index=True),
    Column("status", Text, nullable=False),  # asked | active | ended
    Column("asked_at", Instant, nullable=False),
    Column("answered_at", Instant),
    Column("answered_by", Text),
    Column("ended_at", Instant),
    Column("ended_by", Text),
)
Index(
    "uq_representations_live",
    representations.c.party,
    representations.c.person,
    unique=True,
    sqlite_where=text("status <> 'ended'"),
    postgresql_where=text("status <> 'ended'"),
)

offices = Table(
    "offices",
    metadata,
    Column("id", Text, primary_key=True),
    Column("person", Text, ForeignKey("persons.id"), nullable=False, index=True),
    Column("role", Text, nullable=False),
    Column("act", Text, nullable=False),  # "Portaria 12/2027"
    Column("granted_by", Text, nullable=False),
    Column("granted_at", Instant, nullable=False),
    Column("until", Instant),
    Column("revoked_at", Instant),
    Column("revoked_by", Text),
    Column("revoking_act", Text),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", Text, primary_key=True),
    Column("token_hash", Text, nullable=False, unique=True),
    Column("person", Text, ForeignKey("persons.id"), nullable=False, index=True),
    Column("stage", Text, nullable=False),  # pending (second factor to come) | full
    Column("second_factor", Boolean, nullable=False),
    Column("opened_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("seen_at", Instant, nullable=False),
    Column("verified_at", Instant, nullable=False),
    Column("verified_how", Text, nullable=False),  # password | totp | recovery
    Column("user_agent", Text, nullable=False),  # sealed
    Column("address", Text, nullable=False),  # sealed
    Column("address_index", Text, nullable=False, index=True),
    Column("ended_at", Instant),
    Column("ended_why", Text),
)

devices = Table(
    "devices",
    metadata,
    Column("token_hash", Text, primary_key=True),
    Column("person", Text, ForeignKey("persons.id"), primary_key=True),
    Column("first_seen_at", Instant, nullable=False),
    Column("last_seen_at", Instant, nullable=False),
)

second_factors = Table(
    "second_factors",
    metadata,
    Column("person", Text, ForeignKey("persons.id"), primary_key=True),
    Column("secret", Text),  # sealed; in force
    Column("new_secret", Text),  # sealed; shown, not yet confirmed by a code
    Column("enabled_at", Instant),
    Column("last_step", Integer, nullable=False),  # of the last code accepted: no code twice
)

recovery_codes = Table(
    "recovery_codes",
    metadata,
    Column("person", Text, ForeignKey("persons.id"), primary_key=True),
    Column("code_index", Text, primary_key=True),
    Column("used_at", Instant),
)

resets = Table(
    "resets",
    metadata,
    Column("token_hash", Text, primary_key=True),
    Column("person", Text, ForeignKey("persons.id"), nullable=False, index=True),
    Column("expires_at", Instant, nullable=False, index=True),
)

pseudonyms = Table(
    "pseudonyms",
    metadata,
    # No hour and no counter here: either would join a pseudonym to the public hour of somebody's habilitation.
    Column("pseudonym", Text, primary_key=True),
    Column("edital", Text, nullable=False),
    Column("stand", Text, nullable=False),
    Column("party", Text, nullable=False),  # sealed: the map is unreadable even in a copy of the database
    Column("party_index", Text, nullable=False),  # blind, of (edital, stand, party)
    UniqueConstraint("party_index"),
    Index(None, "edital", "stand"),
)

name_openings = Table(
    "name_openings",
    metadata,
    Column("edital", Text, primary_key=True),
    Column("stand", Text, primary_key=True),
    Column("opened_at", Instant, nullable=False),
)

name_readings = Table(
    "name_readings",
    metadata,
    Column("id", Text, primary_key=True),
    Column("at", Instant, nullable=False, index=True),
    Column("reader", Text, nullable=False),
    Column("what", Text, nullable=False),  # party | contact | addressees | document
    Column("subject", Text, nullable=False),  # the pseudonym or party that was read
    Column("edital", Text, nullable=False),
    Column("stand", Text, nullable=False),
    Column("why", Text, nullable=False),
)

bars = Table(
    "bars",
    metadata,
    Column("id", Text, primary_key=True),
    Column("document", Text, nullable=False),  # sealed
    Column("document_index", Text, nullable=False, index=True),
    Column("act", Text, nullable=False),
    Column("since", Instant, nullable=False),
    Column("until", Instant),
    Column("lifted_at", Instant),
    Column("lifting_act", Text),
)

rates = Table(
    "rates",
    metadata,
    Column("id", Text, primary_key=True),
    Column("scope", Text, nullable=False),
    Column("key", Text, nullable=False),  # blind index
    Column("at", Instant, nullable=False),
    Index(None, "scope", "key", "at"),
    Index(None, "at"),
)

people_log = Table(
    "people_log",
    metadata,
    Column("id", Text, primary_key=True),
    Column("at", Instant, nullable=False, index=True),
    Column("what", Text, nullable=False),
    Column("person", Text, index=True),
    Column("by", Text, nullable=False),
    Column("address", Text, nullable=False),  # sealed
    Column("detail", Text, nullable=False),  # ids, roles and acts; never a name or a number
)

# Who looked at what is evidence: these two are only added to.
for _table in (name_readings, people_log):
    event.listen(
        _table,
        "after_create",
        DDL(
            f"CREATE TRIGGER {_table.name}_no_update BEFORE UPDATE ON {_table.name} "
            "BEGIN SELECT RAISE(ABORT, 'o registro de acessos não muda'); END"
        ).execute_if(dialect="sqlite"),
    )
    event.listen(
        _table,
        "after_create",
        DDL(
            f"CREATE OR REPLACE FUNCTION {_table.name}_no_update() RETURNS trigger LANGUAGE plpgsql AS $$ "
            "BEGIN RAISE EXCEPTION 'o registro de acessos não muda'; END $$"
        ).execute_if(dialect="postgresql"),
    )
    event.listen(
        _table,
        "after_create",
        DDL(
            f"CREATE TRIGGER {_table.name}_no_update BEFORE UPDATE ON {_table.name} "
            f"FOR EACH ROW EXECUTE FUNCTION {_table.name}_no_update()"
        ).execute_if(dialect="postgresql"),
    )
