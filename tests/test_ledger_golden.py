"""Books written once and read for ever: every kind of fact that the program could write since then.

    python -m tests.test_ledger_golden         adds the kinds that are not yet there; what stands stays to the byte
    python -m tests.test_ledger_golden anew    writes all of it anew: only before the first release

A test here turns red when a kind of fact is new (add it) or when an old entry is no longer understood: then a shape was
changed that books outside already have. A field may be added, with a default; anything else is a new kind of fact.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tender import verifier
from tender.acts import FACTS, Role
from tender.codec import from_plain, to_plain
from tender.law import Citation
from tender.ledger import Draft, chain_of, import_lines, metadata, open_engine, reading, writing
from tests.books import BOOK, NOON, SECOND, exported
from tests.strategies import example, our_facts

GOLDEN = Path(__file__).parent / "golden"
FILES = {"edital/001-2027": GOLDEN / "ledger-v1.jsonl", "permits": GOLDEN / "ledger-permits-v1.jsonl"}
STREAMS = {
    "edital": "edital/001-2027", "habilitation": "application/001-2027/pessoa-7", "bidding": "stand/001-2027/3",
    "awards": "award/001-2027/3", "permits": "permit/42",
}  # fmt: skip


def stream_of(kind: type[Any]) -> str:
    """A stream in which facts of this class could stand."""
    return STREAMS.get(kind.__module__.split(".")[1], "edital/001-2027")


def golden(chain: str, kept: Iterable[bytes]) -> list[bytes]:
    """The golden book of a chain: what was kept, and after it two entries for each kind that is not among it."""
    lines = list(kept)
    there = {json.loads(line).get("kind") for line in lines}
    wanted = [kind for name, kind in our_facts().items() if name not in there and chain_of(stream_of(kind)) == chain]
    with TemporaryDirectory() as folder:
        engine = open_engine(f"sqlite:///{folder}/golden.db")
        metadata.create_all(engine)
        with writing(engine) as tx:
            if lines:
                import_lines(tx, lines)
            for kind in wanted:
                BOOK.append(tx, chain, drafts(kind, BOOK.head(tx, chain).seq, BOOK.version(tx, stream_of(kind))))
        written = exported(engine, chain)
        engine.dispose()
    return written


def drafts(kind: type[Any], number: int, version: int) -> list[Draft]:
    """A full and a sparse fact of a kind, of one request, after `number` entries."""
    roles, law, request = list(Role), kind.META.law.key, f"00000000-0000-4000-8000-{number:012}"
    return [
        Draft(
            stream_of(kind), version + n + 1, example(kind, number + n), f"pessoa-{number}",
            roles[number % len(roles)].value, NOON + (number + n) * SECOND, law, request, n,
        )
        for n in range(2)
    ]  # fmt: skip


def golden_entries() -> list[dict[str, Any]]:
    """Every entry of every golden book, as plain data."""
    files = [file for file in FILES.values() if file.exists()]
    return [json.loads(line) for file in files for line in file.read_bytes().splitlines()[:-1]]


def shown(entry: dict[str, Any]) -> str:
    """An entry in the name of a test."""
    return f"{entry['kind']}-{entry['seq']}"


def test_every_kind_of_fact_stands_in_a_golden_book() -> None:
    missing = our_facts().keys() - {entry["kind"] for entry in golden_entries()}
    assert not missing, "new kinds of fact: `python -m tests.test_ledger_golden` adds them"


@pytest.mark.parametrize("chain", [chain for chain, file in FILES.items() if file.exists()])
def test_a_golden_book_is_whole_and_comes_back_from_a_database_to_the_byte(chain: str, tmp_path: Path) -> None:
    lines = FILES[chain].read_bytes().splitlines(keepends=True)
    assert verifier.verify(iter(lines))["chain"] == chain
    engine = open_engine(f"sqlite:///{tmp_path / 'golden.db'}")
    metadata.create_all(engine)
    with writing(engine) as tx:
        import_lines(tx, lines)
    assert exported(engine, chain) == lines
    with reading(engine) as tx:
        facts = [entry.fact for entry in BOOK.entries(tx, chain)]
    engine.dispose()
    assert len(facts) == len(lines) - 1


@pytest.mark.parametrize("entry", golden_entries(), ids=shown)
def test_a_golden_entry_is_understood_for_ever(entry: dict[str, Any]) -> None:
    our_facts()
    fact = from_plain(FACTS[entry["kind"]], entry["body"])
    again = to_plain(fact)
    grown = again.keys() - entry["body"].keys()
    spelled = {name: value for name, value in again.items() if name not in grown}
    assert verifier.canonical(spelled) == verifier.canonical(entry["body"])
    # What a later version added to the shape has its default: the old entry never said it.
    assert from_plain(type(fact), spelled) == fact
    assert Citation.parse(entry["law"]).key == entry["law"]
    assert Role(entry["role"])


def test_adding_a_kind_leaves_what_stands_to_the_byte() -> None:
    (chain, file), *_ = FILES.items()
    lines = file.read_bytes().splitlines(keepends=True)
    assert golden(chain, lines) == lines
    first = lines[:2]
    head = json.loads(first[-1])["hash"]
    short = [*first, (verifier.closing_line(chain, 2, head) + "\n").encode()]
    grown = golden(chain, short)
    assert grown[:2] == first
    assert {json.loads(line)["kind"] for line in grown[:-1]} == {json.loads(line)["kind"] for line in lines[:-1]}


def test_the_golden_books_do_not_depend_on_when_and_where_they_are_written() -> None:
    assert golden("edital/001-2027", []) == golden("edital/001-2027", [])


if __name__ == "__main__":
    for name, path in FILES.items():
        before = path.read_bytes().splitlines(keepends=True) if path.exists() and sys.argv[1:] != ["anew"] else []
        after = golden(name, before)
        if len(after) > 1:
            path.write_bytes(b"".join(after))
