"""Composition root: engine, clock, people, files, notices, desk, ticker, pages and sockets, put together once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from flask import Flask
from flask_socketio import SocketIO
from sqlalchemy import Connection, Engine

from tender.acts import SYSTEM
from tender.awards import reads as award_reads
from tender.awards.pages import awards_bp
from tender.bidding import reads as stand_reads
from tender.bidding.live import announcer, init_live, live_bp
from tender.bidding.pages import bidding_bp
from tender.clock import Clock, SystemClock, long_day
from tender.deadlines import Deadlines, Gap, Ticker
from tender.desk import Desk
from tender.edital import reads as edital_reads
from tender.edital.pages.about import about_bp
from tender.edital.pages.account import account_bp
from tender.edital.pages.changing import changing_bp
from tender.edital.pages.data import data_bp
from tender.edital.pages.dossier import dossier_bp
from tender.edital.pages.drafting import drafting_bp
from tender.edital.pages.notices import notices_bp
from tender.edital.pages.offering import offering_bp
from tender.edital.pages.offices import offices_bp
from tender.edital.pages.portal import portal_bp
from tender.edital.pages.questions import questions_bp
from tender.edital.pages.register import register_bp
from tender.edital.pages.sign_in import sign_in_bp
from tender.edital.pages.subscriptions import subscriptions_bp
from tender.edital.pages.tender import tender_bp
from tender.files import Files
from tender.habilitation import reads as application_reads
from tender.habilitation.pages import habilitation_bp
from tender.law import L14133, MUN, Citation
from tender.ledger import Book, open_engine, reading
from tender.notices import Notices
from tender.people import People
from tender.process import names, outage, procedure
from tender.schema import share
from tender.settings import Settings
from tender.tells import tells
from tender.web import Across, House, init_web
from tender.web.crowd import Crowd

SOCKET_MESSAGE_BYTES = 16 * 1024
"""Viewers only say which stand they watch."""


def build_house(settings: Settings, clock: Clock | None = None, engine: Engine | None = None) -> House:
    """Everything with effects, wired; nothing runs yet (`House.start`)."""
    clock = clock or SystemClock()
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    engine = engine or open_engine(settings.database_url)
    book, deadlines = Book(), Deadlines(engine, clock)
    people = People(engine, clock, settings)
    notices = Notices(engine, clock, settings, people.email_of, leave_of=people.subscribers.leave_path)
    calendar = edital_reads.seed_calendar(share("static"))
    wired = procedure(people, deadlines, (names(people), tells(people, notices)), calendar=calendar)
    desk = Desk(engine, book, clock, wired, people.acts_for)

    def on_gap(gap: Gap) -> None:
        with reading(engine) as tx:
            live = [one.edital for one in edital_reads.published(tx)]
        for command in outage(gap, live):
            desk.perform(command, SYSTEM)

    files = Files(engine, clock, settings)
    chores = (notices.deliver_in_background, daily(clock, files.sweep), daily(clock, people.sweep))
    ticker = Ticker(engine, clock, deadlines, desk.perform, on_gap, chores)
    return House(
        engine=engine,
        settings=settings,
        clock=clock,
        book=book,
        desk=desk,
        people=people,
        files=files,
        notices=notices,
        deadlines=deadlines,
        procedure=wired,
        across=_across(),
        ticker=ticker,
        calendar=calendar,
    )


def daily(clock: Clock, chore: Callable[[], Any]) -> Callable[[], None]:
    """A chore of the ticker that is done once a day, the first time a day after the start."""
    due = clock.now() + timedelta(days=1)

    def when_due() -> None:
        nonlocal due
        if clock.now() >= due:
            due = clock.now() + timedelta(days=1)
            chore()

    return when_due


def _across() -> Across:
    def awards(tx: Connection, edital: str) -> list[Any]:
        found = (award_reads.find(tx, edital, one.stand) for one in stand_reads.of_edital(tx, edital))
        return [view for view in found if view is not None]

    def stand_names(tx: Connection, edital: str) -> dict[int, str]:
        view = edital_reads.find(tx, edital)
        return {int(one.number): one.name for one in view.terms.stands} if view else {}

    return Across(
        stand_names=stand_names,
        contests=stand_reads.of_edital,
        awards=awards,
        applications=application_reads.submitted,
        tender=edital_reads.find,
    )


def start(house: House) -> None:
    """Start the clerk, then the ticker: an outage is noticed before anything else is performed."""
    house.desk.start()
    house.ticker.start()


def stop(house: House) -> None:
    """Stop the ticker, then the desk; who already queued is served."""
    house.ticker.stop()
    house.desk.stop()


def create_app(house: House) -> Flask:
    """The web application of a house."""
    app = Flask("tender", template_folder=str(share("templates")), static_folder=str(share("static")))
    app.config.update(
        MAX_CONTENT_LENGTH=house.settings.upload_max_bytes + 1024 * 1024,
        PERMANENT_SESSION_LIFETIME=timedelta(hours=house.settings.session_hours),
    )
    init_web(app, house)
    for blueprint in (
        portal_bp,
        tender_bp,
        questions_bp,
        changing_bp,
        data_bp,
        subscriptions_bp,
        about_bp,
        offices_bp,
        drafting_bp,
        offering_bp,
        dossier_bp,
        register_bp,
        sign_in_bp,
        account_bp,
        notices_bp,
        habilitation_bp,
        bidding_bp,
        live_bp,
        awards_bp,
    ):
        app.register_blueprint(blueprint)
    if house.settings.is_demo:
        from tender.demo import demo_bp

        app.register_blueprint(demo_bp)
    app.jinja_env.globals.update(MUN=MUN, L14133=L14133)
    app.jinja_env.filters.update(clock=clock_face, clock_seconds=seconds_face, citation=citation_text, dia=long_day)
    init_socket(app, house)
    return app


def init_socket(app: Flask, house: House) -> SocketIO:
    """Sockets carry facts down only; the desk's listener emits after each commit."""
    socketio = SocketIO(
        app, async_mode="threading", manage_session=False, serve_client=False, max_http_buffer_size=SOCKET_MESSAGE_BYTES
    )
    sockets = socketio.server.eio.sockets
    app.wsgi_app = Crowd(app.wsgi_app, max(1, house.settings.threads // 2), lambda: len(sockets))  # type: ignore[method-assign]
    init_live(socketio)
    house.desk.listen(announcer(app, socketio))
    return socketio


def clock_face(left: timedelta) -> str:
    """What is left as `m:ss` or `h:mm:ss`, whole seconds rounded down, never below zero."""
    seconds = max(0, left // timedelta(seconds=1))
    hours, minutes = seconds // 3600, seconds // 60 % 60
    return f"{hours}:{minutes:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"


def seconds_face(seconds: int) -> str:
    """Whole seconds as `m:ss`."""
    return clock_face(timedelta(seconds=seconds))


def citation_text(key: str) -> str:
    """A citation's key from the book as people read it."""
    return str(Citation.parse(key))
