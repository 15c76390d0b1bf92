"""A store of files on a real disk, with its rows in SQLite and in PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from tender.clock import FrozenClock
from tender.files import Files
from tender.ledger import metadata, open_engine
from tender.settings import Settings
from tests.files.people import NINE


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """A database with all tables, on SQLite and on PostgreSQL."""
    made = open_engine(database_url)
    metadata.create_all(made)
    yield made
    made.dispose()


@pytest.fixture
def clock() -> FrozenClock:
    """Nine o'clock in Brasília, until moved."""
    return FrozenClock(NINE)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """The settings of the tests, with the files in a folder of their own."""
    return Settings.for_tests(tmp_path)


@pytest.fixture
def store(engine: Engine, clock: FrozenClock, settings: Settings) -> Files:
    """The store under test."""
    return Files(engine, clock, settings)
