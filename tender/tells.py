"""Who is told of what: fact -> notices, written in its transaction, so that none is lost or sent for nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import Connection

from tender.acts import EditalId, Role
from tender.awards import model as award
from tender.bidding import model as stand
from tender.bidding import reads as stand_reads
from tender.clock import short_when
from tender.edital import model as tender_edital
from tender.edital import reads as edital_reads
from tender.edital.model import changes, questions
from tender.habilitation import model as application
from tender.habilitation import reads as application_reads
from tender.ledger import Entry
from tender.notices import Notices
from tender.people import People
from tender.people.subscribers import Topic

Told = tuple[str, str, dict[str, Any]]


def _told(tx: Connection, entry: Entry, people: People) -> Iterable[Told]:
    """Audience (party id, pseudonym or person id), kind, values. Nobody is told what a rollback would take back."""
    fact, kind_of = entry.fact, entry.stream.partition("/")[0]
    if isinstance(fact, application.ApplicationSubmitted):
        yield _submitted(tx, entry)
    elif isinstance(fact, tender_edital.HabilitationConcluded):
        yield from _habilitated(tx, fact.edital)
    elif kind_of == "edital":
        yield from _told_of_edital(tx, entry, people)
    elif kind_of == "stand":
        yield from _told_of_contest(tx, entry)
    elif isinstance(fact, award.BidderCalled):
        number = int(entry.stream.split("/")[2])
        yield fact.bidder, "called", {"stand": number, "answer_until": fact.answer_until, "amount": fact.amount}
    elif isinstance(fact, award.DesistenciaSigned):
        number = int(entry.stream.split("/")[2])
        yield fact.bidder, "desistencia_signed", {"stand": number, "signed_at": entry.at, "own": True}
        for role in (Role.PREGOEIRO, Role.COMMISSION):
            for person in people.holders_of(tx, role):
                yield person, "desistencia_signed", {"stand": number, "signed_at": entry.at, "own": False}


def _told_of_edital(tx: Connection, entry: Entry, people: People) -> Iterable[Told]:
    fact, tender = entry.fact, EditalId(entry.stream.partition("/")[2])
    if isinstance(fact, questions.QuestionAnswered):
        asked = edital_reads.questions_of(tx, tender)[fact.number - 1]
        letter = people.letters.by_mark(tx, asked.mark)
        if letter is not None and letter.has_email:
            yield letter.id, "question_answered", {"question": fact.question, "answer": fact.answer}
    elif isinstance(fact, questions.AnswerFellDue):
        task = f"Responder à pergunta {fact.number} do edital {tender} até {short_when(fact.answer_until)}"
        for role in (Role.PREGOEIRO, Role.COMMISSION):
            for person in people.holders_of(tx, role):
                yield person, "tasks_due", {"tasks": (task,)}
    elif isinstance(fact, tender_edital.EditalPublished):
        least = min(one.floor for one in fact.terms.stands)
        values = {"stands": len(fact.terms.stands), "closes_at": fact.terms.applications_close_at, "floor": least}
        for reader in people.subscribers.of_topic(tx, Topic.NEW):
            yield reader, "edital_published", values
    elif isinstance(fact, changes.CHANGES):
        view = edital_reads.find(tx, tender)
        assert view is not None, "what changes was published"
        told = _told_of_change(view, fact)
        if told is not None:
            for audience in _all_who_follow(tx, tender, people):
                yield audience, *told


def _all_who_follow(tx: Connection, tender: str, people: People) -> Iterable[str]:
    yield from (one.applicant for one in application_reads.submitted(tx, tender))
    yield from people.subscribers.of_topic(tx, Topic.CHANGES)


def _told_of_change(view: edital_reads.EditalView, fact: Any) -> tuple[str, dict[str, Any]] | None:
    terms, edital = view.terms, {"edital": str(view.edital)}
    match fact:
        case changes.EditalAmended(reason=reason):
            return "edital_amended", {**edital, "summary": reason, "closes_at": terms.applications_close_at}
        case changes.EditalExtended(reason=reason) | changes.EditalResumed(reason=reason):
            values = {"how": "adiada", "reason": reason, "session_at": terms.session_at, "bids_stand": True}
            return "session_postponed", {**edital, **values}
        case changes.EditalSuspended(reason=reason):
            values = {"how": "suspensa", "reason": reason, "session_at": None, "bids_stand": True}
            return "session_postponed", {**edital, **values}
        case changes.HearingOpened(ending=ending, reason=reason, until=until):
            return "hearing_opened", {**edital, "ending": ending.value, "reason": reason, "until": until}
        case changes.EditalRevoked() | changes.EditalAnnulled():
            how = "revogada" if isinstance(fact, changes.EditalRevoked) else "anulada"
            values = {"how": how, "reason": fact.reason, "effect": fact.effect, "appeal_until": fact.appeal_until}
            return "edital_revoked", {**edital, **values}
    return None


def _submitted(tx: Connection, entry: Entry) -> Told:
    _, tender, applicant = entry.stream.split("/", 2)
    view, terms = application_reads.find(tx, tender, applicant), edital_reads.find(tx, tender)
    assert view is not None, "projections run before effects"
    assert terms is not None, "an application has its edital"
    values = {
        "receipt": f"{tender}-{view.number}",
        "submitted_at": entry.at,
        "documents": len(view.documents),
        "closes_at": terms.terms.applications_close_at,
    }
    return applicant, "application_submitted", values


def _habilitated(tx: Connection, tender: str) -> Iterable[Told]:
    view = edital_reads.find(tx, tender)
    assert view is not None, "a habilitation has its edital"
    named = {one.number: f"Ponto {one.number} — {one.name}" for one in view.terms.stands}
    for one in application_reads.submitted(tx, tender):
        if one.status is application.Status.HABILITATED:
            stands = tuple(named[number] for number in one.stands)
            yield one.applicant, "habilitated", {"stands": stands, "session_at": view.terms.session_at}


def _told_of_contest(tx: Connection, entry: Entry) -> Iterable[Told]:
    _, tender, number = entry.stream.split("/")
    bidders = stand_reads.numbers(tx, tender, int(number))
    match entry.fact:
        case stand.StandClosed(ranking=ranking):
            placed = {line.bidder: line for line in ranking}
            for bidder in bidders:
                line = placed.get(bidder)
                place, amount = (line.place, line.amount) if line else (None, None)
                yield bidder, "stand_closed", {"stand": int(number), "place": place, "amount": amount}
        case stand.ContestSuspended(since=since):
            for bidder in bidders:
                yield bidder, "technical_pause", {"paused_at": since}


_LINKS = {
    "application_submitted": "/minhas/{tender}/documentos",
    "habilitated": "/minhas/{tender}/documentos",
    "technical_pause": "/sala/{tender}/{stand}",
    "question_answered": "/l/{tender}/perguntas",
    "tasks_due": "/c/l/{tender}/perguntas",
    "hearing_opened": "/l/{tender}/perguntas",
    **dict.fromkeys(("edital_published", "edital_amended", "session_postponed", "edital_revoked"), "/l/{tender}"),
}


def tells(people: People, notices: Notices) -> Callable[[Connection, Entry], None]:
    """An effect that writes the notices of a fact: own page first, e-mail after, both in the fact's transaction."""

    def effect(tx: Connection, entry: Entry) -> None:
        parts = entry.stream.split("/")
        tender, number = parts[1] if len(parts) > 1 else "", parts[2] if len(parts) > 2 else ""
        for audience, kind, values in _told(tx, entry, people):
            link = _LINKS.get(kind, "/l/{tender}/resultado/{stand}").format(tender=tender, stand=number)
            for person in people.addressees(tx, audience, f"aviso {kind}"):
                notices.send(tx, person, kind, link=link, **values)

    return effect
