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
        """What is wrong with the table: unreachable statuses, dead ends not declared final, exits from final ones.

        A move back to the same status leaves nothing. Where there are final statuses, each other one leads to one.
        """
        reachable, ending = self.reachable(), self._ending()
        problems = [f"{s.value} is never reached" for s in self.statuses() if s not in reachable]
        for status in self.statuses():
            if status in self.final and self._leaves(status):
                problems.append(f"{status.value} is final but can be left")
            elif status not in self.final and not self._leaves(status):
                problems.append(f"{status.value} is a dead end")
            elif self.final and status not in ending:
                problems.append(f"{status.value} never comes to an end")
        return problems

    def _leaves(self, status: S) -> bool:
        return any(here is status and there is not status for (here, _), there in self.moves.items())

    def _ending(self) -> set[S]:
        ending = set(self.final)
        while more := {here for (here, _), there in self.moves.items() if there in ending} - ending:
            ending |= more
        return ending

    def diagram(self) -> str:
        """The machine as Mermaid `stateDiagram-v2` text, moves in order of declaration."""
        lines = ["stateDiagram-v2", f"    [*] --> {self.start.name.lower()}"]
        for (status, kind), there in self.moves.items():
            lines.append(f"    {status.name.lower()} --> {there.name.lower()}: {kind.__name__}")
        lines += [f"    {status.name.lower()} --> [*]" for status in self.statuses() if status in self.final]
        return "\n".join(lines) + "\n"
