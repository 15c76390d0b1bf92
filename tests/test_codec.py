"""Acts to plain data and back: what the book holds means one thing, and everything else is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from typing import Any, NewType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tender.clock import BRASILIA
from tender.codec import CodecError, from_plain, instant_from, instant_text, to_plain
from tender.identity import Cpf
from tender.law import MUN, Citation
from tender.money import Money
from tender.verifier import canonical
from tests.strategies import LARGEST, PLAIN, hints_of, models, of_kind, our_commands, our_facts

models()
ACTS = [*our_facts().values(), *our_commands().values()]
acts = pytest.mark.parametrize("kind", ACTS, ids=lambda kind: kind.__name__)
some = settings(max_examples=25)


def written(value: object) -> str:
    """The text that would stand in the book."""
    return canonical(to_plain(value))


def reads_or_refuses(kind: Any, data: Any) -> None:
    """Plain data is refused, or it is the one spelling of what was read: nothing is mended, nothing is lost."""
    try:
        value = from_plain(kind, data)
    except CodecError:
        return
    assert written(value) == canonical(data)


# --- every act there is ----------------------------------------------------------------------------------------------


@acts
@some
@given(data=st.data())
def test_every_act_comes_back_from_the_book_as_it_went_in(kind: type[Any], data: st.DataObject) -> None:
    act = data.draw(of_kind(kind))
    back = from_plain(kind, json.loads(written(act)))
    assert back == act
    assert written(back) == written(act)


@acts
@some
@given(data=st.data())
def test_a_field_of_an_act_is_read_as_it_stands_or_not_at_all(kind: type[Any], data: st.DataObject) -> None:
    plain = to_plain(data.draw(of_kind(kind)))
    for name in plain:
        reads_or_refuses(kind, {**plain, name: data.draw(PLAIN)})


@acts
@settings(max_examples=1)
@given(data=st.data())
def test_a_field_too_many_or_too_few_is_refused_and_a_default_may_be_missing(
    kind: type[Any], data: st.DataObject
) -> None:
    act = data.draw(of_kind(kind))
    plain = to_plain(act)
    with pytest.raises(CodecError, match="has no field desconhecido"):
        from_plain(kind, {**plain, "desconhecido": None})
    for field in fields(kind):
        fewer = {name: value for name, value in plain.items() if name != field.name}
        if field.default is MISSING and field.default_factory is MISSING:
            with pytest.raises(CodecError, match=field.name):
                from_plain(kind, fewer)
        else:
            assert getattr(from_plain(kind, fewer), field.name) == field.default


WRONG: Mapping[type[Any], tuple[Any, ...]] = {
    int: (True, False, "7", 7.0, None, [7], {"int": 7}, LARGEST + 1, -LARGEST - 1),
    str: (7, True, None, ["a"], {}, "\ud800", "a\0b"),
    bool: (0, 1, "true", None, []),
    Money: (True, 12.5, "820000", None, {"centavos": 820000}, LARGEST + 1),
    datetime: (0, True, None, "2027-03-05", "2027-03-05T17:00:00Z", "2027-03-05T17:00:00.000000+00:00", "x"),
    date: (0, True, None, "20270305", "2027-W09-5", "2027-3-5", "2027-02-29", "2027-03-05T00:00:00", "x"),
    Citation: (0, True, None, "x", "lei-724-2008", "lei-0-0#art-1", "lei-724-2008#art-04", "lei-724-2008#art-4-pcaput"),
}


@acts
@settings(max_examples=1)
@given(data=st.data())
def test_no_field_of_an_act_takes_a_value_of_another_type(kind: type[Any], data: st.DataObject) -> None:
    plain = to_plain(data.draw(of_kind(kind)))
    for name, hint in hints_of(kind).items():
        for wrong in WRONG.get(getattr(hint, "__supertype__", hint), ()):
            with pytest.raises(CodecError):
                from_plain(kind, {**plain, name: wrong})


@pytest.mark.parametrize(
    ("kind", "wrong"), [(kind, wrong) for kind, every in WRONG.items() for wrong in every], ids=repr
)
def test_a_value_of_another_type_or_spelling_is_refused(kind: type[Any], wrong: Any) -> None:
    with pytest.raises(CodecError):
        from_plain(kind, wrong)


# --- instants --------------------------------------------------------------------------------------------------------


class Nowhere(tzinfo):
    """A zone that does not know its offset: a datetime in it is naive, whatever its `tzinfo` says."""

    def utcoffset(self, when: datetime | None) -> timedelta | None:
        return None

    def dst(self, when: datetime | None) -> timedelta | None:
        return None

    def tzname(self, when: datetime | None) -> str | None:
        return None


@pytest.mark.parametrize("zone", [None, Nowhere()], ids=["none", "unknown"])
def test_an_instant_without_its_zone_is_refused(zone: tzinfo | None) -> None:
    with pytest.raises(CodecError, match="zone"):
        instant_text(datetime(2027, 3, 5, tzinfo=UTC).replace(tzinfo=zone))


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (datetime(2027, 3, 5, 14, tzinfo=BRASILIA), "2027-03-05T17:00:00.000000Z"),
        (datetime(2027, 3, 5, 23, 59, 59, 999_999, tzinfo=UTC), "2027-03-05T23:59:59.999999Z"),
        (datetime(999, 1, 1, tzinfo=UTC), "0999-01-01T00:00:00.000000Z"),
        (datetime.min.replace(tzinfo=UTC), "0001-01-01T00:00:00.000000Z"),
        (datetime.max.replace(tzinfo=UTC), "9999-12-31T23:59:59.999999Z"),
    ],
)
def test_an_instant_is_written_in_utc_to_the_microsecond_and_read_back(at: datetime, text: str) -> None:
    assert instant_text(at) == text
    assert instant_from(text) == at
    assert instant_from(text).tzinfo is UTC


@pytest.mark.parametrize(("year", "hours"), [(1, 14), (9999, -14)])
def test_an_instant_beyond_the_calendar_is_refused(year: int, hours: int) -> None:
    at = datetime(year, 1 if year == 1 else 12, 1 if year == 1 else 31, 12, tzinfo=timezone(timedelta(hours=hours)))
    with pytest.raises(CodecError, match="years"):
        instant_text(at)


@pytest.mark.parametrize(
    "text",
    [
        "2027-03-05T17:00:00Z", "2027-03-05T17:00:00.0Z", "2027-3-5T17:00:00.000000Z", "2027-03-05 17:00:00.000000Z",
        "2027-03-05T17:00:00.000000", "2027-03-05T14:00:00.000000-03:00", "2027-03-05T17:00:00.000000z",
        "2027-02-29T17:00:00.000000Z", "2027-03-05T24:00:00.000000Z", "2027-03-05T17:00:60.000000Z",
        "\uff12\uff10\uff12\uff17-03-05T17:00:00.000000Z", " 2027-03-05T17:00:00.000000Z",
        "2027-03-05T17:00:00.000000Z\n", "",
    ],
)  # fmt: skip
def test_an_instant_has_one_spelling(text: str) -> None:
    with pytest.raises(CodecError):
        instant_from(text)


def test_an_instant_is_read_from_text_only() -> None:
    with pytest.raises(CodecError, match="not an instant"):
        instant_from(1_804_000_000)  # type: ignore[arg-type]


# --- what the book cannot hold ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [1.5, float("nan"), Decimal("1.5"), b"bytes", {1, 2}, frozenset(), object(), int, Money, timedelta(1), 1j,
     Cpf, lambda: None, {1: "a"}, {None: 1}, {"a": {"b": [1.0]}}],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_what_is_not_json_or_ours_is_refused(value: object) -> None:
    with pytest.raises(CodecError):
        to_plain(value)


@pytest.mark.parametrize("text", [chr(0xD800), chr(0xDFFF), f"a{chr(0xDC80)}b", "\0", "fim\0"], ids=ascii)
def test_a_text_that_a_database_or_a_file_could_not_hold_is_refused(text: str) -> None:
    for value in (text, {"x": [text]}, {text: 1}):
        with pytest.raises(CodecError):
            to_plain(value)
    with pytest.raises(CodecError):
        from_plain(str, text)


def test_a_whole_number_is_held_as_far_as_every_language_reads_it_right() -> None:
    assert to_plain(LARGEST) == LARGEST == 9_007_199_254_740_991
    assert to_plain(Money(-LARGEST)) == -LARGEST
    for beyond in (LARGEST + 1, -LARGEST - 1, 2**63, 10**5000):
        for value in (beyond, Money(beyond), [beyond], {"n": beyond}):
            with pytest.raises(CodecError, match="2\\^53"):
                to_plain(value)


# --- one kind after the other ----------------------------------------------------------------------------------------


class Colour(StrEnum):
    GREEN = "verde"


class Count(IntEnum):
    ONE = 1


class Odd(Enum):
    HALF = 0.5


class Ancient(str, Enum):  # noqa: UP042 - its str() is not its value, and both are keys of JSON to Python
    STONE = "pedra"


Number = NewType("Number", int)
Deeper = NewType("Deeper", Number)


@dataclass(frozen=True)
class Line:
    """One of everything that an act may hold."""

    name: str
    amounts: Mapping[Colour, Money]
    pairs: tuple[tuple[str, int], ...] = ()
    law: Citation | None = None
    either: int | str = 0
    below: Line | None = None


@dataclass(frozen=True)
class Choosy:
    """A value that refuses some of what its types allow."""

    digits: str

    def __post_init__(self) -> None:
        if not self.digits.isdecimal():
            raise ValueError("só algarismos")


@some
@given(of_kind(Line))
def test_values_within_values_come_back(line: Line) -> None:
    assert from_plain(Line, json.loads(written(line))) == line


@given(st.sampled_from([Line, Choosy, Colour, Count, Number, tuple[int, ...], int | None, Mapping[str, int]]), PLAIN)
def test_whatever_is_read_was_spelled_as_it_would_be_written(kind: Any, data: Any) -> None:
    if kind is Line and isinstance(data, dict):
        data = {"name": "x", "amounts": {}, "pairs": [], "law": None, "either": 0, "below": None, **data}
    reads_or_refuses(kind, data)


def test_a_member_is_its_value_and_neither_true_nor_a_fraction_passes_for_one() -> None:
    assert to_plain(Colour.GREEN) == "verde"
    assert to_plain(Count.ONE) == 1
    assert type(to_plain(Count.ONE)) is int
    assert from_plain(Count, 1) is Count.ONE
    for wrong in (True, 1.0, 2, "1", None, [], {}):
        with pytest.raises(CodecError):
            from_plain(Count, wrong)
    with pytest.raises(CodecError):
        to_plain(Odd.HALF)


def test_yes_and_no_stay_what_they_are() -> None:
    assert from_plain(bool, True) is True
    assert from_plain(bool, False) is False


def test_names_in_the_book_are_plain_text_also_where_members_are_names() -> None:
    plain = to_plain({Ancient.STONE: Colour.GREEN})
    assert canonical(plain) == '{"pedra":"verde"}'
    assert [type(part) for pair in plain.items() for part in pair] == [str, str]


def test_a_text_of_a_subclass_is_written_as_plain_text() -> None:
    class Markup(str):
        __slots__ = ()

        def __str__(self) -> str:
            return "<b>"

    assert type(to_plain(Markup("x"))) is str
    assert to_plain(Markup("x")) == "x"


def test_an_optional_value_may_be_null_and_no_other_may() -> None:
    assert from_plain(Citation | None, None) is None
    assert from_plain(int | str, "a") == "a"
    with pytest.raises(CodecError, match="missing"):
        from_plain(int | str, None)
    with pytest.raises(CodecError, match="expected str"):
        from_plain(int | str, [])


def test_a_tuple_has_its_length() -> None:
    assert from_plain(tuple[int, str], [1, "a"]) == (1, "a")
    assert from_plain(tuple[int, ...], []) == ()
    for wrong in ([1], [1, "a", "b"], [], {"0": 1}, "1a"):
        with pytest.raises(CodecError):
            from_plain(tuple[int, str], wrong)


def test_plain_data_passes_where_an_act_asks_for_no_more() -> None:
    assert from_plain(dict, {"a": [1, None]}) == {"a": [1, None]}
    assert from_plain(Any, {"a": [1, None]}) == {"a": [1, None]}
    with pytest.raises(CodecError, match="expected dict"):
        from_plain(dict, [])


@pytest.mark.parametrize("kind", [float, bytes, list[int], set[int], object, "int", 7], ids=repr)
def test_a_type_that_the_book_cannot_hold_has_no_reader(kind: Any) -> None:
    with pytest.raises(CodecError, match="no reader"):
        from_plain(kind, "x")


def test_a_record_is_an_object_with_the_names_it_declares() -> None:
    for wrong in (None, [], "Line", 1, {}, {"name": "x"}):
        with pytest.raises(CodecError):
            from_plain(Line, wrong)
    with pytest.raises(CodecError, match="has no field other"):
        from_plain(Choosy, {"digits": "1", "other": 2, "zzz": 3})


def test_a_value_that_refuses_itself_is_refused_as_plain_data_too() -> None:
    assert from_plain(Choosy, {"digits": "12"}) == Choosy("12")
    with pytest.raises(CodecError, match="só algarismos"):
        from_plain(Choosy, {"digits": "doze"})


def test_ids_are_typed_to_us_and_plain_to_the_book() -> None:
    assert from_plain(Number, 7) == 7
    assert from_plain(Deeper, 7) == 7
    assert to_plain({"law": MUN(4, 1, "III"), "day": date(2027, 3, 5)}) == {
        "law": "lei-724-2008#art-4-p1-III",
        "day": "2027-03-05",
    }
