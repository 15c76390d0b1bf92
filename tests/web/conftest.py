"""A small site around the real glue: a real database, book, desk and people, and a handful of pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyotp
import pytest
from flask import Flask
from flask.testing import FlaskClient
from jinja2 import FileSystemBytecodeCache

from tender.acts import Role
from tender.clock import FrozenClock
from tender.deadlines import Deadlines, Ticker
from tender.desk import Desk
from tender.files import Files
from tender.ledger import Book, metadata, open_engine, projections, writing
from tender.notices import Notices
from tender.people import People
from tender.settings import Settings
from tender.web import House, init_web
from tests.web.pages import PROCEDURE, pages_bp

ROOT = Path(__file__).parent.parent.parent
START = datetime(2027, 3, 16, 17, 18, 13, 42_000, UTC)
PASSWORD = "mesa chuva trevo pneu"


@dataclass
class Site:
    """An app, its house, and who may come in."""

    app: Flask
    house: House
    clock: FrozenClock
    ticker: Ticker
    client: FlaskClient = field(init=False)

    def __post_init__(self) -> None:
        self.client = self.app.test_client()

    def write_notices(self, count: int) -> None:
        """Let so many mails wait."""
        with writing(self.house.engine) as tx:
            for _ in range(count):
                self.house.notices.send(tx, "p1", "session_soon", link="/vivo", session_at=START)

    def sign_in(self, role: Role | None = None, *, second_factor: bool = True) -> str:
        """Let the client come as a fresh person, with an office or as somebody who may enrol; the person's id."""
        number = "12345678909" if role is None else "98765432100"
        people = self.house.people
        person: str = people.add_person(
            number, "Ana Beatriz Quaresma", f"{number}@exemplo.invalid", "(34) 99876-5432", PASSWORD, by="teste",
            with_party=role is None,
        )  # fmt: skip
        if role is not None:
            people.grant(role, person, by="teste", act="Portaria 12/2027")
        token = people.open_session(person, "Firefox", "203.0.113.7")
        if role is not None and second_factor:
            code = pyotp.TOTP(people.enable_totp(token).secret).at(self.clock.now())
            _, token = people.confirm_totp(token, code)
        name = "__Host-entrada" if self.house.settings.secure_cookies else "entrada"
        self.client.set_cookie(name, token)
        return person


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> FileSystemBytecodeCache:
    """Templates are compiled once for all sites."""
    return FileSystemBytecodeCache(str(tmp_path_factory.mktemp("templates")))


@pytest.fixture
def make_site(tmp_path: Path, compiled: FileSystemBytecodeCache) -> Iterator[Callable[..., Site]]:
    """Makes a site; keyword arguments change its settings."""
    made: list[Site] = []

    def make(**changes: Any) -> Site:
        settings = replace(Settings.for_tests(tmp_path), **changes)
        engine = open_engine(settings.database_url)
        metadata.create_all(engine)
        projections.create_all(engine)
        clock = FrozenClock(START)
        book, deadlines, people = Book(), Deadlines(engine, clock), People(engine, clock, settings)
        desk = Desk(engine, book, clock, PROCEDURE, lambda tx, person, value: person == value)
        desk.start()
        ticker = Ticker(engine, clock, deadlines, desk.perform, lambda gap: None)
        ticker.wake_up()
        app = Flask("tender", template_folder=str(ROOT / "templates"), static_folder=str(ROOT / "static"))
        house = House(
            engine, settings, clock, book, desk, people, Files(engine, clock, settings),
            Notices(engine, clock, settings, people.email_of), deadlines, PROCEDURE,
        )  # fmt: skip
        app.jinja_env.bytecode_cache = compiled
        init_web(app, house)
        app.register_blueprint(pages_bp)
        made.append(Site(app, house, clock, ticker))
        return made[-1]

    yield make
    for site in made:
        site.house.desk.stop()
        site.house.engine.dispose()


@pytest.fixture
def site(make_site: Callable[..., Site]) -> Site:
    """The site as in the tests: http, no proxy, nobody signed in."""
    return make_site()
