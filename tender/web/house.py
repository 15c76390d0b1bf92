"""The house of the running app, who is asking in it, and how a page hands a command in at the desk."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flask import abort, current_app, g, has_request_context, request
from sqlalchemy import Connection, Engine

from tender.acts import ANYONE, OFFICES_ROLES, Actor, Refusal, Role
from tender.calendars import Calendar
from tender.clerk import Procedure, Receipt
from tender.clock import Clock
from tender.deadlines import Deadlines
from tender.desk import Desk
from tender.files import Files
from tender.ledger import Book
from tender.people import People
from tender.settings import Settings

if TYPE_CHECKING:
    from flask import Response

EXTENSION = "tender"
COMMAND_FIELD = "pedido"


@dataclass(frozen=True, slots=True)
class Across:
    """Reads that one chapter's pages need of another: chapters never import each other, `create_app` hands these in.

    Each takes (tx, edital): `stand_names` gives number -> name; `contests`, `awards`, `applications` give views.
    """

    stand_names: Callable[[Connection, str], dict[int, str]]
    contests: Callable[[Connection, str], list[Any]]
    awards: Callable[[Connection, str], list[Any]]
    applications: Callable[[Connection, str], list[Any]]
    tender: Callable[[Connection, str], Any]


@dataclass(frozen=True, slots=True)
class House:
    """Everything with effects that a page may need, put together once by `create_app`."""

    engine: Engine
    settings: Settings
    clock: Clock
    book: Book
    desk: Desk
    people: People
    files: Files
    notices: Any  # `tender.notices.Notices` lives on the same floor: not imported here
    deadlines: Deadlines
    procedure: Procedure
    across: Across | None = None
    ticker: Any = None
    calendar: Calendar | None = None  # the seed of the municipality's; decrees of the register amend it


def house() -> House:
    """The house of the current app."""
    found: House = current_app.extensions[EXTENSION]
    return found


def across() -> Across:
    """Reads of other chapters, as `create_app` handed them in."""
    found = house().across
    assert found is not None, "create_app hands in the reads of other chapters"
    return found


def session_cookie() -> str:
    """Name of the cookie that holds the sign-in token; `__Host-` binds it to this very host wherever there is https."""
    return "__Host-entrada" if house().settings.secure_cookies else "entrada"


def keep_session(response: Response, token: str) -> None:
    """Put the sign-in token into its cookie: unreadable by scripts, never sent by other sites' forms."""
    settings = house().settings
    response.set_cookie(
        session_cookie(),
        token,
        max_age=settings.session_hours * 3600,
        secure=settings.secure_cookies,
        httponly=True,
        samesite="Lax",
        path="/",
    )


def drop_session(response: Response) -> None:
    """Take the sign-in token out of the browser."""
    response.delete_cookie(
        session_cookie(), path="/", secure=house().settings.secure_cookies, httponly=True, samesite="Lax"
    )


def session_token() -> str:
    """The sign-in token that came with the request; empty when there is none."""
    return request.cookies.get(session_cookie(), "") if has_request_context() else ""


def actor() -> Actor:
    """Who is asking; `ANYONE` when not signed in. Looked up once a request."""
    if "actor" not in g:
        token = session_token()
        g.actor = (house().people.actor_for(token) if token else None) or ANYONE
    found: Actor = g.actor
    return found


def is_signed_in() -> bool:
    """True when the request comes from somebody we know."""
    return actor() is not ANYONE


def may(kind: type[Any]) -> bool:
    """True when the one who asks may hand in this command: a role that it names, and the second factor for offices.

    The desk decides; this only shows or hides a button.
    """
    asking = actor()
    held = asking.roles & kind.META.roles
    return bool(held) and (asking.second_factor or bool(held - OFFICES_ROLES))


def new_id() -> str:
    """A fresh id for what a form asks."""
    return str(uuid.uuid4())


def sent_json() -> dict[str, Any]:
    """The JSON object that came with the request; {} for an empty body, 400 for anything but an object."""
    if not request.get_data():
        return {}
    try:
        sent = request.get_json(silent=True)
    except RecursionError:  # nested deeper than Python reads
        sent = None
    if not isinstance(sent, dict):
        abort(400, description='O corpo do pedido deve ser um objeto JSON, como {"valor": "8.200"}.')
    return sent


def sent_id() -> str:
    """The id that came with the request (`pedido`, in the form or in the JSON); empty when there is none.

    400 when it is not a UUID: whoever makes it up would get another command's answer.
    """
    if request.is_json:
        sent = sent_json().get(COMMAND_FIELD, "")
    else:
        sent = request.form.get(COMMAND_FIELD, "")
    if not sent:
        return ""
    try:
        return str(uuid.UUID(str(sent)))
    except ValueError:
        abort(400, description="O campo “pedido” deve ser um identificador UUID, como o que a página enviou.")


def perform(command: Any, command_id: str = "") -> Receipt:
    """Hand a command in as whoever is asking and wait for the receipt.

    Without `command_id` the form's own `pedido` is taken, so that a form sent twice is answered once. Raises what
    `Desk.perform` raises; a page may leave Refusal, StillWaiting, DeskBroken and DoorClosed to the error pages.
    """
    asking, meta = actor(), command.META
    if asking is ANYONE and Role.PUBLIC not in meta.roles:
        # Whoever is nobody does not stand in the line in which bids wait, and leaves no answer behind to be counted.
        raise Refusal("Entre na sua conta para praticar este ato.", meta.law, code="sem_competencia")
    return house().desk.perform(command, asking, command_id or sent_id())
