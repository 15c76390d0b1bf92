"""Words of the award of one stand: the ranked queue, the call, the Termo de Desistência (art. 4º § 3º)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from tender.acts import EditalId, Pseudonym, Role, StandId, command, fact
from tender.law import L14133, MUN
from tender.machine import Machine
from tender.money import Money


class Status(StrEnum):
    """Statuses of an award; the value is what the screen shows."""

    NONE = "Sem chamada"
    CALLED = "Convocado"
    ACCEPTED = "Aceito"
    FAILED = "Fracassado"


class Moment(StrEnum):
    """When a desistência was signed: it separates an innocent waiver from a breach (rules.md § 2.6)."""

    AT_ONCE = "no_ato"
    WITHIN_TERM = "no_prazo"


@dataclass(frozen=True, slots=True)
class Placed:
    """A line of the queue: place from 1, pseudonym, amount offered."""

    place: int
    bidder: Pseudonym
    amount: Money


# -- asked ------------------------------------------------------------------------------------------------------------


@command(Role.SYSTEM, law=MUN(4))
class RankStand:
    """Freeze the ranking of a closed stand and call the first placed."""

    edital: EditalId
    stand: StandId
    queue: tuple[Placed, ...]
    answer_seconds: int


@command(Role.BIDDER, law=MUN(5), of="bidder")
class AcceptAward:
    """Say that one will sign the Termo de Permissão."""

    edital: EditalId
    stand: StandId
    bidder: Pseudonym


@command(Role.BIDDER, law=MUN(4, 3), of="bidder")
class SignDesistencia:
    """Sign the Termo de Desistência: the next placed is called by the same act."""

    edital: EditalId
    stand: StandId
    bidder: Pseudonym
    moment: Moment


@command(Role.SYSTEM, law=L14133(90))
class LapseCall:
    """The call's time ran out in silence."""

    edital: EditalId
    stand: StandId
    place: int


# -- happened ---------------------------------------------------------------------------------------------------------


@fact(law=MUN(4))
class StandRanked:
    """The ranking as the book has it."""

    queue: tuple[Placed, ...]
    answer_seconds: int


@fact(law=MUN(4, 3))
class BidderCalled:
    """Whose turn it is, at what amount, until when."""

    place: int
    bidder: Pseudonym
    amount: Money
    answer_until: datetime


@fact(law=MUN(5))
class AwardAccepted:
    """The called bidder accepted."""

    place: int
    bidder: Pseudonym
    amount: Money


@fact(law=MUN(4, 3))
class DesistenciaSigned:
    """The called bidder gave up the stand, on the spot or within the term."""

    place: int
    bidder: Pseudonym
    amount: Money
    moment: Moment


@fact(law=L14133(90))
class CallLapsed:
    """The called bidder let the time run out."""

    place: int
    bidder: Pseudonym


@fact(law=MUN(4, 3))
class StandFailed:
    """Nobody is left to call."""

    called: int


MACHINE: Machine[Status] = Machine(
    "award",
    Status.NONE,
    {
        (Status.NONE, StandRanked): Status.NONE,
        (Status.NONE, BidderCalled): Status.CALLED,
        (Status.NONE, StandFailed): Status.FAILED,
        (Status.CALLED, AwardAccepted): Status.ACCEPTED,
        (Status.CALLED, DesistenciaSigned): Status.NONE,
        (Status.CALLED, CallLapsed): Status.NONE,
    },
    final=frozenset({Status.ACCEPTED, Status.FAILED}),
)


@dataclass(frozen=True, slots=True)
class Award:
    """The state of one stand's award. `called` is the line whose turn it is."""

    edital: EditalId
    stand: StandId
    status: Status = Status.NONE
    queue: tuple[Placed, ...] = ()
    called: Placed | None = None
    called_at_place: int = 0
    answer_until: datetime | None = None
    answer_seconds: int = 0


def begin(stream: str) -> Award:
    """The award of a stream `award/<edital>/<stand>` before its first fact."""
    _, edital, stand = stream.split("/")
    return Award(EditalId(edital), StandId(int(stand)))


def evolve(state: Award, happened: Any) -> Award:
    """The award after a fact; undeclared moves are AssertionErrors."""
    state = replace(state, status=MACHINE.after(state.status, happened))
    match happened:
        case StandRanked(queue=queue, answer_seconds=seconds):
            return replace(state, queue=queue, answer_seconds=seconds)
        case BidderCalled(place=place, bidder=bidder, amount=amount, answer_until=until):
            return replace(state, called=Placed(place, bidder, amount), called_at_place=place, answer_until=until)
        case DesistenciaSigned() | CallLapsed() | AwardAccepted():
            return replace(state, called=None, answer_until=None)
    return state
