"""Who asked to be told by e-mail of tenders: an address, sealed, confirmed by its owner, gone at one click.

Nothing else is kept, and no click is counted. The links are made from the row's id by the house's key, so that the
database holds no token.
"""

from __future__ import annotations

import hmac
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import Column, Connection, Table, Text, delete, insert, select, update

from tender.ledger import Instant, metadata
from tender.people.rates import HOUR, Limit
from tender.people.sealing import Seal
from tender.people.tables import new_id

SUBSCRIBE_ADDRESS = Limit("subscribe.address", 20, HOUR)
SUBSCRIBE_EMAIL = Limit("subscribe.email", 3, HOUR)  # mails to one box, whoever asks
CONFIRM_WITHIN = timedelta(hours=24)
KEY_DIGITS = 32

subscribers = Table(
    "subscribers",
    metadata,
    Column("id", Text, primary_key=True),
    Column("email", Text, nullable=False),  # sealed
    Column("email_index", Text, nullable=False, unique=True),
    Column("topics", Text, nullable=False),  # words of Topic, separated by spaces
    Column("asked_at", Instant, nullable=False),
    Column("confirmed_at", Instant),
)


class Topic(StrEnum):
    """What somebody wants to hear of."""

    NEW = "novas"
    CHANGES = "mudancas"

    @property
    def label(self) -> str:
        """Portuguese, as the form says it."""
        return {"novas": "Licitações novas", "mudancas": "Mudanças nos editais: prazos, suspensão, revogação"}[
            self.value
        ]


class Subscribers:
    """Keeps addresses; methods take the caller's transaction."""

    def __init__(self, seal: Seal) -> None:
        self._seal = seal

    def ask(self, tx: Connection, now: datetime, email: str, topics: tuple[Topic, ...]) -> tuple[str, str]:
        """(id, key of the confirmation) for this address and these topics; a confirmed one stays confirmed."""
        index = self._seal.index("subscriber", email.casefold())
        found = tx.execute(select(subscribers.c.id).where(subscribers.c.email_index == index)).scalar()
        values = {"topics": " ".join(topics), "asked_at": now}
        if found is None:
            found = new_id("a")
            sealed = self._seal.shut(email, f"subscribers.email:{found}")
            tx.execute(insert(subscribers), {"id": found, "email": sealed, "email_index": index, **values})
        else:
            tx.execute(update(subscribers).where(subscribers.c.id == found).values(values))
        return found, self._key("confirm", found)

    def confirm(self, tx: Connection, now: datetime, subscriber: str, key: str) -> bool:
        """Whether the link is right and in time; then the address is told from now on."""
        if not hmac.compare_digest(key, self._key("confirm", subscriber)):
            return False
        here = (subscribers.c.id == subscriber) & (subscribers.c.asked_at > now - CONFIRM_WITHIN)
        return tx.execute(update(subscribers).where(here).values(confirmed_at=now)).rowcount == 1

    def leave_key(self, subscriber: str) -> str:
        """The key of the link that ends the subscription."""
        return self._key("leave", subscriber)

    def leave_path(self, person: str) -> str:
        """Where a subscriber ends the mails with one click; "" for anybody who is none."""
        return f"/avisos/sair/{person}/{self.leave_key(person)}" if person.startswith("a_") else ""

    def leave(self, tx: Connection, subscriber: str, key: str) -> bool:
        """Forget the address when the link is right; True also when it was gone already."""
        if not hmac.compare_digest(key, self._key("leave", subscriber)):
            return False
        tx.execute(delete(subscribers).where(subscribers.c.id == subscriber))
        return True

    def of_topic(self, tx: Connection, topic: Topic) -> list[str]:
        """Ids of the confirmed addresses that want to hear of this."""
        rows = tx.execute(select(subscribers.c.id, subscribers.c.topics).where(subscribers.c.confirmed_at.is_not(None)))
        return [row.id for row in rows if topic.value in row.topics.split(" ")]

    def email_of(self, tx: Connection, subscriber: str) -> str | None:
        """The address of an id; None when it left."""
        sealed = tx.execute(select(subscribers.c.email).where(subscribers.c.id == subscriber)).scalar()
        return self._seal.open(sealed, f"subscribers.email:{subscriber}") if sealed else None

    def sweep(self, tx: Connection, now: datetime) -> int:
        """Forget the addresses that nobody confirmed; how many."""
        late = subscribers.c.confirmed_at.is_(None) & (subscribers.c.asked_at <= now - CONFIRM_WITHIN)
        return tx.execute(delete(subscribers).where(late)).rowcount

    def _key(self, purpose: str, subscriber: str) -> str:
        return self._seal.index(f"subscriber.{purpose}", subscriber)[:KEY_DIGITS]
