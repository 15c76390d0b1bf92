"""The procedure on one page is complete: every command has an office, every fact a place, and consequences end."""

from __future__ import annotations

import inspect
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from tender import process
from tender.acts import COMMANDS, DESK_FACTS, FACTS, OFFICES_ROLES, Refusal, Role
from tender.answers import answers
from tender.clerk import Office
from tender.deadlines import deadlines
from tender.ledger import ledger, projections, reading
from tests.town import EDITAL, Town

OURS = {kind for kind in COMMANDS.values() if kind.__module__.startswith("tender.")}
ROLES_WITHOUT_ACTS = {Role.PUBLIC, Role.TECHNICIAN}
"""Whoever only looks, and whoever keeps the machine running: neither changes the book."""


def test_every_command_has_an_office_and_every_office_a_command_that_exists() -> None:
    assert set(process.OFFICES) == OURS


def test_every_office_decides_each_of_its_commands() -> None:
    tables: dict[int, Any] = {}
    for kind, office in process.OFFICES.items():
        tables.setdefault(id(office.decide), inspect.getclosurevars(office.decide).globals)
        known = [table for table in tables[id(office.decide)].values() if isinstance(table, dict)]
        assert any(kind in table for table in known), f"{office.name} does not decide {kind.__name__}"


def test_every_command_names_its_roles_and_its_article() -> None:
    for kind in OURS:
        assert kind.META.roles, kind
        assert kind.META.law.key, kind


def test_every_role_that_acts_has_something_to_do() -> None:
    used = {role for kind in OURS for role in kind.META.roles}
    assert set(Role) - used <= ROLES_WITHOUT_ACTS


def test_the_system_writes_consequences_and_what_fell_due_and_nothing_else(town: Town) -> None:
    town.to_session(bidders=2)
    town.start(1)
    town.bid(1, 0, 10_000)
    town.clock.advance(timedelta(hours=1))
    town.fall_due()
    with reading(town.engine) as tx:
        rows = tx.execute(select(ledger.c.kind).where(ledger.c.role == Role.SYSTEM.value)).scalars().all()
    assert set(rows) == {
        "StandPrepared",
        "ApplicationsClosed",
        "BidderAdmitted",
        "StandClosed",
        "StandRanked",
        "BidderCalled",
        "SessionClosed",
    }


def test_nothing_is_looked_up_for_a_command_that_no_office_has(town: Town) -> None:
    assert set(town.procedure.known) <= set(process.OFFICES)
    assert set(town.procedure.follows) <= set(FACTS.values())


def test_every_fact_of_a_chapter_is_evolved_by_its_office() -> None:
    offices: dict[str, Office] = {office.name: office for office in process.OFFICES.values()}
    modules = {inspect.getmodule(office.evolve) for office in offices.values()}
    kept = {kind for kind in FACTS.values() if kind.__module__.startswith("tender.")} - set(DESK_FACTS)
    spoken = {name for module in modules for name in vars(module)}
    missing = {kind.__name__ for kind in kept if kind.__name__ not in spoken and not _is_in_a_package(kind, modules)}
    assert missing == set()


def _is_in_a_package(kind: type[Any], modules: set[Any]) -> bool:
    """A fact of `model/part.py` belongs to the office whose `evolve` lives in `model`."""
    return any(kind.__module__.startswith(module.__name__.rpartition(".model")[0]) for module in modules)


def test_offices_of_one_stream_never_share_it() -> None:
    assert len({office.name for office in process.OFFICES.values()}) == len(set(map(id, process.OFFICES.values())))


@pytest.mark.parametrize("role", sorted(OFFICES_ROLES))
def test_no_act_of_an_office_goes_without_the_second_factor(town: Town, role: Role) -> None:
    from tender.acts import Actor

    bare = Actor("p_sem", frozenset({role}), second_factor=False)
    for kind in sorted(OURS, key=lambda one: one.__name__):
        if role in kind.META.roles and kind in (process.tender_edital.OpenSession, process.tender_edital.PublishEdital):
            command = kind(EDITAL, *(["x"] if kind is process.tender_edital.PublishEdital else []))
            with pytest.raises(Refusal) as refused:
                town.ask(command, bare)
            assert refused.value.code == "segundo_fator"


def test_a_whole_day_leaves_no_name_number_or_address_outside_people(town: Town) -> None:
    town.to_session(bidders=3)
    town.start(1)
    town.bid(1, 0, 10_000)
    town.bid(1, 1, 10_200)
    with pytest.raises(Refusal):
        town.bid(1, 2, 10_250)
    town.clock.advance(timedelta(hours=1))
    town.fall_due()

    secrets = {secret for who in town.bidders for secret in (who.name, who.cpf, who.email)}
    with reading(town.engine) as tx:
        tables = [ledger, answers, deadlines, *projections.tables.values()]
        told = {table.name: "\n".join(map(str, tx.execute(select(table)).all())) for table in tables}
        contest = tx.execute(select(ledger).where(ledger.c.stream.like("stand/%"))).all()
        award = tx.execute(select(ledger).where(ledger.c.stream.like("award/%"))).all()
    for table, text in told.items():
        assert [secret for secret in secrets if secret in text] == [], table
    ids = {str(one) for who in town.bidders for one in (who.person, who.party)}
    assert [one for one in ids if one in str(contest) + str(award)] == []


def test_admissions_stand_in_the_order_of_the_pseudonyms_and_far_from_the_applications(town: Town) -> None:
    town.to_session(bidders=3)
    with reading(town.engine) as tx:
        kinds = [(row.kind, row.body) for row in tx.execute(select(ledger).order_by(ledger.c.seq))]
    admitted = [body for kind, body in kinds if kind == "BidderAdmitted"]
    assert admitted == sorted(admitted)
    names = [kind for kind, _ in kinds]
    assert names.index("BidderAdmitted") > max(n for n, kind in enumerate(names) if kind == "ApplicationHabilitated")
