"""The command line: the book out of a database, checked, and everything else made again from it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Engine, select, text

from tender import verifier
from tender.clerk import proposals
from tender.cli import main
from tender.ledger import open_engine, reading, writing
from tender.schema import upgrade
from tests.books import BOOK, CHAIN, NOON, SECOND, book, draft, exported, filled, record, sealed
from tests.machine import free_port
from tests.test_settings import ENV


@pytest.fixture
def engine(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """A migrated, empty database, which the environment names."""
    for name, value in {**ENV, "TENDER_DATABASE_URL": database_url}.items():
        monkeypatch.setenv(name, value)
    opened = open_engine(database_url)
    upgrade(opened)
    yield opened
    opened.dispose()


def waiting(engine: Engine) -> list[str]:
    """The proposals that wait for another member: computed from the book."""
    with reading(engine) as tx:
        return list(tx.execute(select(proposals.c.digest).order_by(proposals.c.seq)).scalars())


# --- export, verify --------------------------------------------------------------------------------------------------


def test_a_book_is_exported_to_the_byte_and_verified(
    engine: Engine, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    entries = filled(engine, 5)
    assert main(["export", CHAIN]) == 0
    out, wrong = capfdbinary.readouterr()
    assert (out, wrong) == (b"".join(exported(engine)), b"")
    file = tmp_path / "livro.jsonl"
    file.write_bytes(out)
    assert main(["verify", str(file)]) == 0
    assert main(["verify", str(file), "--head", entries[2].hash]) == 0
    assert main(["verify", f"--head={entries[4].hash}", str(file)]) == 0
    said = capfdbinary.readouterr().out.decode()
    assert said == f"LIVRO ÍNTEGRO — {CHAIN}: 5 registros\nhash do último registro: {entries[4].hash}\n" * 3


def test_a_book_that_is_not_there_is_said_and_nothing_is_exported(
    engine: Engine, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["export", CHAIN]) == 1
    assert capfdbinary.readouterr() == (b"", f"Não há livro {CHAIN}. Há: nenhum.\n".encode())
    filled(engine)
    with writing(engine) as tx:
        BOOK.append(tx, "permits", [draft(1, stream="permit/1")])
    for wrong in ("edital/002-2027", "001-2027", "Permits", ""):
        assert main(["export", wrong]) == 1
        said = f"Não há livro {wrong}. Há: {CHAIN}, permits.\n"
        assert capfdbinary.readouterr() == (b"", said.encode())
    assert main(["export", "permits"]) == 0


def test_a_database_without_tables_has_no_book(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {**ENV, "TENDER_DATABASE_URL": sqlite_url}.items():
        monkeypatch.setenv(name, value)
    assert main(["export", CHAIN]) == 1
    assert capsys.readouterr().err == f"Não há livro {CHAIN}. Há: nenhum.\n"
    assert main(["rebuild"]) == 1
    assert "tender db upgrade" in capsys.readouterr().err


def test_a_bad_book_is_1_and_a_misuse_is_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "livro.jsonl"
    entries = sealed(record(n) for n in (1, 2, 3))
    file.write_bytes(b"".join(book([*entries[:1], *entries[2:]])))
    assert main(["verify", str(file)]) == 1
    assert capsys.readouterr().out.startswith("LIVRO COM DEFEITO — registro 2: ")
    file.write_bytes(b"".join(book(entries)))
    assert main(["verify", str(file), "--head", verifier.genesis(CHAIN)]) == 1
    assert main(["verify", str(tmp_path / "outro.jsonl")]) == 2
    # A shell hands in nothing where a variable is not set: that may not pass for a check.
    for head in ("", "abc"):
        assert main(["verify", str(file), "--head", head]) == 2
        assert capsys.readouterr().err.endswith("--head pede 64 dígitos hexadecimais minúsculos\n")
    with pytest.raises(SystemExit) as left:
        main(["verify"])
    assert left.value.code == 2


def test_the_command_runs_as_a_program(tmp_path: Path) -> None:
    file = tmp_path / "livro.jsonl"
    file.write_bytes(b"".join(book(sealed(record(n) for n in (1, 2)))))
    done = subprocess.run(
        [sys.executable, "-m", "tender.cli", "verify", str(file)], capture_output=True, cwd=Path(__file__).parent.parent
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().startswith(f"LIVRO ÍNTEGRO — {CHAIN}: 2 registros\n")


# --- rebuild ---------------------------------------------------------------------------------------------------------


def test_what_is_computed_is_made_again_from_the_book(engine: Engine, capsys: pytest.CaptureFixture[str]) -> None:
    filled(engine, 3)
    with writing(engine) as tx:
        BOOK.append(tx, "permits", [replace(draft(4, NOON + 9 * SECOND, "permit/1"), version=1)])
    expected = [f"{n:064x}" for n in (1, 2, 3, 4)]
    assert waiting(engine) == []
    assert main(["rebuild"]) == 0
    assert capsys.readouterr().out == "Refeito a partir de 4 registros do livro.\n"
    assert sorted(waiting(engine)) == expected
    lines = exported(engine)
    with writing(engine) as tx:
        tx.execute(text("UPDATE proposals SET content = 'forjado'"))
        tx.execute(text("DELETE FROM proposals WHERE seq = 2"))
    assert main(["rebuild"]) == 0
    assert sorted(waiting(engine)) == expected
    with reading(engine) as tx:
        assert "forjado" not in set(tx.execute(select(proposals.c.content)).scalars())
    assert exported(engine) == lines


# --- settings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [["export", CHAIN], ["rebuild"], ["db", "upgrade"]], ids=" ".join)
def test_a_command_that_needs_settings_names_what_is_missing(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ENV:
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SystemExit) as left:
        main(command)
    assert left.value.code == 2
    out, said = capsys.readouterr()
    assert out == ""
    assert "Falta a variável TENDER_DATABASE_URL (exemplo: postgresql+psycopg:///tender)." in said.splitlines()


def test_a_database_that_is_not_ready_is_said_without_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in (tmp_path / "vazio.db", tmp_path / "nao-existe" / "tender.db"):
        for variable, value in {**ENV, "TENDER_DATABASE_URL": f"sqlite:///{name}"}.items():
            monkeypatch.setenv(variable, value)
        assert main(["user", "list"]) == 1
        said = capsys.readouterr().err
        assert "TENDER_DATABASE_URL" in said
        assert "tender db upgrade" in said


def test_a_demonstration_that_cannot_write_or_has_no_such_port_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ocupado").write_text("um arquivo, não uma pasta", "utf-8")
    assert main(["demo", "--port", str(free_port()), "--data", str(tmp_path / "ocupado" / "demo")]) == 1
    assert "ocupado" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["demo", "--port", "99999"])
    assert "de 1 a 65535" in capsys.readouterr().err


def test_no_command_is_answered_with_the_list_of_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "confere um livro exportado" in capsys.readouterr().out
