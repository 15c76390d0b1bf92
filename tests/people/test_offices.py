"""Offices: who was appointed by which act, from when to when, and what may not meet in one person."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Connection, Engine

from tender.acts import OFFICES_ROLES, Refusal, Role
from tender.clock import FrozenClock
from tender.law import L14133
from tender.ledger import reading
from tender.people import People
from tests.people.made import appoint, register


def roles(people: People, person: str) -> frozenset[Role]:
    with reading(people.engine) as tx:
        return people.roles_of(tx, person)


def test_an_office_is_held_from_its_act_until_its_end(people: People, clock: FrozenClock) -> None:
    marta = appoint(people, 9)
    people.grant(Role.PREGOEIRO, marta.id, "instalação", "Portaria 1/2027", until=clock.now() + timedelta(days=1))
    assert roles(people, marta.id) == {Role.PREGOEIRO}
    clock.advance(timedelta(days=1, microseconds=-1))
    assert roles(people, marta.id) == {Role.PREGOEIRO}
    clock.advance(timedelta(microseconds=1))
    assert roles(people, marta.id) == frozenset()
    people.grant(Role.PREGOEIRO, marta.id, "instalação", "Portaria 2/2027")
    assert roles(people, marta.id) == {Role.PREGOEIRO}


def test_an_office_is_revoked_by_an_act_and_its_history_stays(people: People, engine: Engine) -> None:
    marta, otavio = appoint(people, 9, "Marta Reis Lima"), appoint(people, 10)
    people.grant(Role.COMMISSION, marta.id, otavio.id, "Portaria 1/2027")
    people.revoke_office(Role.COMMISSION, marta.id, otavio.id, "Portaria 3/2027")
    assert roles(people, marta.id) == frozenset()
    with pytest.raises(LookupError):
        people.revoke_office(Role.COMMISSION, marta.id, otavio.id, "Portaria 3/2027")
    (past,) = people.appointments()
    assert (past.name, past.role, past.act) == ("Marta Reis Lima", Role.COMMISSION, "Portaria 1/2027")
    assert past.revoked_at is not None
    with reading(engine) as tx:
        assert people.holders_of(tx, Role.COMMISSION) == ()


def test_nobody_is_appointed_twice_to_the_same_office(people: People) -> None:
    marta = appoint(people, 9)
    people.grant(Role.COMMISSION, marta.id, "instalação", "Portaria 1/2027")
    with pytest.raises(Refusal, match="já exerce"):
        people.grant(Role.COMMISSION, marta.id, "instalação", "Portaria 1/2027")
    assert len(people.appointments()) == 1


@pytest.mark.parametrize(
    ("held", "wanted", "may"),
    [
        (Role.PREGOEIRO, Role.COMMISSION, True),
        (Role.MAYOR, Role.SECRETARIAT, True),
        (Role.COMMISSION, Role.SECRETARIAT, True),
        (Role.MAYOR, Role.PREGOEIRO, False),
        (Role.COMMISSION, Role.MAYOR, False),
        *[(Role.CONTROL, other, False) for other in sorted(OFFICES_ROLES - {Role.CONTROL})],
        *[(other, Role.TECHNICIAN, False) for other in sorted(OFFICES_ROLES - {Role.TECHNICIAN})],
    ],
)
def test_what_may_not_meet_in_one_person(people: People, held: Role, wanted: Role, may: bool) -> None:
    marta = appoint(people, 9)
    people.grant(held, marta.id, "instalação", "Portaria 1/2027")
    if may:
        people.grant(wanted, marta.id, "instalação", "Portaria 2/2027")
        assert roles(people, marta.id) == {held, wanted}
        return
    with pytest.raises(Refusal) as refused:
        people.grant(wanted, marta.id, "instalação", "Portaria 2/2027")
    assert refused.value.law == L14133(7, 1)
    assert roles(people, marta.id) == {held}


def test_whoever_is_enrolled_is_not_appointed_and_whoever_is_not_is(people: People) -> None:
    ana, rui = register(people, 7), register(people, 8, "Rui Sampaio")
    with reading(people.engine) as tx:
        (party,) = people.parties_of(tx, ana.id)

    def is_enrolled(tx: Connection, asked: str) -> bool:
        return asked == party.id

    with pytest.raises(Refusal) as refused:
        people.grant(Role.COMMISSION, ana.id, "instalação", "Portaria 1/2027", is_enrolled=is_enrolled)
    assert refused.value.law == L14133(9, 1)
    people.grant(Role.COMMISSION, rui.id, "instalação", "Portaria 1/2027", is_enrolled=is_enrolled)


def test_whoever_holds_an_office_may_not_enrol_himself_nor_his_company(people: People, clock: FrozenClock) -> None:
    ana = register(people, 7)
    with reading(people.engine) as tx:
        (party,) = people.parties_of(tx, ana.id)
        assert not people.office_holder(tx, party.id)
    people.grant(Role.SECRETARIAT, ana.id, "instalação", "Portaria 1/2027", until=clock.now() + timedelta(days=1))
    with reading(people.engine) as tx:
        assert people.office_holder(tx, party.id)
        assert not people.office_holder(tx, "pt_ninguem")
    clock.advance(timedelta(days=1))
    with reading(people.engine) as tx:
        assert not people.office_holder(tx, party.id)


@pytest.mark.parametrize("role", [Role.PUBLIC, Role.BIDDER, Role.SYSTEM])
def test_only_offices_are_held_by_appointment(people: People, role: Role) -> None:
    marta = appoint(people, 9)
    with pytest.raises(AssertionError):
        people.grant(role, marta.id, "instalação", "Portaria 1/2027")
    with pytest.raises(AssertionError):
        people.grant(Role.COMMISSION, marta.id, "instalação", " ")
    with pytest.raises(LookupError):
        people.grant(Role.COMMISSION, "p_ninguem", "instalação", "Portaria 1/2027")


def test_holders_of_an_office_stand_in_order_of_appointment(people: People, clock: FrozenClock) -> None:
    one, two = appoint(people, 9), appoint(people, 10)
    people.grant(Role.COMMISSION, two.id, "instalação", "Portaria 1/2027")
    clock.advance(timedelta(seconds=1))
    people.grant(Role.COMMISSION, one.id, "instalação", "Portaria 1/2027")
    with reading(people.engine) as tx:
        assert people.holders_of(tx, Role.COMMISSION) == (two.id, one.id)
        assert people.holders_of(tx, Role.MAYOR) == ()
