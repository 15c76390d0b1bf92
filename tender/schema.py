"""Tables: Alembic for what cannot be rebuilt, create-and-replay for what can.

Migrations carry people, files, deadlines, outbox, answers and the ledger itself. What is computed from the book is
never migrated: it is dropped and replayed, on request (`rebuild`) or because its tables are others now (`upgrade`).
Each is one transaction, which no other process shares: whatever interrupts it, everything is as it was before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Column, Connection, Engine, Table, Text, insert, inspect, select, text
from sqlalchemy.schema import CreateIndex, CreateTable

from tender import verifier
from tender.clerk import project_proposal
from tender.codec import CodecError
from tender.ledger import BUSY_TIMEOUT_MS, Book, Entry, chain_of, ledger, projections
from tender.process import PROJECTIONS

PACKAGE = Path(__file__).parent
PATIENCE_MS = 10 * 60 * 1000
"""How long one process waits on SQLite for another that migrates or replays a long book."""
LOCK = 724_2008
"""PostgreSQL's advisory lock of whoever migrates or rebuilds."""

projection_shape = Table("projection_shape", projections, Column("sha256", Text, primary_key=True))
"""What the computed tables were like when they were last filled; another shape means: fill them again."""


class UnfitDatabase(Exception):
    """Without a book, with one that does not verify, or of a newer program (Portuguese text). Nothing was changed."""


def share(name: str) -> Path:
    """A root folder shipped beside the package (`templates`, `static`, `migrations`), in a checkout or in the wheel."""
    beside = PACKAGE.parent / name
    return beside if (PACKAGE.parent / "pyproject.toml").is_file() else PACKAGE / "_share" / name


# -- what is kept ------------------------------------------------------------------------------------------------------


@contextmanager
def alone(engine: Engine) -> Iterator[Connection]:
    """One write transaction during which no other process migrates or rebuilds: they wait for each other.

    On SQLite foreign keys are not enforced in it: Alembic alters a table by replacing it, which would count as the
    removal of rows that others refer to. `migrations/env.py` checks them afterwards.
    """
    with engine.connect().execution_options(write=True) as tx:
        _pragmas(tx, foreign_keys="OFF", busy_timeout=PATIENCE_MS)
        try:
            with tx.begin():
                if tx.dialect.name == "postgresql":
                    tx.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
                yield tx
        finally:
            _pragmas(tx, foreign_keys="ON", busy_timeout=BUSY_TIMEOUT_MS)


def _pragmas(tx: Connection, **values: Any) -> None:
    # Past SQLAlchemy, which would open a transaction, and within one SQLite does not listen.
    if tx.dialect.name == "sqlite":
        for name, value in values.items():
            tx.connection.cursor().execute(f"PRAGMA {name}={value}")


def alembic_config(tx: Connection, folder: Path | None = None) -> Config:
    """Alembic's settings: the transaction of `alone` travels along, so that no address is written down.

    `folder`: where the migrations are, if not in their own place.
    """
    config = Config()
    config.set_main_option("script_location", str(folder or share("migrations")).replace("%", "%%"))
    config.attributes["connection"] = tx
    return config


def upgrade(engine: Engine) -> None:
    """Migrate the kept tables to the newest version, and replay the book if the computed ones are not as they should.

    UnfitDatabase when a newer program has migrated it, or when the book must be replayed and does not verify.
    """
    with alone(engine) as tx:
        config = alembic_config(tx)
        known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
        if not known.issuperset(MigrationContext.configure(tx).get_current_heads()):
            raise UnfitDatabase("Um programa mais novo já migrou este banco: use aquele. Nada foi mudado.")
        command.upgrade(config, "head")
        if not _is_current(tx):
            _replay(tx)


def draft(engine: Engine, revision: str, words: str, folder: Path | None = None) -> None:
    """Write the draft of the next migration: what differs between this database and the tables. Split it by hand."""
    import tender.app  # noqa: F401 - it loads every module that owns a table

    with alone(engine) as tx:
        command.revision(alembic_config(tx, folder), words, autogenerate=True, rev_id=revision)


# -- what is computed --------------------------------------------------------------------------------------------------


def rebuild(engine: Engine) -> int:
    """Drop what can be computed and replay the whole book into it; returns how many entries were replayed.

    UnfitDatabase when there is no book or it does not verify; nothing has changed then.
    """
    with alone(engine) as tx:
        if not inspect(tx).has_table(ledger.name):
            raise UnfitDatabase("Neste banco não há livro: rode antes `tender db upgrade`.")
        return _replay(tx)


def _shape(tx: Connection) -> str:
    made = [str(CreateTable(table).compile(dialect=tx.dialect)) for table in projections.sorted_tables]
    for table in projections.sorted_tables:
        made += sorted(str(CreateIndex(index).compile(dialect=tx.dialect)) for index in table.indexes)
    return hashlib.sha256("".join(made).encode()).hexdigest()


def _is_current(tx: Connection) -> bool:
    if not set(inspect(tx).get_table_names()) >= set(projections.tables):
        return False
    return list(tx.execute(select(projection_shape.c.sha256)).scalars()) == [_shape(tx)]


def _replay(tx: Connection) -> int:
    if tx.dialect.name == "postgresql":
        # The desk takes this lock for every batch before it looks at anything (SQLite: it waits at BEGIN); then
        # nobody else can append either. Whoever reads a computed table meanwhile waits.
        tx.execute(text("SELECT pg_advisory_xact_lock(724, hashtext('permits'))"))
        tx.execute(text("LOCK TABLE ledger IN SHARE ROW EXCLUSIVE MODE"))
    projections.drop_all(tx)
    projections.create_all(tx)
    tx.execute(insert(projection_shape), {"sha256": _shape(tx)})
    return sum(_replay_chain(tx, chain) for chain in Book().chains(tx))


def _replay_chain(tx: Connection, chain: str) -> int:
    try:
        with closing(_projected(tx, chain)) as lines:  # at the first fault, before the transaction ends
            found = verifier.verify(lines)
    except verifier.BookFault as fault:
        raise UnfitDatabase(f"O livro {chain} não confere: {fault}. Nada foi mudado.") from fault
    except CodecError as error:
        raise UnfitDatabase(f"Este programa não entende o livro {chain}: {error}. Nada foi mudado.") from error
    return int(found["entries"])


def _projected(tx: Connection, chain: str) -> Generator[bytes]:
    """The chain as its export has it; an entry is projected when the verifier asks for the next: it has passed then."""
    last_seq, last_hash = 0, verifier.genesis(chain)
    for entry, line in _read(tx, chain):
        yield line
        for project in (project_proposal, *PROJECTIONS):
            project(tx, entry)
        last_seq, last_hash = entry.seq, entry.hash
    yield (verifier.closing_line(chain, last_seq, last_hash) + "\n").encode()


def _read(tx: Connection, chain: str) -> Iterator[tuple[Entry, bytes]]:
    read = 0
    try:
        for entry in Book().entries(tx, chain):
            if chain_of(entry.stream) != chain:
                raise verifier.BookFault(read + 1, f"{entry.stream} não é deste livro")
            yield entry, (verifier.canonical(entry.public()) + "\n").encode()
            read += 1
    except (ValueError, OverflowError) as error:
        raise verifier.BookFault(read + 1, f"não pode ser lido ({error})") from error
