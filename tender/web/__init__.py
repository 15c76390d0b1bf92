"""Flask glue: who is asking, handing in at the desk, refusals as answers, security headers, filters, logs, metrics.

`init_web(app, house)` gives an app all of it. Pages import what they need from here.
"""

from __future__ import annotations

from pathlib import Path

from flask import Flask

from tender.web.compress import init_compress
from tender.web.errors import gone, init_errors, plain_refusal, refusal_answer, require, safe_return, wants_json
from tender.web.examples import components
from tender.web.filters import init_filters, read_law
from tender.web.forms import PageForm
from tender.web.health import init_health
from tender.web.house import (
    EXTENSION,
    Across,
    House,
    across,
    actor,
    drop_session,
    house,
    is_signed_in,
    keep_session,
    may,
    new_id,
    perform,
    sent_id,
    sent_json,
    session_cookie,
    session_token,
)
from tender.web.logs import error_code, init_logs, request_id, write_json_lines
from tender.web.metrics import init_metrics, registry, serve_metrics
from tender.web.security import NUMBER_MAX, csrf, init_security
from tender.web.statics import init_statics

__all__ = [
    "EXTENSION",
    "NUMBER_MAX",
    "Across",
    "House",
    "PageForm",
    "across",
    "actor",
    "csrf",
    "drop_session",
    "error_code",
    "gone",
    "house",
    "init_web",
    "is_signed_in",
    "keep_session",
    "may",
    "new_id",
    "perform",
    "plain_refusal",
    "refusal_answer",
    "registry",
    "request_id",
    "require",
    "safe_return",
    "sent_id",
    "sent_json",
    "serve_metrics",
    "session_cookie",
    "session_token",
    "wants_json",
    "write_json_lines",
]


def init_web(app: Flask, house: House) -> None:
    """Give an app its house and everything that all pages share. `create_app` calls it once, before the blueprints.

    The app must have been made with its `static_folder` and `template_folder`.
    """
    app.extensions[EXTENSION] = house
    assert app.static_folder is not None
    # Flask runs what comes after a request in reverse: first the headers, then gzip, then the figures and the log.
    init_logs(app)
    init_metrics(app, house)
    init_compress(app)
    init_errors(app)
    init_security(app, house.settings)
    init_statics(app, watch=house.settings.environment != "production")
    init_filters(app, read_law(Path(app.static_folder)))
    init_health(app)
    if house.settings.environment != "production":
        app.add_url_rule("/demo/componentes", "components", components)
