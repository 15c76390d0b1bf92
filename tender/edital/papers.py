"""Papers of the edital, from facts alone: the edital, its extract (aviso), and the act that justifies the permits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tender.edital.model.dossier import Dossier
from tender.edital.model.schedule import Dated
from tender.edital.model.statement import Section, justification, notice, statement
from tender.edital.model.terms import Terms
from tender.ledger import Entry
from tender.letterhead import Clause, Paper, verification_code
from tender.settings import Settings


@dataclass(frozen=True, slots=True)
class Ground:
    """What the papers are made of: the entry that froze the terms, the terms as they now stand, dates, dossier."""

    entry: Entry
    terms: Terms
    published_at: datetime | None
    dated: Sequence[Dated]
    dossier: Dossier
    settings: Settings

    def address(self, path: str = "") -> str:
        """An address of this tender."""
        return f"{self.settings.base_url}/l/{self.terms.edital}{path}"


def edital(source: Ground) -> bytes:
    """The whole edital as PDF/A-2b."""
    number = source.terms.edital.replace("-", "/")
    return _paper(source, f"Edital {number}", statement(source.terms, source.published_at, source.dated))


def aviso(source: Ground) -> bytes:
    """The extract for gazette and newspaper (Lei 14.133 art. 54 § 1º)."""
    number = source.terms.edital.replace("-", "/")
    parts = notice(source.terms, source.published_at, source.dated, source.address())
    return _paper(source, f"Aviso do edital {number}", parts)


def act(source: Ground) -> bytes:
    """The act that justifies the permits (Lei 8.987 art. 5º)."""
    number = source.terms.edital.replace("-", "/")
    return _paper(source, f"Ato justificativo do edital {number}", justification(source.terms, source.dossier))


def _paper(source: Ground, title: str, sections: Sequence[Section]) -> bytes:
    settings, entry = source.settings, source.entry
    paper = Paper(
        title,
        source.terms.title,
        title,
        settings.municipality,
        issued_at=entry.at,
        notice="Documento de demonstração" if settings.is_demo else "",
    )
    for section in sections:
        _print(paper, section)
    paper.stamp(entry.chain, entry.seq, entry.seq, entry.hash, source.address("/livro"), verification_code(entry.hash))
    return paper.build()


def _print(paper: Paper, section: Section) -> None:
    paper.heading(section.title)
    paper.facts(section.facts, columns=1)
    if section.header:
        paper.table(section.header, section.rows, widths=_WIDTHS.get(section.header[0], ()))
    paper.numbered_clauses([Clause(one.text, citations=one.law) for one in section.clauses])


_WIDTHS = {"Ponto": (8, 20, 30, 9, 16, 17)}
