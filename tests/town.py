"""A test town: a real database, desk, people and deadlines, an hour that moves only when told to; no web, no notices.

    town = Town(database_url, tmp_path)
    town.to_session(bidders=3)                     # an edital, from its draft to the open session
    town.start(1)
    town.bid(1, 0, 15_000)                         # stand 1, the first of town.bidders, whole reais

Every name, number and address is made up; numbers have valid check digits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from argon2 import PasswordHasher
from sqlalchemy import Connection, Engine

from tender import demo, process
from tender.acts import SYSTEM, Actor, EditalId, PersonId, Pseudonym, Refusal, Role, StandId
from tender.awards.reads import AwardView
from tender.awards.reads import find as find_award
from tender.bidding.model import PlaceBid, StartContest, WithdrawBid
from tender.bidding.reads import ContestView
from tender.bidding.reads import find as find_contest
from tender.clerk import Procedure, Receipt
from tender.clock import Clock, FrozenClock, SystemClock, day_of
from tender.deadlines import Deadlines, Gap
from tender.desk import Desk
from tender.door import Door
from tender.edital.model import (
    Anchor,
    CloseApplications,
    ConcludeHabilitation,
    DraftEdital,
    OpenSession,
    PublishEdital,
    Stand,
    Terms,
)
from tender.edital.reads import calendar_of, published, register, seed_calendar, terms_sha256
from tender.habilitation.model import (
    REQUIREMENTS,
    HabilitateApplication,
    PersonKind,
    ReceiveDocument,
    SubmitApplication,
)
from tender.identity import Cpf
from tender.ledger import Book, Entry, metadata, open_engine, projections, reading, writing
from tender.money import Money
from tender.people import People
from tender.people.passwords import Hasher
from tender.settings import Settings

EDITAL = EditalId("001-2027")
SESSION_AT = datetime(2027, 3, 5, 12, 0, tzinfo=UTC)  # 9:00 in Brasília, as in the replay R4
FLOOR = 10_000
STEP = 200
DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)
MICROSECOND = timedelta(microseconds=1)
POPULATION = 100_000
READER = "p_leitora"
SEED = seed_calendar(Path(__file__).parent.parent / "static")
PASSWORD = "mesa chuva trevo pneu"
GIVEN = "Abelardo Brígida Clotilde Dorival Eufrásia Firmino Graciela Hermínio Iracema Juvenal Leocádia Malvino".split()
FAMILY = "Quaresma Itapuã Ventania Caraguatá Bragalone Mirassol Tremedal Urucânia Xavantina Zabelê".split()


class QuickHasher(Hasher):
    """Argon2id that costs nothing: the passwords of tests protect nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._argon2 = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


def cpf_of(number: int) -> str:
    """A CPF that checks, from up to nine digits."""
    for check in range(100):
        try:
            return Cpf(f"{number:09d}{check:02d}").bare
        except ValueError:
            continue
    raise AssertionError("two digits always complete a number")


@dataclass(frozen=True)
class Somebody:
    """A registered natural person: ids, what the papers must never show, and how they stand at the desk."""

    person: PersonId
    party: PersonId
    name: str
    cpf: str
    email: str
    pseudonyms: dict[int, Pseudonym] = field(default_factory=dict)

    @property
    def applicant(self) -> Actor:
        return Actor(self.person, frozenset({Role.APPLICANT}))

    @property
    def bidder(self) -> Actor:
        return Actor(self.person, frozenset({Role.BIDDER}))


def terms_of(edital: str = EDITAL, stands: int = 1, session_at: datetime = SESSION_AT, **changes: Any) -> Terms:
    """The terms of the replay R4: floor R$ 10.000, step R$ 200, 10 minutes and extensions of 2, withdrawal in 15 s."""
    offered = tuple(
        Stand(StandId(n), f"Ponto {n}", f"Praça Fictícia, {n}", 1, Money.reais(FLOOR), "Decreto 1/2027")
        for n in range(1, stands + 1)
    )
    made = Terms(
        edital=EditalId(edital),
        title=f"{stands} pontos de táxi",
        process_number="12/2027",
        applications_open_at=session_at - 30 * DAY,
        applications_close_at=session_at - 10 * DAY,
        session_at=session_at,
        stands=offered,
        step=Money.reais(STEP),
        anchor=Anchor.BID,
    )
    return demo.filled(replace(made, **changes), READER, POPULATION, SEED)


def furnish(database_url: str) -> None:
    """Make every table in an empty database."""
    engine = open_engine(database_url)
    with writing(engine) as tx:
        for tables in (metadata, projections):
            tables.create_all(tx, checkfirst=False)
    engine.dispose()


class Town:
    """A municipality on a database of its own. With a FrozenClock nothing runs unless asked: `ask` serves at once."""

    def __init__(
        self,
        database_url: str,
        folder: Path,
        clock: Clock | None = None,
        change: Callable[[Procedure], Procedure] = lambda procedure: procedure,
        create: bool = True,
    ) -> None:
        """`change` may replace parts of the procedure (an office with a bug sown in it, say)."""
        self.folder = folder
        self.settings = Settings.for_tests(folder, database_url)
        self.clock: Any = clock or FrozenClock(SESSION_AT - 60 * DAY)
        if create:
            furnish(database_url)
        self.engine: Engine = open_engine(database_url)
        self.people = People(self.engine, self.clock, self.settings)
        self.people.hasher = QuickHasher()
        self.deadlines = Deadlines(self.engine, self.clock)
        self.book = Book()
        self.procedure = change(
            process.procedure(self.people, self.deadlines, (process.names(self.people),), calendar=SEED)
        )
        self.bidders: list[Somebody] = []
        self.officers: dict[tuple[Role, int], Actor] = {}
        self.open_doors()

    def open_doors(self) -> None:
        """A fresh Door and Desk on the same database: what a restart leaves of the program's memory, nothing."""
        self.door = Door(self.clock)
        self.desk = Desk(self.engine, self.book, self.clock, self.procedure, self.people.acts_for, self.door)

    def close(self) -> None:
        """Let go of the database."""
        self.desk.stop()
        self.engine.dispose()

    # -- at the desk ----------------------------------------------------------------------------------------------

    def ask(self, command: Any, actor: Actor = SYSTEM, at: datetime | None = None, command_id: str = "") -> Receipt:
        """Hand in a command at an hour and serve it at once, without threads. The Receipt, or Refusal, DeskBroken."""
        if at is not None:
            self.clock.set(at)
        ticket = self.desk.enter(command, actor, command_id)
        self.desk.serve(self.door.take(256))
        return self.desk.result(ticket, 0)

    def ask_all(self, *asked: tuple[Any, Actor], at: datetime | None = None) -> None:
        """Hand in many commands and serve them in one batch; the first refusal or fault is raised."""
        if at is not None:
            self.clock.set(at)
        tickets = [self.desk.enter(command, actor) for command, actor in asked]
        while batch := self.door.take(256, timeout=0):
            self.desk.serve(batch)
        for ticket in tickets:
            self.desk.result(ticket, 0)

    def refused(self, command: Any, actor: Actor = SYSTEM, at: datetime | None = None, command_id: str = "") -> Refusal:
        """Hand in a command that must be refused; the Refusal."""
        try:
            receipt = self.ask(command, actor, at, command_id)
        except Refusal as refusal:
            return refusal
        raise AssertionError(f"{command} was not refused: {[entry.kind for entry in receipt.entries]}")

    def fall_due(self) -> list[str]:
        """Perform what is due now, as the ticker would; the keys performed."""
        done = []
        for due in self.deadlines.due(self.clock.now()):
            try:
                self.ask(due.command, SYSTEM, command_id=due.command_id)
            except Refusal as refusal:
                self.deadlines.finish(due, str(refusal), "recusado")
            else:
                self.deadlines.finish(due, "", "cumprido")
                done.append(due.key)
        return done

    def tell(self, gap: Gap) -> None:
        """Hand a gap on to every published edital, through the running desk, as the program does."""
        for command in process.outage(gap, [view.edital for view in self.look(published)]):
            self.desk.perform(command, SYSTEM, wait=60)

    # -- people ---------------------------------------------------------------------------------------------------

    def officer(self, role: Role, number: int = 0) -> Actor:
        """The holder of an office (the number tells apart members of the commission), with the second factor shown."""
        if (role, number) not in self.officers:
            account = 900_000_000 + 10 * list(Role).index(role) + number
            person = self.people.add_person(
                cpf_of(account), f"{GIVEN[number]} do Cargo {FAMILY[number]}", f"cargo{account}@exemplo.invalid",
                "(34) 99876-5432", PASSWORD, by="teste", with_party=False,
            )  # fmt: skip
            self.people.grant(role, person, "teste", "Portaria 12/2027")
            self.officers[role, number] = Actor(person, frozenset({role}), second_factor=True)
        return self.officers[role, number]

    @property
    def pregoeiro(self) -> Actor:
        return self.officer(Role.PREGOEIRO)

    @property
    def mayor(self) -> Actor:
        return self.officer(Role.MAYOR)

    @property
    def commission(self) -> Actor:
        return self.officer(Role.COMMISSION)

    def register(self, number: int) -> Somebody:
        """A natural person with an account and a party of their own; `number` makes name, CPF and e-mail."""
        name = f"{GIVEN[number % len(GIVEN)]} {FAMILY[number % len(FAMILY)]} de Número{number}"
        email = f"licitante{number}@exemplo.invalid"
        person = self.people.add_person(cpf_of(100_000 + number), name, email, "(34) 99876-5432", PASSWORD, by="teste")
        with reading(self.engine) as tx:
            party = self.people.parties_of(tx, person)[0].id
        return Somebody(person, PersonId(party), name, cpf_of(100_000 + number), email)

    # -- the procedure, step by step ------------------------------------------------------------------------------

    def publish(self, terms: Terms) -> None:
        """Draft and publish, a day before the applications open."""
        at = terms.applications_open_at - DAY
        self.ask(DraftEdital(terms.edital, terms), self.pregoeiro, at)
        self.dossier(terms, at)
        self.ask(PublishEdital(terms.edital, terms_sha256(terms)), self.mayor, at)

    def dossier(self, terms: Terms, at: datetime) -> None:
        """Everything that the gates ask for: decree and pontos, papers, decided warnings, proofs of publication."""
        known, calendar = self.look(register, self.book), self.look(calendar_of, self.book, SEED)
        acts = list(demo.dossier(terms, known, calendar, day_of(at)))
        self.ask_all(*((command, self.officer(role)) for role, command in acts), at=at)

    def enrol(self, who: Somebody, terms: Terms, stands: tuple[int, ...] = (), at: datetime | None = None) -> None:
        """Send every document and enrol for these stands (all, when none is named)."""
        now = at or terms.applications_open_at + DAY
        self.ask_all(*self.enrolment(who, terms, stands, now), at=now)

    @staticmethod
    def enrolment(who: Somebody, terms: Terms, stands: tuple[int, ...], now: datetime) -> list[tuple[Any, Actor]]:
        """The acts of an enrolment: a document for each requirement, then the application."""
        chosen = tuple(StandId(n) for n in stands) or tuple(one.number for one in terms.stands)
        sent = [
            ReceiveDocument(terms.edital, who.party, requirement, f"{n:064x}", 1000, now, now + SECOND)
            for n, requirement in enumerate(REQUIREMENTS[PersonKind.NATURAL])
        ]
        submitted = SubmitApplication(terms.edital, who.party, PersonKind.NATURAL, chosen)
        return [(one, who.applicant) for one in (*sent, submitted)]

    def habilitate(self, who: Somebody, edital: str = EDITAL) -> None:
        """Find that every requirement is met."""
        self.ask(HabilitateApplication(EditalId(edital), who.party, "Documentos conferidos."), self.commission)

    def to_session(
        self, terms: Terms | None = None, bidders: int = 3, wants: Callable[[int], tuple[int, ...]] = lambda bidder: ()
    ) -> Terms:
        """Everything from the draft to the open session; `bidders` persons (kept in `self.bidders`) enrol.

        `wants` says for which stands number so-and-so of them does (for all, when it names none).
        """
        terms = terms or terms_of()
        self.publish(terms)
        while len(self.bidders) < bidders:
            self.bidders.append(self.register(len(self.bidders)))
        those, now = self.bidders[:bidders], terms.applications_open_at + DAY
        each = (self.enrolment(who, terms, wants(n), now) for n, who in enumerate(those))
        self.ask_all(*(act for acts in each for act in acts), at=now)
        self.ask(CloseApplications(terms.edital), SYSTEM, terms.applications_close_at)
        found = [HabilitateApplication(terms.edital, who.party, "Documentos conferidos.") for who in those]
        self.ask_all(*((one, self.commission) for one in found))
        self.ask(ConcludeHabilitation(terms.edital), self.pregoeiro)
        with reading(self.engine) as tx:
            for n, who in enumerate(those):
                own = self.people.own_pseudonyms(tx, who.person, terms.edital)
                self.bidders[n] = replace(who, pseudonyms={int(stand): one for stand, one in own.items()})
        self.ask(OpenSession(terms.edital), self.pregoeiro, terms.session_at)
        return terms

    # -- the auction ----------------------------------------------------------------------------------------------

    @staticmethod
    def start_of(stand: int = 1, edital: str = EDITAL) -> StartContest:
        """The command that starts the contest of a stand."""
        return StartContest(EditalId(edital), StandId(stand))

    def start(self, stand: int = 1, edital: str = EDITAL, at: datetime | None = None) -> Receipt:
        """Start the contest of a stand."""
        return self.ask(self.start_of(stand, edital), self.pregoeiro, at)

    def bid_of(self, stand: int, bidder: int, reais: int, edital: str = EDITAL) -> PlaceBid:
        """The command with which bidder number `bidder` (from 0) offers so many whole reais."""
        pseudonym = self.bidders[bidder].pseudonyms[stand]
        return PlaceBid(EditalId(edital), StandId(stand), pseudonym, Money.reais(reais))

    def bid(self, stand: int, bidder: int, reais: int, at: datetime | None = None, command_id: str = "") -> Receipt:
        """Bid so many whole reais."""
        return self.ask(self.bid_of(stand, bidder, reais), self.bidders[bidder].bidder, at, command_id)

    def withdraw(self, stand: int, bidder: int, at: datetime | None = None) -> Receipt:
        """Withdraw one's last bid."""
        who = self.bidders[bidder]
        return self.ask(WithdrawBid(EDITAL, StandId(stand), who.pseudonyms[stand]), who.bidder, at)

    # -- looking --------------------------------------------------------------------------------------------------

    def look(self, query: Callable[..., Any], *values: Any) -> Any:
        """The answer of a chapter's query in a transaction of its own."""
        with reading(self.engine) as tx:
            return query(tx, *values)

    def contest(self, stand: int = 1, edital: str = EDITAL) -> ContestView:
        """The scoreboard of a stand."""
        view = self.look(find_contest, edital, stand)
        assert view is not None
        return view

    def award(self, stand: int = 1, edital: str = EDITAL) -> AwardView | None:
        """The award of a stand; None before its ranking."""
        found: AwardView | None = self.look(find_award, edital, stand)
        return found

    def entries(self, edital: str = EDITAL) -> list[Entry]:
        """The whole book of an edital."""
        return self.look(lambda tx: list(self.book.entries(tx, f"edital/{edital}")))

    def export(self, edital: str = EDITAL) -> list[bytes]:
        """The book of an edital as the public gets it."""
        return self.look(lambda tx: list(self.book.export(tx, f"edital/{edital}")))


def states(town: Town, tx: Connection, stream: str, office: Any) -> Any:
    """The state of a stream folded from the book alone, without the desk's memory."""
    state = office.start(stream)
    for entry in town.book.load(tx, stream):
        state = office.evolve(state, entry.fact)
    return state


def live_town(database_url: str, folder: Path, bidders: int, terms: Terms | None = None, **changes: Any) -> Town:
    """A town at this very hour with its desk at work: the session opened a minute ago, the acts before it long past."""
    now = SystemClock().now()
    terms = terms or terms_of(session_at=now - 60 * SECOND, **changes)
    past = Town(database_url, folder, FrozenClock(terms.session_at - 60 * DAY))
    past.to_session(terms, bidders)
    past.close()
    town = Town(database_url, folder, SystemClock(), create=False)
    town.bidders, town.officers = past.bidders, past.officers
    town.desk.start()
    return town
