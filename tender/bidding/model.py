"""Words of the auction of one stand: bidders by pseudonym, bids in whole centavos, a clock that never shrinks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from tender.acts import EditalId, Pseudonym, Role, StandId, command, fact
from tender.law import IN73, L14133, MUN
from tender.machine import Machine
from tender.money import Money


class Status(StrEnum):
    """Statuses of a stand at auction; the value is what the screen shows."""

    NONE = "Fora de disputa"
    WAITING = "Não começou"
    CONTESTED = "Em lances"
    SUSPENDED = "Pausado"
    CLOSED = "Encerrado"
    DESERTED = "Deserto"


@dataclass(frozen=True, slots=True)
class BidTerms:
    """The edital's terms that rule a contest. Durations in seconds; `anchor` as in the edital."""

    floor: Money
    step: Money
    open_stage_seconds: int
    window_seconds: int
    withdraw_seconds: int
    anchor: str
    whole_reais: bool


@dataclass(frozen=True, slots=True)
class Bid:
    """One accepted bid. `number` counts the stand's bids from 1; `below` is the bidder's standing bid before it."""

    number: int
    bidder: Pseudonym
    amount: Money
    at: datetime
    below: Bid | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A line of the ranking: place from 1, pseudonym, amount, number of the bid."""

    place: int
    bidder: Pseudonym
    amount: Money
    bid: int


# -- asked ------------------------------------------------------------------------------------------------------------


@command(Role.SYSTEM, law=MUN(10))
class PrepareStand:
    """Make ready a stand of a published edital."""

    edital: EditalId
    stand: StandId
    terms: BidTerms


@command(Role.SYSTEM, law=MUN(4))
class AdmitBidders:
    """Admit the habilitated, all at once and in order of pseudonym, so that the order tells nothing."""

    edital: EditalId
    stand: StandId
    bidders: tuple[Pseudonym, ...]


@command(Role.PREGOEIRO, law=L14133(17, None, "III"))
class StartContest:
    """Start the open stage."""

    edital: EditalId
    stand: StandId


@command(Role.BIDDER, law=MUN(4), of="bidder")
class PlaceBid:
    """Offer an amount."""

    edital: EditalId
    stand: StandId
    bidder: Pseudonym
    amount: Money


@command(Role.BIDDER, law=IN73(21, 3), of="bidder")
class WithdrawBid:
    """Undo one's own last bid, once, within seconds of its registration."""

    edital: EditalId
    stand: StandId
    bidder: Pseudonym


@command(Role.SYSTEM, law=L14133(56))
class CloseStand:
    """Close when the clock has run out; nobody else can."""

    edital: EditalId
    stand: StandId


@command(Role.SYSTEM, Role.PREGOEIRO, Role.COMMISSION, law=L14133(183, 2))
class SuspendContest:
    """Stop the clock: `since` is the last instant at which the service was to be trusted."""

    edital: EditalId
    stand: StandId
    cause: str
    since: datetime


@command(Role.PREGOEIRO, law=L14133(183, 2))
class ResumeContest:
    """Give the time back and go on."""

    edital: EditalId
    stand: StandId


# -- happened ---------------------------------------------------------------------------------------------------------


@fact(law=MUN(10))
class StandPrepared:
    """The stand will be auctioned on these terms."""

    terms: BidTerms


@fact(law=MUN(4))
class BidderAdmitted:
    """A habilitated bidder may bid here; `number` is what the screens show."""

    bidder: Pseudonym
    number: int


@fact(law=L14133(17, None, "III"))
class ContestStarted:
    """The open stage runs until `closes_at`."""

    closes_at: datetime


@fact(law=MUN(4))
class BidPlaced:
    """An accepted bid, received at `at`; `leads`: it passed to the front; `closes_at` is the clock after it."""

    bidder: Pseudonym
    number: int
    amount: Money
    at: datetime
    leads: bool
    closes_at: datetime


@fact(law=IN73(21, 3))
class BidWithdrawn:
    """A bidder undid the bid `number`; the clock keeps its extension."""

    bidder: Pseudonym
    number: int


@fact(law=L14133(56))
class StandClosed:
    """The clock ran out; the ranking travels in the fact."""

    ranking: tuple[Ranked, ...]


@fact(law=MUN(4))
class StandDeserted:
    """Nobody bid."""

    admitted: int


@fact(law=L14133(183, 2))
class ContestSuspended:
    """The clock stands still with so many microseconds left."""

    cause: str
    since: datetime
    remaining_us: int


@fact(law=L14133(183, 2))
class ContestResumed:
    """The clock runs again, until `closes_at`."""

    closes_at: datetime


MACHINE: Machine[Status] = Machine(
    "stand",
    Status.NONE,
    {
        (Status.NONE, StandPrepared): Status.WAITING,
        (Status.WAITING, StandPrepared): Status.WAITING,  # the edital was amended
        (Status.WAITING, BidderAdmitted): Status.WAITING,
        (Status.WAITING, ContestStarted): Status.CONTESTED,
        (Status.WAITING, StandDeserted): Status.DESERTED,
        (Status.CONTESTED, BidPlaced): Status.CONTESTED,
        (Status.CONTESTED, BidWithdrawn): Status.CONTESTED,
        (Status.CONTESTED, ContestSuspended): Status.SUSPENDED,
        (Status.SUSPENDED, ContestResumed): Status.CONTESTED,
        (Status.CONTESTED, StandClosed): Status.CLOSED,
        (Status.CONTESTED, StandDeserted): Status.DESERTED,
    },
    final=frozenset({Status.CLOSED, Status.DESERTED}),
)


@dataclass(frozen=True, slots=True)
class Contest:
    """The state of one stand at auction. `standing`: each bidder's best bid that was not withdrawn."""

    edital: EditalId
    stand: StandId
    status: Status = Status.NONE
    terms: BidTerms | None = None
    bidders: tuple[Pseudonym, ...] = ()
    standing: Mapping[Pseudonym, Bid] = field(default_factory=dict)
    amounts: frozenset[int] = frozenset()
    bids: int = 0
    withdrew: frozenset[Pseudonym] = frozenset()
    closes_at: datetime | None = None
    remaining_us: int = 0

    @property
    def best(self) -> Bid | None:
        """The leading bid: highest amount, and among equals the first registered."""
        return min(self.standing.values(), key=_front, default=None)

    def ranking(self) -> tuple[Ranked, ...]:
        """Each bidder's best standing bid, highest first, earliest first among equals."""
        ordered = sorted(self.standing.values(), key=_front)
        return tuple(Ranked(n, bid.bidder, bid.amount, bid.number) for n, bid in enumerate(ordered, start=1))


def _front(bid: Bid) -> tuple[int, int]:
    return (-bid.amount.centavos, bid.number)


def begin(stream: str) -> Contest:
    """The contest of a stream `stand/<edital>/<stand>` before its first fact."""
    _, edital, stand = stream.split("/")
    return Contest(EditalId(edital), StandId(int(stand)))


def evolve(state: Contest, happened: Any) -> Contest:
    """The contest after a fact. The clock never shrinks while contested (AssertionError)."""
    state = replace(state, status=MACHINE.after(state.status, happened))
    match happened:
        case StandPrepared(terms=terms):
            return replace(state, terms=terms)
        case BidderAdmitted(bidder=bidder):
            return replace(state, bidders=(*state.bidders, bidder))
        case ContestStarted(closes_at=closes_at):
            return replace(state, closes_at=closes_at)
        case BidPlaced():
            return _placed(state, happened)
        case BidWithdrawn(bidder=bidder):
            return _withdrawn(state, bidder)
        case ContestSuspended(remaining_us=remaining):
            return replace(state, remaining_us=remaining, closes_at=None)
        case ContestResumed(closes_at=closes_at):
            return replace(state, closes_at=closes_at, remaining_us=0)
    return state


def _placed(state: Contest, bid: BidPlaced) -> Contest:
    assert state.closes_at is not None, "a bid outside the contest"
    assert bid.closes_at >= state.closes_at, "the clock shrank"
    mine = Bid(bid.number, bid.bidder, bid.amount, bid.at, state.standing.get(bid.bidder))
    return replace(
        state,
        standing={**state.standing, bid.bidder: mine},
        amounts=state.amounts | {bid.amount.centavos},
        bids=bid.number,
        closes_at=bid.closes_at,
    )


def _withdrawn(state: Contest, bidder: Pseudonym) -> Contest:
    gone = state.standing[bidder]
    standing = {who: bid for who, bid in state.standing.items() if who != bidder}
    if gone.below is not None:
        standing[bidder] = gone.below
    return replace(
        state,
        standing=standing,
        amounts=state.amounts - {gone.amount.centavos},
        withdrew=state.withdrew | {bidder},
    )
