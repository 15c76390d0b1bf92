"""Registering: what is asked, what is kept before the e-mail is confirmed, and what an answer never tells."""

from __future__ import annotations

import json
import threading
from datetime import timedelta

import pytest
from sqlalchemy import Engine, func, select

from tender.clock import FrozenClock
from tender.ledger import reading
from tender.people import LEGAL, NATURAL, LinkExpired, NotRecognised, People, PersonFault, TooManyTries
from tender.people.rates import REGISTER_ADDRESS, REGISTER_EMAIL, REGISTER_PAIR
from tender.people.tables import confirmations, parties, people_log, persons
from tests.people.made import HOME, PASSWORD, PHONE, cnpj_of, cpf_of, register

GOOD = {
    "kind": NATURAL,
    "document": cpf_of(7),
    "name": "Ana Beatriz Quaresma",
    "email": "ana@exemplo.invalid",
    "phone": PHONE,
    "password": PASSWORD,
}


def count(engine: Engine, table) -> int:  # type: ignore[no-untyped-def]
    with reading(engine) as tx:
        return int(tx.execute(select(func.count()).select_from(table)).scalar_one())


def test_an_account_opens_when_its_link_is_opened_and_not_before(people: People, engine: Engine) -> None:
    asked = people.register(**GOOD)
    assert count(engine, persons) == 0
    with pytest.raises(NotRecognised):
        people.authenticate(GOOD["document"], PASSWORD)
    with reading(engine) as tx:
        contact = people.contact_of(tx, asked.addressee)  # where the mail goes
    assert (contact.name, contact.email) == ("Ana Beatriz Quaresma", "ana@exemplo.invalid")
    assert people.awaits_confirmation(asked.token)
    assert people.awaits_confirmation(asked.token)  # a mail scanner looked
    done = people.confirm_email(asked.token)
    assert (done.person, done.purpose) == (asked.addressee, "registration")
    assert people.authenticate(GOOD["document"], PASSWORD).person == done.person
    assert people.authenticate("ANA@exemplo.invalid ", PASSWORD).person == done.person
    with reading(engine) as tx:
        (party,) = people.parties_of(tx, done.person)
        assert (party.kind, party.document.bare, party.name) == (NATURAL, GOOD["document"], GOOD["name"])
        assert count(engine, confirmations) == 0


def test_a_link_opens_once_and_for_a_day(people: People, clock: FrozenClock) -> None:
    asked = people.register(**GOOD)
    clock.advance(timedelta(hours=24, microseconds=-1))
    assert people.awaits_confirmation(asked.token)
    clock.advance(timedelta(microseconds=1))
    assert not people.awaits_confirmation(asked.token)
    with pytest.raises(LinkExpired):
        people.confirm_email(asked.token)
    again = people.register(**GOOD)
    people.confirm_email(again.token)
    with pytest.raises(LinkExpired):
        people.confirm_email(again.token)


@pytest.mark.parametrize(
    ("field", "typed", "says"),
    [
        ("kind", "cooperativa", "por quem"),
        ("document", "529.982.247-26", "dígito verificador"),
        ("document", "111.111.111-11", "repete"),
        ("name", "Ana", "nome completo"),
        ("name", "12 34", "nome completo"),
        ("name", "Ana <b>Silva</b>", "sinais comuns"),
        ("name", "Ana " + "a" * 117, "121 letras"),
        ("email", "ana@exemplo", "e-mail"),
        ("email", "ana@exemplo.com\nBcc: x@y.com", "e-mail"),
        ("phone", "9987-6543", "telefone"),
        ("password", "curta", "5 caracteres"),
        ("password", cpf_of(7), "CPF"),
    ],
)
def test_what_cannot_be_taken_is_named_and_explained(people: People, field: str, typed: str, says: str) -> None:
    with pytest.raises(PersonFault) as refused:
        people.register(**{**GOOD, field: typed})
    assert refused.value.field == field
    assert says in refused.value.reason
    assert typed not in str(refused.value)


def test_a_name_of_the_longest_kind_and_odd_spaces_is_taken(people: People, engine: Engine) -> None:
    asked = people.register(**{**GOOD, "name": "  Ana \t " + "a" * 116 + " "})
    with reading(engine) as tx:
        assert people.contact_of(tx, asked.addressee).name == "Ana " + "a" * 116


def test_a_company_is_registered_by_its_representative(people: People, engine: Engine) -> None:
    asked = people.register(**{**GOOD, "kind": LEGAL}, cnpj=cnpj_of(99), company_name="Táxi Bom")
    done = people.confirm_email(asked.token)
    assert done.asked_party == ""
    with reading(engine) as tx:
        (party,) = people.parties_of(tx, done.person)
        assert (party.kind, party.document.bare, party.name) == (LEGAL, cnpj_of(99), "Táxi Bom")
        assert party.is_company


@pytest.mark.parametrize(
    ("more", "field"),
    [({"cnpj": "11.222.333/0001-82", "company_name": "Táxi"}, "cnpj"), ({"cnpj": cnpj_of(99)}, "company_name")],
)
def test_a_company_needs_its_number_and_name(people: People, more: dict[str, str], field: str) -> None:
    with pytest.raises(PersonFault) as refused:
        people.register(**{**GOOD, "kind": LEGAL}, **more)
    assert refused.value.field == field


@pytest.mark.parametrize("change", [{"email": "outra@exemplo.invalid"}, {"document": cpf_of(8)}])
def test_whoever_is_registered_is_written_to_and_the_page_learns_nothing(
    people: People, engine: Engine, change: dict[str, str]
) -> None:
    first = people.confirm_email(people.register(**GOOD).token)
    again = people.register(**{**GOOD, **change})
    assert again.addressee == first.person
    assert not again.is_new
    assert count(engine, confirmations) == 0
    assert count(engine, persons) == 1


def test_nobody_keeps_a_cpf_from_its_owner_by_not_confirming(people: People) -> None:
    squatter = people.register(**{**GOOD, "email": "rival@exemplo.invalid", "name": "Outra Pessoa"})
    owner = people.register(**GOOD)
    people.confirm_email(owner.token)
    with pytest.raises(PersonFault) as refused:
        people.confirm_email(squatter.token)
    assert refused.value.field == "document"
    with pytest.raises(LinkExpired):
        people.confirm_email("não é uma ficha")


def test_what_nobody_confirmed_is_forgotten(people: People, engine: Engine, clock: FrozenClock) -> None:
    people.register(**GOOD)
    clock.advance(timedelta(hours=24))
    people.register(**{**GOOD, "document": cpf_of(8), "email": "rui@exemplo.invalid"})
    assert count(engine, confirmations) == 1


def test_the_log_of_a_registration_names_nobody(people: People, engine: Engine) -> None:
    register(people, 7)
    with reading(engine) as tx:
        rows = [tuple(row) for row in tx.execute(select(people_log))]
    written = json.dumps(rows, default=str)
    assert "Quaresma" not in written
    assert cpf_of(7) not in written
    assert "exemplo.invalid" not in written
    assert {row[2] for row in rows} == {"registration.asked", "registration.confirmed", "representation.active"}


def test_three_registrations_of_one_email_from_one_address_and_no_fourth(people: People, clock: FrozenClock) -> None:
    for _ in range(REGISTER_PAIR.tries):
        people.register(**GOOD, address=HOME)
        clock.advance(timedelta(minutes=1))
    with pytest.raises(TooManyTries) as slowed:
        people.register(**GOOD, address=HOME)
    assert slowed.value.retry_at == clock.now() + timedelta(minutes=57)
    people.register(**GOOD, address="198.51.100.1")  # the owner, from elsewhere, is not kept out
    clock.advance(timedelta(minutes=57))
    people.register(**GOOD, address=HOME)


def test_one_mailbox_gets_ten_mails_an_hour_whoever_asks(people: People) -> None:
    for n in range(REGISTER_EMAIL.tries):
        people.register(**GOOD, address=f"198.51.100.{n}")
    with pytest.raises(TooManyTries):
        people.register(**GOOD, address="198.51.100.200")


def test_one_address_registers_twenty_in_an_hour(people: People) -> None:
    for n in range(REGISTER_ADDRESS.tries):
        people.register(**{**GOOD, "document": cpf_of(n + 1), "email": f"p{n}@exemplo.invalid"}, address=HOME)
    with pytest.raises(TooManyTries):
        people.register(**{**GOOD, "document": cpf_of(99), "email": "p99@exemplo.invalid"}, address=HOME)


def test_a_new_email_counts_when_its_link_is_opened(people: People, engine: Engine) -> None:
    ana = register(people, 7)
    asked = people.ask_new_email(ana.id, "nova@exemplo.invalid")
    with reading(engine) as tx:
        assert people.contact_of(tx, ana.id).email == ana.email
        assert people.contact_of(tx, asked.addressee).email == "nova@exemplo.invalid"
    done = people.confirm_email(asked.token)
    assert (done.person, done.purpose) == (ana.id, "email")
    assert people.authenticate("nova@exemplo.invalid", PASSWORD).person == ana.id
    with pytest.raises(NotRecognised):
        people.authenticate(ana.email, PASSWORD)


def test_a_new_email_of_somebody_else_goes_to_them_and_changes_nothing(people: People, engine: Engine) -> None:
    ana, rui = register(people, 7), register(people, 8, "Rui Sampaio")
    asked = people.ask_new_email(ana.id, rui.email)
    assert (asked.addressee, asked.is_new) == (rui.id, False)
    # Between asking and opening, somebody else may take it.
    asked = people.ask_new_email(ana.id, "nova@exemplo.invalid")
    other = people.ask_new_email(rui.id, "nova@exemplo.invalid")
    people.confirm_email(other.token)
    with pytest.raises(PersonFault):
        people.confirm_email(asked.token)


def test_a_phone_is_changed_and_a_wrong_one_is_not(people: People, engine: Engine) -> None:
    ana = register(people, 7)
    people.change_phone(ana.id, "34 99999-0000")
    with pytest.raises(PersonFault):
        people.change_phone(ana.id, "34 9999")
    with reading(engine) as tx:
        assert str(people.contact_of(tx, ana.id).phone) == "(34) 99999-0000"


def test_an_account_by_command_line_is_confirmed_and_unique(people: People, engine: Engine) -> None:
    person = people.add_person(cpf_of(7), "Ana Quaresma", "ana@exemplo.invalid", PHONE, PASSWORD, by="instalação")
    assert people.find(cpf_of(7)) == people.find("ana@exemplo.invalid") == person
    assert people.find(cpf_of(8)) is None
    with pytest.raises(PersonFault):
        people.add_person(cpf_of(7), "Ana Quaresma", "b@exemplo.invalid", PHONE, PASSWORD, by="instalação")
    with pytest.raises(PersonFault):
        people.add_person(cpf_of(8), "Rui Sampaio", "ana@exemplo.invalid", PHONE, PASSWORD, by="instalação")
    assert count(engine, parties) == 1
    with reading(engine) as tx, pytest.raises(LookupError):
        people.contact_of(tx, "p_ninguem")


def test_links_of_one_cpf_opened_side_by_side_make_one_account(people: People, engine: Engine) -> None:
    links = [people.register(**{**GOOD, "email": f"p{n}@exemplo.invalid"}).token for n in range(4)]
    start, told = threading.Barrier(4), []

    def open_link(token: str) -> None:
        start.wait()
        try:
            people.confirm_email(token)
            told.append("aberta")
        except PersonFault as fault:
            told.append(fault.field)

    threads = [threading.Thread(target=open_link, args=(token,)) for token in links]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(told) == ["aberta", "document", "document", "document"]
    assert count(engine, persons) == count(engine, parties) == 1
