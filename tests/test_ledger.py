"""The book: what is appended stands, in order, whoever else writes; what is exported is checked and brought back."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from sqlalchemy.exc import IntegrityError

from tender import verifier
from tender.acts import ActProposed, ActSeconded
from tender.codec import CodecError
from tender.ledger import (
    EPOCH,
    Draft,
    Entry,
    Head,
    chain_of,
    export_in_portions,
    import_lines,
    metadata,
    open_engine,
    reading,
    writing,
)
from tests.books import BOOK, CHAIN, NOON, SECOND, book, counted, draft, exported, filled, record, sealed

ROOT = Path(__file__).parent.parent
MICROSECOND = timedelta(microseconds=1)


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """An empty book, on SQLite and on PostgreSQL."""
    opened = open_engine(database_url)
    metadata.create_all(opened)
    yield opened
    opened.dispose()


def append(engine: Engine, *drafts: Draft, head: Head | None = None) -> list[Entry]:
    """Facts in a transaction of their own."""
    with writing(engine) as tx:
        return BOOK.append(tx, CHAIN, drafts, head)


# --- writing ---------------------------------------------------------------------------------------------------------


def test_an_empty_chain_has_a_head_before_its_first_entry(engine: Engine) -> None:
    with reading(engine) as tx:
        assert BOOK.head(tx, CHAIN) == Head(0, verifier.genesis(CHAIN), EPOCH)
        assert BOOK.version(tx, CHAIN) == 0
        assert BOOK.chains(tx) == []
    assert verifier.verify(iter(exported(engine)))["entries"] == 0


def test_facts_continue_the_chain_across_transactions(engine: Engine) -> None:
    entries = [*filled(engine, 2), *append(engine, draft(3, NOON + 2 * SECOND), draft(4, NOON + 2 * SECOND))]
    assert [(entry.seq, entry.version) for entry in entries] == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert [entry.hash for entry in entries] == [
        verifier.entry_hash(before, entry.public())
        for before, entry in zip([verifier.genesis(CHAIN), *(one.hash for one in entries)], entries, strict=False)
    ]
    with reading(engine) as tx:
        assert BOOK.load(tx, CHAIN) == list(BOOK.entries(tx, CHAIN)) == entries
        assert BOOK.load(tx, CHAIN, after=3) == list(BOOK.entries(tx, CHAIN, after=3)) == entries[3:]
        assert list(BOOK.entries(tx, CHAIN, after=1, limit=2)) == entries[1:3]
        assert list(BOOK.entries(tx, CHAIN, limit=0)) == []
        assert BOOK.head(tx, CHAIN) == Head(4, entries[-1].hash, NOON + 2 * SECOND)
        assert BOOK.version(tx, CHAIN) == 4
        assert entries[2].fact == draft(3).fact


def test_a_command_may_write_several_streams_and_finds_all_it_wrote(engine: Engine) -> None:
    stand = "stand/001-2027/1"
    append(engine, draft(1, command="a", step=0), draft(1, stream=stand, command="a", step=1), draft(2, command="b"))
    with writing(engine) as tx:
        BOOK.append(tx, "permits", [draft(1, stream="permit/42", command="a", step=2)])
    with reading(engine) as tx:
        assert [(one.chain, one.step) for one in BOOK.of_command(tx, "a")] == [(CHAIN, 0), (CHAIN, 1), ("permits", 2)]
        assert BOOK.chains(tx) == [CHAIN, "permits"]
        assert BOOK.version(tx, stand) == 1
    for chain in (CHAIN, "permits"):
        assert verifier.verify(iter(exported(engine, chain)))["chain"] == chain


def test_hours_never_go_backwards(engine: Engine) -> None:
    append(engine, draft(1, NOON), draft(2, NOON - SECOND), draft(3, NOON))
    (later,) = append(engine, draft(4, NOON - MICROSECOND))
    (latest,) = append(engine, draft(5, NOON + MICROSECOND))
    assert (later.at, latest.at) == (NOON, NOON + MICROSECOND)
    assert verifier.verify(iter(exported(engine)))["last_at"] == "2027-03-05T15:00:00.000001Z"


def test_a_fact_of_another_chain_is_no_entry_of_this_one(engine: Engine) -> None:
    with pytest.raises(AssertionError, match="is not of edital/001-2027"):
        append(engine, draft(1, stream="edital/002-2027"))
    assert counted(engine) == 0


def test_who_writes_after_an_end_that_has_moved_is_refused(engine: Engine) -> None:
    with reading(engine) as tx:
        stale = BOOK.head(tx, CHAIN)
    append(engine, draft(1, stream="stand/001-2027/1"))
    with pytest.raises(IntegrityError):
        append(engine, draft(1), head=stale)
    with reading(engine) as tx:
        append(engine, draft(1), head=BOOK.head(tx, CHAIN))
    assert verifier.verify(iter(exported(engine)))["entries"] == 2


NASTY = (
    "e\N{COMBINING ACUTE ACCENT} é",
    "a\u2028b\u2029c\x85",
    "\x7f\x01\t\r\n",
    "日本🚕\U0010ffff",
    "'; DROP TABLE ledger; --",
    "%s %(a)s :x ? \\",
)


def test_every_text_stands_in_the_book_as_it_was(engine: Engine) -> None:
    facts = [ActProposed(nasty, nasty, nasty, nasty) for nasty in NASTY]
    drafts = [Draft(CHAIN, n + 1, one, "x", "y", NOON, "z", f"{n}", 0) for n, one in enumerate(facts)]
    append(engine, *drafts)
    with reading(engine) as tx:
        assert [entry.fact for entry in BOOK.load(tx, CHAIN)] == facts
    assert len(exported(engine)) == len(NASTY) + 1
    assert verifier.verify(iter(exported(engine)))["entries"] == len(NASTY)


@pytest.mark.parametrize(
    ("text", "error"), [(chr(0xD800), CodecError), ("a\0b", CodecError), ("x" * verifier.LONGEST_LINE, ValueError)],
    ids=["half a character", "NUL", "longer than a line"],
)  # fmt: skip
def test_what_could_not_be_verified_is_not_written(engine: Engine, text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        append(engine, draft(1), Draft(CHAIN, 2, ActProposed("x", "y", text, "z"), "x", "y", NOON, "z", "b", 0))
    assert counted(engine) == 0


@pytest.mark.parametrize(
    ("fact", "error"),
    [
        (ActProposed("x", "y", 7, "z"), CodecError),  # type: ignore[arg-type]
        (ActSeconded("x", "y", ["lista"]), AssertionError),  # type: ignore[arg-type]
        (ActSeconded("x", "y", None), CodecError),  # type: ignore[arg-type]
        (replace(draft(1), stream="x"), AssertionError),
        ({"act": "x"}, AssertionError),
    ],
    ids=["a number for text", "a list for a tuple", "nothing for a tuple", "no fact", "no act at all"],
)
def test_a_fact_that_would_not_be_read_back_as_it_is_stands_in_no_book(
    engine: Engine, fact: Any, error: type[Exception]
) -> None:
    with pytest.raises(error):
        append(engine, draft(1), Draft(CHAIN, 2, fact, "x", "y", NOON, "z", "b", 0))
    assert counted(engine) == 0


def test_the_longest_entry_that_may_be_written_can_be_verified(engine: Engine) -> None:
    (probe,) = sealed([record(1, body={"a": ""})])
    room = verifier.LONGEST_LINE - len(verifier.canonical(probe).encode()) - 1
    (longest,) = sealed([record(1, body={"a": "x" * room})])
    with writing(engine) as tx:
        import_lines(tx, book([longest]))
    assert max(map(len, exported(engine))) == verifier.LONGEST_LINE
    assert verifier.verify(iter(exported(engine)))["entries"] == 1
    with pytest.raises(ValueError, match="too long"):
        sealed([record(1, body={"a": "x" * (room + 1)})])


def test_a_failed_transaction_leaves_nothing(engine: Engine) -> None:
    def fail() -> None:
        with writing(engine) as tx:
            BOOK.append(tx, CHAIN, [draft(1)])
            assert BOOK.version(tx, CHAIN) == 1
            raise KeyError("x")

    with pytest.raises(KeyError):
        fail()
    assert counted(engine) == 0
    assert [entry.seq for entry in append(engine, draft(1))] == [1]


def test_readers_neither_wait_for_the_writer_nor_see_what_is_not_committed(engine: Engine) -> None:
    filled(engine, 1)
    with writing(engine) as tx:
        BOOK.append(tx, CHAIN, [draft(2, NOON + SECOND)])
        assert counted(engine) == 1
    assert counted(engine) == 2


def test_reading_a_long_chain_changes_nothing_for_what_is_asked_next(engine: Engine) -> None:
    filled(engine)
    with writing(engine) as tx:
        assert len(list(BOOK.entries(tx, CHAIN))) == 3
        assert "yield_per" not in tx.get_execution_options()


# --- several processes ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_processes_that_write_at_once_never_fork_the_chain(engine: Engine, database_url: str) -> None:
    each, code = 40, "import sys; from datetime import timedelta; from tests.books import write_many; write_many("
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", f"{code}sys.argv[1], 'p{n}', {each}, timedelta(seconds={-7 * n}))", database_url],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for n in range(3)
    ]  # fmt: skip
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        writer.communicate("go\n", timeout=120)
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    assert verifier.verify(iter(exported(engine)))["entries"] == 3 * each
    with reading(engine) as tx:
        commands = [entry.command_id for entry in BOOK.entries(tx, CHAIN)]
    for n in range(3):
        assert [one for one in commands if one.startswith(f"p{n}-")] == [f"p{n}-{step}" for step in range(each)]


# --- out and in again ------------------------------------------------------------------------------------------------


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Engine]:
    """Another, empty book."""
    opened = open_engine(f"sqlite:///{tmp_path / 'elsewhere.db'}")
    metadata.create_all(opened)
    yield opened
    opened.dispose()


def test_a_book_brought_into_another_database_is_the_same_to_the_byte_and_goes_on(
    engine: Engine, elsewhere: Engine
) -> None:
    filled(engine, 7)
    lines = exported(engine)
    with writing(elsewhere) as tx:
        assert import_lines(tx, lines) == 7
    assert exported(elsewhere) == lines
    assert append(engine, draft(8, NOON + 9 * SECOND)) == append(elsewhere, draft(8, NOON + 9 * SECOND))


def test_who_downloads_slowly_holds_no_connection_and_gets_the_book_as_it_was(engine: Engine) -> None:
    assert list(export_in_portions(engine, CHAIN)) == exported(engine)
    filled(engine, 7)
    for portion in (1, 3, 7, 500):
        assert list(export_in_portions(engine, CHAIN, portion)) == exported(engine)
    lines, slow = exported(engine), export_in_portions(engine, CHAIN, 3)
    got = [next(slow)]
    assert engine.pool.checkedout() == 0  # type: ignore[attr-defined]
    append(engine, draft(8, NOON + 9 * SECOND))
    assert [*got, *slow] == lines
    assert verifier.verify(export_in_portions(engine, CHAIN, 3))["entries"] == 8


def test_a_book_that_is_not_whole_is_not_brought_in(engine: Engine) -> None:
    entries = sealed(record(n) for n in (1, 2, 3))
    foreign = sealed([record(1), record(2, stream="edital/002-2027", version=1)])
    for lines, bad in ((book(entries)[:-1], 4), (book([*entries[:1], *entries[2:]]), 2), (book(foreign), 2)):
        with pytest.raises(verifier.BookFault) as fault, writing(engine) as tx:
            import_lines(tx, lines)
        assert fault.value.entry == bad
    assert counted(engine) == 0


def test_a_book_is_brought_only_where_there_is_none(engine: Engine) -> None:
    filled(engine, 1)
    with pytest.raises(IntegrityError), writing(engine) as tx:
        import_lines(tx, book(sealed([record(1), record(2)])))
    assert counted(engine) == 1


MEASURED = """
import resource, sys
from tender import verifier
from tender.ledger import Book, open_engine, reading
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
engine = open_engine(sys.argv[1])
def check(chain):
    with reading(engine) as tx:
        return verifier.verify(Book().export(tx, chain))["entries"]
check("edital/002-2027")
before = peak()
print(check("edital/001-2027"), peak() - before)
"""


@pytest.mark.slow
def test_a_long_book_is_exported_and_verified_without_being_held_in_memory(engine: Engine, database_url: str) -> None:
    with writing(engine) as tx:
        fact = ActProposed("x", "y", "3 kB " * 640, "z")
        for start in range(0, 10_000, 500):
            drafts = [
                Draft(CHAIN, n + 1, fact, "x", "y", NOON + n * SECOND, "z", f"{n}", 0)
                for n in range(start, start + 500)
            ]
            BOOK.append(tx, CHAIN, drafts)
    filled(engine, 600, "edital/002-2027")  # more than one portion, so that what comes once has come
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, database_url], cwd=ROOT, check=True, capture_output=True, text=True
    )
    entries, grown_mib = map(int, done.stdout.split())
    assert entries == 10_000
    assert grown_mib < 16, f"a book of 35 MiB took {grown_mib} MiB"


# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stream", "chain"),
    [
        ("edital/001-2027", "edital/001-2027"),
        ("application/001-2027/17", "edital/001-2027"),
        ("stand/001-2027/3", "edital/001-2027"),
        ("award/001-2027/3", "edital/001-2027"),
        ("permit/42", "permits"),
        ("permits", "permits"),
        ("outro", "outro"),
    ],
)
def test_a_stream_is_of_the_chain_of_its_edital_or_of_the_register_of_permits(stream: str, chain: str) -> None:
    assert chain_of(stream) == chain


def test_an_entry_that_is_not_understood_says_so(engine: Engine) -> None:
    def entry(**changes: Any) -> Entry:
        (honest,) = filled(engine, 1) if counted(engine) == 0 else list_entries(engine)
        return Entry(**{**{name: getattr(honest, name) for name in Entry.__dataclass_fields__}, **changes})

    assert entry().fact == draft(1).fact
    with pytest.raises(CodecError, match="no fact is called Outro"):
        _ = entry(kind="Outro").fact
    with pytest.raises(CodecError, match="has no field outro"):
        _ = entry(body={"outro": 1}).fact


def list_entries(engine: Engine) -> list[Entry]:
    """All entries of the book."""
    with reading(engine) as tx:
        return list(BOOK.entries(tx, CHAIN))
