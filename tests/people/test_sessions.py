"""Sessions: what a token opens, how long, and who may end it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Engine, select, text

from tender.acts import Role
from tender.clock import FrozenClock
from tender.ledger import reading
from tender.people import NotRecognised, People
from tender.people.sealing import token_hash
from tender.people.tables import sessions
from tests.people.made import BROWSER, HOME, PASSWORD, appoint, register


def test_a_token_opens_for_twenty_hours_to_the_microsecond(people: People, clock: FrozenClock) -> None:
    ana = register(people, 7)
    token = people.open_session(ana.id, BROWSER, HOME)
    actor = people.actor_for(token)
    assert actor is not None
    assert (actor.person, actor.second_factor) == (ana.id, False)
    assert actor.roles == {Role.PUBLIC, Role.APPLICANT, Role.BIDDER}
    clock.advance(timedelta(hours=20, microseconds=-1))
    assert people.actor_for(token) is not None
    clock.advance(timedelta(microseconds=1))
    assert people.actor_for(token) is None


def test_every_sign_in_has_its_own_token_of_256_bits_and_only_its_hash_is_kept(people: People, engine: Engine) -> None:
    ana = register(people, 7)
    tokens = {people.open_session(ana.id, BROWSER, HOME) for _ in range(5)}
    assert len(tokens) == 5
    assert all(len(token) == 43 for token in tokens)
    with reading(engine) as tx:
        rows = tx.execute(text("SELECT * FROM sessions")).all()
        kept = set(tx.execute(select(sessions.c.token_hash)).scalars())
    assert kept == {token_hash(token) for token in tokens}
    assert not any(token in str(rows) for token in tokens)


def test_what_was_never_given_out_opens_nothing(people: People) -> None:
    ana = register(people, 7)
    token = people.open_session(ana.id, BROWSER, HOME)
    for other in ("", "x", token[:-1], token + "=", token_hash(token)):
        assert people.actor_for(other) is None


def test_the_person_of_a_session_is_shown_to_himself(people: People) -> None:
    ana = register(people, 7)
    known = people.who(people.open_session(ana.id, BROWSER, HOME))
    assert known is not None
    view = known[1]
    assert (view.id, view.name, view.cpf.bare, view.contact.email) == (ana.id, ana.name, ana.cpf, ana.email)
    assert not view.must_set_up
    assert not view.must_confirm


def test_one_sees_ones_sessions_and_ends_one_or_all(people: People, clock: FrozenClock) -> None:
    ana, rui = register(people, 7), register(people, 8, "Rui Sampaio")
    here = people.open_session(ana.id, BROWSER, HOME)
    clock.advance(timedelta(minutes=1))
    there = people.open_session(ana.id, "Firefox", "2001:db8::1")
    his = people.open_session(rui.id, BROWSER, HOME)
    shown = people.sessions_of(ana.id, here)
    assert [(one.user_agent, one.address, one.is_this) for one in shown] == [
        ("Firefox", "2001:db8::1", False),
        (BROWSER, HOME, True),
    ]
    assert not people.end_session_of(rui.id, shown[0].id)  # not his
    assert people.actor_for(there) is not None
    assert people.end_session_of(ana.id, shown[0].id)
    assert not people.end_session_of(ana.id, shown[0].id)
    assert people.actor_for(there) is None
    assert people.actor_for(here) is not None
    again = people.open_session(ana.id, BROWSER, HOME)
    assert people.end_all_sessions(ana.id, but=here) == 1
    assert people.actor_for(again) is None
    people.end_session(here)
    assert people.actor_for(here) is None
    assert people.sessions_of(ana.id) == ()
    assert people.actor_for(his) is not None


def test_a_session_was_last_seen_to_ten_minutes(people: People, clock: FrozenClock) -> None:
    ana = register(people, 7)
    token = people.open_session(ana.id, BROWSER, HOME)
    opened = clock.now()
    clock.advance(timedelta(minutes=9))
    people.actor_for(token)
    assert people.sessions_of(ana.id)[0].seen_at == opened
    clock.advance(timedelta(minutes=1))
    people.actor_for(token)
    assert people.sessions_of(ana.id)[0].seen_at == clock.now()


def test_an_appointment_counts_in_sessions_that_are_already_open(people: People, clock: FrozenClock) -> None:
    ana, marta = register(people, 7), appoint(people, 9)
    token = people.open_session(ana.id, BROWSER, HOME)
    people.grant(Role.COMMISSION, ana.id, marta.id, "Portaria 2/2027", until=clock.now() + timedelta(hours=1))
    actor = people.actor_for(token)
    assert actor is not None
    assert actor.roles == {Role.PUBLIC}  # neither the office without its factor, nor a party any more
    clock.advance(timedelta(hours=1))
    actor = people.actor_for(token)
    assert actor is not None
    assert actor.roles == {Role.PUBLIC, Role.APPLICANT, Role.BIDDER}


def test_the_first_session_is_known_as_the_first(people: People) -> None:
    ana = register(people, 7)
    people.open_session(ana.id, BROWSER, HOME)
    assert not people.signed_in_before(ana.id)
    people.open_session(ana.id, BROWSER, HOME)
    assert people.signed_in_before(ana.id)


def test_failures_of_others_leave_every_session_as_it_was(people: People) -> None:
    ana = register(people, 7)
    token = people.open_session(ana.id, BROWSER, HOME)
    before = people.sessions_of(ana.id, token)
    for n in range(3):
        with pytest.raises(NotRecognised):
            people.authenticate(ana.cpf, f"{PASSWORD} {n}", address="192.0.2.66")
    assert people.sessions_of(ana.id, token) == before
