"""The procedure on one page is complete: every command has an office, every fact a place, and consequences end."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest
from sqlalchemy import event, select

from tender import process
from tender.acts import COMMANDS, DESK_FACTS, FACTS, OFFICES_ROLES, Refusal, Role
from tender.answers import answers
from tender.clerk import Office
from tender.clock import FrozenClock
from tender.deadlines import deadlines
from tender.ledger import ledger, open_engine, projections, reading
from tender.people import People
from tender.settings import Settings
from tests.days import a_day, another_tender
from tests.town import EDITAL, SESSION_AT, Town

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


# --- what follows from what ------------------------------------------------------------------------------------------


DECIDES = re.compile(r"^tender\.(process|\w+\.rules)")


def spoken_of(function: Callable[..., Any], seen: set[Any] | None = None) -> set[type[Any]]:
    """Every class that a function names, itself or through functions of the process and the rules that it calls."""
    seen = set() if seen is None else seen
    if not isinstance(function, FunctionType) or function in seen or not DECIDES.search(function.__module__):
        return set()
    seen.add(function)
    found: set[type[Any]] = set()
    for made in named(function):
        if isinstance(made, type):
            found.add(made)
        else:
            found |= spoken_of(made, seen)
    return found


def named(function: FunctionType) -> Iterator[Any]:
    """The global things a function names, also those named within a module that it names."""
    names = {name for code in codes(function.__code__) for name in code.co_names}
    found = [function.__globals__[name] for name in names if name in function.__globals__]
    found += [
        getattr(one, name) for one in found if isinstance(one, ModuleType) for name in names if hasattr(one, name)
    ]
    yield from (one for one in found if not isinstance(one, ModuleType))
    yield from (cell.cell_contents for cell in function.__closure__ or ())


def codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def rule_of(kind: type[Any]) -> Callable[..., Any]:
    """The function that decides a command."""
    decide = process.OFFICES[kind].decide
    tables = [table for table in vars(inspect.getmodule(decide)).values() if isinstance(table, dict) and kind in table]
    assert tables, f"nobody decides {kind.__name__}"
    found: Callable[..., Any] = tables[0][kind]
    return found


def test_consequences_end_for_no_fact_leads_back_to_itself(sqlite_url: str, tmp_path: Path) -> None:
    leads: dict[type[Any], set[type[Any]]] = {}
    people = People(open_engine(sqlite_url), FrozenClock(SESSION_AT), Settings.for_tests(tmp_path))
    for fact, following in process.follows(people).items():
        commands = spoken_of(following) & OURS
        assert commands, f"nothing follows from {fact.__name__}"
        leads[fact] = {made for one in commands for made in spoken_of(rule_of(one)) if made in set(FACTS.values())}
        assert leads[fact], f"nothing comes of what follows from {fact.__name__}"

    def walk(fact: type[Any], path: tuple[type[Any], ...]) -> None:
        assert fact not in path, " -> ".join(one.__name__ for one in (*path, fact))
        for following in leads.get(fact, ()):
            walk(following, (*path, fact))

    for fact in leads:
        walk(fact, ())


READ_FROM_THE_BOOK = {
    "ClosureDeclared", "DecreeRegistered", "OutageNoticed", "PaperFiled", "ProofRecorded", "StandCreated",
    "WarningDecided",
}  # fmt: skip
"""Facts without a table: pages fold them from the book, for there are few."""


def test_every_fact_of_a_day_changes_a_table_or_is_read_from_the_book(sqlite_url: str, tmp_path: Path) -> None:
    rows: dict[str, int] = {}
    projecting = [""]

    def watched(project: Callable[..., None]) -> Callable[..., None]:
        def watch(tx: Any, entry: Any) -> None:
            projecting[0] = entry.kind
            rows.setdefault(entry.kind, 0)
            project(tx, entry)
            projecting[0] = ""

        return watch

    def count(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        if projecting[0] and statement.startswith(("INSERT", "UPDATE", "DELETE")):
            rows[projecting[0]] += cursor.rowcount

    town = Town(
        sqlite_url, tmp_path, change=lambda made: replace(made, projections=tuple(map(watched, made.projections)))
    )
    event.listen(town.engine, "after_cursor_execute", count)
    a_day(town)
    another_tender(town)
    desks_own = {kind.__name__ for kind in DESK_FACTS}  # projected by the clerk
    assert {kind for kind, changed in rows.items() if not changed} - desks_own == READ_FROM_THE_BOOK & set(rows)
    assert len(rows) > 30
    town.close()
