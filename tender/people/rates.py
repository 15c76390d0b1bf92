"""Limits of tries, counted in the database so that several processes share them.

A rival cannot lock anybody out of a live session or a known browser: no failure of others touches them. A browser
that has signed in to the account before is counted by itself alone; an address that has, by the pair of both; only a
new browser can be slowed by what others do to the same account, or from the same network, and then a link sent to the
account's own e-mail (`reset`) makes it known again, unless that network has used up its mails for the hour too.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, insert, select, text

from tender.people.sealing import Seal
from tender.people.tables import new_id, rates
from tender.people.words import TooManyTries


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `tries` within any span of this length, per key."""

    scope: str
    tries: int
    within: timedelta


QUARTER = timedelta(minutes=15)
HOUR = timedelta(hours=1)

SIGN_IN_DEVICE = Limit("sign_in.device", 10, QUARTER)  # a known browser and an account
SIGN_IN_PAIR = Limit("sign_in.pair", 8, QUARTER)  # an address and an account
SIGN_IN_ADDRESS = Limit("sign_in.address", 40, QUARTER)  # failures only: a full hall shares one address
SIGN_IN_ACCOUNT = Limit("sign_in.account", 40, HOUR)  # an account, from addresses it never used
FACTOR_PAIR = Limit("factor.pair", 5, timedelta(minutes=5))
FACTOR_ACCOUNT = Limit("factor.account", 30, HOUR)
REGISTER_ADDRESS = Limit("register.address", 20, HOUR)  # the town hall's counter registers many
REGISTER_PAIR = Limit("register.pair", 3, HOUR)  # an address and an e-mail
REGISTER_EMAIL = Limit("register.email", 10, HOUR)  # mails to one box, whoever asks
RESET_ADDRESS = Limit("reset.address", 20, HOUR)
RESET_PAIR = Limit("reset.pair", 3, HOUR)
RESET_EMAIL = Limit("reset.email", 10, HOUR)

LONGEST = HOUR


def network_of(address: str) -> str:
    """The address as it counts: an IPv6 customer has a whole /64, and takes another address of it for each try."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped is not None:
            return str(ip.ipv4_mapped)
        return str(ipaddress.ip_network((ip, 64), strict=False))
    return str(ip)


class Rates:
    """A try is taken before it is heard and given back when it succeeds, so that tries side by side all count."""

    def __init__(self, seal: Seal) -> None:
        self._seal = seal

    def take(self, tx: Connection, now: datetime, tries: Sequence[tuple[Limit, str]]) -> list[str]:
        """Count one try against each (limit, key); their ids, for `give_back`. TooManyTries when one is full."""
        keyed = sorted(
            ((limit, self._seal.index(limit.scope, key)) for limit, key in tries), key=lambda one: one[0].scope
        )
        self._one_at_a_time(tx, [key for _, key in keyed])
        tx.execute(delete(rates).where(rates.c.at <= now - LONGEST))
        full = [free for limit, key in keyed if (free := self._free_at(tx, now, limit, key)) is not None]
        if full:
            raise TooManyTries(max(full), now)
        taken = {new_id("x"): one for one in keyed}
        rows = [{"id": row_id, "scope": limit.scope, "key": key, "at": now} for row_id, (limit, key) in taken.items()]
        tx.execute(insert(rates), rows)
        return list(taken)

    def give_back(self, tx: Connection, taken: Sequence[str]) -> None:
        """The try succeeded: it does not count."""
        tx.execute(delete(rates).where(rates.c.id.in_(taken)))

    def _free_at(self, tx: Connection, now: datetime, limit: Limit, key: str) -> datetime | None:
        query = select(rates.c.at).where(
            rates.c.scope == limit.scope, rates.c.key == key, rates.c.at > now - limit.within
        )
        hours = list(tx.execute(query.order_by(rates.c.at.desc()).limit(limit.tries)).scalars())
        return hours[-1] + limit.within if len(hours) >= limit.tries else None

    def _one_at_a_time(self, tx: Connection, keys: Sequence[str]) -> None:
        # SQLite: BEGIN IMMEDIATE already did. PostgreSQL: two processes would both count nine and write a tenth.
        if tx.dialect.name != "postgresql":
            return
        for key in sorted(keys):
            tx.execute(text("SELECT pg_advisory_xact_lock(725, hashtext(:key))"), {"key": key})
