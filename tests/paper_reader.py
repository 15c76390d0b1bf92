"""Reads a finished paper the way others do: a screen reader its structure, an eye its pages, an inspector its ink."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import pikepdf
import pypdfium2
from pikepdf import Array, Dictionary, Name

PAINTS = frozenset("Tj TJ ' \" S s f F f* B B* b b* Do sh EI".split())


@dataclass(frozen=True)
class Element:
    """An element of the structure with the text marked for it (not that of its children)."""

    role: str
    text: str
    alt: str
    id: str
    attributes: dict[str, Any]
    pages: tuple[int, ...]
    kids: tuple[Element, ...]
    links: tuple[str, ...]

    def walk(self) -> Iterator[Element]:
        """This element and all below it, in reading order."""
        yield self
        for kid in self.kids:
            yield from kid.walk()

    def all(self, *roles: str) -> list[Element]:
        """Every element below with one of these roles."""
        return [element for element in self.walk() if element.role in roles]

    @property
    def spoken(self) -> str:
        """All the text of the element and of those below it."""
        return " ".join(element.text for element in self.walk() if element.text)


def structure(paper: bytes) -> Element:
    """The whole structure from its one root element."""
    with pikepdf.open(BytesIO(paper)) as pdf:
        texts = _marked_texts(pdf)
        numbers = {page.obj.objgen: number for number, page in enumerate(pdf.pages)}
        (root,) = pdf.Root.StructTreeRoot.K
        return _element(root, numbers, texts)


def told(paper: bytes) -> str:
    """The story as a screen reader tells it: one element a line, indented; a row of a table on one line."""
    return "\n".join(_lines(structure(paper), 0)) + "\n"


def pages_text(paper: bytes) -> list[str]:
    """What each page says to the eye, headers and footers included."""
    with pypdfium2.PdfDocument(paper) as document:
        return [page.get_textpage().get_text_range().replace("\r\n", "\n") for page in document]


def unmarked_ink(paper: bytes) -> list[str]:
    """Every stroke that belongs neither to an element nor to an artifact, and every mark no element owns."""
    faults: list[str] = []
    with pikepdf.open(BytesIO(paper)) as pdf:
        numbers = pdf.Root.StructTreeRoot.ParentTree.Nums
        owners = {int(numbers[at]): numbers[at + 1] for at in range(0, len(numbers), 2)}
        for number, page in enumerate(pdf.pages):
            depth, seen = 0, Counter[int]()
            for operands, operator in pikepdf.parse_content_stream(page):
                name = str(operator)
                if name in ("BDC", "BMC"):
                    if depth:
                        faults.append(f"page {number}: marks inside marks")
                    depth += 1
                    if operands[0] != Name.Artifact:
                        seen[int(operands[1].MCID)] += 1
                elif name == "EMC":
                    depth -= 1
                elif name in PAINTS and depth != 1:
                    faults.append(f"page {number}: {name} outside any mark")
            owned = owners[int(page.obj.StructParents)]
            if sorted(seen.elements()) != list(range(len(owned))):
                faults.append(f"page {number}: marks {sorted(seen.elements())}, owners for {len(owned)}")
            faults += [f"page {number}: mark {mcid} is not of its owner" for mcid in seen if not _owns(owned, mcid)]
    return faults


def _owns(owned: Array, mcid: int) -> bool:
    kids = owned[mcid].K
    listed = list(kids) if isinstance(kids, Array) else [kids]
    return any(int(kid.MCID if isinstance(kid, Dictionary) and "/MCID" in kid else -1) == mcid for kid in listed) or (
        mcid in [int(kid) for kid in listed if isinstance(kid, int)]
    )


def _marked_texts(pdf: pikepdf.Pdf) -> dict[tuple[int, int], str]:
    texts: defaultdict[tuple[int, int], str] = defaultdict(str)
    for number, page in enumerate(pdf.pages):
        fonts = {name: _unicode(font) for name, font in page.obj.Resources.Font.items()}
        mcid, font = None, {}
        for operands, operator in pikepdf.parse_content_stream(page, "BDC EMC Tf Tj"):
            match str(operator):
                case "BDC":
                    mcid = int(operands[1].MCID) if "/MCID" in operands[1] else None
                case "EMC":
                    mcid = None
                case "Tf":
                    font = fonts[str(operands[0])]
                case "Tj" if mcid is not None:
                    texts[number, mcid] += "".join(font[code] for code in bytes(operands[0]))
    return texts


def _unicode(font: Dictionary) -> dict[int, str]:
    """What the codes of a font mean, by its own /ToUnicode: what copying and searching go by."""
    cmap = font.ToUnicode.read_bytes().decode("ascii")
    (block,) = re.findall(r"beginbfchar(.*?)endbfchar", cmap, re.DOTALL)
    pairs = re.findall(r"<(\w+)>\s*<(\w+)>", block)
    return {int(code, 16): bytes.fromhex(meaning).decode("utf-16-be") for code, meaning in pairs}


def _element(node: Dictionary, numbers: dict[Any, int], texts: dict[tuple[int, int], str]) -> Element:
    page = numbers.get(node.Pg.objgen) if "/Pg" in node else None
    listed = node.get("/K", Array([]))
    text, kids, pages, links = "", [], [], []
    for kid in listed if isinstance(listed, Array) else [listed]:
        if not isinstance(kid, Dictionary):
            assert page is not None, "a bare mark needs the page of its element"
            text, pages = text + texts.get((page, int(kid)), ""), [*pages, page]
        elif kid.get("/Type") == Name.MCR:
            at = numbers[kid.Pg.objgen]
            text, pages = text + texts.get((at, int(kid.MCID)), ""), [*pages, at]
        elif kid.get("/Type") == Name.OBJR:
            links.append(str(kid.Obj.A.URI))
        else:
            assert kid.P.objgen == node.objgen, "a child must know its parent"
            kids.append(_element(kid, numbers, texts))
    return Element(
        role=str(node.S)[1:],
        text=" ".join(text.split()),
        alt=str(node.get("/Alt", "")),
        id=str(node.get("/ID", "")),
        attributes=dict(node.get("/A", Dictionary()).as_dict()),
        pages=tuple(pages),
        kids=tuple(kids),
        links=tuple(links),
    )


def _lines(element: Element, depth: int) -> Iterator[str]:
    indent = "  " * depth
    if element.role == "TR":
        yield f"{indent}{' | '.join(f'{cell.role} {cell.spoken}'.strip() for cell in element.kids)}"
        return
    said = " ".join(filter(None, (f"[{element.alt}]" if element.alt else element.text, *element.links)))
    yield f"{indent}{element.role}{': ' if said else ''}{said}"
    for kid in element.kids:
        yield from _lines(kid, depth + 1)
