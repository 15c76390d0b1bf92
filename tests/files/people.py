"""Who sends and who reads, and what they do all the time."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Engine, func, select

from tender.acts import Actor, Role
from tender.files import Files
from tender.files.records import file_readings
from tender.ledger import reading, writing
from tender.settings import Settings

NINE = datetime(2027, 3, 5, 12, 0, tzinfo=UTC)
ANA = Actor("p-ana", frozenset({Role.APPLICANT}))
RUI = Actor("p-rui", frozenset({Role.APPLICANT, Role.BIDDER}))
MARTA = Actor("p-marta", frozenset({Role.PREGOEIRO, Role.COMMISSION}), second_factor=True)
TEO = Actor("p-teo", frozenset({Role.TECHNICIAN}), second_factor=True)


def sent(store: Files, engine: Engine, data: bytes, owner: str = ANA.person, filename: str = "doc.pdf") -> str:
    """Store a file and return its SHA-256."""
    with writing(engine) as tx:
        return store.store(tx, data, owner=owner, filename=filename, started_at=NINE).sha256


def read(store: Files, engine: Engine, sha256: str, reader: Actor = MARTA, reason: str = "análise") -> bytes:
    """Open a file as the commission does."""
    with writing(engine) as tx:
        return store.read(tx, sha256, reader, reason)


def lines_about(engine: Engine, sha256: str) -> int:
    """How many readings of the file are written down."""
    query = select(func.count()).select_from(file_readings).where(file_readings.c.sha256 == sha256)
    with reading(engine) as tx:
        return tx.execute(query).scalar_one()


def sealed_path(settings: Settings, sha256: str) -> Path:
    """Where the sealed file lies."""
    return settings.data_dir / "files" / sha256[:2] / sha256[2:4] / sha256
