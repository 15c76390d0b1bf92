"""Opens one uploaded file with the real parser, in a process of its own that may die.

Run as a script (`python -I child.py pdf|image|heic`) by `tender.files.inspection`, which imports it for its limits
alone: the file comes on stdin, one JSON line goes out on stdout, and for HEIC the JPEG copy follows it. A hostile file
costs this process its life (memory, CPU seconds), not the server's. It opens no other file and writes none.

Answers: `{"ok": true, ...}` or `{"refused": "<code>", ...}`; the codes are worded in `inspection.ANSWERS`.
"""

from __future__ import annotations

import io
import json
import resource
import sys
from typing import Any

MIB = 1024 * 1024
MEMORY_BYTES = 1024 * MIB
CPU_SECONDS = 10
PAGES_MAX = 500
PIXELS_MAX = 50_000_000
COPY_PIXELS = 16_000_000  # of the JPEG made from a HEIC: an A4 page at 400 dpi
STREAM_MAX_BYTES = 128 * MIB  # one stream of a PDF, opened: an A3 page at 400 dpi in colour is 89 MiB
STREAMS_MAX_BYTES = 512 * MIB  # all of them: 20 pages A4 at 300 dpi in colour, never packed as JPEG
TAIL_BYTES = 1024  # a PDF's end marker stands in its last 1024 bytes (PDF 1.7, annex H, note 18)


def put_limits() -> None:
    """Memory, CPU and files of this process; nothing it opens can lift them again."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def open_pdf(data: bytes) -> dict[str, Any]:
    """Whole, without a password, with pages, and not a bomb when opened."""
    import pikepdf
    from pikepdf import settings

    settings.set_qpdf_limits(
        flate_max_memory=STREAM_MAX_BYTES,
        run_length_max_memory=STREAM_MAX_BYTES,
        png_max_memory=STREAM_MAX_BYTES,
        tiff_max_memory=STREAM_MAX_BYTES,
    )
    try:
        pdf = _opened_pdf(data)
        if pdf is None:
            return {"refused": "cortado"}
        pages = len(pdf.pages)
        if pages == 0:
            return {"refused": "sem_paginas"}
        if pages > PAGES_MAX:
            return {"refused": "paginas", "got": pages}
        return {"refused": "bomba"} if _is_bomb(pdf) else {"ok": True}
    except pikepdf.PasswordError:
        return {"refused": "senha"}
    except pikepdf.PdfError as error:
        return {"refused": "bomba" if _over_limit(error) else "danificado"}


def _opened_pdf(data: bytes) -> Any:
    # Sloppy writers are mended, as every reader does; a file whose end is missing was cut on the way (None).
    import pikepdf

    try:
        return pikepdf.open(io.BytesIO(data), attempt_recovery=False)
    except pikepdf.PasswordError:
        raise
    except pikepdf.PdfError:
        return pikepdf.open(io.BytesIO(data)) if b"%%EOF" in data[-TAIL_BYTES:] else None


def _is_bomb(pdf: Any) -> bool:
    # Streams that grow beyond reason: whoever reads this file next would fall over it.
    import pikepdf

    total = 0
    for item in pdf.objects:
        if not isinstance(item, pikepdf.Stream):
            continue
        try:
            total += len(item.read_bytes())
        except pikepdf.PdfError as error:
            # Else it is a picture in its own format, or a flaw that the reader of the document will judge.
            if _over_limit(error):
                return True
        if total > STREAMS_MAX_BYTES:
            return True
    return False


def _over_limit(error: Exception) -> bool:
    # qpdf has one class for all its errors: only the text tells a limit from a flaw.
    return "limit exceeded" in str(error) or "bad_alloc" in str(error)


def open_image(data: bytes) -> dict[str, Any]:
    """A JPEG or PNG that is whole and not larger than can be shown."""
    from PIL import Image, ImageFile

    Image.MAX_IMAGE_PIXELS = None  # our own limit is asked below, before anything is decoded
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    try:
        with Image.open(io.BytesIO(data), formats=["JPEG", "PNG"]) as image:
            width, height = image.size
            if width * height > PIXELS_MAX:
                return {"refused": "pixels", "got": [width, height]}
            image.load()
    except (OSError, SyntaxError, ValueError):
        return {"refused": "imagem"}
    return {"ok": True}


def open_heic(data: bytes) -> tuple[dict[str, Any], bytes]:
    """A phone's HEIC photograph, and a JPEG of it that every browser shows; without place or camera data."""
    import pi_heif
    from PIL import Image, ImageOps

    Image.MAX_IMAGE_PIXELS = None
    pi_heif.register_heif_opener(thumbnails=False)
    try:
        with Image.open(io.BytesIO(data), formats=["HEIF"]) as image:
            width, height = image.size
            if width * height > PIXELS_MAX:
                return {"refused": "pixels", "got": [width, height]}, b""
            upright = ImageOps.exif_transpose(image).convert("RGB")
    except (OSError, SyntaxError, ValueError, RuntimeError):
        return {"refused": "heic"}, b""
    if width * height > COPY_PIXELS:
        scale = (COPY_PIXELS / (width * height)) ** 0.5
        upright.thumbnail((int(upright.width * scale), int(upright.height * scale)))
    copy = io.BytesIO()
    upright.save(copy, "JPEG", quality=88)
    return {"ok": True}, copy.getvalue()


def main(kind: str) -> None:
    """Read stdin, answer on stdout. Anything unforeseen is a refusal too."""
    put_limits()
    data = sys.stdin.buffer.read()
    copy = b""
    try:
        if kind == "pdf":
            answer = open_pdf(data)
        elif kind == "heic":
            answer, copy = open_heic(data)
        else:
            answer = open_image(data)
    except MemoryError:
        answer = {"refused": "bomba"}
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n" + copy)


if __name__ == "__main__":
    main(sys.argv[1])
