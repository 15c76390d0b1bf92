"""What every part of people stands on: engine, clock, settings, the seal, the limits and the log."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from email_validator import EmailNotValidError, validate_email
from sqlalchemy import Connection, Engine, insert, select

from tender.acts import PersonId
from tender.clock import Clock
from tender.identity import Cpf, IdentityError, Phone
from tender.ledger import reading
from tender.people.letters import Letters
from tender.people.passwords import Hasher
from tender.people.rates import Rates
from tender.people.sealing import Seal
from tender.people.subscribers import Subscribers
from tender.people.tables import new_id, people_log, persons
from tender.people.words import Contact, PersonFault
from tender.settings import Settings

NAME_MAX = 120


class Base:
    """Shared by the parts; `People` puts them together."""

    def __init__(self, engine: Engine, clock: Clock, settings: Settings) -> None:
        self.engine = engine
        self.clock = clock
        self.settings = settings
        self.seal = Seal(settings.secret_key)
        self.rates = Rates(self.seal)
        self.hasher = Hasher()
        self.letters = Letters(self.seal)
        self.subscribers = Subscribers(self.seal)

    # -- the log --------------------------------------------------------------------------------------------------

    def note(
        self,
        tx: Connection,
        what: str,
        *,
        person: str | None = None,
        by: str = "",
        address: str = "",
        detail: str = "",
    ) -> None:
        """Write a security event. `detail` holds ids, roles and acts, never names or numbers."""
        row_id = new_id("x")
        row = {
            "id": row_id,
            "at": self.clock.now(),
            "what": what,
            "person": person,
            "by": by or person or "",
            "address": self.shut(address, "people_log.address", row_id),
            "detail": detail,
        }
        tx.execute(insert(people_log), row)

    def log_of(self, tx: Connection, person: str, limit: int = 50) -> list[dict[str, Any]]:
        """The last security events of a person, newest first: at, what, by, address, detail."""
        query = select(people_log).where(people_log.c.person == person)
        rows = tx.execute(query.order_by(people_log.c.at.desc(), people_log.c.id).limit(limit))
        return [
            {
                "at": row.at,
                "what": row.what,
                "by": row.by,
                "address": self.unseal(row.address, "people_log.address", row.id),
                "detail": row.detail,
            }
            for row in rows
        ]

    # -- sealed columns -------------------------------------------------------------------------------------------

    def shut(self, text: str, column: str, row: str) -> str:
        """Sealed for its column and row; an empty text stays empty."""
        return self.seal.shut(text, f"{column}:{row}") if text else ""

    def unseal(self, sealed: str | None, column: str, row: str) -> str:
        """What `shut` sealed; empty when there is nothing (somebody forgotten)."""
        return self.seal.open(sealed, f"{column}:{row}") if sealed else ""

    # -- persons --------------------------------------------------------------------------------------------------

    def find_person(self, tx: Connection, typed: str) -> Any:
        """The row of the person with this CPF or e-mail, as typed; None when there is none or it is neither."""
        return self._one(tx, self.account_index(typed))

    def account_index(self, typed: str) -> tuple[str, str]:
        """(column, blind index) of a CPF or an e-mail as typed; any other text gets an index that nobody has."""
        if "@" in typed:
            return "email_index", self.seal.index("email", typed.strip().casefold())
        try:
            return "cpf_index", self.seal.index("document", Cpf(typed).bare)
        except IdentityError:
            return "cpf_index", self.seal.index("neither", typed.strip().casefold()[:200])

    def _one(self, tx: Connection, found_by: tuple[str, str]) -> Any:
        column, index = found_by
        return tx.execute(select(persons).where(persons.c[column] == index)).first()

    def person_row(self, tx: Connection, person: str) -> Any:
        """The row of a person id. LookupError when there is none."""
        row = tx.execute(select(persons).where(persons.c.id == person)).first()
        if row is None:
            raise LookupError(f"no person {person}")
        return row

    def contact_in(self, row: Any, person: str) -> Contact:
        """Name, e-mail and phone of a person in a row that has these columns of persons."""
        phone = self.unseal(row.phone, "persons.phone", person)
        return Contact(
            name=self.unseal(row.name, "persons.name", person),
            email=self.unseal(row.email, "persons.email", person),
            phone=Phone(phone) if phone else None,
        )

    def find(self, typed: str) -> PersonId | None:
        """Person id of a CPF or e-mail, for the command line; None when nobody has it."""
        with reading(self.engine) as tx:
            row = self.find_person(tx, typed)
        return PersonId(row.id) if row else None

    # -- what is typed --------------------------------------------------------------------------------------------

    def checked_name(self, typed: str, field: str = "name", words: int = 2) -> str:
        """A name in one line. PersonFault when too short, too long or with signs that no name has."""
        name = re.sub(r"\s+", " ", typed).strip()
        if len(name) > NAME_MAX:
            raise PersonFault(field, f"O nome tem {len(name)} letras e pode ter até {NAME_MAX}.")
        if not name.isprintable() or re.search(r"[<>@{}\[\]\\|]", name):
            raise PersonFault(field, "O nome só leva letras, algarismos e sinais comuns.", "Maria Aparecida da Silva")
        if len(name.split(" ")) < words or not any(sign.isalpha() for sign in name):
            raise PersonFault(field, "Escreva o nome completo, como está no documento.", "Maria Aparecida da Silva")
        return name

    def checked_email(self, typed: str) -> str:
        """An e-mail as it will be written to. PersonFault when it cannot be one."""
        email = typed.strip()
        # Demonstrations and tests write to `.invalid`, which reaches nobody (RFC 2606).
        probe = email if self.settings.environment == "production" else re.sub(r"\.invalid$", ".com", email)
        try:
            validate_email(probe, check_deliverability=False, allow_smtputf8=False)
        except EmailNotValidError as error:
            raise PersonFault("email", "Este e-mail não está completo.", "maria@exemplo.com.br") from error
        return email

    def checked_phone(self, typed: str) -> Phone:
        """A Brazilian telephone with area code. PersonFault otherwise."""
        try:
            return Phone(typed)
        except IdentityError as error:
            raise PersonFault("phone", f"O telefone {error.reason_pt}.", error.passes) from error

    def now(self) -> datetime:
        """The hour of the house's clock (UTC)."""
        return self.clock.now()
