"""What is drawn: the crest, the chequered strip of the taxis, QR codes, the figures that chapters hand in."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Final, cast

from reportlab.graphics import renderPDF, shapes
from reportlab.lib.units import mm

from tender.letterhead import parts
from tender.letterhead import typeset as ts
from tender.letterhead.blocks import WIDTH, Band, Block, Column, Layout
from tender.letterhead.tags import Node

if TYPE_CHECKING:
    from reportlab.pdfgen.canvas import Canvas

    from tender.letterhead.sheet import Sheet

# What a drawing starts from, until it says otherwise, must be embedded too.
shapes.STATE_DEFAULTS["fontName"] = ts.REGULAR

_HIGHEST: Final = 120 * mm
_EMBEDDED: Final = (ts.REGULAR, ts.BOLD, ts.ITALIC, ts.BOLD_ITALIC)


def draw_crest(canvas: Canvas, x: float, top: float, height: float) -> None:
    """A shield with a hill and a river: a placeholder until the municipality hands in its own."""
    unit = height / 34.0
    canvas.saveState()
    canvas.translate(x - unit, top + unit)
    canvas.scale(unit, -unit)
    canvas.setStrokeColor(ts.NAVY)
    canvas.setLineWidth(2)
    canvas.setLineJoin(1)
    shield = canvas.beginPath()
    shield.moveTo(2, 2)
    shield.lineTo(30, 2)
    shield.lineTo(30, 19)
    shield.curveTo(30, 27, 24, 31.5, 16, 34.5)
    shield.curveTo(8, 31.5, 2, 27, 2, 19)
    shield.close()
    canvas.drawPath(shield, stroke=1, fill=0)
    river = canvas.beginPath()
    river.moveTo(3, 20)
    river.curveTo(7.5, 17, 11.5, 23, 16, 20)
    river.curveTo(20.5, 17, 24.5, 23, 29, 20)
    canvas.drawPath(river, stroke=1, fill=0)
    canvas.setFillColor(ts.NAVY)
    hill = canvas.beginPath()
    hill.moveTo(9, 14)
    hill.lineTo(16, 8)
    hill.lineTo(23, 14)
    hill.close()
    canvas.drawPath(hill, stroke=0, fill=1)
    canvas.restoreState()


def draw_strip(canvas: Canvas, x: float, top: float, side: float) -> None:
    """Two rows of squares, navy on taxi yellow, as wide as the page: two dashed lines are all it takes."""
    canvas.saveState()
    canvas.setFillColor(ts.YELLOW)
    canvas.rect(x, top - 2 * side, WIDTH, 2 * side, stroke=0, fill=1)
    canvas.setStrokeColor(ts.NAVY)
    canvas.setLineWidth(side)
    canvas.setLineCap(0)
    for row in (0, 1):
        canvas.setDash([side, side], phase=row * side)
        canvas.line(x, top - (row + 0.5) * side, x + WIDTH, top - (row + 0.5) * side)
    canvas.restoreState()


def draw_qr(canvas: Canvas, text: str, x: float, top: float, side: float) -> None:
    """A QR code of `text` (correction M) with its quiet zone inside `side`."""
    import segno

    matrix = [list(row) for row in segno.make_qr(text, error="m", boost_error=False).matrix_iter(border=2)]
    unit = side / len(matrix)
    canvas.setFillColor(ts.BLACK)
    squares = canvas.beginPath()
    for y, row in enumerate(matrix):
        at = 0
        while at < len(row):
            run = 1
            while at + run < len(row) and row[at + run] == row[at]:
                run += 1
            if row[at]:
                squares.rect(x + at * unit, top - (y + 1) * unit, run * unit, unit)
            at += run
    canvas.drawPath(squares, stroke=0, fill=1)


class FigureBlock(Block):
    """A drawing with its caption, never cut; made smaller if it is wider than the page."""

    before = 6.0
    after = 8.0

    def __init__(self, drawing: shapes.Drawing, node: Node, caption: Band | None) -> None:
        self.drawing = drawing
        self.node = node
        self.caption = caption
        self.scale = min(1.0, WIDTH / drawing.width, _HIGHEST / drawing.height)
        self.height = drawing.height * self.scale + (caption.height if caption else 0)

    def draw(self, sheet: Sheet, x: float, top: float) -> None:
        wide, high = self.drawing.width * self.scale, self.drawing.height * self.scale
        bottom = top - high
        box = [round(value, 2) for value in (x, bottom, x + wide, top)]
        self.node.attributes["Layout"] = {"Placement": "/Block", "BBox": box}
        with sheet.tagged(self.node):
            sheet.canvas.saveState()
            sheet.canvas.translate(x, bottom)
            sheet.canvas.scale(self.scale, self.scale)
            renderPDF.draw(self.drawing, sheet.canvas, 0, 0, showBoundary=False)
            sheet.canvas.restoreState()
        if self.caption is not None:
            self.caption.draw(sheet, x, bottom)


def lay_figure(layout: Layout, part: parts.Figure) -> FigureBlock:
    """The caller's drawing stays as it was; the printed one has our fonts and only signs that can be printed."""
    drawing = cast(shapes.Drawing, _inked(layout, cast(shapes.Drawing, part.drawing)))
    node = layout.root.add("Figure", alt=layout.ink.text(part.alt))
    caption = None
    if part.caption:
        lines = layout.lines(part.caption, ts.CAPTION, WIDTH, node.add("Caption"))
        caption = Band([Column(0, WIDTH, lines)], pad=(4, 0))
    return FigureBlock(drawing, node, caption)


def _inked(layout: Layout, shape: object) -> object:
    """A copy that can be printed; widgets (charts) become the shapes they would draw."""
    if isinstance(shape, shapes.UserNode):
        return _inked(layout, shape.provideNode())
    twin = copy(shape)
    if isinstance(twin, shapes.Group):
        twin.contents = [_inked(layout, child) for child in twin.contents]
    elif isinstance(twin, shapes.String):
        twin.text = " ".join(layout.ink.text(str(twin.text)).split())
        if twin.fontName not in _EMBEDDED:
            twin.fontName = ts.BOLD if "Bold" in twin.fontName else ts.REGULAR
    return twin
