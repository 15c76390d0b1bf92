"""Acts to plain data and back: only JSON's own types, so that the book can be read without this program.

Money travels as whole centavos, instants as UTC text with microseconds, citations by their key. Nothing here
writes JSON; the ledger does.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime
from enum import Enum
from functools import cache, partial
from typing import Any, Union

from tender.law import Citation
from tender.money import Money
from tender.verifier import LARGEST

Plain = Any  # None, bool, int, str, list and dict of the same; JSON without floats


class CodecError(ValueError):
    """A value that the book cannot hold, or plain data that does not fit its type."""


def instant_text(at: datetime) -> str:
    """Aware instant as `2027-03-05T17:00:00.000000Z`; refuses naive ones (CodecError)."""
    if at.utcoffset() is None:
        raise CodecError("an instant needs its zone")
    try:
        # Not strftime: it writes the year 999 with three digits, which nobody could read back.
        return at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
    except OverflowError as error:
        raise CodecError("an instant outside the years 1 to 9999") from error


def instant_from(text: str) -> datetime:
    """The inverse of `instant_text`; refuses every other form (CodecError)."""
    try:
        at = datetime.fromisoformat(text.removesuffix("Z")).replace(tzinfo=UTC)
    except (AttributeError, TypeError, ValueError) as error:
        raise CodecError(f"not an instant: {text!r}") from error
    if instant_text(at) != text:
        raise CodecError(f"not an instant in canonical form: {text!r}")
    return at


def to_plain(value: object) -> Plain:
    """Plain form of an act or of any value inside one.

    CodecError for what the book cannot hold: floats, unknown types, whole numbers beyond 2^53 - 1, half characters.
    """
    if isinstance(value, Enum):
        return to_plain(value.value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Money):
        return _whole(value.centavos)
    if isinstance(value, Citation):
        return value.key
    if isinstance(value, datetime):
        return instant_text(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {_name(name): to_plain(item) for name, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    raise CodecError(f"the book cannot hold a {type(value).__name__}")


def _whole(number: int) -> int:
    if not -LARGEST <= number <= LARGEST:
        raise CodecError("a whole number beyond 2^53 - 1: other languages would read another one")
    return int(number)


def _text(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise CodecError("a text with half a character (a lone surrogate)") from error
    if "\0" in text:
        raise CodecError("a text with the sign NUL, which PostgreSQL cannot hold")
    return str.__str__(text)


def _name(name: object) -> str:
    plain = to_plain(name)
    if not isinstance(plain, str):
        raise CodecError("names in the book are text")
    return plain


# -- and back ----------------------------------------------------------------------------------------------------------

Reader = Callable[[Plain], Any]


def from_plain(kind: Any, data: Plain) -> Any:
    """Value of type `kind` from plain data; a missing or surplus field, or a wrong type, raises CodecError.

    A field with a default may be missing: the shape of a fact only grows (house rule 4).
    """
    return _reader(kind)(data)


@cache
def _reader(kind: Any) -> Reader:
    while hasattr(kind, "__supertype__"):  # NewType
        kind = kind.__supertype__
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return to_plain
    if origin in (Union, types.UnionType):
        return partial(_from_union, inner)
    if origin is tuple:
        return partial(_from_tuple, inner)
    if origin in (dict, Mapping):
        return partial(_from_mapping, *inner)
    if isinstance(kind, type):
        return _class_reader(kind)
    raise CodecError(f"no reader for {kind!r}")


def _class_reader(kind: type) -> Reader:
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if is_dataclass(kind):
        return partial(_from_record, kind)
    if issubclass(kind, Enum):
        return partial(_member, kind)
    raise CodecError(f"no reader for {kind!r}")


def _expect(kind: type, data: Plain) -> Any:
    if not isinstance(data, kind) or (kind is int and isinstance(data, bool)):
        raise CodecError(f"expected {kind.__name__}, found {type(data).__name__}")
    if isinstance(data, str):
        return _text(data)
    return _whole(data) if isinstance(data, int) and kind is int else data


def _canonical(kind: type, data: Plain) -> date | Citation:
    # Both readers are more lenient than the book: the same value may not stand there in two spellings.
    text = _expect(str, data)
    try:
        value = date.fromisoformat(text) if kind is date else Citation.parse(text)
    except ValueError as error:
        raise CodecError(str(error)) from error
    if to_plain(value) != text:
        raise CodecError(f"not in canonical form: {text!r}")
    return value


_SIMPLE: dict[type, Reader] = {
    int: partial(_expect, int),
    str: partial(_expect, str),
    bool: partial(_expect, bool),
    dict: lambda data: to_plain(_expect(dict, data)),
    Money: lambda data: Money(_expect(int, data)),
    datetime: lambda data: instant_from(_expect(str, data)),
    date: partial(_canonical, date),
    Citation: partial(_canonical, Citation),
}


def _member(kind: type[Enum], data: Plain) -> Enum:
    try:
        member = kind(data)
    except (TypeError, ValueError) as error:
        raise CodecError(str(error)) from error
    if type(member.value) is not type(data):  # to Python, True is 1 and 1.0 is 1
        raise CodecError(f"expected {type(member.value).__name__}, found {type(data).__name__}")
    return member


def _from_union(options: tuple[Any, ...], data: Plain) -> Any:
    if data is None:
        if type(None) in options:
            return None
        raise CodecError("a value is missing")
    *others, last = [option for option in options if option is not type(None)]
    for option in others:
        with suppress(CodecError):
            return from_plain(option, data)
    return from_plain(last, data)


def _from_tuple(inner: tuple[Any, ...], data: Plain) -> tuple[Any, ...]:
    items = _expect(list, data)
    if len(inner) == 2 and inner[1] is Ellipsis:
        return tuple(from_plain(inner[0], item) for item in items)
    if len(inner) != len(items):
        raise CodecError("a list of another length")
    return tuple(from_plain(one, item) for one, item in zip(inner, items, strict=True))


def _from_mapping(names: Any, inner: Any, data: Plain) -> dict[Any, Any]:
    return {from_plain(names, name): from_plain(inner, item) for name, item in _expect(dict, data).items()}


@cache
def _readers(kind: Any) -> dict[str, Reader]:
    hints = typing.get_type_hints(kind)
    return {field.name: _reader(hints[field.name]) for field in fields(kind)}


def _from_record(kind: Any, data: Plain) -> Any:
    record, readers = _expect(dict, data), _readers(kind)
    surplus = record.keys() - readers.keys()
    if surplus:
        raise CodecError(f"{kind.__name__} has no field {min(surplus, key=str)}")
    values = {name: readers[name](item) for name, item in record.items()}
    try:
        return kind(**values)
    except (TypeError, ValueError) as error:
        raise CodecError(f"{kind.__name__}: {error}") from error
