"""A site of the sign-in pages alone, and browsers that fill in its forms as they are."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyotp
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select
from werkzeug.test import TestResponse

from tender.clock import FrozenClock
from tender.ledger import reading
from tender.notices.tables import notices
from tender.people import People
from tender.people.tables import confirmations
from tender.web import House

ROOT = Path(__file__).parent.parent.parent
START = datetime(2027, 3, 5, 17, 0, tzinfo=UTC)
PASSWORD = "mesa chuva trevo pneu"
HOME, AWAY = "203.0.113.7", "192.0.2.66"
PHONE = "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36"


@dataclass
class Browser:
    """Somebody at a browser: follows the forms of the pages as they are, token and all."""

    client: FlaskClient
    address: str = HOME
    agent: str = PHONE
    page: str = ""

    def get(self, path: str) -> TestResponse:
        return self._kept(self.client.get(path, **self._from_here()))

    def post(self, path: str, /, **typed: Any) -> TestResponse:
        """Send a form to `path` with the token of the page last seen."""
        token = re.search(r'name="csrf_token" value="([^"]+)"', self.page)
        assert token, "no form was on the last page"
        sent = {"csrf_token": token[1], **typed}
        return self._kept(self.client.post(path, data=sent, **self._from_here()))

    def fill(self, path: str, /, **typed: Any) -> TestResponse:
        """Open the page, fill its form in, send it to the same address."""
        self.get(path)
        return self.post(path, **typed)

    def cookie(self, name: str) -> str:
        found = self.client.get_cookie(name)
        return found.value if found else ""

    def _kept(self, answer: TestResponse) -> TestResponse:
        if answer.mimetype == "text/html" and answer.status_code not in (302, 303):
            self.page = answer.text
        return answer

    def _from_here(self) -> dict[str, Any]:
        return {"environ_base": {"REMOTE_ADDR": self.address}, "headers": {"User-Agent": self.agent}}


@dataclass
class Site:
    """The app, its house, and its people."""

    app: Flask
    house: House
    clock: FrozenClock
    browsers: list[Browser] = field(default_factory=list)

    @property
    def people(self) -> People:
        found: People = self.house.people
        return found

    def browser(self, address: str = HOME, agent: str = PHONE) -> Browser:
        return Browser(self.app.test_client(), address, agent)

    def mails(self, person: str) -> list[tuple[str, str]]:
        """(kind, link as path) of every notice to a person, oldest first."""
        with reading(self.house.engine) as tx:
            rows = tx.execute(select(notices).where(notices.c.person == person).order_by(notices.c.id)).all()
            texts = [self.house.notices._notice(row) for row in rows]
        return [
            (row.kind, text.link.removeprefix(self.house.settings.base_url))
            for row, text in zip(rows, texts, strict=True)
        ]

    def confirmations(self) -> list[tuple[str, str]]:
        """(addressee, link) of every mail that waits to be confirmed."""
        with reading(self.house.engine) as tx:
            addressees = tx.execute(select(confirmations.c.addressee)).scalars().all()
        return [(who, link) for who in addressees for kind, link in self.mails(who) if kind == "confirm_email"]

    def code(self, secret: str) -> str:
        return pyotp.TOTP(secret).at(self.clock.now())
