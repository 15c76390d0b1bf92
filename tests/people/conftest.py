"""A database of people, on SQLite and on PostgreSQL, with an hour that moves only when told to."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Engine, text

from tender.clock import FrozenClock
from tender.ledger import metadata, open_engine
from tender.people import People, letters, subscribers, tables
from tender.settings import Settings
from tests import machine

HOMES = (tables, letters, subscribers)
OURS = [
    table.name for table in metadata.sorted_tables if any(one is table for home in HOMES for one in vars(home).values())
]


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(datetime(2027, 3, 5, 17, 0, tzinfo=UTC))


@pytest.fixture(scope="session")
def shared_postgres(postgres_server: machine.PostgresServer) -> Iterator[Engine]:
    """One database for all tests of people: to make one takes longer than most of them."""
    name = postgres_server.new_database()
    opened = open_engine(postgres_server.url(name))
    metadata.create_all(opened)
    yield opened
    opened.dispose()
    postgres_server.drop_database(name)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An empty database: the test runs twice."""
    if request.param == "postgres":
        shared: Engine = request.getfixturevalue("shared_postgres")
        with shared.begin() as tx:
            tx.execute(text(f"TRUNCATE {', '.join(OURS)} CASCADE"))
        yield shared
        return
    opened = open_engine(request.getfixturevalue("sqlite_url"))
    metadata.create_all(opened, tables=[metadata.tables[name] for name in OURS])
    yield opened
    opened.dispose()


@pytest.fixture
def people(engine: Engine, clock: FrozenClock, tmp_path: Path) -> People:
    return People(engine, clock, Settings.for_tests(tmp_path))
