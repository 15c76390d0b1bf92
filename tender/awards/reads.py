"""What pages show of an award: who is called, and the chain of calls with what became of each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, Connection, Integer, Table, Text, insert, select, update

from tender.acts import Pseudonym
from tender.awards.model import (
    MACHINE,
    AwardAccepted,
    BidderCalled,
    CallLapsed,
    DesistenciaSigned,
    StandFailed,
    StandRanked,
    Status,
)
from tender.ledger import Entry, Instant, projections, status_column
from tender.money import Money

awards = Table(
    "awards",
    projections,
    Column("edital", Text, primary_key=True),
    Column("stand", Integer, primary_key=True, autoincrement=False),
    status_column(MACHINE),
    Column("place", Integer, nullable=False, default=0),
    Column("answer_until", Instant),
    Column("ranked_at", Instant, nullable=False),
)

award_queue = Table(
    "award_queue",
    projections,
    Column("edital", Text, primary_key=True),
    Column("stand", Integer, primary_key=True, autoincrement=False),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("bidder", Text, nullable=False),
    Column("amount_centavos", BigInteger, nullable=False),
    Column("outcome", Text, nullable=False, default="em_espera"),
    Column("called_at", Instant),
    Column("answered_at", Instant),
    Column("answer_until", Instant),
    Column("seq", Integer),  # entry of the chain that holds the answer
)

WAITING, CALLED, ACCEPTED, DESISTED, LAPSED = "em_espera", "convocado", "aceitou", "desistiu", "perdeu_o_prazo"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the chain of calls."""

    place: int
    bidder: Pseudonym
    amount: Money
    outcome: str
    called_at: datetime | None
    answered_at: datetime | None
    answer_until: datetime | None
    seq: int | None


@dataclass(frozen=True, slots=True)
class AwardView:
    """The award of a stand with its queue in order of place."""

    edital: str
    stand: int
    status: Status
    place: int
    answer_until: datetime | None
    ranked_at: datetime
    queue: tuple[Line, ...]

    @property
    def called(self) -> Line | None:
        """The line whose turn it is."""
        return next((line for line in self.queue if line.outcome == CALLED), None)


def project(tx: Connection, entry: Entry) -> None:
    """Fold an entry of `award/…` into the tables."""
    if not entry.stream.startswith("award/"):
        return
    _, edital, number = entry.stream.split("/")
    key = {"edital": edital, "stand": int(number)}
    fact = entry.fact
    match fact:
        case StandRanked(queue=queue):
            tx.execute(insert(awards), {**key, "status": Status.NONE.value, "ranked_at": entry.at})
            for line in queue:
                row = {"place": line.place, "bidder": line.bidder, "amount_centavos": line.amount.centavos}
                tx.execute(insert(award_queue), {**key, **row})
        case BidderCalled(place=place, answer_until=until):
            _line(tx, key, place, {"outcome": CALLED, "called_at": entry.at, "answer_until": until})
            _award(tx, key, {"status": Status.CALLED.value, "place": place, "answer_until": until})
        case AwardAccepted(place=place):
            _answered(tx, key, place, ACCEPTED, entry)
            _award(tx, key, {"status": Status.ACCEPTED.value, "answer_until": None})
        case DesistenciaSigned(place=place):
            _answered(tx, key, place, DESISTED, entry)
            _award(tx, key, {"status": Status.NONE.value, "answer_until": None})
        case CallLapsed(place=place):
            _answered(tx, key, place, LAPSED, entry)
            _award(tx, key, {"status": Status.NONE.value, "answer_until": None})
        case StandFailed():
            _award(tx, key, {"status": Status.FAILED.value, "answer_until": None})


def _award(tx: Connection, key: dict[str, Any], values: dict[str, Any]) -> None:
    here = (awards.c.edital == key["edital"]) & (awards.c.stand == key["stand"])
    tx.execute(update(awards).where(here).values(values))


def _line(tx: Connection, key: dict[str, Any], place: int, values: dict[str, Any]) -> None:
    here = (award_queue.c.edital == key["edital"]) & (award_queue.c.stand == key["stand"])
    tx.execute(update(award_queue).where(here, award_queue.c.place == place).values(values))


def _answered(tx: Connection, key: dict[str, Any], place: int, outcome: str, entry: Entry) -> None:
    _line(tx, key, place, {"outcome": outcome, "answered_at": entry.at, "seq": entry.seq})


def find(tx: Connection, edital: str, stand: int) -> AwardView | None:
    """The award of a stand; None before its ranking."""
    row = tx.execute(select(awards).where(awards.c.edital == edital, awards.c.stand == stand)).first()
    if row is None:
        return None
    query = select(award_queue).where(award_queue.c.edital == edital, award_queue.c.stand == stand)
    queue = tuple(
        Line(
            r.place,
            Pseudonym(r.bidder),
            Money(r.amount_centavos),
            r.outcome,
            r.called_at,
            r.answered_at,
            r.answer_until,
            r.seq,
        )
        for r in tx.execute(query.order_by(award_queue.c.place))
    )
    return AwardView(row.edital, row.stand, Status(row.status), row.place, row.answer_until, row.ranked_at, queue)
