"""What templates may ask for: amounts, hours, the text of the law, addresses, who is asking."""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from urllib.parse import urlencode

from flask import Flask, request
from jinja2 import StrictUndefined

from tender.acts import Role
from tender.clock import as_utc, day_of, face, remaining, short_when
from tender.law import Citation, Node, Statutes
from tender.money import Money, brl
from tender.web.house import actor, house, is_signed_in, may, new_id

LAW_FILES = "law"
_PLACES = (
    (Role.PREGOEIRO, "Comissão", "/c"),
    (Role.COMMISSION, "Comissão", "/c"),
    (Role.MAYOR, "Autoridade", "/a"),
    (Role.SECRETARIAT, "Secretaria", "/s"),
    (Role.CONTROL, "Auditoria", "/auditoria"),
    (Role.TECHNICIAN, "Técnico", "/t"),
)


def stamp(instant: datetime) -> str:
    """Day and hour to the millisecond in Brasília, for receipts: "16/03/2027, 14:18:13,042"."""
    return f"{day_of(instant):%d/%m/%Y}, {face(instant, with_ms=True)}"


def iso(instant: datetime) -> str:
    """The instant for machines: "2027-03-16T17:18:13.042Z"."""
    return as_utc(instant).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def left(due: datetime) -> str:
    """What is left of a term now: "faltam 9 dias"."""
    return remaining(house().clock.now(), due)


def size(count: int) -> str:
    """Bytes as people read them: "640 KB", "2,1 MB"."""
    if count < 1024 * 1024:
        return f"{max(1, round(count / 1024))} KB"
    return f"{count / (1024 * 1024):.1f} MB".replace(".", ",")


def tel(phone: str) -> str:
    """A Brazilian number as `tel:` wants it: "(34) 3284-9500" -> "+553432849500"."""
    digits = re.sub(r"\D", "", phone)
    return digits if len(digits) < 10 else f"+55{digits}"


def money_text(amount: Money, cents: str = "auto") -> str:
    """ "R$ 9.500", or "R$ 9.500,50" when there are centavos."""
    return brl(amount, "always" if cents == "always" else "auto")


def my_places() -> list[tuple[str, str]]:
    """Where the one who asks works or finds his own things: (label, address)."""
    held = actor().roles
    found = list(dict.fromkeys((label, href) for role, label, href in _PLACES if role in held))
    return found or [("Minhas inscrições", "/minhas")]


def page_url(page: int) -> str:
    """This address with `?pagina=` changed and the other parameters kept."""
    kept = [(key, value) for key, value in request.args.items(multi=True) if key != "pagina"]
    return f"{request.path}?{urlencode([*kept, ('pagina', str(page))])}"


def read_law(static: Path) -> Statutes:
    """The texts of the law under `static/law`, checked as they are read (ValueError)."""
    files = sorted((static / LAW_FILES).glob("*.json"))
    return Statutes.from_plain(*(json.loads(file.read_text("utf-8")) for file in files))


def init_filters(app: Flask, statutes: Statutes) -> None:
    """Give the templates their filters and functions; a name that does not exist is an error, not an empty text."""

    def law_node(citation: Citation) -> Node | None:
        return statutes.node(citation) if statutes.exists(citation) else None

    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.filters.update(
        brl=money_text, when=short_when, left=left, hour=face, stamp=stamp, iso=iso, bytes=size, tel=tel
    )
    app.jinja_env.globals.update(
        house=house,
        who=actor,
        is_signed_in=is_signed_in,
        may=may,
        new_id=new_id,
        my_places=my_places,
        page_url=page_url,
        law_node=law_node,
    )
