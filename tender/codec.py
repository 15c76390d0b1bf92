"""Acts to plain data and back: only JSON's own types, so that the book can be read without this program.

Money travels as whole centavos, instants as UTC text with microseconds, citations by their key. Nothing here
writes JSON; the ledger does.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime
from enum import Enum
from functools import cache
from typing import Any, Union

from tender.law import Citation
from tender.money import Money

Plain = Any  # None, bool, int, str, list and dict of the same; JSON without floats


class CodecError(ValueError):
    """A value that the book cannot hold, or plain data that does not fit its type."""


def instant_text(at: datetime) -> str:
    """Aware instant as `2027-03-05T17:00:00.000000Z`; refuses naive ones (CodecError)."""
    if at.tzinfo is None:
        raise CodecError("an instant needs its zone")
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def instant_from(text: str) -> datetime:
    """The inverse of `instant_text`; refuses every other form (CodecError)."""
    try:
        at = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    except (TypeError, ValueError) as error:
        raise CodecError(f"not an instant: {text!r}") from error
    if instant_text(at) != text:
        raise CodecError(f"not an instant in canonical form: {text!r}")
    return at


def to_plain(value: object) -> Plain:
    """Plain form of an act or of any value inside one. Floats and unknown types raise CodecError."""
    if value is None or isinstance(value, bool) or (isinstance(value, (int, str)) and not isinstance(value, Enum)):
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Money):
        return value.centavos
    if isinstance(value, Citation):
        return value.key
    if isinstance(value, datetime):
        return instant_text(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {_key(name): to_plain(item) for name, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    raise CodecError(f"the book cannot hold a {type(value).__name__}")


def _key(name: object) -> str:
    if not isinstance(name, str):
        raise CodecError("names in the book are text")
    return name


@cache
def _hints(cls: type) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def from_plain(kind: Any, data: Plain) -> Any:
    """Value of type `kind` from plain data; a missing or surplus field, or a wrong type, raises CodecError.

    A field with a default may be missing: the shape of a fact only grows (house rule 4).
    """
    kind = getattr(kind, "__supertype__", kind)  # NewType
    origin = typing.get_origin(kind)
    if origin in (Union, types.UnionType):
        return _from_union(kind, data)
    if origin is tuple:
        return _from_tuple(kind, data)
    if origin in (dict, Mapping) or origin is types.MappingProxyType or kind is dict:
        return _expect(dict, data)
    if isinstance(kind, type):
        return _from_class(kind, data)
    if kind is Any:
        return data
    raise CodecError(f"no reader for {kind!r}")


def _from_class(kind: type, data: Plain) -> Any:
    if is_dataclass(kind) and kind not in (Money, Citation):
        return _from_record(kind, data)
    if kind is Money:
        return Money(_expect(int, data))
    if kind is Citation:
        return Citation.parse(_expect(str, data))
    if kind is datetime:
        return instant_from(_expect(str, data))
    if kind is date:
        return date.fromisoformat(_expect(str, data))
    if issubclass(kind, Enum):
        try:
            return kind(data)
        except ValueError as error:
            raise CodecError(str(error)) from error
    if kind in (int, str, bool):
        return _expect(kind, data)
    raise CodecError(f"no reader for {kind!r}")


def _expect(kind: type, data: Plain) -> Any:
    if not isinstance(data, kind) or (kind is int and isinstance(data, bool)):
        raise CodecError(f"expected {kind.__name__}, found {type(data).__name__}")
    return data


def _from_union(kind: Any, data: Plain) -> Any:
    options = typing.get_args(kind)
    if data is None:
        if type(None) in options:
            return None
        raise CodecError("a value is missing")
    left = [option for option in options if option is not type(None)]
    for option in left:
        try:
            return from_plain(option, data)
        except CodecError:
            if option is left[-1]:
                raise
    raise CodecError("no option fits")


def _from_tuple(kind: Any, data: Plain) -> tuple[Any, ...]:
    items = _expect(list, data)
    inner = typing.get_args(kind)
    if len(inner) == 2 and inner[1] is Ellipsis:
        return tuple(from_plain(inner[0], item) for item in items)
    if len(inner) != len(items):
        raise CodecError("a list of another length")
    return tuple(from_plain(one, item) for one, item in zip(inner, items, strict=True))


def _from_record(kind: Any, data: Plain) -> Any:
    record = _expect(dict, data)
    hints = _hints(kind)
    names = {field.name for field in fields(kind)}
    surplus = set(record) - names
    if surplus:
        raise CodecError(f"{kind.__name__} has no field {sorted(surplus)[0]}")
    values = {name: from_plain(hints[name], item) for name, item in record.items()}
    try:
        return kind(**values)
    except TypeError as error:
        raise CodecError(f"{kind.__name__}: {error}") from error
