"""Pseudonyms: one per stand, drawn by chance, sealed until the stand closes, and every reading written down."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from sqlalchemy import Engine, select

from tender.acts import Refusal
from tender.clock import FrozenClock
from tender.law import D10024
from tender.ledger import reading, writing
from tender.people import LEGAL, People
from tender.people.pseudonyms import ALPHABET
from tender.people.tables import name_readings
from tender.settings import Settings
from tests.people.made import PHONE, Someone, cnpj_of, register

EDITAL = "001-2027"


def enrolled(people: People, number: int, name: str = "Ana Beatriz Quaresma") -> tuple[Someone, str]:
    who = register(people, number, name)
    with reading(people.engine) as tx:
        return who, people.parties_of(tx, who.id)[0].id


def test_a_pseudonym_is_drawn_once_and_differs_per_stand_edital_and_party(people: People, engine: Engine) -> None:
    _, ana = enrolled(people, 7)
    _, rui = enrolled(people, 8, "Rui Sampaio")
    places = [(EDITAL, 1), (EDITAL, 2), ("002-2027", 1)]
    with writing(engine) as tx:
        drawn = [people.pseudonym_for(tx, edital, stand, party) for edital, stand in places for party in (ana, rui)]
    with writing(engine) as tx:
        again = [people.pseudonym_for(tx, edital, stand, party) for edital, stand in places for party in (ana, rui)]
        assert people.pseudonym_for(tx, EDITAL, "1", ana) == drawn[0]  # the stand as number or as text
    assert again == drawn
    assert len(set(drawn)) == 6
    assert all(len(one) == 10 and set(one) <= set(ALPHABET) for one in drawn)


def test_no_sign_of_a_pseudonym_can_be_taken_for_another() -> None:
    assert not set("0O1I") & set(ALPHABET)
    assert len(ALPHABET) == len(set(ALPHABET)) == 32


def test_the_same_party_at_the_same_stand_of_another_database_has_another_pseudonym(people: People) -> None:
    """Chance, not arithmetic: neither the key nor the party tells what was drawn."""
    _, party = enrolled(people, 7)
    drawn = set()
    for stand in range(3):
        for _ in range(3):
            with people.engine.connect().execution_options(write=True) as tx:
                drawn.add(people.pseudonym_for(tx, EDITAL, stand, party))
                tx.rollback()  # the draw is undone, the next one is another
    assert len(drawn) == 9


def test_no_name_is_read_before_the_stand_closes_and_every_reading_after_it_is_written_down(
    people: People, engine: Engine
) -> None:
    _, party = enrolled(people, 7)
    with writing(engine) as tx:
        drawn = people.pseudonym_for(tx, EDITAL, 3, party)
        people.open_names(tx, EDITAL, 4)  # another stand's close opens nothing here
        with pytest.raises(Refusal) as refused:
            people.party_of_pseudonym(tx, drawn, "p_pregoeira", "classificação")
        assert refused.value.code == "nomes_lacrados"
        assert refused.value.law == D10024(30, 5)
        assert tx.execute(select(name_readings)).all() == []
        people.open_names(tx, EDITAL, 3)
        people.open_names(tx, EDITAL, 3)
        assert people.party_of_pseudonym(tx, drawn, "p_pregoeira", "classificação") == party
        with pytest.raises(AssertionError):
            people.party_of_pseudonym(tx, drawn, "p_pregoeira", "")
        (row,) = tx.execute(select(name_readings)).all()
        assert (row.reader, row.what, row.subject, row.why) == ("p_pregoeira", "party", drawn, "classificação")
        assert (row.edital, row.stand) == (EDITAL, "3")
        people.seal_names(tx, EDITAL, 3)  # an appeal reopened the stand
        with pytest.raises(Refusal):
            people.party_of_pseudonym(tx, drawn, "p_pregoeira", "classificação")
        with pytest.raises(LookupError):
            people.party_of_pseudonym(tx, "ABCDEFGHJK", "p_pregoeira", "classificação")


def test_the_bidder_acts_under_his_pseudonyms_and_no_one_else_does(people: People, engine: Engine) -> None:
    ana, party = enrolled(people, 7)
    rui, _ = enrolled(people, 8, "Rui Sampaio")
    with writing(engine) as tx:
        drawn = people.pseudonym_for(tx, EDITAL, 3, party)
        assert people.acts_for(tx, ana.id, drawn)
        assert not people.acts_for(tx, rui.id, drawn)
        assert people.own_pseudonyms(tx, ana.id, EDITAL) == {"3": drawn}
        assert people.own_pseudonyms(tx, ana.id, "002-2027") == {}
        assert people.own_pseudonyms(tx, rui.id, EDITAL) == {}
        assert tx.execute(select(name_readings)).all() == []


def test_both_representatives_of_a_company_act_under_its_pseudonym(people: People, engine: Engine) -> None:
    taxi = {"kind": LEGAL, "cnpj": cnpj_of(99), "company_name": "Táxi Bom Ltda"}
    ana, rui = register(people, 7, **taxi), register(people, 8, "Rui Sampaio", **taxi)
    with writing(engine) as tx:
        (party,) = people.parties_of(tx, ana.id)
        drawn = people.pseudonym_for(tx, EDITAL, 3, party.id)
        assert not people.acts_for(tx, rui.id, drawn)
        people.answer_representation(tx, people.representations_of(tx, ana.id)[0].id, by=ana.id, accept=True)
        assert people.acts_for(tx, ana.id, drawn)
        assert people.acts_for(tx, rui.id, drawn)
        assert people.addressees(tx, drawn, "aviso 17") == tuple(sorted((ana.id, rui.id)))


def test_help_gets_a_telephone_and_never_a_name(people: People, engine: Engine) -> None:
    _, party = enrolled(people, 7)
    with writing(engine) as tx:
        drawn = people.pseudonym_for(tx, EDITAL, 3, party)
        (phone,) = people.phone_for_help(tx, drawn, "p_pregoeira", "sem conexão às 14h03")
        assert str(phone) == PHONE
        (row,) = tx.execute(select(name_readings)).all()
        assert (row.reader, row.what, row.subject) == ("p_pregoeira", "contact", drawn)
        assert "Quaresma" not in str(row)


def test_the_program_writes_to_whoever_is_behind_and_writes_that_down(people: People, engine: Engine) -> None:
    ana, party = enrolled(people, 7)
    with writing(engine) as tx:
        drawn = people.pseudonym_for(tx, EDITAL, 3, party)
        assert people.addressees(tx, drawn, "aviso 16") == (ana.id,)
        assert people.addressees(tx, party, "aviso 7") == (ana.id,)
        assert people.addressees(tx, ana.id, "aviso 26") == (ana.id,)
        (row,) = tx.execute(select(name_readings)).all()
        assert (row.reader, row.what, row.subject, row.why) == ("sistema", "addressees", drawn, "aviso 16")


def test_another_key_finds_no_pseudonym_of_ours(
    people: People, engine: Engine, tmp_path: Path, clock: FrozenClock
) -> None:
    _, party = enrolled(people, 7)
    with writing(engine) as tx:
        drawn = people.pseudonym_for(tx, EDITAL, 3, party)
    stranger = People(engine, clock, dataclasses.replace(Settings.for_tests(tmp_path), secret_key="outro segredo"))
    with engine.connect().execution_options(write=True) as tx:
        assert stranger.pseudonym_for(tx, EDITAL, 3, party) != drawn
