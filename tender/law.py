"""The law as data: citations, the statutes by name, and the text of a statute.

A citation is a value and it is the name of the thing it speaks of: a requirement *is* ``MUN(4, 1, "III")``.
Nothing here reads a file: the text arrives as plain data (``Statute.from_plain``), how doubtful provisions are read
is in ``tender.readings``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cached_property, total_ordering
from itertools import pairwise
from typing import Any, Final

SOLE: Final = "único"
CAPUT: Final = "caput"

_SUFFIXED = re.compile(r"([1-9][0-9]*)(?:-([A-Z]))?")
_ITEM = re.compile(r"([IVXLCDM]+)(?:-([A-Z]))?")
_ANCHOR = re.compile(
    r"art-(?P<article>[1-9][0-9]*[a-z]?)"
    r"(?:-(?P<paragraph>caput|punico|p[1-9][0-9]*[a-z]?))?"
    r"(?:-(?P<item>[IVXLCDM]+[a-z]?))?"
    r"(?:-(?P<letter>[a-z]))?"
)
_ROMAN = re.compile(r"(?=.)M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})")
_DIGITS: Final = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


@dataclass(frozen=True, slots=True)
class Source:
    """A statute by name. Called with the place in it, it makes a ``Citation``: ``MUN(4, 1, "III")``."""

    slug: str
    title: str
    printed: str
    preposition: str

    def __call__(
        self,
        article: int | str,
        paragraph: int | str | None = None,
        item: str | None = None,
        letter: str | None = None,
    ) -> Citation:
        return Citation(self.slug, article, paragraph, item, letter)


SOURCES: dict[str, Source] = {}


def statute(title: str, *, slug: str = "", printed: str = "") -> Source:
    """Name a statute once; the answer makes its citations.

    ``statute("Lei nº 14.133/2021")`` has slug ``lei-14133-2021``; ``printed`` is the name at the end of a citation, by
    default the title up to its parenthesis. ValueError if the slug is taken or cannot be made.
    """
    name = slug or _slug(title)
    if name in SOURCES:
        raise ValueError(f"norma repetida: {name!r}")
    shown = printed or title.partition(" (")[0]
    SOURCES[name] = Source(name, title, shown, "do" if shown.startswith(("Decreto", "Código")) else "da")
    return SOURCES[name]


def _slug(title: str) -> str:
    found = re.match(r"(Lei Complementar|Lei|Decreto)(?: Municipal)? nº ([0-9.]+)/([0-9]{4})", title)
    if found is None:
        raise ValueError(f"norma sem abreviatura: {title!r}; informe slug=, por exemplo slug='cf-1988'")
    return "-".join(found.groups()).lower().replace(".", "").replace(" ", "-")


def roman_value(text: str) -> int:
    """The value of a well-formed roman numeral ("XIV" -> 14); ValueError for anything else ("IIII", "iv", "")."""
    if not _ROMAN.fullmatch(text):
        raise ValueError(f"inciso não está em algarismos romanos: {text!r}")
    values = [_DIGITS[sign] for sign in text]
    return sum(-one if one < after else one for one, after in pairwise([*values, 0]))


@total_ordering
@dataclass(frozen=True, slots=True)
class Citation:
    """A place in a statute. Frozen, hashable, ordered as the statute runs.

    ``statute`` is the slug of a ``Source``; ``article`` 4 or "12-A"; ``paragraph`` 1, "1-A", "único", "caput" or None;
    ``item`` an inciso in roman numerals, "III" or "III-A"; ``letter`` an alínea, "a". ValueError if it cannot exist.
    ``MUN(4)`` is the whole article, ``MUN(4, "caput")`` its head alone; an inciso of the head needs no "caput".
    """

    statute: str
    article: int | str
    paragraph: int | str | None = None
    item: str | None = None
    letter: str | None = None

    def __post_init__(self) -> None:
        if self.statute not in SOURCES:
            raise ValueError(f"norma desconhecida: {self.statute!r}; conhecidas: {', '.join(sorted(SOURCES))}")
        object.__setattr__(self, "article", _number(self.article, "artigo"))
        if self.paragraph is not None and self.paragraph not in (SOLE, CAPUT):
            object.__setattr__(self, "paragraph", _number(self.paragraph, "parágrafo"))
        if self.item is not None:
            _item_parts(self.item)
        if self.letter is not None and not re.fullmatch("[a-z]", str(self.letter)):
            raise ValueError(f'alínea impossível: {self.letter!r}; use uma letra minúscula, como "a"')
        if self.paragraph == CAPUT and (self.item or self.letter):
            object.__setattr__(self, "paragraph", None)

    @property
    def source(self) -> Source:
        return SOURCES[self.statute]

    @property
    def short(self) -> str:
        """The place without the statute: ``art. 4º, § 1º, III``."""
        parts = [f"art. {_ordinal(self.article)}"]
        if self.paragraph == SOLE:
            parts.append("parágrafo único")
        elif self.paragraph == CAPUT:
            parts.append(CAPUT)
        elif self.paragraph is not None:
            parts.append(f"§ {_ordinal(self.paragraph)}")
        if self.item is not None:
            parts.append(self.item)
        if self.letter is not None:
            parts.append(f'"{self.letter}"')
        return ", ".join(parts)

    def __str__(self) -> str:
        joint = "" if self.parent is None else ","
        return f"{self.short}{joint} {self.source.preposition} {self.source.printed}"

    @property
    def anchor(self) -> str:
        """The id of the place inside its statute: ``art-4-p1-III``, ``art-24-punico``, ``art-12a-p1``."""
        parts = ["art", _joined(str(self.article))]
        if self.paragraph is not None:
            mark = {SOLE: "punico", CAPUT: "caput"}.get(str(self.paragraph))
            parts.append(mark or f"p{_joined(str(self.paragraph))}")
        parts += [_joined(self.item)] if self.item else []
        parts += [self.letter] if self.letter else []
        return "-".join(parts)

    @property
    def key(self) -> str:
        """What the book writes: ``lei-724-2008#art-4-p1-III``. ``Citation.parse`` reads it back."""
        return f"{self.statute}#{self.anchor}"

    @property
    def fragment(self) -> str:
        """The id of the place on the page ``/lei``: the anchor, after the statute if that is not the municipal one."""
        return self.anchor if self.statute == MUN.slug else f"{self.statute}-{self.anchor}"

    @property
    def parent(self) -> Citation | None:
        """The place that contains this one (inciso -> paragraph -> article), None for an article."""
        if self.letter is not None:
            return Citation(self.statute, self.article, self.paragraph, self.item)
        if self.item is not None:
            return Citation(self.statute, self.article, self.paragraph)
        return Citation(self.statute, self.article) if self.paragraph is not None else None

    def ancestors(self) -> Iterator[Citation]:
        """The places that contain this one, nearest first."""
        above = self.parent
        while above is not None:
            yield above
            above = above.parent

    @classmethod
    def parse(cls, key: str) -> Citation:
        """Read a ``key``; ValueError says what is wrong with it."""
        slug, mark, anchor = key.partition("#")
        found = _ANCHOR.fullmatch(anchor)
        if not mark or found is None:
            raise ValueError(f"citação ilegível: {key!r}; passaria, por exemplo, 'lei-724-2008#art-4-p1-III'")
        article, paragraph, item, letter = found.group("article", "paragraph", "item", "letter")
        if paragraph is not None:
            paragraph = {"punico": SOLE, "caput": CAPUT}.get(paragraph) or _split(paragraph[1:])
        return cls(slug, _split(article), paragraph, _split(item) if item else None, letter)

    def _order(self) -> tuple[object, ...]:
        inside_head = self.paragraph is None and (self.item or self.letter)
        words = {"None": (0, CAPUT if inside_head else ""), CAPUT: (0, CAPUT), SOLE: (1, SOLE)}
        return (
            self.statute,
            _number_parts(self.article),
            words.get(str(self.paragraph)) or _number_parts(str(self.paragraph)),
            _item_parts(self.item) if self.item else (0, ""),
            self.letter or "",
        )

    def __lt__(self, other: Citation) -> bool:
        return self._order() < other._order()


def _number(value: int | str, what: str) -> int | str:
    if isinstance(value, bool) or not isinstance(value, int | str) or not _SUFFIXED.fullmatch(str(value)):
        raise ValueError(f'{what} impossível: {value!r}; use um número a partir de 1, ou "12-A"')
    return int(value) if str(value).isdigit() else value


def _number_parts(value: int | str) -> tuple[int, str]:
    number, _, suffix = str(value).partition("-")
    return int(number), suffix


def _item_parts(item: str) -> tuple[int, str]:
    found = _ITEM.fullmatch(item) if isinstance(item, str) else None
    if found is None:
        raise ValueError(f'inciso impossível: {item!r}; use algarismos romanos, como "III" ou "III-A"')
    return roman_value(found[1]), found[2] or ""


def _ordinal(value: int | str) -> str:
    number, suffix = _number_parts(value)
    return f"{number}{'º' if number < 10 else ''}{f'-{suffix}' if suffix else ''}"


def _joined(part: str) -> str:
    number, _, suffix = part.partition("-")
    return number + suffix.lower()


def _split(part: str) -> str:
    return f"{part[:-1]}-{part[-1].upper()}" if part[-1].islower() else part


MUN: Final = statute("Lei Municipal nº 724/2008", printed="Lei nº 724/2008")
CF: Final = statute("Constituição Federal", slug="cf-1988")
L8666: Final = statute("Lei nº 8.666/1993")
L8987: Final = statute("Lei nº 8.987/1995")
CTB: Final = statute("Lei nº 9.503/1997 (CTB)", printed="Código de Trânsito Brasileiro")
L10520: Final = statute("Lei nº 10.520/2002")
LC123: Final = statute("Lei Complementar nº 123/2006")
LAI: Final = statute("Lei nº 12.527/2011 (Lei de Acesso à Informação)")
L12468: Final = statute("Lei nº 12.468/2011")
L12587: Final = statute("Lei nº 12.587/2012")
L13146: Final = statute("Lei nº 13.146/2015")
LGPD: Final = statute("Lei nº 13.709/2018 (Lei Geral de Proteção de Dados Pessoais)")
D10024: Final = statute("Decreto nº 10.024/2019")
L14063: Final = statute("Lei nº 14.063/2020")
L14129: Final = statute("Lei nº 14.129/2021")
L14133: Final = statute("Lei nº 14.133/2021")
IN73: Final = statute("Instrução Normativa SEGES/ME nº 73/2022", slug="in-seges-me-73-2022")
D11461: Final = statute("Decreto nº 11.461/2023")
L15271: Final = statute("Lei nº 15.271/2025")
MP2200: Final = statute("Medida Provisória nº 2.200-2/2001", slug="mp-2200-2-2001")


class Transcription(StrEnum):
    """How near the text is to the printed statute."""

    LITERAL = "literal"
    PARAPHRASE = "paraphrase"


@dataclass(frozen=True, slots=True)
class Node:
    """One provision: its text in Portuguese, how faithful it is, what is doubtful, and what hangs below it.

    ``heading`` opens a group of articles (ours, not the statute's); ``codes`` are the penalty codes of an infraction;
    ``table`` has its header first; ``since`` is the day this wording came into force; ``taken_from`` is where it was
    read, if not where the rest of the statute was.
    """

    citation: Citation
    text: str
    transcription: Transcription
    doubt: str = ""
    heading: str = ""
    taken_from: str = ""
    since: date | None = None
    codes: tuple[str, ...] = ()
    table: tuple[tuple[str, ...], ...] = ()
    children: tuple[Node, ...] = ()

    @property
    def label(self) -> str:
        """How the statute itself marks the place: ``Art. 4º``, ``§ 1º``, ``Parágrafo único``, ``III``, ``a)``."""
        last = self.citation.short.rpartition(", ")[2]
        return f"{self.citation.letter})" if self.citation.letter else last[0].upper() + last[1:]

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in the order of the statute."""
        yield self
        for child in self.children:
            yield from child.walk()

    @classmethod
    def from_plain(cls, slug: str, data: Mapping[str, Any]) -> Node:
        """A node from plain data; ``at`` is the anchor. ValueError names the place and what is wrong with it."""
        citation = Citation.parse(f"{slug}#{data.get('at', '')}")
        known = {"at", *cls.__slots__} - {"citation"}
        if not data.keys() <= known:
            raise ValueError(f"{citation.key}: campo desconhecido {sorted(data.keys() - known)}; há {sorted(known)}")
        text = data.get("text", "")
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"{citation.key}: sem texto")
        children = tuple(cls.from_plain(slug, child) for child in data.get("children", ()))
        _refuse_disorder(citation, children)
        return cls(
            citation=citation,
            text=text,
            transcription=Transcription(data.get("transcription", "")),
            doubt=data.get("doubt", ""),
            heading=data.get("heading", ""),
            taken_from=data.get("taken_from", ""),
            since=date.fromisoformat(data["since"]) if "since" in data else None,
            codes=tuple(data.get("codes", ())),
            table=tuple(tuple(row) for row in data.get("table", ())),
            children=children,
        )


def _refuse_disorder(parent: Citation | None, nodes: Sequence[Node]) -> None:
    for node in nodes:
        if parent is not None and parent not in node.citation.ancestors():
            raise ValueError(f"{node.citation.key}: não está dentro de {parent.key}")
    for before, after in pairwise(nodes):
        if not before.citation < after.citation:
            raise ValueError(f"{after.citation.key}: repetido ou fora de ordem, depois de {before.citation.key}")


@dataclass(frozen=True)
class Statute:
    """The text of one statute, whole or only the provisions we cite (``is_whole``)."""

    source: Source
    note: str
    taken_from: str
    is_whole: bool
    articles: tuple[Node, ...]

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Statute:
        """From the plain data of ``static/law/*.json``; ValueError names the place and what is wrong with it."""
        slug = data["statute"]
        if slug not in SOURCES:
            raise ValueError(f"norma desconhecida: {slug!r}; conhecidas: {', '.join(sorted(SOURCES))}")
        articles = tuple(Node.from_plain(slug, article) for article in data["articles"])
        _refuse_disorder(None, articles)
        return cls(SOURCES[slug], data["note"], data["taken_from"], data["whole"], articles)

    def nodes(self) -> Iterator[Node]:
        """Every provision in the order of the statute."""
        for article in self.articles:
            yield from article.walk()

    @cached_property
    def _by_citation(self) -> dict[Citation, Node]:
        return {node.citation: node for node in self.nodes()}

    def exists(self, citation: Citation) -> bool:
        """Whether the text has this very place (the caput counts as its article's)."""
        return _place(citation) in self._by_citation

    def node(self, citation: Citation) -> Node:
        """The provision at this place; KeyError with the printed citation if the text does not have it."""
        if not self.exists(citation):
            raise KeyError(f"não há {citation} no texto transcrito")
        return self._by_citation[_place(citation)]


def _place(citation: Citation) -> Citation:
    return Citation(citation.statute, citation.article) if citation.paragraph == CAPUT else citation


@dataclass(frozen=True)
class Statutes:
    """All the texts together, by the slug of their source: the municipal statute and what is cited of the others."""

    by_slug: Mapping[str, Statute]

    @classmethod
    def from_plain(cls, *texts: Mapping[str, Any]) -> Statutes:
        """From one or more files: each is one statute, or many under ``statutes``. ValueError for a repeated one."""
        every = [Statute.from_plain(one) for text in texts for one in text.get("statutes", (text,))]
        by_slug = {one.source.slug: one for one in every}
        if len(by_slug) != len(every):
            raise ValueError("norma repetida entre os textos")
        return cls(by_slug)

    def __iter__(self) -> Iterator[Statute]:
        return iter(self.by_slug.values())

    def exists(self, citation: Citation) -> bool:
        return citation.statute in self.by_slug and self.by_slug[citation.statute].exists(citation)

    def node(self, citation: Citation) -> Node:
        """As ``Statute.node``, in whichever statute the citation names."""
        if not self.exists(citation):
            raise KeyError(f"não há {citation} nos textos transcritos")
        return self.by_slug[citation.statute].node(citation)
