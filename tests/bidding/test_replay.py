"""A whole contest from a table, replayed under both readings of the extension: same lances, two winners.

The table is protocol replay R4 (invented lances, results computed independently): floor R$ 10.000, step R$ 200, an
open stage of 10 minutes, extensions of 2, withdrawal once within 15 seconds, start at 9:00:00 in Brasília. Initial
offers do not exist in the rules yet: those of A, C and D are handed in as lances in the first three seconds, which
leaves every later answer as it is; B's equals A's and is refused, as the table ranks it behind.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from tender.acts import Pseudonym, StandId
from tender.bidding.model import (
    BidderAdmitted,
    BidTerms,
    CloseStand,
    ContestStarted,
    PlaceBid,
    StandPrepared,
    WithdrawBid,
)
from tender.money import Money
from tests.given import given
from tests.town import EDITAL, MICROSECOND, SESSION_AT

NINE = SESSION_AT
STAND = StandId(1)


def at(clock: str) -> datetime:
    """Hours of the table: minutes and seconds after nine."""
    minutes, seconds = clock.split(":")
    return NINE + timedelta(minutes=int(minutes), seconds=int(seconds))


# When, who, how much (0 withdraws), then for each reading what it answers and when the clock ends after it.
OK = "ok"
R4 = (
    ("00:00", "A", 10_000, OK, "10:00", OK, "10:00"),
    ("00:01", "B", 10_000, "lance_igual", "10:00", "lance_igual", "10:00"),
    ("00:01", "C", 12_000, OK, "10:00", OK, "10:00"),
    ("00:02", "D", 15_000, OK, "10:00", OK, "10:00"),
    ("00:05", "A", 15_100, "abaixo_do_intervalo", "10:00", "abaixo_do_intervalo", "10:00"),
    ("00:20", "A", 15_200, OK, "10:00", OK, "10:00"),
    ("01:00", "B", 15_200, "lance_igual", "10:00", "lance_igual", "10:00"),
    ("01:30", "B", 11_000, OK, "10:00", OK, "10:00"),
    ("02:00", "B", 10_900, "nao_supera_o_seu", "10:00", "nao_supera_o_seu", "10:00"),
    ("03:00", "C", 150_000, OK, "10:00", OK, "10:00"),
    ("03:09", "C", 0, OK, "10:00", OK, "10:00"),
    ("03:40", "C", 12_400, OK, "10:00", OK, "10:00"),
    ("03:45", "C", 0, "ja_desfez", "10:00", "ja_desfez", "10:00"),
    ("04:00", "D", 15_400, OK, "10:00", OK, "10:00"),
    # From 5:00 to 9:30 the pregoeiro is away: lances go on.
    ("06:00", "A", 15_600, OK, "10:00", OK, "10:00"),
    ("08:30", "B", 11_200, OK, "10:30", OK, "12:00"),
    ("10:20", "D", 15_800, OK, "12:20", OK, "14:00"),
    ("12:10", "A", 16_000, OK, "14:10", OK, "16:00"),
    ("14:05", "D", 16_200, OK, "16:05", OK, "18:00"),
    ("16:30", "A", 16_400, "encerrado", "16:05", OK, "20:00"),
    ("18:40", "D", 16_500, "encerrado", "16:05", "abaixo_do_intervalo", "20:00"),
    ("18:50", "D", 16_600, "encerrado", "16:05", OK, "22:00"),
    ("21:30", "A", 16_800, "encerrado", "16:05", OK, "24:00"),
)
LEADERS = {"00:20": ("A", 15_200), "03:00": ("C", 150_000), "03:09": ("A", 15_200), "04:00": ("D", 15_400)}
RANKINGS = {
    "instante_do_lance": [("D", 16_200), ("A", 16_000), ("C", 12_400), ("B", 11_200)],
    "fim_do_periodo": [("A", 16_800), ("D", 16_600), ("C", 12_400), ("B", 11_200)],
}


@pytest.mark.parametrize("reading", [0, 1], ids=list(RANKINGS))
def test_r4_ends_as_its_table_says(reading: int) -> None:
    anchor = list(RANKINGS)[reading]
    terms = BidTerms(Money.reais(10_000), Money.reais(200), 600, 120, 15, anchor, whole_reais=True)
    admitted = [BidderAdmitted(Pseudonym(one), n) for n, one in enumerate("ABCD", start=1)]
    facts = [StandPrepared(terms), *admitted, ContestStarted(at("10:00"))]
    for clock, who, reais, *expected in R4:
        answer, ends = expected[2 * reading : 2 * reading + 2]
        bidder = Pseudonym(who)
        command = PlaceBid(EDITAL, STAND, bidder, Money.reais(reais)) if reais else WithdrawBid(EDITAL, STAND, bidder)
        outcome = given(*facts).when(command, at=at(clock))
        code = outcome.refusal.code if outcome.refusal else OK
        assert (clock, code, outcome.state.closes_at) == (clock, answer, at(ends))
        if clock in LEADERS and answer == OK:
            assert (outcome.state.best.bidder, outcome.state.best.amount.centavos // 100) == LEADERS[clock]
        facts += outcome.facts
    end = at(R4[-1][4 + 2 * reading])
    early = given(*facts).when(CloseStand(EDITAL, STAND), at=end - MICROSECOND)
    assert early.refusal is not None
    (closed,) = given(*facts).when(CloseStand(EDITAL, STAND), at=end).facts
    ranking = [(line.bidder, line.amount.centavos // 100) for line in closed.ranking]
    assert ranking == RANKINGS[anchor]
    assert [line.place for line in closed.ranking] == [1, 2, 3, 4]
