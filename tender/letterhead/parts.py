"""The parts of a paper as plain data: what `Paper` collects and `blocks` lays out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from tender.money import Money

Align = Literal["left", "right", "center"]


@dataclass(frozen=True, slots=True)
class Strong:
    """Text in bold."""

    text: str


Prose: TypeAlias = str | tuple[str | Strong, ...]
"""Text, or pieces of text some of which are bold. There is no markup: every sign is printed as it is."""


@dataclass(frozen=True, slots=True)
class Heading:
    text: str
    level: int


@dataclass(frozen=True, slots=True)
class Paragraph:
    prose: Prose
    notes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """A point of a list; `label` is "1.", "1.2." or a bullet."""

    label: str
    title: str
    prose: Prose
    notes: tuple[int, ...]
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    items: tuple[Item, ...]
    is_numbered: bool


@dataclass(frozen=True, slots=True)
class Facts:
    pairs: tuple[tuple[str, str], ...]
    columns: int  # 0 = as many as fit


@dataclass(frozen=True, slots=True)
class TableCell:
    text: str
    is_bold: bool = False
    is_struck: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    header: tuple[str, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    align: tuple[Align, ...]
    widths: tuple[float, ...]  # shares of the width of the page; empty = by content
    caption: str
    when_empty: str


@dataclass(frozen=True, slots=True)
class Figure:
    drawing: object  # reportlab.graphics.shapes.Drawing, kept untyped so that nothing is imported before build()
    alt: str
    caption: str


@dataclass(frozen=True, slots=True)
class Bid:
    """A bid on a curve; `bidder` from 1. A withdrawn one is drawn hollow and leaves the curve as it was."""

    at: datetime
    amount: Money
    bidder: int
    is_withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Curve:
    bids: tuple[Bid, ...]
    opened_at: datetime
    closed_at: datetime
    extended_from: datetime | None
    alt: str
    caption: str


@dataclass(frozen=True, slots=True)
class Signature:
    """Who signs: `name` in bold, `office` under it, `note` for how and when ("assinado gov.br 16/03/2027 15:04")."""

    name: str
    office: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Signatures:
    people: tuple[Signature, ...]
    is_signed: bool


@dataclass(frozen=True, slots=True)
class Notes:
    """Where the notes go."""


@dataclass(frozen=True, slots=True)
class PageBreak:
    """What follows begins on a new page."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """Where it comes from: entries `first_seq` to `last_seq` of `chain`, the hash of the last, where to check."""

    chain: str
    first_seq: int
    last_seq: int
    head_hash: str
    url: str
    code: str

    @property
    def address(self) -> str:
        """The URL as one would type it: without the scheme."""
        return self.url.partition("://")[2].rstrip("/")


Part: TypeAlias = (
    Heading | Paragraph | Listing | Facts | Table | Figure | Curve | Signatures | Notes | PageBreak | Stamp
)
