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


# Run beside nothing but the installed wheel and the dependencies.
SERVE_A_PAGE = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tender.app import build_house, create_app
from tender.schema import upgrade
from tender.settings import Settings
house = build_house(Settings.for_tests(Path.cwd()))
upgrade(house.engine)
visitor = create_app(house).test_client()
print(sys.modules["tender"].__file__)
for address in ("/", "/lei", "/static/base.css"):
    with visitor.get(address) as answer:
        print(address, answer.status_code, answer.mimetype, len(answer.data) > 500)
house.engine.dispose()
"""


def test_an_installed_wheel_migrates_its_database_and_serves_its_pages(wheel: Path, tmp_path: Path) -> None:
    site, elsewhere = tmp_path / "site", tmp_path / "elsewhere"
    elsewhere.mkdir()
    subprocess.run([*PIP, "install", *OFFLINE, "--no-compile", "--target", str(site), str(wheel)], check=True)
    done = subprocess.run(
        [sys.executable, "-c", SERVE_A_PAGE, str(site)], cwd=elsewhere, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        str(site / "tender" / "__init__.py"),
        "/ 200 text/html True",
        "/lei 200 text/html True",
        "/static/base.css 200 text/css True",
    ]
