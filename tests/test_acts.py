"""What may be asked and what may happen: each with its article, its roles, a name of its own."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from tender.acts import (
    ANYONE,
    COMMANDS,
    DESK_FACTS,
    FACTS,
    OFFICES_ROLES,
    SYSTEM,
    Actor,
    Refusal,
    Role,
    Turn,
    command,
    fact,
)
from tender.law import L14133, MUN, Citation
from tests.strategies import hints_of, our_commands, our_facts

COMMAND_KINDS = [pytest.param(kind, id=name) for name, kind in our_commands().items()]
FACT_KINDS = [pytest.param(kind, id=name) for name, kind in our_facts().items()]


@pytest.fixture(autouse=True)
def registries() -> Iterator[None]:
    """What a test declares is forgotten after it."""
    commands, facts = dict(COMMANDS), dict(FACTS)
    yield
    for registry, before in ((COMMANDS, commands), (FACTS, facts)):
        registry.clear()
        registry.update(before)


# --- roles -----------------------------------------------------------------------------------------------------------


def test_every_role_has_a_portuguese_name_of_its_own() -> None:
    labels = [role.label for role in Role]
    assert all(label and label[0].isupper() for label in labels)
    assert len(set(labels)) == len(Role)
    assert Role.MAYOR.label == "Autoridade (Prefeito ou delegado)"


def test_offices_are_held_by_appointment_and_nobody_else_s() -> None:
    assert len(OFFICES_ROLES) == 6
    assert set(Role) - {Role.PUBLIC, Role.APPLICANT, Role.BIDDER, Role.SYSTEM} == OFFICES_ROLES


def test_an_actor_may_what_one_of_his_roles_may() -> None:
    @command(Role.MAYOR, Role.SECRETARIAT, law=MUN(3))
    class Announce:
        pass

    assert Actor("p", frozenset({Role.MAYOR})).may(Announce)
    assert Actor("p", frozenset({Role.BIDDER, Role.SECRETARIAT})).may(Announce)
    assert not Actor("p", frozenset({Role.BIDDER, Role.PREGOEIRO}), second_factor=True).may(Announce)
    assert not Actor("p", frozenset()).may(Announce)
    assert not ANYONE.may(Announce)
    assert not SYSTEM.may(Announce)


# --- declaring -------------------------------------------------------------------------------------------------------


def test_a_command_carries_its_permission_and_is_known_by_its_name() -> None:
    @command(Role.BIDDER, law=MUN(4, 3), of="bidder", members=2)
    class Renounce:
        bidder: str
        reason: str = ""

    assert COMMANDS["Renounce"] is Renounce
    assert "Renounce" not in FACTS
    assert Renounce.META.roles == {Role.BIDDER}
    assert (Renounce.META.law, Renounce.META.of, Renounce.META.members) == (MUN(4, 3), "bidder", 2)
    assert Renounce("p") == Renounce("p", "")
    with pytest.raises(dataclasses.FrozenInstanceError):
        Renounce("p").reason = "x"  # type: ignore[misc]
    assert not hasattr(Renounce("p"), "__dict__")


def test_a_fact_carries_its_article_and_is_known_by_its_name() -> None:
    @fact(law=L14133(54))
    class Announced:
        by: str

    assert FACTS["Announced"] is Announced
    assert "Announced" not in COMMANDS
    assert Announced.META.law == L14133(54)
    with pytest.raises(dataclasses.FrozenInstanceError):
        Announced("p").by = "x"  # type: ignore[misc]


@pytest.mark.parametrize("declare", [fact(law=MUN(1)), command(Role.PUBLIC, law=MUN(1))], ids=["fact", "command"])
def test_a_name_is_taken_once(declare: Any) -> None:
    def ring(place: str, module: str = __name__) -> type[Any]:
        return type("Ring", (), {"__qualname__": place, "__module__": module})

    declare(ring("Ring"))
    with pytest.raises(AssertionError, match="two acts are called Ring"):
        declare(ring("Other.Ring"))
    with pytest.raises(AssertionError, match="two acts are called Ring"):
        declare(ring("Ring", "tender.elsewhere"))
    declare(ring("Ring"))  # the same module read twice


def test_a_command_and_a_fact_are_counted_apart() -> None:
    happened = fact(law=MUN(1))(type("Mark", (), {}))
    asked = command(Role.PUBLIC, law=MUN(1))(type("Mark", (), {}))
    assert (FACTS["Mark"], COMMANDS["Mark"]) == (happened, asked)


def test_who_the_command_is_of_must_be_one_of_its_fields() -> None:
    class Nameless:
        bidder: str

    with pytest.raises(AssertionError, match="Nameless has no field biddder"):
        command(Role.BIDDER, law=MUN(4), of="biddder")(Nameless)
    assert "Nameless" not in COMMANDS


@pytest.mark.parametrize(
    ("declare", "said"),
    [
        (lambda: command(law=MUN(1)), "at least one role"),
        (lambda: command(Role.PUBLIC, law="lei-724-2008#art-1"), "names its article"),  # type: ignore[arg-type]
        (lambda: command(Role.PUBLIC, law=MUN), "names its article"),  # type: ignore[arg-type]
        (lambda: command(Role.PUBLIC, law=MUN(1), members=0), "at least one member"),
        (lambda: fact(law=None), "names its article"),  # type: ignore[arg-type]
    ],
)
def test_an_act_without_role_or_article_is_not_declared(declare: Any, said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        declare()


# --- all there are ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", COMMAND_KINDS)
def test_every_command_names_a_role_an_article_and_whose_it_is(kind: type[Any]) -> None:
    meta = kind.META
    assert meta.roles
    assert meta.roles <= set(Role)
    assert isinstance(meta.law, Citation)
    assert meta.members >= 1
    assert meta.of is None or meta.of in hints_of(kind)
    # Who acts for himself must be named in the command: else anybody could act for anybody.
    assert meta.of is not None or not meta.roles & {Role.BIDDER, Role.APPLICANT}
    # Several members together make sense for offices only.
    assert meta.members == 1 or meta.roles <= OFFICES_ROLES | {Role.SYSTEM}
    assert COMMANDS[kind.__name__] is kind
    assert kind.__doc__


@pytest.mark.parametrize("kind", FACT_KINDS)
def test_every_fact_names_an_article_and_says_what_happened(kind: type[Any]) -> None:
    assert isinstance(kind.META.law, Citation)
    assert FACTS[kind.__name__] is kind
    assert kind.__doc__


def test_the_desk_s_own_facts_are_facts() -> None:
    assert {kind.__name__ for kind in DESK_FACTS} == {"ActProposed", "ActSeconded"}
    assert all(FACTS[kind.__name__] is kind for kind in DESK_FACTS)


# --- turns and refusals ----------------------------------------------------------------------------------------------


def test_a_turn_of_the_desk_s_own_knows_nothing_more() -> None:
    turn, other = Turn(datetime(2027, 3, 5, tzinfo=UTC)), Turn(datetime(2027, 3, 5, tzinfo=UTC))
    assert (turn.by, turn.role, turn.members, turn.known) == ("sistema", Role.SYSTEM, (), {})
    assert turn.known is not other.known
    assert SYSTEM.person == turn.by


def test_a_refusal_says_why_by_which_article_and_what_would_pass() -> None:
    bare = Refusal("Ainda não.", MUN(4, 3))
    assert str(bare) == "Ainda não. (art. 4º, § 3º, da Lei nº 724/2008)"
    assert (bare.code, bare.field, bare.got, bare.passes) == ("recusado", "", "", "")
    told = Refusal("Abaixo.", MUN(4), code="abaixo_do_minimo", field="valor", got="R$ 1", passes="R$ 2")
    assert (told.reason, told.law, told.args) == ("Abaixo.", MUN(4), ("Abaixo.",))
    assert (told.code, told.field, told.got, told.passes) == ("abaixo_do_minimo", "valor", "R$ 1", "R$ 2")
