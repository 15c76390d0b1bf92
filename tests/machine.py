"""What the tests need of this machine beside Python: found, installed, started and stopped here.

    python tests/machine.py           says what was found
    python tests/machine.py ensure    also installs what is missing (as root on Debian), or names the one command

PostgreSQL and Redis are started privately for a run of the tests, in a folder of their own; servers that were already
running on the machine are never spoken to, and only processes started here are ended.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PATIENCE_SECONDS = 60  # for a server to answer on a busy machine; never waited out when it answers or dies earlier


class Missing(Exception):
    """A program is not on this machine; the message names the command that brings it."""


# --- what there is ---------------------------------------------------------------------------------------------------


def _version(path: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in path.parent.name.split(".") if part.isdigit())


def find_postgres() -> Path | None:
    """The folder of PostgreSQL's programs, the newest first; Debian keeps `initdb` off the PATH."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version, reverse=True)
    on_path = shutil.which("initdb")
    folders = [*debian, *([Path(on_path).resolve().parent] if on_path else [])]
    return next((folder for folder in folders if (folder / "initdb").exists() and (folder / "postgres").exists()), None)


def find_redis() -> Path | None:
    """The Redis server."""
    found = shutil.which("redis-server")
    return Path(found) if found else None


def find_chromium() -> Path | None:
    """A Chromium that Playwright can drive: the system's own, or one that Playwright has fetched before."""
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        if found := shutil.which(name):
            return Path(found)
    fetched = sorted((Path.home() / ".cache" / "ms-playwright").glob("chromium-*/chrome-linux*/chrome"))
    return fetched[-1] if fetched else None


def find_tessdata() -> Path | None:
    """The folder with Tesseract's Portuguese data (the engine itself comes in tesserocr's wheel)."""
    named = os.environ.get("TESSDATA_PREFIX")
    folders = [
        *([Path(named)] if named else []),
        *sorted(Path("/usr/share/tesseract-ocr").glob("*/tessdata"), reverse=True),
        Path("/usr/share/tessdata"),
        Path("/usr/local/share/tessdata"),
        Path("/opt/homebrew/share/tessdata"),
    ]
    return next((folder for folder in folders if (folder / "por.traineddata").exists()), None)


@dataclass(frozen=True)
class Program:
    """Something the tests use: its name, Debian's package for it, and how to look for it."""

    name: str
    package: str
    find: Callable[[], Path | None]


POSTGRES = Program("PostgreSQL", "postgresql", find_postgres)
REDIS = Program("Redis", "redis-server", find_redis)
CHROMIUM = Program("Chromium", "chromium", find_chromium)
TESSDATA = Program("Tesseract's Portuguese data", "tesseract-ocr-por", find_tessdata)
PROGRAMS = (POSTGRES, REDIS, CHROMIUM, TESSDATA)


def install_command(programs: list[Program]) -> str:
    """The one command that brings these programs to a Debian or Ubuntu machine."""
    packages = " ".join(program.package for program in programs)
    return f"sudo apt-get update && sudo apt-get install -y --no-install-recommends {packages}"


def require(program: Program) -> Path:
    """Where `program` is.

    Raises:
        Missing: it is not here; a test that needs it fails with the command that brings it, it does not look away.
    """
    found = program.find()
    if found is None:
        raise Missing(f"{program.name} was not found; bring it with: {install_command([program])}")
    return found


def missing() -> list[Program]:
    """The programs that were not found."""
    return [program for program in PROGRAMS if program.find() is None]


def _apt_get(*arguments: str) -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", *arguments], check=True, stdin=subprocess.DEVNULL, env=environment)


def ensure() -> int:
    """Install what is missing if we may, else name the command; 0 when everything is here afterwards."""
    lacking = missing()
    if lacking and os.geteuid() == 0 and shutil.which("apt-get"):
        print("installing:", ", ".join(program.name for program in lacking), flush=True)
        _apt_get("update", "-qq")
        _apt_get("install", "-y", "-qq", "--no-install-recommends", *(program.package for program in lacking))
        lacking = missing()
    for program in PROGRAMS:
        print(f"{program.name:<28} {program.find() or 'not found'}")
    if lacking:
        print(f"\nThe tests need what was not found. Bring it with:\n    {install_command(lacking)}", file=sys.stderr)
    return 1 if lacking else 0


# --- what is started -------------------------------------------------------------------------------------------------


def free_port() -> int:
    """A TCP port of the loopback interface that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """A child process in a folder of its own, which ends with us even when we are killed."""

    name = "server"
    user: str | None = None

    def __init__(self) -> None:
        # Not pytest's tmp_path: its folders may not be entered by PostgreSQL's user, and a socket's path has 107 bytes.
        self.home = Path(tempfile.mkdtemp(prefix="tender-test-"))
        self.process: subprocess.Popen[bytes] | None = None

    def _command(self) -> list[str | Path]:
        raise NotImplementedError

    def _answers(self) -> bool:
        raise NotImplementedError

    def _run(self, command: list[str | Path], log: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command, user=self.user, group=self.user, extra_groups=[] if self.user else None,
            cwd=self.home, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip

    def start(self) -> None:
        """Start it and come back when it answers."""
        with (self.home / "log").open("ab") as log:
            tied = ["setpriv", "--pdeathsig", "INT"] if shutil.which("setpriv") else []
            self.process = self._run([*tied, *self._command()], log.fileno())
        give_up = time.monotonic() + PATIENCE_SECONDS
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > give_up:
                log_text = (self.home / "log").read_text(errors="replace")[-2000:]
                self.stop()
                raise RuntimeError(f"{self.name} did not come up:\n{log_text}")
            time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it: SIGINT asks politely, SIGKILL is what a power cut looks like. Its data stay for the next start."""
        if self.process is None:
            return
        self.process.send_signal(how)
        try:
            self.process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def close(self) -> None:
        """End it and remove its folder."""
        self.stop()
        shutil.rmtree(self.home, ignore_errors=True)


class PostgresServer(Server):
    """A PostgreSQL of our own on a Unix socket that only its folder's owner can reach; it asks for no password.

    `fsync` stays on, as in production. PostgreSQL refuses to run as root, so root starts it as Debian's `postgres`.
    """

    name = "PostgreSQL"

    def __init__(self) -> None:
        programs = require(POSTGRES)
        super().__init__()
        self._programs = programs
        self._databases = 0
        if os.geteuid() == 0:
            self.user = "postgres"
            shutil.chown(self.home, "postgres", "postgres")
        log_path = self.home / "initdb.log"
        with log_path.open("wb") as log:
            arguments = ["--username=tender", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
            initdb = self._run([programs / "initdb", "-D", self.home / "data", *arguments], log.fileno())
            if initdb.wait() != 0:
                raise RuntimeError(f"initdb failed:\n{log_path.read_text(errors='replace')[-2000:]}")

    def _command(self) -> list[str | Path]:
        settings = {
            "listen_addresses": "", "unix_socket_directories": str(self.home), "max_connections": "100",
            "shared_buffers": "64MB", "fsync": "on", "timezone": "UTC",
        }  # fmt: skip
        options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
        return [self._programs / "postgres", "-D", self.home / "data", *options]

    def _answers(self) -> bool:
        import psycopg

        try:
            self._execute("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def _execute(self, statement: str) -> None:
        import psycopg

        with psycopg.connect(host=str(self.home), user="tender", dbname="postgres", autocommit=True) as connection:
            connection.execute(statement.encode())

    def new_database(self, like: str = "template0") -> str:
        """Create a database, empty or like another one that nobody is connected to; its name."""
        self._databases += 1
        name = f"t{self._databases}"
        self._execute(f"CREATE DATABASE {name} TEMPLATE {like}")
        return name

    def drop_database(self, name: str) -> None:
        """Remove it, also from under connections that a test forgot."""
        self._execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def close(self) -> None:
        """End it at once: what goes away with its folder need not be written out first."""
        self.stop(signal.SIGQUIT)
        super().close()

    def url(self, database: str) -> str:
        """SQLAlchemy's address of a database of this server."""
        return f"postgresql+psycopg://tender@/{database}?host={self.home}"


class RedisServer(Server):
    """A Redis of our own on a free loopback port; what it holds survives `stop` and `start`, as in production."""

    name = "Redis"

    def __init__(self) -> None:
        self._program = require(REDIS)
        super().__init__()
        self.port = free_port()

    @property
    def url(self) -> str:
        """redis-py's address of database 0."""
        return f"redis://127.0.0.1:{self.port}/0"

    def _command(self) -> list[str | Path]:
        where = ["--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(self.home)]
        return [self._program, *where, "--save", "", "--appendonly", "yes", "--databases", "4"]

    def _answers(self) -> bool:
        import redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        with redis.Redis(port=self.port, retry=Retry(NoBackoff(), 0)) as client:
            try:
                return bool(client.ping())
            except redis.ConnectionError:  # nobody listens yet, or it is still reading its data
                return False

    def forget(self) -> None:
        """Empty all databases."""
        import redis

        with redis.Redis(port=self.port) as client:
            client.flushall()


if __name__ == "__main__":
    if sys.argv[1:] == ["ensure"]:
        sys.exit(ensure())
    for program in PROGRAMS:
        print(f"{program.name:<28} {program.find() or 'not found'}")
    sys.exit(1 if missing() else 0)
