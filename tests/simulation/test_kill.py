"""SIGKILL at random moments under load: what was answered is in the book, nothing is twice, the chain is whole."""

from __future__ import annotations

import itertools
import json
import os
import random
import threading
import time
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tender import verifier
from tender.acts import Actor, EditalId, Pseudonym, Refusal, Role, StandId
from tender.bidding.model import PlaceBid
from tender.clock import SystemClock
from tender.desk import DeskBroken, StillWaiting
from tender.ledger import reading
from tender.money import Money
from tests.simulation.children import PATIENCE, context
from tests.town import EDITAL, STEP, Town, terms_of

pytestmark = [pytest.mark.slow]

ROUNDS = {"sqlite": 200, "postgresql": 60}
CLIENTS = 6
STANDS = 10
"""Rounds take turns at them: what a start folds from the book stays as short as a real contest."""
BATCH_OF_CHECKS = 20


@dataclass
class Round:
    """What the child told before it was killed: asked (id -> bidder, reais) and answered (id -> hash or code)."""

    asked: dict[str, tuple[int, int]] = field(default_factory=dict)
    answered: dict[str, str] = field(default_factory=dict)


def _bid(bidder: tuple[str, int, str], reais: int) -> tuple[PlaceBid, Actor]:
    person, stand, pseudonym = bidder
    command = PlaceBid(EditalId(EDITAL), StandId(stand), Pseudonym(pseudonym), Money.reais(reais))
    return command, Actor(person, frozenset({Role.BIDDER}))


def bid_until_killed(url: str, folder: Path, bidders: list[tuple[str, int, str]], first: int, pipe: int) -> None:
    """The child: a desk with its threads, and clients who tell the pipe what they ask and what they are answered."""
    town = Town(url, folder, SystemClock(), create=False)
    town.desk.start()
    amounts, turn = itertools.count(first, STEP), threading.Lock()

    def tell(*words: Any) -> None:
        os.write(pipe, (json.dumps(words) + "\n").encode())  # shorter than PIPE_BUF: never torn by a kill

    def client(number: int) -> None:
        while True:
            with turn:
                reais = next(amounts)
            command_id = str(uuid.uuid4())
            tell("asked", command_id, number, reais)
            command, actor = _bid(bidders[number], reais)
            try:
                receipt = town.desk.perform(command, actor, command_id)
                tell("answered", command_id, receipt.entries[0].hash)
            except Refusal as refusal:
                tell("answered", command_id, refusal.code)
            except (DeskBroken, StillWaiting):
                continue

    for number in range(CLIENTS):
        threading.Thread(target=client, args=(number,), daemon=True).start()
    threading.Event().wait()


def _run_and_kill(
    url: str, folder: Path, bidders: list[tuple[str, int, str]], first: int, chance: random.Random
) -> Round:
    source, drain = os.pipe()
    os.set_inheritable(drain, True)
    child = context().Process(target=_with_pipe, args=(url, folder, bidders, first, _duplicate(drain)), daemon=True)
    child.start()
    os.close(drain)
    found, answered = Round(), threading.Event()
    reader = threading.Thread(target=_read, args=(source, found, answered))
    reader.start()
    try:
        assert answered.wait(PATIENCE), "the child answered nobody"
        time.sleep(chance.uniform(0, 0.08))
    finally:
        child.kill()
        child.join()
        reader.join()
        child.close()
    return found


def _duplicate(drain: int) -> Any:
    from multiprocessing.reduction import DupFd

    return DupFd(drain)


def _with_pipe(url: str, folder: Path, bidders: list[tuple[str, int, str]], first: int, pipe: Any) -> None:
    bid_until_killed(url, folder, bidders, first, pipe.detach())


def _read(source: int, found: Round, answered: threading.Event) -> None:
    with os.fdopen(source, "r", encoding="utf-8") as lines:
        for line in lines:
            kind, command_id, *rest = json.loads(line)
            if kind == "asked":
                found.asked[command_id] = (rest[0], rest[1])
            else:
                found.answered[command_id] = rest[0]
                answered.set()


def _check(town: Town, found: Round, bidders: list[tuple[str, int, str]]) -> int:
    """Every answer is in the book as it was told; whoever got none asks again and gets one. How many were accepted."""
    with reading(town.engine) as tx:
        for command_id, told in found.answered.items():
            entries = town.book.of_command(tx, command_id)
            if len(told) == 64:
                assert [entry.hash for entry in entries] == [told]
            else:
                assert entries == []
    for command_id in found.asked.keys() - found.answered.keys():
        number, reais = found.asked[command_id]
        command, actor = _bid(bidders[number], reais)
        outcomes = [_again(town, command, actor, command_id) for _ in range(2)]
        assert outcomes[0] == outcomes[1]
    return sum(len(told) == 64 for told in found.answered.values())


def _again(town: Town, command: PlaceBid, actor: Actor, command_id: str) -> str:
    try:
        return town.ask(command, actor, command_id=command_id).entries[0].hash
    except Refusal as refusal:
        return refusal.code


def _best(town: Town, stand: int) -> int:
    best = town.contest(stand).best
    return best.centavos // 100 if best else 10_000 - STEP


def test_killed_at_random_moments_the_book_keeps_every_answer(database_url: str, tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    now = datetime.now(UTC)
    setting = Town(database_url, tmp_path)
    setting.to_session(terms_of(session_at=now, open_stage_seconds=24 * 3600, stands=STANDS), CLIENTS)
    for stand in range(1, STANDS + 1):
        setting.start(stand, at=now + timedelta(seconds=1))
    setting.close()

    rounds = ROUNDS[database_url.partition("+")[0].partition(":")[0]]
    accepted, mute = 0, 0
    for done in range(1, rounds + 1):
        town = Town(database_url, tmp_path, SystemClock(), create=False)
        stand = 1 + done % STANDS
        bidders = [(str(who.person), stand, str(who.pseudonyms[stand])) for who in setting.bidders]
        first = _best(town, stand) + STEP
        found = _run_and_kill(database_url, tmp_path, bidders, first, chance)
        accepted += _check(town, found, bidders)
        mute += len(found.asked) - len(found.answered)
        if done % BATCH_OF_CHECKS == 0 or done == rounds:
            with reading(town.engine) as tx:
                verifier.verify(town.book.export(tx, f"edital/{EDITAL}"))
        town.close()
    # The kills did come in the middle of the work: many were answered, and some were left without an answer.
    assert accepted > rounds
    assert mute > 0
