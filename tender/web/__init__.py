"""Flask glue: who is asking, handing in at the desk, refusals as answers, security headers, filters, logs, metrics."""

from __future__ import annotations

from pathlib import Path

from flask import Flask
from flask_wtf import CSRFProtect

from tender.web.filters import init_filters, read_law
from tender.web.house import (
    EXTENSION,
    House,
    actor,
    drop_session,
    house,
    is_signed_in,
    keep_session,
    may,
    new_id,
    perform,
    sent_id,
    session_cookie,
    session_token,
)
from tender.web.statics import init_statics

__all__ = [
    "EXTENSION",
    "House",
    "actor",
    "drop_session",
    "house",
    "init_web",
    "is_signed_in",
    "keep_session",
    "may",
    "new_id",
    "perform",
    "sent_id",
    "session_cookie",
    "session_token",
]


def init_web(app: Flask, house: House) -> None:
    """Give an app its house and everything that all pages share. `create_app` calls it once, before the blueprints."""
    app.extensions[EXTENSION] = house
    app.secret_key = house.settings.secret_key
    assert app.static_folder is not None
    init_statics(app, watch=house.settings.environment != "production")
    init_filters(app, read_law(Path(app.static_folder)))
    CSRFProtect(app)
