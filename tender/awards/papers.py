"""Papers of the award, from facts (and names, once they may be known)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tender.awards.model import DesistenciaSigned
from tender.law import L14133, MUN
from tender.ledger import Entry
from tender.letterhead import Paper, amount, moment, verification_code
from tender.settings import Settings


@dataclass(frozen=True, slots=True)
class Scene:
    """What a paper says besides the fact: edital, stand, its name, and pseudonym -> name."""

    edital: str
    stand: int
    stand_name: str
    names: Mapping[str, str]


def desistencia(entry: Entry, scene: Scene, settings: Settings) -> bytes:
    """The Termo de Desistência as PDF/A-2b (art. 4º § 3º); `entry` is its `DesistenciaSigned`."""
    fact: DesistenciaSigned = entry.fact
    paper = Paper(
        "Termo de Desistência",
        f"Edital {scene.edital} · Ponto {scene.stand} — {scene.stand_name}",
        f"Termo de Desistência {scene.edital}/{scene.stand}-{fact.place}",
        settings.municipality,
        issued_at=entry.at,
        notice="Documento de demonstração" if settings.is_demo else "",
    )
    paper.facts(
        [
            ("Desistente", scene.names.get(fact.bidder, "")),
            ("Colocação", f"{fact.place}º lugar"),
            ("Valor oferecido", amount(fact.amount)),
            ("Assinado", moment(entry.at)),
        ],
        columns=2,
    )
    paper.paragraph(
        "Declaro que não tenho interesse na permissão deste ponto e dela desisto. Sei que, com esta assinatura, "
        "o colocado seguinte, que ofereceu o maior valor depois do meu, é chamado em meu lugar.",
        citations=(MUN(4, 3),),
    )
    paper.paragraph(
        "Este termo registra o momento da desistência. Por si só não aplica penalidade nem afasta a apuração "
        "prevista em lei.",
        citations=(L14133(155, None, "VI"),),
    )
    url = f"{settings.base_url}/l/{scene.edital}/livro"
    paper.stamp(entry.chain, entry.seq, entry.seq, entry.hash, url, verification_code(entry.hash))
    return paper.build()
