"""What is written down about notices: the notice itself, and its way to the person by mail."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Integer, Table, Text

from tender.ledger import Instant, metadata


class MailState(StrEnum):
    """Where the mail of a notice is. SHOWN: there is no mail server (demonstration), the outbox page shows it."""

    PENDING = "pending"
    SENT = "sent"
    FAILED = "failed"
    SHOWN = "shown"

    @property
    def label(self) -> str:
        """Portuguese, as the outbox page says it."""
        return {"pending": "na fila", "sent": "enviado", "failed": "falhou", "shown": "só na tela"}[self.value]


notices = Table(
    "notices",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("key", Text, nullable=False, unique=True),  # random: place of the seal and name of the mail
    Column("person", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("text", Text, nullable=False),  # sealed JSON of subject, body, link; empty once erased
    Column("created_at", Instant, nullable=False),
    Column("read_at", Instant),
    Index(None, "person", "id"),
)

outbox = Table(
    "outbox",
    metadata,
    Column("notice", Integer, ForeignKey("notices.id"), primary_key=True, autoincrement=False),
    Column("person", Text, nullable=False),  # whose address is looked up when the mail goes
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False, default=0),
    Column("next_try_at", Instant, nullable=False),
    Column("claim", Text, nullable=False, default=""),
    Column("claimed_until", Instant),
    Column("last_error", Text, nullable=False, default=""),  # without the address
    Column("sent_at", Instant),
    Column("message_id", Text, nullable=False),
    CheckConstraint("state IN ('pending', 'sent', 'failed', 'shown')", name="state"),
    Index(None, "state", "next_try_at"),
)


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice as its person sees it. body: as mailed, without the footer; hours are UTC."""

    id: int
    person: str
    kind: str
    subject: str
    body: str
    link: str
    created_at: datetime
    read_at: datetime | None

    @property
    def paragraphs(self) -> list[list[str]]:
        """The body for a page: paragraphs of lines, without the line of the link, which the page makes a button."""
        parts = self.body.replace(self.link, "").split("\n\n")
        return [lines for part in parts if (lines := [line for line in part.splitlines() if line.strip()])]


@dataclass(frozen=True, slots=True)
class Mail:
    """The way of a notice by mail, for the outbox page and the technician."""

    notice: int
    person: str
    kind: str
    state: MailState
    attempts: int
    next_try_at: datetime
    last_error: str
    sent_at: datetime | None
    message_id: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """What a round of delivery did: how many mails went, wait for another try, failed for good, are only shown."""

    sent: int = 0
    waiting: int = 0
    failed: int = 0
    shown: int = 0
