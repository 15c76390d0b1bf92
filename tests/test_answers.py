"""Answers are kept by their id and found again as they were; refusals are counted; a bidder stands by pseudonym."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlalchemy import Engine, select

from tender.acts import ANYONE, Refusal
from tender.answers import DONE, REFUSED, Answers, answers
from tender.door import Ticket
from tender.law import IN73, L14133, MUN
from tender.ledger import metadata, open_engine, reading, writing
from tests.abacus import ABACUS, Add
from tests.town import MICROSECOND, SESSION_AT, Town

KEPT = Answers()


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    opened = open_engine(database_url)
    metadata.create_all(opened, [answers])
    yield opened
    opened.dispose()


def ticket(beads: int = 1, command_id: str = "") -> Ticket:
    return Ticket(Add(ABACUS, beads), ANYONE, command_id or str(uuid.uuid4()), SESSION_AT)


@pytest.mark.parametrize(
    "refusal",
    [
        Refusal("Não.", MUN(4, 3)),
        Refusal("O lance mínimo é R$ 10.000.", IN73(21, 3), code="abaixo", field="valor", got="R$ 1", passes="R$ 2"),
        Refusal("“Aspas”, acentos, 🚕 e <b>sinais</b>.", L14133(165, 1, "I"), code="x", got="\\ ' \" % ; --"),
    ],
)
def test_a_refusal_is_found_again_word_for_word(engine: Engine, refusal: Refusal) -> None:
    one, later = ticket(), SESSION_AT + timedelta(seconds=2) + MICROSECOND
    with writing(engine) as tx:
        assert KEPT.find(tx, one, "ana") is None
        KEPT.refused(tx, one, "ana", refusal, "edital/999-2027", later)
    with reading(engine) as tx:
        found = KEPT.find(tx, one, "ana")
    assert found is not None
    assert found.refusal is not None
    assert (found.command_id, found.arrived_at, found.registered_at) == (one.command_id, SESSION_AT, later)
    for name in ("reason", "law", "code", "field", "got", "passes"):
        assert getattr(found.refusal, name) == getattr(refusal, name)
    assert str(found.refusal) == str(refusal)


def test_what_was_done_is_found_with_its_hours_and_no_refusal(engine: Engine) -> None:
    one = ticket()
    with writing(engine) as tx:
        KEPT.accepted(tx, one, "ana", [], SESSION_AT)
        found = KEPT.find(tx, one, "ana")
        row = tx.execute(select(answers)).one()
    assert found is not None
    assert found.refusal is None
    assert (row.outcome, row.command, row.actor, row.chain, row.stream) == (DONE, "Add", "ana", "", "")


@pytest.mark.parametrize(("beads", "who"), [(2, "ana"), (1, "bia"), (1, "")])
def test_the_same_id_for_another_request_or_from_somebody_else_is_refused(engine: Engine, beads: int, who: str) -> None:
    one = ticket()
    with writing(engine) as tx:
        KEPT.accepted(tx, one, "ana", [], SESSION_AT)
        with pytest.raises(Refusal) as caught:
            KEPT.find(tx, ticket(beads, one.command_id), who)
    assert (caught.value.code, caught.value.passes) == ("id_repetido", "um UUID novo")


def test_refusals_are_counted_by_chain_and_code(engine: Engine) -> None:
    def refuse(code: str, chain: str) -> None:
        KEPT.refused(tx, ticket(), "ana", Refusal("Não.", MUN(4), code=code), chain, SESSION_AT)

    with writing(engine) as tx:
        for code, chain in (("a", "edital/1"), ("a", "edital/1"), ("b", "edital/1"), ("a", "edital/2")):
            refuse(code, chain)
        KEPT.accepted(tx, ticket(), "ana", [], SESSION_AT)
        assert KEPT.refusals(tx, "edital/1") == {"a": 2, "b": 1}
        assert KEPT.refusals(tx, "edital/2") == {"a": 1}
        assert KEPT.refusals(tx, "edital/3") == {}
        assert tx.execute(select(answers.c.outcome).where(answers.c.code == "b")).scalar() == REFUSED


def test_a_bidder_is_kept_by_pseudonym_because_the_id_stands_in_the_public_book(town: Town) -> None:
    town.to_session(bidders=2)
    town.start()
    ana, bia = town.bidders
    accepted = town.bid(1, 0, 10_000)
    too_low = town.refused(town.bid_of(1, 1, 9_999), bia.bidder)
    assert too_low.code == "abaixo_do_minimo"
    # Whoever forges another's pseudonym is kept as who they are: the refusal is not laid at the other's door.
    assert town.refused(town.bid_of(1, 0, 20_000), bia.bidder).code == "de_outra_pessoa"
    with reading(town.engine) as tx:
        rows = tx.execute(select(answers).where(answers.c.command == "PlaceBid").order_by(answers.c.code)).all()
    assert [(row.actor, row.code) for row in rows] == [
        (ana.pseudonyms[1], ""),
        (bia.pseudonyms[1], "abaixo_do_minimo"),
        (bia.person, "de_outra_pessoa"),
    ]
    # The same id from somebody else stays refused, though it carries the first one's pseudonym.
    stolen = town.refused(town.bid_of(1, 0, 10_000), bia.bidder, command_id=accepted.command_id)
    assert stolen.code == "id_repetido"
    assert town.bid(1, 0, 10_000, command_id=accepted.command_id).entries == accepted.entries
