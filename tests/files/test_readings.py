"""Nobody reads a file unseen; eliminated files leave a tombstone; bytes that nobody holds leave the disk."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Engine, select

from tender.acts import ANYONE, SYSTEM, Actor
from tender.clock import FrozenClock
from tender.files import (
    PUBLIC_OWNER,
    FileDamaged,
    FileEliminated,
    FileReading,
    Files,
    FileUnknown,
    ReadingDenied,
)
from tender.files.records import file_owners
from tender.ledger import reading, writing
from tender.settings import Settings
from tests.files.people import ANA, MARTA, NINE, RUI, TEO, lines_about, read, sealed_path, sent
from tests.files.samples import HEIC, a_picture

DAY = timedelta(days=1)
MOMENT = timedelta(microseconds=1)


# --- readings --------------------------------------------------------------------------------------------------------


def test_every_reading_says_who_when_and_why(store: Files, engine: Engine, clock: FrozenClock) -> None:
    sha256 = sent(store, engine, a_picture())
    read(store, engine, sha256, MARTA, " análise do item 6 ")
    clock.advance(timedelta(minutes=3))
    read(store, engine, sha256, ANA, "o próprio dono")
    with reading(engine) as tx:
        assert store.readings_of(tx, sha256) == [
            FileReading(sha256, "p-marta", ("comissao", "pregoeiro"), "análise do item 6", NINE),
            FileReading(sha256, "p-ana", ("participante",), "o próprio dono", NINE + timedelta(minutes=3)),
        ]


def test_checking_the_hash_is_no_reading(store: Files, engine: Engine) -> None:
    sha256 = sent(store, engine, a_picture())
    assert store.verify(sha256)
    assert store.damaged() == []
    assert lines_about(engine, sha256) == 0


def test_the_line_is_written_before_the_first_byte_is_asked_for(store: Files, engine: Engine) -> None:
    sha256 = sent(store, engine, a_picture())
    with writing(engine) as tx:
        store.open(tx, sha256, MARTA, "análise")
    assert lines_about(engine, sha256) == 1


@pytest.mark.parametrize(
    ("reader", "reason"),
    [(RUI, "curiosidade"), (TEO, "manutenção"), (ANYONE, "curiosidade"), (MARTA, ""), (MARTA, " \n")],
    ids=["a rival", "the technician", "anyone", "no reason", "an empty reason"],
)
def test_a_reading_that_may_not_be_is_refused(store: Files, engine: Engine, reader: Actor, reason: str) -> None:
    sha256 = sent(store, engine, a_picture())
    with pytest.raises(ReadingDenied):
        read(store, engine, sha256, reader, reason)
    assert lines_about(engine, sha256) == 0


@pytest.mark.parametrize("reader", [ANA, MARTA, SYSTEM], ids=["the owner", "the commission", "the machine's checks"])
def test_who_may_read_reads(store: Files, engine: Engine, reader: Actor) -> None:
    data = a_picture()
    assert read(store, engine, sent(store, engine, data), reader) == data


def test_whoever_represents_the_owner_reads_for_it_and_is_written_down(store: Files, engine: Engine) -> None:
    data = a_picture()
    sha256 = sent(store, engine, data, owner="pt_frota")
    with pytest.raises(ReadingDenied):
        read(store, engine, sha256, ANA)
    with writing(engine) as tx:
        assert store.read(tx, sha256, ANA, "o próprio dono", acting_for=["pt_ana", "pt_frota"]) == data
    with reading(engine) as tx:
        assert [seen.reader for seen in store.readings_of(tx, sha256)] == ["p-ana"]


def test_what_is_published_is_read_by_anyone(store: Files, engine: Engine) -> None:
    data = a_picture()
    sha256 = sent(store, engine, data, owner=PUBLIC_OWNER)
    assert read(store, engine, sha256, ANYONE, "download") == data
    assert lines_about(engine, sha256) == 1


def test_a_file_that_was_never_sent_is_unknown(store: Files, engine: Engine) -> None:
    with pytest.raises(FileUnknown):
        read(store, engine, "0" * 64)
    with reading(engine) as tx, pytest.raises(FileUnknown):
        store.find(tx, sent(store, engine, a_picture()), RUI.person)


def test_a_file_gone_from_the_disk_is_said_to_be_before_anything_is_answered(
    store: Files, engine: Engine, settings: Settings
) -> None:
    sha256 = sent(store, engine, a_picture())
    sealed_path(settings, sha256).unlink()
    with writing(engine) as tx, pytest.raises(FileDamaged, match="gone"):
        store.open(tx, sha256, MARTA, "análise")
    assert store.damaged() == [sha256]


# --- elimination -----------------------------------------------------------------------------------------------------


def eliminated(store: Files, engine: Engine, sha256: str, owner: str = "") -> None:
    """Eliminate the file at the end of its term."""
    with writing(engine) as tx:
        store.eliminate(tx, sha256, MARTA.person, "fim do prazo de guarda", owner)


def test_an_eliminated_file_leaves_a_tombstone_and_no_bytes(
    store: Files, engine: Engine, clock: FrozenClock, settings: Settings
) -> None:
    data = a_picture()
    sha256 = sent(store, engine, data)
    read(store, engine, sha256)
    eliminated(store, engine, sha256)
    with pytest.raises(FileEliminated):
        read(store, engine, sha256)
    clock.advance(timedelta(minutes=1))
    assert store.sweep() == 1
    assert not sealed_path(settings, sha256).exists()
    with reading(engine) as tx:
        (stone,) = store.eliminations(tx, sha256)
        assert tx.execute(select(file_owners)).all() == []
        assert len(store.readings_of(tx, sha256)) == 1
    assert (stone.owner, stone.by, stone.reason) == ("p-ana", "p-marta", "fim do prazo de guarda")
    assert (stone.kind, stone.size, stone.at, stone.erased_at) == ("png", len(data), NINE, NINE + timedelta(minutes=1))
    assert store.sweep() == 0


def test_an_elimination_that_is_rolled_back_eliminates_nothing(store: Files, engine: Engine) -> None:
    data = a_picture()
    sha256 = sent(store, engine, data)
    with engine.connect().execution_options(write=True) as tx, tx.begin() as transaction:
        store.eliminate(tx, sha256, MARTA.person, "engano")
        transaction.rollback()
    assert store.sweep() == 0
    assert read(store, engine, sha256) == data


def test_eliminating_one_persons_file_leaves_the_same_bytes_of_another(store: Files, engine: Engine) -> None:
    data = a_picture()
    sha256 = sent(store, engine, data, ANA.person)
    sent(store, engine, data, RUI.person)
    eliminated(store, engine, sha256, owner=ANA.person)
    assert store.sweep() == 0
    with pytest.raises(ReadingDenied):
        read(store, engine, sha256, ANA)
    assert read(store, engine, sha256, RUI) == data
    eliminated(store, engine, sha256)
    assert store.sweep() == 1
    with reading(engine) as tx:
        assert [(stone.owner, stone.erased_at) for stone in store.eliminations(tx, sha256)] == [
            ("p-ana", NINE),
            ("p-rui", NINE),
        ]


def test_the_copy_of_a_heic_goes_with_it(store: Files, engine: Engine, settings: Settings) -> None:
    sha256 = sent(store, engine, HEIC.read_bytes(), filename="foto.heic")
    eliminated(store, engine, sha256)
    assert store.sweep() == 2
    assert list((settings.data_dir / "files").glob("??/??/*")) == []


def test_a_file_sent_again_after_its_elimination_is_there_again(
    store: Files, engine: Engine, clock: FrozenClock
) -> None:
    data = a_picture()
    sha256 = sent(store, engine, data)
    eliminated(store, engine, sha256)
    clock.advance(timedelta(minutes=1))
    received = store.receive(data, owner=ANA.person, filename="de novo.pdf", started_at=clock.now())
    assert store.sweep() == 0
    with writing(engine) as tx:
        store.keep(tx, received)
    assert store.sweep() == 0
    assert read(store, engine, sha256, ANA) == data


@pytest.mark.parametrize("reason", ["", "  "])
def test_an_elimination_needs_a_reason_and_a_file(store: Files, engine: Engine, reason: str) -> None:
    sha256 = sent(store, engine, a_picture())
    with writing(engine) as tx, pytest.raises(ValueError, match="reason"):
        store.eliminate(tx, sha256, MARTA.person, reason)
    with writing(engine) as tx, pytest.raises(FileUnknown):
        store.eliminate(tx, "0" * 64, MARTA.person, "engano")
    with writing(engine) as tx, pytest.raises(FileUnknown):
        store.eliminate(tx, sha256, MARTA.person, "engano", owner=RUI.person)


# --- orphans ---------------------------------------------------------------------------------------------------------


def test_bytes_without_a_row_are_swept_after_a_day_and_not_a_moment_before(
    store: Files, clock: FrozenClock, settings: Settings
) -> None:
    received = store.receive(a_picture(), owner=ANA.person, filename="a.pdf", started_at=NINE)
    clock.advance(DAY - MOMENT)
    assert store.sweep() == 0
    clock.advance(MOMENT)
    assert store.sweep() == 1
    assert not sealed_path(settings, received.file.sha256).exists()


def test_a_file_that_was_swept_before_it_was_kept_is_not_said_to_be_kept(
    store: Files, engine: Engine, clock: FrozenClock
) -> None:
    received = store.receive(a_picture(), owner=ANA.person, filename="a.pdf", started_at=NINE)
    clock.advance(DAY)
    store.sweep()
    with writing(engine) as tx, pytest.raises(FileUnknown, match="receive it again"):
        store.keep(tx, received)


def test_an_orphan_that_arrives_again_waits_another_day(store: Files, engine: Engine, clock: FrozenClock) -> None:
    data = a_picture()
    store.receive(data, owner=ANA.person, filename="a.pdf", started_at=NINE)
    clock.advance(DAY)
    received = store.receive(data, owner=ANA.person, filename="a.pdf", started_at=NINE)
    assert store.sweep() == 0
    with writing(engine) as tx:
        store.keep(tx, received)
    clock.advance(10 * DAY)
    assert store.sweep() == 0
    assert read(store, engine, received.file.sha256) == data


def test_what_a_crash_left_half_written_is_swept(store: Files, clock: FrozenClock, settings: Settings) -> None:
    store.receive(a_picture(), owner=ANA.person, filename="a.pdf", started_at=NINE)
    half = settings.data_dir / "files" / "tmp" / "half"
    half.write_bytes(b"TENDERF1")
    clock.set(clock.now().replace(year=2126))
    store.sweep()
    assert not half.exists()
