"""The live room's wire: bids go up by HTTP POST with an id made in the browser, facts come down by socket.

Nothing here decides. A message to viewers is small, carries the stand's `seq`, and names nobody: only the number that
the stand gave to a bidder. Whoever misses a message asks `eventos?desde=`; sockets blocked, polling is as good.
Both ways of bidding (JSON and the plain form) call the same few lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias
from uuid import UUID

from flask import Blueprint, abort, flash, jsonify, redirect, request, url_for
from flask_socketio import SocketIO, join_room
from sqlalchemy import Connection
from werkzeug.wrappers import Response

from tender.acts import EditalId, Pseudonym, Refusal, StandId
from tender.bidding import reads
from tender.bidding.model import BidPlaced, PlaceBid, WithdrawBid
from tender.clerk import Receipt
from tender.codec import instant_text
from tender.desk import StillWaiting
from tender.ledger import Entry, reading
from tender.money import MoneyError, brl, parse_brl
from tender.web import NUMBER_MAX, actor, house, perform, sent_json

live_bp = Blueprint("live", __name__)

Answer: TypeAlias = Response | tuple[Response, int]

EVENTS_MAX = 500


def room(edital: str, stand: int | str) -> str:
    """Name of a stand's socket room: nothing in it belongs to a person."""
    return f"ponto/{edital}/{stand}"


# -- up ---------------------------------------------------------------------------------------------------------------


def own_pseudonym(tx: Connection, edital: str, stand: int) -> Pseudonym | None:
    """The pseudonym under which whoever asks was admitted to the stand; None when they were not."""
    return house().people.own_pseudonyms(tx, actor().person, edital).get(str(stand))


def _bidder(edital: str, stand: int) -> Pseudonym:
    with reading(house().engine) as tx:
        found = own_pseudonym(tx, edital, stand)
    # Somebody not admitted still gets the rule's own answer, with its article, from the desk.
    return found or Pseudonym("nao-admitido")


@live_bp.post("/sala/<edital>/<int:stand>/lances")
def bid(edital: str, stand: int) -> Answer:
    """Place a bid: JSON `{"id", "valor", "visto"}` -> 201, 409 or 202; the plain form -> back to the room."""
    sent = sent_json() if request.is_json else None
    typed = str((request.form if sent is None else sent).get("valor", ""))
    command_id = "" if sent is None else str(sent.get("id", ""))
    try:
        amount = parse_brl(typed, whole_reais=False)
        receipt = perform(PlaceBid(EditalId(edital), StandId(stand), _bidder(edital, stand), amount), command_id)
    except MoneyError as error:
        return _unread(edital, stand, typed, error)
    except Refusal as refusal:
        return _refused(edital, stand, refusal)
    except StillWaiting as waiting:
        return jsonify(id=waiting.command_id, situacao="aguardando"), 202
    except ValueError:
        abort(400, description="O campo “id” deve ser um UUID novo para cada lance.")
    if sent is not None:
        return jsonify(_receipt(receipt)), 201
    flash(f"Lance de {brl(amount, 'auto')} registrado.", "ok")
    return redirect(url_for("bidding.room", edital=edital, stand=stand))


@live_bp.get("/sala/<edital>/<int:stand>/lances/<uuid:command_id>")
def fate(edital: str, stand: int, command_id: UUID) -> Answer:
    """The receipt of one's own bid; 404 for everything else (`/pedidos/<id>` tells refusals, too)."""
    with reading(house().engine) as tx:
        entries = tuple(house().book.of_command(tx, str(command_id)))
        own = own_pseudonym(tx, edital, stand)
    if not entries or entries[0].actor != own or not isinstance(entries[0].fact, BidPlaced):
        abort(404)
    return jsonify(_receipt(Receipt(str(command_id), entries, entries[0].at, entries[0].at))), 201


@live_bp.post("/sala/<edital>/<int:stand>/desfazer")
def withdraw(edital: str, stand: int) -> Answer:
    """Undo one's own last bid."""
    try:
        receipt = perform(WithdrawBid(EditalId(edital), StandId(stand), _bidder(edital, stand)))
    except Refusal as refusal:
        return _refused(edital, stand, refusal)
    if request.is_json:
        return jsonify(seq=receipt.entries[0].version), 201
    flash("Seu lance foi desfeito.", "ok")
    return redirect(url_for("bidding.room", edital=edital, stand=stand))


def _receipt(receipt: Receipt) -> dict[str, Any]:
    entry = receipt.entries[0]
    fact = entry.fact
    return {
        "seq": entry.version,
        "numero": fact.number,
        "valor": fact.amount.centavos,
        "recebido_em": instant_text(receipt.arrived_at),
        "registrado_em": instant_text(receipt.registered_at),
        "fim_em": instant_text(fact.closes_at),
        "hash": entry.hash,
    }


def _refused(edital: str, stand: int, refusal: Refusal) -> Answer:
    if not request.is_json:
        wanted = f" Passaria: {refusal.passes}." if refusal.passes else ""
        flash(f"Não registrado. {refusal.reason}{wanted} ({refusal.law})", "bad")
        return redirect(url_for("bidding.room", edital=edital, stand=stand))
    with reading(house().engine) as tx:
        view = reads.find(tx, edital, stand)
    body = {
        "codigo": refusal.code,
        "motivo": refusal.reason,
        "citacao": str(refusal.law),
        "veio": refusal.got,
        "passa": refusal.passes,
        "melhor": view.best.centavos if view and view.best else None,
        "minimo": view.least.centavos if view else None,
    }
    return jsonify(body), 409


def _unread(edital: str, stand: int, typed: str, error: MoneyError) -> Answer:
    if not request.is_json:
        flash(f"Não registrado. {error}", "bad")
        return redirect(url_for("bidding.room", edital=edital, stand=stand, valor=typed))
    return jsonify(codigo="valor_ilegivel", motivo=str(error), citacao="", veio=typed), 409


# -- down -------------------------------------------------------------------------------------------------------------


@live_bp.get("/hora")
def hour() -> Answer:
    """The official hour in whole microseconds since 1970 (UTC): clients measure their offset against it."""
    now = house().clock.now()
    answer = jsonify(agora=instant_text(now))
    answer.headers["Cache-Control"] = "no-store"
    return answer


@live_bp.get("/l/<edital>/pontos/<int:stand>/eventos")
def events(edital: str, stand: int) -> Answer:
    """What happened after `desde`, and the whole small state. ETag is the stand's seq; cacheable for a second."""
    since = request.args.get("desde", "0")
    after = int(since) if since.isascii() and since.isdecimal() and len(since) < 10 else 0
    with reading(house().engine) as tx:
        view = reads.find(tx, edital, stand)
        if view is None:
            abort(404)
        stream = f"stand/{edital}/{stand}"
        entries = house().book.load(tx, stream, after=max(after, view.seq - EVENTS_MAX))
        numbers = reads.numbers(tx, edital, stand)
    answer = jsonify(estado=_state(view, numbers), eventos=[_event(one, numbers) for one in entries])
    answer.set_etag(f"{stand}-{view.seq}-{after}")
    answer.headers["Cache-Control"] = "public, max-age=1"
    return answer.make_conditional(request)


def _state(view: reads.ContestView, numbers: dict[Pseudonym, int]) -> dict[str, Any]:
    return {
        "seq": view.seq,
        "estado": view.status.name.lower(),
        "melhor": view.best.centavos if view.best else None,
        "licitante": numbers.get(view.leader),
        "minimo": view.least.centavos,
        "lances": view.bids,
        "fim_em": instant_text(view.closes_at) if view.closes_at else None,
        "agora": instant_text(house().clock.now()),
    }


def _event(entry: Entry, numbers: dict[Pseudonym, int]) -> dict[str, Any]:
    body = entry.body
    event = {"seq": entry.version, "tipo": entry.kind, "em": instant_text(entry.at)}
    if "bidder" in body:
        event["licitante"] = numbers.get(Pseudonym(body["bidder"]))
    for name, shown in (("amount", "valor"), ("number", "numero"), ("leads", "lidera"), ("closes_at", "fim_em")):
        if name in body:
            event[shown] = body[name]
    return event


def init_live(socketio: SocketIO) -> None:
    """Viewers may only say which stand they watch; everything they hear is public."""

    @socketio.on("assistir")
    def _watch(*told: Any) -> None:
        sent = told[0] if told and isinstance(told[0], dict) else {}
        edital, stand = sent.get("edital"), sent.get("ponto")
        if not isinstance(edital, str) or "\0" in edital or type(stand) is not int or not 0 <= stand <= NUMBER_MAX:
            return
        with reading(house().engine) as tx:
            is_there = reads.find(tx, edital, stand) is not None
        if is_there:  # else anybody could make rooms without end
            join_room(room(edital, stand))


def announcer(app: Any, socketio: SocketIO) -> Any:
    """A listener of the desk: after each commit, one message a stand with its whole small state."""

    def announce(entries: Sequence[Entry]) -> None:
        stands = {entry.stream for entry in entries if entry.stream.startswith("stand/")}
        with app.app_context():
            for stream in sorted(stands):
                _, edital, stand = stream.split("/")
                with reading(house().engine) as tx:
                    view = reads.find(tx, edital, int(stand))
                    numbers = reads.numbers(tx, edital, int(stand))
                if view is not None:
                    socketio.emit("estado", _state(view, numbers), to=room(edital, stand))

    return announce
