"""Serving: gunicorn in this process's name, one worker with threads; the house is built in the worker, after the fork.

One worker, because a desk's Door keeps arrival order within a process; several need the Door's other home (see "The
desk" in ARCHITECTURE.md), which `tender serve` will not do without.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from flask import Flask
from gunicorn.app.base import BaseApplication

from tender.app import build_house, create_app, start, stop
from tender.ledger import open_engine
from tender.schema import UnfitDatabase, upgrade
from tender.settings import Settings, SettingsError
from tender.web import House


class Server(BaseApplication):
    """Gunicorn with our settings and nothing from files or the environment."""

    def __init__(self, settings: Settings, ready: Callable[[House], None] | None = None) -> None:
        self._settings = settings
        self._ready = ready
        self._house: House | None = None
        super().__init__()

    def load_config(self) -> None:
        """What gunicorn is told."""
        settings = self._settings
        options: dict[str, Any] = {
            "bind": f"{settings.host}:{settings.port}",
            "workers": 1,
            "worker_class": "gthread",
            "threads": settings.threads,
            "graceful_timeout": 30,
            "timeout": 120,
            "keepalive": 75,
            "control_socket_disable": True,
            "loglevel": "warning",
            "worker_exit": self._worker_exit,
            "proc_name": "tender",
        }
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        """The application, in the worker: its threads must not be lost in a fork."""
        house = build_house(self._settings)
        app = create_app(house)
        start(house)
        self._house = house
        if self._ready is not None:
            self._ready(house)
        return app

    def _worker_exit(self, _arbiter: Any, _worker: Any) -> None:
        if self._house is not None:
            stop(self._house)


def serve(settings: Settings, ready: Callable[[House], None] | None = None) -> int:
    """Serve until a signal ends it; `ready` is called in the worker once it can answer. Returns an exit code."""
    Server(settings, ready).run()
    return 0


def serve_production() -> int:
    """`tender serve`: refuses unsafe settings, each with its reason; migrates, then serves."""
    try:
        settings = Settings.from_environment()
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    faults = settings.faults()
    if faults:
        sys.stderr.write("Não vou atender com estas configurações:\n" + "".join(f"  - {one}\n" for one in faults))
        return 2
    try:
        upgrade(open_engine(settings.database_url))
    except UnfitDatabase as why:
        sys.stderr.write(f"{why}\n")
        return 1
    return serve(settings)
