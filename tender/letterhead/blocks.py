"""What stands on a page: bands of text in columns, and what they are made from.

A block knows its height at the full width of the page, draws itself downwards from a given top, and can be cut in
two. Everything made of text is a `Band`: a paragraph has one column, a clause two, a row of a table many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Final, Self

from reportlab.lib.colors import Color
from reportlab.lib.units import mm

from tender.letterhead import parts
from tender.letterhead import typeset as ts
from tender.letterhead.tags import Node
from tender.letterhead.typeset import Line, Run, Style
from tender.letterhead.words import MISSING_SIGNS, NBSP, Ink, bound

if TYPE_CHECKING:
    from tender.letterhead.sheet import Sheet

WIDTH: Final = 178 * mm
TALL: Final = 85 * mm  # a band that may be cut although it would fit on the next page
_GAP: Final = 8 * mm


class Block:
    """Anything that takes height. `before` and `after` are the space it asks for; `keeps_next` holds it to the next."""

    before: float = 0
    after: float = 0
    keeps_next: bool = False
    height: float = 0

    @property
    def least(self) -> float:
        """The smallest first piece worth putting at the foot of a page."""
        return self.height

    def split(self, room: float, *, is_fresh: bool) -> tuple[Block | None, Block | None]:
        """What fits in `room`, and the rest. On a fresh page the first is never None."""
        return (self, None) if is_fresh else (None, self)

    def draw(self, sheet: Sheet, x: float, top: float) -> None:
        raise NotImplementedError


class Break(Block):
    """The end of a page."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A line across the page: decoration, never told to a screen reader."""

    color: Color
    width: float


@dataclass(frozen=True, slots=True)
class SetLine:
    """A line with its style and the element it belongs to."""

    line: Line
    style: Style
    node: Node
    reference: Node | None = None  # owns the numbers of notes at the end of the line


@dataclass(slots=True)
class Column:
    """Lines one under the other, from `x` (points from the left margin)."""

    x: float
    width: float
    lines: list[SetLine]

    @property
    def height(self) -> float:
        return sum(line.style.leading for line in self.lines)

    def cut(self, room: float, at_least: int) -> int:
        """How many lines fit in `room`, leaving no single line alone on either side if `at_least` is 2."""
        fitting, used = 0, 0.0
        for line in self.lines:
            used += line.style.leading
            if used > room + 1e-6:
                break
            fitting += 1
        left = len(self.lines) - fitting
        if left and left < at_least:
            fitting -= at_least - left
        return 0 if fitting < at_least and left else fitting

    def draw(self, sheet: Sheet, x: float, top: float) -> None:
        for (_, style), group in groupby(self.lines, lambda line: (id(line.node), line.style)):
            told = list(group)
            lines = [line.line for line in told]
            node, reference = told[0].node, told[0].reference
            with sheet.tagged(node):
                ts.draw_lines(sheet.canvas, lines, style, x + self.x, top, self.width)
            if reference is not None and any(line.raised for line in lines):
                if reference not in node.kids:
                    node.kids.append(reference)
                with sheet.tagged(reference):
                    ts.draw_raised(sheet.canvas, lines, style, x + self.x, top)
            top -= style.leading * len(lines)


@dataclass(slots=True)
class Band(Block):
    """Columns side by side. Cut line by line; `orphans` lines at least stay together at each cut."""

    columns: list[Column]
    before: float = 0
    after: float = 0
    keeps_next: bool = False
    pad: tuple[float, float] = (0, 0)
    above: Rule | None = None
    below: Rule | None = None
    orphans: int = 2
    height: float = field(init=False)

    def __post_init__(self) -> None:
        self.height = sum(self.pad) + max((column.height for column in self.columns), default=0.0)

    @property
    def least(self) -> float:
        if self.keeps_next:
            return self.height
        tops = [column.lines[: self.orphans] for column in self.columns if len(column.lines) > self.orphans + 1]
        if not tops:
            return self.height
        return self.pad[0] + max(sum(line.style.leading for line in lines) for lines in tops)

    def split(self, room: float, *, is_fresh: bool) -> tuple[Block | None, Block | None]:
        cuts = [column.cut(room - self.pad[0], self.orphans) for column in self.columns]
        if is_fresh and not any(cuts):
            cuts = [max(1, column.cut(room - self.pad[0], 1)) for column in self.columns]
        if not any(cuts):
            return None, self
        if any(len(column.lines) > 0 and cut == 0 for column, cut in zip(self.columns, cuts, strict=True)):
            return None, self
        head = self._piece([column.lines[:cut] for column, cut in zip(self.columns, cuts, strict=True)])
        tail = self._piece([column.lines[cut:] for column, cut in zip(self.columns, cuts, strict=True)])
        head.below = None
        tail.above = None
        return head, tail

    def _piece(self, lines: list[list[SetLine]]) -> Self:
        columns = [replace(column, lines=part) for column, part in zip(self.columns, lines, strict=True)]
        return replace(self, columns=columns)

    def draw(self, sheet: Sheet, x: float, top: float) -> None:
        for rule, y in ((self.above, top), (self.below, top - self.height)):
            if rule is not None:
                sheet.rule(rule, x, y, WIDTH)
        for column in self.columns:
            column.draw(sheet, x, top - self.pad[0])


class Layout:
    """Turns parts into blocks, and hangs their elements under `root` in reading order."""

    def __init__(self, root: Node, ink: Ink) -> None:
        self.root = root
        self.ink = ink

    def lines(
        self, prose: parts.Prose, style: Style, width: float, node: Node, notes: Sequence[int] = ()
    ) -> list[SetLine]:
        """`prose` set in `style`, with the numbers of its notes at the end."""
        pieces = (prose,) if isinstance(prose, str) else prose
        runs: list[Run] = [
            (bound(self.ink.text(piece.text)), style.strong)
            if isinstance(piece, parts.Strong)
            else (bound(self.ink.text(piece)), style.face)
            for piece in pieces
        ]
        reference = None
        if notes:
            # A blank before the number: copied out, "R$ 50" with note 3 must not become "R$ 503".
            runs.append((NBSP + ", ".join(map(str, notes)), style.raised))
            reference = Node("Reference")
        return [SetLine(line, style, node, reference) for line in ts.break_lines(runs, width)]

    def band(self, text: str, style: Style, role: str, *, before: float = 0, after: float = 0) -> Band:
        """A paragraph of plain text across the page."""
        node = self.root.add(role)
        return Band([Column(0, WIDTH, self.lines(text, style, WIDTH, node))], before=before, after=after)

    def heading(self, part: parts.Heading) -> Iterator[Block]:
        """A heading, held to what follows; level 2 has a line under it."""
        node = self.root.add(f"H{part.level}")
        style = ts.HEADING_2 if part.level == 2 else ts.HEADING_3
        yield HeadingBand(
            [Column(0, WIDTH, self.lines(part.text, style, WIDTH, node))],
            before=15 if part.level == 2 else 9,
            after=6 if part.level == 2 else 3,
            keeps_next=True,
            pad=(0, 2.5 if part.level == 2 else 0),
            below=Rule(ts.NAVY, 0.7) if part.level == 2 else None,
            title=" ".join(self.ink.text(part.text).split()),
            level=part.level,
        )

    def paragraph(self, part: parts.Paragraph) -> Iterator[Block]:
        """One band for each paragraph of the text; the notes hang on the last."""
        texts: list[parts.Prose] = [part.prose]
        if isinstance(part.prose, str):
            texts = [text.strip() for text in re.split(r"\n[ \t]*\n", self.ink.text(part.prose)) if text.strip()]
        for number, text in enumerate(texts or ([""] if part.notes else []), 1):
            node = self.root.add("P")
            notes = part.notes if number == max(len(texts), 1) else ()
            yield Band([Column(0, WIDTH, self.lines(text, ts.BODY, WIDTH, node, notes))], before=3, after=5)

    def listing(self, part: parts.Listing) -> Iterator[Block]:
        """A list and the lists in it."""
        yield from self._items(part.items, self.root, 0, is_numbered=part.is_numbered)

    def _items(self, items: Sequence[parts.Item], above: Node, indent: float, *, is_numbered: bool) -> Iterator[Block]:
        numbering = "/Decimal" if is_numbered else "/Disc"
        listed = above.add("L", attributes={"List": {"ListNumbering": numbering}})
        face = ts.BODY.strong if is_numbered and not indent else ts.BODY.face
        broad = max(ts.width_of(item.label, face) for item in items) + 6
        label_style = replace(ts.BODY, face=face)
        for item in items:
            entry = listed.add("LI")
            label = self.lines(item.label, label_style, broad, entry.add("Lbl"))
            body = entry.add("LBody")
            prose = item.prose
            if item.title:
                rest = (prose,) if isinstance(prose, str) else prose
                prose = (parts.Strong(f"{item.title.rstrip('.')}. "), *rest)
            left = indent + broad
            text = self.lines(prose, ts.BODY, WIDTH - left, body.add("P"), item.notes)
            yield Band([Column(indent, broad, label), Column(left, WIDTH - left, text)], before=2, after=3.5)
            if item.items:
                yield from self._items(item.items, body, left, is_numbered=is_numbered)

    def facts(self, part: parts.Facts) -> Iterator[Block]:
        """Labels over values, in as many columns as leave every value on one or two lines."""
        columns = part.columns or next(
            (count for count in (3, 2) if all(self._is_short(value, count) for _, value in part.pairs)), 1
        )
        width = (WIDTH - _GAP * (columns - 1)) / columns
        listed = self.root.add("L", attributes={"List": {"ListNumbering": "/None"}})
        for at in range(0, len(part.pairs), columns):
            told = []
            for number, (label, value) in enumerate(part.pairs[at : at + columns]):
                entry = listed.add("LI")
                lines = self.lines(label, ts.LABEL, width, entry.add("Lbl"))
                lines += self.lines(value or "—", ts.FACT, width, entry.add("LBody"))
                told.append(Column(number * (width + _GAP), width, lines))
            yield Band(told, before=6 if at == 0 else 0, after=5)

    def _is_short(self, value: str, columns: int) -> bool:
        width = (WIDTH - _GAP * (columns - 1)) / columns
        return len(ts.break_lines([(self.ink.text(value), ts.FACT.face)], width)) <= 2

    def signatures(self, part: parts.Signatures) -> Iterator[Block]:
        """Three to a line, each under its rule."""
        width = (WIDTH - _GAP * 2) / 3
        listed = self.root.add("L", attributes={"List": {"ListNumbering": "/None"}})
        room = 14.0 if part.is_signed else 46.0
        for at in range(0, len(part.people), 3):
            told = []
            for number, person in enumerate(part.people[at : at + 3]):
                body = listed.add("LI").add("LBody")
                lines = self.lines(person.name, replace(ts.SMALL, face=ts.SMALL.strong), width, body.add("P"))
                lines += self.lines(person.office, ts.SMALL, width, body.add("P"))
                if person.note:
                    lines += self.lines(person.note, replace(ts.SMALL, color=ts.GRAY_70), width, body.add("P"))
                told.append(Column(number * (width + _GAP), width, lines))
            yield SignatureBand(told, before=room, after=6, pad=(4, 0), width=width)

    def notes(self, notes: Sequence[str]) -> Iterator[Block]:
        """The numbered notes, and a word about signs that could not be printed."""
        told = [(str(number), text) for number, text in enumerate(notes, 1)]
        if not told and not self.ink.has_replaced:
            return
        head = replace(ts.CAPTION, color=ts.NAVY)
        lines = self.lines("Notas" if told else "Nota", head, WIDTH, self.root.add("H2"))
        yield Band([Column(0, WIDTH, lines)], before=16, after=2, keeps_next=True)
        broad = max([ts.width_of(f"{number}.", ts.SMALL.face) for number, _ in told], default=0) + 5
        for number, text in told:
            note = self.root.add("Note", id=f"nota-{int(number):04}")
            label = self.lines(f"{number}.", ts.SMALL, broad, note.add("Lbl"))
            body = self.lines(text, ts.SMALL, WIDTH - broad, note.add("P"))
            yield Band([Column(0, broad, label), Column(broad, WIDTH - broad, body)], after=1)
        if self.ink.has_replaced:
            yield self.missing_signs()

    def missing_signs(self) -> Band:
        """What the codes in brackets mean."""
        node = self.root.add("Note", id="nota-sinais").add("P")
        style = replace(ts.SMALL, color=ts.GRAY_70)
        return Band([Column(0, WIDTH, self.lines(MISSING_SIGNS, style, WIDTH, node))], before=2, after=1)


@dataclass(slots=True)
class HeadingBand(Band):
    """A heading: it is also a bookmark."""

    title: str = ""
    level: int = 2

    def draw(self, sheet: Sheet, x: float, top: float) -> None:
        sheet.bookmark(self.title, self.level, top)
        Band.draw(self, sheet, x, top)


@dataclass(slots=True)
class SignatureBand(Band):
    """Names under rules as wide as their columns."""

    width: float = 0

    def draw(self, sheet: Sheet, x: float, top: float) -> None:
        for column in self.columns:
            sheet.rule(Rule(ts.BLACK, 0.7), x + column.x, top, self.width)
        Band.draw(self, sheet, x, top)
