"""How text becomes lines: the four fonts, the styles, breaking, drawing. Points throughout, 1/72 inch."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Final

from reportlab import rl_config
from reportlab.lib.colors import Color, HexColor
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

from tender.letterhead.parts import Align
from tender.letterhead.words import NBSP

if TYPE_CHECKING:
    from reportlab.pdfgen.canvas import Canvas

REGULAR: Final = "LiberationSans"
BOLD: Final = "LiberationSans-Bold"
ITALIC: Final = "LiberationSans-Italic"
BOLD_ITALIC: Final = "LiberationSans-BoldItalic"

# The design system's tokens, by name.
NAVY: Final = HexColor("#071d41")
YELLOW: Final = HexColor("#ffcd07")
BLACK: Final = HexColor("#000000")
WHITE: Final = HexColor("#ffffff")
GRAY_80: Final = HexColor("#333333")
GRAY_70: Final = HexColor("#555555")
HAIRLINE: Final = HexColor("#b4b8bf")

_ASCENT: Final = 0.905
_DESCENT: Final = 0.212
_PIECE: Final = re.compile(r" +|\n|[^ \n]+")


def _font_folder() -> Path:
    package = Path(__file__).resolve().parents[1]
    # A checkout has `static/` beside the package, an installed wheel carries it inside.
    roots = (package.parent / "static", package / "_share" / "static")
    return next((root / "fonts" for root in roots if (root / "fonts").is_dir()), roots[0] / "fonts")


def _register() -> frozenset[int]:
    """Make the fonts known to reportlab; answer the code points that all four can print."""
    # The kit never hands reportlab an address; should anything else in the process do so, it reads none.
    rl_config.trustedSchemes = []
    rl_config.trustedHosts = []
    # PDF/A wants every font embedded, so the default must not be one of the reader's own.
    rl_config.canvas_basefontname = REGULAR
    covered: list[frozenset[int]] = []
    for name, file in ((REGULAR, "Regular"), (BOLD, "Bold"), (ITALIC, "Italic"), (BOLD_ITALIC, "BoldItalic")):
        font = TTFont(name, str(_font_folder() / f"LiberationSans-{file}.ttf"))
        pdfmetrics.registerFont(font)
        covered.append(frozenset(font.face.charToGlyph))
    pdfmetrics.registerFontFamily(REGULAR, normal=REGULAR, bold=BOLD, italic=ITALIC, boldItalic=BOLD_ITALIC)
    return frozenset.intersection(*covered)


COVERED: Final = _register()


@dataclass(frozen=True, slots=True)
class Face:
    """A font at a size, lifted by `rise` (note numbers)."""

    font: str
    size: float
    rise: float = 0


@dataclass(frozen=True, slots=True)
class Style:
    """How lines are set: the face of plain text, the distance between baselines, the colour, the side."""

    face: Face
    leading: float
    color: Color = field(default=BLACK)
    align: Align = "left"
    is_struck: bool = False

    @property
    def strong(self) -> Face:
        """The bold face of the same size."""
        return Face(BOLD, self.face.size)

    @property
    def raised(self) -> Face:
        """The face of the numbers of notes."""
        return Face(REGULAR, self.face.size * 0.66, self.face.size * 0.34)


Run = tuple[str, Face]


@dataclass(frozen=True, slots=True)
class Line:
    """Runs that stand on one baseline. `width` leaves out the blank at which the line was broken."""

    runs: tuple[Run, ...]
    width: float

    @property
    def raised(self) -> str:
        """The numbers of notes, which stand at the end."""
        return "".join(text for text, face in self.runs if face.rise)


@lru_cache(maxsize=1 << 14)
def width_of(text: str, face: Face) -> float:
    """Width of `text` on one line."""
    return float(pdfmetrics.stringWidth(text.replace(NBSP, " "), face.font, face.size))


def break_lines(runs: Iterable[Run], width: float) -> list[Line]:
    """Set `runs` in lines no wider than `width`: broken at blanks, at "\\n", and inside a word that is wider itself."""
    setter = _Setter(width)
    for text, face in runs:
        for piece in _PIECE.findall(text):
            if piece == "\n":
                setter.end_word()
                setter.end_line(is_broken=True)
            elif piece[0] == " ":
                setter.end_word()
                setter.blank = face
            else:
                setter.word.append((piece, face))
    setter.end_word()
    setter.end_line(is_broken=False)
    return setter.lines


class _Setter:
    def __init__(self, width: float) -> None:
        self.width = width
        self.lines: list[Line] = []
        self.line: list[Run] = []
        self.used = 0.0
        self.word: list[Run] = []
        self.blank: Face | None = None

    def end_word(self) -> None:
        if not self.word:
            return
        word, self.word = self.word, []
        wide = sum(width_of(text, face) for text, face in word)
        if self.line and self.blank is not None:
            gap = width_of(" ", self.blank)
            if self.used + gap + wide > self.width:
                self.end_line(is_broken=True)
            else:
                self.line.append((" ", self.blank))
                self.used += gap
        self.blank = None
        if wide <= self.width - self.used:
            self.line += word
            self.used += wide
        else:
            for text, face in word:
                self._split(text, face)

    def _split(self, text: str, face: Face) -> None:
        """Put a word that is wider than a line, character by character."""
        ends = list(accumulate(width_of(sign, face) for sign in text))
        at = 0
        while at < len(text):
            before = ends[at - 1] if at else 0.0
            fits = bisect_right(ends, before + self.width - self.used + 1e-6)
            if fits <= at and self.line:
                self.end_line(is_broken=False)
                continue
            fits = max(fits, at + 1)
            self.line.append((text[at:fits], face))
            self.used += ends[fits - 1] - before
            at = fits

    def end_line(self, *, is_broken: bool) -> None:
        # The blank at the break is printed too (nobody sees it): without it a screen reader would join two words.
        tail: list[Run] = [(" ", self.line[-1][1])] if is_broken and self.line else []
        self.lines.append(Line(_joined([*self.line, *tail]), self.used))
        self.line, self.used, self.blank = [], 0.0, None


def _joined(runs: list[Run]) -> tuple[Run, ...]:
    joined: list[Run] = []
    for text, face in runs:
        if joined and joined[-1][1] == face:
            joined[-1] = (joined[-1][0] + text, face)
        else:
            joined.append((text, face))
    return tuple(joined)


def one_line(text: str, face: Face, width: float) -> list[Line]:
    """`text` on a single line, cut with "…" if it is wider: for what is printed in full elsewhere."""
    flat = " ".join(text.split())
    if width_of(flat, face) > width:
        ends = list(accumulate(width_of(sign, face) for sign in flat))
        flat = flat[: bisect_right(ends, width - width_of("…", face))].rstrip() + "…"
    return [Line(((flat, face),), width_of(flat, face))]


def draw_lines(canvas: Canvas, lines: Sequence[Line], style: Style, x: float, top: float, width: float) -> None:
    """Draw `lines` downwards from `top` in the column that begins at `x`, but for the numbers of notes."""
    text = canvas.beginText()
    text.setFillColor(style.color)
    size = style.face.size
    baseline = _first_baseline(style, top)
    struck: list[tuple[float, float, float, float]] = []
    for line in lines:
        free = width - line.width
        left = x + (free if style.align == "right" else free / 2 if style.align == "center" else 0)
        text.setTextOrigin(left, baseline)
        for shown, face in line.runs:
            if not face.rise:
                text.setFont(face.font, face.size)
                text.textOut(shown.replace(NBSP, " "))
        struck.append((left, baseline + size * 0.28, left + line.width, baseline + size * 0.28))
        baseline -= style.leading
    canvas.drawText(text)
    if style.is_struck:
        canvas.setStrokeColor(style.color)
        canvas.setLineWidth(0.7)
        canvas.lines(struck)


def draw_raised(canvas: Canvas, lines: Sequence[Line], style: Style, x: float, top: float) -> None:
    """Draw the numbers of notes that `draw_lines` left out; lines that carry them stand to the left."""
    text = canvas.beginText()
    text.setFillColor(style.color)
    text.setFont(style.raised.font, style.raised.size)
    for number, line in enumerate(lines):
        if line.raised:
            left = x + line.width - width_of(line.raised.rstrip(" "), style.raised)
            text.setTextOrigin(left, _first_baseline(style, top) - number * style.leading + style.raised.rise)
            text.textOut(line.raised.replace(NBSP, " "))
    canvas.drawText(text)


def _first_baseline(style: Style, top: float) -> float:
    size = style.face.size
    return top - (style.leading - (_ASCENT + _DESCENT) * size) / 2 - _ASCENT * size


BODY: Final = Style(Face(REGULAR, 10.5), 15.2)
TITLE: Final = Style(Face(BOLD, 18), 22, NAVY)
SUBTITLE: Final = Style(Face(REGULAR, 10.5), 14.6, GRAY_80)
HEADING_2: Final = Style(Face(BOLD, 12), 15, NAVY)
HEADING_3: Final = Style(Face(BOLD, 10.5), 14, NAVY)
ISSUER: Final = Style(Face(BOLD, 11.5), 14.5, NAVY)
OFFICE: Final = Style(Face(REGULAR, 9.5), 13, GRAY_70)
LABEL: Final = Style(Face(REGULAR, 8.5), 11.5, GRAY_70)
FACT: Final = Style(Face(BOLD, 9.5), 13)
CAPTION: Final = Style(Face(BOLD, 9), 12, GRAY_80)
HEADER: Final = Style(Face(BOLD, 8.5), 11.5, NAVY)
CELL: Final = Style(Face(REGULAR, 9), 12)
SMALL: Final = Style(Face(REGULAR, 8.5), 12)
FURNITURE: Final = Style(Face(REGULAR, 8), 10.5, GRAY_70)
