#!/usr/bin/env python3
"""Conferidor do livro público — um arquivo só, apenas a biblioteca padrão do Python (3.9 ou mais novo).

Uso:  python3 verificador.py LIVRO.jsonl [--head HASH]

Confere cada registro do livro exportado: forma canônica, ordem, horas, versões, encadeamento e fecho.
Sai com 0 se o livro está inteiro, com 1 no primeiro registro ruim, dizendo qual e por quê, e com 2 se não pôde ler.

The format, `tender-book/1`: one JSON object a line, keys sorted by code point, no spaces, UTF-8, "\n" after each line.
No fractions, no whole number beyond 2^53 - 1 (other languages read those wrong), at most 64 levels, 4 MiB a line. Every
line but the last is an entry; `hash` is SHA-256 of the previous entry's hash, a line feed, and the entry without `hash`
in canonical form. Before the first entry stands SHA-256 of "tender-book/1\n" and the chain's name. The last line
closes the book: format, chain, number of entries, head hash. This very file is what the program itself uses and
what the site serves, so that the public checks with the same lines.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from datetime import datetime
from typing import Any, BinaryIO, TextIO

FORMAT = "tender-book/1"
FIELDS = ("actor", "at", "body", "chain", "command", "hash", "kind", "law", "role", "seq", "step", "stream", "version")
TEXTS = ("actor", "at", "chain", "command", "hash", "kind", "law", "role", "stream")
NUMBERS = ("seq", "step", "version")
INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")
LONGEST_LINE = 4 * 1024 * 1024
LARGEST = 2**53 - 1
DEEPEST = 64


class BookFault(Exception):
    """The first thing found wrong: `entry` is the number of the bad entry (1 is the first; n+1 the closing line)."""

    def __init__(self, entry: int, reason: str) -> None:
        super().__init__(f"registro {entry}: {reason}")
        self.entry = entry
        self.reason = reason


def canonical(value: Any) -> str:
    """JSON text with sorted keys and no spaces. ValueError for what the book cannot hold (see the format above)."""
    _refuse_unfit(value, 0)
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _refuse_unfit(value: Any, depth: int) -> None:
    # Our own bound on depth, not Python's: the answer may not depend on how much of the stack the caller has used.
    if depth > DEEPEST:
        raise ValueError("the book holds nothing nested that deep")
    if isinstance(value, dict):
        for name, item in value.items():
            if not isinstance(name, str):
                raise ValueError("names in the book are text")
            _refuse_unfit(item, depth + 1)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _refuse_unfit(item, depth + 1)
    elif isinstance(value, int):
        if not -LARGEST <= value <= LARGEST:
            raise ValueError("the book holds no whole number beyond 2^53 - 1")
    elif value is not None and not isinstance(value, str):
        raise ValueError(f"the book holds no {type(value).__name__}")


def genesis(chain: str) -> str:
    """The hash that stands before the first entry of a chain."""
    return hashlib.sha256(f"{FORMAT}\n{chain}".encode()).hexdigest()


def entry_hash(previous: str, entry: dict[str, Any]) -> str:
    """Hash of an entry after `previous`; a `hash` field in the entry is left out.

    ValueError for an entry that no line of a book could hold: better not written than never verified.
    """
    bare = canonical({name: value for name, value in entry.items() if name != "hash"}).encode()
    if len(bare) > LONGEST_LINE - len('"hash":"",\n') - len(previous):
        raise ValueError("an entry is too long for a line of the book")
    return hashlib.sha256(previous.encode() + b"\n" + bare).hexdigest()


def closing_line(chain: str, entries: int, head: str) -> str:
    """The last line of an exported book, without its line feed."""
    return canonical({"book": FORMAT, "chain": chain, "entries": entries, "head": head})


def verify(lines: Iterator[bytes], expected_head: str = "") -> dict[str, Any]:
    """Check an exported book. `lines`: byte lines, each with its line feed.

    Returns {"chain", "entries", "head", "first_at", "last_at"}; raises BookFault at the first bad entry.
    `expected_head` (64 hex digits), when given, is a hash that must stand in this book: from a receipt, an ata or a
    QR code. It shows a book cut short or written anew from the middle.
    """
    state: dict[str, Any] = {"entries": 0, "head": "", "chain": "", "last_at": "", "first_at": ""}
    versions: dict[str, int] = {}
    steps: dict[str, int] = {}
    seen_expected = not expected_head
    closing = None
    for line in lines:
        number = int(state["entries"]) + 1
        if closing is not None:
            raise BookFault(number, "há linhas depois do fecho")
        record = _read(line, number)
        if "book" in record:
            closing = record
            continue
        _check_entry(record, number, state)
        _check_order(record, number, state, versions, steps)
        seen_expected = seen_expected or state["head"] == expected_head
    number = int(state["entries"]) + 1
    if closing is None:
        raise BookFault(number, "falta a linha de fecho: o livro foi cortado")
    _check_closing(closing, number, state)
    if not seen_expected:
        raise BookFault(number, f"o hash {expected_head} não está neste livro")
    return state


def _read(line: bytes, number: int) -> dict[str, Any]:
    if len(line) > LONGEST_LINE:
        raise BookFault(number, "linha longa demais")
    if not line.endswith(b"\n"):
        raise BookFault(number, "a linha não termina com quebra de linha")
    if line.endswith(b"\r\n") or line.startswith(b"\xef\xbb\xbf"):
        raise BookFault(number, "o arquivo foi convertido por um editor de texto (CRLF ou BOM): baixe-o de novo")
    try:
        text = line[:-1].decode("utf-8")
        record = json.loads(text, parse_int=_whole)
    except (ValueError, RecursionError):
        raise BookFault(number, "não é JSON em UTF-8") from None
    if not isinstance(record, dict):
        raise BookFault(number, "não é um registro")
    try:
        same = canonical(record) == text
    except ValueError:
        same = False
    if not same:
        raise BookFault(number, "não está na forma canônica")
    return record


def _whole(digits: str) -> int:
    # Converting millions of digits takes minutes; none that long is in a book.
    if len(digits) > len(str(-LARGEST)):
        raise ValueError("a number too long")
    return int(digits)


def _check_entry(record: dict[str, Any], number: int, state: dict[str, Any]) -> None:
    if tuple(sorted(record)) != FIELDS:
        raise BookFault(number, "campos a mais ou a menos")
    if not all(isinstance(record[name], str) for name in TEXTS) or not isinstance(record["body"], dict):
        raise BookFault(number, "campo de tipo errado")
    if not all(type(record[name]) is int for name in NUMBERS):
        raise BookFault(number, "campo de tipo errado")
    if record["seq"] != number:
        raise BookFault(number, f"aqui deveria estar o registro {number}, está o {record['seq']}")
    if number == 1:
        state["chain"], state["head"] = record["chain"], genesis(record["chain"])
        state["first_at"] = record["at"]
    if record["chain"] != state["chain"]:
        raise BookFault(number, f"é do livro {_shown(record['chain'])}, este é o {_shown(state['chain'])}")
    try:
        expected = entry_hash(state["head"], record)
    except ValueError:
        raise BookFault(number, "linha longa demais") from None
    if record["hash"] != expected:
        raise BookFault(number, "o hash não confere com o conteúdo e o registro anterior")


def _check_order(
    record: dict[str, Any], number: int, state: dict[str, Any], versions: dict[str, int], steps: dict[str, int]
) -> None:
    at, stream, command = record["at"], record["stream"], record["command"]
    if not _is_instant(at):
        raise BookFault(number, f"{_shown(at)} não é uma hora em UTC")
    if at < state["last_at"]:
        raise BookFault(number, "a hora é anterior à do registro precedente")
    if record["version"] != versions.get(stream, 0) + 1:
        raise BookFault(number, f"a versão de {_shown(stream)} não é a seguinte")
    if record["step"] <= steps.get(command, -1):
        raise BookFault(number, f"o passo do pedido {_shown(command)} não é um dos seguintes")
    versions[stream], steps[command] = record["version"], record["step"]
    state["entries"], state["head"], state["last_at"] = number, record["hash"], at


def _is_instant(text: str) -> bool:
    if not INSTANT.fullmatch(text):
        return False
    try:
        # Written again, because some versions of Python take 24:00 for the next day's 0:00.
        return datetime.fromisoformat(text[:-1]).isoformat(timespec="microseconds") == text[:-1]
    except ValueError:
        return False


def _check_closing(closing: dict[str, Any], number: int, state: dict[str, Any]) -> None:
    if tuple(sorted(closing)) != ("book", "chain", "entries", "head") or closing["book"] != FORMAT:
        raise BookFault(number, "o fecho não é deste formato")
    if number == 1:
        state["chain"] = str(closing["chain"])
        state["head"] = genesis(state["chain"])
    # As text: to Python `true` equals 1, to the reader of a book it may not.
    if canonical(closing) != closing_line(state["chain"], state["entries"], state["head"]):
        raise BookFault(number, "o fecho não corresponde aos registros: faltam registros ou sobram")


def _shown(text: str) -> str:
    # A hostile book may not write on the terminal of whoever checks it.
    return "".join(sign if sign.isprintable() else "?" for sign in text[:80])


def whole_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Lines of a binary stream, none read beyond the longest that a book may have."""
    while True:
        line = stream.readline(LONGEST_LINE + 1)
        if not line:
            return
        yield line


def main(arguments: list[str]) -> int:
    """Command line: returns 0 when whole, 1 when not, 2 when misused."""
    head = ""
    if "--head" in arguments:
        at = arguments.index("--head")
        head = arguments[at + 1] if at + 1 < len(arguments) else ""
        arguments = arguments[:at] + arguments[at + 2 :]
        if not re.fullmatch(r"[0-9a-f]{64}", head):
            return _said(sys.stderr, "--head pede 64 dígitos hexadecimais minúsculos", 2)
    if len(arguments) != 1:
        return _said(sys.stderr, "uso: verificador.py LIVRO.jsonl [--head HASH]", 2)
    try:
        with open(arguments[0], "rb") as stream:
            found = verify(whole_lines(stream), head)
    except OSError as error:
        return _said(sys.stderr, f"não foi possível ler {_shown(arguments[0])}: {error.strerror}", 2)
    except BookFault as fault:
        return _said(sys.stdout, f"LIVRO COM DEFEITO — {fault}", 1)
    whole = f"LIVRO ÍNTEGRO — {_shown(found['chain'])}: {found['entries']} registros"
    return _said(sys.stdout, f"{whole}\nhash do último registro: {found['head']}", 0)


def _said(stream: TextIO, text: str, code: int) -> int:
    # A terminal without "—" or "Í" gets "?"; failing here would call a whole book bad.
    encoding = stream.encoding or "ascii"
    stream.write(text.encode(encoding, "replace").decode(encoding) + "\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
