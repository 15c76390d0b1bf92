"""The clerk's work on one command: may they, is it theirs, load, decide, evolve, append, project, what follows.

Consequences happen in the same transaction as their cause (a runner-up may not be lost). The folded state of each
live stream stays in memory, keyed by its version, so that a bid costs one fact and not the whole history.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Connection, Integer, Table, Text, delete, insert, select

from tender import verifier
from tender.acts import DESK_FACTS, OFFICES_ROLES, SYSTEM, Actor, ActProposed, ActSeconded, Refusal, Role, Turn
from tender.codec import to_plain
from tender.door import Ticket
from tender.law import L14133
from tender.ledger import Book, Draft, Entry, Head, Instant, chain_of, projections

CONSEQUENCES_MAX = 64
STATES_MAX = 4096

proposals = Table(
    "proposals",
    projections,
    Column("chain", Text, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("stream", Text, nullable=False),
    Column("act", Text, nullable=False),
    Column("digest", Text, primary_key=True),
    Column("content", Text, nullable=False),
    Column("by", Text, primary_key=True),
    Column("at", Instant, nullable=False),
)


@dataclass(frozen=True, slots=True)
class Office:
    """Who decides a command: its stream, its state at the start, and the two pure functions of the subject."""

    name: str
    stream: Callable[[Any], str]
    start: Callable[[str], Any]
    decide: Callable[[Any, Any, Turn], Sequence[Any]]
    evolve: Callable[[Any, Any], Any]


@dataclass(frozen=True, slots=True)
class Procedure:
    """The tables of `process.py`, as the desk uses them.

    offices: command -> Office; follows: fact -> (tx, entry) -> commands; known: command -> (tx, command, turn) ->
    mapping for the rule; projections: called with (tx, entry) for every entry; effects: the same, but only when the
    entry is new (deadlines, notices), never when the reads are rebuilt.
    """

    offices: Mapping[type[Any], Office]
    follows: Mapping[type[Any], Callable[[Connection, Entry], Iterable[Any]]]
    known: Mapping[type[Any], Callable[[Connection, Any, Turn], Mapping[str, Any]]]
    projections: tuple[Callable[[Connection, Entry], None], ...]
    effects: tuple[Callable[[Connection, Entry], None], ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a command wrote: its entries, its hour of arrival, and the hour at which they were written (UTC)."""

    command_id: str
    entries: tuple[Entry, ...]
    arrived_at: datetime
    registered_at: datetime

    @property
    def awaits_member(self) -> bool:
        """True when the act still needs another member's equal request."""
        return bool(self.entries) and self.entries[0].kind == ActProposed.__name__


def project_proposal(tx: Connection, entry: Entry) -> None:
    """Projection of the desk's own facts: which acts wait for another member."""
    if entry.kind == ActProposed.__name__:
        fact = entry.fact
        tx.execute(
            insert(proposals),
            {
                "chain": entry.chain,
                "seq": entry.seq,
                "stream": entry.stream,
                "act": fact.act,
                "digest": fact.digest,
                "content": fact.content,
                "by": fact.by,
                "at": entry.at,
            },
        )
    elif entry.kind == ActSeconded.__name__:
        tx.execute(delete(proposals).where(proposals.c.digest == entry.fact.digest))


class Clerk:
    """Performs one command at a time inside the desk's transaction; keeps folded states between transactions."""

    def __init__(self, book: Book, procedure: Procedure, owns: Callable[[Connection, str, str], bool]) -> None:
        self._book = book
        self._procedure = procedure
        self._owns = owns
        self._states: OrderedDict[str, tuple[int, Any]] = OrderedDict()
        self._batch: dict[str, tuple[int, Any]] = {}
        self._heads: dict[str, Head] = {}
        self._command: dict[str, tuple[int, Any]] = {}
        self._command_heads: dict[str, Head] = {}
        self._owned: dict[tuple[str, str], bool] = {}  # asked twice for each bid, looked up once

    def known_as(self, tx: Connection, command: Any, actor: Actor) -> str:
        """Who asks, as what is kept may say it: a bidder by the stand's pseudonym, if it is theirs."""
        meta = command.META
        if Role.BIDDER in actor.roles & meta.roles and meta.of is not None:
            pseudonym = str(getattr(command, meta.of))
            if self._is_own(tx, actor, pseudonym):
                return pseudonym
        return actor.person

    def _is_own(self, tx: Connection, actor: Actor, value: str) -> bool:
        key = (actor.person, value)
        if key not in self._owned:
            self._owned[key] = self._owns(tx, *key)
        return self._owned[key]

    def chain_of(self, command: Any) -> str:
        """The chain that a command writes to; empty when no office knows the command."""
        office = self._procedure.offices.get(type(command))
        return chain_of(office.stream(command)) if office else ""

    # -- memory: the command's changes join the batch's when it succeeds, the batch's join ours after the commit ---

    def open_batch(self) -> None:
        """Forget what an earlier, failed transaction may have left."""
        self._batch, self._heads = {}, {}
        self.drop()

    def close_batch(self) -> None:
        """The transaction is on disk: its states are true."""
        for stream, folded in self._batch.items():
            self._states[stream] = folded
            self._states.move_to_end(stream)
        while len(self._states) > STATES_MAX:
            self._states.popitem(last=False)

    def keep(self) -> None:
        """The command succeeded within the transaction."""
        self._batch.update(self._command)
        self._heads.update(self._command_heads)
        self.drop()

    def drop(self) -> None:
        """The command left nothing behind."""
        self._command, self._command_heads, self._owned = {}, {}, {}

    def forget(self) -> None:
        """The transaction failed: believe only the book."""
        self._states.clear()
        self.open_batch()

    def _state(self, tx: Connection, office: Office, stream: str) -> tuple[int, Any]:
        folded = self._command.get(stream) or self._batch.get(stream)
        if folded is not None:
            return folded
        version, state = self._states.get(stream) or (0, office.start(stream))
        # Another process may have written: fold on from the version in memory.
        for entry in self._book.load(tx, stream, after=version):
            version, state = entry.version, _evolved(office, state, entry.fact)
        return version, state

    # -- one command ----------------------------------------------------------------------------------------------

    def perform(self, tx: Connection, ticket: Ticket) -> list[Entry]:
        """Entries written by the command and all that follows from it. Refusal when it may not be."""
        entries: list[Entry] = []
        waiting: deque[tuple[Any, Actor]] = deque([(ticket.command, ticket.actor)])
        done = 0
        while waiting:
            command, actor = waiting.popleft()
            assert done <= CONSEQUENCES_MAX, f"consequences of {type(ticket.command).__name__} do not end"
            done += 1
            try:
                fresh = self._single(tx, command, actor, ticket, step=len(entries))
            except Refusal as refusal:
                if done == 1:
                    raise
                raise AssertionError(f"consequence {type(command).__name__} was refused: {refusal}") from refusal
            entries += fresh
            for entry in fresh:
                following = self._procedure.follows.get(type(entry.fact))
                if following is not None:
                    waiting.extend((one, SYSTEM) for one in following(tx, entry))
        return entries

    def _single(self, tx: Connection, command: Any, actor: Actor, ticket: Ticket, step: int) -> list[Entry]:
        office = self._procedure.offices[type(command)]
        role = self._permitted(tx, command, actor)
        stream = office.stream(command)
        version, state = self._state(tx, office, stream)
        members: tuple[str, ...] = (actor.person,)
        opening: list[Any] = []
        if command.META.members > 1 and role is not Role.SYSTEM:
            members, opening = self._together(tx, command, stream, actor)
        # Decided at the hour that the book will say: a clock set back must not take a bid after the bell.
        at = max(ticket.arrived_at, self._head(tx, chain_of(stream)).at)
        turn = Turn(at, actor.person, role, members)
        lookup = self._procedure.known.get(type(command))
        if lookup is not None:
            turn = Turn(turn.now, turn.by, turn.role, turn.members, lookup(tx, command, turn))
        decided = list(office.decide(state, command, turn))
        # A proposal is decided too, so that what would be refused is refused at once; its facts wait.
        facts = opening if opening and isinstance(opening[0], ActProposed) else opening + decided
        for made in facts:
            state = _evolved(office, state, made)
        who, cid = _recorded_actor(command, actor, role), ticket.command_id
        drafts = [
            Draft(stream, version + n + 1, made, who, role.value, at, made.META.law.key, cid, step + n)
            for n, made in enumerate(facts)
        ]
        return self._write(tx, stream, drafts, state)

    def _write(self, tx: Connection, stream: str, drafts: list[Draft], state: Any) -> list[Entry]:
        if not drafts:
            return []
        chain = chain_of(stream)
        entries = self._book.append(tx, chain, drafts, self._head(tx, chain))
        last = entries[-1]
        self._command_heads[chain] = Head(last.seq, last.hash, last.at)
        self._command[stream] = (last.version, state)
        for entry in entries:
            for project in (project_proposal, *self._procedure.projections, *self._procedure.effects):
                project(tx, entry)
        return entries

    def _head(self, tx: Connection, chain: str) -> Head:
        """The chain's end, read once a transaction: nobody else writes it meanwhile."""
        found = self._command_heads.get(chain) or self._heads.get(chain)
        if found is None:
            found = self._heads[chain] = self._book.head(tx, chain)
        return found

    def _permitted(self, tx: Connection, command: Any, actor: Actor) -> Role:
        meta = command.META
        held = [role for role in actor.roles if role in meta.roles]
        if not held:
            wanted = ", ".join(sorted(role.label for role in meta.roles))
            raise Refusal(f"Este ato cabe a: {wanted}.", meta.law, code="sem_competencia")
        role = min(held, key=list(Role).index)
        if role in OFFICES_ROLES and not actor.second_factor:
            raise Refusal(
                "Confirme o segundo fator (código do aplicativo) antes de praticar atos do cargo.",
                meta.law,
                code="segundo_fator",
            )
        theirs = role is Role.SYSTEM or meta.of is None or self._is_own(tx, actor, str(getattr(command, meta.of)))
        if not theirs:
            raise Refusal("Só o próprio interessado pode praticar este ato.", meta.law, code="de_outra_pessoa")
        return role

    def _together(self, tx: Connection, command: Any, stream: str, actor: Actor) -> tuple[tuple[str, ...], list[Any]]:
        content = verifier.canonical([type(command).__name__, stream, to_plain(command)])
        mark = hashlib.sha256(content.encode()).hexdigest()
        query = select(proposals.c.by).where(proposals.c.digest == mark).order_by(proposals.c.seq)
        before = list(tx.execute(query).scalars())
        if actor.person in before:
            raise Refusal(
                "Você já assinou este ato. Falta a assinatura de outro membro.",
                L14133(8, 2),
                code="falta_outro_membro",
            )
        members = (*before, actor.person)
        if len(members) < command.META.members:
            return members, [ActProposed(type(command).__name__, mark, content, actor.person)]
        return members, [ActSeconded(type(command).__name__, mark, members)]


def _evolved(office: Office, state: Any, made: Any) -> Any:
    return state if isinstance(made, DESK_FACTS) else office.evolve(state, made)


def _recorded_actor(command: Any, actor: Actor, role: Role) -> str:
    # A bidder stands in the book by the stand's pseudonym: the person id would join stands to a name.
    if role is Role.BIDDER and command.META.of is not None:
        return str(getattr(command, command.META.of))
    return actor.person
