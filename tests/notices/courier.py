"""A process that delivers all mail that is due and says how much it sent.

python -m tests.notices.courier <database url> <data folder> <port>
"""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from tender.clock import FrozenClock
from tender.ledger import open_engine
from tender.notices import Notices
from tender.settings import Settings, Smtp

url, folder, port = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
engine = open_engine(url)
settings = replace(Settings.for_tests(folder), smtp=Smtp(host="127.0.0.1", port=port, starttls=False))
clock = FrozenClock(datetime(2027, 3, 5, 12, 0, tzinfo=UTC))
sys.stdin.readline()  # all couriers start at the same word
done = Notices(engine, clock, settings, lambda tx, person: f"{person}@exemplo.invalid").deliver_due(limit=1000)
sys.stdout.write(f"{done.sent} {done.waiting} {done.failed}\n")
