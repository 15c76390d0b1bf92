"""The whole program on a database of its own, and the officers of a municipality at browsers without scripts."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyotp
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tender.acts import Actor, Role
from tender.app import build_house, create_app
from tender.clock import FrozenClock
from tender.edital import reads
from tender.edital.model import Edital, Terms
from tender.ledger import metadata, open_engine, projections, reading, writing
from tender.letterhead import Paper
from tender.settings import Municipality, Settings
from tender.web import House, session_cookie
from tests.people.made import appoint

START = datetime(2027, 4, 19, 15, 0, tzinfo=UTC)
ROLES = (Role.PREGOEIRO, Role.COMMISSION, Role.MAYOR, Role.SECRETARIAT, Role.CONTROL)


def pdf_of(text: str) -> bytes:
    """A real PDF that says so."""
    paper = Paper("Peça", text, text, Municipality(), issued_at=START)
    paper.paragraph(text)
    return paper.build()


@dataclass
class Desk:
    """An officer at a browser: follows the forms as the pages give them, fields and all."""

    client: FlaskClient
    page: str = ""

    def get(self, path: str) -> TestResponse:
        answer = self.client.get(path)
        self.page = answer.text if answer.mimetype == "text/html" else ""
        return answer

    def send(self, path: str, where: str = "", /, **typed: Any) -> TestResponse:
        """Open a page (`where`, else `path`), change some fields of its form that leads to `path`, and send it."""
        self.get(where or path)
        sent = {**form_of(self.page, path), **typed}
        answer = self.client.post(path, data=sent, content_type="multipart/form-data")
        if answer.mimetype == "text/html":
            self.page = answer.text
        return answer


def form_of(page: str, path: str) -> dict[str, Any]:
    """What the form that leads to `path` would send as it stands; the largest, when several do."""
    found: list[dict[str, Any]] = []
    for head, body in re.findall(r"<form([^>]*)>(.*?)</form>", page, re.DOTALL):
        action = re.search(r'action="([^"]*)"', head)
        if action is None or action[1] == path:
            found.append(_fields(body))
    assert found, f"no form leads to {path}"
    return max(found, key=len)


def _fields(body: str) -> dict[str, Any]:
    from html import unescape

    sent: dict[str, Any] = {}
    for tag in re.findall(r"<input[^>]*>", body):
        named = dict(re.findall(r'([\w-]+)="([^"]*)"', tag))
        kind, name = named.get("type", "text"), unescape(named.get("name", ""))
        ticked = " checked" in tag
        if not name or kind in ("file", "submit") or (kind in ("radio", "checkbox") and not ticked):
            continue
        value = unescape(named.get("value", "y" if ticked else ""))
        sent[name] = [*sent[name], value] if kind == "checkbox" and isinstance(sent.get(name), list) else (
            [value] if kind == "checkbox" else value
        )  # fmt: skip
    for name, text in re.findall(r'<textarea[^>]*name="([^"]+)"[^>]*>(.*?)</textarea>', body, re.DOTALL):
        sent[name] = unescape(text).strip("\r\n")
    for name, options in re.findall(r'<select[^>]*name="([^"]+)"[^>]*>(.*?)</select>', body, re.DOTALL):
        chosen = re.search(r'<option selected value="([^"]*)"', options) or re.search(r'value="([^"]*)"', options)
        sent[name] = unescape(chosen[1]) if chosen else ""
    return sent


@dataclass
class Hall:
    """The program, its house, its people by role."""

    app: Flask
    house: House
    clock: FrozenClock
    actors: dict[Role, Actor] = field(default_factory=dict)

    def at(self, role: Role) -> Desk:
        """A browser in which the holder of this office has signed in with the second factor."""
        person = self.actors[role].person
        client = self.app.test_client()
        token = self.house.people.open_session(person, "teste", "127.0.0.1", second_factor=True)
        with self.app.test_request_context():
            client.set_cookie(session_cookie(), token)
        return Desk(client)

    def state(self, edital: str) -> Edital:
        with reading(self.house.engine) as tx:
            return reads.folded(tx, self.house.book, edital)

    def terms(self, edital: str) -> Terms:
        found = self.state(edital).terms
        assert found is not None
        return found


@contextmanager
def open_hall(folder: Path, **town: Any) -> Iterator[Hall]:
    """The program with every office held by somebody; `town` changes the municipality."""
    settings = Settings.for_tests(folder)
    settings = replace(settings, municipality=replace(settings.municipality, **town))
    engine = open_engine(settings.database_url)
    metadata.create_all(engine)
    projections.create_all(engine)
    clock = FrozenClock(START)
    house = build_house(settings, clock, engine)
    hall = Hall(create_app(house), house, clock)
    for number, role in enumerate(ROLES):
        who = appoint(house.people, 700 + number, f"{role.value.title()} Fictícia Prado")
        house.people.grant(role, who.id, "teste", "Portaria 1/2027")
        with writing(engine) as tx:
            secret = house.people.begin_factor(tx, who.id).secret
            house.people.confirm_factor(tx, who.id, pyotp.TOTP(secret).at(clock.now()))
        hall.actors[role] = Actor(who.id, frozenset({role}), second_factor=True)
    house.desk.start()
    try:
        yield hall
    finally:
        house.desk.stop()
        engine.dispose()


def upload(text: str = "Estudo") -> tuple[io.BytesIO, str]:
    """A PDF as a form sends it."""
    return io.BytesIO(pdf_of(text)), f"{text.lower()}.pdf"
