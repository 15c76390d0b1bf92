"""What the browser is told and what is believed of it: headers, cookies, hosts, proxies, forged forms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from flask import Flask, Request, Response, abort, current_app, request, session
from flask_wtf import CSRFProtect
from werkzeug.exceptions import SecurityError
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import IntegerConverter

from tender.settings import Settings
from tender.web.house import house, session_token

POLICY: Mapping[str, tuple[str, ...]] = {
    "default-src": ("'none'",),
    "script-src": ("'self'",),
    "style-src": ("'self'",),
    "img-src": ("'self'", "data:"),
    "connect-src": ("'self'",),  # and the sockets of this host, see `policy`
    "font-src": ("'none'",),
    "form-action": ("'self'",),
    "frame-ancestors": ("'none'",),
    "base-uri": ("'none'",),
    "manifest-src": ("'self'",),
}
"""What a page may load. Nothing inline, nothing from another host: house rule of the templates."""

PAPER_POLICY: Mapping[str, tuple[str, ...]] = {
    "form-action": ("'none'",),
    "frame-ancestors": ("'none'",),
    "base-uri": ("'none'",),
}
"""For PDFs: `default-src 'none'` would keep the browser's own viewer from showing them."""

PERMISSIONS = (
    "camera=(self), screen-wake-lock=(self), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()"
)
HSTS = "max-age=31536000"
SIGNED_IN = "no-store"
PUBLIC_PAGE = "private, no-cache"

MULTIPART_BYTES = 64 * 1024
"""What a form may weigh beside its file: the fields, and the boundaries between them."""
JSON_MAX_BYTES = 64 * 1024
SAME_MACHINE = ("127.0.0.1", "localhost")

NUMBER_MAX = 2**31 - 1
"""Largest number in an address: what a column of PostgreSQL holds; SQLite's are wider, but not without end."""

FORM_DAYS = 31  # Flask's own life of a permanent session: longer than any form stays open


def policy(kind: str, host: str, secure: bool) -> str:
    """The Content-Security-Policy of an answer of this mimetype, asked for at this host."""
    if kind == "application/pdf":
        return _printed(PAPER_POLICY)
    # Safari took `'self'` for http only until 15.4: the socket is named.
    socket = f"{'wss' if secure else 'ws'}://{host}"
    return _printed({**POLICY, "connect-src": (*POLICY["connect-src"], socket)})


def _printed(directives: Mapping[str, tuple[str, ...]]) -> str:
    return "; ".join(" ".join((name, *sources)) for name, sources in directives.items())


def trusted_hosts(settings: Settings) -> list[str]:
    """Names under which the site may be asked for: its own; beside production also this machine's."""
    own = urlsplit(settings.base_url).hostname or ""
    return [own] if settings.environment == "production" else list(dict.fromkeys((own, *SAME_MACHINE)))


def is_from_elsewhere(asked: Request) -> bool:
    """True when the browser says that another site made it ask (Sec-Fetch-Site, else Origin)."""
    site = asked.headers.get("Sec-Fetch-Site", "")
    if site:
        return site not in ("same-origin", "none")
    origin = asked.headers.get("Origin", "")
    return bool(origin) and not _is_ours(origin, asked)


def is_surely_ours(asked: Request) -> bool:
    """True when the browser says that one of our own pages asked; silence is not enough."""
    site = asked.headers.get("Sec-Fetch-Site", "")
    if site:
        return site == "same-origin"
    page = asked.headers.get("Origin") or asked.headers.get("Referer") or ""
    return bool(page) and _is_ours(page, asked)


def _is_ours(address: str, asked: Request) -> bool:
    # The scheme is not compared: behind a proxy that ends the TLS we may not know ours.
    return urlsplit(address).netloc.lower() in (asked.host.lower(), urlsplit(house().settings.base_url).netloc.lower())


def _host() -> str:
    """The host that was asked for; our own when it was refused."""
    try:
        return request.host
    except SecurityError:
        return urlsplit(house().settings.base_url).netloc


def _set_headers(response: Response) -> Response:
    settings = house().settings
    headers = response.headers
    headers["Content-Security-Policy"] = policy(response.mimetype or "", _host(), settings.secure_cookies)
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Permissions-Policy"] = PERMISSIONS
    headers.setdefault("Referrer-Policy", "same-origin")
    headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
    headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
    if settings.secure_cookies:
        headers["Strict-Transport-Security"] = HSTS
    if request.endpoint != "static":
        if session_token():
            headers["Cache-Control"] = SIGNED_IN
        else:
            headers.setdefault("Cache-Control", PUBLIC_PAGE)
        response.vary.add("Cookie")
        # An answer that a shared cache may keep carries nobody's cookie.
        if "csrf_token" in session and not response.cache_control.public:
            session.permanent = True  # a telephone that closes its browser in the evening still sends its form tomorrow
    return response


def _limit_size() -> None:
    if request.is_json:
        request.max_content_length = JSON_MAX_BYTES


def _refuse_nul() -> None:
    # PostgreSQL holds no NUL in a text, and nobody types one.
    if "\0" in request.path:
        abort(404)
    if any("\0" in name + value for name, value in (*request.args.items(True), *request.form.items(True))):
        abort(400)


class Number(IntegerConverter):
    """A whole number in an address, never larger than the database holds: beyond that there is nothing (404)."""

    def __init__(self, *about: Any, **more: Any) -> None:
        super().__init__(*about, **{"max": NUMBER_MAX, **more})


def init_security(app: Flask, settings: Settings) -> None:
    """Headers, cookies, hosts, proxies, sizes and the check against forged forms."""
    app.config.update(
        SECRET_KEY=settings.secret_key,
        SESSION_COOKIE_NAME="__Host-formulario" if settings.secure_cookies else "formulario",
        SESSION_COOKIE_SECURE=settings.secure_cookies,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=FORM_DAYS * 24 * 3600,
        WTF_CSRF_TIME_LIMIT=None,  # bound to the browser's session, not to an hour: people fill in forms all day
        WTF_I18N_ENABLED=False,  # WTForms' own Portuguese, see `PageForm`; Flask-WTF's needs Flask-Babel
        WTF_CSRF_SSL_STRICT=False,  # `is_from_elsewhere` asks the headers that browsers cannot be made to drop
        MAX_CONTENT_LENGTH=settings.upload_max_bytes + MULTIPART_BYTES,
        TRUSTED_HOSTS=trusted_hosts(settings),
    )
    if settings.trusted_proxies:
        proxies = settings.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=proxies, x_proto=proxies, x_host=0)  # type: ignore[method-assign]
    app.url_map.converters["int"] = Number
    app.before_request(_limit_size)
    CSRFProtect(app)
    app.before_request(_refuse_nul)
    app.after_request(_set_headers)


def csrf() -> CSRFProtect:
    """The app's check against forged forms, for the few addresses that are exempt from it."""
    found: CSRFProtect = current_app.extensions["csrf"]
    return found
