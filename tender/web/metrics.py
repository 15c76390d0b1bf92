"""Figures for Prometheus, on a port of this machine only: never on the public one."""

from __future__ import annotations

import errno
import logging
from collections.abc import Callable, Iterator

from flask import Flask, Response, current_app, g, request
from prometheus_client import CollectorRegistry, Counter, Histogram, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from tender.web.health import backlog, last_beat
from tender.web.house import House
from tender.web.logs import route, seconds_since_start

log = logging.getLogger("tender.web")

EXTENSION = "tender.metrics"
LOOPBACK = "127.0.0.1"
PORTS_TRIED = 32
METHODS = ("GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE")
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


class _HouseFigures(Collector):
    """What the parts of the house say of themselves, asked only when somebody collects."""

    def __init__(self, home: House) -> None:
        self._home = home

    def collect(self) -> Iterator[Metric]:
        home = self._home
        stats = home.desk.stats()
        for name, text in (("served", "commands answered"), ("batches", "transactions"), ("broken", "faults of ours")):
            yield CounterMetricFamily(f"tender_desk_{name}", f"The desk: {text} since the start", value=stats[name])
        gauges: tuple[tuple[str, str, Callable[[], float]], ...] = (
            ("tender_desk_waiting", "Commands in the queue", lambda: stats["waiting"]),
            ("tender_desk_alive", "1 while clerk and announcer run", lambda: home.desk.is_alive),
            ("tender_deadlines_late", "Deadlines past their hour", lambda: home.deadlines.late(home.clock.now())),
            ("tender_heartbeat_age_seconds", "Since the last heartbeat of any process", self._beat_age),
            ("tender_outbox_waiting", "Messages to be sent", lambda: backlog(home)),
        )
        for name, text, probe in gauges:
            try:
                yield GaugeMetricFamily(name, text, value=float(probe()))
            except Exception:
                # A figure that is missing says more than a wrong one; the others must still come.
                log.exception("metrics: %s", name)

    def _beat_age(self) -> float:
        beat = last_beat(self._home)
        return float("nan") if beat is None else (self._home.clock.now() - beat).total_seconds()


def registry() -> CollectorRegistry:
    """The figures of the current app; chapters may add their own."""
    found: CollectorRegistry = current_app.extensions[EXTENSION]
    return found


def init_metrics(app: Flask, home: House) -> None:
    """Count requests by route and status and time them."""
    figures = app.extensions[EXTENSION] = CollectorRegistry()
    labels = ("route", "method", "status")
    requests = Counter("tender_requests", "Requests answered", labels, registry=figures)
    seconds = Histogram("tender_request_seconds", "Time to answer", ("route",), buckets=BUCKETS, registry=figures)
    figures.register(_HouseFigures(home))

    @app.after_request
    def _count(response: Response) -> Response:
        if "started" in g:
            # Whoever makes methods up would make a figure of each, kept for ever.
            method = request.method if request.method in METHODS else "-"
            requests.labels(route(), method, response.status_code).inc()
            seconds.labels(route()).observe(seconds_since_start())
        return response


def serve_metrics(app: Flask, port: int) -> int:
    """Serve the app's figures on the loopback interface; returns the port. 0 is off.

    Call it in each process that serves (after the fork): the first takes `port`, the next one the next free.
    OSError when none of PORTS_TRIED is free.
    """
    if port == 0:
        return 0
    for attempt in range(port, port + PORTS_TRIED):
        try:
            start_http_server(attempt, LOOPBACK, app.extensions[EXTENSION])
        except OSError as error:
            if error.errno != errno.EADDRINUSE or attempt == port + PORTS_TRIED - 1:
                raise
        else:
            log.info("metrics", extra={"port": attempt})
            return attempt
    raise AssertionError("unreachable")
