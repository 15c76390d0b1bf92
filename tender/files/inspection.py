"""What an uploaded file is, found by opening it; and what to do when it cannot be taken, in Portuguese.

The first bytes say what it claims to be, `filetype` gives a second opinion, and the real parser opens it in a child
process with limits (`child.py`): the name and the type that the browser declares count for nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import filetype

from tender.files import child
from tender.settings import MIB

HEAD_BYTES = 4096
WALL_SECONDS = 30
AT_ONCE = 4
WAIT_SECONDS = 30
NAME_CHARS = 100

KINDS = {"pdf": "application/pdf", "jpeg": "image/jpeg", "png": "image/png", "heic": "image/heic"}
"""The kinds that are taken and the media type under which each is served."""
_SUFFIXES = {"pdf": (".pdf",), "jpeg": (".jpg", ".jpeg"), "png": (".png",), "heic": (".heic", ".heif")}
_PARSERS = {"pdf": "pdf", "jpeg": "image", "png": "image", "heic": "heic"}
_HEIC_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"mif1"})
_CHILD = Path(child.__file__)
_AGAIN = "um PDF, ou uma foto JPG, PNG ou HEIC"
_TURN = threading.BoundedSemaphore(AT_ONCE)


class FileRefused(Exception):
    """A file that is not taken. code: stable word; message: what is wrong; passes: what would be taken (Portuguese)."""

    def __init__(self, code: str, message: str, passes: str) -> None:
        super().__init__(f"{message} {passes}")
        self.code = code
        self.message = message
        self.passes = passes


@dataclass(frozen=True, slots=True)
class Opened:
    """A file that its parser opened: kind (a key of KINDS), and for HEIC a JPEG copy that every browser shows."""

    kind: str
    copy: bytes = b""


def size_pt(size: int) -> str:
    """Size as people say it: `10 MB` for whole mebibytes, `10.485.761 bytes` for all else."""
    return f"{size // MIB} MB" if size and size % MIB == 0 else f"{size:,} bytes".replace(",", ".")


def limit_pt(limit: int) -> str:
    """The limit in words and in bytes, computed from the constant: `10 MB (10.485.760 bytes)`."""
    exact = f"{limit:,} bytes".replace(",", ".")
    return f"{size_pt(limit)} ({exact})" if size_pt(limit) != exact else exact


def too_big(limit: int) -> FileRefused:
    """The one answer to a file above the limit: the page, the script and the 413 handler all say this."""
    return FileRefused(
        "tamanho",
        f"O arquivo passa do limite de {limit_pt(limit)}.",
        f"Envie um arquivo de até {size_pt(limit)}: diminua a resolução da digitalização ou divida por documento.",
    )


ANSWERS = {
    "vazio": ("O arquivo está vazio (0 byte).", "Abra o arquivo no seu aparelho, confira e envie de novo."),
    "senha": ("O arquivo pede senha.", "Salve sem senha e envie de novo."),
    "cortado": ("O arquivo chegou cortado: falta o fim.", "Baixe ou digitalize de novo e envie o arquivo inteiro."),
    "danificado": ("O PDF está danificado e não abre.", "Abra no seu aparelho, salve de novo como PDF e envie."),
    "sem_paginas": ("O PDF não tem nenhuma página.", "Envie um PDF com pelo menos 1 página."),
    "paginas": (
        f"O PDF tem páginas demais: o limite é {child.PAGES_MAX}.",
        f"Envie só as páginas do documento, até {child.PAGES_MAX}.",
    ),
    "bomba": (
        f"O arquivo cresce demais ao abrir: passa de {size_pt(child.STREAM_MAX_BYTES)} em uma só parte, "
        f"ou de {size_pt(child.STREAMS_MAX_BYTES)} no total.",
        "Digitalize de novo com resolução menor (300 dpi bastam) e envie.",
    ),
    "pixels": (
        f"A imagem é grande demais: o limite é {child.PIXELS_MAX // 1_000_000} megapixels.",
        f"Envie uma foto de até {child.PIXELS_MAX // 1_000_000} megapixels, como 8.000 × 6.000 pontos.",
    ),
    "imagem": ("A imagem está cortada ou danificada.", "Tire a foto de novo, ou salve como JPG, e envie."),
    "heic": (
        "A foto HEIC (formato do iPhone) não abriu.",
        "No iPhone: Ajustes, Câmera, Formatos, Mais Compatível. Depois tire a foto de novo e envie.",
    ),
    "mistura": ("O arquivo é de dois tipos ao mesmo tempo.", f"Salve de novo em um só tipo: {_AGAIN}."),
    "nao_abre": (
        "O arquivo não pôde ser conferido: abrir levou tempo ou memória demais.",
        "Salve ou digitalize de novo, com menos páginas ou menor resolução, e envie.",
    ),
    "ocupado": (
        "Há muitos arquivos sendo conferidos agora. Nada se perdeu do que você já enviou.",
        "Espere 1 minuto e envie de novo.",
    ),
}
"""Code of a refusal -> what is wrong, what would pass."""


def refused(code: str) -> FileRefused:
    """The refusal of this code in words."""
    return FileRefused(code, *ANSWERS[code])


def kind_of(head: bytes) -> str:
    """Kind (key of KINDS) that the first HEAD_BYTES claim. FileRefused for any other type and for mixtures."""
    if head.startswith(b"%PDF-"):
        kind = "pdf"
    elif head.startswith(b"\xff\xd8\xff"):
        kind = "jpeg"
    elif head.startswith(b"\x89PNG\r\n\x1a\n"):
        kind = "png"
    elif head[4:8] == b"ftyp" and head[8:12] in _HEIC_BRANDS:
        kind = "heic"
    else:
        raise _foreign(head)
    guess = filetype.guess(head)
    second = {"jpg": "jpeg", "apng": "png"}.get(guess.extension, guess.extension) if guess else kind
    if second != kind or (kind != "pdf" and b"%PDF-" in head):
        raise refused("mistura")
    return kind


def _foreign(head: bytes) -> FileRefused:
    if b"%PDF-" in head:
        return FileRefused(
            "tipo", "O arquivo tem um PDF, mas não começa como PDF.", "Abra no seu aparelho, salve como PDF e envie."
        )
    guess = filetype.guess(head)
    looks = f"parece ser {guess.extension.upper()}" if guess else "não é de um tipo conhecido"
    return FileRefused("tipo", f"Este arquivo {looks}, mesmo que o nome diga outra coisa.", f"Envie {_AGAIN}.")


def inspect(stream: BinaryIO) -> Opened:
    """Open the file at the stream's place with its real parser. FileRefused says what to do; the stream is rewound."""
    head = stream.read(HEAD_BYTES)
    stream.seek(0)
    if not head:
        raise refused("vazio")
    kind = kind_of(head)
    if not _TURN.acquire(timeout=WAIT_SECONDS):
        raise refused("ocupado")
    try:
        answer, copy = _ask_child(_PARSERS[kind], stream.read())
    finally:
        _TURN.release()
        stream.seek(0)
    if not answer.get("ok"):
        raise refused(str(answer.get("refused", "nao_abre")))
    return Opened(kind, copy)


def _ask_child(parser: str, data: bytes) -> tuple[dict[str, object], bytes]:
    # -I: neither the environment nor the current folder can change what the child imports.
    command = [sys.executable, "-I", str(_CHILD), parser]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=WALL_SECONDS, check=False, env={})  # noqa: S603
    except subprocess.TimeoutExpired:
        return {"refused": "nao_abre"}, b""
    line, _, copy = done.stdout.partition(b"\n")
    if done.returncode != 0 or not line:
        return {"refused": "nao_abre"}, b""
    answer: dict[str, object] = json.loads(line)
    return answer, copy


def display_name(filename: str, kind: str) -> str:
    """The sender's name for the file, safe to show: last part of a path, no control or direction signs, right ending.

    Never used as a path, never written in the book; at most NAME_CHARS characters.
    """
    last = unicodedata.normalize("NFC", filename).replace("\\", "/").rsplit("/", 1)[-1]
    kept = (sign for sign in last if sign.isspace() or not unicodedata.category(sign).startswith("C"))
    shown = " ".join("".join(kept).split()).strip(". ") or "arquivo"
    ending = next((suffix for suffix in _SUFFIXES[kind] if shown.lower().endswith(suffix)), "")
    stem = shown[: -len(ending)] if ending else shown
    right = ending or _SUFFIXES[kind][0]
    return (stem.rstrip(". ")[: NAME_CHARS - len(right)] or "arquivo") + (shown[-len(right) :] if ending else right)
