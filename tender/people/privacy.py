"""What the LGPD asks of us: show people what is kept of them, forget what has no purpose any more."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import delete, or_, select, update

from tender.acts import Refusal
from tender.identity import Cpf
from tender.law import L14133
from tender.ledger import reading, writing
from tender.people.pseudonyms import Pseudonyms
from tender.people.rates import LONGEST
from tender.people.sign_in import DEVICE_FOR, SignIn
from tender.people.tables import (
    confirmations,
    devices,
    name_readings,
    parties,
    persons,
    rates,
    representations,
    resets,
    sessions,
)

SESSIONS_KEPT = timedelta(days=90)  # long enough to tell a known address, and to look into a misuse


class Privacy(SignIn, Pseudonyms):
    """Showing, forgetting, sweeping."""

    def export_of(self, person: str) -> dict[str, Any]:
        """Everything kept of a person here, as plain data (LGPD, art. 18): data, parties, offices, sessions, security
        events, and how often who read the names of his parties. Passwords and secrets are no data of the export."""
        with reading(self.engine) as tx:
            row = self.person_row(tx, person)
            contact = self.contact_in(row, person)
            acted_for = self.parties_of(tx, person)
            seen = select(name_readings).where(name_readings.c.subject.in_([party.id for party in acted_for]))
            readings = tx.execute(seen.order_by(name_readings.c.at)).all()
            events = self.log_of(tx, person, limit=1000)
        phone = str(contact.phone) if contact.phone else ""
        return {
            "identificador": person,
            "nome": contact.name,
            "cpf": str(Cpf(self.unseal(row.cpf, "persons.cpf", person))),
            "email": contact.email,
            "telefone": phone,
            "cadastrado_em": row.created_at.isoformat(),
            "participa_por": [
                {"tipo": one.kind, "documento": str(one.document), "nome": one.name} for one in acted_for
            ],
            "cargos": [
                {"cargo": one.role.label, "ato": one.act, "desde": one.granted_at.isoformat()}
                for one in self.appointments()
                if one.person == person
            ],
            "acessos_abertos": [
                {"aparelho": one.user_agent, "endereco": one.address, "desde": one.opened_at.isoformat()}
                for one in self.sessions_of(person)
            ],
            "registros": [
                {"em": one["at"].isoformat(), "o_que": one["what"], "endereco": one["address"]} for one in events
            ],
            "leituras": [{"em": one.at.isoformat(), "quem": one.reader, "motivo": one.why} for one in readings],
        }

    def forget(self, person: str, by: str, act: str) -> None:
        """Eliminate a person's data by an act (LGPD, arts. 16 and 18), or free a CPF that somebody else registered.

        The id stays, so that the book keeps its meaning; names, number and contacts go. A company stays. Refusal while
        the person holds an office.
        """
        assert act.strip(), "an elimination names its act"
        with writing(self.engine) as tx:
            row = self.person_row(tx, person)
            if self.roles_of(tx, person):
                raise Refusal("Quem exerce cargo não é eliminado antes da exoneração.", L14133(7), code="exerce_cargo")
            gone = {"cpf": None, "cpf_index": None, "name": None, "email": None, "email_index": None, "phone": None}
            own = (parties.c.document_index == row.cpf_index) if row.cpf_index else parties.c.id.is_(None)
            tx.execute(update(parties).where(own).values(document=None, document_index=None, name=None))
            tx.execute(
                update(persons).where(persons.c.id == person).values(**gone, password_hash="!", forgotten_at=self.now())  # noqa: S106 - no hash fits
            )
            tx.execute(
                update(representations)
                .where(representations.c.person == person, representations.c.status != "ended")
                .values(status="ended", ended_at=self.now(), ended_by=by)
            )
            self._end(tx, sessions.c.person == person, "forgotten")
            tx.execute(delete(sessions).where(sessions.c.person == person))
            tx.execute(delete(devices).where(devices.c.person == person))
            tx.execute(delete(resets).where(resets.c.person == person))
            tx.execute(delete(confirmations).where(confirmations.c.person == person))
            self.drop_factor(tx, person, by, act)
            self.note(tx, "person.forgotten", person=person, by=by, detail=act)

    def sweep(self) -> int:
        """Forget what has served: old sessions, links, browsers and counted tries. Returns how many rows went."""
        now = self.now()
        stale = or_(sessions.c.expires_at <= now - SESSIONS_KEPT, sessions.c.ended_at <= now - SESSIONS_KEPT)
        with writing(self.engine) as tx:
            done = [
                tx.execute(delete(table).where(which)).rowcount
                for table, which in (
                    (sessions, stale),
                    (confirmations, confirmations.c.expires_at <= now),
                    (resets, resets.c.expires_at <= now),
                    (devices, devices.c.last_seen_at <= now - DEVICE_FOR),
                    (rates, rates.c.at <= now - LONGEST),
                )
            ]
            done += [self.letters.sweep(tx, now), self.subscribers.sweep(tx, now)]
        return sum(done)
