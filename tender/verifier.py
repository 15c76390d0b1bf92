#!/usr/bin/env python3
"""Conferidor do livro público — um arquivo só, apenas a biblioteca padrão do Python (3.9 ou mais novo).

Uso:  python3 verificador.py LIVRO.jsonl [--head HASH]

Confere cada registro do livro exportado: forma canônica, ordem, horas, versões, encadeamento e fecho.
Sai com 0 se o livro está inteiro e com 1 no primeiro registro ruim, dizendo qual e por quê.

The format, `tender-book/1`: one JSON object a line, keys sorted, no spaces, UTF-8, "\n" after each line. Every line
but the last is an entry; `hash` is SHA-256 of the previous entry's hash, a line feed, and the entry without `hash`
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
from typing import Any, BinaryIO

FORMAT = "tender-book/1"
FIELDS = ("actor", "at", "body", "chain", "command", "hash", "kind", "law", "role", "seq", "step", "stream", "version")
TEXTS = ("actor", "at", "chain", "command", "hash", "kind", "law", "role", "stream")
NUMBERS = ("seq", "step", "version")
INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z")
LONGEST_LINE = 4 * 1024 * 1024


class BookFault(Exception):
    """The first thing found wrong: `entry` is the number of the bad entry (1 is the first; n+1 the closing line)."""

    def __init__(self, entry: int, reason: str) -> None:
        super().__init__(f"registro {entry}: {reason}")
        self.entry = entry
        self.reason = reason


def canonical(value: Any) -> str:
    """JSON text with sorted keys and no spaces; floats are refused (ValueError: the book holds none)."""
    _refuse_floats(value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _refuse_floats(value: Any) -> None:
    if isinstance(value, float):
        raise ValueError("the book holds no fractions")
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _refuse_floats(item)


def genesis(chain: str) -> str:
    """The hash that stands before the first entry of a chain."""
    return hashlib.sha256(f"{FORMAT}\n{chain}".encode()).hexdigest()


def entry_hash(previous: str, entry: dict[str, Any]) -> str:
    """Hash of an entry after `previous`; a `hash` field in the entry is left out."""
    bare = {name: value for name, value in entry.items() if name != "hash"}
    return hashlib.sha256(f"{previous}\n{canonical(bare)}".encode()).hexdigest()


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
        _check_entry(record, number, state, versions)
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
    try:
        text = line[:-1].decode("utf-8")
        record = json.loads(text)
    except (ValueError, RecursionError):
        raise BookFault(number, "não é JSON em UTF-8") from None
    if not isinstance(record, dict):
        raise BookFault(number, "não é um registro")
    try:
        same = canonical(record) == text
    except (ValueError, RecursionError):
        same = False
    if not same:
        raise BookFault(number, "não está na forma canônica")
    return record


def _check_entry(record: dict[str, Any], number: int, state: dict[str, Any], versions: dict[str, int]) -> None:
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
        raise BookFault(number, f"é do livro {record['chain']}, este é o {state['chain']}")
    if record["hash"] != entry_hash(state["head"], record):
        raise BookFault(number, "o hash não confere com o conteúdo e o registro anterior")
    if not INSTANT.fullmatch(record["at"]) or record["at"] < state["last_at"]:
        raise BookFault(number, "a hora é anterior à do registro precedente")
    if record["version"] != versions.get(record["stream"], 0) + 1:
        raise BookFault(number, f"a versão de {record['stream']} não é a seguinte")
    versions[record["stream"]] = record["version"]
    state["entries"], state["head"], state["last_at"] = number, record["hash"], record["at"]


def _check_closing(closing: dict[str, Any], number: int, state: dict[str, Any]) -> None:
    if tuple(sorted(closing)) != ("book", "chain", "entries", "head") or closing["book"] != FORMAT:
        raise BookFault(number, "o fecho não é deste formato")
    if number == 1:
        state["chain"] = str(closing["chain"])
        state["head"] = genesis(state["chain"])
    expected = (state["chain"], state["entries"], state["head"])
    if (closing["chain"], closing["entries"], closing["head"]) != expected:
        raise BookFault(number, "o fecho não corresponde aos registros: faltam registros ou sobram")


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
            sys.stderr.write("--head pede 64 dígitos hexadecimais minúsculos\n")
            return 2
    if len(arguments) != 1:
        sys.stderr.write("uso: verificador.py LIVRO.jsonl [--head HASH]\n")
        return 2
    try:
        with open(arguments[0], "rb") as stream:
            found = verify(whole_lines(stream), head)
    except OSError as error:
        sys.stderr.write(f"não foi possível ler {arguments[0]}: {error.strerror}\n")
        return 2
    except BookFault as fault:
        sys.stdout.write(f"LIVRO COM DEFEITO — {fault}\n")
        return 1
    sys.stdout.write(f"LIVRO ÍNTEGRO — {found['chain']}: {found['entries']} registros\n")
    sys.stdout.write(f"hash do último registro: {found['head']}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
