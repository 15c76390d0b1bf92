"""What may happen to an edital after its publication: amended, extended, suspended, resumed, revoked, annulled.

An amendment is drafted by one and published by another; revocation and annulment hear the interested first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime
from enum import Enum, StrEnum
from typing import Any

from tender.acts import EditalId, Role, command, fact
from tender.clock import long_day, long_when
from tender.edital.model.terms import Terms
from tender.law import L14133, Citation
from tender.money import Money, brl

REASON_MIN = 30
"""A reason has at least so many letters: who reads it must understand why."""
HEARING_DAYS = 3
"""Business days in which the interested may speak before a revocation (Lei 14.133 art. 71 § 3º names no number)."""
UNSAID = ("edital", "title", "process_number", "applications_open_at", "applications_close_at", "session_at")
"""Fields of `Terms` whose change alone does not touch what somebody would offer."""
SILENT = (*UNSAID, "calendar_version", "counting", "body", "items_reading", "retention_years", "justification")


class Ending(StrEnum):
    """How an edital ends before its time (Lei 14.133 art. 71, II and III)."""

    REVOCATION = "revogada"
    ANNULMENT = "anulada"


# -- asked -------------------------------------------------------------------------------------------------------------


@command(Role.PREGOEIRO, Role.COMMISSION, law=L14133(55, 1))
class DraftAmendment:
    """Write or rewrite the amendment: the whole new terms, and whether the change affects what would be offered."""

    edital: EditalId
    terms: Terms
    affects_offers: bool
    reason: str


@command(Role.MAYOR, law=L14133(55, 1))
class AmendEdital:
    """Publish the amendment that was read, never by whoever wrote it."""

    edital: EditalId
    terms_sha256: str


@command(Role.PREGOEIRO, Role.MAYOR, law=L14133(55))
class ExtendDates:
    """Put the end of the enrolment, the session, or both on later days."""

    edital: EditalId
    applications_close_at: datetime
    session_at: datetime
    reason: str


@command(Role.PREGOEIRO, Role.MAYOR, law=L14133(71))
class SuspendEdital:
    """Stop everything where it is."""

    edital: EditalId
    reason: str


@command(Role.PREGOEIRO, Role.MAYOR, law=L14133(71))
class ResumeEdital:
    """Go on where it stopped, on dates that give back the time that was left."""

    edital: EditalId
    applications_close_at: datetime
    session_at: datetime
    reason: str


@command(Role.MAYOR, law=L14133(71, 3))
class OpenHearing:
    """Hear the interested before the edital is revoked or annulled."""

    edital: EditalId
    ending: Ending
    reason: str
    until: datetime


@command(Role.MAYOR, law=L14133(71, None, "II"))
class RevokeEdital:
    """Revoke for convenience, by a fact that came later and was proved (Lei 14.133 art. 71 § 2º)."""

    edital: EditalId
    reason: str
    effect: str


@command(Role.MAYOR, law=L14133(71, None, "III"))
class AnnulEdital:
    """Annul for a defect that cannot be mended, naming the acts (Lei 14.133 art. 71 § 1º)."""

    edital: EditalId
    reason: str
    effect: str


# -- happened ----------------------------------------------------------------------------------------------------------


@fact(law=L14133(55, 1))
class AmendmentDrafted:
    """An amendment waits to be published."""

    terms: Terms
    affects_offers: bool
    reason: str
    by: str


@fact(law=L14133(55, 1))
class EditalAmended:
    """The new terms, frozen; when they affect the offers the term of publicity began again."""

    terms: Terms
    terms_sha256: str
    affects_offers: bool
    reason: str


@fact(law=L14133(55))
class EditalExtended:
    """Later dates."""

    applications_close_at: datetime
    session_at: datetime
    reason: str


@fact(law=L14133(71))
class EditalSuspended:
    """Everything stands still since then."""

    since: datetime
    reason: str


@fact(law=L14133(71))
class EditalResumed:
    """It goes on, on these dates."""

    applications_close_at: datetime
    session_at: datetime
    reason: str


@fact(law=L14133(71, 3))
class HearingOpened:
    """The interested may speak until then."""

    ending: Ending
    reason: str
    until: datetime


@fact(law=L14133(71, None, "II"))
class EditalRevoked:
    """Revoked: what becomes of the enrolments, and until when one may appeal (Lei 14.133 art. 165, I, d)."""

    reason: str
    effect: str
    appeal_until: datetime


@fact(law=L14133(71, None, "III"))
class EditalAnnulled:
    """Annulled: what becomes of the enrolments, and until when one may appeal (Lei 14.133 art. 165, I, d)."""

    reason: str
    effect: str
    appeal_until: datetime


CHANGES: tuple[type[Any], ...] = (
    EditalAmended,
    EditalExtended,
    EditalSuspended,
    EditalResumed,
    HearingOpened,
    EditalRevoked,
    EditalAnnulled,
)
"""What the public is shown as a change, newest first."""


# -- the difference between two versions -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that changed: its name on screen, before, after ("" when it was not there)."""

    label: str
    before: str
    after: str


LABELS = {
    "title": "Título",
    "process_number": "Processo",
    "applications_open_at": "Início das inscrições",
    "applications_close_at": "Fim das inscrições",
    "session_at": "Sessão pública",
    "step": "Aumento mínimo entre lances",
    "open_stage_seconds": "Tempo inicial da disputa (segundos)",
    "window_seconds": "Prorrogação (segundos)",
    "withdraw_seconds": "Prazo para cancelar um lance (segundos)",
    "call_hours": "Prazo para responder à convocação (horas)",
    "term_years": "Prazo da permissão (anos)",
    "floor": "lance mínimo",
    "name": "nome",
    "address": "endereço",
    "places": "vagas",
    "decree": "decreto",
    "justification": "Justificativa",
    "proposal_days": "Validade da proposta (dias)",
}


def differences(before: Terms, after: Terms) -> list[Difference]:
    """Every value that changed, in the order of the terms; stands are told apart by number."""
    found: list[Difference] = []
    for field in fields(Terms):
        old, new = getattr(before, field.name), getattr(after, field.name)
        if field.name == "stands":
            olds, news = {one.number: one for one in old}, {one.number: one for one in new}
            for number in sorted({*olds, *news}):
                found += _between(f"Ponto {number}: ", "", olds.get(number), news.get(number))
        elif old != new:
            found += _between("", field.name, old, new)
    return found


def _between(prefix: str, name: str, old: Any, new: Any) -> Iterator[Difference]:
    if old == new:
        return
    if is_dataclass(old) and type(old) is type(new) and not isinstance(old, Money | Citation):
        for field in fields(old):
            yield from _between(prefix, field.name, getattr(old, field.name), getattr(new, field.name))
        return
    label = prefix + LABELS.get(name, name.replace("_", " ") or "oferecido")
    yield Difference(label, _told(old), _told(new))


def _told(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "sim" if value else "não"
    if isinstance(value, Money):
        return brl(value)
    if isinstance(value, datetime):
        return long_when(value)
    if isinstance(value, date):
        return long_day(value)
    if isinstance(value, Enum):
        return str(value.value).replace("_", " ")
    if isinstance(value, tuple):
        return "; ".join(_told(one) for one in value)
    if is_dataclass(value) and not isinstance(value, Citation):
        return ", ".join(_told(getattr(value, field.name)) for field in fields(value))
    return str(value)


def must_affect(before: Terms, after: Terms) -> list[str]:
    """Names of the changed fields that touch what somebody would offer, whatever is declared (art. 55 § 1º)."""
    return [
        LABELS.get(field.name, field.name.replace("_", " "))
        for field in fields(Terms)
        if field.name not in SILENT and getattr(before, field.name) != getattr(after, field.name)
    ]
