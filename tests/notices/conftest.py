"""Notices on a real database, on SQLite and on PostgreSQL, with a real mail server on loopback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine

from tender.clock import FrozenClock
from tender.ledger import metadata, open_engine
from tender.notices import Notices
from tender.settings import Settings, Smtp
from tests.notices.mail_server import MailBox, mail_server

NINE = datetime(2027, 3, 5, 12, 0, tzinfo=UTC)


def address_of(tx: Connection, person: str) -> str | None:
    """Everybody has an address of his own, but for `nobody`, and `gone` who is unknown."""
    if person == "gone":
        raise LookupError(person)
    return None if person == "nobody" else f"{person}@exemplo.invalid"


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """A database with all tables."""
    made = open_engine(database_url)
    metadata.create_all(made)
    yield made
    made.dispose()


@pytest.fixture
def clock() -> FrozenClock:
    """Nine o'clock in Brasília, until moved."""
    return FrozenClock(NINE)


@pytest.fixture
def box() -> Iterator[MailBox]:
    """A mail server that takes everything, unless told otherwise."""
    with mail_server(MailBox()) as listening:
        yield listening


@pytest.fixture
def make(engine: Engine, clock: FrozenClock, tmp_path: Path) -> Callable[..., Notices]:
    """Makes notices; `smtp` changes the mail settings, other arguments go to Notices."""

    def made(smtp: dict[str, Any] | None = None, environment: str = "test", **more: Any) -> Notices:
        settings = replace(
            Settings.for_tests(tmp_path),
            environment=environment,
            smtp=replace(Smtp(starttls=False), **(smtp or {})),
        )
        return Notices(engine, clock, settings, more.pop("address_of", address_of), **more)

    return made


@pytest.fixture
def post(make: Callable[..., Notices], box: MailBox) -> Notices:
    """Notices with the mail server at hand."""
    return make({"host": "127.0.0.1", "port": box.port})
