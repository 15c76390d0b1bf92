"""Signing in by password, and the way back in for whoever forgot it."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from tender.acts import PersonId
from tender.identity import Cpf
from tender.ledger import reading, writing
from tender.people import rates
from tender.people.passwords import password_faults
from tender.people.sealing import token_hash
from tender.people.sessions import Sessions
from tender.people.tables import devices, persons, resets, sessions
from tender.people.words import LinkExpired, NotRecognised, PersonFault, Recognised, Step

RESET_WITHIN = timedelta(hours=1)
DEVICE_FOR = timedelta(days=400)  # what browsers keep a cookie for


@dataclass(frozen=True, slots=True)
class ResetAsked:
    """Whom to write to, and the token of the link (valid for one hour, once)."""

    person: PersonId
    token: str = field(repr=False)


class SignIn(Sessions):
    """Passwords, browsers that are known, and resets."""

    def authenticate(self, document_or_email: str, password: str, *, address: str = "", device: str = "") -> Recognised:
        """Who this is, by CPF or e-mail and password. NotRecognised in the same words and after the same work whether
        the person exists or not; TooManyTries. `device`: the browser's token from `remember_device`, if it sent one."""
        found_by = self.account_index(document_or_email)
        with reading(self.engine) as tx:
            row = self._one(tx, found_by)
            person = row.id if row else ""  # asked for nobody, too: the work is the same
            device_known = self._device_known(tx, person, device)
            address_known = self._address_known(tx, person, address)
        with writing(self.engine) as tx:
            tries = _tries(found_by[1], address, device if device_known else "", address_known)
            taken = self.rates.take(tx, self.now(), tries)
        # Outside any transaction: hashing takes long, and the auction waits for nobody.
        right = self.hasher.verify(row.password_hash if row else None, password)
        with writing(self.engine) as tx:
            if not right:
                self.note(tx, "sign_in.failed", person=row.id if row else None, by="público", address=address)
            else:
                self.rates.give_back(tx, taken)
                step = self._next_step(tx, row.id)
        if not right:
            raise NotRecognised()
        if self.hasher.is_old(row.password_hash):
            self._write_password(row.id, self.hasher.hash(password))
        return Recognised(PersonId(row.id), step, device_known)

    # -- browsers -------------------------------------------------------------------------------------------------

    def remember_device(self, person: str, device: str = "") -> str:
        """Know this browser again: returns the token for its cookie, the one it sent if we gave it out before."""
        now = self.now()
        with writing(self.engine) as tx:
            ours = (
                device
                and tx.execute(
                    select(devices.c.token_hash).where(devices.c.token_hash == token_hash(device)).limit(1)
                ).first()
            )
            # A token that we did not draw is not taken over: somebody may have planted it.
            token = device if ours else secrets.token_urlsafe(32)
            if ours and self._device_known(tx, person, device):
                which = (devices.c.token_hash == token_hash(device)) & (devices.c.person == person)
                tx.execute(update(devices).where(which).values(last_seen_at=now))
            else:
                row = {"token_hash": token_hash(token), "person": person, "first_seen_at": now, "last_seen_at": now}
                tx.execute(
                    delete(devices).where((devices.c.token_hash == row["token_hash"]) & (devices.c.person == person))
                )
                tx.execute(insert(devices), row)
        return token

    def knows_device(self, person: str, device: str) -> bool:
        """True when this browser has signed in to the account before."""
        with reading(self.engine) as tx:
            return self._device_known(tx, person, device)

    def signed_in_before(self, person: str) -> bool:
        """True when the person had another session before the one just opened: the first needs no warning."""
        query = select(sessions.c.id).where(sessions.c.person == person, sessions.c.stage == "full").limit(2)
        with reading(self.engine) as tx:
            return len(tx.execute(query).all()) > 1

    # -- passwords ------------------------------------------------------------------------------------------------

    def request_reset(self, document_or_email: str, *, address: str = "") -> ResetAsked | None:
        """A link for a new password; None when nobody has that CPF or e-mail (the page answers the same).

        TooManyTries counts what was typed, not who has it.
        """
        found_by = self.account_index(document_or_email)
        network = rates.network_of(address)
        with writing(self.engine) as tx:
            self.rates.take(
                tx,
                self.now(),
                [
                    (rates.RESET_ADDRESS, network),
                    (rates.RESET_PAIR, f"{network} {found_by[1]}"),
                    (rates.RESET_EMAIL, found_by[1]),
                ],
            )
            row = self._one(tx, found_by)
            if row is None:
                return None
            token = secrets.token_urlsafe(32)
            values = {"token_hash": token_hash(token), "person": row.id, "expires_at": self.now() + RESET_WITHIN}
            tx.execute(insert(resets), values)
            self.note(tx, "reset.asked", person=row.id, by="público", address=address)
        return ResetAsked(PersonId(row.id), token)

    def awaits_reset(self, token: str) -> bool:
        """True while the link can still be used."""
        with reading(self.engine) as tx:
            return self._reset(tx, token) is not None

    def reset(self, token: str, password: str, *, address: str = "") -> PersonId:
        """Set a new password by a link: it is used up, and every session and every other link ends. The second factor
        is still asked at the next sign-in. LinkExpired, PersonFault("password")."""
        with reading(self.engine) as tx:
            row = self._reset(tx, token)
            if row is None:
                raise LinkExpired()
            self._check_password(tx, row.person, password)
        hashed = self.hasher.hash(password)
        with writing(self.engine) as tx:
            used = tx.execute(delete(resets).where(resets.c.token_hash == token_hash(token)))
            if not used.rowcount:
                raise LinkExpired()
            tx.execute(delete(resets).where(resets.c.person == row.person))
            tx.execute(update(persons).where(persons.c.id == row.person).values(password_hash=hashed))
            self._end(tx, sessions.c.person == row.person, "reset")
            self.note(tx, "reset.done", person=row.person, address=address)
        return PersonId(row.person)

    def change_password(self, token: str, current: str, password: str, *, address: str = "") -> None:
        """Set a new password from a session, which stays; the others end. NotRecognised when `current` is wrong,
        PersonFault("password"), TooManyTries."""
        with reading(self.engine) as tx:
            row = self._with_person(tx, token)
            if row is None:
                raise NotRecognised("Sua sessão terminou. Entre de novo.")
            self._check_password(tx, row.person, password)
        self._password_counts(row, current, address)
        hashed = self.hasher.hash(password)
        with writing(self.engine) as tx:
            tx.execute(update(persons).where(persons.c.id == row.person).values(password_hash=hashed))
            tx.execute(delete(resets).where(resets.c.person == row.person))
            self._end(tx, (sessions.c.person == row.person) & (sessions.c.id != row.id), "password")
            self.note(tx, "password.changed", person=row.person, address=address)

    # -- inside ---------------------------------------------------------------------------------------------------

    def _next_step(self, tx: Connection, person: str) -> Step:
        if self.has_factor(tx, person):
            return Step.SECOND_FACTOR
        return Step.SET_UP if self.roles_of(tx, person) else Step.SESSION

    def _write_password(self, person: str, hashed: str) -> None:
        with writing(self.engine) as tx:
            tx.execute(update(persons).where(persons.c.id == person).values(password_hash=hashed))

    def _check_password(self, tx: Connection, person: str, password: str) -> None:
        row = self.person_row(tx, person)
        cpf = Cpf(self.unseal(row.cpf, "persons.cpf", row.id)).bare
        faults = password_faults(password, cpf=cpf, email=self.contact_in(row, person).email)
        if faults:
            raise PersonFault("password", " ".join(faults))

    def _reset(self, tx: Connection, token: str) -> Any:
        query = select(resets).where(resets.c.token_hash == token_hash(token), resets.c.expires_at > self.now())
        return tx.execute(query).first()

    def _device_known(self, tx: Connection, person: str, device: str) -> bool:
        if not device:
            return False
        query = select(devices.c.token_hash).where(
            devices.c.token_hash == token_hash(device),
            devices.c.person == person,
            devices.c.last_seen_at > self.now() - DEVICE_FOR,
        )
        return tx.execute(query).first() is not None


def _tries(account: str, address: str, known_device: str, address_known: bool) -> list[tuple[rates.Limit, str]]:
    if known_device:
        return [(rates.SIGN_IN_DEVICE, f"{account} {token_hash(known_device)}")]
    network = rates.network_of(address)
    tries = [(rates.SIGN_IN_ADDRESS, network), (rates.SIGN_IN_PAIR, f"{network} {account}")]
    return tries if address_known else [*tries, (rates.SIGN_IN_ACCOUNT, account)]
