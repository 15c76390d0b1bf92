"""Simulated auction days: a seeded walk hands in acts of every role, early, late, twice, altered, at the very edges.

Each answer is compared with what the auditor predicts, and after each batch the whole state of the tables with his.
One thread, one frozen clock that sometimes goes back, a desk that is sometimes restarted; everything else is real.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace as Record
from typing import Any

from sqlalchemy import Connection, select

from tender import verifier
from tender.acts import SYSTEM, Actor, EditalId, Refusal, Role, StandId
from tender.awards.model import AcceptAward, LapseCall, Moment, SignDesistencia
from tender.awards.reads import award_queue, awards
from tender.bidding import model as stand_model
from tender.bidding.model import Status
from tender.bidding.reads import bids, contests
from tender.deadlines import deadlines
from tender.edital.model import Anchor
from tender.edital.model import Status as Phase
from tender.edital.reads import editais
from tender.ledger import EPOCH, reading
from tender.money import Money
from tender.process import STAND
from tests.simulation.auditor import Auction
from tests.town import DAY, MICROSECOND, SESSION_AT, Town, states, terms_of

LETTERS = "ABCD"
STANDS = (1, 2, 3)
SECONDS = 1_000_000
STATUSES = {
    Status.WAITING: "waiting", Status.CONTESTED: "contested", Status.SUSPENDED: "suspended", Status.CLOSED: "closed",
    Status.DESERTED: "deserted",
}  # fmt: skip
MAY = {
    "start": {Role.PREGOEIRO}, "resume": {Role.PREGOEIRO}, "close": {Role.SYSTEM}, "lapse": {Role.SYSTEM},
    "suspend": {Role.SYSTEM, Role.PREGOEIRO, Role.COMMISSION}, "bid": {Role.BIDDER}, "withdraw": {Role.BIDDER},
    "accept": {Role.BIDDER}, "desist": {Role.BIDDER},
}  # fmt: skip
OWN_ACTS = ("bid", "withdraw", "accept", "desist")
USUAL = {"start": Role.PREGOEIRO, "resume": Role.PREGOEIRO, "suspend": Role.PREGOEIRO, "close": Role.SYSTEM}


@dataclass(frozen=True)
class Request:
    """An act as the walk thinks of it: who (a letter, or an office), what, on which stand, and under which id."""

    name: str
    actor: Actor
    speaker: str
    own: bool
    act: str
    arguments: tuple[Any, ...]

    def __str__(self) -> str:
        roles = "+".join(self.actor.roles) + ("" if self.actor.second_factor else "?")
        return f"{self.act}{self.arguments} by {self.speaker} as {roles} under {self.name[:8]}"


def us(instant: Any) -> int | None:
    """Whole microseconds since 1970."""
    return None if instant is None else (instant - EPOCH) // MICROSECOND


class Mismatch(AssertionError):
    """The program and the auditor disagree."""


class Walk:
    """A seeded walk through as many auction days as it takes."""

    def __init__(self, town: Town, seed: int) -> None:
        self.town, self.seed, self.chance = town, seed, random.Random(seed)
        self.steps = self.days = self.accepted = 0
        self.door = self.head = 0
        self.focus: tuple[str, int, str] | None = None
        self.trail: list[str] = []
        self.told: dict[str, tuple[Any, str]] = {}
        self.asked: list[Request] = []
        self.new_day()

    # -- days -----------------------------------------------------------------------------------------------------

    def new_day(self) -> None:
        """Another edital, later than the one before, on terms drawn by chance; its session is open."""
        self.days, draw = self.days + 1, self.chance.choice
        whole = draw([True, False])
        self.terms = terms_of(
            f"{self.days:03}-2027",
            stands=len(STANDS),
            session_at=SESSION_AT + 60 * self.days * DAY,
            step=Money(draw([100, 20_000] if whole else [1, 99, 20_000])),
            open_stage_seconds=draw([60, 600]),
            window_seconds=draw([0, 1, 120]),
            withdraw_seconds=draw([0, 15, 15]),
            anchor=draw([Anchor.BID, Anchor.PERIOD]),
            whole_reais=whole,
            call_hours=draw([1, 48]),
        )
        wants = {n: tuple(stand for stand in STANDS if n != stand) for n in range(len(LETTERS))}
        self.town.to_session(self.terms, len(LETTERS), wants.__getitem__)
        terms = self.terms
        numbers = Record(
            floor=terms.stands[0].floor.centavos, step=terms.step.centavos, whole=terms.whole_reais,
            open_stage=terms.open_stage_seconds * SECONDS, window=terms.window_seconds * SECONDS,
            call=terms.call_hours * 3600 * SECONDS, anchor=terms.anchor.value,
            withdrawal=terms.withdraw_seconds * SECONDS,
        )  # fmt: skip
        self.auditor = Auction(numbers, STANDS)
        self.auditor.session_open = True
        for stand, record in self.auditor.stands.items():
            record.status = "waiting"
            record.admitted = "".join(letter for n, letter in enumerate(LETTERS) if stand in wants[n])
        self.asked.clear()
        self.now = us(terms.session_at) or 0
        self.door = self.head = self.now

    def over(self) -> bool:
        """Every stand ended and nobody is called."""
        return not self.auditor.session_open and all(one.until is None for one in self.auditor.awards.values())

    # -- time -----------------------------------------------------------------------------------------------------

    def edges(self) -> Iterator[tuple[int, int, str, str]]:
        """Instants at which an answer changes: when, at which stand, for which acts, of whom (anybody, if empty)."""
        terms = self.auditor.terms
        for n, stand in self.auditor.stands.items():
            if stand.status == "contested":
                yield stand.closes, n, "bid close", ""
                yield stand.closes - terms.window, n, "bid", ""
                for one in self.auditor.standing(n)[:2]:
                    if one.who not in stand.withdrew:
                        yield one.at + terms.withdrawal, n, "withdraw", one.who
        for n, award in self.auditor.awards.items():
            if award.until is not None:
                yield award.until, n, "accept desist lapse lapse", award.queue[award.place - 1].who

    def move_on(self) -> None:
        """A little later, or to an edge, where the next act will be one that it matters to, or (seldom) back."""
        luck, draw = self.chance.random(), self.chance.choice
        ahead = sorted(edge for edge in set(self.edges()) if edge[0] >= self.now)
        self.focus = None
        if luck < 0.2 and ahead:
            at, stand, acts, who = ahead[0] if self.chance.random() < 0.8 else draw(ahead[:3])
            self.now = max(self.now, at + draw([-1, -1, 0, 0, 1]))
            self.focus = (draw(acts.split()), stand, who or self.rival(stand))
        elif luck < 0.23:
            self.now -= draw([1, 3 * SECONDS])
        elif luck < 0.6:
            self.now += draw([0, 1, SECONDS // 2, SECONDS, 6 * SECONDS])
        if luck > 0.985:
            self.town.open_doors()
            self.door = 0
            self.trail.append("restart")
        self.town.clock.set(EPOCH + self.now * MICROSECOND)

    # -- what is asked ----------------------------------------------------------------------------------------------

    def invent(self) -> Request:
        """The next request: mostly what somebody would do now, sometimes anything, sometimes again or altered."""
        luck, draw = self.chance.random(), self.chance.choice
        if luck < 0.06 and self.asked:
            return draw(self.asked[-30:])
        chosen = self.likely() if luck < 0.85 else (draw(list(MAY)), draw(STANDS), draw(LETTERS))
        act, stand, who = self.focus if self.focus is not None and luck < 0.9 else chosen
        name = (
            draw(self.asked[-30:]).name
            if luck > 0.97 and self.asked
            else str(uuid.UUID(int=self.chance.getrandbits(128)))
        )
        return self.request(name, act, stand, who, by_whom=self.chance.random())

    def likely(self) -> tuple[str, int, str]:
        """An act that makes sense at one of the stands."""
        draw = self.chance.choice
        running = [n for n, one in self.auditor.stands.items() if one.status in ("waiting", "contested", "suspended")]
        called = [n for n, one in self.auditor.awards.items() if one.until is not None]
        stand = draw(running * 3 + called or STANDS)
        record, award = self.auditor.stands[stand], self.auditor.awards.get(stand)
        if record.status == "contested":
            act = self.chance.choices(["bid", "withdraw", "close", "suspend"], [75, 16, 6, 3])[0]
        elif record.status in ("waiting", "suspended"):
            act = draw(["start", "start", "bid"]) if record.status == "waiting" else draw(["resume", "resume", "bid"])
        else:
            act = draw(["accept", "desist", "desist", "lapse", "lapse", "lapse"])
        recent = record.bids[-1].who if record.bids else LETTERS[0]
        who = self.rival(stand) if act == "bid" else recent if act == "withdraw" else draw(LETTERS)
        if award is not None and award.until is not None and self.chance.random() < 0.7:
            who = award.queue[award.place - 1].who
        return act, stand, who

    def rival(self, stand: int) -> str:
        """Somebody admitted to the stand who does not lead there."""
        front = self.auditor.standing(stand)
        others = [one for one in self.auditor.stands[stand].admitted if not front or one != front[0].who]
        return self.chance.choice(others or LETTERS)

    def amount(self, stand: int, who: str) -> int:
        """Centavos at, just below or just above an edge."""
        terms, front, draw = self.auditor.terms, self.auditor.standing(stand), self.chance.choice
        bases = [terms.floor, front[0].amount + terms.step if front else terms.floor]
        bases += [one.amount + terms.step for one in front if one.who == who]
        bases += [draw(front).amount] if front else []
        if self.focus is not None:
            return int(-(-bases[1] // 100) * 100) if terms.whole else int(bases[1])  # what decides now is the hour
        base = bases[1] if self.chance.random() < 0.5 else draw(bases)
        return int(max(0, base + draw([0, 0, 0, 0, 100, 300, -100, -1, 1, terms.step, -terms.step])))

    def request(self, name: str, act: str, stand: int, who: str, by_whom: float) -> Request:
        """Fill in arguments and who asks: the right one, or (seldom) somebody else, or without the second factor."""
        draw, arguments = self.chance.choice, (stand,)
        if act == "bid":
            arguments += (self.amount(stand, who),)
        elif act == "lapse":
            award = self.auditor.awards.get(stand)
            arguments += (award.place if award and self.chance.random() < 0.8 else draw([1, 2, 3]),)
        elif act == "suspend":
            arguments += (self.now - draw([0, 1, SECONDS, 20 * SECONDS]),)
        if act in OWN_ACTS:
            speaker = draw(LETTERS) if by_whom < 0.03 else who
            actor, own = self.town.bidders[LETTERS.index(speaker)].bidder, speaker == who
        else:
            role = Role.SYSTEM if act == "suspend" and by_whom < 0.4 else USUAL.get(act, Role.SYSTEM)
            actor, own = SYSTEM if role is Role.SYSTEM else self.town.officer(role), True
            speaker = actor.person
        if by_whom > 0.98:
            role = draw(list(Role))
            actor = SYSTEM if role is Role.SYSTEM else Actor(actor.person, frozenset({role}), actor.second_factor)
        elif by_whom > 0.96:
            actor = Actor(actor.person, actor.roles, second_factor=False)
        return Request(name, actor, speaker, own, act, (*arguments, who) if act in OWN_ACTS else arguments)

    def command(self, one: Request) -> Any:
        """The request as the program's own command."""
        edital, (stand, *more) = EditalId(self.terms.edital), one.arguments
        number = StandId(stand)
        mask = ""
        if one.act in OWN_ACTS:
            masks = self.town.bidders[LETTERS.index(more[-1])].pseudonyms
            mask = masks.get(stand) or masks[min(masks)]  # without one here, they try with another stand's
        match one.act:
            case "start":
                return stand_model.StartContest(edital, number)
            case "bid":
                return stand_model.PlaceBid(edital, number, mask, Money(more[0]))
            case "withdraw":
                return stand_model.WithdrawBid(edital, number, mask)
            case "close":
                return stand_model.CloseStand(edital, number)
            case "suspend":
                return stand_model.SuspendContest(edital, number, "queda", EPOCH + more[0] * MICROSECOND)
            case "resume":
                return stand_model.ResumeContest(edital, number)
            case "accept":
                return AcceptAward(edital, number, mask)
            case "desist":
                return SignDesistencia(edital, number, mask, Moment.AT_ONCE)
        return LapseCall(edital, number, more[0])

    # -- what the auditor says ---------------------------------------------------------------------------------------

    def predict(self, one: Request, now: int) -> str:
        """`ok` or the code of the refusal; the id decides first, then the role, the factor, whose act it is."""
        known = one.own and one.act in OWN_ACTS and Role.BIDDER in one.actor.roles
        content = (one.arguments[-1] if known else one.actor.person, one.act, one.arguments)
        if one.name in self.told:
            before, answer = self.told[one.name]
            return answer if before == content else "id_repetido"
        (role,) = one.actor.roles
        if role not in MAY[one.act]:
            answer = "sem_competencia"
        elif role in (Role.PREGOEIRO, Role.COMMISSION) and not one.actor.second_factor:
            answer = "segundo_fator"
        elif not one.own:
            answer = "de_outra_pessoa"
        else:
            by = "sistema" if role is Role.SYSTEM else one.speaker
            stand, *more = one.arguments
            if one.act in OWN_ACTS:
                by = more.pop()
            # After a restart with the clock set back, the hour that counts is that of the book's last entry.
            hour, before = max(now, self.head), self.auditor.stands[stand].status
            answer = getattr(self.auditor, one.act)(hour, by, stand, *more)
            wrote = answer == "ok" and (one.act != "suspend" or self.auditor.stands[stand].status != before)
            self.head = hour if wrote else self.head
        self.told[one.name] = (content, answer)
        return answer

    # -- a step ---------------------------------------------------------------------------------------------------

    def batch(self) -> int:
        """Hand in up to five requests as one batch, compare answers and state; how many they were."""
        if self.over():
            self.close_day()
            self.new_day()
        self.move_on()
        asked = [self.invent() for _ in range(self.chance.choice([1, 2, 3, 5]))]
        tickets = [self.town.desk.enter(self.command(one), one.actor, one.name) for one in asked]
        self.town.desk.serve(self.town.door.take(9))
        self.door = max(self.door, self.now)
        for one, ticket in zip(asked, tickets, strict=True):
            self.steps += 1
            expected = self.predict(one, self.door)
            try:
                got = "ok" if self.town.desk.result(ticket, 0) else ""
            except Refusal as refusal:
                got = refusal.code
            except Exception as error:
                got = f"{type(error).__name__}: {error.__cause__}"
            self.trail.append(f"{self.steps} at {self.door}: {one}: {got}")
            self.accepted += got == "ok"
            self.asked.append(one)
            if got != expected:
                self.disagree(f"the auditor expects {expected}")
        self.compare()
        return len(asked)

    def run(self, steps: int) -> None:
        """Walk so many steps; Mismatch at the first disagreement."""
        while self.steps < steps:
            self.batch()
        self.close_day()

    def disagree(self, why: str) -> None:
        """Stop, with what is needed to walk the same way again."""
        raise Mismatch("\n".join([f"seed {self.seed}: {why}", *self.trail[-12:]]))

    # -- what is true -----------------------------------------------------------------------------------------------

    def letter(self, stand: int, mask: str) -> str:
        """Whose pseudonym this is at the stand."""
        pairs = zip(LETTERS, self.town.bidders, strict=True)
        return next((letter for letter, who in pairs if who.pseudonyms.get(stand) == mask), mask)

    def expected(self) -> dict[str, Any]:
        """The auditor's state, as plain data."""
        stands, called = {}, {}
        for n, one in self.auditor.stands.items():
            front = self.auditor.standing(n)
            lances = [(lance.who, lance.amount, lance.at, lance.leads, lance.withdrawn) for lance in one.bids]
            best = (front[0].amount, front[0].who) if front else (None, "")
            stands[n] = (one.status, one.closes, one.left, *best, lances)
        for n, one in self.auditor.awards.items():
            lines = [(lance.who, lance.amount, outcome) for lance, outcome in zip(one.queue, one.outcomes, strict=True)]
            called[n] = (one.place, one.until, lines)
        due = {f"{n}:fim": one.closes for n, one in self.auditor.stands.items() if one.status == "contested"}
        due |= {f"{n}:chamada": one.until for n, one in self.auditor.awards.items() if one.until is not None}
        return {"stands": stands, "awards": called, "session open": self.auditor.session_open, "due": due}

    def observed(self, tx: Connection) -> dict[str, Any]:
        """The same from the program's tables."""
        edital = self.terms.edital
        lances: dict[int, list[Any]] = {n: [] for n in STANDS}
        for row in tx.execute(select(bids).where(bids.c.edital == edital).order_by(bids.c.stand, bids.c.number)):
            who = self.letter(row.stand, row.bidder)
            lances[row.stand].append((who, row.amount_centavos, us(row.at), row.leads, row.withdrawn))
        stands, called = {}, {}
        for row in tx.execute(select(contests).where(contests.c.edital == edital).order_by(contests.c.stand)):
            status, leader = STATUSES[Status(row.status)], self.letter(row.stand, row.leader)
            best = row.best_centavos
            stands[row.stand] = (status, us(row.closes_at), row.remaining_us, best, leader, lances[row.stand])
        for row in tx.execute(select(awards).where(awards.c.edital == edital).order_by(awards.c.stand)):
            called[row.stand] = (row.place, us(row.answer_until), [])
        for row in tx.execute(select(award_queue).where(award_queue.c.edital == edital).order_by(award_queue.c.place)):
            called[row.stand][2].append((self.letter(row.stand, row.bidder), row.amount_centavos, row.outcome))
        phase = tx.execute(select(editais.c.status).where(editais.c.edital == edital)).scalar()
        due = {}
        pending = select(deadlines).where(deadlines.c.chain == f"edital/{edital}", deadlines.c.state == "pendente")
        for row in tx.execute(pending):
            n, _, what = row.key.rpartition("/")[2].partition(":")
            # Of what was done by hand the deadline stays; it falls due and is refused.
            if what == "chamada" or (what == "fim" and stands[int(n)][0] == "contested"):
                due[f"{n}:{what}"] = us(row.due_at)
        return {"stands": stands, "awards": called, "session open": phase == Phase.IN_SESSION.value, "due": due}

    def compare(self) -> None:
        """The whole state, the auditor's and the tables'."""
        with reading(self.town.engine) as tx:
            observed = self.observed(tx)
        for part, value in self.expected().items():
            if observed[part] != value:
                self.disagree(f"{part}:\n  auditor {value}\n  tables  {observed[part]}")

    def close_day(self) -> None:
        """The book of the day is whole, and folded anew it says what the auditor says."""
        edital = self.terms.edital
        verifier.verify(iter(self.town.export(edital)))
        with reading(self.town.engine) as tx:
            for n in STANDS:
                state = states(self.town, tx, f"stand/{edital}/{n}", STAND)
                ranking = [(self.letter(n, line.bidder), line.amount.centavos) for line in state.ranking()]
                if ranking != [(one.who, one.amount) for one in self.auditor.standing(n)]:
                    self.disagree(f"stand {n} folded from the book ranks {ranking}")
