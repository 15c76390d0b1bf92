"""Two processes with a desk each on one database: they go on from each other's facts, and an id has one answer."""

from __future__ import annotations

import json
from pathlib import Path

from tender import verifier
from tender.clock import SystemClock
from tests.simulation.children import bid_at_ones_own_door, children, context
from tests.town import EDITAL, FLOOR, STEP, Town, live_town

LANCES = 60
SHARED = 20


def test_two_desks_keep_one_book_and_give_an_id_one_answer(database_url: str, tmp_path: Path) -> None:
    town = live_town(database_url, tmp_path, 4, stands=1, open_stage_seconds=3600)
    town.desk.perform(town.start_of(1), town.pregoeiro, wait=60)
    town.close()
    together = context().Barrier(2)
    shared = [f"00000000-0000-4000-8000-{n:012}" for n in range(SHARED)]
    each = [(database_url, tmp_path, town.bidders, who, shared, LANCES, together) for who in (0, 1)]
    with children(bid_at_ones_own_door, *each):
        pass
    own, both = [], []
    for who in (0, 1):
        told = json.loads((tmp_path / f"door-{who}.json").read_text("utf-8"))
        own.append([answer for name, answer in told if name not in shared])
        both.append({name: answer for name, answer in told if name in shared})
    assert both[0] == both[1]
    assert len(both[0]) == SHARED

    fresh = Town(database_url, tmp_path, SystemClock(), create=False)
    verifier.verify(iter(fresh.export()))
    placed = [entry for entry in fresh.entries() if entry.kind == "BidPlaced"]
    hashes = {entry.hash for entry in placed}
    assert [entry.fact.number for entry in placed] == list(range(1, len(placed) + 1))
    # Whatever was told to be in the book is there, and from both doors something was.
    for answers in (*own, both[0].values()):
        accepted = {answer for answer in answers if len(answer) == 64}
        assert accepted
        assert accepted <= hashes
    best = 0
    for entry in placed:
        amount = entry.fact.amount.centavos
        assert entry.fact.leads == (amount >= best + STEP * 100 or best == 0)
        best = max(best, amount)
    assert len({entry.fact.amount for entry in placed}) == len(placed)
    assert min(entry.fact.amount.centavos for entry in placed) >= FLOOR * 100
    # And a third desk goes on from there.
    fresh.bidders = town.bidders
    receipt = fresh.ask(fresh.bid_of(1, 3, best // 100 + STEP), town.bidders[3].bidder)
    assert receipt.entries[0].fact.number == len(placed) + 1
    assert fresh.contest(1, EDITAL).bids == len(placed) + 1
    fresh.close()
