"""The rules of the auction, one story an article, both sides of each edge."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from tender.acts import Pseudonym, Role, StandId
from tender.bidding.model import (
    AdmitBidders,
    BidderAdmitted,
    BidPlaced,
    BidTerms,
    BidWithdrawn,
    CloseStand,
    ContestResumed,
    ContestStarted,
    ContestSuspended,
    PlaceBid,
    PrepareStand,
    Ranked,
    ResumeContest,
    StandClosed,
    StandDeserted,
    StandPrepared,
    StartContest,
    SuspendContest,
    WithdrawBid,
)
from tender.law import IN73, L14133, MUN
from tender.money import Money
from tests.given import NOON, Outcome, given
from tests.town import EDITAL, MICROSECOND, SECOND

STAND = StandId(1)
ANA, BIA, CAIO, STRANGER = (Pseudonym(one) for one in ("ANA", "BIA", "CAIO", "ZOE"))
TERMS = BidTerms(Money.reais(1000), Money.reais(50), 600, 120, 15, "instante_do_lance", whole_reais=True)
END = NOON + 600 * SECOND
ADMITTED = tuple(BidderAdmitted(one, n) for n, one in enumerate((ANA, BIA, CAIO), start=1))


def contest(terms: BidTerms = TERMS) -> tuple[Any, ...]:
    return (StandPrepared(terms), *ADMITTED, ContestStarted(END))


CONTEST = contest()


def placed(
    number: int, bidder: Pseudonym, reais: int, at: datetime = NOON, leads: bool = True, until: datetime = END
) -> BidPlaced:
    return BidPlaced(bidder, number, Money.reais(reais), at, leads, until)


def bid(*facts: Any, bidder: Pseudonym = ANA, reais: int = 0, centavos: int = 0, at: datetime = NOON) -> Outcome:
    amount = Money(centavos) if centavos else Money.reais(reais)
    return given(*facts).when(PlaceBid(EDITAL, STAND, bidder, amount), at=at)


def withdraw(*facts: Any, bidder: Pseudonym = ANA, at: datetime = NOON) -> Outcome:
    return given(*facts).when(WithdrawBid(EDITAL, STAND, bidder), at=at)


def close(*facts: Any, at: datetime = END) -> Outcome:
    return given(*facts).when(CloseStand(EDITAL, STAND), at=at)


# --- before the contest ----------------------------------------------------------------------------------------------


def test_a_stand_is_prepared_on_the_editals_terms() -> None:
    given().when(PrepareStand(EDITAL, STAND, TERMS)).then(StandPrepared(TERMS))


def test_bidders_are_admitted_together_numbered_by_pseudonym_and_each_once() -> None:
    admit = AdmitBidders(EDITAL, STAND, (CAIO, ANA, CAIO, BIA))
    given(StandPrepared(TERMS)).when(admit).then(*ADMITTED)
    more = AdmitBidders(EDITAL, STAND, (STRANGER, ANA))
    given(StandPrepared(TERMS), *ADMITTED).when(more).then(BidderAdmitted(STRANGER, 4))
    given(*CONTEST).when(admit).refused(L14133(64, 2), code="ja_comecou")


def test_a_contest_starts_in_an_open_session_and_only_once() -> None:
    start, waiting = StartContest(EDITAL, STAND), (StandPrepared(TERMS), *ADMITTED)
    given(*waiting).when(start, known={"session_open": True}).then(ContestStarted(END))
    given(*waiting).when(start, known={"session_open": False}).refused(L14133(17), code="sessao_fechada")
    for facts in ((), CONTEST):
        given(*facts).when(start, known={"session_open": True}).refused(L14133(17), code="ja_comecou")


def test_with_nobody_habilitated_the_stand_is_deserted() -> None:
    start = StartContest(EDITAL, STAND)
    given(StandPrepared(TERMS)).when(start, known={"session_open": True}).then(StandDeserted(0))


# --- the amount ------------------------------------------------------------------------------------------------------


def test_the_first_lance_is_at_least_the_floor() -> None:
    bid(*CONTEST, reais=1000).then(placed(1, ANA, 1000))
    bid(*CONTEST, reais=999).refused(MUN(4), code="abaixo_do_minimo", passes="R$ 1.000,00 ou mais")


def test_in_centavos_one_below_the_floor_is_refused_and_the_floor_passes() -> None:
    fine = contest(replace(TERMS, whole_reais=False))
    bid(*fine, centavos=99_999).refused(MUN(4), code="abaixo_do_minimo", passes="R$ 1.000,00 ou mais")
    bid(*fine, centavos=100_000).then(placed(1, ANA, 1000))
    assert bid(*fine, centavos=100_001).refusal is None


def test_lances_are_whole_reais_unless_the_edital_says_otherwise() -> None:
    bid(*CONTEST, centavos=100_001).refused(L14133(57), code="centavos", passes="R$ 1.000,00 ou mais")
    bid(*CONTEST, centavos=100_099).refused(L14133(57), code="centavos")
    assert bid(*CONTEST, centavos=100_100).refusal is None


def test_to_lead_takes_a_whole_step_and_a_centavo_less_is_refused() -> None:
    fine = (*contest(replace(TERMS, whole_reais=False)), placed(1, ANA, 1000))
    too_close = bid(*fine, bidder=BIA, centavos=104_999)
    too_close.refused(L14133(57), code="abaixo_do_intervalo", passes="R$ 1.050,00 ou mais")
    bid(*fine, bidder=BIA, centavos=105_000).then(placed(2, BIA, 1050))
    bid(*fine, bidder=BIA, centavos=100_001).refused(L14133(57), code="abaixo_do_intervalo")


def test_equal_lances_are_refused_also_equal_to_one_that_no_longer_counts_most() -> None:
    facts = (*CONTEST, placed(1, ANA, 1000), placed(2, BIA, 1100), placed(3, ANA, 1200))
    for taken in (1000, 1100, 1200):
        bid(*facts, bidder=CAIO, reais=taken).refused(IN73(21), code="lance_igual", passes="R$ 1.250,00 ou mais")
    bid(*facts, bidder=CAIO, reais=1001).then(placed(4, CAIO, 1001, leads=False))


def test_who_leads_does_not_raise_against_themselves_whatever_the_amount() -> None:
    facts = (*CONTEST, placed(1, ANA, 1000))
    for centavos in (1, 100_000, 100_050, 105_000, 900_000):
        bid(*facts, centavos=centavos).refused(L14133(56), code="ja_lidera")


def test_an_intermediate_lance_is_below_the_front_and_a_step_above_ones_own() -> None:
    facts = (*CONTEST, placed(1, ANA, 1000), placed(2, BIA, 2000))
    bid(*facts, reais=1049).refused(L14133(56, 3, "I"), code="nao_supera_o_seu", passes="R$ 1.050,00 ou mais")
    bid(*facts, reais=1050).then(placed(3, ANA, 1050, leads=False))
    bid(*facts, reais=1999).then(placed(3, ANA, 1999, leads=False))
    bid(*facts, bidder=CAIO, reais=1001).then(placed(3, CAIO, 1001, leads=False))


def test_what_is_said_to_pass_after_ones_own_is_neither_taken_nor_too_close_to_the_front() -> None:
    taken = (*CONTEST, placed(1, ANA, 1000), placed(2, BIA, 2000), placed(3, CAIO, 1050, leads=False))
    bid(*taken, reais=1001).refused(L14133(56, 3, "I"), passes="R$ 2.050,00 ou mais")
    close_by = (*CONTEST, placed(1, ANA, 1000), placed(2, BIA, 1050), placed(3, CAIO, 1100))
    bid(*close_by, bidder=BIA, reais=1051).refused(L14133(56, 3, "I"), passes="R$ 1.150,00 ou mais")


def test_only_the_admitted_bid() -> None:
    bid(*CONTEST, bidder=STRANGER, reais=1000).refused(MUN(4), code="nao_habilitado")


# --- the clock -------------------------------------------------------------------------------------------------------


def test_a_lance_that_arrived_a_microsecond_before_the_end_counts_and_one_at_the_end_is_late() -> None:
    last = END - MICROSECOND
    bid(*CONTEST, reais=1000, at=last).then(placed(1, ANA, 1000, last, until=last + 120 * SECOND))
    bid(*CONTEST, reais=1000, at=END).refused(L14133(56), code="encerrado")


def test_a_lance_extends_the_clock_from_its_own_instant_and_never_shortens_it() -> None:
    edge = END - 120 * SECOND
    for at, until in (
        (NOON, END),
        (edge, END),
        (edge + MICROSECOND, END + MICROSECOND),
        (END - SECOND, END + 119 * SECOND),
    ):
        bid(*CONTEST, reais=1000, at=at).then(placed(1, ANA, 1000, at, until=until))


def test_by_the_other_reading_a_lance_in_the_last_period_adds_a_whole_period_to_it() -> None:
    facts = contest(replace(TERMS, anchor="fim_do_periodo"))
    edge, longer = END - 120 * SECOND, END + 120 * SECOND
    for at, until in ((edge - MICROSECOND, END), (edge, longer), (END - MICROSECOND, longer)):
        bid(*facts, reais=1000, at=at).then(placed(1, ANA, 1000, at, until=until))
    extended = (*facts, placed(1, ANA, 1000, edge, until=longer))
    bid(*extended, bidder=BIA, reais=1050, at=END - MICROSECOND).then(
        placed(2, BIA, 1050, END - MICROSECOND, until=longer)
    )
    bid(*extended, bidder=BIA, reais=1050, at=END).then(placed(2, BIA, 1050, END, until=longer + 120 * SECOND))


def test_an_intermediate_lance_extends_the_clock_too() -> None:
    facts, at = (*CONTEST, placed(1, ANA, 2000)), END - SECOND
    bid(*facts, bidder=BIA, reais=1000, at=at).then(placed(2, BIA, 1000, at, leads=False, until=at + 120 * SECOND))


def test_without_a_window_the_end_is_hard() -> None:
    facts, last = contest(replace(TERMS, window_seconds=0)), END - MICROSECOND
    bid(*facts, reais=1000, at=last).then(placed(1, ANA, 1000, last))
    bid(*facts, reais=1000, at=END).refused(L14133(56), code="encerrado")


def test_outside_of_a_contest_a_lance_is_told_why() -> None:
    waiting = (StandPrepared(TERMS), *ADMITTED)
    suspended = (*CONTEST, ContestSuspended("queda", NOON, 1))
    closed = (*CONTEST, placed(1, ANA, 1000), StandClosed((Ranked(1, ANA, Money.reais(1000), 1),)))
    for facts, article, code in (
        (waiting, L14133(17), "nao_comecou"),
        (suspended, L14133(183, 2), "pausado"),
        (closed, L14133(56), "encerrado"),
        ((*waiting, StandDeserted(3)), L14133(56), "encerrado"),
        ((), L14133(56), "encerrado"),
    ):
        bid(*facts, bidder=BIA, reais=5000).refused(article, code=code)
        withdraw(*facts).refused(article, code=code)


# --- withdrawing a lance ---------------------------------------------------------------------------------------------


def test_a_lance_is_withdrawn_until_the_last_microsecond_of_the_fifteenth_second() -> None:
    facts = (*CONTEST, placed(1, ANA, 1000))
    withdraw(*facts, at=NOON + 15 * SECOND).then(BidWithdrawn(ANA, 1))
    withdraw(*facts, at=NOON + 15 * SECOND + MICROSECOND).refused(IN73(21, 3), code="fora_do_prazo")


def test_each_bidder_withdraws_once_at_a_stand() -> None:
    facts = (*CONTEST, placed(1, ANA, 1000), BidWithdrawn(ANA, 1), placed(2, ANA, 1100))
    withdraw(*facts).refused(IN73(21, 3), code="ja_desfez")
    other = (*facts, placed(3, BIA, 1200))
    withdraw(*other, bidder=BIA).then(BidWithdrawn(BIA, 3))


def test_without_a_lance_nothing_is_withdrawn() -> None:
    withdraw(*CONTEST).refused(IN73(21, 3), code="sem_lance")
    gone = (*CONTEST, placed(1, ANA, 1000), BidWithdrawn(ANA, 1))
    withdraw(*gone).refused(IN73(21, 3), code="sem_lance")


def test_a_withdrawn_lance_gives_the_front_and_its_amount_back_and_keeps_the_clock() -> None:
    late = END - SECOND
    facts = (
        *CONTEST,
        placed(1, ANA, 1000),
        placed(2, BIA, 1100),
        placed(3, ANA, 9000, late, until=late + 120 * SECOND),
    )
    after = withdraw(*facts, at=late).then(BidWithdrawn(ANA, 3)).state
    assert (after.best.bidder, after.best.amount) == (BIA, Money.reais(1100))
    assert after.standing[ANA].amount == Money.reais(1000)
    assert after.closes_at == late + 120 * SECOND
    again = (*facts, BidWithdrawn(ANA, 3))
    bid(*again, bidder=CAIO, reais=9000, at=late).then(placed(4, CAIO, 9000, late, until=late + 120 * SECOND))
    bid(*again, bidder=BIA, reais=1150, at=late).refused(L14133(56), code="ja_lidera")


# --- the end ---------------------------------------------------------------------------------------------------------


def test_a_stand_closes_at_its_hour_and_not_a_microsecond_before() -> None:
    facts = (*CONTEST, placed(1, ANA, 1000), placed(2, BIA, 1100))
    ranking = (Ranked(1, BIA, Money.reais(1100), 2), Ranked(2, ANA, Money.reais(1000), 1))
    close(*facts).then(StandClosed(ranking))
    close(*facts, at=END + 3600 * SECOND).then(StandClosed(ranking))
    close(*facts, at=END - MICROSECOND).refused(L14133(56), code="ainda_corre")


def test_an_extended_stand_does_not_close_at_its_first_hour() -> None:
    facts = (*CONTEST, placed(1, ANA, 1000, END - SECOND, until=END + 119 * SECOND))
    close(*facts).refused(L14133(56), code="ainda_corre")


def test_a_stand_where_nobody_bid_or_every_lance_was_withdrawn_is_deserted() -> None:
    close(*CONTEST).then(StandDeserted(3))
    close(*CONTEST, placed(1, ANA, 1000), BidWithdrawn(ANA, 1)).then(StandDeserted(3))


def test_what_is_not_running_does_not_close_and_nothing_closes_twice() -> None:
    closed = (*CONTEST, placed(1, ANA, 1000), StandClosed(()))
    for facts in ((), (StandPrepared(TERMS),), (*CONTEST, ContestSuspended("x", NOON, 1)), closed):
        close(*facts, at=END + SECOND).refused(L14133(56), code="fora_da_disputa")


# --- suspension ------------------------------------------------------------------------------------------------------


def suspend(*facts: Any, at: datetime, since: datetime = NOON, by: str = "sistema") -> Outcome:
    return given(*facts).when(SuspendContest(EDITAL, STAND, "queda", since), at=at, by=by)


def test_the_system_stops_the_clock_at_the_last_good_instant_and_a_person_only_now() -> None:
    since, now = NOON + 60 * SECOND, NOON + 400 * SECOND
    suspend(*CONTEST, at=now, since=since).then(ContestSuspended("queda", since, 540_000_000))
    suspend(*CONTEST, at=now, since=since, by="marta").then(ContestSuspended("queda", now, 200_000_000))


def test_a_clock_that_had_run_out_is_left_to_close() -> None:
    suspend(*CONTEST, at=END + SECOND, since=END - MICROSECOND).then(ContestSuspended("queda", END - MICROSECOND, 1))
    suspend(*CONTEST, at=END + SECOND, since=END).then()
    suspend(*CONTEST, at=END - MICROSECOND, by="marta").then(ContestSuspended("queda", END - MICROSECOND, 1))
    suspend(*CONTEST, at=END, by="marta").refused(L14133(56), code="encerrado")


def test_what_does_not_run_is_not_suspended() -> None:
    for facts in ((StandPrepared(TERMS),), (*CONTEST, ContestSuspended("x", NOON, 1))):
        suspend(*facts, at=NOON).then()
        suspend(*facts, at=NOON, by="marta").refused(L14133(183, 2), code="fora_da_disputa")


@pytest.mark.parametrize(
    ("left", "given_back"),
    [
        (timedelta(minutes=7), timedelta(minutes=7)),
        (timedelta(seconds=120), timedelta(seconds=120)),
        (timedelta(microseconds=1), timedelta(seconds=120)),
        (timedelta(seconds=120, microseconds=1), timedelta(seconds=120, microseconds=1)),
    ],
)
def test_time_is_given_back_in_full_and_at_least_the_window(left: timedelta, given_back: timedelta) -> None:
    now = NOON + timedelta(days=1)
    suspended = ContestSuspended("queda", NOON, left // MICROSECOND)
    resume = ResumeContest(EDITAL, STAND)
    given(*CONTEST, suspended).when(resume, at=now, role=Role.PREGOEIRO).then(ContestResumed(now + given_back))
    given(*CONTEST).when(resume, at=now).refused(L14133(183, 2), code="nao_pausada")


def test_after_a_resumption_the_lances_of_before_still_count() -> None:
    now = NOON + timedelta(days=1)
    facts = (*CONTEST, placed(1, ANA, 1000), ContestSuspended("x", NOON, 1), ContestResumed(now + 120 * SECOND))
    bid(*facts, bidder=BIA, reais=1049, at=now).refused(L14133(57), code="abaixo_do_intervalo")
    bid(*facts, bidder=BIA, reais=1050, at=now).then(placed(2, BIA, 1050, now, until=now + 120 * SECOND))


def test_a_pause_says_why_in_at_most_so_many_letters() -> None:
    def pause(cause: str) -> Outcome:
        return given(*CONTEST).when(SuspendContest(EDITAL, STAND, cause, NOON), at=NOON + SECOND, by="marta")

    for cause in ("", "  ", "x" * 501):
        pause(cause).refused(L14133(183, 2), code="motivo", passes="de 1 a 500 letras")
    for cause in ("x", "x" * 500):
        pause(cause).then(ContestSuspended(cause, NOON + SECOND, 599_000_000))
