"""The pages: blocks put one under the other, page after page, and the whole handed to the archive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from tender.letterhead import archive, parts
from tender.letterhead import typeset as ts
from tender.letterhead.blocks import Band, Block, Break, Layout, Rule, SignatureBand
from tender.letterhead.curve import draw_curve
from tender.letterhead.figure import lay_figure
from tender.letterhead.masthead import Furniture, Masthead, StampBlock, lay_title
from tender.letterhead.table import lay_table
from tender.letterhead.tags import Box, Link, Mark, Node, Outline
from tender.letterhead.words import Ink

if TYPE_CHECKING:
    from tender.letterhead.paper import Paper

PAGE_WIDTH, PAGE_HEIGHT = A4
LEFT: Final = 16 * mm
TOP: Final = PAGE_HEIGHT - 18 * mm
BOTTOM: Final = 24 * mm
_HELD: Final = 32 * mm


class _PagedCanvas(Canvas):
    """Holds every page back until the last is known, so that each can say how many there are."""

    furniture: Furniture

    def __init__(self, file: BytesIO) -> None:
        super().__init__(file, pagesize=A4, invariant=1, pageCompression=1, initialFontName=ts.REGULAR)
        self._held: list[dict[str, Any]] = []

    def showPage(self) -> None:  # noqa: N802 - reportlab's name
        self._held.append(dict(self.__dict__))
        self._startPage()

    def save(self) -> None:
        held = self._held
        for number, state in enumerate(held, 1):
            self.__dict__.update(state)
            self.addLiteral("/Artifact <</Type /Pagination>> BDC")
            self.saveState()
            if number > 1:
                self.furniture.draw_head(self, LEFT, PAGE_HEIGHT)
            self.furniture.draw_foot(self, LEFT, BOTTOM - 6 * mm, number, len(held))
            self.restoreState()
            self.addLiteral("EMC")
            super().showPage()
        super().save()


class Sheet:
    """The page being printed: ink goes to `canvas`, and every stroke of it belongs to an element or is an artifact."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas
        self.page = 0
        self.outlines: list[Outline] = []
        self._next_mcid = 0
        self._in_artifact = False

    @contextmanager
    def tagged(self, node: Node) -> Iterator[None]:
        """What is drawn inside belongs to `node` (inside an artifact it stays an artifact)."""
        if self._in_artifact:
            yield
            return
        mark = Mark(self.page, self._next_mcid)
        self._next_mcid += 1
        node.kids.append(mark)
        self.canvas.addLiteral(f"/{node.role} <</MCID {mark.mcid}>> BDC")
        yield
        self.canvas.addLiteral("EMC")

    @contextmanager
    def artifact(self, kind: str) -> Iterator[None]:
        """What is drawn inside is decoration: "Layout", or "Pagination" for what is repeated on every page."""
        if self._in_artifact:
            yield
            return
        self._in_artifact = True
        self.canvas.addLiteral(f"/Artifact <</Type /{kind}>> BDC")
        yield
        self.canvas.addLiteral("EMC")
        self._in_artifact = False

    def rule(self, rule: Rule, x: float, y: float, width: float) -> None:
        """A horizontal line, as decoration."""
        with self.artifact("Layout"):
            self.canvas.setStrokeColor(rule.color)
            self.canvas.setLineWidth(rule.width)
            self.canvas.line(x, y, x + width, y)

    def link(self, node: Node, box: Box, url: str) -> None:
        """Make `box` open `url`, and tell so in `node`."""
        node.kids.append(Link(self.page, box, url, f"Abrir {url}"))

    def bookmark(self, title: str, level: int, top: float) -> None:
        """Remember a heading; only the first 200 signs go into the panel of bookmarks."""
        self.outlines.append(Outline(title[:200], level - 1, self.page, top + 4))

    def turn(self) -> None:
        """Begin the next page."""
        self.canvas.showPage()
        self.page += 1
        self._next_mcid = 0


def print_paper(paper: Paper) -> bytes:
    """Lay out, print and archive `paper`."""
    document = Node("Document")
    ink = Ink(ts.COVERED)
    blocks = _lay_out(paper, Layout(document, ink))
    file = BytesIO()
    canvas = _PagedCanvas(file)
    canvas.furniture = Furniture(paper, ink)
    sheet = Sheet(canvas)
    _compose(sheet, blocks)
    canvas.showPage()
    canvas.save()
    return archive.finish(
        file.getvalue(),
        document,
        sheet.outlines,
        archive.Imprint(
            title=" ".join(ink.text(paper.title).split())[:500],
            subject=" ".join(ink.text(paper.code).split())[:500],
            author=" ".join(ink.text(paper.issuer).split()),
            language=paper.language,
            issued_at=paper.issued_at,
        ),
    )


def _lay_out(paper: Paper, layout: Layout) -> list[Block]:
    """All blocks in reading order. The notes are laid last, when it is known whether a sign could not be printed."""
    blocks: list[Block] = [Masthead(layout, paper), *lay_title(layout, paper)]
    notes_at: tuple[int, int] | None = None
    for part in paper.story:
        if isinstance(part, parts.Notes):
            notes_at = (len(blocks), len(layout.root.kids))
        else:
            blocks += _lay_part(layout, part)
    notes_at = notes_at or (len(blocks), len(layout.root.kids))
    if paper.stamped is not None:
        blocks.append(StampBlock(layout, paper.stamped))
    before, after = layout.root.kids[: notes_at[1]], layout.root.kids[notes_at[1] :]
    layout.root.kids[:] = before
    blocks[notes_at[0] : notes_at[0]] = list(layout.notes(paper.notes))
    layout.root.kids += after
    _hold_together(blocks)
    return blocks


def _hold_together(blocks: Sequence[Block]) -> None:
    """Signatures and stamp never stand alone on a page, which could then be put under any other text."""
    for at, block in enumerate(blocks):
        if not isinstance(block, SignatureBand | StampBlock):
            continue
        room = _HELD
        for earlier in reversed(blocks[:at]):
            if not isinstance(earlier, Band) or earlier.height > room:
                break
            earlier.keeps_next = True
            room -= earlier.height


def _lay_part(layout: Layout, part: parts.Part) -> Sequence[Block]:
    match part:
        case parts.Heading():
            return list(layout.heading(part))
        case parts.Paragraph():
            return list(layout.paragraph(part))
        case parts.Listing():
            return list(layout.listing(part))
        case parts.Facts():
            return list(layout.facts(part))
        case parts.Table():
            return [lay_table(layout, part)]
        case parts.Figure():
            return [lay_figure(layout, part)]
        case parts.Curve():
            return [lay_figure(layout, parts.Figure(draw_curve(part), part.alt, part.caption))]
        case parts.Signatures():
            return list(layout.signatures(part))
        case parts.PageBreak():
            return [Break()]
        case _:
            raise TypeError(f"a paper has no part of kind {type(part).__name__}")


def _compose(sheet: Sheet, blocks: Sequence[Block]) -> None:
    """Put the blocks on pages. A heading stays with the first lines of what it announces."""
    top, after = TOP, 0.0
    for at, block in enumerate(blocks):
        if isinstance(block, Break):
            if top < TOP:
                sheet.turn()
                top = TOP
            continue
        space = max(after, block.before) if top < TOP else 0.0
        needed = _least(blocks, at)
        if top < TOP and top - space - needed < BOTTOM and needed <= TOP - BOTTOM:
            sheet.turn()
            top, space = TOP, 0.0
        top = _place(sheet, block, top - space)
        after = block.after


def _least(blocks: Sequence[Block], at: int) -> float:
    """The height without which block `at` may not begin here: itself, or itself with what it announces."""
    chain = list(takewhile(lambda block: block.keeps_next, blocks[at:]))
    announced = blocks[at + len(chain) : at + len(chain) + 1]
    spaces = sum(max(block.after, following.before) for block, following in zip(chain, blocks[at + 1 :], strict=False))
    return spaces + sum(block.height for block in chain) + sum(block.least for block in announced)


def _place(sheet: Sheet, block: Block, top: float) -> float:
    """Draw `block` from `top` down, over as many pages as it takes; answer where it ended."""
    rest: Block | None = block
    while rest is not None:
        if rest.height <= top - BOTTOM + 1e-6:
            rest.draw(sheet, LEFT, top)
            return top - rest.height
        head, rest = rest.split(top - BOTTOM, is_fresh=top == TOP)
        if head is not None:
            head.draw(sheet, LEFT, top)
        if rest is not None:
            sheet.turn()
            top = TOP
    return BOTTOM
