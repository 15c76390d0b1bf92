"""Files go in and come out byte for byte, and lie sealed on the disk."""

from __future__ import annotations

import hashlib
import io
import threading
from dataclasses import replace
from datetime import timedelta
from typing import Any, BinaryIO, cast

import pytest
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import validate_pdf_signature
from pyhanko_certvalidator import ValidationContext
from sqlalchemy import Engine, func, select

from tender.clock import FrozenClock
from tender.files import FileDamaged, FileRefused, Files
from tender.files.records import file_owners, files
from tender.files.vault import CHUNK_BYTES, MAGIC
from tender.ledger import reading, writing
from tender.settings import MIB, Settings
from tests.files.people import ANA, NINE, read, sealed_path, sent
from tests.files.samples import HEIC, a_pdf, a_picture, a_png_of, a_signed_pdf


def test_a_file_comes_out_as_it_went_in_and_says_when_it_arrived(
    store: Files, engine: Engine, clock: FrozenClock
) -> None:
    data = a_pdf()
    began = clock.now()
    clock.advance(timedelta(seconds=7))
    with writing(engine) as tx:
        kept = store.store(tx, io.BytesIO(data), owner=ANA.person, filename="../CNH frente.pdf", started_at=began)
    assert kept.sha256 == hashlib.sha256(data).hexdigest()
    assert (kept.size, kept.kind, kept.filename) == (len(data), "pdf", "CNH frente.pdf")
    assert kept.media_type == "application/pdf"
    assert (kept.started_at, kept.finished_at) == (NINE, NINE + timedelta(seconds=7))
    assert read(store, engine, kept.sha256) == data
    with reading(engine) as tx:
        assert store.find(tx, kept.sha256, ANA.person) == kept


def test_a_signed_pdf_keeps_its_signature(store: Files, engine: Engine) -> None:
    signed, certificate = a_signed_pdf()
    out = read(store, engine, sent(store, engine, signed))
    assert hashlib.sha256(out).digest() == hashlib.sha256(signed).digest()
    signature = PdfFileReader(io.BytesIO(out)).embedded_signatures[0]
    assert validate_pdf_signature(signature, ValidationContext(trust_roots=[certificate])).bottom_line


def test_a_stream_that_cannot_be_rewound_is_taken_too(store: Files, engine: Engine) -> None:
    data = a_pdf(noise=3 * CHUNK_BYTES)

    class Wire(io.RawIOBase):
        """Gives at most 1000 bytes at a time, once."""

        left = io.BytesIO(data)

        def readable(self) -> bool:
            return True

        def readinto(self, room: Any) -> int:
            piece = self.left.read(min(len(room), 1000))
            room[: len(piece)] = piece
            return len(piece)

    with writing(engine) as tx:
        kept = store.store(tx, cast(BinaryIO, Wire()), owner=ANA.person, filename="a.pdf", started_at=NINE)
    assert read(store, engine, kept.sha256) == data


@pytest.mark.parametrize("limit", [10 * MIB, 100_000])
def test_the_limit_holds_to_the_byte_and_every_refusal_says_the_same(
    engine: Engine, clock: FrozenClock, settings: Settings, limit: int
) -> None:
    store = Files(engine, clock, replace(settings, upload_max_bytes=limit))
    for size in (limit - 1, limit):
        assert len(read(store, engine, sent(store, engine, a_png_of(size)))) == size
    said = {str(store.too_big())}
    for source in (a_png_of(limit + 1), io.BytesIO(a_png_of(limit + 1)), io.BytesIO(bytes(limit * 2))):
        with pytest.raises(FileRefused) as no:
            store.receive(source, owner=ANA.person, filename="a.png", started_at=NINE)
        assert no.value.code == "tamanho"
        said.add(str(no.value))
    assert len(said) == 1
    assert store.limit_text in said.pop()


def test_ten_megabytes_are_said_as_they_are_counted(store: Files) -> None:
    assert store.limit_text == "10 MB (10.485.760 bytes)"
    assert "até 10 MB:" in store.too_big().passes


def test_the_same_bytes_are_stored_once_with_a_row_for_each_owner(
    store: Files, engine: Engine, settings: Settings
) -> None:
    data = a_picture()
    names = {sent(store, engine, data, owner, name) for owner, name in (("p-ana", "a.png"), ("p-rui", "b.png"))}
    names.add(sent(store, engine, data, "p-ana", "again.png"))
    (sha256,) = names
    assert [path.name for path in (settings.data_dir / "files").glob("??/??/*")] == [sha256]
    with reading(engine) as tx:
        rows = tx.execute(select(file_owners.c.owner, file_owners.c.filename).order_by(file_owners.c.owner)).all()
        assert [tuple(row) for row in rows] == [("p-ana", "a.png"), ("p-rui", "b.png")]
        assert tx.execute(select(func.count()).select_from(files)).scalar_one() == 1


def test_eight_people_sending_the_same_form_at_once_all_have_it(store: Files, engine: Engine) -> None:
    data = a_picture()
    faults: list[Exception] = []

    def send(owner: str) -> None:
        try:
            received = store.receive(data, owner=owner, filename="a.pdf", started_at=NINE)
            with writing(engine) as tx:
                store.keep(tx, received)
        except Exception as fault:
            faults.append(fault)

    threads = [threading.Thread(target=send, args=(f"p-{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    with reading(engine) as tx:
        assert tx.execute(select(func.count()).select_from(file_owners)).scalar_one() == 8


def test_a_heic_is_kept_as_received_with_a_jpeg_beside_it(store: Files, engine: Engine) -> None:
    data = HEIC.read_bytes()
    sha256 = sent(store, engine, data, filename="IMG_0001.HEIC")
    assert read(store, engine, sha256) == data
    with reading(engine) as tx:
        original, copy = sorted(store.of_owner(tx, ANA.person), key=lambda file: file.kind)
    assert (original.kind, original.filename, original.to_show) == ("heic", "IMG_0001.HEIC", copy.sha256)
    assert (original.media_type, original.type_to_show, copy.type_to_show) == ("image/heic", "image/jpeg", "image/jpeg")
    assert (copy.kind, copy.filename, copy.to_show) == ("jpeg", "IMG_0001.HEIC.jpg", copy.sha256)
    shown = read(store, engine, copy.sha256)
    assert hashlib.sha256(shown).hexdigest() == copy.sha256
    with reading(engine) as tx:
        assert [seen.sha256 for seen in store.readings_of(tx, sha256)] == [sha256, copy.sha256]


def test_a_refused_file_leaves_nothing_on_the_disk(store: Files, engine: Engine, settings: Settings) -> None:
    with pytest.raises(FileRefused):
        sent(store, engine, b"PK\x03\x04 not a document")
    assert not (settings.data_dir / "files").exists()


def test_on_the_disk_nothing_can_be_read(store: Files, engine: Engine, settings: Settings) -> None:
    path = sealed_path(settings, sent(store, engine, a_pdf(about="Sebastião")))
    sealed = path.read_bytes()
    assert sealed.startswith(MAGIC)
    assert b"PDF" not in sealed
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0


def test_one_file_in_the_place_of_another_is_found_out(store: Files, engine: Engine, settings: Settings) -> None:
    mine, other = (sent(store, engine, a_pdf(about=about)) for about in ("uma", "outra"))
    sealed_path(settings, mine).write_bytes(sealed_path(settings, other).read_bytes())
    assert store.damaged() == [mine]
    with pytest.raises(FileDamaged):
        read(store, engine, mine)


def test_another_key_opens_nothing(store: Files, engine: Engine, clock: FrozenClock, settings: Settings) -> None:
    sha256 = sent(store, engine, a_pdf())
    stranger = Files(engine, clock, replace(settings, files_key="A" * 43 + "="))
    assert (store.verify(sha256), stranger.verify(sha256)) == (True, False)


def test_a_damaged_file_is_mended_when_its_bytes_arrive_again(store: Files, engine: Engine, settings: Settings) -> None:
    data = a_pdf()
    sha256 = sent(store, engine, data)
    path = sealed_path(settings, sha256)
    path.write_bytes(path.read_bytes()[:-1])
    assert not store.verify(sha256)
    assert sent(store, engine, data) == sha256
    assert read(store, engine, sha256) == data
