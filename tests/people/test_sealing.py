"""Sealed columns and blind indexes: what the database says to whoever only has the database."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from sqlalchemy import Engine, select, text, update
from sqlalchemy.exc import DatabaseError

from tender.ledger import metadata, open_engine, reading, writing
from tender.people import People
from tender.people.sealing import Seal, SealBroken
from tender.people.tables import people_log, persons
from tender.settings import Settings
from tests.people.made import BROWSER, HOME, PHONE, register


def test_what_was_sealed_opens_in_its_place_and_never_looks_the_same_twice() -> None:
    seal = Seal("um segredo")
    first, again = seal.shut("Ana", "persons.name:p_1"), seal.shut("Ana", "persons.name:p_1")
    assert first != again
    assert seal.open(first, "persons.name:p_1") == seal.open(again, "persons.name:p_1") == "Ana"


@pytest.mark.parametrize("place", ["persons.name:p_2", "persons.email:p_1"])
def test_a_sealed_value_moved_to_another_row_or_column_does_not_open(place: str) -> None:
    seal = Seal("um segredo")
    with pytest.raises(SealBroken):
        seal.open(seal.shut("Ana", "persons.name:p_1"), place)


def test_another_key_or_a_changed_byte_opens_nothing() -> None:
    sealed = Seal("um segredo").shut("Ana", "persons.name:p_1")
    with pytest.raises(SealBroken):
        Seal("outro segredo").open(sealed, "persons.name:p_1")
    with pytest.raises(SealBroken):
        Seal("um segredo").open(sealed[:-4] + "AAA=", "persons.name:p_1")
    with pytest.raises(SealBroken):
        Seal("um segredo").open("Ana", "persons.name:p_1")


def test_an_index_says_same_within_its_kind_and_key_only() -> None:
    seal = Seal("um segredo")
    assert seal.index("cpf", "123") == seal.index("cpf", "123")
    assert seal.index("cpf", "123") != seal.index("email", "123")
    assert seal.index("cpf", "123") != Seal("outro segredo").index("cpf", "123")
    # A plain hash could be tried out against every CPF there is.
    assert seal.index("cpf", "123") != hashlib.sha256(b"123").hexdigest()


def test_the_files_of_the_database_hold_neither_cpf_nor_name_nor_contacts(clock, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    url = f"sqlite:///{tmp_path / 'tender.db'}"
    engine = open_engine(url)
    metadata.create_all(engine)
    people = People(engine, clock, Settings.for_tests(tmp_path))
    ana = register(people, 7, "Ana Beatriz Quaresma")
    token = people.open_session(ana.id, BROWSER, HOME)
    setup = people.enable_totp(token)
    people.ask_new_email(ana.id, "outra@exemplo.invalid")
    with writing(engine) as tx:
        (party,) = people.parties_of(tx, ana.id)
        people.pseudonym_for(tx, "001-2027", 3, party.id)
        people.bar(tx, party.id, "Decreto 9/2027", clock.now())
    raw = b"".join(file.read_bytes() for file in tmp_path.glob("tender.db*"))
    engine.dispose()
    assert ana.id.encode() in raw  # the rows are there
    phone = "".join(sign for sign in PHONE if sign.isdigit())
    for secret in (
        ana.cpf,
        "Beatriz",
        "Quaresma",
        ana.email,
        "outra@exemplo",
        phone,
        HOME,
        "Android",
        setup.secret,
        token,
    ):
        assert secret.encode() not in raw, secret
    formatted = f"{ana.cpf[:3]}.{ana.cpf[3:6]}.{ana.cpf[6:9]}-{ana.cpf[9:]}"
    assert formatted.encode() not in raw


def test_no_two_tables_give_a_party_away_by_its_pseudonym(people: People, engine: Engine) -> None:
    ana = register(people, 7)
    with writing(engine) as tx:
        (party,) = people.parties_of(tx, ana.id)
        drawn = people.pseudonym_for(tx, "001-2027", 3, party.id)
    with reading(engine) as tx:
        row = tx.execute(text("SELECT * FROM pseudonyms WHERE pseudonym = :one"), {"one": drawn}).one()
    assert party.id not in str(row)
    assert ana.id not in str(row)


def test_a_row_copied_over_another_does_not_open(people: People, engine: Engine) -> None:
    ana, rui = register(people, 7), register(people, 8, "Rui Sampaio")
    with writing(engine) as tx:
        stolen = tx.execute(select(persons.c.name).where(persons.c.id == ana.id)).scalar()
        tx.execute(update(persons).where(persons.c.id == rui.id).values(name=stolen))
    with reading(engine) as tx, pytest.raises(SealBroken):
        people.name_of(tx, rui.id)


def test_the_log_of_accesses_does_not_change(people: People, engine: Engine) -> None:
    register(people, 7)
    with pytest.raises(DatabaseError, match="o registro de acessos não muda"), writing(engine) as tx:
        tx.execute(update(people_log).values(what="nada"))
