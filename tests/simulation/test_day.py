"""Thousands of acts of simulated auction days, each answer and each whole state as an independent auditor says.

TENDER_SOAK=1 walks twenty times as much. A failure prints its seed; `Walk(town, seed)` walks the same way again.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.simulation.day import Mismatch, Walk
from tests.simulation.sown import BUGS, RARE_BUGS, Bug, sown
from tests.town import Town

SOAKING = bool(os.environ.get("TENDER_SOAK"))
STEPS = 3_000 if SOAKING else 1_000  # on each database; longer walks outlive the calendar of expediente
SEEDS = {"fixed": 7_242_008, **dict.fromkeys([f"fresh-{n}" for n in range(12 if SOAKING else 1)])}
FOUND_WITHIN = 2_000
SOWN = {**BUGS, **RARE_BUGS} if SOAKING else BUGS


@pytest.mark.parametrize("seed", list(SEEDS.values()), ids=list(SEEDS))
def test_thousands_of_steps_go_as_the_auditor_says(town: Town, seed: int | None) -> None:
    chosen = random.SystemRandom().randrange(2**32) if seed is None else seed
    print(f"seed {chosen}")
    walk = Walk(town, chosen)
    walk.run(STEPS)
    assert walk.steps >= STEPS
    assert walk.accepted > STEPS // 8, "the walk is refused too often to prove anything"


@pytest.mark.parametrize("bug", list(SOWN.values()), ids=list(SOWN))
def test_the_auditor_finds_a_bug_that_was_sown(bug: Bug, sqlite_url: str, tmp_path: Path) -> None:
    town = Town(sqlite_url, tmp_path, change=sown(bug))
    walk = Walk(town, 724)
    with pytest.raises(Mismatch, match="auditor"):
        walk.run(FOUND_WITHIN)
    print(f"found at step {walk.steps}")
    town.close()
