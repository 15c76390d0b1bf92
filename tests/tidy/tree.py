"""The repository as the tidy rules see it: our own text files, read and parsed once."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from pathlib import Path

# Made by tools, by others, or kept as they were recorded: not ours to tidy.
LEFT_ALONE = frozenset(
    {".git", ".venv", "var", "dist", "build", "node_modules", "htmlcov", "__pycache__", "vendor", "golden", "fonts"}
)
TEXT = frozenset(
    {".py", ".js", ".css", ".html", ".txt", ".md", ".toml", ".json", ".yaml", ".yml", ".sh", ".svg", ".xml", ".conf"}
    | {".ini", ".mako", ".service", ".timer"}
)
UNSUFFIXED = frozenset({"Makefile", "LICENSE", ".gitignore", ".editorconfig", "run"})

PURE_ROOTS = frozenset(
    {"acts", "calendars", "clock", "codec", "identity", "law", "machine", "money", "readings", "verifier"}
)


def _is_text(path: str) -> bool:
    return Path(path).suffix in TEXT or Path(path).name in UNSUFFIXED


class Tree:
    """A repository from its root; paths are relative, with slashes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.text = cache(self._text)
        self.nodes = cache(self._nodes)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Every text file of ours."""
        found = []
        for folder, folders, files in os.walk(self.root):
            kept = [name for name in folders if name not in LEFT_ALONE and not name.endswith("_cache")]
            folders[:] = [name for name in kept if not name.startswith(".hypothesis")]
            found += [os.path.relpath(os.path.join(folder, name), self.root) for name in files]
        return tuple(sorted(path.replace(os.sep, "/") for path in found if _is_text(path)))

    def _text(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def _nodes(self, path: str) -> tuple[ast.AST, ...]:
        return tuple(ast.walk(ast.parse(self.text(path), path)))

    def under(self, *tops: str, suffix: str = "") -> Iterator[str]:
        """The files below the folders `tops` (or anywhere), ending with `suffix`."""
        for path in self.paths:
            if (not tops or path.split("/", 1)[0] in tops) and path.endswith(suffix):
                yield path

    def python(self, *tops: str) -> Iterator[tuple[str, tuple[ast.AST, ...]]]:
        """Path and syntax nodes (the module first) of each Python file below `tops` (or anywhere)."""
        for path in self.under(*tops, suffix=".py"):
            yield path, self.nodes(path)

    def lines(self, *tops: str, suffix: str = "") -> Iterator[tuple[str, int, str]]:
        """Path, number and text of each line."""
        for path in self.under(*tops, suffix=suffix):
            for number, line in enumerate(self.text(path).splitlines(), start=1):
                yield path, number, line


def is_pure(path: str) -> bool:
    """Whether the file is one of those that decide: foundations without effects, models and rules."""
    parts = path.removesuffix(".py").split("/")
    if parts[0] != "tender":
        return False
    return parts[1] in PURE_ROOTS or any(part in ("model", "rules") for part in parts[2:])


def functions(nodes: Iterable[ast.AST]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions among the nodes."""
    return (node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def dotted(node: ast.AST) -> str:
    """`a.b.c` for a chain of attributes; calls in between are read as the thing called; else what is known of it."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}".lstrip(".")
    if isinstance(node, ast.Call):
        return dotted(node.func)
    return ""
