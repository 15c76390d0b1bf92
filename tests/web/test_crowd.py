"""Sockets never take the threads that bids need."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

from werkzeug.test import Client

from tender.web.crowd import Crowd


class Hall:
    """An application whose sockets stay open until they are let go, as real ones do."""

    def __init__(self, most: int, standing: int = 0) -> None:
        self.let_go = threading.Event()
        self.inside = threading.Semaphore(0)
        self.standing = standing
        self.client = Client(Crowd(self._serve, most, lambda: self.standing))
        self.answers: list[int] = []
        self._threads: list[threading.Thread] = []

    def _serve(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if "longa" in environ["QUERY_STRING"]:
            self.inside.release()
            assert self.let_go.wait(30)
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [b"ok"]

    def hold(self, count: int) -> None:
        """Open so many sockets that stay."""
        for _ in range(count):
            self._threads.append(threading.Thread(target=self._ask))
            self._threads[-1].start()
            assert self.inside.acquire(timeout=30)

    def _ask(self) -> None:
        self.answers.append(self.client.get("/socket.io/?longa=1&sid=a").status_code)

    def close(self) -> None:
        self.let_go.set()
        for thread in self._threads:
            thread.join(30)


def test_sockets_beyond_the_bound_are_sent_away_while_pages_are_served() -> None:
    hall = Hall(most=2)
    hall.hold(2)
    full, page = hall.client.get("/socket.io/?sid=b"), hall.client.get("/sala/001-2027/1")
    hall.close()
    assert (full.status_code, page.status_code, hall.answers) == (503, 200, [200, 200])
    assert full.headers["Retry-After"] == "30"


def test_a_socket_that_closes_makes_room_for_another() -> None:
    hall = Hall(most=1)
    hall.hold(1)
    assert hall.client.get("/socket.io/").status_code == 503
    hall.close()
    assert hall.client.get("/socket.io/").status_code == 200


def test_sockets_that_wait_between_two_polls_count_against_newcomers_alone() -> None:
    hall = Hall(most=3, standing=3)
    assert hall.client.get("/socket.io/?EIO=4&transport=polling").status_code == 503
    assert hall.client.get("/socket.io/?EIO=4&transport=polling&sid=a").status_code == 200
    hall.standing = 2
    assert hall.client.get("/socket.io/?EIO=4&transport=polling").status_code == 200
