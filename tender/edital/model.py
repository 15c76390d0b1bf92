"""Words of the edital: what is offered, on which terms, and through which statuses it passes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from tender.acts import EditalId, Role, StandId, command, fact
from tender.law import L8987, L14133, MUN
from tender.machine import Machine
from tender.money import Money


class Status(StrEnum):
    """Statuses of an edital; the value is what the screen shows."""

    NONE = "Inexistente"
    DRAFT = "Rascunho"
    PUBLISHED = "Inscrições abertas"
    JUDGING = "Análise de documentos"
    READY = "Aguardando disputa"
    IN_SESSION = "Em disputa"
    JUDGED = "Resultado publicado"


class Anchor(StrEnum):
    """From where the extension counts: the bid's instant, or the end of the running period (rules.md § 3)."""

    BID = "instante_do_lance"
    PERIOD = "fim_do_periodo"


class RunnerUpPrice(StrEnum):
    """S6: what the runner-up pays, own offer (art. 4º § 3º) or first the winner's (Lei 14.133 art. 90 § 2º)."""

    OWN = "preco_proprio"
    WINNER_FIRST = "preco_do_vencedor_depois_proprio"


@dataclass(frozen=True, slots=True)
class Stand:
    """A ponto of the decree, offered: places are vagas, floor is the minimum in whole centavos."""

    number: StandId
    name: str
    address: str
    places: int
    floor: Money
    decree: str


@dataclass(frozen=True, slots=True)
class Terms:
    """What the edital says. Durations in seconds; instants aware UTC; `step` is the minimum raise."""

    edital: EditalId
    title: str
    process_number: str
    applications_open_at: datetime
    applications_close_at: datetime
    session_at: datetime
    stands: tuple[Stand, ...]
    step: Money
    open_stage_seconds: int = 600
    window_seconds: int = 120
    undo_seconds: int = 15
    anchor: Anchor = Anchor.BID
    whole_reais: bool = True
    runner_up_price: RunnerUpPrice = RunnerUpPrice.OWN
    call_hours: int = 48
    term_years: int = 4
    calendar_version: str = ""


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
        (Status.DRAFT, EditalPublished): Status.PUBLISHED,
        (Status.PUBLISHED, ApplicationsClosed): Status.JUDGING,
        (Status.JUDGING, HabilitationConcluded): Status.READY,
        (Status.READY, SessionOpened): Status.IN_SESSION,
        (Status.IN_SESSION, SessionClosed): Status.JUDGED,
        **{(status, OutageNoticed): status for status in Status if status not in (Status.NONE, Status.DRAFT)},
    },
    final=frozenset({Status.JUDGED}),
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
        case OutageNoticed(cause=cause, since=since):
            return replace(state, last_outage=(cause, since))
    return state
