"""Everything on one tender: its page, one stand, the edital in full and in plain words, papers, changes, the book."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, abort, current_app, render_template, request, send_file, stream_with_context
from sqlalchemy import Connection

from tender import verifier
from tender.calendars import Calendar, CalendarError
from tender.clock import day_of
from tender.edital import papers, reads
from tender.edital.model import SUSPENDED, Status, Terms
from tender.edital.model.changes import EditalAmended, differences
from tender.edital.model.phases import phases
from tender.edital.model.register import RegisteredStand
from tender.edital.model.schedule import Dated, dates, instant_of
from tender.edital.model.statement import Section, duration, formula_text, statement
from tender.edital.papers import Ground
from tender.ledger import Entry, reading
from tender.web import across, house

tender_bp = Blueprint("tender", __name__)

KINDS = {
    Status.PUBLISHED: "ok",
    Status.JUDGING: "info",
    Status.READY: "info",
    Status.IN_SESSION: "live",
    Status.JUDGED: "",
    Status.REVOKED: "bad",
    Status.ANNULLED: "bad",
    **dict.fromkeys(SUSPENDED, "warn"),
}
"""How a status is tagged on screen."""
BOOK_PAGE = 50
SHELF_MAX = 64
PAPERS: dict[str, tuple[str, Callable[[Ground], bytes]]] = {
    "edital": ("Edital completo em PDF", papers.edital),
    "aviso": ("Aviso do edital", papers.aviso),
    "ato-justificativo": ("Ato que justifica a outorga", papers.act),
}
"""Name in the address -> title and maker. Made from the book, so the same bytes each time."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A paper with what one needs to check a copy of it."""

    name: str
    title: str
    body: bytes

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.body).hexdigest()


_shelf: OrderedDict[tuple[str, str, str], bytes] = OrderedDict()


def known(edital: str) -> reads.EditalView:
    """A published tender; 404 when there is none."""
    with reading(house().engine) as tx:
        view = reads.find(tx, edital)
    if view is None or view.published_at is None:
        abort(404)
    return view


def calendar(tx: Connection) -> Calendar:
    """The municipality's calendar as the decrees of the register have it."""
    static = current_app.static_folder
    assert static is not None, "create_app names the static folder"
    return reads.calendar_of(tx, house().book, reads.seed_calendar(Path(static)))


def dated(tx: Connection, view: reads.EditalView) -> list[Dated]:
    """The dates of a tender in both readings; empty when the calendar does not reach them."""
    published = day_of(view.published_at) if view.published_at else None
    try:
        return dates(view.terms, calendar(tx), published)
    except CalendarError:
        return []


def source_of(tx: Connection, view: reads.EditalView) -> Ground:
    """What the papers of a tender are made of."""
    entries = house().book.load(tx, f"edital/{view.edital}")
    froze = [
        one for one in entries if one.kind in ("EditalPublished", "EditalAmended", "EditalExtended", "EditalResumed")
    ]
    state = reads.folded(tx, house().book, view.edital)
    return Ground(froze[-1], view.terms, view.published_at, dated(tx, view), state.dossier, house().settings)


def printed(source: Ground, name: str) -> Printed:
    """A paper of the shelf, made when it is first asked for."""
    title, make = PAPERS[name]
    key = (source.entry.hash, name, str(source.dated))
    if key not in _shelf:
        _shelf[key] = make(source)
        while len(_shelf) > SHELF_MAX:
            _shelf.popitem(last=False)
    return Printed(name, title, _shelf[key])


def positions(tx: Connection, terms: Terms) -> tuple[list[dict[str, Any]], list[RegisteredStand]]:
    """Pins of the map, one a place (stands of the same ponto share it), and the open pontos beside them."""
    known_stands = reads.register(tx, house().book).stands
    pins: dict[tuple[int, int], dict[str, Any]] = {}
    used: set[str] = set()
    for one in terms.stands:
        ponto = known_stands.get(one.ponto)
        if ponto is not None:
            used.add(ponto.code)
            pin = pins.setdefault((ponto.x, ponto.y), {"x": ponto.x, "y": ponto.y, "numbers": [], "name": ponto.name})
            pin["numbers"].append(int(one.number))
    others = [one for one in known_stands.values() if one.code not in used and one.is_open]
    return list(pins.values()), others


@tender_bp.get("/l/<edital>")
def tender(edital: str) -> str:
    """Everything on one tender."""
    view, now = known(edital), house().clock.now()
    with reading(house().engine) as tx:
        source = source_of(tx, view)
        asked = reads.questions_of(tx, edital)
        changed = reads.changes_of(tx, edital)
        pins, others = positions(tx, view.terms)
        found = {
            "contests": {one.stand: one for one in across().contests(tx, edital)},
            "awards": {one.stand: one for one in across().awards(tx, edital)},
            "head": house().book.head(tx, f"edital/{edital}"),
        }
    answered = sum(one.answered_at is not None for one in asked)
    steps = phases(view.status, view.terms, view.published_at, source.dated, (len(asked), answered), now)
    return render_template(
        "edital/tender.html",
        view=view,
        steps=steps,
        dated=source.dated,
        asked=asked,
        changed=changed,
        pins=pins,
        others=others,
        papers=[printed(source, name) for name in PAPERS],
        kinds=KINDS,
        Status=Status,
        suspended=view.status in SUSPENDED,
        duration=duration,
        **found,
    )


@tender_bp.get("/l/<edital>/pontos/<int:number>")
def stand(edital: str, number: int) -> str:
    """One stand: where, from how much and why so, by which decree, what became of it before."""
    view = known(edital)
    one = next((one for one in view.terms.stands if one.number == number), None)
    if one is None:
        abort(404)
    with reading(house().engine) as tx:
        pins, others = positions(tx, view.terms)
        ponto = reads.register(tx, house().book).stands.get(one.ponto)
        decrees = [entry for entry in house().book.load(tx, "stands") if one.ponto and _touches(entry, one.ponto)]
        contest = next((c for c in across().contests(tx, edital) if c.stand == number), None)
        past = [_past(tx, before, n) for before, n in reads.same_ponto(tx, one.ponto)] if one.ponto else []
    return render_template(
        "edital/stand.html",
        view=view,
        one=one,
        ponto=ponto,
        formula=formula_text(one),
        pins=[pin for pin in pins if number in pin["numbers"]],
        others=others,
        decrees=decrees,
        contest=contest,
        past=[found for found in past if found["edital"] != edital],
        Status=Status,
    )


def _touches(entry: Entry, ponto: str) -> bool:
    return ponto in (entry.body.get("code"), entry.body.get("stand", {}).get("code"))


def _past(tx: Connection, edital: str, number: int) -> dict[str, Any]:
    view = reads.find(tx, edital)
    assert view is not None, "a stand has its edital"
    contest = next((one for one in across().contests(tx, edital) if one.stand == number), None)
    floor = next(one.floor for one in view.terms.stands if one.number == number)
    return {"edital": edital, "number": number, "floor": floor, "best": contest.best if contest else None}


def sections(edital: str) -> tuple[reads.EditalView, tuple[Section, ...]]:
    """A tender and its edital in words."""
    view = known(edital)
    with reading(house().engine) as tx:
        return view, statement(view.terms, view.published_at, dated(tx, view))


@tender_bp.get("/l/<edital>/edital")
def full(edital: str) -> str:
    """The edital as a page: the same words as the PDF."""
    view, parts = sections(edital)
    return render_template("edital/full.html", view=view, parts=parts)


@tender_bp.get("/l/<edital>/simples")
def plain(edital: str) -> str:
    """The edital in plain words, as questions somebody would ask."""
    view = known(edital)
    with reading(house().engine) as tx:
        days = {one.key: one for one in dated(tx, view)}
        town = calendar(tx)
    until = days.get("impugnar_ate")
    ask_until = instant_of(view.terms, town, until.day) if until else None
    return render_template(
        "edital/plain.html", view=view, terms=view.terms, ask_until=ask_until, now=house().clock.now()
    )


@tender_bp.get("/l/<edital>/<any('edital','aviso','ato-justificativo'):name>.pdf")
def paper(edital: str, name: str) -> Response:
    """A paper of the tender, from the facts of the book."""
    view = known(edital)
    with reading(house().engine) as tx:
        made = printed(source_of(tx, view), name)
    return Response(made.body, mimetype="application/pdf")


@tender_bp.get("/l/<edital>/mudancas")
def changes(edital: str) -> str:
    """What changed after the publication, with the difference between the versions."""
    view = known(edital)
    with reading(house().engine) as tx:
        found = reads.changes_of(tx, edital)
    shown = [
        (one, differences(one.before, one.fact.terms) if one.before and isinstance(one.fact, EditalAmended) else [])
        for one in found
    ]
    return render_template("edital/changes.html", view=view, shown=shown)


# -- the book ----------------------------------------------------------------------------------------------------------


@tender_bp.get("/l/<edital>/livro")
def book(edital: str) -> str:
    """The book of a tender, page by page, newest first."""
    view = known(edital)
    chain = f"edital/{edital}"
    with reading(house().engine) as tx:
        head = house().book.head(tx, chain)
        pages = max(1, -(-head.seq // BOOK_PAGE))
        page = min(max(1, asked_page()), pages)
        after = max(0, head.seq - page * BOOK_PAGE)
        entries = list(house().book.entries(tx, chain, after=after, limit=head.seq - (page - 1) * BOOK_PAGE - after))
    return render_template("edital/book.html", view=view, entries=entries[::-1], head=head, page=page, pages=pages)


def asked_page() -> int:
    """The page of a list that the address asks for, from 1."""
    typed = request.args.get("pagina", "1")
    return int(typed) if typed.isascii() and typed.isdecimal() and len(typed) < 7 else 1


@tender_bp.get("/l/<edital>/livro.jsonl")
def book_export(edital: str) -> Response:
    """The book of a tender as the verifier reads it."""
    known(edital)
    services = house()

    def lines() -> Any:
        with reading(services.engine) as tx:
            yield from services.book.export(tx, f"edital/{edital}")

    answer = Response(stream_with_context(lines()), mimetype="application/jsonl")
    answer.headers["Content-Disposition"] = f'attachment; filename="livro-{edital}.jsonl"'
    return answer


@tender_bp.get("/verificador.py")
def verifier_file() -> Response:
    """The one-file verifier: the very lines that this site runs."""
    return send_file(verifier.__file__, mimetype="text/x-python", as_attachment=True, download_name="verificador.py")
