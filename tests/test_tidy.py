"""The house rules hold here, and each of them fires when it is broken and is quiet about what merely looks like it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.tidy import RULES, Rule, screens, sources, words
from tests.tidy.tree import Tree

ROOT = Path(__file__).parent.parent
DOC = '"""A module."""\n'
# Put together here, so that these lines do not break the rules themselves.
LATER, MEND, SOMEONES, REGISTRY = "TO" + "DO", "FIX" + "ME", "/ho" + "me/ana", "py" + "pi.org"


@cache
def repository() -> Tree:
    """This repository, read once for all rules."""
    return Tree(ROOT)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_repository_is_tidy(rule: Rule) -> None:
    found = list(rule(repository()))
    assert not found, "\n".join(["", *found])


def planted(root: Path, files: dict[str, str]) -> Tree:
    """A repository in `root` with these files."""
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return Tree(root)


def a_function(lines: int) -> str:
    """A module with one function of so many lines."""
    return DOC + "def act():\n" + "    x = 1\n" * (lines - 1)


PROJECT = """[project]
dependencies = ["flask>=3.1,<4"]
[project.optional-dependencies]
redis = ["redis>=8"]
dev = ["pytest>=9"]
"""
RENDERS = DOC + 'render_template("room.html")\n'
SCRIPT = "<script type='module' src='/static/room.js'></script>"
DATA = "<script type='application/json'>{}</script>"
INLINE = (
    "<script>go()</script>",
    "<style>p{}</style>",
    "<p style='color:red'>",
    '<button class="b" onclick="go()">',
    '<a href="javascript:go()">',
)

# rule, what breaks it, what it says, what merely looks like it
SEEDS: tuple[tuple[Rule, dict[str, str], str, dict[str, str]], ...] = (
    (
        sources.files_fit_in_a_sitting,
        {"static/room.js": "x\n" * 401},
        "static/room.js: 401 lines",
        {"static/room.js": "x\n" * 400, "static/vendor/io.js": "x\n" * 9000, "docs/manual.md": "x\n" * 900},
    ),
    (
        sources.functions_fit_on_a_screen,
        {"tender/a.py": a_function(61)},
        "act has 61 lines",
        {"tender/a.py": a_function(60), "migrations/versions/0001_all.py": a_function(90)},
    ),
    (
        sources.no_junk_drawers,
        {"tender/bidding/helpers.py": DOC},
        "nothing is called 'helpers.py'",
        {"tender/bidding/helpful.py": DOC, "deploy/tender.service": ""},
    ),
    (
        sources.no_junk_drawers,
        {"tests/test_utils.py": DOC},
        "nothing is called 'test_utils.py'",
        {"tests/test_utility_bills.py": DOC},
    ),
    (
        sources.only_the_clock_knows_the_hour,
        {"tender/desk.py": "from datetime import datetime, UTC\nx = datetime.now(UTC)\n"},
        "tender/desk.py:2: datetime.now()",
        {
            "tender/clock.py": "x = datetime.now(UTC)\n",
            "tender/desk.py": "y = self.clock.now()\nz = self.now()\nw = turn.now\n",
        },
    ),
    (
        sources.only_the_clock_knows_the_hour,
        {"tender/desk.py": "import time\nx = time.time()\n"},
        "time.time() is not a Clock",
        {"tender/desk.py": "import time\nx = time.monotonic()\ntime.sleep(0.1)\n"},
    ),
    (
        sources.only_the_clock_knows_the_hour,
        {"tender/reads.py": "from time import time\n"},
        "takes time from time",
        {"tender/reads.py": "from time import monotonic\n"},
    ),
    (
        sources.only_the_clock_knows_the_hour,
        {"tender/reads.py": "query = select(func.now())\n"},
        "func.now() is not a Clock",
        {"tender/reads.py": "query = select(func.count())\n"},
    ),
    (
        sources.money_is_whole,
        {"tender/bidding/rules.py": "step = 1.5\n"},
        "the float 1.5",
        {"tender/bidding/rules.py": "step = 150\n", "tender/bidding/live.py": "patience = 1.5\n"},
    ),
    (
        sources.money_is_whole,
        {"tender/letterhead.py": "x = float(bid.amount_centavos)\n"},
        "a call of float()",
        {"tender/letterhead.py": "x = float(width)\n"},
    ),
    (
        sources.money_is_whole,
        {"tender/app.py": "x = price / 3\n"},
        "not divided",
        {
            "tender/app.py": "x = price // 3\ny = folder / 'price.txt'\nz = prices / f'{price}.txt'\n",
            "tender/letterhead/curve.py": "y = price / top\n",
        },
    ),
    (
        sources.only_the_command_line_prints,
        {"tender/desk.py": "print('oi')\n"},
        "tender/desk.py:1: print()",
        {"tender/cli.py": "print('oi')\n", "tests/machine.py": "print('oi')\n"},
    ),
    (
        sources.every_module_says_what_it_is_for,
        {"tender/desk.py": "x = 1\n"},
        "tender/desk.py: no docstring",
        {"tender/desk.py": DOC},
    ),
    (
        sources.every_rule_says_what_it_does,
        {"tender/bidding/rules/contest.py": "def place_bid(): return 1\n"},
        "place_bid has no docstring",
        {"tender/bidding/reads.py": "def bids(): return 1\n", "tender/money.py": "def _halve(): return 1\n"},
    ),
    (
        sources.every_rule_says_what_it_does,
        {"tender/money.py": "class Money:\n    def split(self): return 1\n"},
        "split has no docstring",
        {
            "tender/money.py": "class Money:\n    @property\n    def is_zero(self): return 1\n",
            "tender/clock.py": "class A:\n    def now(self):\n        'Now.'\nclass B:\n    def now(self): return 1\n",
        },
    ),
    (
        sources.no_test_looks_away,
        {"tests/test_a.py": "import pytest\n\n@pytest.mark.skip\ndef test_a(): ...\n"},
        "pytest.mark.skip",
        {"tests/test_a.py": "import pytest\n\n@pytest.mark.slow\ndef test_a(): ...\n"},
    ),
    (
        sources.no_test_looks_away,
        {"tests/test_a.py": "import pytest\nx = pytest.importorskip('redis')\n"},
        "pytest.importorskip",
        {"tests/test_a.py": "import redis\n"},
    ),
    (
        sources.no_test_looks_away,
        {"tests/test_a.py": "assert True\n"},
        "cannot fail",
        {"tests/test_a.py": "assert is_open\n"},
    ),
    (
        sources.no_test_looks_away,
        {"tests/test_a.py": "time.sleep(2)\n"},
        "sleeps 2 s",
        {"tests/test_a.py": "time.sleep(0.02)\n"},
    ),
    (
        sources.every_import_is_declared,
        {"pyproject.toml": PROJECT, "tender/a.py": "import sqlalchemy.orm\n"},
        "imports sqlalchemy",
        {"pyproject.toml": PROJECT, "tender/a.py": "import json, redis\nfrom flask import g\nfrom werkzeug import x\n"},
    ),
    (
        sources.every_import_is_declared,
        {"pyproject.toml": PROJECT, "tender/a.py": "def f():\n    import pytest\n"},
        "imports pytest",
        {"pyproject.toml": PROJECT, "tests/test_a.py": "import pytest\nfrom tender import acts\nfrom . import given\n"},
    ),
    (
        words.one_word_per_thing,
        {"tender/bidding/model.py": "class WinningLots: ...\n"},
        "WinningLots says 'lot'",
        {"tender/bidding/model.py": "class Slotted:\n    __slots__ = ()\nallotment = plot = pilot = 1\n"},
    ),
    (
        words.one_word_per_thing,
        {"tender/edital/terms.py": "def f(officeHours): ...\n"},
        "'expediente'",
        {"tender/edital/terms.py": "def f(office, hours): ...\n"},
    ),
    (
        words.one_word_per_thing,
        {"static/room.js": "const playerName = 1;\n"},
        "playerName says 'player'",
        {"static/room.js": "const displayer = player.name;\n"},
    ),
    (
        words.one_word_per_thing,
        {"templates/bidding/candidates.html": ""},
        "the word is 'applicant'",
        {"tests/browser/test_room.py": "violations = 1\n"},
    ),
    (
        words.nothing_is_left_to_do,
        {"tender/a.py": f"# {LATER} later\n"},
        f"tender/a.py:1: {LATER}",
        {"templates/a.html": f"{LATER} CIDADÃO PODE RECORRER", "tender/a.py": "mask = 'XXX.XXX.XXX-XX'\n"},
    ),
    (
        words.nothing_is_left_to_do,
        {"docs/a.md": f"{MEND}: the rest"},
        "docs/a.md:1",
        {"docs/a.md": "Prefixes and fixes."},
    ),
    (
        words.nothing_of_this_machine,
        {"deploy/run.sh": f"cd {SOMEONES}/tender\n"},
        SOMEONES,
        {"deploy/run.sh": "cd /srv/tender\n", "docs/a.md": f"https://example.org{SOMEONES}\n"},
    ),
    (
        words.nothing_of_this_machine,
        {"requirements.txt": f"--index-url https://{REGISTRY}/simple\n"},
        REGISTRY,
        {"README.md": "Packages come from PyPI.\n"},
    ),
    (
        words.every_page_of_prose_can_be_reached,
        {"README.md": "See [the docs](docs/manual.md)."},
        "README.md:1: leads to docs/manual.md",
        {"docs/README.md": "[the manual](manual.md#top) [a law](https://example.org)", "docs/manual.md": "[a](#top)"},
    ),
    (
        words.every_page_of_prose_can_be_reached,
        {"README.md": "See [the docs](docs/manual.md).", "docs/manual.md": "", "docs/README.md": ""},
        "docs/README.md does not lead to it",
        {"docs/README.md": "[the manual](manual.md)", "docs/manual.md": "[back](README.md)"},
    ),
    (
        screens.no_dead_templates,
        {"tender/a.py": RENDERS, "templates/room.html": "", "templates/old.html": "{% extends 'room.html' %}"},
        "templates/old.html: nobody",
        {
            "tender/a.py": RENDERS + 'x = f"notices/{kind}.txt"\n',
            "templates/room.html": "{% extends '_layout.html' %}",
            "templates/_layout.html": "{% from '_macros.html' import law %}",
            "templates/_macros.html": "",
            "templates/notices/call.txt": "",
        },
    ),
    (
        screens.no_dead_static_files,
        {"tender/a.py": RENDERS, "templates/room.html": SCRIPT, "static/room.js": "", "static/old.css": ""},
        "static/old.css: nobody",
        {
            "tender/a.py": RENDERS + 'x = SHARE / "law" / "lei.json"\n',
            "tender/b.py": DOC + 'x = (STATIC / "calendar").glob("*.json")\n',
            "templates/room.html": SCRIPT,
            "static/room.js": 'import { law } from "./base.js";',
            "static/base.js": 'document.adoptedStyleSheets = "/static/bidding/room.css";',
            "static/bidding/room.css": "@font-face { src: url(../fonts/sans.ttf) }",
            "static/fonts/sans.ttf": "",
            "static/law/lei.json": "{}",
            "static/calendar/arapora.json": "{}",
        },
    ),
    *(
        (
            screens.pages_carry_no_inline_code,
            {"templates/a.html": f"<p>oi</p>\n{inline}"},
            "templates/a.html:2",
            {"templates/a.html": f"{SCRIPT}{{# {inline} #}}{DATA}<p data-style='x'>"},
        )
        for inline in INLINE
    ),
    (
        screens.pages_lead_outside_only_to_known_places,
        {"templates/a.html": '<a href="https://example.com/x">'},
        "https://example.com/x",
        {"templates/a.html": '<a href="https://www.planalto.gov.br/lei"><svg xmlns="http://www.w3.org/2000/svg">'},
    ),
    (
        screens.pages_lead_outside_only_to_known_places,
        {"templates/a.html": '<img src="https://www.planalto.gov.br/a.png">'},
        "a.png",
        {"templates/a.html": '<img src="/static/a.png"> // um comentário'},
    ),
    (
        screens.pages_lead_outside_only_to_known_places,
        {"static/a.css": "@import url(//cdn.example.com/a.css);"},
        "//cdn.example.com/a.css",
        {"static/a.js": "// a comment with a.dot\nfetch('/bids');"},
    ),
)


EACH_SEED = [pytest.param(*seed, id=f"{seed[0].__name__}-{number}") for number, seed in enumerate(SEEDS)]


@pytest.mark.parametrize(("rule", "broken", "says", "fine"), EACH_SEED)
def test_a_rule_fires_on_what_breaks_it_and_only_on_that(
    rule: Rule, broken: dict[str, str], says: str, fine: dict[str, str], tmp_path: Path
) -> None:
    found = list(rule(planted(tmp_path / "broken", broken)))
    assert [line for line in found if says in line] == found != []
    assert list(rule(planted(tmp_path / "fine", fine))) == []


def test_every_rule_has_a_seed() -> None:
    assert {rule for rule, *_ in SEEDS} == set(RULES)


def test_the_repositorys_own_folder_is_a_path_of_this_machine(tmp_path: Path) -> None:
    tree = planted(tmp_path, {"docs/a.md": f"cd {tmp_path}/tender\n", "docs/b.md": f"cd {tmp_path}-other\n"})
    assert list(words.nothing_of_this_machine(tree)) == [f"docs/a.md:1: {tmp_path}"]


def test_a_registry_that_this_machine_is_told_of_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://user:word@packages.example.net/simple")
    words.registry_hosts.cache_clear()
    try:
        tree = planted(tmp_path, {"docs/a.md": "from packages.example.net\n"})
        assert list(words.nothing_of_this_machine(tree)) == ["docs/a.md:1: packages.example.net"]
    finally:
        words.registry_hosts.cache_clear()


def test_what_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    paths = (
        ".venv/a.py",
        "node_modules/a.js",
        "var/a.txt",
        "static/vendor/a.js",
        "tests/golden/a.txt",
        "a.pdf",
        "a.py",
    )
    assert planted(tmp_path, dict.fromkeys(paths, "")).paths == ("a.py",)
