"""Offices: who was appointed to what, by which act, from when to when. They are never two at once by accident."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from sqlalchemy import Connection, bindparam, insert, select, update

from tender.acts import OFFICES_ROLES, PersonId, Refusal, Role
from tender.law import L14133
from tender.ledger import reading, writing
from tender.people.parties import Parties, _in_force
from tender.people.tables import new_id, offices, persons
from tender.people.words import OfficeView

CONDUCTS = frozenset({Role.PREGOEIRO, Role.COMMISSION})
APART = (
    # Segregation of functions (Lei 14.133, art. 7º, § 1º): whoever proposes never confirms, controls or holds the keys.
    (Role.MAYOR, CONDUCTS),
    (Role.CONTROL, OFFICES_ROLES - {Role.CONTROL}),
    (Role.TECHNICIAN, OFFICES_ROLES - {Role.TECHNICIAN}),
)

_ROLES = select(offices.c.role).where(offices.c.person == bindparam("person"), *_in_force(bindparam("now")))
"""Every request asks for it: put together once."""


class Offices(Parties):
    """Appointments."""

    def grant(
        self,
        role: Role,
        person: str,
        by: str,
        act: str,
        *,
        until: datetime | None = None,
        is_enrolled: Callable[[Connection, str], bool] | None = None,
    ) -> str:
        """Appoint a person by an act ("Portaria 12/2027"); returns the id of the office.

        is_enrolled(tx, party id) says whether a party competes in a tender that is not over. Refusal when the person
        competes (Lei 14.133, art. 9º, § 1º) or holds an office that this one may not meet (art. 7º, § 1º).
        """
        assert role in OFFICES_ROLES, f"{role} is not held by appointment"
        assert act.strip(), "an appointment names its act"
        with writing(self.engine) as tx:
            self.person_row(tx, person)
            held = self.roles_of(tx, person)
            if role in held:
                raise Refusal(f"Esta pessoa já exerce: {role.label}.", L14133(7), code="ja_nomeado")
            _keep_apart(role, held)
            if is_enrolled is not None and any(is_enrolled(tx, party.id) for party in self.parties_of(tx, person)):
                raise Refusal(
                    "Quem está inscrito em licitação em curso não pode ser nomeado para conduzi-la.",
                    L14133(9, 1),
                    code="inscrito",
                )
            office = new_id("x")
            row = {
                "id": office,
                "person": person,
                "role": role.value,
                "act": act,
                "granted_by": by,
                "granted_at": self.now(),
                "until": until,
            }
            tx.execute(insert(offices), row)
            self.note(tx, "office.granted", person=person, by=by, detail=f"{role.value} {act}")
        return office

    def revoke_office(self, role: Role, person: str, by: str, act: str) -> None:
        """End an appointment by an act. LookupError when the person does not hold the role."""
        with writing(self.engine) as tx:
            ended = tx.execute(
                update(offices)
                .where(offices.c.person == person, offices.c.role == role.value, *_in_force(self.now()))
                .values(revoked_at=self.now(), revoked_by=by, revoking_act=act)
            )
            if ended.rowcount == 0:
                raise LookupError(f"{person} does not hold {role.value}")
            self.note(tx, "office.revoked", person=person, by=by, detail=f"{role.value} {act}")

    def roles_of(self, tx: Connection, person: str) -> frozenset[Role]:
        """Offices that a person holds at this hour."""
        found = tx.execute(_ROLES, {"person": person, "now": self.now()})
        return frozenset(Role(one) for one in found.scalars())

    def holders_of(self, tx: Connection, role: Role) -> tuple[PersonId, ...]:
        """Persons who hold an office at this hour (whom notices and doubled acts need), in order of appointment."""
        query = select(offices.c.person).where(offices.c.role == role.value, *_in_force(self.now()))
        ordered = query.order_by(offices.c.granted_at, offices.c.id)
        return tuple(PersonId(one) for one in tx.execute(ordered).scalars())

    def appointments(self) -> tuple[OfficeView, ...]:
        """Every appointment, past ones too, newest first: who did what by which act is public."""
        query = select(offices, persons.c.name).join(persons, persons.c.id == offices.c.person)
        with reading(self.engine) as tx:
            rows = tx.execute(query.order_by(offices.c.granted_at.desc(), offices.c.id)).all()
        return tuple(
            OfficeView(
                id=row.id,
                person=PersonId(row.person),
                name=self.unseal(row.name, "persons.name", row.person),
                role=Role(row.role),
                act=row.act,
                granted_at=row.granted_at,
                until=row.until,
                revoked_at=row.revoked_at,
            )
            for row in rows
        )


def _keep_apart(role: Role, held: frozenset[Role]) -> None:
    for one, others in APART:
        met = held & others if role is one else held & {one} if role in others else frozenset()
        if met:
            named = ", ".join(sorted(other.label for other in met))
            raise Refusal(
                f"Quem exerce {named} não pode exercer também {role.label}.", L14133(7, 1), code="segregacao_de_funcoes"
            )
