"""A real SMTP server on loopback (aiosmtpd) that can be told to accept, put off, refuse, hang up or be slow."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

OK = "250 OK"


@dataclass
class MailBox:
    """What the server says to RCPT and DATA, in order and then always the last; and what it took."""

    to_rcpt: list[str] = field(default_factory=lambda: [OK])
    to_data: list[str] = field(default_factory=lambda: [OK])
    hang_up: int = 0  # so many times in the middle of DATA
    slow_seconds: float = 0
    taken: list[tuple[str, EmailMessage]] = field(default_factory=list)
    port: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    async def handle_RCPT(self, server: SMTP, session: Session, envelope: Envelope, address: str, options: Any) -> str:  # noqa: N802
        """Answer to a recipient."""
        answer = self._next(self.to_rcpt)
        if answer.startswith("2"):
            envelope.rcpt_tos.append(address)
        return answer

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Take the mail, or not."""
        if self.hang_up:
            self.hang_up -= 1
            assert isinstance(server.transport, asyncio.Transport)
            server.transport.abort()
            return OK
        await asyncio.sleep(self.slow_seconds)
        answer = self._next(self.to_data)
        if answer.startswith("2"):
            assert isinstance(envelope.content, bytes)
            mail = message_from_bytes(envelope.content, policy=default)
            with self.lock:
                self.taken.extend((to, mail) for to in envelope.rcpt_tos)
        return answer

    def mails(self) -> list[EmailMessage]:
        """The mails taken so far, in order."""
        with self.lock:
            return [mail for _, mail in self.taken]

    @staticmethod
    def _next(answers: list[str]) -> str:
        return answers.pop(0) if len(answers) > 1 else answers[0]


class AnyPort(Controller):
    """A controller that learns the port which the machine chose."""

    def _trigger_server(self) -> None:
        assert isinstance(self.server, asyncio.Server)
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


@contextmanager
def mail_server(box: MailBox, tls: ssl.SSLContext | None = None, password: str = "") -> Iterator[MailBox]:
    """The server, listening on a free port of loopback; with `tls` it wants STARTTLS, with `password` a sign-in."""

    def check(server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
        good = isinstance(data, LoginPassword) and data.password == password.encode()
        return AuthResult(success=good, handled=False)

    more: dict[str, Any] = {"tls_context": tls, "require_starttls": tls is not None}
    if password:
        more |= {"authenticator": check, "auth_required": True, "auth_require_tls": tls is not None}
    controller = AnyPort(box, hostname="127.0.0.1", port=0, **more)
    controller.start()
    box.port = controller.port
    try:
        yield box
    finally:
        controller.stop()
