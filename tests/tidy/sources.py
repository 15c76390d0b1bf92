"""Tidy rules about Python: size, hour, money, print, docstrings, imports, tests that look away."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from typing import TypeGuard

from tests.tidy.tree import Tree, dotted, functions, is_pure

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60
# A migration is a record of what was done once, in one go, and is never edited.
RECORDED = "migrations/versions/"
WRITTEN = (".py", ".js", ".css", ".html", ".sh", ".toml", "Makefile", ".ci/run")


def files_fit_in_a_sitting(tree: Tree) -> Iterator[str]:
    """No file of code, style or page is longer than 400 lines."""
    for path in tree.paths:
        length = len(tree.text(path).splitlines()) if path.endswith(WRITTEN) else 0
        if length > FILE_LINES_MAX and not path.startswith(RECORDED):
            yield f"{path}: {length} lines, at most {FILE_LINES_MAX}"


def functions_fit_on_a_screen(tree: Tree) -> Iterator[str]:
    """No function is longer than 60 lines, its docstring included."""
    for path, nodes in tree.python():
        for function in functions(nodes):
            length = (function.end_lineno or function.lineno) - function.lineno + 1
            if length > FUNCTION_LINES_MAX and not path.startswith(RECORDED):
                yield f"{path}:{function.lineno}: {function.name} has {length} lines, at most {FUNCTION_LINES_MAX}"


JUNK_DRAWERS = re.compile(r"^(utils?|helpers?|commons?|shared|services?|managers?|misc|stuff|tools?)(\.|$)")


def no_junk_drawers(tree: Tree) -> Iterator[str]:
    """No module or folder is called after nothing: if a function has no home, the subject is missing a word."""
    for path in tree.under("tender", "tests", "static", "templates", "bench", "migrations"):
        for part in path.split("/"):
            if JUNK_DRAWERS.match(part.removeprefix("test_")):
                yield f"{path}: nothing is called {part!r}"


CALLS_FOR_THE_HOUR = ("now", "utcnow", "today", "localtime", "gmtime", "time_ns")


def only_the_clock_knows_the_hour(tree: Tree) -> Iterator[str]:
    """Nobody but tender/clock.py asks the machine or the database what time it is; measuring lengths is free."""
    for path, nodes in tree.python("tender"):
        if path == "tender/clock.py":
            continue
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and node.module == "time":
                named = {alias.name for alias in node.names} & {"time", *CALLS_FOR_THE_HOUR}
                if named:
                    yield f"{path}:{node.lineno}: takes {', '.join(sorted(named))} from time; ask a Clock"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                asked, whom = node.func.attr, dotted(node.func.value)
                if "clock" in whom.lower() or whom == "self":  # a method of one's own is judged where it is written
                    continue
                if asked in CALLS_FOR_THE_HOUR or (whom, asked) == ("time", "time"):
                    yield f"{path}:{node.lineno}: {whom}.{asked}() is not a Clock"


COUNTS_MONEY = re.compile(r"^tender/((money|acts|codec|process)\.py|\w+/(model|rules|reads|forms)(\.py|/.*))$")
DRAWS = re.compile(r"^tender/(letterhead|\w+/papers)(\.py|/)")  # a place on a page is no amount
MONEY = re.compile(r"centavos|money|price|amount|(^|_)brl(_|$)", re.IGNORECASE)


def _speaks_of_money(node: ast.AST) -> bool:
    named = (part.id if isinstance(part, ast.Name) else getattr(part, "attr", "") for part in ast.walk(node))
    return any(MONEY.search(name) for name in named)


def money_is_whole(tree: Tree) -> Iterator[str]:
    """No float where money is counted, and nowhere a float or a division of money, but to draw it."""
    for path, nodes in tree.python("tender"):
        for node in nodes:
            counted = COUNTS_MONEY.match(path)
            if isinstance(node, ast.Constant) and isinstance(node.value, float) and counted:
                yield f"{path}:{node.lineno}: the float {node.value}"
            elif isinstance(node, ast.Call) and dotted(node.func) == "float" and (counted or _speaks_of_money(node)):
                yield f"{path}:{node.lineno}: a call of float()"
            elif _divides(node) and _speaks_of_money(node) and not DRAWS.match(path):
                yield f"{path}:{node.lineno}: money is split with Money.split or //, not divided"


def _divides(node: ast.AST) -> TypeGuard[ast.BinOp | ast.AugAssign]:
    if not isinstance(node, ast.BinOp | ast.AugAssign) or not isinstance(node.op, ast.Div):
        return False
    # Where a text is among the parts, the slash is pathlib's.
    return not any(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in ast.walk(node))


def only_the_command_line_prints(tree: Tree) -> Iterator[str]:
    """print() is for tender/cli.py; everybody else answers, or writes to the structured log."""
    for path, nodes in tree.python("tender"):
        for node in nodes:
            if isinstance(node, ast.Call) and dotted(node.func) == "print" and path != "tender/cli.py":
                yield f"{path}:{node.lineno}: print()"


def _module(nodes: tuple[ast.AST, ...]) -> ast.Module:
    (first, *_) = nodes
    assert isinstance(first, ast.Module)
    return first


def every_module_says_what_it_is_for(tree: Tree) -> Iterator[str]:
    """Every Python file begins with a docstring."""
    for path, nodes in tree.python():
        if not ast.get_docstring(_module(nodes)):
            yield f"{path}: no docstring"


def _says_all_itself(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    decorators = {dotted(one).split(".")[-1] for one in function.decorator_list}
    return "overload" in decorators or ("property" in decorators and len(function.body) == 1)


def every_rule_says_what_it_does(tree: Tree) -> Iterator[str]:
    """Every public function and method of the modules that decide has a docstring.

    A method of several classes of a module is explained once (in the protocol), a property of one line is its own text.
    """
    for path, nodes in tree.python("tender"):
        if not is_pure(path):
            continue
        top = _module(nodes).body
        public = [node for node in top if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
        every = [*top, *(member for one in public for member in one.body)]
        defined = [node for node in every if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        explained = {node.name for node in defined if ast.get_docstring(node) or _says_all_itself(node)}
        for node in defined:
            if not node.name.startswith("_") and node.name not in explained:
                yield f"{path}:{node.lineno}: {node.name} has no docstring"


LOOKS_AWAY = re.compile(r"^(pytest|mark|pytest\.mark|unittest)\.(skip\w*|xfail|importorskip|expectedFailure)$")


def no_test_looks_away(tree: Tree) -> Iterator[str]:
    """No test is skipped, expected to fail, asserts nothing or sleeps a second away."""
    for path, nodes in tree.python("tests"):
        for node in nodes:
            if isinstance(node, ast.Attribute) and LOOKS_AWAY.match(dotted(node)):
                yield f"{path}:{node.lineno}: {dotted(node)}"
            elif isinstance(node, ast.Assert) and isinstance(node.test, ast.Constant) and node.test.value:
                yield f"{path}:{node.lineno}: an assertion that cannot fail"
            elif isinstance(node, ast.Call) and dotted(node.func).endswith("sleep") and node.args:
                length = node.args[0]
                if isinstance(length, ast.Constant) and isinstance(length.value, int | float) and length.value >= 1:
                    yield f"{path}:{node.lineno}: sleeps {length.value} s; wait for what must happen instead"


# Packages that are the public interface of one that is declared.
COMES_WITH = {
    "werkzeug": "flask", "jinja2": "flask", "markupsafe": "flask", "itsdangerous": "flask", "click": "flask",
    "blinker": "flask", "python-socketio": "flask-socketio", "python-engineio": "flask-socketio",
    "greenlet": "gevent", "asn1crypto": "pyhanko", "limits": "flask-limiter", "pluggy": "pytest",
    "grimp": "import-linter", "coverage": "pytest-cov",
}  # fmt: skip
DEVELOPS = ("dev", "build")


def _plain(requirement: str) -> str:
    return re.split(r"[\s\[<>=!~;]", requirement, maxsplit=1)[0].lower().replace("_", "-")


def _declared(tree: Tree) -> tuple[set[str], set[str]]:
    project = tomllib.loads(tree.text("pyproject.toml"))["project"]
    extras = project.get("optional-dependencies", {})
    runs = {_plain(one) for one in project["dependencies"]}
    runs |= {_plain(one) for name, listed in extras.items() if name not in DEVELOPS for one in listed}
    return runs, runs | {_plain(one) for name in DEVELOPS for one in extras.get(name, ())}


@cache
def _distributions() -> dict[str, set[str]]:
    return {name: {_plain(one) for one in found} for name, found in packages_distributions().items()}


def every_import_is_declared(tree: Tree) -> Iterator[str]:
    """What the program imports is a dependency in pyproject.toml, so that a fresh clone has it too."""
    runs, develops = _declared(tree)
    ours = {"tender", "tests", "bench", "migrations"}
    for path, nodes in tree.python("tender", "migrations", "tests", "bench"):
        allowed = runs if path.startswith(("tender/", "migrations/")) else develops
        for node in nodes:
            if isinstance(node, ast.Import):
                tops = {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                tops = {node.module.split(".")[0]}
            else:
                continue
            for top in sorted(tops - ours - sys.stdlib_module_names):
                homes = _distributions().get(top, {top})
                if not allowed & (homes | {COMES_WITH.get(home, home) for home in homes}):
                    yield f"{path}:{node.lineno}: imports {top}, which pyproject.toml does not declare"
