"""LGPD: what is kept is shown to its owner, and what has served is forgotten. The book never knew."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select, text

from tender.acts import PersonId, Refusal, Role, StandId
from tender.clock import FrozenClock
from tender.habilitation.model import ApplicationSubmitted, PersonKind
from tender.ledger import Book, Draft, ledger, metadata, open_engine, projections, reading, writing
from tender.people import NotRecognised, People, tables
from tender.settings import Settings
from tests.people.made import BROWSER, HOME, PASSWORD, appoint, register


def test_everything_kept_is_shown_to_its_owner_and_no_secret_with_it(people: People, engine: Engine) -> None:
    ana = register(people, 7)
    token = people.open_session(ana.id, BROWSER, HOME)
    setup = people.enable_totp(token)
    with writing(engine) as tx:
        (party,) = people.parties_of(tx, ana.id)
        people.document_of(tx, party.id, "p_leitora", "análise do item I")
    shown = people.export_of(ana.id)
    written = json.dumps(shown, ensure_ascii=False)
    assert shown["nome"] == ana.name
    assert shown["email"] == ana.email
    assert shown["cpf"].replace(".", "").replace("-", "") == ana.cpf
    assert shown["participa_por"][0]["tipo"] == "pessoa física"
    assert shown["acessos_abertos"][0]["endereco"] == HOME
    assert shown["leituras"] == [{"em": shown["leituras"][0]["em"], "quem": "p_leitora", "motivo": "análise do item I"}]
    assert {"session.opened.full", "registration.confirmed"} <= {one["o_que"] for one in shown["registros"]}
    assert setup.secret not in written
    assert "argon2" not in written


def test_who_is_forgotten_leaves_an_id_and_a_free_cpf(people: People, engine: Engine) -> None:
    ana = register(people, 7)
    token = people.open_session(ana.id, BROWSER, HOME)
    with reading(engine) as tx:
        (party,) = people.parties_of(tx, ana.id)
    people.forget(ana.id, by="técnico", act="Termo de eliminação 1/2027")
    assert people.actor_for(token) is None
    with pytest.raises(NotRecognised):
        people.authenticate(ana.cpf, PASSWORD, address=HOME)
    with reading(engine) as tx:
        assert people.name_of(tx, ana.id) == people.public_name(tx, party.id) == "(dados eliminados)"
        assert not people.acts_for(tx, ana.id, party.id)
    again = register(people, 7)
    assert again.id != ana.id
    with reading(engine) as tx:
        (fresh,) = people.parties_of(tx, again.id)
        assert fresh.id != party.id


def test_who_holds_an_office_is_not_forgotten_before_leaving_it(people: People) -> None:
    marta = appoint(people, 9)
    people.grant(Role.COMMISSION, marta.id, "instalação", "Portaria 1/2027")
    with pytest.raises(Refusal):
        people.forget(marta.id, by="técnico", act="Termo 1/2027")
    people.revoke_office(Role.COMMISSION, marta.id, "instalação", "Portaria 2/2027")
    people.forget(marta.id, by="técnico", act="Termo 1/2027")
    assert people.appointments()[0].name == ""


def test_what_has_served_is_swept_and_the_rest_stays(people: People, clock: FrozenClock, engine: Engine) -> None:
    ana = register(people, 7)
    people.open_session(ana.id, BROWSER, HOME)
    people.remember_device(ana.id)
    people.request_reset(ana.cpf, address=HOME)
    people.sweep()

    def left() -> dict[str, int]:
        with reading(engine) as tx:
            return {
                table.name: tx.execute(select(func.count()).select_from(table)).scalar_one()
                for table in (tables.sessions, tables.devices, tables.resets, tables.rates)
            }

    assert left()["sessions"] == 1
    clock.advance(timedelta(hours=20) + timedelta(days=90, microseconds=-1))
    people.sweep()
    assert left() == {"sessions": 1, "devices": 1, "resets": 0, "rates": 0}
    clock.advance(timedelta(microseconds=1))
    assert people.sweep() == 1
    assert left() == {"sessions": 0, "devices": 1, "resets": 0, "rates": 0}
    clock.advance(timedelta(days=400))
    people.sweep()
    assert left()["devices"] == 0


def test_the_book_names_nobody(clock: FrozenClock, tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'tender.db'}")
    metadata.create_all(engine)
    people, book = People(engine, clock, Settings.for_tests(tmp_path)), Book()
    ana = register(people, 7)
    with writing(engine) as tx:
        (party,) = people.parties_of(tx, ana.id)
        drawn = people.pseudonym_for(tx, "001-2027", 3, party.id)
        fact = ApplicationSubmitted(PersonId(party.id), PersonKind(party.kind), (StandId(3),))
        for version, actor in enumerate((ana.id, drawn), start=1):
            draft = Draft("application/001-2027/x", version, fact, actor, "licitante", clock.now(), "", "c", version)
            book.append(tx, "edital/001-2027", [draft])
    with reading(engine) as tx:
        exported = b"".join(book.export(tx, "edital/001-2027")).decode()
        rows = str(tx.execute(text("SELECT * FROM ledger")).all())
    engine.dispose()
    for written in (exported, rows):
        assert party.id in written
        assert drawn in written
        assert not any(personal in written for personal in (ana.cpf, "Ana", "Quaresma", ana.email, "exemplo.invalid"))


def test_only_people_has_columns_for_names_and_numbers() -> None:
    # A ponto has a name and an address, too.
    personal = {"cpf", "cnpj", "email", "phone", "person_name", "party_name", "password_hash"}
    assert not personal & set(ledger.c.keys())
    for table in projections.sorted_tables:
        assert not personal & set(table.c.keys()), table.name
