"""Tables: Alembic for what cannot be rebuilt, create-and-replay for what can.

Migrations carry people, files, deadlines, outbox, answers and the ledger itself. What is computed from the book is
never migrated: `rebuild` drops it and replays.
"""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine

from tender.clerk import project_proposal
from tender.ledger import Book, projections, writing
from tender.process import PROJECTIONS

PACKAGE = Path(__file__).parent


def share(name: str) -> Path:
    """A root folder shipped beside the package (`templates`, `static`, `migrations`), in a checkout or in the wheel."""
    beside = PACKAGE.parent / name
    return beside if (PACKAGE.parent / "pyproject.toml").is_file() else PACKAGE / "_share" / name


def alembic_config(engine: Engine) -> Config:
    """Alembic's settings for this database; the engine travels along, so that no address is written down."""
    config = Config()
    config.set_main_option("script_location", str(share("migrations")))
    config.attributes["engine"] = engine
    return config


def upgrade(engine: Engine) -> None:
    """Migrate the kept tables to the newest version and create what is computed, empty, where it is missing."""
    command.upgrade(alembic_config(engine), "head")
    projections.create_all(engine)


def rebuild(engine: Engine) -> int:
    """Drop what can be computed and replay the whole book into it; returns how many entries were replayed."""
    projections.drop_all(engine)
    projections.create_all(engine)
    book, count = Book(), 0
    with writing(engine) as tx:
        for chain in book.chains(tx):
            for entry in list(book.entries(tx, chain)):
                for project in (project_proposal, *PROJECTIONS):
                    project(tx, entry)
                count += 1
    return count
