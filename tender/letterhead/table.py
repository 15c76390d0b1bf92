"""Tables: columns as wide as their contents ask, rows that are never cut unless they are taller than half a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tender.letterhead import parts
from tender.letterhead import typeset as ts
from tender.letterhead.blocks import TALL, WIDTH, Band, Block, Column, Layout, Rule
from tender.letterhead.tags import Node
from tender.letterhead.typeset import Style

if TYPE_CHECKING:
    from tender.letterhead.sheet import Sheet

_INSET: Final = 5.5
_PAD: Final = (3.0, 3.0)
_EMPTY: Final = replace(ts.CELL, face=ts.Face(ts.ITALIC, 9), color=ts.GRAY_70)


@dataclass
class TableBlock(Block):
    """Rows from `start` on, under their header. Only the first piece of a table tells its header to a screen reader."""

    header: Band
    rows: list[Band]
    caption: Band | None
    start: int = 0
    before: float = 4
    after: float = 8

    @property
    def _top(self) -> float:
        return self.header.height + (self.caption.height if self.caption else 0)

    @property
    def height(self) -> float:  # type: ignore[override]
        return self._top + sum(row.height for row in self.rows[self.start :])

    @property
    def least(self) -> float:
        return self._top + sum(row.least for row in self.rows[self.start : self.start + 2])

    def split(self, room: float, *, is_fresh: bool) -> tuple[Block | None, Block | None]:
        end, used = self.start, self._top
        while end < len(self.rows) and used + self.rows[end].height <= room:
            used += self.rows[end].height
            end += 1
        placed, left = end - self.start, len(self.rows) - end
        if left and (self.rows[end].height > TALL or (is_fresh and not placed)):
            head, tail = self.rows[end].split(room - used, is_fresh=is_fresh and not placed)
            if head is not None and tail is not None:
                self.rows[end : end + 1] = [row for row in (head, tail) if isinstance(row, Band)]
                end += 1
        elif left == 1 and placed > 2:
            end -= 1  # one row alone on the last page looks like a mistake
        if end - self.start < min(2, len(self.rows) - self.start) and not is_fresh and self.rows[end].height <= TALL:
            return None, self
        if end == self.start:
            return None, self
        return replace(self, rows=self.rows[:end]), replace(self, caption=None, start=end, before=0)

    def draw(self, sheet: Sheet, x: float, top: float) -> None:
        if self.caption is not None:
            self.caption.draw(sheet, x, top)
            top -= self.caption.height
        if self.start == 0:
            self.header.draw(sheet, x, top)
        else:
            with sheet.artifact("Pagination"):
                self.header.draw(sheet, x, top)
        top -= self.header.height
        for row in self.rows[self.start :]:
            row.draw(sheet, x, top)
            top -= row.height


def lay_table(layout: Layout, part: parts.Table) -> TableBlock:
    """The table with its elements: Caption, THead with the scope of each column, TBody."""
    table = layout.root.add("Table")
    caption = None
    if part.caption:
        lines = layout.lines(part.caption, ts.CAPTION, WIDTH, table.add("Caption"))
        caption = Band([Column(0, WIDTH, lines)], pad=(2, 3))
    widths = [share - 2 * _INSET for share in _widths(layout, part)]
    places = [sum(widths[:at]) + (2 * at + 1) * _INSET for at in range(len(widths))]
    head = table.add("THead").add("TR")
    titles = [
        Column(x, wide, layout.lines(text, replace(ts.HEADER, align=side), wide, _th(head)))
        for text, side, x, wide in zip(part.header, part.align, places, widths, strict=True)
    ]
    header = Band(titles, pad=(3, 3.5), below=Rule(ts.NAVY, 1))
    body = table.add("TBody")
    rows = [_row(layout, body.add("TR"), cells, part.align, places, widths) for cells in part.rows]
    if not rows:
        spanned = body.add("TR").add("TD", attributes={"Table": {"ColSpan": len(part.header)}})
        inside = WIDTH - 2 * _INSET
        told = layout.lines(part.when_empty, _EMPTY, inside, spanned)
        rows = [Band([Column(_INSET, inside, told)], pad=_PAD, below=Rule(ts.HAIRLINE, 0.5))]
    return TableBlock(header, rows, caption)


def _th(head: Node) -> Node:
    return head.add("TH", attributes={"Table": {"Scope": "/Column"}})


def _row(
    layout: Layout,
    node: Node,
    cells: Sequence[parts.TableCell],
    align: Sequence[parts.Align],
    places: Sequence[float],
    widths: Sequence[float],
) -> Band:
    columns = []
    for cell, side, x, wide in zip(cells, align, places, widths, strict=True):
        style = _style(cell, side)
        told = node.add("TD")
        lines = layout.lines(cell.text, style, wide, told) if cell.text.strip() else []
        columns.append(Column(x, wide, lines))
    return Band(columns, pad=_PAD, below=Rule(ts.HAIRLINE, 0.5))


def _style(cell: parts.TableCell, side: parts.Align) -> Style:
    face = ts.CELL.strong if cell.is_bold else ts.CELL.face
    color = ts.GRAY_70 if cell.is_struck else ts.CELL.color
    return replace(ts.CELL, face=face, color=color, align=side, is_struck=cell.is_struck)


def _widths(layout: Layout, part: parts.Table) -> list[float]:
    """Full width shared out: as asked; else by what the contents need, the longest words first."""
    if part.widths:
        return [WIDTH * share / sum(part.widths) for share in part.widths]
    natural, narrow = [], []
    for at, title in enumerate(part.header):
        texts = [(title, ts.HEADER.face)]
        texts += [(row[at].text, _style(row[at], "left").face) for row in part.rows]
        inked = {(layout.ink.text(text), face) for text, face in texts}
        natural.append(2 * _INSET + 0.5 + max(_broadest(text.split("\n"), face) for text, face in inked))
        word = max(_broadest(text.split(), face) for text, face in inked)
        narrow.append(2 * _INSET + 0.5 + min(word, WIDTH / 3))
    if sum(natural) <= WIDTH:
        return [wide * WIDTH / sum(natural) for wide in natural]
    if sum(narrow) >= WIDTH:
        return [wide * WIDTH / sum(narrow) for wide in narrow]
    spare = (WIDTH - sum(narrow)) / (sum(natural) - sum(narrow))
    return [least + (most - least) * spare for least, most in zip(narrow, natural, strict=True)]


def _broadest(texts: Sequence[str], face: ts.Face) -> float:
    return max((ts.width_of(text, face) for text in texts), default=0.0)
