"""The second factor: no code counts twice, a paper for the lost phone, and no fixed sessions."""

from __future__ import annotations

import threading
from datetime import timedelta

import pyotp
import pytest
from sqlalchemy import Engine

from tender.acts import Refusal, Role
from tender.clock import FrozenClock
from tender.law import L14133
from tender.ledger import reading, writing
from tender.people import NotRecognised, People, ProofNeeded, Step, TooManyTries
from tender.people.rates import FACTOR_ACCOUNT, FACTOR_PAIR
from tests.people.made import BROWSER, HOME, PASSWORD, Someone, appoint, register

AWAY = "192.0.2.66"
STEP = timedelta(seconds=30)


class Phone:
    """An authenticator app, on the hour of the test."""

    def __init__(self, secret: str, clock: FrozenClock) -> None:
        self.totp, self.clock = pyotp.TOTP(secret), clock

    def code(self, steps: int = 0) -> str:
        return self.totp.at(self.clock.now() + steps * STEP)


def with_factor(people: People, clock: FrozenClock, who: Someone) -> tuple[Phone, tuple[str, ...], str]:
    """(app, recovery codes, token) of a person who set the second factor up just now; the clock is two steps on."""
    token = people.open_session(who.id, BROWSER, HOME)
    phone = Phone(people.enable_totp(token).secret, clock)
    codes, token = people.confirm_totp(token, phone.code(), address=HOME)
    clock.advance(2 * STEP)
    return phone, codes, token


def test_the_second_factor_is_in_force_once_its_first_code_was_typed(people: People, clock: FrozenClock) -> None:
    ana = register(people, 7)
    token = people.open_session(ana.id, BROWSER, HOME)
    other = people.open_session(ana.id, BROWSER, HOME)
    setup = people.enable_totp(token)
    assert people.enable_totp(token) == setup  # the page was loaded again: the same QR code
    assert setup.uri.startswith("otpauth://totp/")
    assert setup.secret in setup.uri
    assert setup.secret not in repr(setup)
    assert people.authenticate(ana.cpf, PASSWORD, address=HOME).step is Step.SESSION
    with pytest.raises(NotRecognised):
        people.confirm_totp(token, "000000", address=HOME)
    codes, fresh = people.confirm_totp(token, Phone(setup.secret, clock).code(), address=HOME)
    assert len(set(codes)) == 10
    assert people.authenticate(ana.cpf, PASSWORD, address=HOME).step is Step.SECOND_FACTOR
    # A new token: whoever fixed or copied the old one holds nothing. Sessions opened with less end.
    assert fresh != token
    assert people.actor_for(token) is None
    assert people.actor_for(other) is None
    known = people.who(fresh)
    assert known is not None
    assert known[0].second_factor
    assert known[1].has_factor


def test_the_token_changes_between_password_and_code(people: People, clock: FrozenClock) -> None:
    ana = register(people, 7)
    phone, _, _ = with_factor(people, clock, ana)
    waiting = people.start_second_factor(ana.id, BROWSER, HOME)
    assert people.actor_for(waiting) is None  # it opens nothing
    assert people.awaits_code(waiting) == ana.id
    token = people.verify_totp(waiting, phone.code(), address=HOME)
    assert token != waiting
    assert people.awaits_code(waiting) is None
    assert people.actor_for(waiting) is None
    actor = people.actor_for(token)
    assert actor is not None
    assert actor.second_factor
    with pytest.raises(NotRecognised):
        people.verify_totp(waiting, phone.code(1), address=HOME)


def test_a_code_counts_once(people: People, clock: FrozenClock) -> None:
    ana = register(people, 7)
    phone, _, token = with_factor(people, clock, ana)
    code = phone.code()
    people.verify_totp(people.start_second_factor(ana.id, BROWSER, HOME), code, address=HOME)
    again = people.start_second_factor(ana.id, BROWSER, HOME)
    with pytest.raises(NotRecognised, match="já foi usado"):
        people.verify_totp(again, code, address=HOME)
    with pytest.raises(NotRecognised):
        people.elevate(token, code, address=HOME)
    with pytest.raises(NotRecognised):
        people.verify_totp(again, phone.code(-1), address=HOME)  # older than one that counted
    clock.advance(STEP)
    people.verify_totp(again, phone.code(), address=HOME)


def test_the_code_of_the_set_up_does_not_sign_in(people: People, clock: FrozenClock) -> None:
    ana = register(people, 7)
    token = people.open_session(ana.id, BROWSER, HOME)
    phone = Phone(people.enable_totp(token).secret, clock)
    people.confirm_totp(token, phone.code(), address=HOME)
    with pytest.raises(NotRecognised):
        people.verify_totp(people.start_second_factor(ana.id, BROWSER, HOME), phone.code(), address=HOME)


@pytest.mark.parametrize(("steps", "counts"), [(-2, False), (-1, True), (0, True), (1, True), (2, False)])
def test_a_clock_may_be_one_step_wrong(people: People, clock: FrozenClock, steps: int, counts: bool) -> None:
    ana = register(people, 7)
    phone, _, _ = with_factor(people, clock, ana)
    clock.advance(2 * STEP)
    waiting = people.start_second_factor(ana.id, BROWSER, HOME)
    if counts:
        assert people.verify_totp(waiting, phone.code(steps), address=HOME)
    else:
        with pytest.raises(NotRecognised):
            people.verify_totp(waiting, phone.code(steps), address=HOME)


@pytest.mark.parametrize("typed", ["{0} {1}", " {0}{1} ", "{0}-{1}"])
def test_a_code_may_be_typed_with_spaces(people: People, clock: FrozenClock, typed: str) -> None:
    ana = register(people, 7)
    phone, _, _ = with_factor(people, clock, ana)
    code = phone.code()
    waiting = people.start_second_factor(ana.id, BROWSER, HOME)
    assert people.verify_totp(waiting, typed.format(code[:3], code[3:]), address=HOME)


@pytest.mark.parametrize("typed", ["", "12345", "1234567", "abcdef", "١٢٣٤٥٦", "-------"])
def test_what_is_no_code_counts_for_nothing(people: People, clock: FrozenClock, typed: str) -> None:
    ana = register(people, 7)
    with_factor(people, clock, ana)
    with pytest.raises(NotRecognised):
        people.verify_totp(people.start_second_factor(ana.id, BROWSER, HOME), typed, address=HOME)


def test_the_sign_in_waits_ten_minutes_for_its_code(people: People, clock: FrozenClock) -> None:
    ana = register(people, 7)
    phone, _, _ = with_factor(people, clock, ana)
    waiting = people.start_second_factor(ana.id, BROWSER, HOME)
    clock.advance(timedelta(minutes=10, microseconds=-1))
    assert people.awaits_code(waiting) == ana.id
    clock.advance(timedelta(microseconds=1))
    assert people.awaits_code(waiting) is None
    with pytest.raises(NotRecognised):
        people.verify_totp(waiting, phone.code(), address=HOME)


def test_a_recovery_code_counts_once_and_only_for_its_owner(people: People, clock: FrozenClock, engine: Engine) -> None:
    ana, rui = register(people, 7), register(people, 8, "Rui Sampaio")
    _, codes, _ = with_factor(people, clock, ana)
    with_factor(people, clock, rui)
    with pytest.raises(NotRecognised):
        people.verify_totp(people.start_second_factor(rui.id, BROWSER, HOME), codes[0], address=HOME)
    typed = codes[0].lower().replace("-", " ")
    assert people.verify_totp(people.start_second_factor(ana.id, BROWSER, HOME), typed, address=HOME)
    with pytest.raises(NotRecognised):
        people.verify_totp(people.start_second_factor(ana.id, BROWSER, HOME), codes[0], address=HOME)
    with reading(engine) as tx:
        assert people.recovery_codes_left(tx, ana.id) == 9
    with writing(engine) as tx:
        fresh = people.fresh_recovery_codes(tx, ana.id)
        assert people.use_code(tx, ana.id, codes[1]) == ""
        assert people.use_code(tx, ana.id, fresh[1]) == "recovery"


def test_five_wrong_codes_slow_the_code_and_not_the_live_session(people: People, clock: FrozenClock) -> None:
    ana = register(people, 7)
    phone, _, token = with_factor(people, clock, ana)
    waiting = people.start_second_factor(ana.id, BROWSER, AWAY)
    for _ in range(FACTOR_PAIR.tries):
        with pytest.raises(NotRecognised):
            people.verify_totp(waiting, "000000", address=AWAY)
    with pytest.raises(TooManyTries):
        people.verify_totp(waiting, phone.code(), address=AWAY)
    assert people.actor_for(token) is not None
    people.elevate(token, phone.code(), address=HOME)  # from her own address nothing is slowed
    clock.advance(timedelta(minutes=5))
    assert people.verify_totp(waiting, phone.code(), address=AWAY)


def test_four_wrong_codes_slow_nothing(people: People, clock: FrozenClock) -> None:
    ana = register(people, 7)
    phone, _, _ = with_factor(people, clock, ana)
    waiting = people.start_second_factor(ana.id, BROWSER, AWAY)
    for _ in range(FACTOR_PAIR.tries - 1):
        with pytest.raises(NotRecognised):
            people.verify_totp(waiting, "000000", address=AWAY)
    assert people.verify_totp(waiting, phone.code(), address=AWAY)


def test_thirty_wrong_codes_an_hour_from_anywhere_and_home_is_not_anywhere(people: People, clock: FrozenClock) -> None:
    ana = register(people, 7)
    phone, _, token = with_factor(people, clock, ana)
    waiting = people.start_second_factor(ana.id, BROWSER, AWAY)
    for n in range(FACTOR_ACCOUNT.tries):
        with pytest.raises(NotRecognised):
            people.verify_totp(waiting, "000000", address=f"198.51.100.{n}")
    with pytest.raises(TooManyTries):
        people.verify_totp(waiting, phone.code(), address=AWAY)
    people.elevate(token, phone.code(), address=HOME)


def test_an_office_has_its_roles_only_after_the_second_factor(people: People, clock: FrozenClock) -> None:
    marta = appoint(people, 9)
    people.grant(Role.PREGOEIRO, marta.id, "instalação", "Portaria 1/2027")
    token = people.open_session(marta.id, BROWSER, HOME)
    known = people.who(token)
    assert known is not None
    assert known[0].roles == {Role.PUBLIC}
    assert known[1].must_set_up
    assert not people.recently_verified(token, 10)  # a password is not enough for an office
    phone, _, token = with_factor(people, clock, marta)
    known = people.who(token)
    assert known is not None
    assert known[0].roles == {Role.PUBLIC, Role.PREGOEIRO}
    assert known[0].second_factor
    assert not known[1].must_set_up
    # Signed in without the code (a session older than the appointment, say): confirm first.
    plain = people.open_session(marta.id, BROWSER, HOME)
    known = people.who(plain)
    assert known is not None
    assert known[0].roles == {Role.PUBLIC}
    assert known[1].must_confirm
    people.elevate(plain, phone.code(), address=HOME)
    known = people.who(plain)
    assert known is not None
    assert known[0].roles == {Role.PUBLIC, Role.PREGOEIRO}


def test_a_proof_is_fresh_for_the_minutes_asked(people: People, clock: FrozenClock) -> None:
    ana = register(people, 7)
    token = people.open_session(ana.id, BROWSER, HOME)
    clock.advance(timedelta(minutes=10, microseconds=-1))
    assert people.recently_verified(token, 10)
    clock.advance(timedelta(microseconds=1))
    assert not people.recently_verified(token, 10)
    with pytest.raises(NotRecognised):
        people.elevate(token, "senha errada mesmo", address=HOME)
    assert not people.recently_verified(token, 10)
    people.elevate(token, PASSWORD, address=HOME)
    assert people.recently_verified(token, 10)
    assert not people.recently_verified("outra ficha", 10)


def test_the_password_is_no_proof_for_whoever_has_a_second_factor(people: People, clock: FrozenClock) -> None:
    ana = register(people, 7)
    phone, codes, token = with_factor(people, clock, ana)
    clock.advance(timedelta(minutes=10))
    assert not people.recently_verified(token, 10)
    with pytest.raises(NotRecognised):
        people.elevate(token, PASSWORD, address=HOME)
    people.elevate(token, phone.code(), address=HOME)
    assert people.recently_verified(token, 10)
    plain = people.open_session(ana.id, BROWSER, HOME)
    assert not people.recently_verified(plain, 10)
    people.elevate(plain, codes[0], address=HOME)
    assert people.recently_verified(plain, 10)


def test_whoever_finds_an_open_browser_cannot_set_up_a_factor(people: People, clock: FrozenClock) -> None:
    ana = register(people, 7)
    token = people.open_session(ana.id, BROWSER, HOME)
    setup = people.enable_totp(token)
    clock.advance(timedelta(minutes=30))
    with pytest.raises(ProofNeeded):
        people.enable_totp(token)
    with pytest.raises(ProofNeeded):
        people.confirm_totp(token, Phone(setup.secret, clock).code(), address=HOME)
    people.elevate(token, PASSWORD, address=HOME)
    assert people.confirm_totp(token, Phone(setup.secret, clock).code(), address=HOME)
    with pytest.raises(ProofNeeded):
        people.enable_totp("nenhuma sessão")


def test_a_lost_phone_is_replaced_by_an_act(people: People, clock: FrozenClock, engine: Engine) -> None:
    marta = appoint(people, 9)
    people.grant(Role.PREGOEIRO, marta.id, "instalação", "Portaria 1/2027")
    _, codes, token = with_factor(people, clock, marta)
    people.reset_factor(marta.id, by="técnico", act="Ofício 3/2027")
    assert people.actor_for(token) is None  # whoever has the phone has the session, too
    with writing(engine) as tx:
        assert people.use_code(tx, marta.id, codes[0]) == ""
        assert not people.has_factor(tx, marta.id)
    assert people.authenticate(marta.cpf, PASSWORD, address=HOME).step is Step.SET_UP


def test_a_factor_is_given_up_with_a_fresh_code_and_never_by_an_office(people: People, clock: FrozenClock) -> None:
    ana, marta = register(people, 7), appoint(people, 9)
    phone, _, token = with_factor(people, clock, ana)
    clock.advance(timedelta(minutes=10))
    with pytest.raises(ProofNeeded):
        people.disable_totp(token)
    people.elevate(token, phone.code(), address=HOME)
    people.disable_totp(token)
    actor = people.actor_for(token)
    assert actor is not None
    assert not actor.second_factor
    assert people.authenticate(ana.cpf, PASSWORD, address=HOME).step is Step.SESSION
    _, _, token = with_factor(people, clock, marta)
    people.grant(Role.PREGOEIRO, marta.id, "instalação", "Portaria 1/2027")
    with pytest.raises(Refusal) as refused:
        people.disable_totp(token)
    assert refused.value.law == L14133(7, 1)


def test_one_code_sent_side_by_side_counts_once(people: People, clock: FrozenClock) -> None:
    ana = register(people, 7)
    phone, _, _ = with_factor(people, clock, ana)
    code, start, told = phone.code(), threading.Barrier(4), []
    waiting = [people.start_second_factor(ana.id, BROWSER, HOME) for _ in range(4)]

    def send(token: str) -> None:
        start.wait()
        try:
            people.verify_totp(token, code, address=HOME)
            told.append(True)
        except NotRecognised:
            told.append(False)

    threads = [threading.Thread(target=send, args=(token,)) for token in waiting]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(told) == [False, False, False, True]
