"""Columns that hold more than their type says: hours to the microsecond in UTC, statuses of a machine and no others."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from enum import StrEnum

import pytest
from hypothesis import given
from sqlalchemy import Column, Engine, Integer, MetaData, Table, insert, select
from sqlalchemy.exc import IntegrityError, StatementError

from tender.clock import BRASILIA
from tender.ledger import EPOCH, NAMING, Instant, open_engine, reading, status_column, writing
from tender.machine import Machine
from tests.books import NOON
from tests.strategies import INSTANTS

MICROSECOND = timedelta(microseconds=1)


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """An empty database, on SQLite and on PostgreSQL."""
    opened = open_engine(database_url)
    yield opened
    opened.dispose()


class Nowhere(tzinfo):
    """A zone that does not know its offset."""

    def utcoffset(self, when: datetime | None) -> timedelta | None:
        return None


@given(INSTANTS)
def test_an_hour_is_whole_microseconds_in_the_database(at: datetime) -> None:
    kept = Instant().process_bind_param(at, None)
    assert isinstance(kept, int)
    assert Instant().process_result_value(kept, None) == at


def test_an_hour_comes_back_from_the_database_in_utc(engine: Engine) -> None:
    table = Table("hours", MetaData(), Column("n", Integer, primary_key=True), Column("at", Instant))
    hours = [
        datetime.min.replace(tzinfo=UTC), EPOCH - MICROSECOND, EPOCH, NOON.astimezone(BRASILIA) + MICROSECOND,
        datetime.max.replace(tzinfo=UTC), None,
    ]  # fmt: skip
    table.create(engine)
    with writing(engine) as tx:
        tx.execute(insert(table), [{"n": n, "at": at} for n, at in enumerate(hours)])
    with reading(engine) as tx:
        back = list(tx.execute(select(table.c.at).order_by(table.c.n)).scalars())
        assert list(tx.execute(select(table.c.n).where(table.c.at < EPOCH).order_by(table.c.n)).scalars()) == [0, 1]
    assert back == hours
    assert {at.tzinfo for at in back if at} == {UTC}
    for naive in (NOON.replace(tzinfo=None), NOON.replace(tzinfo=Nowhere())):
        with pytest.raises(StatementError, match="needs its zone"), writing(engine) as tx:
            tx.execute(insert(table), {"n": 99, "at": naive})


class Odd(StrEnum):
    """Statuses with every sign that means something to SQL, to a driver or to SQLAlchemy."""

    PLAIN = "Em lances"
    QUOTED = "D'água"
    SIGNS = 'Pausado: 100% :x "y" %s %(z)s \\:w'


def test_the_database_holds_a_status_to_those_of_its_machine(engine: Engine) -> None:
    table = Table(
        "odd", MetaData(naming_convention=NAMING), Column("n", Integer, primary_key=True),
        status_column(Machine("odd", Odd.PLAIN, {})),
    )  # fmt: skip
    table.create(engine)
    with writing(engine) as tx:
        tx.execute(insert(table), [{"n": n, "status": status} for n, status in enumerate(Odd)])
    with reading(engine) as tx:
        assert list(tx.execute(select(table.c.status).order_by(table.c.n)).scalars()) == list(Odd)
    for wrong in ("em lances", "Em lances ", "", "Encerrado", None):
        with pytest.raises(IntegrityError), writing(engine) as tx:
            tx.execute(insert(table), {"n": 99, "status": wrong})
