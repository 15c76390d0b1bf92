"""`/saude`: is the service whole? `/pedidos/<id>`: what became of a command whose answer took too long."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from flask import Flask, Response, abort, jsonify, make_response, render_template
from sqlalchemy import func, select

from tender.acts import Refusal
from tender.answers import DONE, answers
from tender.deadlines import OUTAGE, heartbeats
from tender.desk import StillWaiting
from tender.law import Citation
from tender.ledger import reading
from tender.web.errors import refusal_answer, wants_json
from tender.web.filters import iso
from tender.web.house import House, actor, house

log = logging.getLogger("tender.web")


@dataclass(frozen=True, slots=True)
class Check:
    """One part of the service: a stable name, its Portuguese label, whether it works, and a word on how."""

    name: str
    label: str
    ok: bool
    text: str


def last_beat(home: House) -> datetime | None:
    """When any process last wrote its heartbeat."""
    with reading(home.engine) as tx:
        return tx.execute(select(func.max(heartbeats.c.beat_at))).scalar()


def backlog(home: House) -> int:
    """How many messages wait to be sent."""
    waiting: int = home.notices.backlog()
    return waiting


def _database(home: House) -> str | None:
    with reading(home.engine) as tx:
        tx.execute(select(1))
    return "responde"


def _desk(home: House) -> str | None:
    stats = home.desk.stats()
    return f"{stats['waiting']} na fila, {stats['served']} atendidos" if home.desk.is_alive else None


def _ticker(home: House) -> str | None:
    beat = last_beat(home)
    now = home.clock.now()
    if beat is None or now - beat > OUTAGE:
        return None
    return f"último sinal há {(now - beat).total_seconds():.0f} s, {home.deadlines.late(now)} atrasados"


def _outbox(home: House) -> str | None:
    return f"{backlog(home)} avisos por enviar"


PARTS: tuple[tuple[str, str, Callable[[House], str | None]], ...] = (
    ("banco", "Banco de dados", _database),
    ("balcao", "Balcão (registro dos atos)", _desk),
    ("prazos", "Prazos automáticos", _ticker),
    ("avisos", "Avisos por e-mail", _outbox),
)
"""Name, label, and a probe that answers with a text, or None (or any exception) when the part does not work."""


def checks(home: House) -> list[Check]:
    """All parts, each probed by itself: one that fails hides no other."""
    found = []
    for name, label, probe in PARTS:
        try:
            text = probe(home)
        except Exception:
            log.exception("health: %s does not answer", name)
            text = None
        found.append(Check(name, label, text is not None, text or "não responde"))
    return found


def _health() -> Response:
    home = house()
    parts = checks(home)
    well = all(part.ok for part in parts)
    now = home.clock.now()
    if wants_json():
        body = {
            "funciona": well,
            "hora": iso(now),
            "partes": {p.name: {"funciona": p.ok, "texto": p.text} for p in parts},
        }
        response = jsonify(body)
    else:
        response = make_response(render_template("health.html", checks=parts, well=well, now=now))
    response.status_code = 200 if well else 503
    response.headers["Cache-Control"] = "no-store"
    return response


def _outcome(command_id: uuid.UUID) -> Response:
    """What became of the asker's own command; still waiting (202) as long as the desk has not answered it."""
    with reading(house().engine) as tx:
        row = tx.execute(select(answers).where(answers.c.command_id == str(command_id))).first()
        asked = row is not None and house().people.acts_for(tx, actor().person, row.actor)
    if row is None:
        raise StillWaiting(str(command_id))
    if not asked:
        abort(404)
    if row.outcome != DONE:
        law = Citation.parse(row.law)
        return refusal_answer(Refusal(row.reason, law, code=row.code, field=row.field, got=row.got, passes=row.passes))
    if wants_json():
        hours = {"chegou_em": iso(row.arrived_at), "registrado_em": iso(row.registered_at)}
        return jsonify({"codigo": "registrado", "pedido": str(command_id), **hours})
    return make_response(render_template("registered.html", row=row))


def init_health(app: Flask) -> None:
    """Register both addresses."""
    app.add_url_rule("/saude", "health", _health)
    app.add_url_rule("/pedidos/<uuid:command_id>", "outcome", _outcome)
