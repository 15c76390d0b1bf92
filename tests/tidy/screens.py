"""Tidy rules about templates and static files: nothing dead, nothing inline, nothing fetched from elsewhere."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch

from tests.tidy.tree import Tree

_JINJA_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
_QUOTED = re.compile(r"""["']([^"'\s]+)["']""")
_STYLE_REFERENCE = re.compile(r"""url\(\s*["']?([^"')]+)["']?\s*\)""")


def _shapes(nodes: tuple[ast.AST, ...]) -> Iterator[re.Pattern[str]]:
    """The paths that a module's f-strings can spell, as far as one says more than an ending."""
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            parts = [str(one.value) if isinstance(one, ast.Constant) else None for one in node.values]
            said = re.sub(r"\.\w+$", "", "".join(part or "" for part in parts))
            if len(re.sub(r"\W", "", said)) >= 3:
                yield re.compile("".join(".+" if part is None else re.escape(part) for part in parts))


def _read_together(path: str, texts: set[str]) -> bool:
    """Whether a module reads the whole folder: it names the folder and a pattern such as `*.json`."""
    folder, name = posixpath.split(path)
    return bool({folder, posixpath.basename(folder)} & texts) and any(
        text.startswith("*.") and fnmatch(name, text) for text in texts
    )


def _from_python(tree: Tree, paths: Iterable[str]) -> set[str]:
    """Those of `paths` (below templates/ or static/) that Python names.

    In full, by the file's own name, by an f-string of that shape, by its folder and a slash (`"notices/" + kind`), or
    together with the rest of its folder.
    """
    wanted = {path: posixpath.basename(path) for path in paths}
    found: set[str] = set()
    for _, nodes in tree.python("tender", "migrations"):
        shapes = list(_shapes(nodes))
        constants = (node.value for node in nodes if isinstance(node, ast.Constant))
        texts = {value for value in constants if isinstance(value, str)}
        for path, name in wanted.items():
            named = {path, name, f"{posixpath.dirname(path)}/"} & texts
            if (
                named
                or _read_together(path, texts)
                or any(one.fullmatch(path) or one.fullmatch(name) for one in shapes)
            ):
                found.add(path)
    return found


def _named_in(text: str, source: str) -> set[str]:
    """The paths that a template, script or style names, also relative to its own folder, also below /static/."""
    named = {*_QUOTED.findall(text), *_STYLE_REFERENCE.findall(text)}
    folder = posixpath.dirname(source)
    relative = {posixpath.normpath(posixpath.join(folder, one)) for one in named}
    return {one.split("?")[0].removeprefix("/").removeprefix("static/") for one in named | relative}


def _alive_templates(tree: Tree) -> set[str]:
    every = {path.removeprefix("templates/") for path in tree.under("templates")}
    alive, fresh = set(), _from_python(tree, every)
    while fresh:
        alive |= fresh
        named = {one for path in fresh for one in _QUOTED.findall(tree.text(f"templates/{path}"))}
        fresh = (named & every) - alive
    return alive


def no_dead_templates(tree: Tree) -> Iterator[str]:
    """Every template is rendered by Python, or extended, included or imported by one that is."""
    alive = _alive_templates(tree)
    for path in tree.under("templates"):
        if path.removeprefix("templates/") not in alive:
            yield f"{path}: nobody renders, extends, includes or imports it"


def no_dead_static_files(tree: Tree) -> Iterator[str]:
    """Every static file is named by a living template, by Python, or by another living script or style."""
    every = {path.relative_to(tree.root / "static").as_posix() for path in (tree.root / "static").rglob("*.*")}
    every = {path for path in every if (tree.root / "static" / path).is_file() and "LICENSE" not in path}
    fresh = _from_python(tree, every)
    for template in _alive_templates(tree):
        fresh |= _named_in(tree.text(f"templates/{template}"), template) & every
    alive: set[str] = set()
    while fresh:
        alive |= fresh
        texts = {one: tree.text(f"static/{one}") for one in fresh if one.endswith((".js", ".css", ".svg"))}
        fresh = {one for source, text in texts.items() for one in _named_in(text, source)} & every - alive
    for path in sorted(every - alive):
        yield f"static/{path}: nobody asks for it"


_EVENTS = (
    "abort|animation\\w+|before\\w+|blur|cancel|change|click|close|contextmenu|copy|cut|dblclick|drag\\w*|drop|ended|error"
    "|focus\\w*|hashchange|input|invalid|key\\w+|load\\w*|message|mouse\\w+|paste|play|pointer\\w+|popstate|reset|resize"
    "|scroll|select|storage|submit|toggle|touch\\w+|transition\\w+|unload|wheel"
)
_INLINE = re.compile(
    rf"""<style\b|\sstyle\s*=\s*["']|\son(?:{_EVENTS})\s*=\s*["']|["']javascript:|<script\b(?![^>]*\bsrc\s*=)"""
    r"""(?![^>]*type\s*=\s*["']application/(?:ld\+)?json["'])""",
    re.IGNORECASE,
)


def _without_comments(text: str) -> str:
    return _JINJA_COMMENT.sub(lambda comment: "\n" * comment.group().count("\n"), text)


def pages_carry_no_inline_code(tree: Tree) -> Iterator[str]:
    """The Content Security Policy refuses inline scripts and styles, so there are none (data in JSON is no script)."""
    for path in tree.under("templates", suffix=".html"):
        text = _without_comments(tree.text(path))
        for found in _INLINE.finditer(text):
            yield f"{path}:{text.count(chr(10), 0, found.start()) + 1}: {found.group().strip()}"


# Where a page may lead by a link; nothing is ever loaded from there.
OUTSIDE = {
    "www.planalto.gov.br": "the text of the federal laws",
    "www.gov.br": "federal services and portals",
    "pncp.gov.br": "where editais must be published (art. 54, Lei nº 14.133)",
    "arapora.mg.gov.br": "the municipality",
    "www.arapora.mg.gov.br": "the municipality",
    "validar.iti.gov.br": "where anyone checks a signature of ICP-Brasil",
}
NAMESPACES = ("http://www.w3.org/",)  # names in XML, never fetched
_ADDRESS = re.compile(
    r"""(?P<how>\w+\s*=\s*["']?|url\(["']?)?(?P<url>(?:https?:|(?<=["'(]))//[\w.-]+\.\w+[^\s"'<>)]*)"""
)


def pages_lead_outside_only_to_known_places(tree: Tree) -> Iterator[str]:
    """Links lead to official places only; scripts, styles, fonts and pictures come from this house only."""
    for path, number, line in tree.lines("templates", "static"):
        if path.endswith(".json"):
            continue
        for found in _ADDRESS.finditer(line):
            url, how = found["url"], (found["how"] or "").split("=")[0].strip()
            host = url.split("//")[1].split("/")[0]
            if url.startswith(NAMESPACES) or (
                host in OUTSIDE and path.endswith((".html", ".txt")) and how in ("href", "")
            ):
                continue
            yield f"{path}:{number}: {url}"
