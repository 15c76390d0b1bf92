"""Decisions about questions and challenges: until when, once answered, never with an empty answer (art. 164)."""

from __future__ import annotations

from typing import Any

from tender.acts import Refusal, Turn
from tender.clock import in_time, long_when
from tender.edital.model import LIVE, Edital, Status
from tender.edital.model.questions import (
    TEXT_MAX,
    TEXT_MIN,
    AnswerFellDue,
    AnswerQuestion,
    Asked,
    Asking,
    AskQuestion,
    Effect,
    QuestionAnswered,
    QuestionAsked,
    RemindAnswer,
)
from tender.law import L14133

BEFORE_SESSION = frozenset(
    {
        Status.PUBLISHED,
        Status.JUDGING,
        Status.READY,
        Status.SUSPENDED,
        Status.SUSPENDED_JUDGING,
        Status.SUSPENDED_READY,
    }
)


def ask_question(state: Edital, command: AskQuestion, turn: Turn) -> list[Any]:
    """In time by the edital's own reading; `turn.known`: `until`, `answer_until` (instants).

    A manifestation is heard while the hearing of a revocation or annulment is open (art. 71 § 3º).
    """
    if len(command.mark) != 64:
        raise Refusal("O pedido chegou incompleto. Envie de novo.", L14133(164), code="incompleto", field="texto")
    if command.kind is Asking.MANIFESTATION:
        _hearing_is_open(state, turn)
    elif state.status not in BEFORE_SESSION:
        raise Refusal(
            "Perguntas e impugnações cabem da publicação do edital até 3 dias úteis antes da sessão.",
            L14133(164),
            code="fora_da_fase",
        )
    elif not in_time(turn.now, turn.known["until"]):
        raise Refusal(
            f"O prazo terminou {long_when(turn.known['until'])}.",
            L14133(164),
            code="fora_do_prazo",
            field="prazo",
            got=long_when(turn.now),
            passes=f"até {long_when(turn.known['until'])}",
        )
    return [QuestionAsked(len(state.questions) + 1, command.kind, command.mark, turn.known["answer_until"])]


def _hearing_is_open(state: Edital, turn: Turn) -> None:
    if state.hearing is None or state.status not in LIVE or not in_time(turn.now, state.hearing.until):
        raise Refusal(
            "Não há prazo de manifestação aberto nesta licitação.", L14133(71, 3), code="sem_manifestacao", field="tipo"
        )


def answer_question(state: Edital, command: AnswerQuestion, turn: Turn) -> list[Any]:
    """Once, by somebody who wrote something; a late answer is taken, and the page says that it was late.

    `turn.known["asked"]`: the text as it was sent, "" when it is not kept any more.
    """
    asked = _asked(state, command.number)
    if asked.answered:
        raise Refusal(
            "Esta pergunta já foi respondida. Publique um novo esclarecimento.",
            L14133(164, "único"),
            code="ja_respondida",
            field="pergunta",
            got=str(command.number),
        )
    for field, text in (("pergunta", command.question), ("resposta", command.answer)):
        length = len(text.strip())
        if not TEXT_MIN <= length <= TEXT_MAX:
            raise Refusal(
                f"Escreva a {field} com {TEXT_MIN} a {TEXT_MAX} letras.",
                L14133(164, "único"),
                code="texto_curto" if length < TEXT_MIN else "texto_longo",
                field=field,
                got=f"{length} letras",
                passes=f"de {TEXT_MIN} a {TEXT_MAX} letras",
            )
    if command.upheld and (asked.kind is not Asking.CHALLENGE or command.effect is not Effect.AMENDS):
        raise Refusal(
            "Só uma impugnação é acolhida, e então o edital é retificado.",
            L14133(164),
            code="acolhida_sem_efeito",
            field="efeito",
            got=command.effect.value,
            passes=Effect.AMENDS.value,
        )
    question = command.question.strip()
    redacted = question != turn.known["asked"].strip()
    answer = QuestionAnswered(
        command.number, question, command.answer.strip(), command.effect, command.upheld, redacted
    )
    return [answer]


def remind_answer(state: Edital, command: RemindAnswer, turn: Turn) -> list[Any]:
    """Nothing, once it was answered or the tender is over."""
    asked = state.questions.get(command.number)
    if asked is None or asked.answered or state.status not in LIVE:
        return []
    return [AnswerFellDue(command.number, asked.answer_until)]


def _asked(state: Edital, number: int) -> Asked:
    found = state.questions.get(number)
    if found is None or state.status not in LIVE:
        raise Refusal(
            "Não há essa pergunta em uma licitação em curso.",
            L14133(164, "único"),
            code="sem_pergunta",
            field="pergunta",
            got=str(number),
            passes=f"1 a {len(state.questions)}" if state.questions else "nenhuma ainda",
        )
    return found
