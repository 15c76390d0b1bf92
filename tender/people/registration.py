"""Registering, and changing one's own data. An e-mail counts only after somebody opened its link.

The answers never tell whether a CPF or an e-mail is registered: the page says the same, and the truth goes by mail to
the account that has it. A registration that nobody confirmed takes no CPF away from anybody.
"""

from __future__ import annotations

import json
import secrets
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from tender.acts import PersonId
from tender.identity import Cnpj, Cpf, IdentityError
from tender.ledger import reading, writing
from tender.people import rates
from tender.people.parties import Parties
from tender.people.passwords import password_faults
from tender.people.sealing import token_hash
from tender.people.tables import confirmations, new_id, persons
from tender.people.words import LEGAL, NATURAL, Confirmed, Contact, LinkExpired, PersonFault, Registration

CONFIRM_WITHIN = timedelta(hours=24)


class Registrations(Parties):
    """From "quem é você" to a confirmed account."""

    def register(
        self,
        kind: str,
        document: str,
        name: str,
        email: str,
        phone: str,
        password: str,
        *,
        cnpj: str = "",
        company_name: str = "",
        address: str = "",
    ) -> Registration:
        """Take a registration and return the token of its confirmation mail (valid for 24 hours).

        kind: "pessoa física" or "pessoa jurídica"; document: the CPF of the person who signs; for a company also its
        `cnpj` and `company_name`. PersonFault names the field that cannot be taken; TooManyTries the hour to try again.
        """
        wanted = self._checked(kind, document, name, email, phone, password, cnpj, company_name)
        now = self.now()
        pair = f"{rates.network_of(address)} {wanted['email'].casefold()}"
        with writing(self.engine) as tx:
            self.rates.take(
                tx,
                now,
                [
                    (rates.REGISTER_ADDRESS, rates.network_of(address)),
                    (rates.REGISTER_PAIR, pair),
                    (rates.REGISTER_EMAIL, wanted["email"].casefold()),
                ],
            )
        wanted["password_hash"] = self.hasher.hash(password)  # before looking: the work is the same for all
        with writing(self.engine) as tx:
            known = self.find_person(tx, wanted["cpf"]) or self.find_person(tx, wanted["email"])
            if known is not None:
                self.note(tx, "registration.known", person=known.id, by="público", address=address)
                return Registration(PersonId(known.id))
            addressee = new_id("p")
            token = self._await_confirmation(tx, "registration", addressee, wanted)
            self.note(tx, "registration.asked", by="público", address=address)
        return Registration(PersonId(addressee), token)

    def confirm_email(self, token: str, address: str = "") -> Confirmed:
        """Open the account (or take the new e-mail) of a confirmation link. LinkExpired; PersonFault when somebody else
        confirmed the CPF or the e-mail meanwhile."""
        try:
            return self._confirm(token, address)
        except IntegrityError as error:  # PostgreSQL: two links for one CPF, opened side by side
            raise PersonFault("document", "Este CPF ou e-mail acaba de ser confirmado. Entre com ele.") from error

    def _confirm(self, token: str, address: str) -> Confirmed:
        with writing(self.engine) as tx:
            row = self._confirmation(tx, token)
            if row is None:
                raise LinkExpired()
            used = tx.execute(delete(confirmations).where(confirmations.c.token_hash == row.token_hash))
            if not used.rowcount:
                raise LinkExpired()
            wanted = json.loads(self.unseal(row.payload, "confirmations.payload", row.token_hash))
            if row.purpose == "email":
                self._free_email(tx, wanted["email"])
                self._write_email(tx, row.person, wanted["email"])
                self.note(tx, "email.changed", person=row.person, address=address)
                return Confirmed(PersonId(row.person), row.purpose)
            person = self._write_person(tx, row.addressee, wanted)
            self.note(tx, "registration.confirmed", person=person, address=address)
            asked = self._first_party(tx, person, wanted)
            return Confirmed(person, row.purpose, asked)

    def awaits_confirmation(self, token: str) -> bool:
        """True while the link can still be used; looking does not use it up (mail scanners open every link)."""
        with reading(self.engine) as tx:
            return self._confirmation(tx, token) is not None

    def add_person(
        self, document: str, name: str, email: str, phone: str, password: str, *, by: str, with_party: bool = True
    ) -> PersonId:
        """Open a confirmed account without mail: the command line (office holders) and the demonstration. PersonFault.

        with_party: as a natural person who may compete; False for office holders.
        """
        wanted = self._checked(NATURAL, document, name, email, phone, password, "", "")
        wanted["password_hash"] = self.hasher.hash(password)
        with writing(self.engine) as tx:
            person = self._write_person(tx, new_id("p"), wanted)
            if with_party:
                self.add_party(tx, person, Cpf(wanted["cpf"]), wanted["name"])
            self.note(tx, "person.added", person=person, by=by)
        return person

    def contact_of(self, tx: Connection, person: str) -> Contact:
        """How to reach a person, or the addressee of a confirmation still to come. LookupError when there is none."""
        row = tx.execute(select(persons).where(persons.c.id == person)).first()
        if row is not None:
            return self.contact_in(row, person)
        waiting = tx.execute(select(confirmations).where(confirmations.c.addressee == person)).first()
        if waiting is None:
            raise LookupError(f"no person {person}")
        wanted = json.loads(self.unseal(waiting.payload, "confirmations.payload", waiting.token_hash))
        return Contact(wanted["name"], wanted["email"])

    def email_of(self, tx: Connection, person: str) -> str | None:
        """Where to mail a person, somebody still to be confirmed, a subscriber, the sender of a letter."""
        if person.startswith("l_"):
            return self.letters.email_of(tx, person)
        if person.startswith("a_"):
            return self.subscribers.email_of(tx, person)
        try:
            return self.contact_of(tx, person).email or None
        except LookupError:
            return None

    # -- one's own data -------------------------------------------------------------------------------------------

    def change_phone(self, person: str, phone: str) -> None:
        """Keep another telephone. PersonFault."""
        taken = self.checked_phone(phone)
        with writing(self.engine) as tx:
            self.person_row(tx, person)
            sealed = self.shut(taken.bare, "persons.phone", person)
            tx.execute(update(persons).where(persons.c.id == person).values(phone=sealed))
            self.note(tx, "phone.changed", person=person)

    def ask_new_email(self, person: str, email: str, address: str = "") -> Registration:
        """Token for the new e-mail, to be sent to `addressee`; the old one stays until the link is opened.

        PersonFault, TooManyTries. Like `register`, it does not tell whether somebody else has that e-mail.
        """
        wanted = self.checked_email(email)
        with writing(self.engine) as tx:
            pair = (rates.REGISTER_PAIR, f"{person} {wanted.casefold()}")
            self.rates.take(tx, self.now(), [pair, (rates.REGISTER_EMAIL, wanted.casefold())])
            row = self.person_row(tx, person)
            known = self.find_person(tx, wanted)
            if known is not None:
                return Registration(PersonId(known.id))
            name = self.unseal(row.name, "persons.name", row.id)
            addressee = new_id("p")
            token = self._await_confirmation(tx, "email", addressee, {"email": wanted, "name": name}, person)
            self.note(tx, "email.asked", person=person, address=address)
        return Registration(PersonId(addressee), token)

    # -- inside ---------------------------------------------------------------------------------------------------

    def _checked(
        self, kind: str, document: str, name: str, email: str, phone: str, password: str, cnpj: str, company_name: str
    ) -> dict[str, str]:
        if kind not in (NATURAL, LEGAL):
            raise PersonFault("kind", "Escolha por quem você participa.", f"{NATURAL} ou {LEGAL}")
        try:
            cpf = Cpf(document).bare
        except IdentityError as error:
            raise PersonFault("document", f"O CPF {error.reason_pt}.", error.passes) from error
        wanted = {
            "kind": kind,
            "cpf": cpf,
            "name": self.checked_name(name),
            "email": self.checked_email(email),
            "phone": self.checked_phone(phone).bare,
            "cnpj": "",
            "company_name": "",
        }
        if kind == LEGAL:
            try:
                wanted["cnpj"] = Cnpj(cnpj).bare
            except IdentityError as error:
                raise PersonFault("cnpj", f"O CNPJ {error.reason_pt}.", error.passes) from error
            wanted["company_name"] = self.checked_name(company_name, "company_name", words=1)
        faults = password_faults(password, cpf=cpf, email=wanted["email"])
        if faults:
            raise PersonFault("password", " ".join(faults))
        return wanted

    def _await_confirmation(
        self, tx: Connection, purpose: str, addressee: str, wanted: dict[str, str], person: str | None = None
    ) -> str:
        now = self.now()
        # What nobody confirmed is forgotten (LGPD, art. 15, I): its purpose has ended.
        tx.execute(delete(confirmations).where(confirmations.c.expires_at <= now))
        token = secrets.token_urlsafe(32)
        hashed = token_hash(token)
        row = {
            "token_hash": hashed,
            "addressee": addressee,
            "purpose": purpose,
            "person": person,
            "payload": self.shut(json.dumps(wanted), "confirmations.payload", hashed),
            "created_at": now,
            "expires_at": now + CONFIRM_WITHIN,
        }
        tx.execute(insert(confirmations), row)
        return token

    def _confirmation(self, tx: Connection, token: str) -> Any:
        query = select(confirmations).where(
            confirmations.c.token_hash == token_hash(token), confirmations.c.expires_at > self.now()
        )
        return tx.execute(query).first()

    def _write_person(self, tx: Connection, person: str, wanted: dict[str, str]) -> PersonId:
        if self.find_person(tx, wanted["cpf"]) is not None:
            raise PersonFault("document", "Este CPF já tem cadastro. Entre com ele ou peça outra senha.")
        self._free_email(tx, wanted["email"])
        tx.execute(
            insert(persons),
            {
                "id": person,
                "cpf": self.shut(wanted["cpf"], "persons.cpf", person),
                "cpf_index": self.seal.index("document", wanted["cpf"]),
                "name": self.shut(wanted["name"], "persons.name", person),
                "email": self.shut(wanted["email"], "persons.email", person),
                "email_index": self.seal.index("email", wanted["email"].casefold()),
                "phone": self.shut(wanted["phone"], "persons.phone", person),
                "password_hash": wanted["password_hash"],
                "created_at": self.now(),
            },
        )
        return PersonId(person)

    def _free_email(self, tx: Connection, email: str) -> None:
        if self.find_person(tx, email) is not None:
            raise PersonFault("email", "Este e-mail já é de outro cadastro. Use outro ou peça outra senha.")

    def _write_email(self, tx: Connection, person: str, email: str) -> None:
        values = {
            "email": self.shut(email, "persons.email", person),
            "email_index": self.seal.index("email", email.casefold()),
        }
        tx.execute(update(persons).where(persons.c.id == person).values(**values))

    def _first_party(self, tx: Connection, person: PersonId, wanted: dict[str, str]) -> str:
        """The party he registered for; its id when it is a company that has others who must accept him first."""
        if wanted["kind"] == NATURAL:
            self.add_party(tx, person, Cpf(wanted["cpf"]), wanted["name"])
            return ""
        party, status = self.add_party(tx, person, Cnpj(wanted["cnpj"]), wanted["company_name"])
        return party if status == "asked" else ""
