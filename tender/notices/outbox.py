"""Notices: written with the fact that causes them, shown on the person's own page, and carried by mail.

The own page is the official channel: deadlines count from it. The mail is a row of the outbox in the same transaction,
so a notice is never lost, nor sent for something that was rolled back. Several processes may deliver: each row is
claimed for a while by one of them. A mail may arrive twice only when a process dies between the server's 250 and our
commit; both carry the same Message-ID, by which mail programs know them for one.
"""

from __future__ import annotations

import json
import logging
import secrets
import ssl
import threading
from collections.abc import Callable
from datetime import timedelta
from email.utils import parseaddr
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Row, func, insert, or_, select, update

from tender.clock import Clock
from tender.ledger import reading, writing
from tender.notices.kinds import KINDS
from tender.notices.post import NotNow, Post, Rejected, compose
from tender.notices.tables import Delivery, Mail, MailState, Notice, notices, outbox
from tender.notices.texts import Texts
from tender.people.sealing import Seal
from tender.settings import Settings

log = logging.getLogger("tender.notices")

DELAYS = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=12),
)
"""After the first, second, … failed try; one try more, and the mail has failed."""
LEASE = timedelta(minutes=10)
"""How long a row belongs to the process that claimed it: longer than one mail can take."""
DELIVER_MAX = 50


class Notices:
    """Sends, shows and delivers notices."""

    def __init__(
        self,
        engine: Engine,
        clock: Clock,
        settings: Settings,
        address_of: Callable[[Connection, str], str | None],
        tls: ssl.SSLContext | None = None,
        leave_of: Callable[[str], str] = lambda person: "",
    ) -> None:
        """address_of(tx, person): the e-mail, asked when the mail goes; None or LookupError when there is none.

        tls: whom to trust as mail server; None for the machine's own authorities. leave_of(person): the path by which
        somebody without an account ends the mails, "" for all others.
        """
        self._engine = engine
        self._clock = clock
        self._settings = settings
        self._address_of = address_of
        self._tls = tls
        self._leave_of = leave_of
        self._texts = Texts(settings)
        self._seal = Seal(settings.secret_key)
        self._turn = threading.Lock()

    # --- writing -----------------------------------------------------------------------------------------------------

    def send(self, tx: Connection, person: str, kind: str, *, link: str, **values: Any) -> int:
        """Write a notice for a person, to be mailed after the commit; returns its number.

        link: a path of this site; values: those that KINDS[kind] names. Errors as in `Texts.write`.
        """
        text = self._texts.write(kind, values, link)
        now, key = self._clock.now(), secrets.token_hex(16)
        sealed = self._seal.shut(
            json.dumps({"subject": text.subject, "body": text.body, "link": text.link}, ensure_ascii=False), _place(key)
        )
        row = {"key": key, "person": person, "kind": kind, "text": sealed, "created_at": now}
        number: int = tx.execute(insert(notices).values(row).returning(notices.c.id)).scalar_one()
        domain = parseaddr(self._settings.smtp.sender)[1].rpartition("@")[2] or "localhost"
        way = {"notice": number, "person": person, "state": MailState.PENDING, "next_try_at": now}
        tx.execute(insert(outbox), {**way, "message_id": f"<aviso.{key}@{domain}>"})
        return number

    # --- the own page ------------------------------------------------------------------------------------------------

    def of_person(self, tx: Connection, person: str, limit: int = 20, offset: int = 0) -> list[Notice]:
        """The person's notices, newest first."""
        query = select(notices).where(self._own(person)).order_by(notices.c.id.desc()).limit(limit).offset(offset)
        return [self._notice(row) for row in tx.execute(query)]

    def count(self, tx: Connection, person: str) -> int:
        """How many notices the person's page has."""
        return tx.execute(select(func.count()).select_from(notices).where(self._own(person))).scalar_one()

    def unread(self, tx: Connection, person: str) -> int:
        """How many of them are not marked as read."""
        query = select(func.count()).select_from(notices).where(self._own(person), notices.c.read_at.is_(None))
        return tx.execute(query).scalar_one()

    def mark_read(self, tx: Connection, person: str, notice: int | None = None) -> int:
        """Mark one of the person's notices as read, or all; returns how many were not yet. The first mark stays."""
        which = [self._own(person), notices.c.read_at.is_(None)]
        if notice is not None:
            which.append(notices.c.id == notice)
        return tx.execute(update(notices).where(*which).values(read_at=self._clock.now())).rowcount

    def is_of(self, tx: Connection, person: str, notice: int) -> bool:
        """Whether this notice stands on the person's page."""
        return tx.execute(select(notices.c.id).where(self._own(person), notices.c.id == notice)).first() is not None

    # --- the outbox --------------------------------------------------------------------------------------------------

    def backlog(self) -> int:
        """How many mails wait to be sent: the health page and the metrics show it."""
        query = select(func.count()).select_from(outbox).where(outbox.c.state == MailState.PENDING)
        with reading(self._engine) as tx:
            return tx.execute(query).scalar_one()

    def mails(self, tx: Connection, state: MailState | None = None, limit: int = 100) -> list[Mail]:
        """The newest mails, all or those in a state: FAILED ones are what the technician looks at."""
        query = select(outbox, notices.c.kind).join(notices).order_by(outbox.c.notice.desc()).limit(limit)
        if state is not None:
            query = query.where(outbox.c.state == state)
        return [
            Mail(
                row.notice, row.person, row.kind, MailState(row.state), row.attempts, row.next_try_at, row.last_error,
                row.sent_at, row.message_id,
            )
            for row in tx.execute(query)
        ]  # fmt: skip

    def shown(self, tx: Connection, limit: int = 100) -> list[tuple[Mail, Notice, str]]:
        """The newest mails with their texts and addresses, for the demonstration's outbox page alone."""
        assert self._settings.is_demo, "real mails are shown to nobody"
        mails = self.mails(tx, limit=limit)
        rows = tx.execute(select(notices).where(notices.c.id.in_([mail.notice for mail in mails])))
        texts = {row.id: self._notice(row) for row in rows}
        return [(mail, texts[mail.notice], self._address(tx, mail.person) or "") for mail in mails]

    def try_again(self, tx: Connection, notice: int) -> bool:
        """Put a failed mail back into the queue, as if new. False when it has not failed or its text is gone."""
        with_text = select(notices.c.id).where(notices.c.text != "")
        failed = (outbox.c.notice == notice) & (outbox.c.state == MailState.FAILED) & outbox.c.notice.in_(with_text)
        again = {"state": MailState.PENDING, "attempts": 0, "next_try_at": self._clock.now()}
        return tx.execute(update(outbox).where(failed).values(again)).rowcount == 1

    # --- delivery ----------------------------------------------------------------------------------------------------

    def deliver_in_background(self) -> None:
        """Deliver what is due in a thread of its own, unless one is at it: a slow server must delay no deadline."""
        if self._any_due() and not self._turn.locked():
            threading.Thread(target=self._deliver_alone, name="tender-post", daemon=True).start()

    def deliver_due(self, limit: int = DELIVER_MAX) -> Delivery:
        """Send the mails that are due, at most `limit`. Any number of processes may call it at once."""
        if not self._any_due():
            return Delivery()
        if not self._settings.smtp.host:
            return self._only_show()
        counts = dict.fromkeys(MailState, 0)
        with Post(self._settings, self._tls) as post:
            for _ in range(limit):
                claimed = self._claim()
                if claimed is None:
                    break
                counts[self._settle(*claimed, *self._carry(post, claimed[0]))] += 1
        return Delivery(counts[MailState.SENT], counts[MailState.PENDING], counts[MailState.FAILED])

    def _deliver_alone(self) -> None:
        if self._turn.acquire(blocking=False):
            try:
                self.deliver_due()
            except Exception:
                log.exception("a round of mails failed; the next one follows")
            finally:
                self._turn.release()

    def _any_due(self) -> bool:
        with reading(self._engine) as tx:
            return tx.execute(select(outbox.c.notice).where(self._due()).limit(1)).first() is not None

    def _only_show(self) -> Delivery:
        with writing(self._engine) as tx:
            return Delivery(shown=tx.execute(update(outbox).where(self._due()).values(state=MailState.SHOWN)).rowcount)

    def _due(self) -> ColumnElement[bool]:
        now = self._clock.now()
        free = or_(outbox.c.claimed_until.is_(None), outbox.c.claimed_until <= now)
        return (outbox.c.state == MailState.PENDING) & (outbox.c.next_try_at <= now) & free

    def _claim(self) -> tuple[Row[Any], str] | None:
        # One row at a time and committed before it is sent: the next process takes the next one. SQLite queues
        # writers at BEGIN IMMEDIATE; PostgreSQL skips what another one is just claiming.
        claim = secrets.token_hex(8)
        with writing(self._engine) as tx:
            query = select(outbox.c.notice).where(self._due()).order_by(outbox.c.next_try_at, outbox.c.notice).limit(1)
            notice = tx.execute(query.with_for_update(skip_locked=True)).scalar()
            if notice is None:
                return None
            mine = {"claim": claim, "claimed_until": self._clock.now() + LEASE, "attempts": outbox.c.attempts + 1}
            tx.execute(update(outbox).where(outbox.c.notice == notice).values(mine))
            way = select(outbox.c.attempts, outbox.c.message_id, notices).join(notices).where(outbox.c.notice == notice)
            return tx.execute(way).one(), claim

    def _carry(self, post: Post, row: Row[Any]) -> tuple[MailState, str]:
        try:
            with reading(self._engine) as tx:
                address = self._address(tx, row.person)
            if not address:
                return MailState.FAILED, "sem endereço de e-mail"
            notice = self._notice(row)
            path = self._leave_of(row.person)
            leave = self._settings.base_url + path if path else ""
            text = f"{notice.body}\n\n-- \n{self._texts.footer(notice.kind, leave)}\n"
            sender = self._settings.smtp.sender
            post.send(compose(sender, address, notice.subject, text, row.message_id, notice.created_at, leave))
        except Rejected as error:
            return MailState.FAILED, str(error)
        except NotNow as error:
            return _tried(row), str(error)
        except Exception as error:  # a fault of ours in one mail must not stop the others behind it
            log.exception("the mail of notice %s could not be made", row.id)
            return _tried(row), type(error).__name__
        return MailState.SENT, ""

    def _settle(self, row: Row[Any], claim: str, state: MailState, error: str) -> MailState:
        now = self._clock.now()
        values: dict[str, Any] = {"state": state, "claim": "", "claimed_until": None, "last_error": error}
        if state is MailState.SENT:
            values["sent_at"] = now
        elif state is MailState.PENDING:
            values["next_try_at"] = now + DELAYS[row.attempts - 1]
        with writing(self._engine) as tx:
            mine = (outbox.c.notice == row.id) & (outbox.c.claim == claim)
            settled = tx.execute(update(outbox).where(mine).values(values)).rowcount == 1
            if settled and state is MailState.SENT and KINDS[row.kind].mail_only:
                # Its link opens an account: it has no business in the database any more.
                tx.execute(update(notices).where(notices.c.id == row.id).values(text=""))
        if state is MailState.FAILED:
            log.warning("the mail of notice %s failed for good: %s", row.id, error)
        return state

    # --- inside ------------------------------------------------------------------------------------------------------

    def _own(self, person: str) -> ColumnElement[bool]:
        hidden = [kind for kind, about in KINDS.items() if about.mail_only]
        return (notices.c.person == person) & notices.c.kind.not_in(hidden)

    def _address(self, tx: Connection, person: str) -> str | None:
        try:
            return self._address_of(tx, person)
        except LookupError:
            return None

    def _notice(self, row: Row[Any]) -> Notice:
        text = json.loads(self._seal.open(row.text, _place(row.key))) if row.text else {}
        subject, body, link = (text.get(name, "") for name in ("subject", "body", "link"))
        return Notice(row.id, row.person, row.kind, subject, body, link, row.created_at, row.read_at)


def _tried(row: Row[Any]) -> MailState:
    return MailState.PENDING if row.attempts <= len(DELAYS) else MailState.FAILED


def _place(key: str) -> str:
    return f"notices.text:{key}"
