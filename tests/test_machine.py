"""Statuses and transitions as data: what is not declared cannot happen, and the table itself is checked."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import pytest

from tender.machine import Machine
from tests.strategies import models, our_facts


class Light(StrEnum):
    """Of a traffic light that is taken away one day."""

    RED = "Vermelho"
    GREEN = "Verde"
    GONE = "Retirado"


class Changed: ...


class Cleaned: ...


class Removed: ...


RED, GREEN, GONE = Light
MOVES: dict[tuple[Light, type[Any]], Light] = {
    (RED, Changed): GREEN,
    (GREEN, Changed): RED,
    (RED, Cleaned): RED,
    (GREEN, Removed): GONE,
}
LIGHT = Machine("light", RED, MOVES, final=frozenset({GONE}))


def with_moves(*gone: tuple[Light, type[Any]], **final: Any) -> Machine[Light]:
    """The light without some of its moves."""
    return Machine("light", RED, {key: there for key, there in MOVES.items() if key not in gone}, **final)


def test_a_declared_move_leads_where_it_says() -> None:
    assert LIGHT.after(RED, Changed()) is GREEN
    assert LIGHT.after(RED, Cleaned()) is RED
    assert LIGHT.after(GREEN, Removed()) is GONE
    assert LIGHT.allows(RED, Cleaned)
    assert not LIGHT.allows(GREEN, Cleaned)


@pytest.mark.parametrize(("status", "happened"), [(RED, Removed()), (GREEN, Cleaned()), (GONE, Changed()), (RED, RED)])
def test_an_undeclared_move_is_a_fault_of_ours_and_never_a_status(status: Light, happened: object) -> None:
    with pytest.raises(AssertionError, match=f"light: {type(happened).__name__} cannot happen while {status.value}"):
        LIGHT.after(status, happened)


def test_a_fact_of_a_class_below_is_not_the_fact_that_was_declared() -> None:
    class Repainted(Changed): ...

    with pytest.raises(AssertionError):
        LIGHT.after(RED, Repainted())


def test_a_sound_table_has_no_faults() -> None:
    assert LIGHT.faults() == []
    assert LIGHT.statuses() == (RED, GREEN, GONE)
    assert LIGHT.reachable() == {RED, GREEN, GONE}


def test_a_status_that_is_never_reached_is_found() -> None:
    machine = with_moves((GREEN, Removed), final=frozenset({GONE}))
    assert "Retirado is never reached" in machine.faults()
    assert machine.reachable() == {RED, GREEN}


def test_a_dead_end_is_found_also_where_a_move_comes_back_to_itself() -> None:
    assert with_moves(final=frozenset()).faults() == ["Retirado is a dead end"]
    still = {(RED, Changed): GREEN, (GREEN, Cleaned): GREEN, (GREEN, Removed): GREEN, (RED, Removed): GONE}
    assert Machine("light", RED, still, final=frozenset({GONE})).faults() == ["Verde is a dead end"]


def test_a_way_out_of_a_final_status_is_found_and_staying_is_none() -> None:
    assert Machine("light", RED, {**MOVES, (GONE, Cleaned): GONE}, final=frozenset({GONE})).faults() == []
    back = Machine("light", RED, {**MOVES, (GONE, Changed): RED}, final=frozenset({GONE}))
    assert back.faults() == ["Retirado is final but can be left"]


def test_a_circle_without_a_way_to_the_end_is_found() -> None:
    circle = {(RED, Changed): GREEN, (GREEN, Changed): RED}
    machine = Machine("light", RED, circle, final=frozenset({GONE}))
    assert machine.faults() == [
        "Retirado is never reached",
        "Vermelho never comes to an end",
        "Verde never comes to an end",
    ]
    endless = Machine("light", RED, {**circle, (GREEN, Removed): GONE, (GONE, Changed): RED})
    assert endless.faults() == []  # what is declared to have no end may go round for ever


def test_the_diagram_tells_the_whole_table() -> None:
    assert LIGHT.diagram() == (
        "stateDiagram-v2\n"
        "    [*] --> red\n"
        "    red --> green: Changed\n"
        "    green --> red: Changed\n"
        "    red --> red: Cleaned\n"
        "    green --> gone: Removed\n"
        "    gone --> [*]\n"
    )


# --- the chapters' own -----------------------------------------------------------------------------------------------

MACHINES = {
    machine.name: machine for module in models() for machine in vars(module).values() if isinstance(machine, Machine)
}


def test_each_chapter_that_has_a_life_has_its_machine() -> None:
    assert {"edital", "application", "stand", "award"} <= MACHINES.keys()


@pytest.mark.parametrize("machine", [pytest.param(one, id=name) for name, one in MACHINES.items()])
def test_no_machine_of_ours_has_a_fault(machine: Machine[Any]) -> None:
    assert machine.faults() == []
    assert machine.start not in machine.final
    assert machine.final
    for (status, kind), there in machine.moves.items():
        assert isinstance(status, type(machine.start))
        assert isinstance(there, type(machine.start))
        assert our_facts()[kind.__name__] is kind


def test_every_fact_moves_a_machine_or_is_the_desk_s_own() -> None:
    moving = {kind.__name__ for machine in MACHINES.values() for _, kind in machine.moves}
    # A register has no life of statuses: it keeps what it is told, and lists its facts.
    kept = {kind.__name__ for module in models() for kind in getattr(module, "FACTS", ())}
    assert our_facts().keys() - moving - kept == {"ActProposed", "ActSeconded"}
