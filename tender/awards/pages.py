"""Pages of the award: the public result with its chain of calls, and the called bidder's answer."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, abort, flash, redirect, render_template, request, url_for
from sqlalchemy import Connection

from tender.acts import EditalId, Pseudonym, Refusal, StandId
from tender.awards import papers, reads
from tender.awards.model import AcceptAward, Moment, SignDesistencia
from tender.ledger import reading, writing
from tender.web import across, actor, house, is_signed_in, perform, session_token

awards_bp = Blueprint("awards", __name__)

SIGNING_MINUTES = 10

OUTCOMES = {
    reads.WAITING: ("Em espera", ""),
    reads.CALLED: ("Chamado", "info"),
    reads.ACCEPTED: ("Aceitou", "ok"),
    reads.DESISTED: ("Desistiu", "bad"),
    reads.LAPSED: ("Perdeu o prazo", "warn"),
}
"""Outcome of a line -> words and tag."""


def names_of(tx: Connection, view: reads.AwardView) -> dict[str, str]:
    """Pseudonym -> public name of everybody in the queue; each reading is logged (people.py)."""
    people = house().people
    reader = actor().person
    found: dict[str, str] = {}
    for line in view.queue:
        party = people.party_of_pseudonym(tx, line.bidder, reader, "página do resultado")
        found[line.bidder] = people.public_name(tx, party)
    return found


@awards_bp.get("/l/<edital>/resultado/<int:stand>")
def result(edital: str, stand: int) -> str:
    """Ranking, who is called and why, papers."""
    with writing(house().engine) as tx:  # reading a name is logged
        view = reads.find(tx, edital, stand)
        if view is None:
            abort(404)
        scene = {
            "edital": edital,
            "view": view,
            "people": names_of(tx, view),
            "names": across().stand_names(tx, edital),
            "outcomes": OUTCOMES,
            "own": _pseudonym(tx, edital, stand),
            "now": house().clock.now(),
        }
    return render_template("awards/result.html", **scene)


def _pseudonym(tx: Connection, edital: str, stand: int) -> Pseudonym | None:
    if not is_signed_in():
        return None
    own: dict[str, Pseudonym] = house().people.own_pseudonyms(tx, actor().person, edital)
    return own.get(str(stand))


def _own(edital: str, stand: int) -> Pseudonym:
    if not is_signed_in():
        abort(redirect(url_for("sign_in.sign_in", next=request.path)))
    with reading(house().engine) as tx:
        own = _pseudonym(tx, edital, stand)
    if own is None:
        abort(403, description="Esta convocação não é sua.")
    return own


@awards_bp.get("/minhas/<edital>/desistir/<int:stand>")
def desistencia(edital: str, stand: int) -> Any:
    """What is given up, before it is signed (art. 4º § 3º)."""
    own = _own(edital, stand)
    with reading(house().engine) as tx:
        view = reads.find(tx, edital, stand)
        names = across().stand_names(tx, edital)
    if view is None:
        abort(404)
    if view.called is None or view.called.bidder != own:
        # Whoever comes back with the browser's button lands where the outcome stands.
        flash("Esta convocação já foi respondida ou terminou.", "warn")
        return redirect(url_for("awards.result", edital=edital, stand=stand))
    return render_template("awards/desistencia.html", edital=edital, view=view, names=names)


@awards_bp.post("/minhas/<edital>/desistir/<int:stand>")
def desist(edital: str, stand: int) -> Any:
    """Sign the Termo de Desistência; the next placed is called in the same transaction."""
    own = _own(edital, stand)
    if not house().people.recently_verified(session_token(), SIGNING_MINUTES):
        # Signing disposes of a right: whoever left the phone on the table must show again that it is they.
        return redirect(url_for("sign_in.elevate", next=request.path))
    if request.form.get("ciente") != "sim":
        flash("Marque que você leu o que acontece ao desistir.", "bad")
        return redirect(url_for("awards.desistencia", edital=edital, stand=stand))
    try:
        perform(SignDesistencia(EditalId(edital), StandId(stand), own, Moment.WITHIN_TERM))
    except Refusal as refusal:
        flash(f"{refusal.reason} ({refusal.law})", "bad")
        return redirect(url_for("awards.result", edital=edital, stand=stand))
    flash("Sua desistência foi registrada. O próximo colocado foi chamado.", "ok")
    return redirect(url_for("awards.result", edital=edital, stand=stand))


@awards_bp.post("/minhas/<edital>/aceitar/<int:stand>")
def accept(edital: str, stand: int) -> Any:
    """Accept the stand."""
    try:
        perform(AcceptAward(EditalId(edital), StandId(stand), _own(edital, stand)))
        flash("Você aceitou o ponto. Falta assinar o Termo de Permissão.", "ok")
    except Refusal as refusal:
        flash(f"{refusal.reason} ({refusal.law})", "bad")
    return redirect(url_for("awards.result", edital=edital, stand=stand))


@awards_bp.get("/l/<edital>/resultado/<int:stand>/desistencia-<int:place>.pdf")
def desistencia_paper(edital: str, stand: int, place: int) -> Response:
    """The Termo de Desistência as PDF, from the book alone."""
    with writing(house().engine) as tx:
        view = reads.find(tx, edital, stand)
        if view is None:
            abort(404)
        entries = [
            entry
            for entry in house().book.load(tx, f"award/{edital}/{stand}")
            if entry.kind == "DesistenciaSigned" and entry.body["place"] == place
        ]
        if not entries:
            abort(404)
        scene = papers.Scene(edital, stand, across().stand_names(tx, edital)[stand], names_of(tx, view))
    paper = papers.desistencia(entries[0], scene, house().settings)
    return Response(paper, mimetype="application/pdf")
