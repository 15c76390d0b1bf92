"""The four import contracts hold, and each of them breaks when a module walks through a wall."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.tidy.tree import PURE_ROOTS

ROOT = Path(__file__).parent.parent

FLOORS = "The building has floors"
ROOMS = "Every chapter has the same rooms"
PURE = "Rules are pure"
PROTECTED = "Only the process calls the rules"
CONTRACTS = {FLOORS, ROOMS, PURE, PROTECTED}

LINT = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True, no_logo=True))"


def linted(folder: Path) -> tuple[int, str]:
    """The linter's exit code and words on the package in `folder` (in its own process: it imports that)."""
    environment = {**os.environ, "COLUMNS": "200", "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", LINT], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def building(tmp_path: Path) -> Path:
    """A copy of the package with its contracts, to walk through walls in."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "tender", tmp_path / "tender", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def room(building: Path, module: str) -> Path:
    """The file of a dotted module name; made, empty, if the building does not have it."""
    place = building.joinpath(*module.split("."))
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    file.touch()
    return file


def test_the_contracts_hold() -> None:
    code, output = linted(ROOT)
    assert code == 0, output
    assert set(re.findall(r"^(.+) KEPT$", output, re.MULTILINE)) == CONTRACTS


@pytest.mark.parametrize(
    ("contract", "importer", "imported"),
    [
        (FLOORS, "tender.ledger", "tender.app"),
        (FLOORS, "tender.settings", "tender.ledger"),
        (FLOORS, "tender.verifier", "tender.settings"),
        (FLOORS, "tender.desk", "tender.web"),
        (FLOORS, "tender.web", "tender.notices"),
        (FLOORS, "tender.bidding.reads", "tender.awards.model"),
        (ROOMS, "tender.awards.model", "tender.awards.reads"),
        (ROOMS, "tender.awards.forms", "tender.awards.papers"),
        (ROOMS, "tender.awards.reads", "tender.awards.rules"),
        (PURE, "tender.bidding.rules", "sqlalchemy"),
        (PURE, "tender.permits.model", "json"),
        (PURE, "tender.money", "random"),
        (PURE, "tender.clock", "time"),
        (PROTECTED, "tender.bidding.pages", "tender.bidding.rules"),
        (PROTECTED, "tender.desk", "tender.awards.rules"),
    ],
)
def test_walking_through_a_wall_is_noticed(contract: str, importer: str, imported: str, building: Path) -> None:
    if imported.startswith("tender."):
        room(building, imported)
    file = room(building, importer)
    file.write_text(f"{file.read_text()}\nimport {imported}\n")
    code, output = linted(building)
    assert code == 1, output
    assert f"{contract} BROKEN" in output
    assert f"{importer} -> {imported}" in output


@pytest.mark.parametrize(
    ("contract", "module"), [(FLOORS, "tender.utils"), (ROOMS, "tender.permits.service"), (ROOMS, "tender.edital.misc")]
)
def test_a_module_without_a_place_is_noticed(contract: str, module: str, building: Path) -> None:
    room(building, module)
    code, output = linted(building)
    assert code == 1, output
    assert f"{contract} BROKEN" in output
    assert f"- {module}" in output


def test_a_wall_is_noticed_through_a_third_room(building: Path) -> None:
    room(building, "tender.bidding.rules").write_text("import tender.bidding.model\n")
    room(building, "tender.bidding.model").write_text("import tender.machine\n")
    room(building, "tender.machine").write_text("import socket\n")
    _, output = linted(building)
    assert f"{PURE} BROKEN" in output
    assert "tender.bidding.rules -> tender.bidding.model" in output


def test_the_lists_of_pure_modules_agree() -> None:
    tools: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    floor = set(re.findall(r"\w+", tools["importlinter"]["contracts"][0]["layers"][-1]))
    strict = {name.split(".")[1] for name in tools["mypy"]["overrides"][0]["module"]} - {"*"}
    covered = {path.split("/")[1].removesuffix(".py") for path in tools["coverage"]["report"]["include"]} - {"*"}
    unable = {name.split(".")[1] for name in tools["importlinter"]["contracts"][2]["source_modules"]} - {"*"}
    assert floor == strict == covered == set(PURE_ROOTS)
    # These two read and write JSON, which is their task; the floors keep everything else from them.
    assert unable == floor - {"codec", "verifier"}
