"""What an uploaded file is: found by opening it, and whoever sends what is not taken is told what to do."""

from __future__ import annotations

import hashlib
import io
import signal
import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pikepdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tender.files import child, inspection
from tender.files.inspection import ANSWERS, KINDS, FileRefused, display_name, inspect, kind_of, limit_pt, size_pt
from tender.settings import MIB
from tests.files.samples import HEIC, a_pdf, a_pdf_with_a_stream, a_picture, a_zip, as_it_is, zeros


def refusal_of(data: bytes) -> FileRefused:
    """The refusal of a file that must be refused."""
    with pytest.raises(FileRefused) as no:
        inspect(io.BytesIO(data))
    return no.value


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (a_pdf(), "pdf"),
        (a_picture("PNG"), "png"),
        (a_picture("JPEG"), "jpeg"),
        (a_picture("PNG", mode="RGBA"), "png"),
        (a_picture("JPEG", mode="CMYK"), "jpeg"),
        (HEIC.read_bytes(), "heic"),
    ],
    ids=["pdf", "png", "jpeg", "png with transparency", "jpeg for print", "heic"],
)
def test_what_people_send_is_taken_for_what_it_is(data: bytes, kind: str) -> None:
    opened = inspect(io.BytesIO(data))
    assert opened.kind == kind
    assert bool(opened.copy) == (kind == "heic")


def test_a_pdf_that_only_forbids_printing_needs_no_password_and_is_taken() -> None:
    locked = a_pdf(encryption=pikepdf.Encryption(user="", owner="dono"))
    assert inspect(io.BytesIO(locked)).kind == "pdf"


def test_a_pdf_that_asks_for_a_password_is_refused_with_the_way_out() -> None:
    no = refusal_of(a_pdf(encryption=pikepdf.Encryption(user="segredo", owner="dono")))
    assert (no.code, no.message, no.passes) == ("senha", "O arquivo pede senha.", "Salve sem senha e envie de novo.")


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "nothing at all": (lambda: b"", "vazio"),
    "a ZIP called .pdf": (a_zip, "tipo"),
    "a GIF": (lambda: a_picture("GIF", mode="L"), "tipo"),
    "a GIF that is a PDF too": (lambda: a_picture("GIF", mode="L") + a_pdf(), "tipo"),
    "a line break before the PDF": (lambda: b"\n" + a_pdf(), "tipo"),
    "a web page": (lambda: b"<html><script>alert(1)</script>", "tipo"),
    "text": (lambda: "Certidão negativa".encode(), "tipo"),
    "a JPEG that is a PDF too": (lambda: b"\xff\xd8\xff\xfe\x00\x20" + a_pdf(), "mistura"),
    "a PDF cut in the middle": (lambda: a_pdf(3)[: len(a_pdf(3)) // 2], "cortado"),
    "a PDF without its last line": (lambda: a_pdf()[:-8], "cortado"),
    "only the word PDF": (lambda: b"%PDF-1.7\n%%EOF\n", "danificado"),
    "a PDF of noise": (lambda: b"%PDF-1.7\n" + bytes(range(256)) * 40 + b"\n%%EOF\n", "danificado"),
    "a PDF without pages": (lambda: a_pdf(0), "sem_paginas"),
    "a PDF of ten thousand pages": (lambda: a_pdf(10_000), "paginas"),
    "a PNG cut in the middle": (lambda: a_picture(size=(400, 400))[:200], "imagem"),
    "a JPEG cut in the middle": (lambda: a_picture("JPEG", size=(400, 400))[:-900], "imagem"),
    "a HEIC cut in the middle": (lambda: HEIC.read_bytes()[:900], "heic"),
    "a HEIC of noise": (lambda: HEIC.read_bytes()[:40] + bytes(2000), "heic"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_what_cannot_be_taken_is_refused_in_words_that_say_what_to_do(what: str) -> None:
    make, code = HOSTILE[what]
    no = refusal_of(make())
    assert no.code == code
    assert no.message.endswith(".")
    assert no.passes.endswith(".")


def test_a_file_of_another_type_is_told_what_it_looks_like_and_what_is_taken() -> None:
    no = refusal_of(a_zip())
    assert "parece ser ZIP" in no.message
    assert no.passes == "Envie um PDF, ou uma foto JPG, PNG ou HEIC."


def test_both_sides_of_the_limit_of_pages() -> None:
    assert inspect(io.BytesIO(a_pdf(child.PAGES_MAX))).kind == "pdf"
    no = refusal_of(a_pdf(child.PAGES_MAX + 1))
    assert no.code == "paginas"
    assert "500" in no.message


def test_both_sides_of_the_limit_of_megapixels() -> None:
    assert inspect(io.BytesIO(a_picture(size=(10_000, 5_000), mode="L"))).kind == "png"
    no = refusal_of(a_picture(size=(10_000, 5_001), mode="L"))
    assert no.code == "pixels"
    assert "50 megapixels" in no.message


def test_a_picture_that_claims_to_be_immense_is_refused_before_it_is_unpacked() -> None:
    picture = bytearray(a_picture())
    picture[16:24] = (50_000).to_bytes(4, "big") * 2
    picture[29:33] = zlib.crc32(picture[12:29]).to_bytes(4, "big")
    assert refusal_of(bytes(picture)).code == "pixels"


def test_a_flate_bomb_is_refused_and_only_its_own_process_feels_it() -> None:
    bomb = a_pdf_with_a_stream(zlib.compress(zeros(300 * MIB), 9), ["/FlateDecode", "/FlateDecode"])
    assert len(bomb) < 3_000
    assert refusal_of(bomb).code == "bomba"


def test_a_bomb_in_many_small_parts_is_refused_too() -> None:
    pdf = pikepdf.new()
    pdf.add_blank_page()
    packed = zeros(100 * MIB)
    for number in range(6):
        stream = pikepdf.Stream(pdf, packed)
        stream.Filter = pikepdf.Name.FlateDecode
        pdf.pages[0][f"/Part{number}"] = pdf.make_indirect(stream)
    assert refusal_of(as_it_is(pdf)).code == "bomba"


def test_a_large_scan_that_is_no_bomb_is_taken() -> None:
    page = zlib.compress(bytes(2480 * 3508 * 3))  # A4 in colour at 300 dpi, never packed as JPEG
    assert inspect(io.BytesIO(a_pdf_with_a_stream(page, ["/FlateDecode"]))).kind == "pdf"


def test_sloppy_writers_are_mended_as_every_reader_mends_them() -> None:
    moved = a_pdf().replace(b"startxref\n", b"startxref\n1")
    assert inspect(io.BytesIO(moved)).kind == "pdf"


def test_the_jpeg_made_from_a_phones_heic_stands_upright_and_says_nothing_of_the_phone() -> None:
    copy = Image.open(io.BytesIO(inspect(io.BytesIO(HEIC.read_bytes())).copy))
    assert copy.format == "JPEG"
    assert copy.size == (240, 320)
    pixel = copy.getpixel((200, 160))
    assert isinstance(pixel, tuple)
    red, _, blue = pixel
    assert blue > 100 > red
    assert dict(copy.getexif()) == {}
    assert b"Telefone" in HEIC.read_bytes()


def test_the_same_heic_gives_the_same_copy() -> None:
    copies = {hashlib.sha256(inspect(io.BytesIO(HEIC.read_bytes())).copy).hexdigest() for _ in range(2)}
    assert len(copies) == 1


def test_a_file_that_takes_too_long_to_open_is_refused_and_the_next_one_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(inspection, "WALL_SECONDS", 0.01)
        assert refusal_of(a_pdf()).code == "nao_abre"
    assert inspect(io.BytesIO(a_pdf())).kind == "pdf"


def test_a_process_over_its_limits_dies_alone_and_writes_no_file(tmp_path: Path) -> None:
    def outcome(act: str) -> tuple[int, str]:
        limited = "import child; child.CPU_SECONDS = 1; child.put_limits(); " + act
        command = [sys.executable, "-c", limited]
        done = subprocess.run(command, cwd=Path(child.__file__).parent, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    assert outcome("bytearray(64 << 20)") == (0, "")
    assert "MemoryError" in outcome("bytearray(1200 << 20)")[1]
    assert outcome("\nwhile True: pass")[0] in (-signal.SIGXCPU, -signal.SIGKILL)
    assert "File too large" in outcome(f"open({str(tmp_path / 'file')!r}, 'wb', 0).write(b'x')")[1]
    assert (tmp_path / "file").stat().st_size == 0


def test_too_many_files_at_once_are_asked_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspection, "WAIT_SECONDS", 0.01)
    with ExitStack() as full:
        for _ in range(inspection.AT_ONCE):
            full.enter_context(inspection._TURN)
        assert refusal_of(a_pdf()).code == "ocupado"
    assert inspect(io.BytesIO(a_pdf())).kind == "pdf"


@given(st.binary(min_size=1, max_size=64))
def test_no_file_is_taken_whose_beginning_is_not_known(noise: bytes) -> None:
    known = noise.startswith((b"%PDF-", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n")) or noise[4:8] == b"ftyp"
    if not known:
        with pytest.raises(FileRefused) as no:
            kind_of(noise)
        assert no.value.code == "tipo"


def test_every_answer_names_the_programs_own_limit() -> None:
    assert str(child.PAGES_MAX) in ANSWERS["paginas"][0]
    assert "128 MB" in ANSWERS["bomba"][0]
    assert "512 MB" in ANSWERS["bomba"][0]
    assert set(KINDS) == {"pdf", "jpeg", "png", "heic"}


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (10 * MIB, "10 MB (10.485.760 bytes)"),
        (MIB, "1 MB (1.048.576 bytes)"),
        (10 * MIB - 1, "10.485.759 bytes"),
        (1000, "1.000 bytes"),
    ],
)
def test_the_limit_is_said_from_the_constant(limit: int, said: str) -> None:
    assert limit_pt(limit) == said
    assert size_pt(10 * MIB) == "10 MB"


@pytest.mark.parametrize(
    ("sent", "kind", "shown"),
    [
        ("CNH frente.pdf", "pdf", "CNH frente.pdf"),
        ("../../etc/passwd", "pdf", "passwd.pdf"),
        ("C:\\Meus documentos\\crlv.PDF", "pdf", "crlv.PDF"),
        ("foto.pdf", "jpeg", "foto.pdf.jpg"),
        ("contrato.exe", "pdf", "contrato.exe.pdf"),
        ("nota\u202efdp.exe", "png", "notafdp.exe.png"),
        ("linha\r\nSet-Cookie: x=1.pdf", "pdf", "linha Set-Cookie: x=1.pdf"),
        ("\x00\x07", "pdf", "arquivo.pdf"),
        ("", "jpeg", "arquivo.jpg"),
        ("...", "png", "arquivo.png"),
        (".pdf", "pdf", "pdf.pdf"),
        ("certida\u0303o.jpeg", "jpeg", "certidão.jpeg"),
        ("a" * 300 + ".pdf", "pdf", "a" * 96 + ".pdf"),
    ],
)
def test_names_of_files_are_made_fit_to_be_shown(sent: str, kind: str, shown: str) -> None:
    assert display_name(sent, kind) == shown


@given(st.text(max_size=300), st.sampled_from(sorted(KINDS)))
def test_a_shown_name_fits_on_a_line_and_ends_as_its_kind(sent: str, kind: str) -> None:
    shown = display_name(sent, kind)
    assert 4 < len(shown) <= 100
    assert shown.isprintable()
    assert not set(shown) & set("/\\\r\n\u202e")
    assert shown == display_name(shown, kind)
