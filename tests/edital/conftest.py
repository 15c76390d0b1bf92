"""The sign-in pages in an app of their own: a real database, real people and notices, and browsers with cookies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import Engine

from tender.clerk import Procedure
from tender.clock import FrozenClock
from tender.desk import Desk
from tender.edital.pages.account import account_bp
from tender.edital.pages.sign_in import sign_in_bp
from tender.ledger import Book, metadata, open_engine, projections
from tender.notices import Notices
from tender.people import People
from tender.settings import Settings
from tender.web import House, init_web
from tests.edital.site import ROOT, START, Site


@pytest.fixture
def make_site(tmp_path: Path) -> Iterator[Callable[..., Site]]:
    """Makes a site; keyword arguments change its settings."""
    engines: list[Engine] = []

    def make(**changes: Any) -> Site:
        settings = replace(Settings.for_tests(tmp_path), **changes)
        engine = open_engine(settings.database_url)
        engines.append(engine)
        metadata.create_all(engine)
        projections.create_all(engine)
        clock = FrozenClock(START)
        people = People(engine, clock, settings)
        procedure = Procedure({}, {}, {}, ())
        house = House(
            engine=engine,
            settings=settings,
            clock=clock,
            book=Book(),
            desk=Desk(engine, Book(), clock, procedure, people.acts_for),
            people=people,
            files=None,
            notices=Notices(engine, clock, settings, people.email_of),
            deadlines=None,
            procedure=procedure,
        )
        app = Flask("tender", template_folder=str(ROOT / "templates"), static_folder=str(ROOT / "static"))
        init_web(app, house)
        app.register_blueprint(sign_in_bp)
        app.register_blueprint(account_bp)
        app.add_url_rule("/", "home", lambda: "início")
        return Site(app, house, clock)

    yield make
    for engine in engines:
        engine.dispose()


@pytest.fixture
def site(make_site: Callable[..., Site]) -> Site:
    return make_site()
