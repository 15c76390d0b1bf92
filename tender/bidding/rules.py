"""Decisions of the auction: pure, by the edital's terms, each refusal with the number that would pass.

Hours are half open: a bid that arrived before `closes_at` counts, at `closes_at` it is late, and the stand may close.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, NoReturn

from tender.acts import Refusal, Turn
from tender.bidding.model import (
    AdmitBidders,
    Bid,
    BidderAdmitted,
    BidPlaced,
    BidTerms,
    BidWithdrawn,
    CloseStand,
    Contest,
    ContestResumed,
    ContestStarted,
    ContestSuspended,
    PlaceBid,
    PrepareStand,
    ResumeContest,
    StandClosed,
    StandDeserted,
    StandPrepared,
    StartContest,
    Status,
    SuspendContest,
    WithdrawBid,
)
from tender.law import IN73, L14133, MUN, Citation
from tender.money import Money, brl

MICROSECOND = timedelta(microseconds=1)
CAUSE_MAX = 500
"""Letters of a cause: it stands in the public book for ever."""


def prepare_stand(state: Contest, command: PrepareStand, turn: Turn) -> list[Any]:
    """A stand of the published edital (art. 10), anew when the edital is amended before the contest."""
    if state.status not in (Status.NONE, Status.WAITING):
        raise Refusal("A disputa deste ponto já começou.", L14133(55, 1), code="ja_comecou")
    return [StandPrepared(command.terms)]


def admit_bidders(state: Contest, command: AdmitBidders, turn: Turn) -> list[Any]:
    """All habilitated at once; numbers follow the pseudonyms, which are random (anonymity, rules.md § 3)."""
    if state.status is not Status.WAITING:
        raise Refusal("A disputa deste ponto já começou.", L14133(64, 2), code="ja_comecou")
    new = sorted(set(command.bidders) - set(state.bidders))
    return [BidderAdmitted(bidder, number) for number, bidder in enumerate(new, start=len(state.bidders) + 1)]


def start_contest(state: Contest, command: StartContest, turn: Turn) -> list[Any]:
    """Only in an open session; with nobody habilitated the stand is deserted (art. 4º)."""
    if state.status is not Status.WAITING or state.terms is None:
        raise Refusal("A disputa deste ponto já começou ou já terminou.", L14133(17), code="ja_comecou")
    if not turn.known["session_open"]:
        raise Refusal("A sessão pública não está aberta.", L14133(17), code="sessao_fechada")
    if not state.bidders:
        return [StandDeserted(0)]
    return [ContestStarted(turn.now + timedelta(seconds=state.terms.open_stage_seconds))]


def place_bid(state: Contest, command: PlaceBid, turn: Turn) -> list[Any]:
    """Admit a bid or say which rule, which number, and what would pass (art. 4º; Lei 14.133 arts. 56, 57)."""
    terms, closes_at = _open_contest(state, turn)
    if command.bidder not in state.bidders:
        raise Refusal("Você não está habilitado para este ponto.", MUN(4), code="nao_habilitado")
    amount, best = command.amount, state.best
    if best is not None and best.bidder == command.bidder:
        raise Refusal("O maior lance já é seu.", L14133(56), code="ja_lidera", got=brl(amount))
    own = state.standing.get(command.bidder)
    least = (best.amount + terms.step) if best else terms.floor
    if terms.whole_reais and amount.centavos % 100:
        _refuse("Lances são em reais inteiros, sem centavos.", L14133(57), "centavos", amount, least)
    if amount < terms.floor:
        _refuse(f"O lance mínimo é {brl(terms.floor)}.", MUN(4), "abaixo_do_minimo", amount, least)
    if amount.centavos in state.amounts:
        _refuse("Já existe um lance igual. Vale o primeiro registrado.", IN73(21), "lance_igual", amount, least)
    leads = best is None or amount >= best.amount + terms.step
    if best is not None and best.amount < amount < best.amount + terms.step:
        _refuse(f"O intervalo mínimo é {brl(terms.step)}.", L14133(57), "abaixo_do_intervalo", amount, least)
    if own is not None and amount < own.amount + terms.step:
        _refuse(
            "O lance deve superar o seu último.",
            L14133(56, 3, "I"),
            "nao_supera_o_seu",
            amount,
            _next(state, own, least),
        )
    return [
        BidPlaced(command.bidder, state.bids + 1, amount, turn.now, leads, _extended(terms, closes_at, turn.now)),
    ]


def _next(state: Contest, own: Bid, least: Money) -> Money:
    """What would pass after one's own last bid: one step more, unless that is taken or too close to the front."""
    assert state.terms is not None, "who has bid is in a contest on terms"
    assert state.best is not None, "who has bid has somebody before them"
    step_more = own.amount + state.terms.step
    return step_more if step_more < state.best.amount and step_more.centavos not in state.amounts else least


def _open_contest(state: Contest, turn: Turn) -> tuple[BidTerms, datetime]:
    if state.status is Status.SUSPENDED:
        raise Refusal("A disputa está pausada. Nenhum lance se perdeu.", L14133(183, 2), code="pausado")
    if state.status is Status.WAITING:
        raise Refusal("A disputa deste ponto ainda não começou.", L14133(17), code="nao_comecou")
    if state.status is not Status.CONTESTED or state.terms is None or state.closes_at is None:
        raise Refusal("A disputa deste ponto está encerrada.", L14133(56), code="encerrado")
    if turn.now >= state.closes_at:
        raise Refusal("Seu lance chegou depois do fim da disputa.", L14133(56), code="encerrado")
    return state.terms, state.closes_at


def _refuse(reason: str, law: Citation, code: str, got: Money, passes: Money) -> NoReturn:
    raise Refusal(reason, law, code=code, field="valor", got=brl(got), passes=f"{brl(passes)} ou mais")


def _extended(terms: BidTerms, closes_at: datetime, now: datetime) -> datetime:
    """The clock after a bid; never earlier than before (rules.md § 3, `ancora_prorrogacao`)."""
    window = timedelta(seconds=terms.window_seconds)
    if terms.anchor == "fim_do_periodo":
        return closes_at + window if now >= closes_at - window else closes_at
    return max(closes_at, now + window)


def withdraw_bid(state: Contest, command: WithdrawBid, turn: Turn) -> list[Any]:
    """Own last bid, once a stand, within the edital's seconds of its arrival (IN 73 art. 21 § 3º)."""
    terms, _ = _open_contest(state, turn)
    own = state.standing.get(command.bidder)
    if own is None:
        raise Refusal("Você não tem lance para desfazer.", IN73(21, 3), code="sem_lance")
    if command.bidder in state.withdrew:
        raise Refusal("Você já desfez um lance neste ponto.", IN73(21, 3), code="ja_desfez")
    if turn.now - own.at > timedelta(seconds=terms.withdraw_seconds):
        raise Refusal(
            f"O prazo de {terms.withdraw_seconds} segundos para desfazer passou.", IN73(21, 3), code="fora_do_prazo"
        )
    return [BidWithdrawn(command.bidder, own.number)]


def close_stand(state: Contest, command: CloseStand, turn: Turn) -> list[Any]:
    """When the clock has run out, not before; an early or second close changes nothing."""
    if state.status is not Status.CONTESTED or state.closes_at is None:
        raise Refusal("A disputa deste ponto não está em curso.", L14133(56), code="fora_da_disputa")
    if turn.now < state.closes_at:
        raise Refusal("O relógio deste ponto ainda corre.", L14133(56), code="ainda_corre")
    ranking = state.ranking()
    return [StandClosed(ranking)] if ranking else [StandDeserted(len(state.bidders))]


def suspend_contest(state: Contest, command: SuspendContest, turn: Turn) -> list[Any]:
    """Stop the clock at `since`; a clock that had run out by then is left to close (Lei 14.133 art. 183 § 2º)."""
    if state.status is not Status.CONTESTED or state.closes_at is None:
        if turn.by == "sistema":
            return []
        raise Refusal("Só uma disputa em curso pode ser pausada.", L14133(183, 2), code="fora_da_disputa")
    if not 1 <= len(command.cause.strip()) <= CAUSE_MAX:
        raise Refusal(
            "Diga por que a disputa para.",
            L14133(183, 2),
            code="motivo",
            field="motivo",
            got=f"{len(command.cause.strip())} letras",
            passes=f"de 1 a {CAUSE_MAX} letras",
        )
    # A person can only stop the clock now; only the system knows an earlier last good instant.
    since = command.since if turn.by == "sistema" else turn.now
    if state.closes_at <= since:
        if turn.by == "sistema":
            return []
        raise Refusal("O relógio deste ponto já terminou: ele será encerrado.", L14133(56), code="encerrado")
    return [ContestSuspended(command.cause, since, (state.closes_at - since) // MICROSECOND)]


def resume_contest(state: Contest, command: ResumeContest, turn: Turn) -> list[Any]:
    """Time is given back in full, at least the window."""
    if state.status is not Status.SUSPENDED or state.terms is None:
        raise Refusal("A disputa deste ponto não está pausada.", L14133(183, 2), code="nao_pausada")
    left = max(timedelta(microseconds=state.remaining_us), timedelta(seconds=state.terms.window_seconds))
    return [ContestResumed(turn.now + left)]


DECIDE: Mapping[type[Any], Callable[[Any, Any, Turn], list[Any]]] = {
    PrepareStand: prepare_stand,
    AdmitBidders: admit_bidders,
    StartContest: start_contest,
    PlaceBid: place_bid,
    WithdrawBid: withdraw_bid,
    CloseStand: close_stand,
    SuspendContest: suspend_contest,
    ResumeContest: resume_contest,
}


def decide(state: Contest, command: Any, turn: Turn) -> list[Any]:
    """The facts that follow from a command, or a Refusal."""
    return DECIDE[type(command)](state, command, turn)
