"""The clerk's work on one command: who may, whose it is, who signs with whom, and what follows in the same breath."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, select

from tender import clerk
from tender.acts import ANYONE, OFFICES_ROLES, SYSTEM, Actor, ActProposed, ActSeconded, Refusal, Role
from tender.awards.model import BidderCalled
from tender.bidding.model import CloseStand, Status
from tender.clerk import CONSEQUENCES_MAX, Procedure, proposals
from tender.desk import DeskBroken
from tender.law import L14133, MUN
from tender.ledger import Entry, reading
from tests.abacus import ABACUS, Abacus, Add, Clear, Mend, Mended, Push, Roll
from tests.town import EDITAL, SECOND, Town


def member(person: str) -> Actor:
    return Actor(person, frozenset({Role.COMMISSION}), second_factor=True)


ANA, BIA, CAIO = member("ana"), member("bia"), member("caio")


@pytest.fixture
def abacus(database_url: str) -> Iterator[Abacus]:
    made = Abacus(database_url)
    yield made
    made.close()


def refusal(abacus: Abacus, command: Any, actor: Actor) -> Refusal:
    with pytest.raises(Refusal) as caught:
        abacus.ask(command, actor)
    return caught.value


def kinds(abacus: Abacus) -> list[str]:
    with reading(abacus.engine) as tx:
        return [entry.kind for entry in abacus.book.entries(tx, f"edital/{ABACUS}")]


def waiting(abacus: Abacus) -> list[str]:
    with reading(abacus.engine) as tx:
        return list(tx.execute(select(proposals.c.by).order_by(proposals.c.seq)).scalars())


# --- who may ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", list(Role))
def test_a_role_may_do_what_its_acts_name_and_nothing_else(abacus: Abacus, role: Role) -> None:
    actor = Actor("ana", frozenset({role}), second_factor=True)
    for command in (Add(ABACUS, 1), Clear(ABACUS), Push(ABACUS, "ana"), Mend(ABACUS, 3)):
        if role in command.META.roles:
            assert abacus.ask(command, actor).entries[0].role == role.value
        else:
            refused = refusal(abacus, command, actor)
            assert (refused.code, refused.law) == ("sem_competencia", command.META.law)
            assert all(one.label in refused.reason for one in command.META.roles)


@pytest.mark.parametrize(("role", "command"), [(Role.CONTROL, Clear(ABACUS)), (Role.COMMISSION, Mend(ABACUS, 3))])
def test_an_office_acts_only_after_the_second_factor(abacus: Abacus, role: Role, command: Any) -> None:
    assert role in OFFICES_ROLES
    refused = refusal(abacus, command, Actor("ana", frozenset({role}), second_factor=False))
    assert (refused.code, refused.law) == ("segundo_fator", command.META.law)
    assert abacus.ask(command, Actor("ana", frozenset({role}), second_factor=True)).entries


def test_those_without_an_office_need_no_second_factor(abacus: Abacus) -> None:
    assert abacus.ask(Add(ABACUS, 1), ANYONE).entries
    assert abacus.ask(Push(ABACUS, "ana"), Actor("ana", frozenset({Role.BIDDER}))).entries


def test_somebody_of_several_roles_acts_in_one_that_the_act_names(abacus: Abacus) -> None:
    actor = Actor("ana", frozenset({Role.CONTROL, Role.APPLICANT, Role.COMMISSION}), second_factor=True)
    assert abacus.ask(Clear(ABACUS), actor).entries[0].role == Role.CONTROL.value


def test_only_the_person_concerned_may_act_and_stands_in_the_book_by_pseudonym(abacus: Abacus) -> None:
    bidder = Actor("joana", frozenset({Role.BIDDER}))
    entry = abacus.ask(Push(ABACUS, "anaoj"), bidder).entries[0]
    assert entry.actor == "anaoj"
    for somebody_elses in ("joana", "ana", "", "anaoj "):
        refused = refusal(abacus, Push(ABACUS, somebody_elses), bidder)
        assert (refused.code, refused.law) == ("de_outra_pessoa", MUN(2))


def test_the_system_acts_only_where_it_is_declared(abacus: Abacus) -> None:
    assert abacus.ask(Clear(ABACUS), SYSTEM).entries[0].actor == "sistema"
    assert refusal(abacus, Push(ABACUS, "ana"), SYSTEM).code == "sem_competencia"
    # As a consequence it is our own mistake, so nothing of the cause remains either.
    with pytest.raises(DeskBroken) as broken:
        abacus.ask(Roll(ABACUS, 0, "push"))
    assert "consequence Push was refused" in str(broken.value.__cause__)
    assert abacus.ask(Roll(ABACUS, 0, "clear")).entries[-1].role == Role.SYSTEM.value
    assert kinds(abacus) == ["Cleared", "Rolled", "Cleared"]


# --- two members together --------------------------------------------------------------------------------------------


def test_an_act_of_two_members_waits_for_the_second(abacus: Abacus) -> None:
    first = abacus.ask(Mend(ABACUS, 3, "caiu"), ANA)
    assert first.awaits_member
    proposed = first.entries[0].fact
    assert isinstance(proposed, ActProposed)
    assert (proposed.act, proposed.by) == ("Mend", "ana")
    assert waiting(abacus) == ["ana"]
    second = abacus.ask(Mend(ABACUS, 3, "caiu"), BIA)
    assert not second.awaits_member
    assert [entry.fact for entry in second.entries] == [
        ActSeconded("Mend", proposed.digest, ("ana", "bia")),
        Mended(3, ("ana", "bia")),
    ]
    assert waiting(abacus) == []


def test_nobody_signs_the_same_act_twice(abacus: Abacus) -> None:
    abacus.ask(Mend(ABACUS, 3), ANA)
    refused = refusal(abacus, Mend(ABACUS, 3), ANA)
    assert (refused.code, refused.law) == ("falta_outro_membro", L14133(8, 2))
    assert kinds(abacus) == ["ActProposed"]


def test_acts_of_other_content_or_another_edital_do_not_count_together(abacus: Abacus) -> None:
    elsewhere = Mend(type(ABACUS)("998-2027"), 3, "caiu")
    for command, actor in (
        (Mend(ABACUS, 3, "caiu"), ANA),
        (Mend(ABACUS, 3, "Caiu"), BIA),
        (Mend(ABACUS, 4, "caiu"), BIA),
        (elsewhere, BIA),
    ):
        assert abacus.ask(command, actor).awaits_member
    assert sorted(waiting(abacus)) == ["ana", "bia", "bia", "bia"]
    assert not abacus.ask(Mend(ABACUS, 3, "caiu"), CAIO).awaits_member
    assert waiting(abacus) == ["bia", "bia", "bia"]


def test_an_act_that_would_be_refused_is_refused_to_the_first_member_at_once(abacus: Abacus) -> None:
    assert refusal(abacus, Mend(ABACUS, 0), ANA).code == "sem_hastes"
    assert waiting(abacus) == kinds(abacus) == []


def test_after_it_was_done_the_same_act_needs_two_members_anew(abacus: Abacus) -> None:
    for actor in (ANA, BIA, BIA, CAIO):
        receipt = abacus.ask(Mend(ABACUS, 3), actor)
    assert receipt.entries[-1].fact == Mended(3, ("bia", "caio"))
    assert kinds(abacus) == ["ActProposed", "ActSeconded", "Mended"] * 2


def test_a_proposal_survives_a_restart_and_its_versions_count_in_the_stream(abacus: Abacus) -> None:
    abacus.ask(Add(ABACUS, 1))
    abacus.ask(Mend(ABACUS, 3), ANA)
    assert abacus.ask(Add(ABACUS, 1)).entries[0].body["total"] == 2
    abacus.restart()
    assert [entry.version for entry in abacus.ask(Mend(ABACUS, 3), BIA).entries] == [4, 5]
    assert abacus.ask(Add(ABACUS, 1)).entries[0].body["total"] == 3


# --- what follows ----------------------------------------------------------------------------------------------------


def test_consequences_are_written_with_their_cause_step_by_step(abacus: Abacus) -> None:
    receipt = abacus.ask(Roll(ABACUS, 2, "add"))
    assert [(entry.kind, entry.step, entry.actor, entry.command_id) for entry in receipt.entries] == [
        ("Rolled", 0, "publico", receipt.command_id),
        ("Rolled", 1, "sistema", receipt.command_id),
        ("Rolled", 2, "sistema", receipt.command_id),
        ("Added", 3, "sistema", receipt.command_id),
    ]
    assert {entry.at for entry in receipt.entries} == {receipt.arrived_at}


@pytest.mark.parametrize("end", ["raise", "refuse", "push"])
def test_when_a_consequence_fails_nothing_of_its_cause_remains(abacus: Abacus, end: str) -> None:
    with pytest.raises(DeskBroken):
        abacus.ask(Roll(ABACUS, 3, end))
    assert kinds(abacus) == []
    assert abacus.ask(Add(ABACUS, 1)).entries[0].version == 1


def test_as_many_consequences_as_allowed_are_performed_and_one_more_is_a_fault_of_ours(abacus: Abacus) -> None:
    assert len(abacus.ask(Roll(ABACUS, CONSEQUENCES_MAX)).entries) == CONSEQUENCES_MAX + 1
    for endless in (CONSEQUENCES_MAX + 1, -1):
        with pytest.raises(DeskBroken) as broken:
            abacus.ask(Roll(ABACUS, endless))
        assert str(broken.value.__cause__) == "consequences of Roll do not end"
    assert len(kinds(abacus)) == CONSEQUENCES_MAX + 1


def test_a_stand_that_closes_is_ranked_and_its_first_called_in_one_transaction_or_not_at_all(
    database_url: str, tmp_path: Path
) -> None:
    failing = [True]

    def fail(tx: Connection, entry: Entry) -> None:
        if failing and isinstance(entry.fact, BidderCalled):
            raise RuntimeError("the last of four steps fails")

    def change(procedure: Procedure) -> Procedure:
        return replace(procedure, effects=(*procedure.effects, fail))

    town = Town(database_url, tmp_path, change=change)
    town.to_session(bidders=2)
    town.start()
    town.bid(1, 0, 10_000)
    close, closes_at = CloseStand(EDITAL, type(town.contest().stand)(1)), town.contest().closes_at
    before = len(town.entries())
    with pytest.raises(DeskBroken):
        town.ask(close, SYSTEM, closes_at)
    assert len(town.entries()) == before
    assert town.contest().status is Status.CONTESTED
    assert town.award() is None
    failing.clear()
    receipt = town.ask(close, SYSTEM)
    assert [entry.kind for entry in receipt.entries] == ["StandClosed", "StandRanked", "BidderCalled", "SessionClosed"]
    award = town.award()
    assert award is not None
    assert award.called is not None
    assert award.called.bidder == town.bidders[0].pseudonyms[1]
    town.close()


# --- memory ----------------------------------------------------------------------------------------------------------


def test_folded_states_beyond_the_limit_are_forgotten_and_folded_anew(
    abacus: Abacus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clerk, "STATES_MAX", 2)
    editais = [type(ABACUS)(f"90{n}-2027") for n in range(5)]
    for round_ in range(1, 4):
        for one in editais:
            assert abacus.ask(Add(one, 1)).entries[0].body["total"] == round_


def test_a_command_has_the_chain_of_its_office_and_an_unknown_one_none(abacus: Abacus) -> None:
    known = clerk.Clerk(abacus.book, abacus.procedure, lambda tx, person, value: False)
    assert known.chain_of(Add(ABACUS, 1)) == f"edital/{ABACUS}"
    assert known.chain_of(object()) == ""


def test_hours_in_the_book_never_go_back_when_a_restart_finds_the_clock_behind(abacus: Abacus) -> None:
    first = abacus.ask(Add(ABACUS, 1)).entries[0]
    abacus.clock.set(abacus.clock.now() - 10 * SECOND)
    abacus.restart()
    second = abacus.ask(Add(ABACUS, 1))
    assert second.arrived_at < first.at
    assert second.entries[0].at == first.at
