"""What pages show of an auction: the scoreboard, the bids, by number and pseudonym only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Integer,
    Table,
    Text,
    delete,
    func,
    insert,
    select,
    update,
)

from tender.acts import Pseudonym
from tender.bidding.model import (
    MACHINE,
    BidderAdmitted,
    BidPlaced,
    BidWithdrawn,
    ContestResumed,
    ContestStarted,
    ContestSuspended,
    StandClosed,
    StandDeserted,
    StandPrepared,
    Status,
)
from tender.ledger import Entry, Instant, projections, status_column
from tender.money import Money

contests = Table(
    "contests",
    projections,
    Column("edital", Text, primary_key=True),
    Column("stand", Integer, primary_key=True, autoincrement=False),
    status_column(MACHINE),
    Column("floor_centavos", BigInteger, nullable=False),
    Column("step_centavos", BigInteger, nullable=False),
    Column("window_seconds", Integer, nullable=False),
    Column("withdraw_seconds", Integer, nullable=False),
    Column("started_at", Instant),
    Column("closes_at", Instant),
    Column("remaining_us", BigInteger, nullable=False, default=0),
    Column("best_centavos", BigInteger),
    Column("leader", Text, nullable=False, default=""),
    Column("bids", Integer, nullable=False, default=0),
    Column("seq", Integer, nullable=False),
    Column("hash", Text, nullable=False),
)

bidders = Table(
    "bidders",
    projections,
    Column("edital", Text, primary_key=True),
    Column("stand", Integer, primary_key=True, autoincrement=False),
    Column("bidder", Text, primary_key=True),
    Column("number", Integer, nullable=False),
)

bids = Table(
    "bids",
    projections,
    Column("edital", Text, primary_key=True),
    Column("stand", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("bidder", Text, nullable=False),
    Column("amount_centavos", BigInteger, nullable=False),
    Column("at", Instant, nullable=False),
    Column("leads", Boolean, nullable=False),
    Column("withdrawn", Boolean, nullable=False, default=False),
    Column("closes_at", Instant, nullable=False),
    Column("seq", Integer, nullable=False),
)


@dataclass(frozen=True, slots=True)
class ContestView:
    """The scoreboard of a stand. `seq` is the version of its stream: it orders what viewers hear."""

    edital: str
    stand: int
    status: Status
    floor: Money
    step: Money
    window_seconds: int
    withdraw_seconds: int
    started_at: datetime | None
    closes_at: datetime | None
    remaining_us: int
    best: Money | None
    leader: Pseudonym
    bids: int
    seq: int
    hash: str

    @property
    def least(self) -> Money:
        """The smallest amount that would pass to the front."""
        return self.floor if self.best is None else self.best + self.step


@dataclass(frozen=True, slots=True)
class BidView:
    """A bid as everybody sees it; `bidder_number` is the stand's number of its author."""

    number: int
    bidder: Pseudonym
    bidder_number: int
    amount: Money
    at: datetime
    leads: bool
    withdrawn: bool


def project(tx: Connection, entry: Entry) -> None:
    """Fold an entry of `stand/…` into the tables."""
    if not entry.stream.startswith("stand/"):
        return
    _, edital, number = entry.stream.split("/")
    stand = int(number)
    fact = entry.fact
    mark = {"seq": entry.version, "hash": entry.hash}
    if isinstance(fact, StandPrepared):
        _prepare(tx, edital, stand, fact, mark)
        return
    here = (contests.c.edital == edital) & (contests.c.stand == stand)
    tx.execute(update(contests).where(here).values({**mark, **_changes(tx, edital, stand, fact, entry)}))


def _prepare(tx: Connection, edital: str, stand: int, fact: StandPrepared, mark: dict[str, Any]) -> None:
    terms = fact.terms
    tx.execute(delete(contests).where(contests.c.edital == edital, contests.c.stand == stand))  # amended: prepared anew
    tx.execute(
        insert(contests),
        {
            "edital": edital,
            "stand": stand,
            "status": Status.WAITING.value,
            "floor_centavos": terms.floor.centavos,
            "step_centavos": terms.step.centavos,
            "window_seconds": terms.window_seconds,
            "withdraw_seconds": terms.withdraw_seconds,
            **mark,
        },
    )


def _changes(tx: Connection, edital: str, stand: int, fact: Any, entry: Entry) -> dict[str, Any]:
    match fact:
        case BidderAdmitted(bidder=bidder, number=number):
            tx.execute(insert(bidders), {"edital": edital, "stand": stand, "bidder": bidder, "number": number})
            return {}
        case ContestStarted(closes_at=closes_at):
            return {"status": Status.CONTESTED.value, "started_at": entry.at, "closes_at": closes_at}
        case BidPlaced():
            return _bid_placed(tx, edital, stand, fact, entry)
        case BidWithdrawn(number=number):
            return _bid_withdrawn(tx, edital, stand, number)
        case ContestSuspended(remaining_us=remaining):
            return {"status": Status.SUSPENDED.value, "closes_at": None, "remaining_us": remaining}
        case ContestResumed(closes_at=closes_at):
            return {"status": Status.CONTESTED.value, "closes_at": closes_at, "remaining_us": 0}
        case StandClosed():
            return {"status": Status.CLOSED.value}
        case StandDeserted():
            return {"status": Status.DESERTED.value}
    return {}


def _bid_placed(tx: Connection, edital: str, stand: int, fact: BidPlaced, entry: Entry) -> dict[str, Any]:
    tx.execute(
        insert(bids),
        {
            "edital": edital,
            "stand": stand,
            "number": fact.number,
            "bidder": fact.bidder,
            "amount_centavos": fact.amount.centavos,
            "at": fact.at,
            "leads": fact.leads,
            "closes_at": fact.closes_at,
            "seq": entry.version,
        },
    )
    front = {"best_centavos": fact.amount.centavos, "leader": fact.bidder} if fact.leads else {}
    return {"closes_at": fact.closes_at, "bids": fact.number, **front}


def _bid_withdrawn(tx: Connection, edital: str, stand: int, number: int) -> dict[str, Any]:
    here = (bids.c.edital == edital) & (bids.c.stand == stand)
    tx.execute(update(bids).where(here, bids.c.number == number).values(withdrawn=True))
    left = select(bids.c.amount_centavos, bids.c.bidder).where(here, bids.c.withdrawn.is_(False))
    best = tx.execute(left.order_by(bids.c.amount_centavos.desc(), bids.c.number).limit(1)).first()
    return {"best_centavos": best.amount_centavos if best else None, "leader": best.bidder if best else ""}


def _contest(row: Any) -> ContestView:
    return ContestView(
        edital=row.edital,
        stand=row.stand,
        status=Status(row.status),
        floor=Money(row.floor_centavos),
        step=Money(row.step_centavos),
        window_seconds=row.window_seconds,
        withdraw_seconds=row.withdraw_seconds,
        started_at=row.started_at,
        closes_at=row.closes_at,
        remaining_us=row.remaining_us,
        best=None if row.best_centavos is None else Money(row.best_centavos),
        leader=Pseudonym(row.leader),
        bids=row.bids,
        seq=row.seq,
        hash=row.hash,
    )


def find(tx: Connection, edital: str, stand: int) -> ContestView | None:
    """The scoreboard of a stand; None when it is not in an edital."""
    here = (contests.c.edital == edital) & (contests.c.stand == stand)
    row = tx.execute(select(contests).where(here)).first()
    return _contest(row) if row else None


def of_edital(tx: Connection, edital: str) -> list[ContestView]:
    """All scoreboards of an edital, by number of the stand."""
    query = select(contests).where(contests.c.edital == edital).order_by(contests.c.stand)
    return [_contest(row) for row in tx.execute(query)]


def bids_of(tx: Connection, edital: str, stand: int, limit: int | None = None) -> list[BidView]:
    """Bids of a stand, newest first."""
    joined = bids.join(
        bidders,
        (bids.c.edital == bidders.c.edital) & (bids.c.stand == bidders.c.stand) & (bids.c.bidder == bidders.c.bidder),
    )
    query = select(bids, bidders.c.number.label("bidder_number")).select_from(joined)
    query = query.where(bids.c.edital == edital, bids.c.stand == stand).order_by(bids.c.number.desc()).limit(limit)
    return [
        BidView(r.number, r.bidder, r.bidder_number, Money(r.amount_centavos), r.at, r.leads, r.withdrawn)
        for r in tx.execute(query)
    ]


def numbers(tx: Connection, edital: str, stand: int) -> dict[Pseudonym, int]:
    """Pseudonym -> number on the screens of this stand."""
    query = select(bidders).where(bidders.c.edital == edital, bidders.c.stand == stand).order_by(bidders.c.number)
    return {Pseudonym(row.bidder): row.number for row in tx.execute(query)}


def open_stands(tx: Connection, edital: str) -> int:
    """How many stands of the edital have not ended."""
    ended = (Status.CLOSED.value, Status.DESERTED.value)
    query = select(func.count()).select_from(contests)
    return tx.execute(query.where(contests.c.edital == edital, contests.c.status.not_in(ended))).scalar_one()
