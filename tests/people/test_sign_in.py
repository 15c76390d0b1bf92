"""Signing in: the same answer for unknown and wrong, limits on both their sides, and that no rival can lock one out."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from argon2 import PasswordHasher
from sqlalchemy import Engine, select, update

from tender.acts import Role
from tender.clock import FrozenClock
from tender.ledger import reading, writing
from tender.people import LinkExpired, NotRecognised, People, PersonFault, Step, TooManyTries
from tender.people.rates import (
    RESET_PAIR,
    SIGN_IN_ACCOUNT,
    SIGN_IN_ADDRESS,
    SIGN_IN_DEVICE,
    SIGN_IN_PAIR,
    Limit,
    network_of,
)
from tender.people.tables import people_log, persons
from tests.people.made import BROWSER, HOME, PASSWORD, appoint, cpf_of, register

RIVAL = "192.0.2.66"


def fail(people: People, who: str, times: int, address: str = RIVAL, device: str = "") -> None:
    for _ in range(times):
        with pytest.raises(NotRecognised):
            people.authenticate(who, "senha errada mesmo", address=address, device=device)


def count_tries(people: People, limit: Limit, key: str, times: int) -> None:
    """As if so many tries had been heard: each real one costs a hash."""
    for _ in range(times):
        with writing(people.engine) as tx:
            people.rates.take(tx, people.now(), [(limit, key)])


def test_unknown_and_wrong_are_answered_in_the_same_words_after_the_same_work(people: People, engine: Engine) -> None:
    ana = register(people, 7)
    done: list[tuple[str, str]] = []

    def elsewhere(work: Any, values: tuple[str, str]) -> Any:
        done.append(values)
        return work(*values)

    people.hasher.offload = elsewhere
    said = []
    for who in (ana.cpf, ana.email, cpf_of(8), "nin@guem.br", "não é nada", ""):
        with pytest.raises(NotRecognised) as no:
            people.authenticate(who, "senha errada mesmo", address=HOME)
        said.append(str(no.value))
    assert set(said) == {"CPF, e-mail ou senha não conferem."}
    assert len(done) == 6  # one hash each, with the same parameters
    assert len({kept.split("$")[3] for kept, _ in done}) == 1
    with reading(engine) as tx:
        failed = tx.execute(select(people_log.c.person).where(people_log.c.what == "sign_in.failed")).scalars().all()
    assert sorted(one or "" for one in failed) == ["", "", "", "", ana.id, ana.id]


def test_the_right_password_says_what_comes_next(people: People) -> None:
    ana, marta = register(people, 7), appoint(people, 9)
    assert people.authenticate(ana.cpf, PASSWORD).step is Step.SESSION
    people.grant(Role.PREGOEIRO, marta.id, "instalação", "Portaria 1/2027")
    assert people.authenticate(marta.cpf, PASSWORD).step is Step.SET_UP


def test_an_old_hash_is_renewed_at_sign_in(people: People, engine: Engine) -> None:
    ana = register(people, 7)
    older = PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1).hash(PASSWORD)
    with writing(engine) as tx:
        tx.execute(update(persons).where(persons.c.id == ana.id).values(password_hash=older))
    people.authenticate(ana.cpf, PASSWORD)
    with reading(engine) as tx:
        kept = tx.execute(select(persons.c.password_hash).where(persons.c.id == ana.id)).scalar_one()
    assert kept != older
    assert not people.hasher.is_old(kept)
    assert people.authenticate(ana.cpf, PASSWORD).person == ana.id


def test_eight_failures_from_an_address_slow_that_address_and_say_until_when(
    people: People, clock: FrozenClock
) -> None:
    ana = register(people, 7)
    fail(people, ana.cpf, SIGN_IN_PAIR.tries)
    with pytest.raises(TooManyTries) as slowed:
        people.authenticate(ana.cpf, PASSWORD, address=RIVAL)  # even the right one: else it would be told
    assert "14h15" in slowed.value.reason  # 17h UTC is 14h in Brasília
    assert "15 minutos" in slowed.value.reason
    assert slowed.value.seconds == 900
    clock.advance(timedelta(minutes=15, microseconds=-1))
    with pytest.raises(TooManyTries):
        people.authenticate(ana.cpf, PASSWORD, address=RIVAL)
    clock.advance(timedelta(microseconds=1))
    assert people.authenticate(ana.cpf, PASSWORD, address=RIVAL).person == ana.id


def test_seven_failures_slow_nobody_and_what_succeeds_is_not_counted(people: People) -> None:
    ana = register(people, 7)
    fail(people, ana.cpf, SIGN_IN_PAIR.tries - 1)
    for _ in range(SIGN_IN_PAIR.tries):
        people.authenticate(ana.cpf, PASSWORD, address=RIVAL)
    fail(people, ana.cpf, 1)


def test_one_address_may_fail_forty_times_over_all_accounts(people: People) -> None:
    ana = register(people, 7)
    count_tries(people, SIGN_IN_ADDRESS, RIVAL, SIGN_IN_ADDRESS.tries - 2)
    fail(people, cpf_of(100), 1)
    assert people.authenticate(ana.cpf, PASSWORD, address=RIVAL).person == ana.id
    fail(people, cpf_of(101), 1)
    with pytest.raises(TooManyTries):
        people.authenticate(ana.cpf, PASSWORD, address=RIVAL)
    assert people.authenticate(ana.cpf, PASSWORD, address=HOME).person == ana.id


def test_a_rival_who_fails_from_many_addresses_cannot_lock_anybody_out(people: People, clock: FrozenClock) -> None:
    ana = register(people, 7)
    token = people.open_session(ana.id, BROWSER, HOME)
    device = people.remember_device(ana.id)
    count_tries(people, SIGN_IN_ACCOUNT, people.account_index(ana.cpf)[1], SIGN_IN_ACCOUNT.tries - 2)
    fail(people, ana.cpf, 1, address="198.51.100.1")
    assert people.authenticate(ana.cpf, PASSWORD, address="198.51.100.2").person == ana.id
    fail(people, ana.cpf, 1, address="198.51.100.3")
    # The live session knows nothing of it.
    assert people.actor_for(token) is not None
    # From an address she used, and from a browser she used wherever it is now, she signs in.
    assert people.authenticate(ana.cpf, PASSWORD, address=HOME).person == ana.id
    assert people.authenticate(ana.cpf, PASSWORD, address="100.64.0.9", device=device).person == ana.id
    # Only somewhere new is slowed...
    with pytest.raises(TooManyTries):
        people.authenticate(ana.cpf, PASSWORD, address="100.64.0.9")
    # ... and the mailbox opens it again.
    asked = people.request_reset(ana.cpf, address="100.64.0.9")
    assert asked is not None
    person = people.reset(asked.token, "outra senha bem boa")
    found = people.authenticate(
        ana.cpf, "outra senha bem boa", address="100.64.0.9", device=people.remember_device(person)
    )
    assert found.person == ana.id
    assert found.device_known
    clock.advance(timedelta(hours=1))
    assert people.authenticate(ana.cpf, "outra senha bem boa", address="100.64.0.10").person == ana.id


def test_a_rival_at_the_same_address_cannot_slow_a_known_browser(people: People) -> None:
    ana = register(people, 7)
    people.open_session(ana.id, BROWSER, HOME)
    device = people.remember_device(ana.id)
    fail(people, ana.cpf, SIGN_IN_PAIR.tries, address=HOME)
    count_tries(people, SIGN_IN_ADDRESS, HOME, SIGN_IN_ADDRESS.tries - SIGN_IN_PAIR.tries)
    with pytest.raises(TooManyTries):
        people.authenticate(ana.cpf, PASSWORD, address=HOME)
    assert people.authenticate(ana.cpf, PASSWORD, address=HOME, device=device).person == ana.id


def test_a_known_browser_has_ten_tries_of_its_own(people: People) -> None:
    ana = register(people, 7)
    device = people.remember_device(ana.id)
    fail(people, ana.cpf, SIGN_IN_DEVICE.tries, address=HOME, device=device)
    with pytest.raises(TooManyTries):
        people.authenticate(ana.cpf, PASSWORD, address=HOME, device=device)


def test_a_browser_known_to_one_account_is_new_to_another(people: People) -> None:
    ana, rui = register(people, 7), register(people, 8, "Rui Sampaio")
    device = people.remember_device(ana.id)
    assert people.authenticate(ana.cpf, PASSWORD, address=HOME, device=device).device_known
    assert not people.authenticate(rui.cpf, PASSWORD, address=HOME, device=device).device_known
    assert people.remember_device(rui.id, device) == device  # a shared counter: one cookie, two accounts
    assert people.remember_device(rui.id, device) == device
    assert people.authenticate(rui.cpf, PASSWORD, address=HOME, device=device).device_known
    assert people.remember_device(ana.id, "plantada por alguém") != "plantada por alguém"


def test_a_browser_is_forgotten_after_four_hundred_days(people: People, clock: FrozenClock) -> None:
    ana = register(people, 7)
    device = people.remember_device(ana.id)
    clock.advance(timedelta(days=400, microseconds=-1))
    assert people.authenticate(ana.cpf, PASSWORD, address=HOME, device=device).device_known
    clock.advance(timedelta(microseconds=1))
    assert not people.authenticate(ana.cpf, PASSWORD, address=HOME, device=device).device_known
    again = people.remember_device(ana.id, device)
    assert people.authenticate(ana.cpf, PASSWORD, address=HOME, device=again).device_known


def test_an_ipv6_customer_counts_as_one_address() -> None:
    assert network_of("2001:db8:1:2:aaaa::1") == network_of("2001:db8:1:2:bbbb::9") == "2001:db8:1:2::/64"
    assert network_of("2001:db8:1:3::1") != network_of("2001:db8:1:2::1")
    assert network_of("::ffff:192.0.2.1") == network_of("192.0.2.1") == "192.0.2.1"
    assert network_of("unix") == "unix"


def test_a_reset_takes_the_new_password_once_and_ends_every_session(people: People, engine: Engine) -> None:
    ana, rui = register(people, 7), register(people, 8, "Rui Sampaio")
    hers = [people.open_session(ana.id, BROWSER, HOME) for _ in range(2)]
    his = people.open_session(rui.id, BROWSER, HOME)
    first, second = people.request_reset(ana.email, address=HOME), people.request_reset(ana.cpf, address=HOME)
    assert first is not None
    assert second is not None
    with pytest.raises(PersonFault):
        people.reset(first.token, ana.cpf)
    assert people.awaits_reset(first.token)
    assert people.reset(first.token, "outra senha bem boa") == ana.id
    assert [people.actor_for(token) for token in hers] == [None, None]
    assert people.actor_for(his) is not None
    with pytest.raises(NotRecognised):
        people.authenticate(ana.cpf, PASSWORD, address=HOME)
    assert people.authenticate(ana.cpf, "outra senha bem boa", address=HOME).person == ana.id
    for used in (first.token, second.token):
        assert not people.awaits_reset(used)
        with pytest.raises(LinkExpired):
            people.reset(used, "mais uma senha boa")


def test_a_reset_link_lasts_an_hour(people: People, clock: FrozenClock) -> None:
    ana = register(people, 7)
    asked = people.request_reset(ana.email, address=HOME)
    assert asked is not None
    clock.advance(timedelta(hours=1, microseconds=-1))
    assert people.awaits_reset(asked.token)
    clock.advance(timedelta(microseconds=1))
    assert not people.awaits_reset(asked.token)
    with pytest.raises(LinkExpired):
        people.reset(asked.token, "outra senha bem boa")


def test_a_reset_for_nobody_makes_no_link_and_counts_alike(people: People) -> None:
    register(people, 7)
    for who in ("nin@guem.br", register(people, 8, "Rui Sampaio").email):
        for _ in range(RESET_PAIR.tries):
            people.request_reset(who, address=RIVAL)
        with pytest.raises(TooManyTries):
            people.request_reset(who, address=RIVAL)
    assert people.request_reset("nin@guem.br", address=HOME) is None


def test_asking_for_a_reset_ends_nothing(people: People) -> None:
    ana = register(people, 7)
    token = people.open_session(ana.id, BROWSER, HOME)
    assert people.request_reset(ana.cpf, address=RIVAL) is not None
    assert people.actor_for(token) is not None
    assert people.authenticate(ana.cpf, PASSWORD, address=HOME).person == ana.id


def test_a_password_is_changed_with_the_old_one_and_the_other_sessions_end(people: People) -> None:
    ana = register(people, 7)
    here, there = people.open_session(ana.id, BROWSER, HOME), people.open_session(ana.id, BROWSER, HOME)
    with pytest.raises(NotRecognised):
        people.change_password(here, "senha errada mesmo", "outra senha bem boa", address=HOME)
    with pytest.raises(PersonFault):
        people.change_password(here, PASSWORD, "curta", address=HOME)
    people.change_password(here, PASSWORD, "outra senha bem boa", address=HOME)
    assert people.actor_for(here) is not None
    assert people.actor_for(there) is None
    assert people.authenticate(ana.cpf, "outra senha bem boa", address=HOME).person == ana.id
    with pytest.raises(NotRecognised):
        people.change_password(there, PASSWORD, "mais uma senha boa", address=HOME)
