"""Words of the edital: what is offered, on which terms, and through which statuses it passes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from tender.acts import EditalId, Role, command, fact
from tender.edital.model.changes import (
    AmendmentDrafted,
    EditalAmended,
    EditalAnnulled,
    EditalExtended,
    EditalResumed,
    EditalRevoked,
    EditalSuspended,
    HearingOpened,
)
from tender.edital.model.dossier import Dossier, PaperFiled, ProofRecorded, WarningDecided
from tender.edital.model.questions import AnswerFellDue, Asked, QuestionAnswered, QuestionAsked
from tender.edital.model.terms import Anchor as Anchor
from tender.edital.model.terms import RunnerUpPrice as RunnerUpPrice
from tender.edital.model.terms import Stand as Stand
from tender.edital.model.terms import Terms as Terms
from tender.law import L8987, L14133, MUN
from tender.machine import Machine


class Status(StrEnum):
    """Statuses of an edital; the value is what the screen shows."""

    NONE = "Inexistente"
    DRAFT = "Rascunho"
    PUBLISHED = "Inscrições abertas"
    JUDGING = "Análise de documentos"
    READY = "Aguardando disputa"
    IN_SESSION = "Em disputa"
    JUDGED = "Resultado publicado"
    SUSPENDED = "Suspensa nas inscrições"
    SUSPENDED_JUDGING = "Suspensa na análise de documentos"
    SUSPENDED_READY = "Suspensa antes da disputa"
    SUSPENDED_SESSION = "Suspensa durante a disputa"
    SUSPENDED_JUDGED = "Suspensa no resultado"
    REVOKED = "Revogada"
    ANNULLED = "Anulada"


SUSPENSIONS: Mapping[Status, Status] = {
    Status.PUBLISHED: Status.SUSPENDED,
    Status.JUDGING: Status.SUSPENDED_JUDGING,
    Status.READY: Status.SUSPENDED_READY,
    Status.IN_SESSION: Status.SUSPENDED_SESSION,
    Status.JUDGED: Status.SUSPENDED_JUDGED,
}
"""Where an edital stands -> its suspension there: resuming leads back to where it was."""
SUSPENDED = frozenset(SUSPENSIONS.values())
ENDED_EARLY = frozenset({Status.REVOKED, Status.ANNULLED})
LIVE = frozenset({*SUSPENSIONS, *SUSPENDED})
"""Published and not over."""


# -- asked ------------------------------------------------------------------------------------------------------------


@command(Role.PREGOEIRO, Role.COMMISSION, law=MUN(3))
class DraftEdital:
    """Write or rewrite the draft."""

    edital: EditalId
    terms: Terms


@command(Role.MAYOR, law=L14133(54))
class PublishEdital:
    """Freeze the terms and publish; never by whoever drafted."""

    edital: EditalId
    terms_sha256: str


@command(Role.SYSTEM, Role.PREGOEIRO, law=L14133(55))
class CloseApplications:
    """End the period of enrolment, not before its hour."""

    edital: EditalId


@command(Role.PREGOEIRO, Role.COMMISSION, law=L14133(17, 1))
class ConcludeHabilitation:
    """Publish who is habilitated: they are admitted to the stands they asked for."""

    edital: EditalId


@command(Role.PREGOEIRO, law=L14133(17))
class OpenSession:
    """Open the public session, not before its hour."""

    edital: EditalId


@command(Role.SYSTEM, law=L14133(183, 2))
class NoteOutage:
    """Record that the service was not to be trusted for a while."""

    edital: EditalId
    cause: str
    since: datetime
    until: datetime


@command(Role.SYSTEM, law=L14133(17, None, "III"))
class CloseSession:
    """End the session once every stand is closed."""

    edital: EditalId


# -- happened ---------------------------------------------------------------------------------------------------------


@fact(law=MUN(3))
class EditalDrafted:
    """The draft as it now reads, and who wrote it."""

    terms: Terms
    by: str


@fact(law=L14133(54))
class EditalPublished:
    """The terms, frozen; `terms_sha256` is the hash of their canonical form."""

    terms: Terms
    terms_sha256: str


@fact(law=L14133(55))
class ApplicationsClosed:
    """Enrolment ended."""

    edital: EditalId


@fact(law=L14133(17, 1))
class HabilitationConcluded:
    """The list of the habilitated is public."""

    edital: EditalId
    habilitated: int


@fact(law=L14133(17))
class SessionOpened:
    """The public session began."""

    edital: EditalId


@fact(law=L14133(183, 2))
class OutageNoticed:
    """The service was away, stood still, or its clock was set: from, until."""

    cause: str
    since: datetime
    until: datetime


@fact(law=L14133(17, None, "III"))
class SessionClosed:
    """Every stand of the session is closed."""

    edital: EditalId


MACHINE: Machine[Status] = Machine(
    "edital",
    Status.NONE,
    {
        (Status.NONE, EditalDrafted): Status.DRAFT,
        (Status.DRAFT, EditalDrafted): Status.DRAFT,
        (Status.DRAFT, PaperFiled): Status.DRAFT,
        (Status.DRAFT, WarningDecided): Status.DRAFT,
        (Status.DRAFT, ProofRecorded): Status.DRAFT,
        (Status.DRAFT, EditalPublished): Status.PUBLISHED,
        (Status.PUBLISHED, ApplicationsClosed): Status.JUDGING,
        (Status.JUDGING, HabilitationConcluded): Status.READY,
        (Status.READY, SessionOpened): Status.IN_SESSION,
        (Status.IN_SESSION, SessionClosed): Status.JUDGED,
        **{
            (status, kind): status
            for kind in (AmendmentDrafted, EditalAmended)
            for status in (Status.PUBLISHED, Status.SUSPENDED)
        },
        **{(status, EditalExtended): status for status in (Status.PUBLISHED, Status.JUDGING, Status.READY)},
        **{(status, EditalSuspended): there for status, there in SUSPENSIONS.items()},
        **{(there, EditalResumed): status for status, there in SUSPENSIONS.items()},
        **{(status, HearingOpened): status for status in Status if status in LIVE},
        **{(status, EditalRevoked): Status.REVOKED for status in Status if status in LIVE},
        **{(status, EditalAnnulled): Status.ANNULLED for status in Status if status in LIVE},
        **{
            (status, kind): status
            for kind in (QuestionAsked, QuestionAnswered, AnswerFellDue)
            for status in Status
            if status in LIVE
        },
        **{(status, OutageNoticed): status for status in Status if status not in (Status.NONE, Status.DRAFT)},
    },
    final=ENDED_EARLY,
)

DURATION_OF_PERMIT = MUN(3, 2)
JUSTIFICATION = L8987(5)


@dataclass(frozen=True, slots=True)
class Edital:
    """The state of one edital, folded from its facts."""

    edital: EditalId
    status: Status = Status.NONE
    terms: Terms | None = None
    drafted_by: str = ""
    last_outage: tuple[str, datetime] | None = None
    dossier: Dossier = field(default_factory=Dossier)
    amendment: AmendmentDrafted | None = None
    hearing: HearingOpened | None = None
    suspended_at: datetime | None = None
    questions: Mapping[int, Asked] = field(default_factory=dict)


def begin(stream: str) -> Edital:
    """The edital of a stream `edital/<id>` before its first fact."""
    return Edital(EditalId(stream.partition("/")[2]))


def evolve(state: Edital, happened: Any) -> Edital:
    """The edital after a fact; undeclared moves are AssertionErrors."""
    state = replace(state, status=MACHINE.after(state.status, happened))
    match happened:
        case EditalDrafted(terms=terms, by=by):
            return replace(state, terms=terms, drafted_by=by)
        case EditalPublished(terms=terms):
            return replace(state, terms=terms)
        case PaperFiled() | WarningDecided() | ProofRecorded():
            return replace(state, dossier=state.dossier.after(happened))
        case OutageNoticed(cause=cause, since=since):
            return replace(state, last_outage=(cause, since))
        case QuestionAsked() | QuestionAnswered():
            return replace(state, questions=_asked(state.questions, happened))
    return _changed(state, happened)


def _asked(before: Mapping[int, Asked], happened: QuestionAsked | QuestionAnswered) -> Mapping[int, Asked]:
    if isinstance(happened, QuestionAsked):
        return {**before, happened.number: Asked(happened.kind, happened.mark, happened.answer_until)}
    return {**before, happened.number: replace(before[happened.number], answered=True)}


def _changed(state: Edital, happened: Any) -> Edital:
    match happened:
        case AmendmentDrafted():
            return replace(state, amendment=happened)
        case EditalAmended(terms=terms):
            return replace(state, terms=terms, amendment=None)
        case EditalExtended(applications_close_at=closes, session_at=session):
            return replace(state, terms=_dated(state.terms, closes, session))
        case EditalSuspended(since=since):
            return replace(state, suspended_at=since)
        case EditalResumed(applications_close_at=closes, session_at=session):
            return replace(state, terms=_dated(state.terms, closes, session), suspended_at=None)
        case HearingOpened():
            return replace(state, hearing=happened)
    return state


def _dated(terms: Terms | None, closes: datetime, session: datetime) -> Terms:
    assert terms is not None, "what was published has terms"
    return replace(terms, applications_close_at=closes, session_at=session)
