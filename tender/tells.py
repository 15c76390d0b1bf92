"""Who is told of what: fact -> notices, written in its transaction, so that none is lost or sent for nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import Connection

from tender.acts import Role
from tender.awards import model as award
from tender.bidding import model as stand
from tender.bidding import reads as stand_reads
from tender.edital import model as tender_edital
from tender.edital import reads as edital_reads
from tender.habilitation import model as application
from tender.habilitation import reads as application_reads
from tender.ledger import Entry
from tender.notices import Notices
from tender.people import People

Told = tuple[str, str, dict[str, Any]]


def _told(tx: Connection, entry: Entry, people: People) -> Iterable[Told]:
    """Audience (party id, pseudonym or person id), kind, values. Nobody is told what a rollback would take back."""
    fact, kind_of = entry.fact, entry.stream.partition("/")[0]
    if isinstance(fact, application.ApplicationSubmitted):
        yield _submitted(tx, entry)
    elif isinstance(fact, tender_edital.HabilitationConcluded):
        yield from _habilitated(tx, fact.edital)
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
