"""Own messages, the official channel of every notice; and the demonstration's outbox."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for

from tender.ledger import reading, writing
from tender.web import house, require

notices_bp = Blueprint("notices", __name__)

PAGE_NOTICES = 20


@notices_bp.get("/minhas/mensagens")
def messages() -> str:
    """The own notices, newest first."""
    person, notices = require().person, house().notices
    with reading(house().engine) as tx:
        pages = max(1, -(-notices.count(tx, person) // PAGE_NOTICES))
        page = min(max(1, request.args.get("pagina", 1, type=int)), pages)
        own = notices.of_person(tx, person, PAGE_NOTICES, (page - 1) * PAGE_NOTICES)
        unread = notices.unread(tx, person)
    return render_template("edital/messages.html", own=own, unread=unread, page=page, pages=pages)


@notices_bp.post("/minhas/mensagens/<int(max=2147483647):notice>/lida")
def mark_read(notice: int) -> Any:
    """Mark one of the own notices as read."""
    person, notices = require().person, house().notices
    with writing(house().engine) as tx:
        if not notices.is_of(tx, person, notice):
            abort(404)
        notices.mark_read(tx, person, notice)
    page = request.args.get("pagina", 1, type=int)
    return redirect(url_for("notices.messages", pagina=page, _anchor=f"aviso-{notice}"), 303)


@notices_bp.post("/minhas/mensagens/lidas")
def mark_all_read() -> Any:
    """Mark all own notices as read."""
    person = require().person
    with writing(house().engine) as tx:
        house().notices.mark_read(tx, person)
    return redirect(url_for("notices.messages"), 303)


@notices_bp.get("/demo/saida")
def outbox() -> str:
    """What would have been mailed; in the demonstration alone, where nobody is real and no mail leaves."""
    if not house().settings.is_demo:
        abort(404)
    with reading(house().engine) as tx:
        shown = house().notices.shown(tx)
    return render_template("edital/outbox.html", shown=shown)
