"""What every paper has: the head of the first page, its title, the running head, the foot, the stamp."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from reportlab.lib.colors import HexColor
from reportlab.lib.units import mm

from tender.letterhead import parts
from tender.letterhead import typeset as ts
from tender.letterhead.blocks import WIDTH, Band, Block, Column, Layout, SetLine
from tender.letterhead.figure import draw_crest, draw_qr, draw_strip
from tender.letterhead.tags import Node
from tender.letterhead.typeset import Face, Style
from tender.letterhead.words import Ink

if TYPE_CHECKING:
    from reportlab.pdfgen.canvas import Canvas

    from tender.letterhead.paper import Paper
    from tender.letterhead.sheet import Sheet

_CREST: Final = 13.5 * mm
_QR: Final = 27 * mm
_INSET: Final = 10.0
_NOTICE: Final = Style(Face(ts.BOLD, 8), 11.5, ts.NAVY, "right")
_NOTICE_WIDTH: Final = 66 * mm
_CODE: Final = Style(Face(ts.BOLD, 13), 18, ts.NAVY)
_LINK: Final = HexColor("#1351b4")
_HASH_GROUP: Final = 8
_NUMBER_WIDTH: Final = 28 * mm


class Masthead(Block):
    """Crest, municipality, office, and the strip under them."""

    after = 14.0

    def __init__(self, layout: Layout, paper: Paper) -> None:
        left = _CREST + 2 * mm
        wide = WIDTH - left - (_NOTICE_WIDTH + 4 * mm if paper.notice else 0)
        lines = layout.lines(paper.issuer, ts.ISSUER, wide, layout.root.add("P"))
        lines += layout.lines(paper.office, ts.OFFICE, wide, layout.root.add("P"))
        text = Column(left, wide, lines)
        columns = [text]
        if paper.notice:
            told = layout.lines(paper.notice, _NOTICE, _NOTICE_WIDTH, layout.root.add("P"))
            columns.append(Column(WIDTH - _NOTICE_WIDTH, _NOTICE_WIDTH, told))
        lift = max(0.0, (_CREST - text.height) / 2)
        self.band = Band(columns, pad=(lift, 0))
        self.height = max(_CREST, self.band.height) + 3.4 * mm + 2.2 * mm

    def draw(self, sheet: Sheet, x: float, top: float) -> None:
        with sheet.artifact("Layout"):
            draw_crest(sheet.canvas, x, top, _CREST)
            draw_strip(sheet.canvas, x, top - self.height + 2.2 * mm, 1.1 * mm)
        self.band.draw(sheet, x, top)


def lay_title(layout: Layout, paper: Paper) -> list[Block]:
    """Title (H1) and what it is about."""
    title = layout.band(paper.title, ts.TITLE, "H1", after=3)
    if not paper.subtitle.strip():
        return [replace(title, after=8)]
    return [replace(title, keeps_next=True), layout.band(paper.subtitle, ts.SUBTITLE, "P", after=8)]


class StampBlock(Block):
    """The box that says which entries of the book the paper was made from, and where to check it."""

    before = 18.0

    def __init__(self, layout: Layout, stamp: parts.Stamp) -> None:
        self.url = stamp.url
        self.root = layout.root
        self.qr = self.root.add("Figure", alt=f"Código QR que abre o endereço de verificação: {stamp.url}")
        self.link = Node("Link")
        left = _INSET + _QR + 5 * mm
        wide = WIDTH - left - _INSET

        def told(text: str, style: Style, node: Node | None = None) -> list[SetLine]:
            return layout.lines(text, style, wide, node or self.root.add("P"))

        lines = told("Como verificar este documento", replace(ts.CAPTION, color=ts.NAVY), self.root.add("H2"))
        lines += told("Aponte a câmera para o código QR, ou abra o endereço e confira o código:", ts.SMALL)
        lines += told(stamp.code, _CODE)
        self.root.add("P").kids.append(self.link)
        lines += told(stamp.address, replace(ts.SMALL, color=_LINK), self.link)
        lines += told(f"Feito a partir {_entries(stamp)}. Hash do último registro:", ts.SMALL)
        size = _HASH_GROUP
        lines += told(
            " ".join(stamp.head_hash[at : at + size] for at in range(0, len(stamp.head_hash), size)), ts.SMALL
        )
        self.column = Column(left, wide, lines)
        self.height = max(_QR, self.column.height) + 2 * _INSET

    def draw(self, sheet: Sheet, x: float, top: float) -> None:
        with sheet.artifact("Layout"):
            sheet.canvas.setStrokeColor(ts.NAVY)
            sheet.canvas.setLineWidth(0.7)
            sheet.canvas.rect(x, top - self.height, WIDTH, self.height, stroke=1, fill=0)
        qr_top = top - (self.height - _QR) / 2
        box = [round(value, 2) for value in (x + _INSET, qr_top - _QR, x + _INSET + _QR, qr_top)]
        self.qr.attributes["Layout"] = {"Placement": "/Block", "BBox": box}
        with sheet.tagged(self.qr):
            draw_qr(sheet.canvas, self.url, x + _INSET, qr_top, _QR)
        text_top = top - (self.height - self.column.height) / 2
        self.column.draw(sheet, x, text_top)
        self._draw_link(sheet, x + self.column.x, text_top)

    def _draw_link(self, sheet: Sheet, x: float, top: float) -> None:
        at = [number for number, line in enumerate(self.column.lines) if line.node is self.link]
        above = sum(line.style.leading for line in self.column.lines[: at[0]])
        high = sum(self.column.lines[number].style.leading for number in at)
        wide = max(self.column.lines[number].line.width for number in at)
        sheet.link(self.link, (x, top - above - high, x + wide, top - above), self.url)


def _entries(stamp: parts.Stamp) -> str:
    if stamp.first_seq == stamp.last_seq:
        return f"do registro {stamp.first_seq} do livro público ({stamp.chain})"
    return f"dos registros {stamp.first_seq} a {stamp.last_seq} do livro público ({stamp.chain})"


class Furniture:
    """What stands on every page outside the text: decoration to a screen reader."""

    def __init__(self, paper: Paper, ink: Ink) -> None:
        self.head = ink.text(f"{paper.issuer} · {paper.title}")
        self.feet = [(ink.text(" · ".join(filter(None, (paper.code, paper.notice)))), ts.FURNITURE.strong)]
        if paper.stamped is not None:
            stamp = paper.stamped
            last = f"registro {stamp.last_seq}, {stamp.head_hash[:_HASH_GROUP]}"
            check = f"Código {stamp.code} · {last} · verifique em {stamp.address}"
            self.feet.append((ink.text(check), ts.FURNITURE.face))

    def draw_head(self, canvas: Canvas, x: float, page_height: float) -> None:
        """From the second page on: whose paper this is, over a thin strip."""
        lines = ts.one_line(self.head, ts.FURNITURE.face, WIDTH)
        ts.draw_lines(canvas, lines, ts.FURNITURE, x, page_height - 7.5 * mm, WIDTH)
        draw_strip(canvas, x, page_height - 12.2 * mm, 0.6 * mm)

    def draw_foot(self, canvas: Canvas, x: float, top: float, page: int, pages: int) -> None:
        """Code, where to check, and "Página 1 de 3"."""
        canvas.setStrokeColor(ts.HAIRLINE)
        canvas.setLineWidth(0.5)
        canvas.line(x, top, x + WIDTH, top)
        wide = WIDTH - _NUMBER_WIDTH
        lines = [line for text, face in self.feet for line in ts.one_line(text, face, wide)]
        ts.draw_lines(canvas, lines, ts.FURNITURE, x, top - 3, wide)
        number = ts.one_line(f"Página {page} de {pages}", ts.FURNITURE.face, _NUMBER_WIDTH)
        ts.draw_lines(canvas, number, replace(ts.FURNITURE, align="right"), x + wide, top - 3, _NUMBER_WIDTH)
