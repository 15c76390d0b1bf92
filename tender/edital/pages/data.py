"""Open data: everything public of a tender as JSON and CSV, its dates as iCalendar, what happened as an Atom feed.

Nothing here is computed for the file alone: it is what the pages show, taken from the same reads.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from xml.etree import ElementTree as ET

from flask import Blueprint, Response

from tender.clock import day_of
from tender.codec import instant_text, to_plain
from tender.edital import reads
from tender.edital.model.changes import (
    EditalAmended,
    EditalAnnulled,
    EditalExtended,
    EditalResumed,
    EditalRevoked,
    EditalSuspended,
    HearingOpened,
)
from tender.edital.pages.tender import dated, known
from tender.ledger import reading
from tender.web import across, house

data_bp = Blueprint("data", __name__)

FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet obeys a cell that begins with one of these: such a text is given an apostrophe."""
CHANGE_NAMES: dict[type[Any], str] = {
    EditalAmended: "Retificação",
    EditalExtended: "Prorrogação",
    EditalSuspended: "Suspensão",
    EditalResumed: "Retomada",
    HearingOpened: "Prazo de manifestação",
    EditalRevoked: "Revogação",
    EditalAnnulled: "Anulação",
}
FEED_MAX = 50
ICAL_LINE = 73  # of the 75 octets a line may have, the line feed and the leading blank are not ours
ATOM = "http://www.w3.org/2005/Atom"


def facts_of(edital: str) -> dict[str, Any]:
    """Everything public of a tender as plain data: amounts in centavos, instants in UTC."""
    view = known(edital)
    with reading(house().engine) as tx:
        head = house().book.head(tx, f"edital/{edital}")
        days = dated(tx, view)
        asked = reads.questions_of(tx, edital)
        changed = reads.changes_of(tx, edital)
        contests = across().contests(tx, edital)
        awards = across().awards(tx, edital)
    return {
        "edital": view.edital,
        "situacao": view.status.value,
        "publicado_em": instant_text(view.published_at) if view.published_at else None,
        "termos_sha256": view.terms_sha256,
        "termos": to_plain(view.terms),
        "prazos": [
            {
                "nome": one.label,
                "lei": one.law.key,
                "dia": one.day.isoformat(),
                "leitura": one.reading,
                "na_outra_leitura": one.other_day.isoformat(),
            }
            for one in days
        ],
        "disputas": [
            {
                "ponto": one.stand,
                "situacao": one.status.value,
                "minimo_centavos": one.floor.centavos,
                "maior_lance_centavos": one.best.centavos if one.best else None,
                "lances": one.bids,
            }
            for one in contests
        ],
        "convocacoes": [{"ponto": one.stand, "situacao": one.status.value, "lugar": one.place} for one in awards],
        "perguntas": [
            {
                "numero": one.number,
                "tipo": one.kind.value,
                "recebida_em": instant_text(one.asked_at),
                "pergunta": one.question or None,
                "resposta": one.answer or None,
                "efeito": one.effect.value if one.effect else None,
                "respondida_em": instant_text(one.answered_at) if one.answered_at else None,
            }
            for one in asked
        ],
        "mudancas": [
            {
                "o_que": CHANGE_NAMES[type(one.fact)],
                "em": instant_text(one.at),
                "lei": one.law.key,
                "motivo": one.fact.reason,
            }
            for one in changed
        ],
        "livro": {"registros": head.seq, "hash": head.hash, "endereco": f"/l/{edital}/livro.jsonl"},
    }


@data_bp.get("/l/<edital>/dados.json")
def as_json(edital: str) -> Response:
    """Everything public of a tender, for programs."""
    text = json.dumps(facts_of(edital), ensure_ascii=False, indent=1)
    return _file(text, "application/json", f"edital-{edital}.json")


@data_bp.get("/l/<edital>/dados.csv")
def as_csv(edital: str) -> Response:
    """The same for spreadsheets: one value a line with its name, semicolons, UTF-8 with its mark."""
    return _file("\ufeff" + table_of(_leaves("", facts_of(edital))), "text/csv", f"edital-{edital}.csv")


def table_of(rows: Iterable[tuple[str, str]]) -> str:
    """A CSV of names and values that no spreadsheet takes for a formula."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";", lineterminator="\r\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerow(("campo", "valor"))
    writer.writerows((harmless(name), harmless(value)) for name, value in rows)
    return out.getvalue()


def harmless(text: str) -> str:
    """The text as a cell that is only shown."""
    return f"'{text}" if text.startswith(FORMULA_SIGNS) else text


def _leaves(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(f"{name}.{key}" if name else key, inner)
    elif isinstance(value, list):
        for number, inner in enumerate(value, 1):
            yield from _leaves(f"{name}.{number}", inner)
    elif value is None:
        yield name, ""
    else:
        yield name, {True: "sim", False: "não"}[value] if isinstance(value, bool) else str(value)


def _file(text: str, kind: str, name: str) -> Response:
    answer = Response(text, mimetype=kind)
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    answer.headers["Access-Control-Allow-Origin"] = "*"
    answer.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return answer


# -- the calendar ------------------------------------------------------------------------------------------------------


@data_bp.get("/l/<edital>/agenda.ics")
def agenda(edital: str) -> Response:
    """Every date of a tender for the telephone's own calendar (RFC 5545)."""
    view, settings = known(edital), house().settings
    terms, stamp = view.terms, house().clock.now()
    with reading(house().engine) as tx:
        days = dated(tx, view)
    number, host = edital.replace("-", "/"), settings.base_url.partition("//")[2]
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//tender//edital//PT", "CALSCALE:GREGORIAN"]
    for key, label, at in (
        ("inscricoes-abrem", "Abrem as inscrições", terms.applications_open_at),
        ("inscricoes", "Fim das inscrições", terms.applications_close_at),
        ("sessao", "Disputa de lances ao vivo", terms.session_at),
    ):
        lines += _entry(f"{key}-{edital}@{host}", f"{label} — edital {number}", stamp)
        lines += [f"DTSTART:{_utc(at)}", f"DTEND:{_utc(at)}", f"URL:{settings.base_url}/l/{edital}", "END:VEVENT"]
    for one in days:
        lines += _entry(f"{one.key}-{edital}@{host}", f"{one.label} — edital {number}", stamp)
        lines += [
            f"DTSTART;VALUE=DATE:{one.day:%Y%m%d}",
            f"DTEND;VALUE=DATE:{one.day + timedelta(days=1):%Y%m%d}",
            f"DESCRIPTION:{_said(f'{one.law}, leitura {one.reading}')}",
            "END:VEVENT",
        ]
    lines.append("END:VCALENDAR")
    text = "".join(f"{_folded(line)}\r\n" for line in lines)
    return _file(text, "text/calendar", f"edital-{edital}.ics")


def _entry(uid: str, title: str, stamp: datetime) -> list[str]:
    return ["BEGIN:VEVENT", f"UID:{uid}", f"DTSTAMP:{_utc(stamp)}", f"SUMMARY:{_said(title)}"]


def _utc(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def _said(text: str) -> str:
    return text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")


def _folded(line: str) -> str:
    parts, room = [""], ICAL_LINE
    for sign in line:
        size = len(sign.encode())
        if size > room:
            parts.append("")
            room = ICAL_LINE
        parts[-1] += sign
        room -= size
    return "\r\n ".join(parts)


# -- the feed ----------------------------------------------------------------------------------------------------------


@data_bp.get("/avisos.atom")
def feed() -> Response:
    """Publications, changes and answers of all tenders, newest first (RFC 4287)."""
    settings = house().settings
    with reading(house().engine) as tx:
        tenders = reads.archive(tx, limit=FEED_MAX)
        told = [one for view in tenders for one in _told(tx, view)]
    told.sort(key=lambda one: one[0], reverse=True)
    told = told[:FEED_MAX]
    root = ET.Element("feed", {"xmlns": ATOM, "xml:lang": "pt-BR"})
    name = f"Avisos de licitação — Prefeitura de {settings.municipality.name}"
    updated = told[0][0] if told else datetime(1970, 1, 1, tzinfo=UTC)
    _tags(root, id=f"{settings.base_url}/avisos.atom", title=name, updated=instant_text(updated))
    ET.SubElement(root, "link", {"rel": "self", "href": f"{settings.base_url}/avisos.atom"})
    ET.SubElement(ET.SubElement(root, "author"), "name").text = f"Prefeitura de {settings.municipality.name}"
    for at, title, text, path in told:
        entry = ET.SubElement(root, "entry")
        mark = hashlib.sha256(f"{path} {instant_text(at)} {title}".encode()).hexdigest()[:16]
        _tags(entry, id=f"{settings.base_url}{path}#{mark}", title=title, updated=instant_text(at), summary=text)
        ET.SubElement(entry, "link", {"href": settings.base_url + path})
    body = ET.tostring(root, encoding="unicode")
    return Response(f'<?xml version="1.0" encoding="utf-8"?>\n{body}\n', mimetype="application/atom+xml")


def _tags(parent: ET.Element, **texts: str) -> None:
    for name, text in texts.items():
        # What XML cannot hold at all (control signs) is left out; the rest is escaped.
        ET.SubElement(parent, name).text = "".join(sign for sign in text if sign >= " " or sign in "\n\t")


def _told(tx: Any, view: reads.EditalView) -> Iterator[tuple[datetime, str, str, str]]:
    number, path = view.edital.replace("-", "/"), f"/l/{view.edital}"
    assert view.published_at is not None, "only what was published"
    day = f"{day_of(view.terms.session_at):%d/%m/%Y}"
    yield view.published_at, f"Edital {number} publicado", f"{view.terms.title}. Disputa em {day}.", path
    for one in reads.changes_of(tx, view.edital):
        yield one.at, f"{CHANGE_NAMES[type(one.fact)]} do edital {number}", one.fact.reason, f"{path}/mudancas"
    for asked in reads.questions_of(tx, view.edital):
        if asked.answered_at:
            title = f"{asked.kind.value} {asked.number} sobre o edital {number} respondida"
            yield asked.answered_at, title, asked.answer, f"{path}/perguntas/{asked.number}"
