"""The wheel carries everything that the repository's root folders hold, and nothing that is not the program's."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
OFFLINE = ["--no-deps", "--no-index", "--no-cache-dir"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this repository, built from the build tools that the lock brought."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [*PIP, "wheel", *OFFLINE, "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True)
    (built,) = folder.glob("tender-*.whl")
    return built


def root_files(folder: str) -> set[str]:
    """The files that the repository has in a folder, tools' leavings apart."""
    files = (file for file in (ROOT / folder).rglob("*") if file.is_file() and "__pycache__" not in file.parts)
    return {file.relative_to(ROOT).as_posix() for file in files}


@pytest.mark.parametrize("folder", ["templates", "static", "migrations"])
def test_the_wheel_carries_a_root_folder_whole(folder: str, wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        carried = {name.removeprefix("tender/_share/") for name in archive.namelist() if "/_share/" in name}
    assert root_files(folder)
    assert {name for name in carried if name.startswith(f"{folder}/")} == root_files(folder)


def test_the_wheel_carries_the_package_and_no_tests(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.startswith("tender/_share/")}
    package = {name for name in names if name.startswith("tender/")}
    assert package == root_files("tender")
    assert {name.split("/")[0].split("-")[0] for name in names} == {"tender"}
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_an_installed_wheel_stands_alone(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "site"
    subprocess.run([*PIP, "install", *OFFLINE, "--no-compile", "--target", str(home), str(wheel)], check=True)
    ask = (
        f"import sys; sys.path.insert(0, {str(home)!r}); import pathlib, tender;"
        "share = pathlib.Path(tender.__file__).parent / '_share';"
        "print(share.parent.parent, (share / 'static/vendor/socket.io.min.js').exists())"
    )
    done = subprocess.run([sys.executable, "-c", ask], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout.split() == [str(home), "True"]
