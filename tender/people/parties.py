"""Parties: who competes (a CPF or a CNPJ), who acts for them, and who is barred.

A person signs in; a party enrols. The natural person is a party of his own; a company has representatives, of whom
the first registers it and accepts the others: nobody joins a company by typing its CNPJ. That the first one may act
for it is proved by the company's papers in the habilitation, not here.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, Connection, insert, or_, select, update

from tender.acts import PersonId, Refusal
from tender.identity import Cnpj, Cpf, cpf_or_cnpj
from tender.law import L14133
from tender.people.base import Base
from tender.people.tables import bars, name_readings, new_id, offices, parties, persons, representations
from tender.people.words import Bar, PartyView, PersonFault, Representation


class Parties(Base):
    """Who competes and who acts for them. Methods take the caller's transaction first."""

    def add_party(self, tx: Connection, person: str, document: Cpf | Cnpj, name: str) -> tuple[str, str]:
        """Let a person act for a party, registering it if it is new. Returns (party id, "active" | "asked").

        PersonFault when the CPF is not his own. A company that has representatives must accept him first ("asked").
        """
        index = self.seal.index("document", document.bare)
        own = tx.execute(select(persons.c.cpf_index).where(persons.c.id == person)).scalar()
        if isinstance(document, Cpf) and own != index:
            raise PersonFault("document", "Como pessoa física, cada um participa só com o próprio CPF.")
        found = tx.execute(select(parties.c.id).where(parties.c.document_index == index)).scalar()
        party = found or self._write_party(tx, document, index, name)
        held = self._live(tx, party, person)
        if held is not None:
            return party, held.status
        taken = found is not None and bool(self.representatives_of(tx, party)) and isinstance(document, Cnpj)
        status = "asked" if taken else "active"
        now = self.now()
        tx.execute(
            insert(representations),
            {
                "id": new_id("x"),
                "party": party,
                "person": person,
                "status": status,
                "asked_at": now,
                "answered_at": None if taken else now,
                "answered_by": None if taken else person,
            },
        )
        self.note(tx, f"representation.{status}", person=person, detail=party)
        return party, status

    def answer_representation(self, tx: Connection, representation: str, by: str, accept: bool, act: str = "") -> None:
        """Accept or refuse who asks to act for a company. `by`: an active representative of it, or anybody with an
        `act` (the command line). Refusal otherwise."""
        row = tx.execute(select(representations).where(representations.c.id == representation)).first()
        if row is None or row.status != "asked":
            raise Refusal("Este pedido já foi respondido.", L14133(66), code="ja_respondido")
        if not act and by not in self.representatives_of(tx, row.party):
            raise Refusal("Só quem representa a empresa responde a este pedido.", L14133(66), code="de_outra_pessoa")
        values: dict[str, Any] = {
            "status": "active" if accept else "ended",
            "answered_at": self.now(),
            "answered_by": by,
        }
        tx.execute(update(representations).where(representations.c.id == representation).values(**values))
        word = "representation.active" if accept else "representation.refused"
        self.note(tx, word, person=row.person, by=by, detail=f"{row.party} {act}".strip())

    def end_representation(self, tx: Connection, party: str, person: str, by: str, act: str = "") -> None:
        """A person stops acting for a company: he himself, another representative, or an `act`. Refusal when it would
        leave the company with nobody, or when `by` has no say."""
        active = self.representatives_of(tx, party)
        if not act and by != person and by not in active:
            raise Refusal("Só quem representa a empresa pode fazer isso.", L14133(66), code="de_outra_pessoa")
        if not act and active == (person,):
            raise Refusal(
                "A empresa ficaria sem representante. Aceite outro antes de sair.",
                L14133(66),
                code="ultimo_representante",
            )
        tx.execute(
            update(representations)
            .where(
                representations.c.party == party,
                representations.c.person == person,
                representations.c.status != "ended",
            )
            .values(status="ended", ended_at=self.now(), ended_by=by)
        )
        self.note(tx, "representation.ended", person=person, by=by, detail=f"{party} {act}".strip())

    def representatives_of(self, tx: Connection, party: str) -> tuple[PersonId, ...]:
        """Persons who act for a party now, in order of id."""
        query = select(representations.c.person).where(
            representations.c.party == party, representations.c.status == "active"
        )
        return tuple(PersonId(one) for one in tx.execute(query.order_by(representations.c.person)).scalars())

    def parties_of(self, tx: Connection, person: str) -> tuple[PartyView, ...]:
        """Parties a person acts for now; the natural person first, then companies by name."""
        query = (
            select(parties)
            .join(representations, representations.c.party == parties.c.id)
            .where(representations.c.person == person, representations.c.status == "active")
        )
        views = [self._party(row) for row in tx.execute(query)]
        return tuple(sorted(views, key=lambda one: (isinstance(one.document, Cnpj), one.name)))

    def representations_of(self, tx: Connection, person: str) -> tuple[Representation, ...]:
        """What a person asked for himself and is not ended, and what others ask of the companies he acts for."""
        mine = select(representations.c.party).where(
            representations.c.person == person, representations.c.status == "active"
        )
        query = (
            select(representations, persons.c.name.label("person_name"))
            .join(persons, persons.c.id == representations.c.person)
            .where(
                representations.c.status == "asked",
                or_(representations.c.person == person, representations.c.party.in_(mine)),
            )
        )
        return tuple(
            Representation(
                id=row.id,
                party=self.party(tx, row.party),
                person=PersonId(row.person),
                person_name=self.unseal(row.person_name, "persons.name", row.person),
                status=row.status,
                asked_at=row.asked_at,
            )
            for row in tx.execute(query.order_by(representations.c.asked_at)).all()
        )

    # -- names ----------------------------------------------------------------------------------------------------

    def party(self, tx: Connection, party: str) -> PartyView:
        """Document and name of a party id. LookupError when there is none (or it was forgotten)."""
        row = tx.execute(select(parties).where(parties.c.id == party)).first()
        if row is None or not row.document:
            raise LookupError(f"no party {party}")
        return self._party(row)

    def name_of(self, tx: Connection, who: str) -> str:
        """Name of a party or of a person (office holders in the ata); "(dados eliminados)" when forgotten."""
        table = parties if who.startswith("pt_") else persons
        row = tx.execute(select(table.c.name).where(table.c.id == who)).first()
        if row is None:
            raise LookupError(f"nobody is {who}")
        return self.unseal(row.name, f"{table.name}.name", who) or "(dados eliminados)"

    def public_name(self, tx: Connection, who: str) -> str:
        """As public pages and papers print it: "Maria da Silva (CPF ***.456.789-**)", a company with its whole CNPJ,
        an office holder by the name alone."""
        if not who.startswith("pt_"):
            return self.name_of(tx, who)
        row = tx.execute(select(parties).where(parties.c.id == who)).first()
        return self._party(row).public if row is not None and row.document else self.name_of(tx, who)

    def document_of(self, tx: Connection, party: str, reader: str, why: str) -> Cpf | Cnpj:
        """The whole document, for those who compare it with papers; the reading is logged. LookupError."""
        self.log_reading(tx, reader, "document", party, why)
        return self.party(tx, party).document

    def log_reading(
        self, tx: Connection, reader: str, what: str, subject: str, why: str, edital: str = "", stand: str = ""
    ) -> None:
        """Write down who read what of whom, and why. An empty reason is an AssertionError."""
        assert why.strip(), "a reading of personal data needs its reason"
        row = {
            "id": new_id("x"),
            "at": self.now(),
            "reader": reader,
            "what": what,
            "subject": subject,
            "edital": edital,
            "stand": stand,
            "why": why,
        }
        tx.execute(insert(name_readings), row)

    # -- who may not enrol ----------------------------------------------------------------------------------------

    def office_holder(self, tx: Connection, party: str) -> bool:
        """True when somebody who acts for the party holds an office now (Lei 14.133, art. 9º, § 1º)."""
        now = self.now()
        query = (
            select(offices.c.id)
            .join(representations, representations.c.person == offices.c.person)
            .where(representations.c.party == party, representations.c.status == "active", *_in_force(now))
        )
        return tx.execute(query.limit(1)).first() is not None

    def bar(self, tx: Connection, party: str, act: str, since: datetime, until: datetime | None = None) -> None:
        """Bar a party (art. 24, parágrafo único): by its number, so that a new registration changes nothing."""
        self.bar_number(tx, self.party(tx, party).document, act, since, until)

    def bar_number(
        self, tx: Connection, document: Cpf | Cnpj, act: str, since: datetime, until: datetime | None = None
    ) -> None:
        """Bar a CPF or CNPJ, registered here or not (revocations older than this program)."""
        row_id = new_id("x")
        row = {
            "id": row_id,
            "document": self.shut(document.bare, "bars.document", row_id),
            "document_index": self.seal.index("document", document.bare),
            "act": act,
            "since": since,
            "until": until,
        }
        tx.execute(insert(bars), row)
        self.note(tx, "bar.set", by="registro", detail=act)

    def lift_bar(self, tx: Connection, document: Cpf | Cnpj, act: str) -> None:
        """End the bars of a number: rehabilitation, or the revocation fell on appeal."""
        index = self.seal.index("document", document.bare)
        tx.execute(
            update(bars)
            .where(bars.c.document_index == index, bars.c.lifted_at.is_(None))
            .values(lifted_at=self.now(), lifting_act=act)
        )
        self.note(tx, "bar.lifted", by="registro", detail=act)

    def bars_of(self, tx: Connection, party: str) -> tuple[Bar, ...]:
        """Bars in force against the party's own number, oldest first."""
        index = tx.execute(select(parties.c.document_index).where(parties.c.id == party)).scalar()
        return self._bars(tx, (index,))

    def bars_behind(self, tx: Connection, party: str) -> tuple[Bar, ...]:
        """Bars in force against persons who act for the party: for the commission to weigh, not a bar by itself."""
        query = select(persons.c.cpf_index).where(persons.c.id.in_(self.representatives_of(tx, party)))
        return self._bars(tx, tuple(tx.execute(query).scalars()))

    def is_barred(self, tx: Connection, party: str) -> bool:
        """True when the party's own number is barred now."""
        return bool(self.bars_of(tx, party))

    # -- inside ---------------------------------------------------------------------------------------------------

    def _bars(self, tx: Connection, indexes: tuple[Any, ...]) -> tuple[Bar, ...]:
        now = self.now()
        query = select(bars).where(
            bars.c.document_index.in_(indexes),
            bars.c.lifted_at.is_(None),
            bars.c.since <= now,
            or_(bars.c.until.is_(None), bars.c.until > now),
        )
        return tuple(Bar(row.act, row.since, row.until) for row in tx.execute(query.order_by(bars.c.since, bars.c.id)))

    def _party(self, row: Any) -> PartyView:
        bare = self.unseal(row.document, "parties.document", row.id)
        return PartyView(row.id, cpf_or_cnpj(bare), self.unseal(row.name, "parties.name", row.id))

    def _write_party(self, tx: Connection, document: Cpf | Cnpj, index: str, name: str) -> str:
        party = new_id("pt")
        row = {
            "id": party,
            "kind": "pessoa física" if isinstance(document, Cpf) else "pessoa jurídica",
            "document": self.shut(document.bare, "parties.document", party),
            "document_index": index,
            "name": self.shut(name, "parties.name", party),
            "created_at": self.now(),
        }
        tx.execute(insert(parties), row)
        return party

    def _live(self, tx: Connection, party: str, person: str) -> Any:
        query = select(representations).where(
            representations.c.party == party,
            representations.c.person == person,
            representations.c.status != "ended",
        )
        return tx.execute(query).first()


def _in_force(now: datetime | BindParameter[Any]) -> tuple[Any, ...]:
    """Conditions of an office held at this hour (or at that of a bound parameter)."""
    return (
        offices.c.revoked_at.is_(None),
        offices.c.granted_at <= now,
        or_(offices.c.until.is_(None), offices.c.until > now),
    )
