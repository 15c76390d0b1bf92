"""What every test may ask for: databases, servers and a browser of its own, and no way out to the internet."""

from __future__ import annotations

import gc
import ipaddress
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests import machine

# The machine's own time zone is odd on purpose: code that leans on it instead of UTC or Brasília's hour fails here.
os.environ["TZ"] = "Asia/Kathmandu"
time.tzset()

# No deadline: examples are judged by what they answer, not by how busy the machine is. `make soak` digs deeper.
settings.register_profile("house", deadline=None, print_blob=True)
settings.register_profile("soak", settings.get_profile("house"), max_examples=2000)
settings.load_profile("house")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Names that change from run to run are refused (two workers must collect the same); slow tests are not measured.

    What walks the same branches a thousand times adds nothing to the coverage, and measuring it takes thrice as long.
    """
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker("no_cover")
    restless = [item.nodeid for item in items if " at 0x" in item.nodeid]
    if restless:
        raise pytest.UsageError("the name of a test holds an address of memory: " + "; ".join(restless))


# --- no way out ------------------------------------------------------------------------------------------------------


def _is_at_home(host: object) -> bool:
    name = host.decode() if isinstance(host, bytes) else host
    if name in (None, "", "localhost"):
        return True
    try:
        address = ipaddress.ip_address(str(name))
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


@pytest.fixture(scope="session", autouse=True)
def no_way_out() -> Iterator[None]:
    """Whoever tries to reach another machine fails loudly: the error is not one that network code would catch."""
    connect, look_up = socket.socket.connect, socket.getaddrinfo

    def connect_at_home(self: socket.socket, address: Any) -> None:
        if self.family != getattr(socket, "AF_UNIX", None) and not _is_at_home(address[0]):
            raise RuntimeError(f"a test tried to reach {address}")
        connect(self, address)

    def look_up_at_home(host: Any, *rest: Any, **named: Any) -> Any:
        if not _is_at_home(host):
            raise RuntimeError(f"a test tried to look up {host!r}")
        return look_up(host, *rest, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", connect_at_home)
        patch.setattr(socket, "getaddrinfo", look_up_at_home)
        yield


# --- databases and servers -------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[machine.PostgresServer]:
    """This run's own PostgreSQL (one per xdist worker), started when first asked for."""
    server = machine.PostgresServer()
    server.start()
    yield server
    server.close()


@pytest.fixture
def postgres_url(postgres_server: machine.PostgresServer) -> Iterator[str]:
    """The address of an empty PostgreSQL database that goes away after the test."""
    name = postgres_server.new_database()
    yield postgres_server.url(name)
    gc.collect(1)  # a connection left open is noticed now and here, not in a later test that knows nothing of it
    postgres_server.drop_database(name)


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The address of an SQLite database, a real file, not yet there."""
    return f"sqlite:///{tmp_path / 'tender.db'}"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest) -> str:
    """The test runs twice: on an SQLite file and on PostgreSQL."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture(scope="session")
def redis_server() -> Iterator[machine.RedisServer]:
    """This run's own Redis (one per xdist worker)."""
    server = machine.RedisServer()
    server.start()
    yield server
    server.close()


@pytest.fixture
def redis_url(redis_server: machine.RedisServer) -> str:
    """The address of an empty Redis."""
    redis_server.forget()
    return redis_server.url


@pytest.fixture(scope="session")
def tessdata() -> Path:
    """The folder with Tesseract's Portuguese data."""
    return machine.require(machine.TESSDATA)


# --- a browser -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium, shared by a file of tests; open contexts of your own in it, or take `page`.

    Not by the whole run: while Playwright is up the main thread counts as having a running event loop, and everybody
    else's `asyncio.run` (signing a PDF, say) would fail.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=str(machine.require(machine.CHROMIUM)), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A fresh page on a notebook's screen; the test fails if a script of it failed or the CSP refused something."""
    context = browser.new_context(
        locale="pt-BR", timezone_id="America/Sao_Paulo", viewport={"width": 1366, "height": 768}
    )
    tab = context.new_page()
    troubles: list[str] = []
    tab.on("pageerror", lambda error: troubles.append(str(error)))
    tab.on("console", lambda said: troubles.append(said.text) if "Content Security Policy" in said.text else None)
    yield tab
    context.close()
    assert troubles == []


# --- a town ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def furnished(postgres_server: machine.PostgresServer) -> str:
    """A PostgreSQL database that has every table: copying it is quicker than making the tables anew for each town."""
    from tests.town import furnish

    name = postgres_server.new_database()
    furnish(postgres_server.url(name))
    return name


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def town(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """A municipality with desk, people and deadlines on a database of its own; the test runs on both databases."""
    from tests.town import Town

    if request.param == "sqlite":
        made = Town(f"sqlite:///{tmp_path / 'tender.db'}", tmp_path)
    else:
        server = request.getfixturevalue("postgres_server")
        # Not dropped: that takes longer than the test, and the server goes away with the run.
        name = server.new_database(like=request.getfixturevalue("furnished"))
        made = Town(server.url(name), tmp_path, create=False)
    yield made
    made.close()
