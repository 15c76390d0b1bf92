"""A paper being filled: plain values in, in the order in which they are read; the bytes of a PDF out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Self, TypeAlias

from tender.clock import as_utc
from tender.law import Citation
from tender.letterhead import parts
from tender.letterhead.parts import Align, Bid, Prose, Signature, Strong
from tender.letterhead.words import plain
from tender.money import Money
from tender.settings import Municipality

if TYPE_CHECKING:
    from reportlab.graphics.shapes import Drawing


@dataclass(frozen=True, slots=True)
class Cell:
    """A value of a table printed bold or struck. A line through a bid speaks only to the eye: say it in words too."""

    value: str | int | Money | Citation | date | datetime
    bold: bool = False
    struck: bool = False


Value: TypeAlias = str | int | Money | Citation | date | datetime
Citations: TypeAlias = Iterable[Citation | str]


@dataclass(frozen=True, slots=True)
class Clause:
    """A numbered point: `title` in bold before the text, `items` numbered below it (1.1, 1.2 …)."""

    text: str | Sequence[str | Strong]
    title: str = ""
    citations: tuple[Citation | str, ...] = ()
    items: tuple[Clause | str, ...] = ()


@dataclass(slots=True)
class Paper:
    """A document of the municipality.

    `code` names it in the footer of every page ("Ata 001/2027"); `office` stands under the municipality's name, by
    default its secretariat; `notice` is printed at the head and in every footer ("Documento de demonstração").
    `issued_at` is the only date in the metadata: an aware datetime, from the facts, never from a clock, or the same
    facts would not give the same bytes. `title` and `municipality` go into the metadata: no personal data in them.
    Every method returns the paper, so that calls can be chained.
    """

    title: str
    subtitle: str
    code: str
    municipality: Municipality
    issued_at: datetime = field(kw_only=True)
    office: str = field(default="", kw_only=True)
    notice: str = field(default="", kw_only=True)
    language: str = field(default="pt-BR", kw_only=True)
    story: list[parts.Part] = field(default_factory=list, init=False)
    notes: list[str] = field(default_factory=list, init=False)
    stamped: parts.Stamp | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if not self.title.strip():
            raise ValueError("a paper needs a title: readers announce it")
        as_utc(self.issued_at)
        self.office = self.office or self.municipality.secretariat

    @property
    def issuer(self) -> str:
        """Who issues it, as printed at the head and in the metadata."""
        return f"Prefeitura Municipal de {self.municipality.name} — {self.municipality.state}"

    def heading(self, text: str, level: int = 2) -> Self:
        """A heading of level 2 or 3 (1 is the title). ValueError if empty or if a level would be skipped."""
        above = [part.level for part in self.story if isinstance(part, parts.Heading)][-1:] or [1]
        if level not in (2, 3) or level > above[0] + 1:
            raise ValueError(f"a heading of level {level} may not follow one of level {above[0]}")
        if not text.strip():
            raise ValueError("a heading needs words")
        return self._add(parts.Heading(text, level))

    def paragraph(self, text: str | Sequence[str | Strong], *, citations: Citations = ()) -> Self:
        """Text; "\\n" ends a line, an empty line a paragraph. Each citation is a numbered note at its end."""
        return self._add(parts.Paragraph(_prose(text), self._note(citations)))

    def facts(self, pairs: Iterable[tuple[str, Value]], *, columns: int = 0) -> Self:
        """Labels with their values beneath, in 1 to 3 columns (0 = as many as the values leave room for)."""
        if columns not in range(4):
            raise ValueError("facts stand in 1, 2 or 3 columns, or 0 to let the values decide")
        told = tuple((label, plain(value)) for label, value in pairs)
        return self._add(parts.Facts(told, columns)) if told else self

    def numbered_clauses(self, clauses: Iterable[Clause | str], *, start: int = 1) -> Self:
        """Clauses numbered from `start`; `Clause.items` are numbered beneath them."""
        items = tuple(self._clause(clause, f"{number}.") for number, clause in enumerate(clauses, start))
        return self._add(parts.Listing(items, is_numbered=True)) if items else self

    def bullets(self, lines: Iterable[str | Sequence[str | Strong]]) -> Self:
        """An unnumbered list."""
        items = tuple(parts.Item("•", "", _prose(line), (), ()) for line in lines)
        return self._add(parts.Listing(items, is_numbered=False)) if items else self

    def table(
        self,
        header: Sequence[str],
        rows: Iterable[Sequence[Value | Cell]],
        *,
        align: Sequence[Align] = (),
        widths: Sequence[float] = (),
        caption: str = "",
        when_empty: str = "Nenhum registro.",
    ) -> Self:
        """A table whose header is repeated on every page.

        `widths` are shares of the page's width (any unit), by default what the contents ask for; money and numbers go
        to the right unless `align` says otherwise. ValueError if a row has not as many values as the header.
        """
        given = [tuple(row) for row in rows]
        for number, row in enumerate(given, 1):
            if len(row) != len(header):
                raise ValueError(f"row {number} has {len(row)} values, the header {len(header)}")
        for name, option in (("align", align), ("widths", widths)):
            if len(option) not in (0, len(header)):
                raise ValueError(f"{name} has {len(option)} entries, the header {len(header)}")
        if not header or any(width <= 0 for width in widths):
            raise ValueError("a table needs columns, each wider than nothing")
        sides = tuple(align) or tuple(_side([row[at] for row in given]) for at in range(len(header)))
        cells = tuple(tuple(_cell(value) for value in row) for row in given)
        return self._add(parts.Table(tuple(header), cells, sides, tuple(widths), caption, when_empty))

    def figure(self, drawing: Drawing, *, alt: str, caption: str = "") -> Self:
        """A reportlab Drawing, made smaller if it is wider than the page. `alt` says in words what it shows."""
        if not alt.strip():
            raise ValueError("a figure needs words for who cannot see it: alt")
        return self._add(parts.Figure(drawing, alt, caption))

    def curve(
        self,
        bids: Iterable[Bid],
        *,
        opened_at: datetime,
        closed_at: datetime,
        alt: str,
        extended_from: datetime | None = None,
        caption: str = "",
    ) -> Self:
        """The curve of an auction, bids in the order received; `extended_from` shades the extensions.

        ValueError if no bid stands or the close is not after the opening: say so in words instead.
        """
        told = tuple(bids)
        if all(bid.is_withdrawn for bid in told) or as_utc(closed_at) <= as_utc(opened_at):
            raise ValueError("a curve needs a bid that stands, and a close after the opening")
        if not alt.strip():
            raise ValueError("a curve needs words for who cannot see it: alt")
        return self._add(parts.Curve(told, opened_at, closed_at, extended_from, alt, caption))

    def signatures(self, people: Iterable[Signature], *, signed: bool = True) -> Self:
        """A place for each signature, three to a line; `signed=False` leaves room for a pen."""
        named = tuple(people)
        return self._add(parts.Signatures(named, signed)) if named else self

    def notes_here(self) -> Self:
        """Put the notes here; otherwise they come at the end, before the stamp."""
        if any(isinstance(part, parts.Notes) for part in self.story):
            raise ValueError("the notes have a place already")
        return self._add(parts.Notes())

    def page_break(self) -> Self:
        """What follows (an annex) begins on a new page."""
        return self._add(parts.PageBreak())

    def stamp(
        self,
        chain: str,
        first_seq: int,
        last_seq: int,
        head_hash: str,
        verification_url: str,
        verification_code: str,
    ) -> Self:
        """Say which entries of the book the paper was made from and where to check it; printed last, with a QR code.

        `head_hash` is the hash of entry `last_seq` in lower-case hexadecimal. ValueError if the range is empty, the
        hash is no hash, or the address is not http(s).
        """
        if self.stamped is not None:
            raise ValueError("the paper is stamped already")
        if not 0 <= first_seq <= last_seq:
            raise ValueError(f"no entries from {first_seq} to {last_seq}")
        if not re.fullmatch("[0-9a-f]{16,128}", head_hash):
            raise ValueError("head_hash must be lower-case hexadecimal")
        if not re.fullmatch(r"https?://[!-~]{1,300}", verification_url):
            raise ValueError("verification_url must be a printable http(s) address")
        self.stamped = parts.Stamp(chain, first_seq, last_seq, head_hash, verification_url, verification_code)
        return self

    def build(self) -> bytes:
        """The PDF (tagged, PDF/A-2b): the same bytes for the same calls with the same values."""
        from tender.letterhead.sheet import print_paper

        return print_paper(self)

    def _add(self, part: parts.Part) -> Self:
        self.story.append(part)
        return self

    def _note(self, citations: Citations) -> tuple[int, ...]:
        numbers = []
        for citation in citations:
            text = plain(citation)
            if text not in self.notes:
                self.notes.append(text)
            numbers.append(self.notes.index(text) + 1)
        return tuple(dict.fromkeys(numbers))

    def _clause(self, clause: Clause | str, label: str) -> parts.Item:
        if isinstance(clause, str):
            return parts.Item(label, "", clause, (), ())
        notes = self._note(clause.citations)
        below = tuple(self._clause(item, f"{label}{number}.") for number, item in enumerate(clause.items, 1))
        return parts.Item(label, clause.title, _prose(clause.text), notes, below)


def _prose(text: str | Sequence[str | Strong]) -> Prose:
    return text if isinstance(text, str) else tuple(text)


def _cell(value: Value | Cell) -> parts.TableCell:
    if isinstance(value, Cell):
        return parts.TableCell(plain(value.value), value.bold, value.struck)
    return parts.TableCell(plain(value))


def _side(column: list[Value | Cell]) -> Align:
    values = [value.value if isinstance(value, Cell) else value for value in column]
    return "right" if values and all(isinstance(value, Money | int) for value in values) else "left"
