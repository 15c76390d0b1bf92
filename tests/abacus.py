"""The smallest procedure there is, for tests of the desk itself: an abacus that counts, and that fails when told to.

Its acts can do what no chapter's may: raise, follow themselves without end, break the database's connection.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from sqlalchemy import Column, Connection, Engine, Integer, MetaData, Table, Text, insert, text

from tender.acts import ANYONE, Actor, EditalId, Refusal, Role, Turn, command, fact
from tender.answers import answers
from tender.clerk import Office, Procedure, Receipt, proposals
from tender.clock import Clock, FrozenClock
from tender.deadlines import Deadlines, deadlines, heartbeats
from tender.desk import Desk
from tender.door import Door
from tender.law import MUN
from tender.ledger import NAMING, Book, Entry, ledger, metadata, open_engine, projections
from tests.town import SESSION_AT

ABACUS = EditalId("999-2027")
TOO_MUCH = 100

# A table of the tests alone: among the program's own, a rebuild in the same process would look for it.
counts = Table(
    "abacus_counts",
    MetaData(naming_convention=NAMING),
    Column("chain", Text, primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("what", Text),
)


@command(Role.PUBLIC, Role.SYSTEM, law=MUN(1))
class Add:
    """Add beads; more than 100 at once are refused, 13 make the rule raise, 66 break what is written."""

    edital: EditalId
    beads: int
    note: str = ""


@command(Role.SYSTEM, Role.CONTROL, law=MUN(1))
class Clear:
    """Put all beads back."""

    edital: EditalId


@command(Role.BIDDER, law=MUN(2), of="bidder")
class Push:
    """Push one's own bead."""

    edital: EditalId
    bidder: str


@command(Role.COMMISSION, law=MUN(3), members=2)
class Mend:
    """Mend the abacus: two members together; 0 cannot be mended."""

    edital: EditalId
    rods: int
    reason: str = ""


@command(Role.PUBLIC, Role.SYSTEM, law=MUN(1))
class Roll:
    """Roll a bead that rolls `times` more, each as a consequence; below zero without end."""

    edital: EditalId
    times: int
    then: str = ""


@fact(law=MUN(1))
class Added:
    """So many beads, and the total after them."""

    beads: int
    total: int


@fact(law=MUN(1))
class Cleared:
    """No beads are left."""


@fact(law=MUN(3))
class Mended:
    """The abacus has so many rods; by whom."""

    rods: int
    members: tuple[str, ...]


@fact(law=MUN(1))
class Rolled:
    """A bead rolled and has so many turns to go; what it meets at the end."""

    left: int
    then: str


def decide(state: int, asked: Any, turn: Turn) -> list[Any]:
    """The state is the total."""
    match asked:
        case Add(beads=beads):
            if beads > TOO_MUCH:
                raise Refusal("São contas demais.", MUN(1), code="demais", field="contas", got=str(beads), passes="100")
            if beads == 13:
                raise RuntimeError("the abacus fell")
            return [Added(beads, state + beads)]
        case Push():
            return [Added(1, state + 1)]
        case Clear():
            return [Cleared()]
        case Mend(rods=rods):
            if rods == 0:
                raise Refusal("Um ábaco tem hastes.", MUN(3), code="sem_hastes")
            return [Mended(rods, turn.members)]
        case Roll(times=times, then=then):
            return [Rolled(times, then)]
    raise AssertionError(asked)


def evolve(state: int, happened: Any) -> int:
    """The total after a fact: it must be the one that the fact says."""
    match happened:
        case Added(beads=beads, total=total):
            assert total == state + beads, f"{total} is not {state} + {beads}"
            return total
        case Cleared():
            return 0
    return state


def follow(tx: Connection, entry: Entry) -> Iterable[Any]:
    """What a roll leads to: another roll, and at the end the command named."""
    rolled = entry.fact
    if rolled.left:
        yield Roll(EditalId(entry.stream.split("/")[1]), rolled.left - 1, rolled.then)
    elif rolled.then:
        ends = {"raise": Add(ABACUS, 13), "refuse": Add(ABACUS, TOO_MUCH + 1), "push": Push(ABACUS, "ana")}
        yield {**ends, "clear": Clear(ABACUS), "add": Add(ABACUS, 1)}[rolled.then]


def project(tx: Connection, entry: Entry) -> None:
    """Count entries; 66 beads break the connection, as a database that goes away would."""
    tx.execute(insert(counts), {"chain": entry.chain, "seq": entry.seq, "what": entry.kind})
    if entry.kind == "Added" and entry.body["beads"] == 66:
        if tx.dialect.name == "postgresql":
            tx.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))
        else:
            _fill_the_disk(tx)


def _fill_the_disk(tx: Connection) -> None:
    # For SQLite the disk is as full as it is told; it gives up the whole transaction then, not the statement only.
    pages = tx.execute(text("PRAGMA page_count")).scalar()
    tx.execute(text(f"PRAGMA max_page_count = {pages}"))
    try:
        tx.execute(insert(counts), {"chain": "x" * 1_000_000, "seq": 1, "what": ""})
    finally:
        tx.execute(text("PRAGMA max_page_count = 1073741823"))


OFFICE = Office("abacus", lambda asked: f"edital/{asked.edital}", lambda stream: 0, decide, evolve)
PROCEDURE = Procedure(dict.fromkeys((Add, Clear, Push, Mend, Roll), OFFICE), {Rolled: follow}, {}, (project,))


def owns(tx: Connection, person: str, value: str) -> bool:
    """Everybody's pseudonym here is their person id backwards."""
    return value == person[::-1]


class Abacus:
    """A desk for the abacus on a real database. Nothing runs unless asked."""

    def __init__(
        self, database_url: str, clock: Clock | None = None, procedure: Procedure = PROCEDURE, create: bool = True
    ) -> None:
        self.clock: Any = clock or FrozenClock(SESSION_AT)
        self.engine: Engine = open_engine(database_url)
        if create:
            metadata.create_all(self.engine, [ledger, answers, deadlines, heartbeats])
            projections.create_all(self.engine, [proposals])
            counts.create(self.engine)
        self.book = Book()
        self.rows = Deadlines(self.engine, self.clock)
        self.procedure = procedure
        self.restart()

    def restart(self) -> None:
        """A fresh Door and Desk on the same database."""
        self.door = Door(self.clock)
        self.desk = Desk(self.engine, self.book, self.clock, self.procedure, owns, self.door)

    def another(self) -> Desk:
        """A second desk on the same database, as another process would have."""
        return Desk(self.engine, self.book, self.clock, self.procedure, owns)

    def ask(self, asked: Any, actor: Actor = ANYONE, command_id: str = "") -> Receipt:
        """Hand in a command and serve it at once, without threads. The Receipt, or Refusal, DeskBroken."""
        ticket = self.desk.enter(asked, actor, command_id)
        self.desk.serve(self.door.take(256))
        return self.desk.result(ticket, 0)

    def with_follows(self, **changes: Any) -> None:
        """Restart with parts of the procedure changed."""
        self.procedure = replace(self.procedure, **changes)
        self.restart()

    def close(self) -> None:
        """Let go of the database."""
        self.desk.stop()
        self.engine.dispose()
