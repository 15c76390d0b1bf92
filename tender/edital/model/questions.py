"""Questions, challenges, manifestations: anybody asks without an account, the answer is public (Lei 14.133 art. 164).

The book holds no word of what was asked until it is answered: before that a mark, the SHA-256 of the asker's code and
text, by which the asker can prove afterwards what was asked and when.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from tender.acts import EditalId, Role, command, fact
from tender.law import L14133

TEXT_MAX = 4000
TEXT_MIN = 10


class Asking(StrEnum):
    """What somebody sends; the value is what the screen shows."""

    QUESTION = "Pergunta"
    CHALLENGE = "Impugnação"
    MANIFESTATION = "Manifestação"


class Effect(StrEnum):
    """What an answer does to the edital."""

    NONE = "O edital não muda"
    CLARIFIES = "Esclarece o edital, sem mudá-lo"
    AMENDS = "O edital será retificado"


# -- asked -------------------------------------------------------------------------------------------------------------


@command(Role.PUBLIC, law=L14133(164))
class AskQuestion:
    """Hand in a question, a challenge, or, in a hearing, a manifestation. `mark`: see the module."""

    edital: EditalId
    kind: Asking
    mark: str


@command(Role.PREGOEIRO, law=L14133(164, "único"))
class AnswerQuestion:
    """Answer; `question` is the text as it will be public, without personal data. A challenge is upheld or not."""

    edital: EditalId
    number: int
    question: str
    answer: str
    effect: Effect
    upheld: bool = False


@command(Role.SYSTEM, law=L14133(164, "único"))
class RemindAnswer:
    """The last day of an answer began."""

    edital: EditalId
    number: int


# -- happened ----------------------------------------------------------------------------------------------------------


@fact(law=L14133(164))
class QuestionAsked:
    """Somebody asked; the answer is due until then."""

    number: int
    kind: Asking
    mark: str
    answer_until: datetime


@fact(law=L14133(164, "único"))
class QuestionAnswered:
    """The answer, with the question as published; `redacted` when personal data were taken out of it."""

    number: int
    question: str
    answer: str
    effect: Effect
    upheld: bool
    redacted: bool


@fact(law=L14133(164, "único"))
class AnswerFellDue:
    """On its last day there was no answer yet: the commission was told."""

    number: int
    answer_until: datetime


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as the edital's state keeps it."""

    kind: Asking
    mark: str
    answer_until: datetime
    answered: bool = False
