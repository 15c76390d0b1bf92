"""Questions and challenges: until when, once answered, hidden who asked, both sides of each edge."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tender.acts import Role
from tender.edital.model import ApplicationsClosed, HabilitationConcluded, SessionOpened
from tender.edital.model.changes import Ending, HearingOpened
from tender.edital.model.questions import (
    TEXT_MAX,
    TEXT_MIN,
    AnswerFellDue,
    AnswerQuestion,
    Asking,
    AskQuestion,
    Effect,
    QuestionAnswered,
    QuestionAsked,
    RemindAnswer,
)
from tender.law import L14133
from tests.edital.test_rules import DRAFTED, IN_SESSION, PUBLISHED
from tests.given import Outcome, given
from tests.town import DAY, EDITAL, MICROSECOND, SESSION_AT

MARK = "b" * 64
UNTIL = SESSION_AT - 5 * DAY
ANSWER_BY = SESSION_AT - 2 * DAY
ASKED = QuestionAsked(1, Asking.QUESTION, MARK, ANSWER_BY)
CHALLENGED = QuestionAsked(1, Asking.CHALLENGE, MARK, ANSWER_BY)
KNOWN = {"until": UNTIL, "answer_until": ANSWER_BY}
TEXT = "O ponto 1 tem cobertura?"
ANSWER = "Sim, tem cobertura de 10 metros."


def ask(*facts: Any, kind: Asking = Asking.QUESTION, at: Any = UNTIL, mark: str = MARK) -> Outcome:
    return given(*facts).when(AskQuestion(EDITAL, kind, mark), at=at, known=KNOWN, role=Role.PUBLIC)


def answer(*facts: Any, known: str = TEXT, **changes: Any) -> Outcome:
    said = {"question": TEXT, "answer": ANSWER, "effect": Effect.NONE, "upheld": False, **changes}
    command = AnswerQuestion(EDITAL, said.pop("number", 1), **said)
    return given(*facts).when(command, known={"asked": known}, by="marta", role=Role.PREGOEIRO)


def test_a_question_is_taken_to_the_last_instant_and_not_after_it() -> None:
    ask(*PUBLISHED, at=UNTIL).then(QuestionAsked(1, Asking.QUESTION, MARK, ANSWER_BY))
    ask(*PUBLISHED, at=UNTIL + MICROSECOND).refused(L14133(164), code="fora_do_prazo")


def test_questions_are_numbered_in_the_order_in_which_they_came() -> None:
    ask(*PUBLISHED, ASKED).then(QuestionAsked(2, Asking.QUESTION, MARK, ANSWER_BY))


def test_nobody_asks_about_a_draft_or_once_the_session_is_open() -> None:
    ask(DRAFTED).refused(L14133(164), code="fora_da_fase")
    ask(*IN_SESSION).refused(L14133(164), code="fora_da_fase")
    before = (*PUBLISHED, ApplicationsClosed(EDITAL), HabilitationConcluded(EDITAL, 1))
    ask(*before).then(ASKED)
    ask(*before, SessionOpened(EDITAL), kind=Asking.CHALLENGE).refused(L14133(164), code="fora_da_fase")


def test_a_mark_that_is_no_hash_is_refused() -> None:
    ask(*PUBLISHED, mark="b" * 63).refused(L14133(164), code="incompleto")


def test_a_manifestation_is_heard_while_the_hearing_is_open_and_only_then() -> None:
    hearing = HearingOpened(Ending.REVOCATION, "x" * 30, UNTIL)
    ask(*PUBLISHED, kind=Asking.MANIFESTATION).refused(L14133(71, 3), code="sem_manifestacao")
    ask(*PUBLISHED, hearing, kind=Asking.MANIFESTATION).then(QuestionAsked(1, Asking.MANIFESTATION, MARK, ANSWER_BY))
    late = ask(*PUBLISHED, hearing, kind=Asking.MANIFESTATION, at=UNTIL + MICROSECOND)
    late.refused(L14133(71, 3), code="sem_manifestacao")


def test_an_answer_is_published_with_the_question_and_without_who_asked() -> None:
    answer(*PUBLISHED, ASKED).then(QuestionAnswered(1, TEXT, ANSWER, Effect.NONE, False, redacted=False))


def test_words_taken_out_of_the_question_are_said_to_be_taken_out() -> None:
    found = answer(*PUBLISHED, ASKED, known=f"{TEXT} Ana, CPF 1")
    assert found.facts[0].redacted
    assert not answer(*PUBLISHED, ASKED, known=f" {TEXT}\n").facts[0].redacted


def test_a_question_is_answered_once_and_only_if_it_was_asked() -> None:
    done = QuestionAnswered(1, TEXT, ANSWER, Effect.NONE, False, False)
    answer(*PUBLISHED, ASKED, done).refused(L14133(164, "único"), code="ja_respondida")
    answer(*PUBLISHED).refused(L14133(164, "único"), code="sem_pergunta", passes="nenhuma ainda")
    answer(*PUBLISHED, ASKED, number=2).refused(L14133(164, "único"), code="sem_pergunta", passes="1 a 1")


@pytest.mark.parametrize("field", ["question", "answer"])
def test_texts_have_a_least_and_a_most_length(field: str) -> None:
    for length in (TEXT_MIN, TEXT_MAX):
        assert answer(*PUBLISHED, ASKED, **{field: "x" * length}).refusal is None
    answer(*PUBLISHED, ASKED, **{field: "x" * (TEXT_MIN - 1)}).refused(L14133(164, "único"), code="texto_curto")
    answer(*PUBLISHED, ASKED, **{field: "x" * (TEXT_MAX + 1)}).refused(L14133(164, "único"), code="texto_longo")


def test_only_a_challenge_is_upheld_and_then_the_edital_changes() -> None:
    fact = QuestionAnswered(1, TEXT, ANSWER, Effect.AMENDS, True, redacted=False)
    answer(*PUBLISHED, CHALLENGED, effect=Effect.AMENDS, upheld=True).then(fact)
    for facts, effect in ((ASKED, Effect.AMENDS), (CHALLENGED, Effect.NONE)):
        answer(*PUBLISHED, facts, effect=effect, upheld=True).refused(L14133(164), code="acolhida_sem_efeito")


def test_the_alarm_rings_for_what_is_not_answered_and_for_nothing_else() -> None:
    remind = RemindAnswer(EDITAL, 1)
    given(*PUBLISHED, ASKED).when(remind, at=ANSWER_BY - timedelta(hours=15)).then(AnswerFellDue(1, ANSWER_BY))
    given(*PUBLISHED, ASKED, QuestionAnswered(1, TEXT, ANSWER, Effect.NONE, False, False)).when(remind).then()
    given(*PUBLISHED).when(remind).then()
