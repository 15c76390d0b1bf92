"""Tidy rules about words: one word per thing, nothing left to do, nothing of this machine."""

from __future__ import annotations

import ast
import configparser
import os
import posixpath
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from tests.tidy.tree import Tree

# The glossary's last column, as far as the word has no second honest meaning; the right word beside it.
NEVER = {
    "tender_doc": "edital", "auction_type": "regime", "agency": "secretariat", "auctioneer": "pregoeiro",
    "committee": "commission", "candidate": "applicant", "individual": "natural", "participant": "bidder",
    "player": "bidder", "lot": "stand", "spot": "stand", "slot": "place", "qualification": "habilitation",
    "criterion": "requirement", "criteria": "requirement", "overtime": "extension",
    "winner": "awardee", "invite": "call", "invitation": "call", "waiver": "desistencia", "undo": "withdraw_bid",
    "licensee": "holder", "renewal": "annual_proof", "sale": "transfer", "violation": "infraction",
    "sanction": "penalty", "ban": "bar or impediment", "complaint": "appeal or challenge", "workday": "business_day",
    "office_hours": "expediente", "acceptance_minutes": "ata",
}  # fmt: skip

# Names that use such a word in its other, honest meaning, each with the reason.
MEANT = {
    "violations": "axe's and the Content Security Policy's own word for what they find on a page",
}

_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SCRIPT_NAMES = re.compile(r"\b(?:function|class|const|let|var)\s+([A-Za-z_$][\w$]*)")


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def forbidden_word(name: str) -> tuple[str, str] | None:
    """The forbidden word in an identifier and the right one, if there is any."""
    if name in MEANT or (name.startswith("__") and name.endswith("__")):
        return None
    words = [_singular(part.lower()) for part in _CAMEL.findall(name)]
    spoken = f"_{'_'.join(words)}_"
    return next(((never, right) for never, right in NEVER.items() if f"_{_singular(never)}_" in spoken), None)


def _names(nodes: tuple[ast.AST, ...]) -> Iterator[tuple[int, str]]:
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr
        elif isinstance(node, ast.alias) and node.asname:
            yield node.lineno, node.asname


def one_word_per_thing(tree: Tree) -> Iterator[str]:
    """No name we give uses a word that the glossary forbids: not a module, a class, a function, a variable."""
    found: list[tuple[str, int, str]] = []
    for path, nodes in tree.python():
        found += [(path, line, name) for line, name in _names(nodes)]
    for path, line, text in tree.lines("static", suffix=".js"):
        found += [(path, line, name) for name in _SCRIPT_NAMES.findall(text)]
    found += [(path, 0, Path(path).stem) for path in tree.under("tender", "templates", "static", "tests", "migrations")]
    for path, line, name in found:
        if wrong := forbidden_word(name):
            yield f"{path}:{line}: {name} says {wrong[0]!r}; the word is {wrong[1]!r}"


_IN_CODE = re.compile(r"\b(TO[D]O|FIX[M]E|HA[C]K)\b|(?<![\w.\-])X{3}(?![\w.\-])")
_IN_PROSE = re.compile(r"\b(TO[D]O|FIX[M]E)[:(]")  # in Portuguese the first also means "all of it"


def nothing_is_left_to_do(tree: Tree) -> Iterator[str]:
    """What is not done is an issue, not a comment."""
    for path, number, line in tree.lines():
        rule = _IN_PROSE if path.endswith((".md", ".html", ".txt", ".json")) else _IN_CODE
        if left := rule.search(line):
            yield f"{path}:{number}: {left.group()}"


_LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)[^)]*\)")


def every_page_of_prose_can_be_reached(tree: Tree) -> Iterator[str]:
    """Links between our Markdown pages lead somewhere, and docs/README.md leads to every page of docs/."""
    led_to: set[str] = set()
    for path, number, line in tree.lines(suffix=".md"):
        for link in _LINK.findall(line):
            goal = posixpath.normpath(posixpath.join(posixpath.dirname(path), link))
            led_to |= {goal} if path == "docs/README.md" else set()
            if not (tree.root / goal).exists():
                yield f"{path}:{number}: leads to {link}, which is not there"
    for path in tree.under("docs", suffix=".md"):
        if path not in led_to | {"docs/README.md"}:
            yield f"{path}: docs/README.md does not lead to it"


_PIP_SETTINGS = (
    "/etc/pip.conf", "/etc/xdg/pip/pip.conf", "~/.pip/pip.conf", "~/.config/pip/pip.conf",
    "~/Library/Application Support/pip/pip.conf",
)  # fmt: skip


@cache
def registry_hosts() -> frozenset[str]:
    """The hosts from which this machine gets packages, as far as its settings say."""
    addresses = [
        value for name, value in os.environ.items() if re.fullmatch(r"(PIP|UV|NPM)_.*(INDEX|REGISTRY).*", name)
    ]
    for file in _PIP_SETTINGS:
        settings = configparser.RawConfigParser(strict=False)
        settings.read(Path(file).expanduser())
        addresses += [
            settings[part][key] for part in settings.sections() for key in settings[part] if "index-url" in key
        ]
    npm = Path("~/.npmrc").expanduser()
    addresses += re.findall(r"registry\s*=\s*(\S+)", npm.read_text()) if npm.exists() else []
    return frozenset(host for one in addresses for url in one.split() if (host := urlsplit(url).hostname))


_SOMEONES_HOME = re.compile(r"(?<![\w.])/(?:home|Users)/\w+|(?<![\w.])/ro[o]t/|\b[A-Z]:\\\\?Users")
_PUBLIC_REGISTRIES = re.compile(r"\b(?:pypi\.(?:org|python\.org)|pythonhosted\.org|registry\.npmjs\.org)\b")


def nothing_of_this_machine(tree: Tree) -> Iterator[str]:
    """No path of somebody's machine and no address of a package registry is written down."""
    here = re.escape(str(tree.root)) + r"(?![\w-])"
    hosts = [re.escape(host) for host in registry_hosts()]
    rule = re.compile("|".join([here, _SOMEONES_HOME.pattern, _PUBLIC_REGISTRIES.pattern, *hosts]))
    for path, number, line in tree.lines():
        if found := rule.search(line):
            yield f"{path}:{number}: {found.group()}"
