"""Pseudonyms: the only name a bidder has in the book, one per stand, drawn by chance.

Drawn and not computed: what is derived from a person can be tried out against every CPF there is. Who is behind one
can be asked only after the names of its stand were opened, and every answer is written down with its reader and
reason. Two logged exceptions before that: the telephone for help (never the name), and the program itself when it
must write to whoever is behind.
"""

from __future__ import annotations

import secrets

from sqlalchemy import Connection, bindparam, delete, insert, select

from tender.acts import PersonId, Pseudonym, Refusal
from tender.identity import Phone
from tender.law import D10024
from tender.people.parties import Parties
from tender.people.tables import name_openings, persons, pseudonyms, representations

ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # no 0 O 1 I: read aloud and typed from paper
LENGTH = 10  # 50 bits

# Every bid asks for these: put together once.
_SEALED = select(pseudonyms.c.party).where(pseudonyms.c.pseudonym == bindparam("pseudonym"))
_ACTS = select(representations.c.id).where(
    representations.c.party == bindparam("party"),
    representations.c.person == bindparam("person"),
    representations.c.status == "active",
)


class Pseudonyms(Parties):
    """The map between parties and pseudonyms. Methods take the caller's transaction first."""

    def pseudonym_for(self, tx: Connection, edital: str, stand: str | int, party: str) -> Pseudonym:
        """The party's pseudonym at this stand; drawn at the first call, the same ever after."""
        index = self.seal.index("pseudonym", f"{edital}\0{stand}\0{party}")
        known = tx.execute(select(pseudonyms.c.pseudonym).where(pseudonyms.c.party_index == index)).scalar()
        if known is not None:
            return Pseudonym(known)
        drawn = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
        row = {
            "pseudonym": drawn,
            "edital": edital,
            "stand": str(stand),
            "party": self.shut(party, "pseudonyms.party", drawn),
            "party_index": index,
        }
        tx.execute(insert(pseudonyms), row)
        return Pseudonym(drawn)

    def own_pseudonyms(self, tx: Connection, person: str, edital: str) -> dict[str, Pseudonym]:
        """{stand: pseudonym} of the parties this person acts for: what makes the label "você"."""
        mine = [party.id for party in self.parties_of(tx, person)]
        stands = tx.execute(select(pseudonyms.c.stand).where(pseudonyms.c.edital == edital).distinct()).scalars().all()
        wanted = {
            self.seal.index("pseudonym", f"{edital}\0{stand}\0{party}"): stand for stand in stands for party in mine
        }
        query = select(pseudonyms.c.party_index, pseudonyms.c.pseudonym).where(
            pseudonyms.c.party_index.in_(list(wanted))
        )
        return {wanted[row.party_index]: Pseudonym(row.pseudonym) for row in tx.execute(query)}

    def open_names(self, tx: Connection, edital: str, stand: str | int) -> None:
        """The stand closed: from now on its names may be read. Calling it twice changes nothing."""
        if not self.names_are_open(tx, edital, stand):
            row = {"edital": edital, "stand": str(stand), "opened_at": self.now()}
            tx.execute(insert(name_openings), row)
            self.note(tx, "names.opened", by="sistema", detail=f"{edital} ponto {stand}")

    def seal_names(self, tx: Connection, edital: str, stand: str | int) -> None:
        """The stand was reopened (an appeal upheld): nobody reads its names until it closes again."""
        tx.execute(delete(name_openings).where(name_openings.c.edital == edital, name_openings.c.stand == str(stand)))
        self.note(tx, "names.sealed", by="sistema", detail=f"{edital} ponto {stand}")

    def names_are_open(self, tx: Connection, edital: str, stand: str | int) -> bool:
        """True once the stand closed."""
        query = select(name_openings.c.opened_at).where(
            name_openings.c.edital == edital, name_openings.c.stand == str(stand)
        )
        return tx.execute(query).first() is not None

    def party_of_pseudonym(self, tx: Connection, pseudonym: str, reader: str, why: str) -> str:
        """The party id behind a pseudonym, logged. Refusal while the stand has not closed; LookupError when unknown.

        A refused reading is not logged here (the caller's transaction falls with it): the desk keeps its refusals.
        """
        edital, stand, party = self._behind(tx, pseudonym)
        if not self.names_are_open(tx, edital, stand):
            raise Refusal(
                "Os nomes só se abrem quando o ponto encerra; até lá ninguém os vê.",
                D10024(30, 5),
                code="nomes_lacrados",
                got=pseudonym,
            )
        self.log_reading(tx, reader, "party", pseudonym, why, edital, stand)
        return party

    def phone_for_help(self, tx: Connection, pseudonym: str, reader: str, why: str) -> tuple[Phone, ...]:
        """Telephones of those who act for a pseudonym, without their names: help during the session, logged."""
        edital, stand, party = self._behind(tx, pseudonym)
        self.log_reading(tx, reader, "contact", pseudonym, why, edital, stand)
        found = []
        for person in self.representatives_of(tx, party):
            sealed = tx.execute(select(persons.c.phone).where(persons.c.id == person)).scalar()
            bare = self.unseal(sealed, "persons.phone", person)
            if bare:
                found.append(Phone(bare))
        return tuple(found)

    def addressees(self, tx: Connection, who: str, why: str) -> tuple[PersonId, ...]:
        """Persons to write to on behalf of a person id, a party id or a pseudonym (logged): for notices only."""
        if who.startswith(("p_", "l_", "a_")):  # a person, the sender of a letter, a subscriber
            return (PersonId(who),)
        if who.startswith("pt_"):
            return self.representatives_of(tx, who)
        edital, stand, party = self._behind(tx, who)
        self.log_reading(tx, "sistema", "addressees", who, why, edital, stand)
        return self.representatives_of(tx, party)

    def acts_for(self, tx: Connection, person: str, value: str) -> bool:
        """Is this person id, party id or pseudonym the person's own, or one that the person represents?

        Only yes or no, about oneself: that is no reading of a name, so it is not logged. False for what is unknown.
        """
        if value == person:
            return True
        if value.startswith("pt_"):
            party = value
        else:
            sealed = tx.execute(_SEALED, {"pseudonym": value}).scalar()
            if sealed is None:
                return False
            party = self.unseal(sealed, "pseudonyms.party", value)
        return tx.execute(_ACTS, {"party": party, "person": person}).first() is not None

    def _behind(self, tx: Connection, pseudonym: str) -> tuple[str, str, str]:
        row = tx.execute(select(pseudonyms).where(pseudonyms.c.pseudonym == pseudonym)).first()
        if row is None:
            raise LookupError(f"no pseudonym {pseudonym}")
        return row.edital, row.stand, self.unseal(row.party, "pseudonyms.party", pseudonym)
