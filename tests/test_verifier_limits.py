"""The verifier and size: bombs of brackets, lines without end, the longest entry that may be."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from tender import verifier
from tender.verifier import BookFault, verify
from tests.books import book, line, record, sealed
from tests.test_verifier import SMALL, fault_of, lines


def nested(depth: int, opens: str = '{"a":', closes: str = "}") -> bytes:
    """A line that nests so deep."""
    return (opens * depth + "1" + closes * depth + "\n").encode()


@pytest.mark.parametrize("depth", [verifier.DEEPEST, 900, 1000, 5000, 200_000])
@pytest.mark.parametrize(("opens", "closes"), [('{"a":', "}"), ("[", "]")], ids=["objects", "lists"])
def test_a_bomb_of_brackets_is_a_fault_like_any_other(depth: int, opens: str, closes: str) -> None:
    bomb = nested(depth, opens, closes)
    assert fault_of(bomb).entry == 1
    assert fault_of([*book(SMALL)[:3], b'{"body":' + bomb[:-1] + b"}\n"]).entry == 4


def test_the_limits_are_those_of_the_format() -> None:
    assert (verifier.LONGEST_LINE, verifier.DEEPEST, verifier.LARGEST) == (4_194_304, 64, 9_007_199_254_740_991)


@pytest.mark.parametrize(("opens", "closes"), [('{"a":', "}"), ("[", "]")], ids=["objects", "lists"])
def test_depth_is_bounded_by_the_format_and_not_by_the_stack(opens: str, closes: str) -> None:
    levels = verifier.DEEPEST - 2  # below the entry itself and its body
    body = json.loads('{"b":' + opens * levels + "true" + closes * levels + "}")
    (deepest,) = sealed([record(1, body=body)])
    assert verify(iter(book([deepest])))["entries"] == 1
    deeper = line(deepest).replace(b"true", f"{opens}true{closes}".encode())
    assert fault_of(deeper).reason == "não está na forma canônica"
    with pytest.raises(ValueError, match="nested"):
        sealed([record(1, body={"c": body})])


def test_a_line_without_end_is_read_no_further_than_a_line_may_be() -> None:
    class Endless(io.RawIOBase):
        """A stream that never ends and counts what was asked of it."""

        given = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            self.given += len(buffer)
            buffer[:] = b"x" * len(buffer)
            return len(buffer)

    endless = Endless()
    with pytest.raises(BookFault, match="longa demais"):
        verify(verifier.whole_lines(io.BufferedReader(endless)))
    assert endless.given < verifier.LONGEST_LINE + 2 * io.DEFAULT_BUFFER_SIZE


def test_an_entry_is_as_long_as_a_line_may_be_and_no_longer() -> None:
    (entry,) = sealed([record(1, body={"a": ""})])
    room = verifier.LONGEST_LINE - len(line(entry))
    (longest,) = sealed([record(1, body={"a": "x" * room})])
    assert len(line(longest)) == verifier.LONGEST_LINE
    assert verify(lines(b"".join(book([longest]))))["entries"] == 1
    with pytest.raises(ValueError, match="too long"):
        sealed([record(1, body={"a": "x" * (room + 1)})])


def test_an_entry_that_fits_without_its_hash_and_not_with_it_is_too_long() -> None:
    (entry,) = sealed([record(1, body={"a": ""})])
    short = {**entry, "hash": "", "body": {"a": "x" * (verifier.LONGEST_LINE - len(line(entry)) + 64)}}
    assert len(line(short)) == verifier.LONGEST_LINE
    assert fault_of(line(short)).reason == "linha longa demais"
