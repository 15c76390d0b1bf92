"""Decisions of the award: only who is called answers, and the next is called by the same decision (art. 4º § 3º)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from tender.acts import Refusal, Turn
from tender.awards.model import (
    AcceptAward,
    Award,
    AwardAccepted,
    BidderCalled,
    CallLapsed,
    DesistenciaSigned,
    LapseCall,
    Placed,
    RankStand,
    SignDesistencia,
    StandFailed,
    StandRanked,
    Status,
)
from tender.law import L14133, MUN


def rank_stand(state: Award, command: RankStand, turn: Turn) -> list[Any]:
    """The first placed is called at once; an empty ranking cannot come here."""
    if state.queue or not command.queue:
        raise Refusal("Este ponto já foi classificado.", MUN(4), code="ja_classificado")
    return [StandRanked(command.queue, command.answer_seconds), *_next(command.queue, 0, command.answer_seconds, turn)]


def _next(queue: tuple[Placed, ...], place: int, seconds: int, turn: Turn) -> list[Any]:
    if place >= len(queue):
        return [StandFailed(place)]
    line = queue[place]
    return [BidderCalled(line.place, line.bidder, line.amount, turn.now + timedelta(seconds=seconds))]


def _called(state: Award, bidder: str, turn: Turn) -> Placed:
    if state.status is not Status.CALLED or state.called is None or state.answer_until is None:
        raise Refusal("Ninguém está convocado neste ponto.", MUN(4, 3), code="sem_convocado")
    if state.called.bidder != bidder:
        raise Refusal("Só quem foi convocado pode responder.", MUN(4, 3), code="nao_convocado")
    if turn.now >= state.answer_until:
        raise Refusal("O prazo da convocação terminou.", L14133(90), code="fora_do_prazo")
    return state.called


def accept_award(state: Award, command: AcceptAward, turn: Turn) -> list[Any]:
    """The called bidder accepts within the term (art. 5º)."""
    line = _called(state, command.bidder, turn)
    return [AwardAccepted(line.place, line.bidder, line.amount)]


def sign_desistencia(state: Award, command: SignDesistencia, turn: Turn) -> list[Any]:
    """Desistência and the next call are one decision: there is no moment without a called bidder (art. 4º § 3º)."""
    line = _called(state, command.bidder, turn)
    gone = DesistenciaSigned(line.place, line.bidder, line.amount, command.moment)
    return [gone, *_next(state.queue, line.place, state.answer_seconds, turn)]


def lapse_call(state: Award, command: LapseCall, turn: Turn) -> list[Any]:
    """Silence past the term passes the turn to the next (Lei 14.133 art. 90)."""
    line = state.called
    if state.status is not Status.CALLED or line is None or line.place != command.place or state.answer_until is None:
        raise Refusal("Esta convocação já foi respondida.", L14133(90), code="ja_respondida")
    if turn.now < state.answer_until:
        raise Refusal("O prazo da convocação ainda corre.", L14133(90), code="ainda_no_prazo")
    return [CallLapsed(line.place, line.bidder), *_next(state.queue, line.place, state.answer_seconds, turn)]


DECIDE: Mapping[type[Any], Callable[[Any, Any, Turn], list[Any]]] = {
    RankStand: rank_stand,
    AcceptAward: accept_award,
    SignDesistencia: sign_desistencia,
    LapseCall: lapse_call,
}


def decide(state: Award, command: Any, turn: Turn) -> list[Any]:
    """The facts that follow from a command, or a Refusal."""
    return DECIDE[type(command)](state, command, turn)
