"""Papers of the edital, from facts alone."""

from __future__ import annotations

from tender.edital.model import DURATION_OF_PERMIT, JUSTIFICATION, EditalPublished
from tender.law import L14133, MUN
from tender.ledger import Entry
from tender.letterhead import Clause, Paper, moment, verification_code
from tender.money import brl
from tender.settings import Settings


def edital(entry: Entry, settings: Settings) -> bytes:
    """The published edital as PDF/A-2b; `entry` is its `EditalPublished`."""
    fact: EditalPublished = entry.fact
    terms = fact.terms
    paper = Paper(
        f"Edital {terms.edital}",
        terms.title,
        f"Edital {terms.edital}",
        settings.municipality,
        issued_at=entry.at,
        notice="Documento de demonstração" if settings.is_demo else "",
    )
    paper.facts(
        [
            ("Processo", terms.process_number),
            ("Publicado", moment(entry.at)),
            ("Inscrições", f"de {moment(terms.applications_open_at)} até {moment(terms.applications_close_at)}"),
            ("Sessão pública", moment(terms.session_at)),
        ],
        columns=2,
    )
    paper.heading("Pontos oferecidos")
    paper.table(
        ("Ponto", "Nome", "Endereço", "Vagas", "Lance mínimo", "Decreto"),
        [(one.number, one.name, one.address, one.places, one.floor, one.decree) for one in terms.stands],
        widths=(8, 20, 30, 9, 16, 17),
    )
    paper.heading("Regras da disputa")
    minutes, window = terms.open_stage_seconds // 60, terms.window_seconds
    paper.numbered_clauses(
        [
            Clause("Vence quem oferecer o maior valor entre os habilitados.", citations=(MUN(4),)),
            Clause(
                f"A etapa aberta dura {minutes} minutos. Lance nos últimos {window} segundos prorroga a disputa "
                f"por {window} segundos, contados conforme {terms.anchor.value.replace('_', ' ')}.",
                citations=(L14133(56),),
            ),
            Clause(f"O intervalo mínimo entre lances é {brl(terms.step)}.", citations=(L14133(57),)),
            Clause(
                f"Cada licitante pode desfazer um lance por ponto em até {terms.undo_seconds} segundos.",
            ),
            Clause(
                "Quem não tiver interesse assina o Termo de Desistência e o segundo colocado é chamado.",
                citations=(MUN(4, 3),),
            ),
            Clause(f"A permissão vale {terms.term_years} anos.", citations=(DURATION_OF_PERMIT, JUSTIFICATION)),
        ]
    )
    url = f"{settings.base_url}/l/{terms.edital}/livro"
    paper.stamp(entry.chain, entry.seq, entry.seq, entry.hash, url, verification_code(entry.hash))
    return paper.build()
