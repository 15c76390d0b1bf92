"""Logs: one JSON line per request to stderr, without names, e-mails, bodies or addresses' parameters.

CPF, CNPJ, e-mail and the values that SQLAlchemy prints into its errors are masked in every line of every logger, as the
last thing before it is written.
"""

from __future__ import annotations

import logging
import re
import sys
import time
import uuid
from collections.abc import MutableMapping
from typing import Any

import structlog
from flask import Flask, Response, g, has_request_context, request

from tender.web.house import house

log = logging.getLogger("tender.web")

REQUEST_ID = re.compile(r"[A-Za-z0-9-]{8,64}")
_SEPARATED_CPF = r"\d{3}\.?\d{3}\.?\d{3}[-/]\d{2}|\d{3}\.\d{3}\.\d{3}[-/]?\d{2}"
_SEPARATED_CNPJ = r"[0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}/?[0-9A-Z]{4}-?\d{2}|[0-9A-Z]{8}/[0-9A-Z]{4}-?\d{2}"
MASKS = (
    (re.compile(r"\[parameters: .*?\](?=\n|$)", re.DOTALL), "[parameters: …]"),
    (re.compile(r"\bDETAIL:[^\n]*"), "DETAIL: …"),
    (re.compile(rf"(?<![0-9A-Za-z])(?:{_SEPARATED_CNPJ}|[0-9A-Z]{{12}}\d{{2}})(?![0-9A-Za-z])"), "[CNPJ]"),
    (re.compile(rf"(?<!\d)(?:{_SEPARATED_CPF}|\d{{11}})(?!\d)"), "[CPF]"),
    (re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"), "[e-mail]"),
    (re.compile(r"(?<=\?)[^\s\"']*=[^\s\"']*"), "…"),
)
"""What is never written: pattern and what stands in its place."""
PLAIN_KEYS = frozenset({"request_id", "code", "person", "route", "at", "level", "logger"})
"""Keys whose values we made ourselves: a random id may look like a CPF and must stay readable."""
QUIET = (
    "werkzeug",
    "engineio",
    "engineio.server",
    "socketio",
    "socketio.server",
    "geventwebsocket.handler",
    "flask_wtf.csrf",
)
"""Loggers that would write addresses with their parameters: only their warnings are kept."""


def masked(value: Any) -> Any:
    """The value with every CPF, CNPJ, e-mail and query string in it masked, however deep."""
    if isinstance(value, str):
        for pattern, instead in MASKS:
            value = pattern.sub(instead, value)
        return value
    if isinstance(value, dict):
        return {masked(key): masked(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [masked(inner) for inner in value]
    return value if isinstance(value, int | float | bool | None) else masked(str(value))


def _mask(_logger: Any, _method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    line.pop("message", None)  # left in the record by other handlers; `event` says the same
    return {key: value if key in PLAIN_KEYS else masked(value) for key, value in line.items()}


def _add_request_id(_logger: Any, _method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    if has_request_context() and "request_id" in g:
        line.setdefault("request_id", g.request_id)
    return line


def _always() -> list[Any]:
    """What every line carries, whichever logger it comes from."""
    return [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
        _add_request_id,
    ]


def _formatter() -> logging.Formatter:
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[*_always(), structlog.stdlib.ExtraAdder()],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            _mask,
            structlog.processors.JSONRenderer(ensure_ascii=False, sort_keys=True),
        ],
    )


class _Stderr(logging.StreamHandler[Any]):
    """Writes to whatever stderr is now: servers and tests replace it."""

    def __init__(self) -> None:
        super().__init__(sys.stderr)
        self.setFormatter(_formatter())

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stderr
        super().emit(record)


def write_json_lines(level: int = logging.INFO) -> None:
    """Make every logger of this process write JSON lines to stderr. Doing it twice changes nothing."""
    root = logging.getLogger()
    if not any(isinstance(handler, _Stderr) for handler in root.handlers):
        root.addHandler(_Stderr())
    root.setLevel(level)
    structlog.configure(
        processors=[*_always(), structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)


def request_id() -> str:
    """The id of this request, as it stands in the log and in the answer's `X-Request-Id`."""
    found: str = g.request_id
    return found


def error_code() -> str:
    """What a person reads to us on the telephone to find the line in the log: "E-3F9A01C2"."""
    return f"E-{request_id().replace('-', '')[:8].upper()}"


def _start() -> None:
    sent = request.headers.get("X-Request-Id", "") if house().settings.trusted_proxies else ""
    g.request_id = sent if REQUEST_ID.fullmatch(sent) else uuid.uuid4().hex
    g.started = time.perf_counter()


def seconds_since_start() -> float:
    """How long this request has taken so far."""
    return time.perf_counter() - float(g.started)


def route() -> str:
    """The pattern of the address ("/l/<edital>"), never the address itself: that may hold a token."""
    return request.url_rule.rule if request.url_rule is not None else "-"


def _write(response: Response) -> Response:
    if "request_id" not in g:  # refused before the request began, by its host
        return response
    response.headers["X-Request-Id"] = g.request_id
    if request.endpoint != "static":
        line = {
            "route": route(),
            "method": request.method,
            "status": response.status_code,
            "ms": round(seconds_since_start() * 1000, 1),
            "person": g.actor.person if "actor" in g else "-",
        }
        log.info("request", extra=line)
    return response


class _NoPaths(logging.Filter):
    """Flask's own line about an exception holds the whole address; ours follows with the route and the code."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not str(record.msg).startswith("Exception on ")


def init_logs(app: Flask) -> None:
    """Give every request an id and a line in the log."""
    write_json_lines()
    app.logger.addFilter(_NoPaths())
    app.before_request(_start)
    app.after_request(_write)
