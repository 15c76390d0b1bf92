"""The curve of an auction: the highest bid over time, drawn for `Paper.curve`.

The shapes tell bidders apart without colour. The table of bids beside it says the same in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from reportlab.graphics.shapes import Circle, Drawing, Line, Polygon, PolyLine, Rect, Shape, String
from reportlab.lib.colors import Color, HexColor
from reportlab.lib.units import mm

from tender.letterhead import parts
from tender.letterhead import typeset as ts
from tender.letterhead.parts import Bid
from tender.letterhead.words import hour
from tender.money import Money, brl

_WIDTH: Final = 178 * mm
_HEIGHT: Final = 58 * mm
_LEFT: Final = 15 * mm
_RIGHT: Final = 21 * mm
_FOOT: Final = 7.5 * mm
_HEAD: Final = 7 * mm

_GRID: Final = HexColor("#dfe1e2")
_EXTENDED: Final = HexColor("#fff5c2")
_EXTENDED_EDGE: Final = HexColor("#5c4809")
_END: Final = HexColor("#b50909")
_MARKS: Final = (
    ("triangle", HexColor("#783cb9")),
    ("circle", HexColor("#155bcb")),
    ("square", HexColor("#0f6460")),
    ("diamond", HexColor("#c05600")),
)
_POLYGONS: Final = {
    "triangle": (0, 4, 3.6, -2.8, -3.6, -2.8),
    "square": (-2.9, -2.9, 2.9, -2.9, 2.9, 2.9, -2.9, 2.9),
    "diamond": (0, 4, 4, 0, 0, -4, -4, 0),
}
_STEPS_REAIS: Final = (1, 2, 5)


def draw_curve(part: parts.Curve) -> Drawing:
    """The bids of `part` from opening to close, as wide as the page."""
    valid = [bid for bid in part.bids if not bid.is_withdrawn]
    plot = _Plot(valid, part.opened_at, part.closed_at)
    drawing = Drawing(_WIDTH, _HEIGHT)
    if part.extended_from is not None:
        for shape in plot.extension(part.extended_from):
            drawing.add(shape)
    for shape in (*plot.grid(), *plot.steps(valid), *plot.marks(part.bids), *plot.end(valid[-1])):
        drawing.add(shape)
    return drawing


class _Plot:
    def __init__(self, valid: Sequence[Bid], opened_at: datetime, closed_at: datetime) -> None:
        reais = [bid.amount.centavos // 100 for bid in valid]
        self.step = _nice_step(max(reais) - min(reais))
        # A line below the lowest bid and one above the highest, so that no mark stands on the frame.
        self.low = max(0, (min(reais) - 1) // self.step * self.step)
        self.high = (max(reais) // self.step + 1) * self.step
        self.opened_at, self.closed_at = opened_at, closed_at
        self.right, self.top = _WIDTH - _RIGHT, _HEIGHT - _HEAD

    def x(self, at: datetime) -> float:
        return _LEFT + (self.right - _LEFT) * ((at - self.opened_at) / (self.closed_at - self.opened_at))

    def y(self, amount: Money) -> float:
        part = (amount.centavos - self.low * 100) / ((self.high - self.low) * 100)
        # A withdrawn bid may be ten times the rest: it is shown above the plot instead of flattening the curve.
        return _FOOT + (self.top - _FOOT) * part if part <= 1 else self.top + 8

    def grid(self) -> Iterator[Shape]:
        for reais in range(self.low, self.high + 1, self.step):
            y = self.y(Money.reais(reais))
            yield Line(_LEFT, y, self.right, y, strokeColor=_GRID, strokeWidth=0.6)
            yield _label(_LEFT - 5, y - 2.6, brl(Money.reais(reais), "auto"), "end")
        for at in _ticks(self.opened_at, self.closed_at):
            x = self.x(at)
            yield Line(x, _FOOT, x, _FOOT - 3, strokeColor=ts.GRAY_70, strokeWidth=0.6)
            yield _label(x, _FOOT - 13, hour(at, "minute"), "middle")

    def extension(self, since: datetime) -> Iterator[Shape]:
        x = self.x(since)
        yield Rect(x, _FOOT, self.right - x, self.top - _FOOT, fillColor=_EXTENDED, strokeColor=None)
        yield Line(x, _FOOT, x, self.top, strokeColor=_EXTENDED_EDGE, strokeWidth=0.8, strokeDashArray=[3, 3])
        yield _label(x + 4, _FOOT + 5, "prorrogações", "start")

    def steps(self, valid: Sequence[Bid]) -> Iterator[Shape]:
        points: list[float] = []
        for bid in valid:
            x, y = self.x(bid.at), self.y(bid.amount)
            points += [x, points[-1], x, y] if points else [x, y]
        points += [self.right, points[-1]]
        yield PolyLine(points, strokeColor=ts.NAVY, strokeWidth=1.8, strokeLineJoin=1)

    def marks(self, bids: Sequence[Bid]) -> Iterator[Shape]:
        for bid in bids:
            name, color = _MARKS[(bid.bidder - 1) % len(_MARKS)]
            x, y = self.x(bid.at), self.y(bid.amount)
            yield _mark(name, x, y, color, is_hollow=bid.is_withdrawn)
            if bid.is_withdrawn:
                yield Line(x - 6, y, x + 6, y, strokeColor=_END, strokeWidth=1)
                yield _label(x + 8, y - 2.6, f"{brl(bid.amount, 'auto')} desfeito", "start")

    def end(self, last: Bid) -> Iterator[Shape]:
        yield Line(self.right, _FOOT, self.right, self.top, strokeColor=_END, strokeWidth=1.2)
        yield _label(self.right + 4, _FOOT + 5, "fim", "start")
        shown = _label(self.right + 4, self.y(last.amount) - 2.8, brl(last.amount, "auto"), "start")
        shown.fontName, shown.fontSize, shown.fillColor = ts.BOLD, 8.5, ts.BLACK
        yield shown


def _label(x: float, y: float, text: str, anchor: str) -> String:
    return String(x, y, text, fontName=ts.REGULAR, fontSize=7.5, fillColor=ts.GRAY_70, textAnchor=anchor)


def _mark(name: str, x: float, y: float, color: Color, *, is_hollow: bool) -> Shape:
    look = {"fillColor": ts.WHITE if is_hollow else color, "strokeColor": color, "strokeWidth": 1}
    if name == "circle":
        return Circle(x, y, 3, **look)
    corners = _POLYGONS[name]
    return Polygon([side + (y if at % 2 else x) for at, side in enumerate(corners)], **look)


def _nice_step(spread_reais: int) -> int:
    """1, 2 or 5 times a power of ten, so that four to nine lines cross the plot."""
    power = 1
    while True:
        for unit in _STEPS_REAIS:
            if unit * power * 6 >= spread_reais:
                return unit * power
        power *= 10


def _ticks(opened_at: datetime, closed_at: datetime) -> Iterator[datetime]:
    """Whole minutes at an even distance, seven at most."""
    minutes = (closed_at - opened_at) // timedelta(minutes=1)
    every = next((step for step in (1, 2, 5, 10, 15, 30, 60, 120, 240, 480) if minutes // step <= 7), 1440)
    at = opened_at.replace(second=0, microsecond=0)
    at += timedelta(minutes=-at.minute % every if every < 60 else -at.minute % 60)
    while at <= closed_at:
        if at >= opened_at:
            yield at
        at += timedelta(minutes=every)
