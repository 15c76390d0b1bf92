"""Parties: a person for himself, a company by its representatives, and the barred by their number."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Engine, select
from sqlalchemy.exc import IntegrityError

from tender.acts import Refusal
from tender.clock import FrozenClock
from tender.identity import Cnpj, Cpf
from tender.ledger import reading, writing
from tender.people import LEGAL, People, PersonFault
from tender.people.tables import name_readings, representations
from tests.people.made import PASSWORD, PHONE, Someone, appoint, cnpj_of, cpf_of, register

TAXI = {"kind": LEGAL, "cnpj": cnpj_of(99), "company_name": "Táxi Bom Ltda"}


def company(people: People, number: int, name: str = "Ana Beatriz Quaresma") -> tuple[Someone, str]:
    """A representative of the company, and the company's party id (even where only asked)."""
    who = register(people, number, name, **TAXI)
    with reading(people.engine) as tx:
        held = people.parties_of(tx, who.id)
        party = held[0].id if held else people.representations_of(tx, who.id)[0].party.id
    return who, party


def test_the_second_representative_acts_once_the_first_has_accepted(people: People, engine: Engine) -> None:
    ana, party = company(people, 7)
    rui, same = company(people, 8, "Rui Sampaio")
    assert same == party
    with writing(engine) as tx:
        assert people.acts_for(tx, ana.id, party)
        assert not people.acts_for(tx, rui.id, party)
        assert people.parties_of(tx, rui.id) == ()
        (asked,) = people.representations_of(tx, ana.id)
        assert (asked.person, asked.person_name, asked.party.id) == (rui.id, "Rui Sampaio", party)
        people.answer_representation(tx, asked.id, by=ana.id, accept=True)
        assert people.acts_for(tx, rui.id, party)
        assert people.acts_for(tx, ana.id, party)
        assert people.representatives_of(tx, party) == tuple(sorted((ana.id, rui.id)))
        assert [one.name for one in people.parties_of(tx, rui.id)] == ["Táxi Bom Ltda"]
        assert people.representations_of(tx, ana.id) == ()


def test_nobody_accepts_himself_and_no_stranger_accepts_anybody(people: People, engine: Engine) -> None:
    _, party = company(people, 7)
    rui, _ = company(people, 8, "Rui Sampaio")
    stranger = register(people, 9, "Davi Moura")
    with writing(engine) as tx:
        (asked,) = people.representations_of(tx, rui.id)
        for by in (rui.id, stranger.id):
            with pytest.raises(Refusal, match="Só quem representa"):
                people.answer_representation(tx, asked.id, by=by, accept=True)
        people.answer_representation(tx, asked.id, by="técnico", accept=True, act="Ofício 3/2027")
        assert people.acts_for(tx, rui.id, party)
        with pytest.raises(Refusal, match="já foi respondido"):
            people.answer_representation(tx, asked.id, by="técnico", accept=False, act="Ofício 3/2027")


def test_whoever_was_refused_may_ask_again(people: People, engine: Engine) -> None:
    ana, party = company(people, 7)
    rui, _ = company(people, 8, "Rui Sampaio")
    with writing(engine) as tx:
        (asked,) = people.representations_of(tx, rui.id)
        people.answer_representation(tx, asked.id, by=ana.id, accept=False)
        assert not people.acts_for(tx, rui.id, party)
        assert people.add_party(tx, rui.id, Cnpj(TAXI["cnpj"]), "Táxi Bom Ltda") == (party, "asked")
        assert people.add_party(tx, rui.id, Cnpj(TAXI["cnpj"]), "Outro nome") == (party, "asked")
        assert len(people.representations_of(tx, ana.id)) == 1
        assert people.name_of(tx, party) == "Táxi Bom Ltda"  # whoever asks does not rename


def test_a_company_is_never_left_without_a_representative_but_by_an_act(people: People, engine: Engine) -> None:
    ana, party = company(people, 7)
    rui, _ = company(people, 8, "Rui Sampaio")
    stranger = register(people, 9, "Davi Moura")
    with writing(engine) as tx:
        with pytest.raises(Refusal, match="sem representante"):
            people.end_representation(tx, party, ana.id, by=ana.id)
        with pytest.raises(Refusal, match="Só quem representa"):
            people.end_representation(tx, party, ana.id, by=stranger.id)
        (asked,) = people.representations_of(tx, rui.id)
        people.answer_representation(tx, asked.id, by=ana.id, accept=True)
        people.end_representation(tx, party, ana.id, by=rui.id)
        assert not people.acts_for(tx, ana.id, party)
        people.end_representation(tx, party, rui.id, by="técnico", act="Ofício 4/2027")
        assert people.representatives_of(tx, party) == ()
        # Nobody is left to accept: whoever comes next acts, and proves it in the habilitation.
        assert people.add_party(tx, stranger.id, Cnpj(TAXI["cnpj"]), "Táxi Bom Ltda") == (party, "active")


def test_the_database_itself_refuses_two_live_representations(people: People, engine: Engine) -> None:
    _, party = company(people, 7)
    with reading(engine) as tx:
        row = tx.execute(select(representations).where(representations.c.party == party)).one()._asdict()
    with pytest.raises(IntegrityError), writing(engine) as tx:
        tx.execute(representations.insert(), {**row, "id": "x_outra"})


def test_a_natural_person_competes_with_his_own_cpf_only(people: People, engine: Engine) -> None:
    ana, _ = company(people, 7)
    with writing(engine) as tx:
        with pytest.raises(PersonFault) as refused:
            people.add_party(tx, ana.id, Cpf(cpf_of(8)), "Outra Pessoa")
        assert refused.value.field == "document"
        party, status = people.add_party(tx, ana.id, Cpf(ana.cpf), ana.name)
        assert status == "active"
        assert people.add_party(tx, ana.id, Cpf(ana.cpf), ana.name) == (party, "active")
        natural, legal = people.parties_of(tx, ana.id)
        assert (natural.document.bare, legal.document.bare) == (ana.cpf, TAXI["cnpj"])


def test_names_are_shown_to_the_public_with_the_cpf_masked_and_the_cnpj_whole(people: People, engine: Engine) -> None:
    person = people.add_person("529.982.247-25", "Ana Quaresma", "a@b.invalid", PHONE, PASSWORD, by="teste")
    _, legal = company(people, 7)
    marta = appoint(people, 9, "Marta Reis Lima")
    with reading(engine) as tx:
        (natural,) = people.parties_of(tx, person)
        assert people.public_name(tx, natural.id) == "Ana Quaresma (CPF ***.982.247-**)"
        assert people.public_name(tx, legal) == f"Táxi Bom Ltda (CNPJ {Cnpj(TAXI['cnpj'])})"
        assert people.public_name(tx, marta.id) == "Marta Reis Lima"
        assert people.name_of(tx, natural.id) == people.name_of(tx, person) == "Ana Quaresma"
        for nobody in ("pt_ninguem", "p_ninguem"):
            with pytest.raises(LookupError):
                people.public_name(tx, nobody)


def test_the_whole_document_is_read_with_a_reason_and_a_trace(people: People, engine: Engine) -> None:
    ana = register(people, 7)
    with writing(engine) as tx:
        (party,) = people.parties_of(tx, ana.id)
        assert people.document_of(tx, party.id, "p_leitora", "análise do item I").bare == ana.cpf
        with pytest.raises(AssertionError):
            people.document_of(tx, party.id, "p_leitora", " ")
        (row,) = tx.execute(select(name_readings)).all()
    assert (row.reader, row.what, row.subject, row.why) == ("p_leitora", "document", party.id, "análise do item I")


def test_one_acts_for_oneself_and_ones_parties_and_for_nobody_else(people: People, engine: Engine) -> None:
    ana, rui = register(people, 7), register(people, 8, "Rui Sampaio")
    with reading(engine) as tx:
        (hers,) = people.parties_of(tx, ana.id)
        for value, answer in ((ana.id, True), (hers.id, True), (rui.id, False), ("", False), ("ABCDEFGHJK", False)):
            assert people.acts_for(tx, ana.id, value) is answer
        assert not people.acts_for(tx, rui.id, hers.id)
        assert not people.acts_for(tx, "", hers.id)


def test_a_bar_counts_from_its_hour_to_its_end_and_until_it_is_lifted(
    people: People, clock: FrozenClock, engine: Engine
) -> None:
    ana = register(people, 7)
    now, day = clock.now(), timedelta(days=1)

    def barred() -> bool:
        with reading(engine) as tx:
            return people.is_barred(tx, party.id)

    with writing(engine) as tx:
        (party,) = people.parties_of(tx, ana.id)
        people.bar(tx, party.id, "Decreto 9/2027", since=now + day, until=now + 3 * day)
    assert not barred()
    clock.set(now + day)
    assert barred()
    clock.set(now + 3 * day - timedelta(microseconds=1))
    assert barred()
    clock.set(now + 3 * day)
    assert not barred()
    with writing(engine) as tx:
        people.bar(tx, party.id, "Decreto 10/2027", since=now)
    assert barred()
    with writing(engine) as tx:
        assert [one.act for one in people.bars_of(tx, party.id)] == ["Decreto 10/2027"]
        people.lift_bar(tx, Cpf(ana.cpf), "Decreto 11/2027")
    assert not barred()


def test_a_bar_is_by_number_and_meets_whoever_registers_later(
    people: People, clock: FrozenClock, engine: Engine
) -> None:
    with writing(engine) as tx:
        people.bar_number(tx, Cpf(cpf_of(7)), "Decreto 2/2019", since=clock.now())
    ana, party = company(people, 7)
    with writing(engine) as tx:
        natural, _ = people.add_party(tx, ana.id, Cpf(ana.cpf), ana.name)
        assert people.is_barred(tx, natural)
        # The company is not barred by its representative, but the commission sees who is behind it.
        assert not people.is_barred(tx, party)
        assert [one.act for one in people.bars_behind(tx, party)] == ["Decreto 2/2019"]
        assert not people.is_barred(tx, "pt_ninguem")
