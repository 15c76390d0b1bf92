"""The procedure on one page: who decides what, what follows from what, what must be looked up, what falls due.

The only importer of the chapters' rules. A fact of one chapter becomes a command of another here, in the same
transaction; the chapters themselves never meet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, time
from typing import Any

from sqlalchemy import Connection

from tender import awards, bidding, edital, habilitation
from tender.acts import EditalId, StandId, Turn
from tender.awards import model as award
from tender.awards import reads as award_reads
from tender.awards import rules as award_rules
from tender.bidding import model as stand
from tender.bidding import reads as stand_reads
from tender.bidding import rules as stand_rules
from tender.calendars import Calendar
from tender.clerk import Office, Procedure
from tender.clock import at_hour, day_of
from tender.deadlines import Deadlines, Gap
from tender.edital import model as tender_edital
from tender.edital import reads as edital_reads
from tender.edital import rules as edital_rules
from tender.edital.model import changes, dossier, questions
from tender.edital.model import register as stands_register
from tender.edital.reads import lookups
from tender.habilitation import model as application
from tender.habilitation import reads as application_reads
from tender.habilitation import rules as application_rules
from tender.ledger import Entry
from tender.people import People

CHAPTERS = (edital, habilitation, bidding, awards)

EDITAL = Office(
    "edital", lambda c: f"edital/{c.edital}", tender_edital.begin, edital_rules.decide, tender_edital.evolve
)
APPLICATION = Office(
    "application",
    lambda c: f"application/{c.edital}/{c.applicant}",
    application.begin,
    application_rules.decide,
    application.evolve,
)
STAND = Office("stand", lambda c: f"stand/{c.edital}/{c.stand}", stand.begin, stand_rules.decide, stand.evolve)
AWARD = Office("award", lambda c: f"award/{c.edital}/{c.stand}", award.begin, award_rules.decide, award.evolve)

REGISTER = Office(
    "register",
    lambda c: stands_register.STREAM,
    stands_register.begin,
    edital_rules.decide_register,
    stands_register.evolve,
)

OFFICES: Mapping[type[Any], Office] = {
    stands_register.RegisterDecree: REGISTER,
    stands_register.CreateStand: REGISTER,
    stands_register.RelocateStand: REGISTER,
    stands_register.SetStandLimit: REGISTER,
    stands_register.ExtinguishStand: REGISTER,
    stands_register.CountPermits: REGISTER,
    stands_register.DeclareClosure: REGISTER,
    dossier.FilePaper: EDITAL,
    dossier.DecideWarning: EDITAL,
    dossier.RecordProof: EDITAL,
    tender_edital.DraftEdital: EDITAL,
    tender_edital.PublishEdital: EDITAL,
    tender_edital.CloseApplications: EDITAL,
    tender_edital.ConcludeHabilitation: EDITAL,
    tender_edital.OpenSession: EDITAL,
    tender_edital.NoteOutage: EDITAL,
    tender_edital.CloseSession: EDITAL,
    questions.AskQuestion: EDITAL,
    questions.AnswerQuestion: EDITAL,
    questions.RemindAnswer: EDITAL,
    changes.DraftAmendment: EDITAL,
    changes.AmendEdital: EDITAL,
    changes.ExtendDates: EDITAL,
    changes.SuspendEdital: EDITAL,
    changes.ResumeEdital: EDITAL,
    changes.OpenHearing: EDITAL,
    changes.RevokeEdital: EDITAL,
    changes.AnnulEdital: EDITAL,
    application.ReceiveDocument: APPLICATION,
    application.SubmitApplication: APPLICATION,
    application.HabilitateApplication: APPLICATION,
    application.InhabilitateApplication: APPLICATION,
    stand.PrepareStand: STAND,
    stand.AdmitBidders: STAND,
    stand.StartContest: STAND,
    stand.PlaceBid: STAND,
    stand.WithdrawBid: STAND,
    stand.CloseStand: STAND,
    stand.SuspendContest: STAND,
    stand.ResumeContest: STAND,
    award.RankStand: AWARD,
    award.AcceptAward: AWARD,
    award.SignDesistencia: AWARD,
    award.LapseCall: AWARD,
}
"""Command -> who decides it."""

PROJECTIONS = (edital_reads.project, application_reads.project, stand_reads.project, award_reads.project)


# -- what follows from what: fact -> commands, in the same transaction ------------------------------------------------


def _prepare_stands(tx: Connection, entry: Entry) -> Iterable[Any]:
    terms = entry.fact.terms
    for one in terms.stands:
        yield stand.PrepareStand(
            terms.edital,
            one.number,
            stand.BidTerms(
                floor=one.floor,
                step=terms.step,
                open_stage_seconds=terms.open_stage_seconds,
                window_seconds=terms.window_seconds,
                withdraw_seconds=terms.withdraw_seconds,
                anchor=terms.anchor.value,
                whole_reais=terms.whole_reais,
            ),
        )


def _admit_all(people: People) -> Callable[[Connection, Entry], Iterable[Any]]:
    # All stands at once and sorted by pseudonym: an admission next to its application would name the bidder.
    def following(tx: Connection, entry: Entry) -> Iterable[Any]:
        tender = entry.fact.edital
        for contest in stand_reads.of_edital(tx, tender):
            parties = application_reads.habilitated_for(tx, tender, contest.stand)
            pseudonyms = sorted(people.pseudonym_for(tx, tender, contest.stand, party) for party in parties)
            if pseudonyms:
                yield stand.AdmitBidders(tender, StandId(contest.stand), tuple(pseudonyms))

    return following


def _rank(tx: Connection, entry: Entry) -> Iterable[Any]:
    _, tender, number = entry.stream.split("/")
    view = edital_reads.find(tx, tender)
    assert view is not None, f"{entry.stream} closed without an edital"
    queue = tuple(award.Placed(line.place, line.bidder, line.amount) for line in entry.fact.ranking)
    yield award.RankStand(view.edital, StandId(int(number)), queue, view.terms.call_hours * 3600)
    yield tender_edital.CloseSession(view.edital)


def _close_session(tx: Connection, entry: Entry) -> Iterable[Any]:
    yield tender_edital.CloseSession(EditalId(entry.stream.split("/")[1]))


def _stop_contests(tx: Connection, entry: Entry) -> Iterable[Any]:
    tender = entry.stream.partition("/")[2]
    for contest in stand_reads.of_edital(tx, tender):
        if contest.status is stand.Status.CONTESTED:
            yield stand.SuspendContest(EditalId(tender), StandId(contest.stand), "licitação suspensa", entry.fact.since)


def _suspend_contests(tx: Connection, entry: Entry) -> Iterable[Any]:
    tender = entry.stream.partition("/")[2]
    for contest in stand_reads.of_edital(tx, tender):
        if contest.status is stand.Status.CONTESTED:
            yield stand.SuspendContest(EditalId(tender), StandId(contest.stand), entry.fact.cause, entry.fact.since)


def follows(people: People) -> Mapping[type[Any], Callable[[Connection, Entry], Iterable[Any]]]:
    """Fact -> the commands that follow from it."""
    return {
        tender_edital.EditalPublished: _prepare_stands,
        changes.EditalAmended: _prepare_stands,
        changes.EditalSuspended: _stop_contests,
        tender_edital.HabilitationConcluded: _admit_all(people),
        tender_edital.OutageNoticed: _suspend_contests,
        stand.StandClosed: _rank,
        stand.StandDeserted: _close_session,
    }


# -- what must be looked up first: the only way a rule learns something outside its stream -----------------------------


Lookup = Callable[[Connection, Any, Turn], Mapping[str, Any]]


def _application_counts(tx: Connection, command: Any, turn: Turn) -> Mapping[str, Any]:
    found = application_reads.counts(tx, command.edital)
    return {
        "undecided": found.get(application.Status.SUBMITTED, 0),
        "habilitated": found.get(application.Status.HABILITATED, 0),
    }


def _open_stands(tx: Connection, command: Any, turn: Turn) -> Mapping[str, Any]:
    return {"open_stands": stand_reads.open_stands(tx, command.edital)}


def _session(tx: Connection, command: Any, turn: Turn) -> Mapping[str, Any]:
    view = edital_reads.find(tx, command.edital)
    return {"session_open": view is not None and view.status is tender_edital.Status.IN_SESSION}


def _period(tx: Connection, tender: str) -> dict[str, datetime | None]:
    view = edital_reads.find(tx, tender)
    # While documents are judged, too: an upload that began in time may end after the period was closed.
    if view is None or view.status not in (tender_edital.Status.PUBLISHED, tender_edital.Status.JUDGING):
        return {"opens_at": None, "closes_at": None}
    return {"opens_at": view.terms.applications_open_at, "closes_at": view.terms.applications_close_at}


def _enrolment(people: People) -> Lookup:
    def known(tx: Connection, command: Any, turn: Turn) -> Mapping[str, Any]:
        view = edital_reads.find(tx, command.edital)
        return {
            **_period(tx, command.edital),
            "stands": tuple(one.number for one in view.terms.stands) if view else (),
            "barred": people.is_barred(tx, command.applicant),
            "office_holder": people.office_holder(tx, command.applicant),
        }

    return known


def known(
    people: People, calendar: Calendar
) -> Mapping[type[Any], Callable[[Connection, Any, Turn], Mapping[str, Any]]]:
    """Command -> what is looked up in the transaction and handed to the rule."""
    return {
        tender_edital.PublishEdital: lookups.draft(calendar),
        questions.AskQuestion: lookups.asking(calendar),
        questions.AnswerQuestion: lookups.answering(people),
        changes.AmendEdital: lookups.amending(calendar),
        changes.OpenHearing: lookups.hearing(calendar),
        changes.RevokeEdital: lookups.ending(calendar),
        changes.AnnulEdital: lookups.ending(calendar),
        tender_edital.ConcludeHabilitation: _application_counts,
        tender_edital.CloseSession: _open_stands,
        application.ReceiveDocument: lambda tx, command, turn: _period(tx, command.edital),
        application.SubmitApplication: _enrolment(people),
        stand.StartContest: _session,
    }


# -- what falls due: fact -> deadline set or cancelled -----------------------------------------------------------------


def due(deadlines: Deadlines) -> Callable[[Connection, Entry], None]:
    """An effect that keeps the deadlines' rows in step with the facts."""

    def effect(tx: Connection, entry: Entry) -> None:
        fact, stream = entry.fact, entry.stream
        if stream.startswith("edital/"):
            _due_of_edital(deadlines, tx, entry)
            return
        match fact:
            case stand.ContestStarted() | stand.BidPlaced() | stand.ContestResumed():
                _, tender, number = stream.split("/")
                close = stand.CloseStand(EditalId(tender), StandId(int(number)))
                deadlines.set(tx, f"{stream}:fim", stream, fact.closes_at, close)
            case stand.ContestSuspended():
                deadlines.cancel(tx, f"{stream}:fim")
            case award.BidderCalled(place=place, answer_until=until):
                _, tender, number = stream.split("/")
                lapse = award.LapseCall(EditalId(tender), StandId(int(number)), place)
                deadlines.set(tx, f"{stream}:chamada", stream, until, lapse)
            case award.AwardAccepted():
                deadlines.cancel(tx, f"{stream}:chamada")
            case award.StandFailed():
                deadlines.cancel(tx, f"{stream}:chamada")

    return effect


def _due_of_edital(deadlines: Deadlines, tx: Connection, entry: Entry) -> None:
    stream, tender = entry.stream, EditalId(entry.stream.partition("/")[2])
    match entry.fact:
        case tender_edital.EditalPublished(terms=terms) | changes.EditalAmended(terms=terms):
            _close_at(deadlines, tx, stream, tender, terms.applications_close_at)
        case changes.EditalExtended(applications_close_at=closes) | changes.EditalResumed(applications_close_at=closes):
            if closes > entry.at:  # else enrolment had ended before
                _close_at(deadlines, tx, stream, tender, closes)
        case changes.EditalSuspended():
            deadlines.cancel(tx, f"{stream}:inscricoes")
        case changes.EditalRevoked() | changes.EditalAnnulled():
            _cancel_all(deadlines, tx, tender)
        case questions.QuestionAsked(number=number, answer_until=until):
            at = max(entry.at, at_hour(day_of(until), ALARM_AT))
            deadlines.set(tx, f"{stream}:resposta:{number}", stream, at, questions.RemindAnswer(tender, number))
        case questions.QuestionAnswered(number=number):
            deadlines.cancel(tx, f"{stream}:resposta:{number}")


ALARM_AT = time(8)
"""On the last day of an answer, the commission is told at this hour."""


def _close_at(deadlines: Deadlines, tx: Connection, stream: str, tender: EditalId, at: datetime) -> None:
    deadlines.set(tx, f"{stream}:inscricoes", stream, at, tender_edital.CloseApplications(tender))


def _cancel_all(deadlines: Deadlines, tx: Connection, tender: str) -> None:
    deadlines.cancel(tx, f"edital/{tender}:inscricoes")
    for one in stand_reads.of_edital(tx, tender):
        deadlines.cancel(tx, f"stand/{tender}/{one.stand}:fim")
        deadlines.cancel(tx, f"award/{tender}/{one.stand}:chamada")


def settle_letters(people: People) -> Callable[[Connection, Entry], None]:
    """An effect that lets go of a letter once its answer is public."""

    def effect(tx: Connection, entry: Entry) -> None:
        if isinstance(entry.fact, questions.QuestionAnswered):
            asked = edital_reads.questions_of(tx, entry.stream.partition("/")[2])
            people.letters.settle(tx, asked[entry.fact.number - 1].mark, entry.at)

    return effect


def names(people: People) -> Callable[[Connection, Entry], None]:
    """An effect that opens a stand's names once its contest is over; from then on each reading is logged."""

    def effect(tx: Connection, entry: Entry) -> None:
        if isinstance(entry.fact, (stand.StandClosed, stand.StandDeserted)):
            _, tender, number = entry.stream.split("/")
            people.open_names(tx, tender, number)

    return effect


def outage(gap: Gap, tenders: Iterable[str]) -> list[Any]:
    """The commands that hand a gap on, one for each live edital."""
    return [tender_edital.NoteOutage(EditalId(one), gap.cause, gap.since, gap.until) for one in tenders]


def procedure(
    people: People,
    deadlines: Deadlines,
    effects: tuple[Callable[[Connection, Entry], None], ...] = (),
    *,
    calendar: Calendar,
) -> Procedure:
    """The whole procedure as the desk uses it. `calendar`: the seed of the municipality's; no gate opens without it."""
    looked_up = known(people, calendar)
    return Procedure(
        OFFICES, follows(people), looked_up, PROJECTIONS, (due(deadlines), settle_letters(people), *effects)
    )
