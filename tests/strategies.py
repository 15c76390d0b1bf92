"""Values of any act by its type hints: hypothesis strategies for properties, fixed examples for the golden book.

@given(of_kind(PlaceBid))       any PlaceBid at all
example(PlaceBid, 3)            always the same PlaceBid
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import types
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from enum import Enum
from functools import cache
from types import ModuleType
from typing import Any, Union

from hypothesis import strategies as st

from tender.acts import COMMANDS, FACTS
from tender.law import L14133, MUN, Citation
from tender.money import Money

CHAPTERS = ("edital", "habilitation", "bidding", "awards", "permits")
LARGEST = 2**53 - 1


@cache
def models() -> tuple[ModuleType, ...]:
    """The modules in which the chapters' words are declared, imported: only then are their acts registered."""
    found: list[ModuleType] = []
    for chapter in CHAPTERS:
        if importlib.util.find_spec(f"tender.{chapter}.model") is None:
            continue
        module = importlib.import_module(f"tender.{chapter}.model")
        rooms = pkgutil.iter_modules(getattr(module, "__path__", []), f"{module.__name__}.")
        found += [module, *(importlib.import_module(room.name) for room in rooms)]
    return tuple(found)


def _ours(registry: Mapping[str, type[Any]]) -> dict[str, type[Any]]:
    models()
    return {name: kind for name, kind in sorted(registry.items()) if kind.__module__.startswith("tender.")}


def our_facts() -> dict[str, type[Any]]:
    """Every fact that the program can write, by name; not what tests registered."""
    return _ours(FACTS)


def our_commands() -> dict[str, type[Any]]:
    """Every command that the program takes, by name."""
    return _ours(COMMANDS)


# --- any value -------------------------------------------------------------------------------------------------------

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
WHOLE_NUMBERS = st.integers(-LARGEST, LARGEST) | st.sampled_from([0, 1, -1, 2**31, 2**32, LARGEST, -LARGEST])
ZONES = st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=45))])
YEARS = (datetime(1, 1, 2, tzinfo=UTC).replace(tzinfo=None), datetime(9999, 12, 30, tzinfo=UTC).replace(tzinfo=None))
INSTANTS = st.datetimes(*YEARS, timezones=ZONES)
CITATIONS = st.sampled_from([MUN(4), MUN(4, "caput"), MUN(4, 1, "III"), MUN(24, "único"), L14133(165, 1, "I", "c")]) | (
    st.builds(L14133, st.integers(1, 200), st.none() | st.integers(1, 12), st.none() | st.sampled_from(["I", "IX"]))
)
PLAIN = st.recursive(
    st.none() | st.booleans() | WHOLE_NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
"""What JSON can say without fractions."""

SIMPLE: dict[Any, st.SearchStrategy[Any]] = {
    str: TEXTS,
    int: WHOLE_NUMBERS,
    bool: st.booleans(),
    Money: st.builds(Money, WHOLE_NUMBERS),
    Citation: CITATIONS,
    datetime: INSTANTS,
    date: st.dates(),
    Any: PLAIN,
    dict: st.dictionaries(TEXTS, PLAIN, max_size=3),
    type(None): st.none(),
}


def _kind(hint: Any) -> Any:
    return getattr(hint, "__supertype__", hint)  # NewType


def of_kind(hint: Any) -> st.SearchStrategy[Any]:
    """Any value of a type that an act may have as a field, or any act of a class."""
    kind, inner = _kind(hint), typing.get_args(hint)
    origin = typing.get_origin(kind)
    if kind in SIMPLE:
        return SIMPLE[kind]
    if origin in (Union, types.UnionType):
        return st.one_of([of_kind(one) for one in inner])
    if origin is tuple and inner[1:] == (Ellipsis,):
        return st.lists(of_kind(inner[0]), max_size=3).map(tuple)
    if origin is tuple:
        return st.tuples(*map(of_kind, inner))
    if origin in (dict, Mapping):
        return st.dictionaries(of_kind(inner[0]), of_kind(inner[1]), max_size=3)
    if issubclass(kind, Enum):
        return st.sampled_from(kind)
    assert is_dataclass(kind), f"no strategy for {kind!r}"
    return st.deferred(lambda: st.builds(kind, **{name: of_kind(one) for name, one in hints_of(kind).items()}))


@cache
def hints_of(kind: type[Any]) -> dict[str, Any]:
    """Field -> type of an act or of a value inside one, in order of declaration."""
    hints = typing.get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


# --- the same value for ever -----------------------------------------------------------------------------------------

NOON = datetime(2027, 3, 5, 15, 0, tzinfo=UTC)
WORDS = ("Praça Américo Ferreira da Silva", "ponto nº 3 — “rodoviária”", 'aspas " e barra \\', "日本 🚕 é composto", "")
PLACES = (MUN(4, 1, "III"), MUN(24, "único"), L14133(165, 1, "I", "c"), MUN(12))


def example(hint: Any, number: int) -> Any:
    """A value of a type that depends on nothing but `number`: even ones fill what may be empty, odd ones do not."""
    kind, inner = _kind(hint), typing.get_args(hint)
    origin = typing.get_origin(kind)
    simple = {
        str: WORDS[number % len(WORDS)],
        int: number,
        bool: number % 2 == 0,
        Money: Money(820_000 + number),
        Citation: PLACES[number % len(PLACES)],
        datetime: NOON + timedelta(seconds=number, microseconds=number),
        date: NOON.date() + timedelta(days=number),
        Any: {"número": number},
        dict: {"número": number},
        type(None): None,
    }
    if kind in simple:
        return simple[kind]
    if origin in (Union, types.UnionType):
        return None if number % 2 and type(None) in inner else example(inner[0], number)
    if origin is tuple and inner[1:] == (Ellipsis,):
        return () if number % 2 else (example(inner[0], number), example(inner[0], number + 1))
    if origin is tuple:
        return tuple(example(one, number + n) for n, one in enumerate(inner))
    if origin in (dict, Mapping):
        return {} if number % 2 else {example(inner[0], number): example(inner[1], number + 1)}
    if issubclass(kind, Enum):
        return list(kind)[number % len(kind)]
    return kind(**{name: example(one, number + 2 * n) for n, (name, one) in enumerate(hints_of(kind).items())})
