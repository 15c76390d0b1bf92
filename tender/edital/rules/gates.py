"""The decision to publish: another person than the author, exactly what was read, and every gate open."""

from __future__ import annotations

from typing import Any

from tender.acts import Refusal, Turn
from tender.edital.model import Edital, EditalPublished, PublishEdital, Status
from tender.edital.model.gates import faults
from tender.law import L14133


def publish_edital(state: Edital, command: PublishEdital, turn: Turn) -> list[Any]:
    """Another person than the author publishes, and publishes exactly what was read (Lei 14.133 art. 54)."""
    if state.status is not Status.DRAFT or state.terms is None:
        raise Refusal("Só um rascunho pode ser publicado.", L14133(54), code="nao_e_rascunho")
    if turn.by == state.drafted_by:
        raise Refusal("Quem redigiu o edital não o publica.", L14133(7, 1), code="mesma_pessoa")
    if command.terms_sha256 != turn.known["terms_sha256"]:
        raise Refusal(
            "O rascunho mudou depois que você o leu. Leia de novo e publique.",
            L14133(54),
            code="rascunho_mudou",
            field="hash dos termos",
            got=command.terms_sha256,
            passes=str(turn.known["terms_sha256"]),
        )
    closed = faults(state.terms, state.dossier, turn.known["surroundings"])
    if closed:
        first = closed[0]
        rest = f" (e mais {len(closed) - 1})" if len(closed) > 1 else ""
        raise Refusal(
            f"{first.gate}: {first.missing}{rest}.",
            first.law,
            code=first.gate.lower(),
            field=first.gate,
            got=first.got,
            passes=first.passes,
        )
    return [EditalPublished(state.terms, command.terms_sha256)]
