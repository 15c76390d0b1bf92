"""The three words of the desk: what is asked (Command), what happened (Fact), what is refused (Refusal).

A command is an imperative handed in at the desk; a fact is past and stands in the book for ever; a refusal
names the article it rests on. Permissions are declared on the command and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, NewType, Protocol, TypeVar, dataclass_transform

from tender.law import L14133, Citation

EditalId = NewType("EditalId", str)  # "001-2027", the same in the book and in addresses
StandId = NewType("StandId", int)  # number of the ponto within its edital
Pseudonym = NewType("Pseudonym", str)  # random per stand; the only name of a bidder before the close
PersonId = NewType("PersonId", str)  # random; names live in people.py alone


class Role(StrEnum):
    """Who may hand in a command (`design`: sitemap, roles). Values are what the book records."""

    PUBLIC = "publico"
    APPLICANT = "participante"
    BIDDER = "licitante"
    PREGOEIRO = "pregoeiro"
    COMMISSION = "comissao"
    MAYOR = "autoridade"
    SECRETARIAT = "secretaria"
    CONTROL = "controle"
    TECHNICIAN = "tecnico"
    SYSTEM = "sistema"

    @property
    def label(self) -> str:
        """Portuguese name of the role as screens show it."""
        return _LABELS[self]


_LABELS = {
    Role.PUBLIC: "Público",
    Role.APPLICANT: "Participante",
    Role.BIDDER: "Licitante",
    Role.PREGOEIRO: "Pregoeiro(a)",
    Role.COMMISSION: "Comissão",
    Role.MAYOR: "Autoridade (Prefeito ou delegado)",
    Role.SECRETARIAT: "Secretaria de Serviços Urbanos",
    Role.CONTROL: "Controle interno",
    Role.TECHNICIAN: "Técnico",
    Role.SYSTEM: "Sistema",
}

OFFICES_ROLES = frozenset(
    {Role.PREGOEIRO, Role.COMMISSION, Role.MAYOR, Role.SECRETARIAT, Role.CONTROL, Role.TECHNICIAN}
)
"""Roles held by appointment; whoever holds one cannot enrol (Lei 14.133 art. 9, § 1º)."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who stands at the desk: an opaque person id, the roles held, whether a second factor was shown."""

    person: str
    roles: frozenset[Role]
    second_factor: bool = False

    def may(self, kind: type[Command]) -> bool:
        """True when one of the actor's roles is named by the command."""
        return bool(self.roles & kind.META.roles)


SYSTEM = Actor("sistema", frozenset({Role.SYSTEM}), second_factor=True)
"""Acts only for deadlines, outages and consequences."""

ANYONE = Actor("publico", frozenset({Role.PUBLIC}))
"""Whoever asks without signing in."""


@dataclass(frozen=True, slots=True)
class CommandMeta:
    """Permission of a command: roles, the field that must be the actor himself, the article, members together."""

    roles: frozenset[Role]
    law: Citation
    of: str | None
    members: int


@dataclass(frozen=True, slots=True)
class FactMeta:
    """The article a fact rests on when the command that caused it names no closer one."""

    law: Citation


class Command(Protocol):
    """Something asked at the desk; made by the `@command` decorator."""

    META: ClassVar[CommandMeta]


class Fact(Protocol):
    """Something that happened; made by the `@fact` decorator."""

    META: ClassVar[FactMeta]


COMMANDS: dict[str, type[Any]] = {}
FACTS: dict[str, type[Any]] = {}

T = TypeVar("T")


def _register(registry: dict[str, type[Any]], cls: type[Any]) -> None:
    known = registry.get(cls.__name__)
    # The same place again is the same module read twice, not a second act.
    same = known is not None and (known.__module__, known.__qualname__) == (cls.__module__, cls.__qualname__)
    assert known is None or same, f"two acts are called {cls.__name__}"
    registry[cls.__name__] = cls


@dataclass_transform(frozen_default=True)
def command(*roles: Role, law: Citation, of: str | None = None, members: int = 1) -> Callable[[type[T]], type[T]]:
    """Declare a command: a frozen dataclass with its permission.

    roles: who may hand it in; law: why they may; of: name of the field that must be the actor's own person or
    pseudonym; members: how many different members must act together. Raises AssertionError when no role or no article
    is named, when there is no such field, and when another command has the name.
    """
    assert roles, "a command names at least one role"
    assert isinstance(law, Citation), "a command names its article"
    assert members >= 1, "a command needs at least one member"

    def made(cls: type[T]) -> type[T]:
        built = dataclass(frozen=True, slots=True)(cls)
        assert of is None or of in getattr(built, "__dataclass_fields__", {}), f"{cls.__name__} has no field {of}"
        built.META = CommandMeta(frozenset(roles), law, of, members)  # type: ignore[attr-defined]
        _register(COMMANDS, built)
        return built

    return made


@dataclass_transform(frozen_default=True)
def fact(*, law: Citation) -> Callable[[type[T]], type[T]]:
    """Declare a fact: a frozen dataclass with the article that it rests on; AssertionError when its name is taken."""
    assert isinstance(law, Citation), "a fact names its article"

    def made(cls: type[T]) -> type[T]:
        built = dataclass(frozen=True, slots=True)(cls)
        built.META = FactMeta(law)  # type: ignore[attr-defined]
        _register(FACTS, built)
        return built

    return made


@dataclass(frozen=True, slots=True)
class Turn:
    """A command's turn at the desk, as a rule may know it: the hour of arrival, who asks, what was looked up.

    now: aware UTC instant at which the command arrived at the Door; by: person id of who asks; role: the role in
    which; members: person ids of all who act together; known: what `process.KNOWN` looked up in the transaction.
    """

    now: datetime
    by: str = "sistema"
    role: Role = Role.SYSTEM
    members: tuple[str, ...] = ()
    known: Mapping[str, Any] = field(default_factory=dict)


@fact(law=L14133(8, 2))
class ActProposed:
    """A member asked for an act that needs several: it waits for another member's equal request."""

    act: str
    digest: str
    content: str
    by: str


@fact(law=L14133(8, 2))
class ActSeconded:
    """The last member needed handed in the same request; what the act decides follows in the next entries."""

    act: str
    digest: str
    members: tuple[str, ...]


DESK_FACTS: tuple[type[Any], ...] = (ActProposed, ActSeconded)
"""Facts of the desk itself: they stand in a stream but no chapter's state moves by them."""


class Refusal(Exception):
    """A polite no: reason in Portuguese, article, and what would pass.

    code: one stable word for clients (`abaixo_do_minimo`); field: name of the field that failed;
    got: the value that failed, as shown; passes: the value that would pass, as shown.
    """

    def __init__(
        self,
        reason: str,
        law: Citation,
        *,
        code: str = "recusado",
        field: str = "",
        got: str = "",
        passes: str = "",
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.law = law
        self.code = code
        self.field = field
        self.got = got
        self.passes = passes

    def __str__(self) -> str:
        return f"{self.reason} ({self.law})"
