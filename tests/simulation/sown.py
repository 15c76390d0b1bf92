"""Bugs sown on purpose into a copy of the program's rules, to see that the auditor finds them.

A chapter's functions are compiled anew from their own text with one piece of it replaced; the classes stay the
program's own. Nothing of the program itself is changed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import FunctionType, ModuleType
from typing import Any

from tender.awards import rules as award_rules
from tender.bidding import model as stand_model
from tender.bidding import rules as stand_rules
from tender.clerk import Procedure


@dataclass(frozen=True)
class Bug:
    """In which module's functions which text is replaced by which."""

    module: ModuleType
    right: str
    wrong: str


BUGS = {
    "a lance at the bell counts": Bug(stand_rules, "turn.now >= state.closes_at:", "turn.now > state.closes_at:"),
    "the last microsecond is late": Bug(
        stand_rules, "turn.now >= state.closes_at:", "turn.now >= state.closes_at - MICROSECOND:"
    ),
    "a whole step is too little": Bug(
        stand_rules,
        "best.amount < amount < best.amount + terms.step",
        "best.amount < amount <= best.amount + terms.step",
    ),
    "the floor itself is refused": Bug(stand_rules, "if amount < terms.floor:", "if amount <= terms.floor:"),
    "equal lances count": Bug(stand_rules, "if amount.centavos in state.amounts:", "if False:"),
    "the fifteenth second is too late": Bug(
        stand_rules, "> timedelta(seconds=terms.withdraw_seconds)", ">= timedelta(seconds=terms.withdraw_seconds)"
    ),
    "a bidder withdraws twice": Bug(stand_rules, "if command.bidder in state.withdrew:", "if False:"),
    "a withdrawn lance takes the one below along": Bug(stand_model, "if gone.below is not None:", "if False:"),
    "a withdrawn amount stays taken": Bug(
        stand_model, "amounts=state.amounts - {gone.amount.centavos},", "amounts=state.amounts,"
    ),
    "the clock shrinks": Bug(stand_rules, "return max(closes_at, now + window)", "return now + window"),
    "the clock is not extended": Bug(stand_rules, "return max(closes_at, now + window)", "return closes_at"),
    "time is not given back": Bug(
        stand_rules, "max(timedelta(microseconds=state.remaining_us), timedelta", "max(timedelta(0), timedelta"
    ),
    "an answer at the end of the term counts": Bug(
        award_rules, "turn.now >= state.answer_until", "turn.now > state.answer_until"
    ),
}
RARE_BUGS = {
    "the stand closes a microsecond early": Bug(
        stand_rules, "turn.now < state.closes_at:", "turn.now < state.closes_at - MICROSECOND:"
    ),
    "a centavo less than a step leads": Bug(
        stand_rules,
        "best.amount < amount < best.amount + terms.step",
        "best.amount < amount < best.amount + terms.step - Money(1)",
    ),
    "ones own step is forgotten": Bug(stand_rules, "amount < own.amount + terms.step:", "amount < own.amount:"),
    "the period is added one microsecond late": Bug(
        stand_rules, "if now >= closes_at - window", "if now > closes_at - window"
    ),
    "a call lapses a microsecond early": Bug(
        award_rules, "turn.now < state.answer_until", "turn.now < state.answer_until - timedelta(microseconds=1)"
    ),
    "a desistencia skips the runner-up": Bug(
        award_rules,
        "return [gone, *_next(state.queue, line.place,",
        "return [gone, *_next(state.queue, line.place + 1,",
    ),
    "anybody answers the call": Bug(award_rules, "if state.called.bidder != bidder:", "if False:"),
}
"""Found too, but after longer walks: only when soaking."""


def sown(bug: Bug) -> Callable[[Procedure], Procedure]:
    """A change of the procedure: offices whose functions live in the module use the copy with the bug."""
    copy = dict(vars(bug.module))
    changed = 0
    for name, made in vars(bug.module).items():
        if isinstance(made, FunctionType) and made.__module__ == bug.module.__name__:
            text = inspect.getsource(made)
            changed += bug.right in text
            exec(compile(text.replace(bug.right, bug.wrong), f"<sown {name}>", "exec"), copy)  # noqa: S102 - our own text
    assert changed, f"{bug.module.__name__} no longer says: {bug.right}"
    if "DECIDE" in copy:
        copy["DECIDE"] = {kind: copy[rule.__name__] for kind, rule in copy["DECIDE"].items()}

    def again(function: Any) -> Any:
        return copy[function.__name__] if function.__module__ == bug.module.__name__ else function

    def change(procedure: Procedure) -> Procedure:
        offices = {
            kind: replace(office, start=again(office.start), decide=again(office.decide), evolve=again(office.evolve))
            for kind, office in procedure.offices.items()
        }
        return replace(procedure, offices=offices)

    return change
