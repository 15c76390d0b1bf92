"""The demonstration as a visitor meets it: the `tender demo` command as a process, and people at browsers."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pyotp

from tests.machine import free_port

PASSWORD = "demonstracao-2027"
EDITAL = "001-2027"
PATIENCE = 90.0
PHONE = {"width": 360, "height": 740}
DESK = {"width": 1366, "height": 768}


class DemoSite:
    """A running demonstration. `notes`: who is in it, with the secrets of their second factors."""

    def __init__(self, data: Path, open_stage: int = 180) -> None:
        self.data = data
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self._log = (data.parent / f"{data.name}.log").open("w+b")
        command = [sys.executable, "-m", "tender.cli", "demo", "--port", str(self.port), "--data", str(data)]
        command += ["--open-stage", str(open_stage)]
        self._process = subprocess.Popen(command, stdout=self._log, stderr=subprocess.STDOUT)
        self._await()
        self.notes: dict[str, Any] = json.loads((data / "demo.json").read_text("utf-8"))

    def _await(self) -> None:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if self._process.poll() is not None:
                break
            with contextlib.suppress(OSError, urllib.error.HTTPError), self.get("/saude"):
                return
            time.sleep(0.2)
        self.close()
        raise AssertionError(f"the demonstration did not start:\n{self.log()}")

    def log(self) -> str:
        """What the process said so far."""
        if not self._log.closed:
            self._log.flush()
        return Path(self._log.name).read_text("utf-8", "replace")[-4000:]

    def get(self, path: str, **headers: str) -> Any:
        """Open an address of the site without a browser."""
        request = urllib.request.Request(self.base + path, headers=headers)  # noqa: S310 - our own server
        return urllib.request.urlopen(request, timeout=20)  # noqa: S310

    def code(self, key: str) -> str:
        """The second-factor code of the moment of one of the offices."""
        return pyotp.TOTP(self.notes[key]["secret"]).now()

    def close(self) -> None:
        """End the process that we started, as a terminal would."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(30)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._log.close()


class Visitor:
    """Somebody at a browser window of their own."""

    def __init__(self, browser: Any, site: DemoSite, size: dict[str, int], **options: Any) -> None:
        self.site = site
        self.context = browser.new_context(
            locale="pt-BR", timezone_id="America/Sao_Paulo", viewport=size, base_url=site.base, **options
        )
        self.page = self.context.new_page()
        self.troubles: list[str] = []
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("console", self._heard)

    def _heard(self, said: Any) -> None:
        if "Content Security Policy" in said.text:
            self.troubles.append(said.text)

    def sign_in(self, key: str) -> Visitor:
        """Sign in as somebody of the demonstration, with the second factor where there is one."""
        note = self.site.notes[key]
        self.page.goto("/entrar")
        self.page.get_by_label("CPF ou e-mail").fill(note["email"])
        self.page.get_by_label("Senha", exact=True).fill(PASSWORD)
        self.page.locator("main").get_by_role("button", name="Entrar").click()
        if "secret" in note:
            self.page.get_by_label("Código", exact=False).first.fill(self.site.code(key))
            self.page.locator("main").get_by_role("button", name="Entrar").click()
        self.page.wait_for_url(lambda url: "/entrar" not in url)
        return self

    def close(self) -> None:
        """Close the window; scripts and the content policy must have had no trouble."""
        self.context.close()
        assert self.troubles == []
