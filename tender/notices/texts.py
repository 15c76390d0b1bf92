"""From a kind and its values to a subject and a body in plain Portuguese text.

What people typed comes in as one line without control signs, and its addresses are made unclickable: the only link of
a notice is ours, and nobody's "reason" can pretend to be our footer or a header of the mail.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, StrictUndefined

from tender.clock import day_of, face, long_day, short_day, short_when
from tender.law import Citation
from tender.money import Money, brl
from tender.notices.kinds import KINDS, check
from tender.settings import Settings

SUBJECT_CHARS = 78
VALUE_CHARS = 1_000
_SUBJECT = "Assunto: "
_PACKAGE = Path(__file__).parent.parent
_SCHEME = re.compile(r"\b([a-z][a-z0-9+.-]*:)//", re.IGNORECASE)
_WWW = re.compile(r"\bwww\.", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Text:
    """A notice in words. body: paragraphs as mailed, the link on a line of its own; link: absolute."""

    subject: str
    body: str
    link: str


class Texts:
    """The texts of `templates/notices/`, one `<kind>.txt` each: `Assunto: …`, an empty line, the body."""

    def __init__(self, settings: Settings) -> None:
        roots = [_PACKAGE.parent / "templates", _PACKAGE / "_share" / "templates"]
        # Plain text: nothing to escape for HTML; `_plain` takes out what could act in a mail.
        self._templates = Environment(
            loader=ChoiceLoader([FileSystemLoader(root) for root in roots]),
            undefined=StrictUndefined,
            autoescape=False,  # noqa: S701
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters.update(
            at=_at, brl=_money, day=_day, edital=_edital, face=face, items=_items, long_day=long_day, when=short_when
        )
        self._base_url = settings.base_url
        self._phone = settings.municipality.phone

    def write(self, kind: str, values: Mapping[str, Any], link: str) -> Text:
        """The notice in words. KeyError for an unknown kind, TypeError or ValueError for values that do not fit.

        link: a path of this site, such as `/minhas/001-2027/documentos`.
        """
        check(kind, values)
        if not re.fullmatch(r"/(?![/\\])[!-~]*", link):
            raise ValueError(f"{kind}: the link is a path of this site, not {link!r}")
        address = self._base_url + link
        known = {name: _fit(value) for name, value in values.items()}
        whole = self._templates.get_template(f"notices/{kind}.txt").render(known, link=address)
        head, _, body = whole.strip().partition("\n\n")
        if not head.startswith(_SUBJECT) or not body:
            raise ValueError(f"notices/{kind}.txt: “Assunto: …”, an empty line, the body")
        return Text(_cut(head.removeprefix(_SUBJECT).strip(), SUBJECT_CHARS), body.strip(), address)

    def footer(self, kind: str, leave: str = "") -> str:
        """The last lines of the mail: where to get help, that the own page has the notice too, or how to end them."""
        own_page = not KINDS[kind].mail_only and not leave
        template = self._templates.get_template("notices/_footer.txt")
        return template.render(phone=self._phone, own_page=own_page, leave=leave).strip()


def _fit(value: Any) -> Any:
    if isinstance(value, str):
        return _plain(value)
    if isinstance(value, tuple):
        return tuple(_plain(item) for item in value)
    return str(value) if isinstance(value, Citation) else value


def _plain(text: str) -> str:
    kept = (sign for sign in text if sign.isspace() or not unicodedata.category(sign).startswith("C"))
    line = " ".join("".join(kept).split())
    return _cut(_WWW.sub("www .", _SCHEME.sub(r"\1 //", line)), VALUE_CHARS)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _at(instant: datetime) -> str:
    # "às 14h": the hour as the day's text ends with it.
    return short_when(instant).rpartition(", ")[2]


def _day(day: date) -> str:
    return short_day(day_of(day) if isinstance(day, datetime) else day)


def _money(amount: Money) -> str:
    return brl(amount, "auto")


def _edital(number: str) -> str:
    return number.replace("-", "/")


def _items(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
