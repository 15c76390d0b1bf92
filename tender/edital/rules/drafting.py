"""Decisions about the draft: what can be written at all. What may be *published* is for the gates."""

from __future__ import annotations

from typing import Any

from tender.acts import Refusal, Turn
from tender.clock import day_of
from tender.edital.model import DraftEdital, Edital, EditalDrafted, Status
from tender.edital.model.clauses import OFFERED_MODES
from tender.edital.model.dossier import (
    DecideWarning,
    Decision,
    FilePaper,
    PaperFiled,
    ProofRecorded,
    RecordProof,
    WarningDecided,
)
from tender.edital.model.gates import WARNINGS, needs_opinion
from tender.edital.model.terms import Terms
from tender.law import IN73, L14133, MUN

STANDS_MAX = 60
"""Each stand is a consequence of the publication, and of the habilitation: the desk performs 64 at once."""


def draft_edital(state: Edital, command: DraftEdital, turn: Turn) -> list[Any]:
    """A draft may be rewritten until it is published (art. 3º)."""
    if state.status not in (Status.NONE, Status.DRAFT):
        raise Refusal("Este edital já foi publicado. Mude-o por retificação.", L14133(55, 1), code="ja_publicado")
    check_draft(command.edital, command.terms, may_be_empty=True)
    return [EditalDrafted(command.terms, turn.by)]


def check_draft(edital: str, terms: Terms, may_be_empty: bool = False) -> None:
    """What no version of an edital may say, the first draft as little as an amendment (Refusal).

    `may_be_empty`: a draft begins without stands; the gate of art. 10 keeps it from being published so.
    """
    if not terms.stands and not may_be_empty:
        raise Refusal("O edital precisa oferecer ao menos um ponto.", MUN(10), field="pontos", passes="1 ponto ou mais")
    if not edital or not all(sign.isascii() and (sign.isalnum() or sign in "-.") for sign in edital):
        raise Refusal(
            "O número do edital só leva letras, algarismos, hífen e ponto.",
            MUN(3),
            code="numero_invalido",
            field="edital",
            got=edital,
            passes="001-2027",
        )
    if terms.edital != edital:
        raise Refusal(
            "Estes termos são de outro edital.",
            MUN(3),
            code="outro_edital",
            field="edital",
            got=terms.edital,
            passes=edital,
        )
    _check_terms(terms)
    _check_times(terms)


def _check_terms(terms: Terms) -> None:
    if terms.switches.mode not in OFFERED_MODES:
        raise Refusal(
            "A lei permite este modo de disputa, mas este sistema ainda não o realiza.",
            L14133(56),
            code="modo_nao_oferecido",
            field="modo de disputa",
            got=terms.switches.mode.value,
            passes=" ou ".join(mode.value for mode in OFFERED_MODES),
        )
    if len(terms.stands) > STANDS_MAX:
        raise Refusal(f"Um edital oferece até {STANDS_MAX} pontos. Divida-o em dois.", MUN(10), field="pontos")
    if terms.applications_close_at <= terms.applications_open_at:
        raise Refusal("As inscrições devem terminar depois de começar.", L14133(55), field="fim das inscrições")
    if terms.session_at <= terms.applications_close_at:
        raise Refusal("A sessão deve ser depois do fim das inscrições.", L14133(17, 1), field="sessão")
    if terms.step.centavos <= 0:
        raise Refusal("O intervalo entre lances deve ser maior que zero.", L14133(57), field="intervalo")
    if terms.whole_reais and terms.step.centavos % 100:
        raise Refusal("Com lances em reais inteiros, o intervalo também é.", L14133(57), field="intervalo")
    seen: set[int] = set()
    for stand in terms.stands:
        if stand.number in seen:
            raise Refusal(f"O ponto {stand.number} aparece duas vezes.", MUN(10), field="pontos")
        seen.add(stand.number)
        if stand.floor.centavos <= 0:
            raise Refusal(f"O lance mínimo do ponto {stand.number} deve ser maior que zero.", MUN(4), field="mínimo")
        if terms.whole_reais and stand.floor.centavos % 100:
            raise Refusal("Com lances em reais inteiros, o lance mínimo também é.", MUN(4), field="mínimo")
        if not stand.decree:
            raise Refusal(f"Falta o decreto que criou o ponto {stand.number}.", MUN(10), field="decreto")


def _check_times(terms: Terms) -> None:
    # No extension at all is a close that everybody can see coming; an empty open stage or call is a trap.
    least = (
        ("etapa aberta", L14133(56), terms.open_stage_seconds, 1, "segundo"),
        ("prorrogação", L14133(56), terms.window_seconds, 0, "segundos"),
        ("cancelamento de lance", IN73(21, 3), terms.withdraw_seconds, 0, "segundos"),
        ("resposta à convocação", L14133(90), terms.call_hours, 1, "hora"),
    )
    for field, law, length, floor, unit in least:
        if length < floor:
            raise Refusal(
                f"O prazo de {field} é curto demais.",
                law,
                code="prazo_curto",
                field=field,
                got=str(length),
                passes=f"{floor} {unit} ou mais",
            )


def file_paper(state: Edital, command: FilePaper, turn: Turn) -> list[Any]:
    """A document with its number, dated today or before."""
    _drafting(state)
    if not command.filed.number.strip():
        raise Refusal("Escreva o número do documento.", L14133(18), field="número", passes="Portaria 12/2027")
    _not_ahead("documento", command.filed.day, turn)
    return [PaperFiled(command.filed)]


def decide_warning(state: Edital, command: DecideWarning, turn: Turn) -> list[Any]:
    """Keep, adjust, or by an opinion whose number is written."""
    _drafting(state)
    known = [one.code for one in WARNINGS]
    if command.warning not in known:
        raise Refusal("Este alerta não existe.", L14133(18), field="alerta", got=command.warning, passes="W-01 a W-22")
    if needs_opinion(command.choice, command.note):
        raise Refusal(
            "Escreva o número do parecer.", L14133(53), code="sem_parecer", field="parecer", passes="parecer nº 12/2027"
        )
    return [WarningDecided(Decision(command.warning, command.choice, command.note.strip(), turn.by))]


def record_proof(state: Edital, command: RecordProof, turn: Turn) -> list[Any]:
    """Where, under which number, on which day; the clock starts with the last of the three (art. 54)."""
    _drafting(state)
    if not command.proof.number.strip():
        raise Refusal("Escreva o número da publicação.", L14133(54), field="número", passes="nº do PNCP ou da edição")
    _not_ahead("publicação", command.proof.day, turn)
    after = state.dossier.after(ProofRecorded(command.proof, None))
    return [ProofRecorded(command.proof, after.clock_starts_on)]


def _drafting(state: Edital) -> None:
    if state.status is not Status.DRAFT:
        raise Refusal("Só um rascunho recebe peças.", L14133(18), code="nao_e_rascunho")


def _not_ahead(what: str, day: Any, turn: Turn) -> None:
    today = day_of(turn.now)
    if day > today:
        raise Refusal(
            f"A data de {what} não pode ser futura.",
            L14133(18),
            code="data_futura",
            field="data",
            got=f"{day:%d/%m/%Y}",
            passes=f"até {today:%d/%m/%Y}",
        )
