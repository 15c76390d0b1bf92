"""Statuses and transitions as data: a start and a dict `(status, fact type) -> status`.

`decide` refuses politely; the machine refuses absolutely: an undeclared move is an AssertionError, never a silent
assignment. From the same dict come the buttons of a page, the completeness tests, the diagram and the database's
CHECK on the status column.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, TypeVar

S = TypeVar("S", bound=StrEnum)


@dataclass(frozen=True)
class Machine(Generic[S]):
    """A life in statuses. `moves` maps (status, fact class) to the next status; `final` statuses have no way out."""

    name: str
    start: S
    moves: Mapping[tuple[S, type[Any]], S]
    final: frozenset[S] = field(default_factory=frozenset)

    def after(self, status: S, fact: object) -> S:
        """Status after the fact. AssertionError when the move is not declared."""
        key = (status, type(fact))
        assert key in self.moves, f"{self.name}: {type(fact).__name__} cannot happen while {status.value}"
        return self.moves[key]

    def allows(self, status: S, kind: type[Any]) -> bool:
        """True when a fact of this class may happen in this status."""
        return (status, kind) in self.moves

    def statuses(self) -> tuple[S, ...]:
        """All statuses named by the machine, in order of declaration."""
        return tuple(type(self.start))

    def reachable(self) -> frozenset[S]:
        """Statuses that can be reached from the start."""
        seen = {self.start}
        frontier = [self.start]
        while frontier:
            here = frontier.pop()
            for (status, _), there in self.moves.items():
                if status is here and there not in seen:
                    seen.add(there)
                    frontier.append(there)
        return frozenset(seen)

    def faults(self) -> list[str]:
        """What is wrong with the table: unreachable statuses, dead ends not declared final, exits from final ones."""
        left = {status for status, _ in self.moves}
        reachable = self.reachable()
        problems = [f"{s.value} is never reached" for s in self.statuses() if s not in reachable]
        problems += [f"{s.value} is a dead end" for s in self.statuses() if s not in left and s not in self.final]
        problems += [f"{s.value} is final but can be left" for s in self.final if self._leaves(s)]
        return problems

    def _leaves(self, status: S) -> bool:
        return any(here is status and there is not status for (here, _), there in self.moves.items())

    def diagram(self) -> str:
        """The machine as Mermaid `stateDiagram-v2` text, moves in order of declaration."""
        lines = ["stateDiagram-v2", f"    [*] --> {self.start.name.lower()}"]
        for (status, kind), there in self.moves.items():
            lines.append(f"    {status.name.lower()} --> {there.name.lower()}: {kind.__name__}")
        lines += [f"    {status.name.lower()} --> [*]" for status in self.statuses() if status in self.final]
        return "\n".join(lines) + "\n"
