"""The verifier as the public runs it: one file, nothing but Python beside it, three exit codes, one plain sentence."""

from __future__ import annotations

import ast
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tender import verifier
from tender.verifier import main
from tests.books import CHAIN, book, line, record, sealed

FILE = Path(verifier.__file__)
ENTRIES = sealed(record(n, body={"praça": f"Américo nº {n}"}) for n in (1, 2, 3))
HEAD = ENTRIES[-1]["hash"]


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """A whole book in a file, as somebody has downloaded it."""
    file = tmp_path / "livro nº 1.jsonl"
    file.write_bytes(b"".join(book(ENTRIES)))
    return file


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    """The same with an amount changed in its second entry."""
    file = tmp_path / "outro.jsonl"
    file.write_bytes(b"".join(book(ENTRIES)).replace("Américo nº 2".encode(), "Américo nº 9".encode()))
    return file


def run(*arguments: str | Path, alone: Path = FILE) -> tuple[int, str, str]:
    """The file run by a bare Python: no site packages, no environment, nothing of ours on the path."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(alone), *map(str, arguments)],
        capture_output=True,
        cwd=alone.parent,
        timeout=60,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_a_whole_book_is_0(good: Path) -> None:
    whole = f"LIVRO ÍNTEGRO — {CHAIN}: 3 registros\nhash do último registro: {HEAD}\n"
    assert run(good) == (0, whole, "")
    assert run(good, "--head", HEAD) == (0, whole, "")
    assert run("--head", ENTRIES[0]["hash"], good) == (0, whole, "")


def test_a_bad_book_is_1_and_the_entry_is_named(good: Path, bad: Path) -> None:
    reason = "o hash não confere com o conteúdo e o registro anterior"
    assert run(bad) == (1, f"LIVRO COM DEFEITO — registro 2: {reason}\n", "")
    code, said, _ = run(good, "--head", "0" * 64)
    assert (code, said) == (1, f"LIVRO COM DEFEITO — registro 4: o hash {'0' * 64} não está neste livro\n")
    bad.write_bytes(b"")
    assert run(bad)[:2] == (1, "LIVRO COM DEFEITO — registro 1: falta a linha de fecho: o livro foi cortado\n")


def test_a_misuse_is_2_and_says_how_to_use_it(good: Path, tmp_path: Path) -> None:
    for arguments in ((), (good, good), (good, "--head", HEAD, "--head", HEAD)):
        assert run(*arguments) == (2, "", "uso: verificador.py LIVRO.jsonl [--head HASH]\n")
    for head in ("", "abc", HEAD.upper(), HEAD + "0", HEAD[:-1] + "\n", "0x" + HEAD[2:]):
        assert run(good, "--head", head) == (2, "", "--head pede 64 dígitos hexadecimais minúsculos\n")
    assert run(good, "--head")[0] == 2
    code, said, wrong = run(tmp_path / "falta.jsonl")
    assert (code, said) == (2, "")
    assert wrong.startswith("não foi possível ler ")
    assert run(tmp_path)[0] == 2


def test_the_program_s_own_command_says_the_same(
    good: Path, bad: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments in (
        [good], [bad], [], [good, bad], [tmp_path / "falta.jsonl"], [tmp_path],
        [good, "--head", HEAD], [good, "--head", "0" * 64], [good, "--head", "x"], [good, "--head"],
    ):  # fmt: skip
        assert (main([str(one) for one in arguments]), *capsys.readouterr()) == run(*arguments)


def test_a_copy_under_another_name_anywhere_says_the_same(good: Path, tmp_path: Path) -> None:
    copy = tmp_path / "baixado" / "verificador.py"
    copy.parent.mkdir()
    copy.write_bytes(FILE.read_bytes())
    assert run(good, alone=copy) == run(good)


def test_our_own_modules_beside_it_do_not_stand_in_for_pythons(good: Path) -> None:
    # Without -I Python looks beside the file first, where tender/ has modules of its own.
    done = subprocess.run([sys.executable, str(FILE), str(good)], capture_output=True, cwd=FILE.parent, timeout=60)
    assert done.returncode == 0, done.stderr.decode()


def test_it_imports_nothing_but_pythons_own_library() -> None:
    imported = set()
    for node in ast.walk(ast.parse(FILE.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add(str(node.module).split(".")[0])
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"__import__", "eval", "exec", "compile"}
    assert {"hashlib", "json"} <= imported <= sys.stdlib_module_names | {"__future__"}


def test_it_is_written_in_the_python_it_promises() -> None:
    text = FILE.read_text("utf-8")
    assert "Python (3.9 ou mais novo)" in text
    ast.parse(text, feature_version=(3, 9))
    assert text.startswith("#!/usr/bin/env python3\n")


@pytest.mark.parametrize("encoding", ["ascii", "cp850", "latin-1", "cp1252", "utf-8"])
def test_a_terminal_without_our_letters_does_not_make_a_whole_book_bad(
    encoding: str, good: Path, bad: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(terminal, encoding=encoding, write_through=True))
    assert (main([str(good)]), main([str(bad)])) == (0, 1)
    said = terminal.getvalue().decode(encoding)
    monkeypatch.undo()
    assert f"{CHAIN}: 3 registros" in said
    assert "registro 2: o hash " in said


def test_a_hostile_book_does_not_write_on_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "x\r\x1b[2K\x1b[1;32mLIVRO ÍNTEGRO — edital/001-2027\x1b[8m\u202e" + "y" * 5000
    books = {
        "chain": (0, sealed([record(1, chain=hostile)])),
        "other": (1, [*ENTRIES[:1], *sealed([record(2, chain=hostile)], ENTRIES[0]["hash"])]),
        "stream": (1, sealed([record(1, stream=hostile, version=7)])),
        "command": (1, sealed([record(1, command=hostile, step=-1)])),
        "hour": (1, sealed([record(1, at=hostile)])),
    }
    for name, (code, entries) in books.items():
        file = tmp_path / name
        file.write_bytes(b"".join(book(entries)))
        assert main([str(file)]) == code
        said, wrong = capsys.readouterr()
        assert len(said.splitlines()) == 2 - code
        assert all(sign.isprintable() for sign in said.replace("\n", ""))
        assert len(said) < 300
        assert wrong == ""


def test_a_file_with_a_name_that_is_no_text_is_read_or_said_to_be_missing(tmp_path: Path, good: Path) -> None:
    odd = os.fsencode(tmp_path) + b"/livro-\xe9.jsonl"
    asked = [os.fsencode(sys.executable), b"-I", b"-S", os.fsencode(FILE), odd]
    missing = subprocess.run(asked, capture_output=True, timeout=60)
    assert missing.returncode == 2, missing.stderr
    Path(os.fsdecode(odd)).write_bytes(good.read_bytes())
    assert subprocess.run(asked, capture_output=True, timeout=60).returncode == 0


def test_a_book_of_one_closing_line_alone_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "vazio.jsonl"
    file.write_bytes(
        line({"book": verifier.FORMAT, "chain": "permits", "entries": 0, "head": verifier.genesis("permits")})
    )
    code, said, _ = run(file)
    assert (code, said.splitlines()[0]) == (0, "LIVRO ÍNTEGRO — permits: 0 registros")
