"""A clock set back between two runs: what is decided is decided at the hour that the book says."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tender.acts import Refusal
from tender.ledger import reading
from tests.town import Town


def test_a_bid_is_decided_at_the_hour_of_the_book_after_the_clock_was_set_back(town: Town) -> None:
    town.to_session(bidders=2)
    town.start(1)
    town.bid(1, 0, 10_000)
    town.clock.set(town.clock.now() - timedelta(minutes=5))
    town.open_doors()
    receipt = town.bid(1, 1, 10_200)
    entry = receipt.entries[0]
    assert entry.fact.at == entry.at
    with reading(town.engine) as tx:
        hours = [one.at for one in town.book.entries(tx, "edital/001-2027")]
    assert hours == sorted(hours)


def test_no_bid_is_taken_after_the_bell_of_the_book_because_the_clock_was_set_back(town: Town) -> None:
    town.to_session(bidders=2)
    town.start(1)
    town.bid(1, 0, 10_000)
    closes_at = town.contest(1).closes_at
    assert closes_at is not None
    town.clock.set(closes_at + timedelta(seconds=1))
    town.fall_due()
    town.clock.set(closes_at - timedelta(minutes=1))
    town.open_doors()
    with pytest.raises(Refusal) as refused:
        town.bid(1, 1, 10_200)
    assert refused.value.code == "encerrado"
