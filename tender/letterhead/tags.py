"""What a screen reader is told: the structure of a paper, beside its ink.

The blocks build the tree in reading order while they are laid out and hang their marked content in it while they are
drawn; `write` puts the tree into the finished PDF (ISO 32000-1 § 14.7-14.8, PDF 1.7 roles only, so no role map).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pikepdf import Dictionary, Object, Pdf

Attributes = dict[str, dict[str, Any]]
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked-content sequence: page from 0, and its number on that page."""

    page: int
    mcid: int


@dataclass(frozen=True, slots=True)
class Link:
    """A link annotation: `box` in points from the lower left corner of `page`; `label` is what it says aloud."""

    page: int
    box: Box
    url: str
    label: str


@dataclass(slots=True, eq=False)
class Node:
    """An element of the structure. `attributes` by owner, as {"Table": {"Scope": "/Column"}}; "/Column" is a name."""

    role: str
    alt: str = ""
    id: str = ""
    attributes: Attributes = field(default_factory=dict)
    kids: list[Node | Mark | Link] = field(default_factory=list)

    def add(self, role: str, **more: Any) -> Node:
        """A new last child."""
        child = Node(role, **more)
        self.kids.append(child)
        return child

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in reading order."""
        yield self
        for kid in self.kids:
            if isinstance(kid, Node):
                yield from kid.walk()


@dataclass(frozen=True, slots=True)
class Outline:
    """A bookmark: `level` from 1, `top` in points from the bottom of `page`."""

    title: str
    level: int
    page: int
    top: float


def write(pdf: Pdf, document: Node, outlines: list[Outline]) -> None:
    """Put the tree, its parent tree, the links and the bookmarks into `pdf`."""
    _Writer(pdf).write(document)
    _write_outlines(pdf, outlines)


class _Writer:
    def __init__(self, pdf: Pdf) -> None:
        self.pdf = pdf
        self.pages = list(pdf.pages)
        self.marked: defaultdict[int, dict[int, Object]] = defaultdict(dict)
        self.linked: list[Object] = []
        self.named: dict[str, Object] = {}

    def write(self, document: Node) -> None:
        from pikepdf import Array, Dictionary, Name, String

        root = self.pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot))
        root.K = Array([self._element(document, root)])
        entries: list[Any] = []
        for number in range(len(self.pages)):
            found = self.marked[number]
            entries += [number, self.pdf.make_indirect(Array([found[mcid] for mcid in range(len(found))]))]
            self.pages[number].obj.StructParents = number
            self.pages[number].obj.Tabs = Name.S
        for number, element in enumerate(self.linked, start=len(self.pages)):
            entries += [number, element]
        root.ParentTree = self.pdf.make_indirect(Dictionary(Nums=Array(entries)))
        root.ParentTreeNextKey = len(self.pages) + len(self.linked)
        if self.named:
            names = [item for key in sorted(self.named) for item in (String(key), self.named[key])]
            root.IDTree = self.pdf.make_indirect(Dictionary(Names=Array(names)))
        self.pdf.Root.StructTreeRoot = root
        self.pdf.Root.MarkInfo = Dictionary(Marked=True)

    def _element(self, node: Node, parent: Object) -> Object:
        from pikepdf import Array, Dictionary, Name, String

        element = self.pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name("/" + node.role), P=parent))
        if node.alt:
            element.Alt = String(node.alt)
        if node.id:
            element.ID = String(node.id)
            self.named[node.id] = element
        if node.attributes:
            owners = [_attributes(owner, values) for owner, values in node.attributes.items()]
            element.A = owners[0] if len(owners) == 1 else Array(owners)
        on_page = {kid.page for kid in node.kids if isinstance(kid, Mark)}
        if len(on_page) == 1:
            element.Pg = self.pages[on_page.copy().pop()].obj
        kids = [self._kid(kid, element, len(on_page) == 1) for kid in node.kids]
        if kids:
            element.K = kids[0] if len(kids) == 1 else Array(kids)
        return element

    def _kid(self, kid: Node | Mark | Link, element: Object, is_single_page: bool) -> Any:
        from pikepdf import Dictionary, Name

        if isinstance(kid, Node):
            return self._element(kid, element)
        page = self.pages[kid.page].obj
        if isinstance(kid, Mark):
            self.marked[kid.page][kid.mcid] = element
            return kid.mcid if is_single_page else Dictionary(Type=Name.MCR, Pg=page, MCID=kid.mcid)
        return Dictionary(Type=Name.OBJR, Pg=page, Obj=self._annotation(kid, element, page))

    def _annotation(self, link: Link, element: Object, page: Object) -> Object:
        from pikepdf import Array, Dictionary, Name, String

        annotation = self.pdf.make_indirect(
            Dictionary(
                Type=Name.Annot,
                Subtype=Name.Link,
                Rect=Array([round(side, 3) for side in link.box]),
                Border=Array([0, 0, 0]),
                F=4,  # Print: PDF/A wants it set (ISO 19005-2 § 6.3.2)
                Contents=String(link.label),
                A=Dictionary(S=Name.URI, URI=String(link.url)),
                StructParent=len(self.pages) + len(self.linked),
            )
        )
        self.linked.append(element)
        if "/Annots" not in page:
            page.Annots = Array()
        page.Annots.append(annotation)
        return annotation


def _attributes(owner: str, values: dict[str, Any]) -> Dictionary:
    from pikepdf import Array, Dictionary, Name

    written = Dictionary(O=Name("/" + owner))
    for key, value in values.items():
        is_name = isinstance(value, str) and value.startswith("/")
        written["/" + key] = Name(value) if is_name else Array(value) if isinstance(value, list) else value
    return written


def _write_outlines(pdf: Pdf, outlines: list[Outline]) -> None:
    from pikepdf import OutlineItem, PageLocation

    if not outlines:
        return
    with pdf.open_outline() as outline:
        above: list[OutlineItem] = []
        for entry in outlines:
            item = OutlineItem(entry.title, entry.page, PageLocation.XYZ, left=0, top=round(entry.top, 3), zoom=0)
            del above[entry.level - 1 :]
            (above[-1].children if above else outline.root).append(item)
            above.append(item)
