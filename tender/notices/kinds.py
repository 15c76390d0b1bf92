"""The kinds of notices: to whom each goes and which values its text needs.

Numbers are those of the list of notices; the texts stand in `templates/notices/<kind>.txt`. No kind takes the name of a
person: who else competes is nobody's business, and the awardee's name stands on the public page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from types import UnionType
from typing import Any

from tender.acts import Role
from tender.law import Citation
from tender.money import Money

Wanted = type | UnionType | tuple[str, ...]
"""What a value must be: a type, or one of these words. Lists are tuples of texts."""

ALL_WHO_ENROL = (Role.APPLICANT, Role.BIDDER)
OFFICES = (Role.PREGOEIRO, Role.COMMISSION)
WHO_SIGNS_IN = tuple(role for role in Role if role not in (Role.PUBLIC, Role.SYSTEM))


@dataclass(frozen=True, slots=True)
class NoticeKind:
    """One kind. values: name -> what it must be; mail_only: it proves an address, so the own page must not show it.

    Every kind also takes `link`, a path of this site.
    """

    number: int
    audience: tuple[Role, ...]
    values: Mapping[str, Wanted]
    mail_only: bool = False


KINDS: dict[str, NoticeKind] = {
    "confirm_email": NoticeKind(1, (Role.PUBLIC, Role.APPLICANT), {}, mail_only=True),
    "edital_published": NoticeKind(2, (Role.PUBLIC,), {"stands": int, "closes_at": datetime, "floor": Money}),
    "edital_amended": NoticeKind(
        3, (Role.PUBLIC, *ALL_WHO_ENROL), {"edital": str, "summary": str, "closes_at": datetime}
    ),
    "question_answered": NoticeKind(4, (Role.PUBLIC,), {"question": str, "answer": str}),
    "three_days_left": NoticeKind(5, (Role.APPLICANT,), {"missing": tuple, "closes_at": datetime}),
    "last_day": NoticeKind(6, (Role.APPLICANT,), {"missing": tuple, "closes_at": datetime}),
    "application_submitted": NoticeKind(
        7,
        (Role.APPLICANT,),
        {"receipt": str, "submitted_at": datetime, "documents": int, "closes_at": datetime},
    ),
    "diligence_asked": NoticeKind(8, (Role.APPLICANT,), {"document": str, "reason": str, "answer_until": datetime}),
    "habilitated": NoticeKind(9, (Role.APPLICANT,), {"stands": tuple, "session_at": datetime}),
    "inhabilitated": NoticeKind(10, (Role.APPLICANT,), {"reason": str, "citation": Citation, "appeal_until": datetime}),
    "session_tomorrow": NoticeKind(
        11, (Role.BIDDER,), {"stands": tuple, "session_at": datetime, "withdraw_seconds": int}
    ),
    "session_soon": NoticeKind(12, (Role.BIDDER,), {"session_at": datetime}),
    "session_postponed": NoticeKind(
        13,
        (Role.BIDDER, Role.PUBLIC),
        {
            "edital": str,
            "how": ("adiada", "suspensa"),
            "reason": str,
            "session_at": datetime | None,
            "bids_stand": bool,
        },
    ),
    "technical_pause": NoticeKind(14, (Role.BIDDER,), {"paused_at": datetime}),
    "session_resuming": NoticeKind(15, (Role.BIDDER,), {"resumes_at": datetime}),
    "bid_annulled": NoticeKind(
        16, (Role.BIDDER,), {"stand": int, "amount": Money, "reason": str, "best": Money | None}
    ),
    "stand_closed": NoticeKind(17, (Role.BIDDER,), {"stand": int, "place": int | None, "amount": Money | None}),
    "called": NoticeKind(18, (Role.BIDDER,), {"stand": int, "answer_until": datetime, "amount": Money}),
    "call_ending": NoticeKind(19, (Role.BIDDER,), {"stand": int, "answer_until": datetime}),
    "desistencia_signed": NoticeKind(
        20, (Role.BIDDER, Role.COMMISSION), {"stand": int, "signed_at": datetime, "own": bool}
    ),
    "appeal_filed": NoticeKind(21, (Role.BIDDER,), {"stand": int, "answer_until": datetime}),
    "appeal_decided": NoticeKind(
        22, (Role.BIDDER,), {"stand": int, "outcome": ("aceito", "negado"), "reason": str, "effect": str}
    ),
    "award_confirmed": NoticeKind(23, (Role.BIDDER,), {"stand": int, "valid_until": date}),
    "edital_revoked": NoticeKind(
        24,
        ALL_WHO_ENROL,
        {"edital": str, "how": ("revogada", "anulada"), "reason": str, "effect": str, "appeal_until": datetime},
    ),
    "tasks_due": NoticeKind(25, OFFICES, {"tasks": tuple}),
    "new_sign_in": NoticeKind(26, WHO_SIGNS_IN, {"signed_in_at": datetime, "device": str}),
    "annual_proof_due": NoticeKind(27, (Role.APPLICANT,), {"due": date, "documents": tuple}),
    "hearing_opened": NoticeKind(
        30,
        (Role.PUBLIC, *ALL_WHO_ENROL),
        {"edital": str, "ending": ("revogada", "anulada"), "reason": str, "until": datetime},
    ),
    # Two that the sign-in needs beside the list: whoever forgot, and whoever is already known.
    "password_reset": NoticeKind(28, WHO_SIGNS_IN, {}, mail_only=True),
    "already_registered": NoticeKind(29, WHO_SIGNS_IN, {}),
}
"""Name of the kind -> what it is; `templates/notices/` has one text for each."""


def check(kind: str, values: Mapping[str, Any]) -> None:
    """The values are exactly those that the kind needs, each of its type. KeyError, TypeError or ValueError."""
    wanted = KINDS[kind].values
    if wanted.keys() != values.keys():
        missing, extra = sorted(wanted.keys() - values.keys()), sorted(values.keys() - wanted.keys())
        raise TypeError(f"{kind}: missing {missing}, not needed {extra}")
    for name, rule in wanted.items():
        value = values[name]
        if isinstance(rule, tuple):
            if value not in rule:
                raise ValueError(f"{kind}: {name} is one of {rule}, not {value!r}")
        elif not isinstance(value, rule) or (isinstance(value, bool) and rule is not bool):
            raise TypeError(f"{kind}: {name} is a {rule}, not {value!r}")
        elif isinstance(value, tuple) and not (value and all(isinstance(item, str) for item in value)):
            raise TypeError(f"{kind}: {name} is a tuple of texts with at least one, not {value!r}")
