"""Reading answers: tokens in forms, lines in the log."""

from __future__ import annotations

import json
import re
from typing import Any


def token_in(page: str) -> str:
    """The CSRF token of the first form on the page."""
    found = re.search(r'name="csrf_token" value="([^"]+)"', page)
    assert found, "the page has no form"
    return found[1]


def same_origin() -> dict[str, str]:
    """What a browser says when our own page asks."""
    return {"Sec-Fetch-Site": "same-origin"}


def log_lines(err: str) -> list[dict[str, Any]]:
    """The log's lines; each must be JSON."""
    return [json.loads(line) for line in err.splitlines() if line]
