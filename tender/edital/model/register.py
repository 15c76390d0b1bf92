"""The register of stands: every ponto exists by decree; every change of it is a decree and a fact (arts. 10, 11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from tender.acts import Role, command, fact
from tender.law import L14133, MUN

STREAM = "stands"
MAP_SIDE = 1000
"""Positions on the schematic map run from 0 to this, left to right and top to bottom."""


@dataclass(frozen=True, slots=True)
class Decree:
    """A decree of the register: its number ("1/2027"), day, subject and the file it was read from."""

    number: str
    day: date
    subject: str
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class RegisteredStand:
    """A ponto as it now stands: `vehicles` is the limit of art. 10; `decree` the last that touched it."""

    code: str
    name: str
    address: str
    x: int
    y: int
    vehicles: int
    decree: str
    is_open: bool = True


# -- asked ------------------------------------------------------------------------------------------------------------


@command(Role.SECRETARIAT, law=MUN(10))
class RegisterDecree:
    """Enter a decree into the register."""

    decree: Decree


@command(Role.SECRETARIAT, law=MUN(11))
class CreateStand:
    """Create a ponto by decree."""

    code: str
    name: str
    address: str
    x: int
    y: int
    vehicles: int
    decree: str


@command(Role.SECRETARIAT, law=MUN(11))
class RelocateStand:
    """Move a ponto by decree."""

    code: str
    address: str
    x: int
    y: int
    decree: str


@command(Role.SECRETARIAT, law=MUN(11))
class SetStandLimit:
    """Raise or lower the number of vehicles of a ponto by decree."""

    code: str
    vehicles: int
    decree: str


@command(Role.SECRETARIAT, law=MUN(11))
class ExtinguishStand:
    """Close a ponto by decree."""

    code: str
    decree: str


@command(Role.SECRETARIAT, law=MUN(17))
class CountPermits:
    """Say how many permits are in force outside this register, and from which source (art. 17 counts them)."""

    in_force: int
    source: str


@command(Role.SECRETARIAT, law=L14133(183))
class DeclareClosure:
    """Enter a day without expediente, by decree; later decrees extend running terms and never shorten them."""

    day: date
    name: str
    decree: str


# -- happened ---------------------------------------------------------------------------------------------------------


@fact(law=MUN(10))
class DecreeRegistered:
    """A decree was entered."""

    decree: Decree


@fact(law=MUN(11))
class StandCreated:
    """A ponto exists."""

    stand: RegisteredStand


@fact(law=MUN(11))
class StandRelocated:
    """A ponto stands elsewhere."""

    code: str
    address: str
    x: int
    y: int
    decree: str


@fact(law=MUN(11))
class StandLimitSet:
    """A ponto takes another number of vehicles; `before` is what it took."""

    code: str
    vehicles: int
    before: int
    decree: str


@fact(law=MUN(11))
class StandExtinguished:
    """A ponto is no more."""

    code: str
    decree: str


@fact(law=MUN(17))
class PermitsCounted:
    """So many permits were in force."""

    in_force: int
    source: str


@fact(law=L14133(183))
class ClosureDeclared:
    """A day without expediente."""

    day: date
    name: str
    decree: str


FACTS = (
    PermitsCounted,
    ClosureDeclared,
    DecreeRegistered,
    StandCreated,
    StandRelocated,
    StandLimitSet,
    StandExtinguished,
)


@dataclass(frozen=True, slots=True)
class Register:
    """Decrees by number and stands by code."""

    decrees: Mapping[str, Decree] = field(default_factory=dict)
    stands: Mapping[str, RegisteredStand] = field(default_factory=dict)
    permits: int = 0
    closures: tuple[ClosureDeclared, ...] = ()


def begin(stream: str) -> Register:
    """The register before its first fact."""
    assert stream == STREAM, f"{stream} is not the register of stands"
    return Register()


def evolve(state: Register, happened: Any) -> Register:
    """The register after a fact (AssertionError for a fact of another subject)."""
    match happened:
        case DecreeRegistered(decree=decree):
            return replace(state, decrees={**state.decrees, decree.number: decree})
        case StandCreated(stand=stand):
            return _with(state, stand)
        case StandRelocated(code=code, address=address, x=x, y=y, decree=decree):
            return _with(state, replace(state.stands[code], address=address, x=x, y=y, decree=decree))
        case StandLimitSet(code=code, vehicles=vehicles, decree=decree):
            return _with(state, replace(state.stands[code], vehicles=vehicles, decree=decree))
        case StandExtinguished(code=code, decree=decree):
            return _with(state, replace(state.stands[code], is_open=False, decree=decree))
        case PermitsCounted(in_force=in_force):
            return replace(state, permits=in_force)
        case ClosureDeclared():
            return replace(state, closures=(*state.closures, happened))
    raise AssertionError(f"{type(happened).__name__} is no fact of the register")


def _with(state: Register, stand: RegisteredStand) -> Register:
    return replace(state, stands={**state.stands, stand.code: stand})
