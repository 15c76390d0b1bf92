"""The verifier against somebody who wants a bad book to pass, or a good one to fail."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tender import verifier
from tender.verifier import BookFault, canonical, verify
from tests.books import CHAIN, book, line, record, sealed
from tests.strategies import PLAIN

FILE = Path(verifier.__file__)
BODIES: tuple[dict[str, Any], ...] = (
    {}, {"praça": "Américo Ferreira — nº 3"}, {"a": {"b": [1, [2, {"c": None}], True]}}, {"centavos": 820000},
    {"🚕": "日本", "\uffff": "\u2028"}, {"aspas": '"\\/', "sinais": "\x01\x7f\t"}, {"lista": [[], {}, -7]}, {"é": "ç"},
)  # fmt: skip
SMALL = sealed(record(n + 1, body=body) for n, body in enumerate(BODIES))
GOOD = b"".join(book(SMALL))
LINE_OF = [GOOD.count(b"\n", 0, at) + 1 for at in range(len(GOOD) + 1)]
"""Position of a byte -> the number of the line that holds it: the closing line is number 9."""


def lines(data: bytes) -> Iterator[bytes]:
    """The lines as the command line reads them."""
    return verifier.whole_lines(io.BytesIO(data))


def fault_of(data: bytes | list[bytes], head: str = "") -> BookFault:
    """What is wrong with this book; a book with nothing wrong fails the test."""
    with pytest.raises(BookFault) as caught:
        verify(lines(data if isinstance(data, bytes) else b"".join(data)), head)
    assert f"registro {caught.value.entry}: {caught.value.reason}" == str(caught.value)
    return caught.value


def test_a_whole_book_is_told_by_its_chain_its_length_its_head_and_its_hours() -> None:
    assert verify(lines(GOOD)) == {
        "chain": CHAIN,
        "entries": 8,
        "head": SMALL[-1]["hash"],
        "first_at": "2027-03-05T15:00:01.000000Z",
        "last_at": "2027-03-05T15:00:08.000000Z",
    }


# --- every byte ------------------------------------------------------------------------------------------------------


def other_values(byte: int) -> set[int]:
    """What a byte is changed to: every bit flipped, nothing, a line feed, a quotation mark, the digits beside."""
    digits = {byte - 1, byte + 1} & set(b"0123456789") if byte in b"0123456789" else set()
    return ({byte ^ (1 << bit) for bit in range(8)} | {0, *b'\n"'} | digits) - {byte}


def changed(at: int) -> Iterator[tuple[bytes, int]]:
    """Every change of the byte, and the entry to be named: the one that held it."""
    for value in other_values(GOOD[at]):
        yield b"%b%c%b" % (GOOD[:at], value, GOOD[at + 1 :]), LINE_OF[at]


def removed(at: int) -> Iterator[tuple[bytes, int]]:
    """The byte is missing; without its line feed an entry runs into the next one and is bad itself."""
    yield GOOD[:at] + GOOD[at + 1 :], LINE_OF[at]


def put_in(at: int) -> Iterator[tuple[bytes, int]]:
    """A byte more before this one. A line feed before a line feed leaves its entry whole: what follows is named."""
    for extra in b' 0"\n':
        whole = bytes([extra, GOOD[at]]) == b"\n\n"
        yield b"%b%c%b" % (GOOD[:at], extra, GOOD[at:]), min(9, LINE_OF[at] + whole)


def cut_short(at: int) -> Iterator[tuple[bytes, int]]:
    """Nothing from this byte on."""
    yield GOOD[:at], LINE_OF[at]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("harm", [changed, removed, put_in, cut_short])
def test_no_byte_can_be_harmed_and_the_entry_that_held_it_is_named(
    harm: Callable[[int], Iterator[tuple[bytes, int]]], part: int
) -> None:
    wrong = []
    for at in range(part, len(GOOD), 4):
        for bad, held in harm(at):
            try:
                verify(lines(bad))
            except BookFault as fault:
                named = fault.entry
            else:
                named = 0
            if named != held:
                wrong.append((at, bad[max(0, at - 20) : at + 20], named, held))
    assert not wrong


SPLICES = st.tuples(
    st.integers(0, len(GOOD)), st.integers(0, 700), st.binary(max_size=8) | st.sampled_from([b"", *book(SMALL)])
)


@given(st.lists(SPLICES, min_size=1, max_size=4))
def test_whatever_is_done_to_a_book_the_first_line_that_is_another_is_named(
    splices: list[tuple[int, int, bytes]],
) -> None:
    bad = GOOD
    for at, gone, put in splices:
        bad = bad[:at] + put + bad[at + gone :]
    assume(bad != GOOD)
    same = [old == new for old, new in zip_longest(lines(GOOD), lines(bad))]
    assert fault_of(bad).entry == min(9, same.index(False) + 1)


@pytest.mark.parametrize("extra", [b"\n", b" ", b"{}\n", b"x", GOOD[-200:], GOOD])
def test_nothing_may_stand_after_the_closing_line(extra: bytes) -> None:
    fault = fault_of(GOOD + extra)
    assert fault.entry == 9
    assert fault.reason == "há linhas depois do fecho"


# --- whole lines -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(1, 9))
def test_an_entry_left_out_swapped_or_written_twice_is_named(n: int) -> None:
    good = book(SMALL)
    before, it, after = good[: n - 1], good[n - 1], good[n:]
    assert fault_of([*before, *after]).entry == n
    assert fault_of([*before, it, it, *after]).entry == n + 1
    assert fault_of([*before, b"".join([it.rstrip(b"\n"), b" \n"]), *after]).entry == n
    if n < 8:
        assert fault_of([*before, after[0], it, *after[1:]]).entry == n
    foreign = line(sealed([record(n, body={"x": 1})], SMALL[n - 2]["hash"] if n > 1 else "")[0])
    assert fault_of([*before, foreign, it, *after]).entry == n + 1
    assert fault_of([*before, foreign, *after]).entry == n + 1


def test_a_book_without_entries_is_whole_and_one_without_lines_is_not() -> None:
    empty = line({"book": verifier.FORMAT, "chain": CHAIN, "entries": 0, "head": verifier.genesis(CHAIN)})
    assert verify(lines(empty))["entries"] == 0
    assert fault_of(b"").reason == "falta a linha de fecho: o livro foi cortado"
    assert fault_of(b"\n").entry == 1
    assert fault_of(GOOD[:-1]).reason == "a linha não termina com quebra de linha"
    assert fault_of(empty.replace(b'"entries":0', b'"entries":false')).entry == 1
    assert fault_of(empty.replace(b'"edital/001-2027"', b"7")).entry == 1


CLOSINGS: dict[str, dict[str, Any]] = {
    "more entries": {"entries": 9}, "fewer entries": {"entries": 7}, "another head": {"head": "0" * 64},
    "an older head": {"head": SMALL[-2]["hash"]}, "another chain": {"chain": "edital/002-2027"},
    "another format": {"book": "tender-book/2"}, "a field more": {"note": ""}, "entries as text": {"entries": "8"},
}  # fmt: skip


@pytest.mark.parametrize("changes", CLOSINGS.values(), ids=CLOSINGS.keys())
def test_a_forged_closing_line_is_named(changes: dict[str, Any]) -> None:
    fault = fault_of(book(SMALL, **changes))
    assert fault.entry == 9
    not_ours = changes.keys() & {"book", "note"}
    assert fault.reason.startswith("o fecho não é deste formato" if not_ours else "o fecho não corresponde")


@pytest.mark.parametrize(
    "closing", [{"book": verifier.FORMAT}, {"book": None}, {"book": 1, "chain": [], "head": {}}], ids=str
)
def test_a_closing_line_with_fields_left_out_is_named(closing: dict[str, Any]) -> None:
    for entries in (0, 8):
        fault = fault_of([*book(SMALL)[:entries], line(closing)])
        assert (fault.entry, fault.reason) == (entries + 1, "o fecho não é deste formato")


def test_true_is_not_the_number_one() -> None:
    one = SMALL[:1]
    assert verify(iter(book(one)))["entries"] == 1
    assert fault_of(book(one, entries=True)).entry == 2


# --- written anew ----------------------------------------------------------------------------------------------------


def test_a_book_written_anew_from_the_middle_is_found_by_a_hash_that_somebody_kept() -> None:
    anew = [*SMALL[:4], *sealed([record(n, body={"lance": 1}) for n in range(5, 9)], SMALL[3]["hash"])]
    forged = b"".join(book(anew))
    assert verify(lines(forged))["entries"] == 8  # to itself it is whole
    for kept in SMALL[:4]:
        assert verify(lines(forged), kept["hash"])["head"] == anew[-1]["hash"]  # these it still holds
    for kept in SMALL[4:]:
        fault = fault_of(forged, kept["hash"])
        assert fault.entry == 9
        assert kept["hash"] in fault.reason
    for kept in SMALL:
        assert verify(lines(GOOD), kept["hash"])["entries"] == 8


def test_a_book_cut_short_and_closed_again_is_found_by_a_hash_from_its_end() -> None:
    short = b"".join(book(SMALL[:6]))
    assert verify(lines(short))["entries"] == 6
    assert fault_of(short, SMALL[7]["hash"]).entry == 7
    assert fault_of(short, verifier.genesis(CHAIN)).entry == 7  # no receipt shows the hash of nothing


# --- rightly hashed and wrong all the same ----------------------------------------------------------------------------

WRONG: dict[str, dict[str, Any]] = {
    "a field more": {"note": ""},
    "a number for text": {"actor": 7},
    "null for text": {"law": None},
    "text for the body": {"body": "{}"},
    "a list for the body": {"body": []},
    "text for a number": {"seq": "3"},
    "true for a number": {"step": True},
    "another number": {"seq": 4},
    "another chain": {"chain": "edital/002-2027"},
    "an hour before the last": {"at": "2027-03-05T15:00:01.999999Z"},
    "a month that is none": {"at": "2027-13-05T15:00:03.000000Z"},
    "a day that is none": {"at": "2027-02-29T15:00:03.000000Z"},
    "hour 24": {"at": "2027-03-05T24:00:00.000000Z"},
    "an hour of Brasília": {"at": "2027-03-05T15:00:03.000000-03:00"},
    "no microseconds": {"at": "2027-03-05T15:00:03Z"},
    "digits of another script": {"at": "\uff12\uff10\uff12\uff17-03-05T15:00:03.000000Z"},
    "an hour and a line feed": {"at": "2027-03-05T15:00:03.000000Z\n"},
    "a version left out": {"version": 4},
    "a version written before": {"version": 2},
    "a new stream from 3": {"stream": "stand/001-2027/1"},
    "a negative step": {"step": -1},
    "a step written before": {"command": "pedido-2"},
    "a hash in capitals": {"hash": SMALL[2]["hash"].upper()},
    "another hash": {"hash": "0" * 64},
}


@pytest.mark.parametrize("changes", WRONG.values(), ids=WRONG.keys())
def test_an_entry_that_says_what_no_entry_can_say_is_named_though_it_is_rightly_hashed(changes: dict[str, Any]) -> None:
    (wrong,) = sealed([{**SMALL[2], **changes}], SMALL[1]["hash"])
    wrong["hash"] = changes.get("hash", wrong["hash"])
    after = sealed([record(n) for n in range(4, 9)], wrong["hash"])
    assert fault_of(book([*SMALL[:2], wrong, *after])).entry == 3


def test_a_field_left_out_is_named() -> None:
    for name in verifier.FIELDS:
        wrong = {field: value for field, value in SMALL[2].items() if field != name}
        if name != "hash":
            wrong["hash"] = verifier.entry_hash(SMALL[1]["hash"], wrong)
        fault = fault_of([*map(line, SMALL[:2]), line(wrong), *map(line, SMALL[3:])])
        assert (fault.entry, fault.reason) == (3, "campos a mais ou a menos")


def test_hours_may_stand_still_streams_may_alternate_and_a_request_may_go_on() -> None:
    at, stand = "2027-03-05T15:00:02.123457Z", "stand/001-2027/1"
    entries = sealed(
        [
            record(1, at=at),
            record(2, at=at, stream=stand, version=1, command="pedido-1", step=1),
            record(3, at=at, version=2),
            record(4, at=at, stream=stand, version=2, command="pedido-1", step=7),
        ]
    )
    assert verify(iter(book(entries)))["last_at"] == at


# --- one spelling ----------------------------------------------------------------------------------------------------


def respelled(old: bytes, new: bytes) -> bytes:
    """The good book with one line spelled in another way that JSON takes for the same."""
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


SPELLINGS = {
    "a space": (b'"seq":3', b'"seq": 3'),
    "a name twice, the last one right": (b'"seq":3', b'"seq":9,"seq":3'),
    "a name twice, the same": (b'"seq":3', b'"seq":3,"seq":3'),
    "a name twice within the body": (b'"b":[1', b'"b":[0],"b":[1'),
    "a character escaped": ("Américo".encode(), b"Am\\u00e9rico"),
    "a slash escaped": (b'\\\\/"', b'\\\\\\/"'),
    "an escape in capitals": (b"\\u0001", b"\\U0001"),
    "a fraction that is none": (b"820000", b"820000.0"),
    "an exponent": (b"820000", b"82e4"),
    "minus nought": (b'"seq":3', b'"seq":-0'),
    "a leading nought": (b'"seq":3', b'"seq":03'),
    "not a number": (b"820000", b"NaN"),
    "without end": (b"820000", b"-Infinity"),
    "beyond every number": (b"820000", b"9" * 5000),
    "beyond 2^53": (b"820000", b"9007199254740992"),
    "half a character": (b"Am\xc3\xa9rico", b"Am\\ud800rico"),
    "half a character in UTF-8": (b"Am\xc3\xa9rico", b"Am\xed\xa0\x80rico"),
    "Latin-1": (b"Am\xc3\xa9rico", b"Am\xe9rico"),
    "a long form of UTF-8": (b"rico Ferreira", b"ric\xc1\xaf Ferreira"),
    "a comment": (b'"seq":3', b'/**/"seq":3'),
    "a comma more": (b'"version":3}', b'"version":3,}'),
    "digits of another script": (b'"at":"2027-03-05T15:00:03', '"at":"2027-03-05T15:00:0٣'.encode()),
    "null for text": (b'"command":"pedido-3"', b'"command":null'),
    "reordered names": (b'"seq":3,"step":0', b'"step":0,"seq":3'),
    "a carriage return": (b'"version":3}\n', b'"version":3}\r\n'),
}  # fmt: skip


@pytest.mark.parametrize("change", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_an_entry_has_one_spelling(change: tuple[bytes, bytes]) -> None:
    assert fault_of(respelled(*change)).entry == LINE_OF[GOOD.index(change[0])]


@pytest.mark.parametrize("value", [b"null", b"true", b"7", b'"livro"', b"[]", b'[{"book":1}]'])
def test_json_that_is_no_object_is_no_entry(value: bytes) -> None:
    fault = fault_of([*book(SMALL)[:2], value + b"\n"])
    assert (fault.entry, fault.reason) == (3, "não é um registro")


def test_a_file_that_an_editor_has_converted_says_so() -> None:
    for converted in (GOOD.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + GOOD):
        fault = fault_of(converted)
        assert fault.entry == 1
        assert "baixe-o de novo" in fault.reason
    for encoding in ("utf-16", "utf-32", "cp1252"):
        assert fault_of(GOOD.decode().encode(encoding, "replace")).entry in (1, 2)


def test_the_largest_whole_numbers_are_verified() -> None:
    entries = sealed([record(1, body={"most": verifier.LARGEST, "least": -verifier.LARGEST})])
    assert verify(iter(book(entries)))["entries"] == 1


def test_names_are_sorted_by_code_point_also_beyond_the_first_plane() -> None:
    # JavaScript sorts by halves of characters and would put the taxi first.
    assert canonical({"🚕": 1, "\uffff": 2}) == '{"\uffff":2,"🚕":1}'


@given(PLAIN)
def test_what_is_canonical_is_read_back_and_written_the_same(value: Any) -> None:
    assert json.loads(canonical(value)) == value
    assert canonical(json.loads(canonical(value))) == canonical(value)


@pytest.mark.parametrize(
    "value", [1.0, [1.5], {"a": (1.5,)}, {"a": float("nan")}, {1: 2}, {None: 1}, {"a": {True: 1}}, b"", {1}, object(),
              2**53, -(2**53)],
    ids=lambda value: repr(value).split(" at ")[0],
)  # fmt: skip
def test_what_the_book_cannot_hold_has_no_canonical_form(value: Any) -> None:
    with pytest.raises(ValueError, match="book"):
        canonical(value)
    assert canonical([2**53 - 1, 1 - 2**53]) == "[9007199254740991,-9007199254740991]"
