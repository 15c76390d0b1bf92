"""One mail to one mail server, over a connection that is kept for the next one.

`NotNow` is worth another try; `Rejected` is not. Neither tells the address: what is kept of an error must not.
"""

from __future__ import annotations

import re
import smtplib
import ssl
from datetime import datetime
from email.errors import HeaderParseError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP as MAIL_POLICY
from email.utils import format_datetime, parseaddr
from types import TracebackType
from urllib.parse import urlsplit

from tender.settings import Settings

TIMEOUT_SECONDS = 20
IMPLICIT_TLS_PORT = 465
_ADDRESS = re.compile(r"[^\s<>{}'\":,;@]+@[^\s<>{}'\":,;@]+")


class NotNow(Exception):
    """The mail could not go now: no server, no line, a 4xx, or a fault of our own set-up."""


class Rejected(Exception):
    """The mail will never go: the server refuses this recipient or this mail for good (5xx), or the address is none."""


def compose(
    sender: str, to: str, subject: str, text: str, message_id: str, date: datetime, leave: str = ""
) -> EmailMessage:
    """The mail as it travels. Rejected when the address cannot stand in a header.

    leave: where a mail program ends the subscription with one click (RFC 8058).
    """
    if not (to.isascii() and _ADDRESS.fullmatch(to)):
        raise Rejected("endereço que não é de e-mail")
    message = EmailMessage(policy=MAIL_POLICY)
    name, address = parseaddr(sender)
    try:
        message["From"] = Address(display_name=name, addr_spec=address)
        message["To"] = Address(addr_spec=to)
        message["Subject"] = subject
    except (ValueError, HeaderParseError) as error:
        raise Rejected("endereço ou assunto que não cabe em um e-mail") from error
    message["Date"] = format_datetime(date)
    message["Message-ID"] = message_id
    message["Auto-Submitted"] = "auto-generated"
    message["Content-Language"] = "pt-BR"
    if leave:
        message["List-Unsubscribe"] = f"<{leave}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message.set_content(text, charset="utf-8", cte="quoted-printable")
    return message


class Post:
    """The connection to the mail server, opened when first needed."""

    def __init__(self, settings: Settings, tls: ssl.SSLContext | None = None) -> None:
        self._smtp = settings.smtp
        self._name = urlsplit(settings.base_url).hostname or "localhost"
        self._tls = tls
        self._line: smtplib.SMTP | None = None

    def __enter__(self) -> Post:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._hang_up()

    def send(self, message: EmailMessage) -> None:
        """Hand the mail over; returns once the server took responsibility (250). NotNow or Rejected else."""
        try:
            line = self._line = self._line or self._call()
            line.send_message(message)
        except smtplib.SMTPRecipientsRefused as error:
            code, said = next(iter(error.recipients.values()))
            self._give_up(code, said)
        except smtplib.SMTPDataError as error:
            self._give_up(error.smtp_code, error.smtp_error)
        except smtplib.SMTPNotSupportedError as error:
            self._hang_up()
            raise NotNow(f"o servidor de e-mail não oferece o que é preciso: {error}") from error
        except smtplib.SMTPResponseException as error:  # sender, sign-in, greeting: our set-up, not this recipient
            self._hang_up()
            raise NotNow(_said(error.smtp_code, error.smtp_error)) from error
        except (OSError, smtplib.SMTPException) as error:
            self._hang_up()
            raise NotNow(_without_address(f"{type(error).__name__}: {error}")) from error

    def _give_up(self, code: int, said: bytes | str) -> None:
        self._hang_up()
        raise (Rejected if code >= 500 else NotNow)(_said(code, said))

    def _call(self) -> smtplib.SMTP:
        host, port = self._smtp.host, self._smtp.port
        tls = self._tls or ssl.create_default_context()
        if port == IMPLICIT_TLS_PORT:
            line: smtplib.SMTP = smtplib.SMTP_SSL(
                host, port, local_hostname=self._name, timeout=TIMEOUT_SECONDS, context=tls
            )
        else:
            line = smtplib.SMTP(host, port, local_hostname=self._name, timeout=TIMEOUT_SECONDS)
        try:
            if self._smtp.starttls and port != IMPLICIT_TLS_PORT:
                line.starttls(context=tls)
            if self._smtp.user:
                line.login(self._smtp.user, self._smtp.password)
        except BaseException:
            line.close()
            raise
        return line

    def _hang_up(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            try:
                line.quit()
            except (OSError, smtplib.SMTPException):
                line.close()


def _said(code: int, said: bytes | str) -> str:
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    return _without_address(f"{code} {text}")


def _without_address(text: str) -> str:
    return _ADDRESS.sub("(endereço)", " ".join(text.split()))[:300]
