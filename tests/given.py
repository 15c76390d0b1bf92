"""Rules told as stories, without desk or database, for any chapter:

    given(prepared, admitted, started).when(PlaceBid(...), at=hour).then(BidPlaced(...))
    given(prepared, admitted, started).when(PlaceBid(...), at=hour).refused(MUN(4), code="abaixo_do_minimo")

The office of the command is found in the procedure; the facts given are folded by its `evolve`, and so are the facts
decided, so that a decision which the chapter's machine does not allow fails even where the facts are as expected.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tender.acts import Refusal, Role, Turn
from tender.law import Citation
from tender.process import OFFICES

NOON = datetime(2027, 3, 5, 15, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Outcome:
    """What a rule answered: the facts or the refusal, and the state that the facts lead to."""

    facts: tuple[Any, ...]
    refusal: Refusal | None
    state: Any

    def then(self, *expected: Any) -> Outcome:
        """The rule decided exactly these facts."""
        assert self.refusal is None, f"refused: {self.refusal}"
        assert self.facts == expected
        return self

    def refused(self, article: Citation, *, code: str = "", passes: str | None = None) -> Outcome:
        """The rule refused by this article, with this code, and named what would pass."""
        assert self.refusal is not None, f"not refused: {self.facts}"
        assert self.refusal.law == article, f"{self.refusal.law}, not {article}"
        assert not code or self.refusal.code == code, f"{self.refusal.code}, not {code}"
        said = self.refusal.passes.replace("\N{NO-BREAK SPACE}", " ")
        assert passes is None or said == passes, f"{said!r}, not {passes!r}"
        assert self.refusal.reason.endswith("."), "a reason is a sentence"
        return self


@dataclass(frozen=True)
class Given:
    """Facts that already stand in the book, in order."""

    facts: tuple[Any, ...]

    def when(
        self,
        command: Any,
        at: datetime = NOON,
        known: Mapping[str, Any] | None = None,
        by: str = "sistema",
        role: Role = Role.SYSTEM,
        members: tuple[str, ...] = (),
    ) -> Outcome:
        """The command has its turn at this hour; `known` is what the desk looked up for the rule."""
        office = OFFICES[type(command)]
        state = office.start(office.stream(command))
        for happened in self.facts:
            state = office.evolve(state, happened)
        try:
            decided = tuple(office.decide(state, command, Turn(at, by, role, members or (by,), known or {})))
        except Refusal as refusal:
            return Outcome((), refusal, state)
        for made in decided:
            state = office.evolve(state, made)
        return Outcome(decided, None, state)


def given(*facts: Any) -> Given:
    """Start a story from these facts; without any, from nothing."""
    return Given(facts)
