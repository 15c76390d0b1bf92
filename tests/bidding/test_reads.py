"""What the room shows: the scoreboard, the lances with numbers and pseudonyms, how many stands are still open."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError

from tender.bidding.model import Status
from tender.bidding.reads import bids_of, contests, find, numbers, of_edital, open_stands
from tender.ledger import writing
from tender.money import Money
from tests.town import EDITAL, SECOND, SESSION_AT, Town, terms_of


def test_the_scoreboard_goes_along_with_the_contest(town: Town) -> None:
    terms = town.to_session(terms_of(stands=2), bidders=2)
    ana, bia = (who.pseudonyms[1] for who in town.bidders)
    waiting = town.contest(1)
    assert (waiting.status, waiting.started_at, waiting.closes_at, waiting.leader) == (Status.WAITING, None, None, "")
    assert (waiting.floor, waiting.step, waiting.least) == (terms.stands[0].floor, terms.step, terms.stands[0].floor)

    started = town.start(1)
    running = town.contest(1)
    assert (running.status, running.started_at) == (Status.CONTESTED, SESSION_AT)
    assert running.closes_at == SESSION_AT + timedelta(minutes=10)
    assert (running.seq, running.hash) == (started.entries[-1].version, started.entries[-1].hash)
    assert (running.best, running.bids) == (None, 0)

    town.bid(1, 0, 10_000, SESSION_AT + SECOND)
    town.bid(1, 1, 12_000, SESSION_AT + 2 * SECOND)
    ahead = town.contest(1)
    assert (ahead.best, ahead.leader, ahead.bids, ahead.least) == (
        Money.reais(12_000), bia, 2, Money.reais(12_200),
    )  # fmt: skip
    town.bid(1, 0, 11_000, SESSION_AT + 3 * SECOND)  # intermediate: the front stays
    assert (town.contest(1).best, town.contest(1).leader, town.contest(1).bids) == (ahead.best, bia, 3)

    town.withdraw(1, 1, SESSION_AT + 4 * SECOND)
    behind = town.contest(1)
    assert (behind.best, behind.leader, behind.bids) == (Money.reais(11_000), ana, 3)
    town.withdraw(1, 0, SESSION_AT + 5 * SECOND)
    assert (town.contest(1).best, town.contest(1).leader) == (Money.reais(10_000), ana)
    assert town.contest(2).status is Status.WAITING


def test_when_every_lance_was_withdrawn_nobody_leads(town: Town) -> None:
    town.to_session(bidders=1)
    town.start(1)
    town.bid(1, 0, 10_000)
    town.withdraw(1, 0)
    contest = town.contest(1)
    assert (contest.best, contest.leader, contest.bids, contest.least) == (None, "", 1, Money.reais(10_000))


def test_lances_are_listed_newest_first_with_the_number_of_their_author_and_what_became_of_them(town: Town) -> None:
    town.to_session(bidders=3)
    town.start(1)
    for bidder, reais in ((2, 10_000), (0, 10_400), (1, 20_000)):
        town.bid(1, bidder, reais)
    town.withdraw(1, 1)
    shown = town.look(numbers, EDITAL, 1)
    assert list(shown) == sorted(who.pseudonyms[1] for who in town.bidders)
    assert list(shown.values()) == [1, 2, 3]
    every = town.look(bids_of, EDITAL, 1)
    assert [(bid.number, bid.amount.centavos // 100, bid.leads, bid.withdrawn) for bid in every] == [
        (3, 20_000, True, True), (2, 10_400, True, False), (1, 10_000, True, False),
    ]  # fmt: skip
    for bid in every:
        assert shown[bid.bidder] == bid.bidder_number
    assert [bid.number for bid in town.look(bids_of, EDITAL, 1, 2)] == [3, 2]
    assert town.look(bids_of, EDITAL, 9) == []


def test_open_stands_are_those_that_have_not_ended(town: Town) -> None:
    town.to_session(terms_of(stands=3), bidders=1)
    assert town.look(open_stands, EDITAL) == 3
    town.start(1)
    town.start(2)
    town.bid(1, 0, 10_000)
    assert town.look(open_stands, EDITAL) == 3
    town.clock.advance(timedelta(minutes=10))
    town.fall_due()
    assert [one.status for one in town.look(of_edital, EDITAL)] == [Status.CLOSED, Status.DESERTED, Status.WAITING]
    assert town.look(open_stands, EDITAL) == 1


def test_what_is_not_there_is_not_found(town: Town) -> None:
    assert town.look(find, EDITAL, 1) is None
    assert town.look(of_edital, EDITAL) == []
    assert town.look(numbers, EDITAL, 1) == {}
    assert town.look(open_stands, EDITAL) == 0


def test_the_database_itself_refuses_a_status_that_the_machine_does_not_have(town: Town) -> None:
    town.to_session(bidders=1)

    def change() -> None:
        with writing(town.engine) as tx:
            tx.execute(update(contests).values(status="Inventado"))

    with pytest.raises(IntegrityError):
        change()
