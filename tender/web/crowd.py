"""Sockets may take half of the server's threads and no more: whoever bids always finds one free.

A socket holds a thread for as long as it is open, and anybody may open one without signing in. Without this bound a
rival in the lead opens a few hundred in the last minute, and no other bid comes in before the clock runs out.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

Wsgi = Callable[[dict[str, Any], Any], Iterable[bytes]]

SOCKETS = "/socket.io"
FULL = "Há gente demais assistindo. A página continua se atualizando sozinha.\n".encode()


class Crowd:
    """A WSGI application that answers 503 to sockets above `most`; everything else passes.

    `connected` tells how many sockets stand open: each costs a thread of its own, even between two polls.
    """

    def __init__(self, inner: Wsgi, most: int, connected: Callable[[], int]) -> None:
        self._inner = inner
        self._most = most
        self._connected = connected
        self._free = threading.BoundedSemaphore(most)

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Pass the request on, or say that the hall is full."""
        if not environ.get("PATH_INFO", "").startswith(SOCKETS):
            return self._inner(environ, start_response)
        is_new = "sid=" not in environ.get("QUERY_STRING", "")
        if (is_new and self._connected() >= self._most) or not self._free.acquire(blocking=False):
            headers = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(FULL)))]
            start_response("503 Service Unavailable", [*headers, ("Retry-After", "30"), ("Cache-Control", "no-store")])
            return [FULL]
        try:
            return self._inner(environ, start_response)
        finally:
            self._free.release()
