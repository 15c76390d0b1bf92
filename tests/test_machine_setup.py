"""The tests' own ground: private servers that behave like real ones, a browser, no way out, files as listed."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import smtplib
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis
import sqlalchemy

from tests import machine

ROOT = Path(__file__).parent.parent


def _ask(url: str, question: str) -> object:
    engine = sqlalchemy.create_engine(url)
    try:
        with engine.connect() as connection:
            return connection.execute(sqlalchemy.text(question)).scalar()
    finally:
        engine.dispose()


@pytest.mark.postgres
def test_the_runs_own_postgres_writes_to_the_disk_and_listens_to_nobody_else(postgres_url: str) -> None:
    assert _ask(postgres_url, "SHOW fsync") == "on"
    assert _ask(postgres_url, "SHOW synchronous_commit") == "on"
    assert _ask(postgres_url, "SHOW listen_addresses") == ""


@pytest.mark.postgres
def test_each_test_gets_an_empty_database(postgres_server: machine.PostgresServer) -> None:
    first, second = postgres_server.new_database(), postgres_server.new_database()
    with psycopg.connect(host=str(postgres_server.home), user="tender", dbname=first, autocommit=True) as connection:
        connection.execute("CREATE TABLE mark (x int)")
    count = "SELECT count(*) FROM pg_tables WHERE tablename = 'mark'"
    assert _ask(postgres_server.url(first), count) == 1
    assert _ask(postgres_server.url(second), count) == 0
    for name in (first, second):
        postgres_server.drop_database(name)
    with pytest.raises(sqlalchemy.exc.OperationalError, match="does not exist"):
        _ask(postgres_server.url(first), "SELECT 1")


def test_a_test_about_databases_runs_on_both(database_url: str) -> None:
    assert _ask(database_url, "SELECT 40 + 2") == 42


@pytest.mark.postgres
@pytest.mark.slow
def test_what_postgres_has_committed_survives_a_power_cut() -> None:
    server = machine.PostgresServer()
    try:
        server.start()
        name = server.new_database()
        with psycopg.connect(host=str(server.home), user="tender", dbname=name) as connection:
            connection.execute("CREATE TABLE bid (centavos bigint)")
            connection.execute("INSERT INTO bid VALUES (1234500)")
        server.stop(signal.SIGKILL)
        server.start()
        assert _ask(server.url(name), "SELECT centavos FROM bid") == 1234500
    finally:
        server.close()
    assert not server.home.exists()


def test_redis_remembers_over_a_restart_and_forgets_when_told(
    redis_url: str, redis_server: machine.RedisServer
) -> None:
    with redis.Redis.from_url(redis_url) as client:
        client.xadd("arrivals", {"bid": "1"})
    redis_server.stop()
    redis_server.start()
    with redis.Redis.from_url(redis_url) as client:
        assert client.xlen("arrivals") == 1
        redis_server.forget()
        assert client.xlen("arrivals") == 0


def test_a_server_that_does_not_come_up_says_why(redis_server: machine.RedisServer) -> None:
    second = machine.RedisServer()
    second.port = 0  # Redis then listens nowhere and exits
    try:
        with pytest.raises(RuntimeError, match="Redis did not come up"):
            second.start()
        assert second.process is None
    finally:
        second.close()


def test_a_killed_run_leaves_no_server_behind() -> None:
    script = (
        "from tests.machine import RedisServer as R; s = R(); s.start(); print(s.port, s.home, flush=True); input()"
    )
    run = subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with run:
        assert run.stdout is not None
        port, home = run.stdout.readline().split()
        with socket.create_connection(("127.0.0.1", int(port))):
            pass
        run.kill()
        run.wait()
        give_up = time.monotonic() + machine.PATIENCE_SECONDS
        while _listens(int(port)):
            assert time.monotonic() < give_up, "the server outlived the run that started it"
            time.sleep(0.02)
    shutil.rmtree(home)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_nobody_reaches_another_machine_from_a_test() -> None:
    with socket.socket() as probe, pytest.raises(RuntimeError, match="tried to reach"):
        probe.connect(("203.0.113.1", 25))
    with pytest.raises(RuntimeError, match=r"tried to look up 'mail\.example'"):
        smtplib.SMTP("mail.example")
    with socket.socket() as probe, pytest.raises(ConnectionRefusedError):
        probe.connect(("127.0.0.1", machine.free_port()))


def test_the_machines_own_hour_is_a_foreign_one() -> None:
    assert time.localtime().tm_gmtoff == (5 * 60 + 45) * 60


def test_what_is_missing_is_named_with_the_one_command_that_brings_it() -> None:
    absent = machine.Program("Ampulheta", "ampulheta", lambda: None)
    with pytest.raises(machine.Missing, match=r"Ampulheta was not found; .*apt-get install -y .* ampulheta$"):
        machine.require(absent)
    both = machine.install_command([machine.POSTGRES, machine.TESSDATA])
    assert both.endswith("postgresql tesseract-ocr-por")


def test_the_portuguese_data_of_tesseract_are_there(tessdata: Path) -> None:
    import tesserocr

    assert "por" in tesserocr.get_languages(os.fspath(tessdata))[1]


@pytest.mark.browser
def test_a_page_in_the_browser_keeps_brasilias_hours(page: Any) -> None:
    page.set_content("<main lang='pt-BR'><h1>Ponto 3</h1></main>")
    assert page.evaluate("new Date(Date.UTC(2027, 0, 15, 12)).toLocaleString('pt-BR')") == "15/01/2027, 09:00:00"


@pytest.mark.browser
def test_axe_finds_a_picture_without_words_for_it(page: Any) -> None:
    page.set_content("<html lang='pt-BR'><title>Ponto</title><main><h1>Ponto 3</h1><img src='data:,'></main></html>")
    page.add_script_tag(path=ROOT / "tests" / "vendor" / "axe.min.js")
    found = page.evaluate("axe.run().then(report => report.violations.map(violation => violation.id))")
    assert "image-alt" in found


CARRIED = re.compile(r"^\| `(?P<path>[^`]+)` \|.*\| `(?P<sha256>[0-9a-f]{64})` \|$", re.MULTILINE)


def carried_files() -> dict[str, str]:
    """Path and SHA-256 of every file that THIRD_PARTY.md says is carried unchanged."""
    return {row["path"]: row["sha256"] for row in CARRIED.finditer((ROOT / "THIRD_PARTY.md").read_text())}


def test_every_carried_file_is_the_one_that_the_list_names() -> None:
    assert carried_files() == {path: hashlib.sha256((ROOT / path).read_bytes()).hexdigest() for path in carried_files()}


def test_no_carried_file_is_missing_from_the_list() -> None:
    folders = ("static/vendor", "static/fonts", "tests/vendor")
    carried = {file.relative_to(ROOT).as_posix() for folder in folders for file in (ROOT / folder).glob("**/*.*")}
    assert carried
    assert {path for path in carried if not path.endswith("LICENSE.txt")} == set(carried_files())


@pytest.mark.parametrize("lock", ["requirements.txt", "requirements-demo.txt"])
def test_a_lock_pins_everything_by_hash_and_names_no_registry(lock: str) -> None:
    text = (ROOT / lock).read_text()
    blocks = re.findall(r"^[a-z0-9][^\n]*\\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+", text, re.MULTILINE)
    pins = re.findall(r"^[a-z0-9].*$", text, re.MULTILINE)
    assert len(blocks) == len(pins) > 50
    assert all("==" in pin for pin in pins)
    assert not re.search(r"https?://|--(extra-)?index-url|--find-links|file:", text)


def test_the_demo_gets_the_same_versions_as_the_tests() -> None:
    full, demo = ((ROOT / lock).read_text() for lock in ("requirements.txt", "requirements-demo.txt"))
    pins = set(re.findall(r"^[a-z0-9][^\s;]*==[^\s;]+", demo, re.MULTILINE))
    assert pins < set(re.findall(r"^[a-z0-9][^\s;]*==[^\s;]+", full, re.MULTILINE))
