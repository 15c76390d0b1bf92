"""A process that delivers mail and dies, without a word, between the server's 250 and its own commit.

python -m tests.notices.crash <database url> <data folder> <port>
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import event

from tender.clock import FrozenClock
from tender.ledger import open_engine
from tender.notices import Notices
from tender.settings import Settings, Smtp

url, folder, port = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
engine = open_engine(url)


@event.listens_for(engine, "before_cursor_execute")
def die(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_rest: Any) -> None:
    """The first write after the mail was taken is the one that says so: never reached."""
    if statement.startswith("UPDATE outbox") and "sent" in (
        parameters.values() if isinstance(parameters, dict) else parameters
    ):
        os._exit(9)


settings = replace(Settings.for_tests(folder), smtp=Smtp(host="127.0.0.1", port=port, starttls=False))
clock = FrozenClock(datetime(2027, 3, 5, 12, 0, tzinfo=UTC))
Notices(engine, clock, settings, lambda tx, person: f"{person}@exemplo.invalid").deliver_due()
