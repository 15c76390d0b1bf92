"""Words of the habilitation: an application, its documents, and what the commission decides (arts. 2º, 4º)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from tender.acts import EditalId, PersonId, Role, StandId, command, fact
from tender.law import L14133, MUN, Citation
from tender.machine import Machine


class PersonKind(StrEnum):
    """Art. 2º: a natural person (§ 1º of art. 4º) or a company (§ 2º)."""

    NATURAL = "pessoa física"
    LEGAL = "pessoa jurídica"


class Status(StrEnum):
    """Statuses of an application; the value is what the screen shows."""

    DRAFT = "Em preenchimento"
    SUBMITTED = "Enviada"
    HABILITATED = "Habilitada"
    INHABILITATED = "Inabilitada"


REQUIREMENTS: Mapping[PersonKind, tuple[Citation, ...]] = {
    PersonKind.NATURAL: tuple(MUN(4, 1, item) for item in ("I", "II", "III", "IV")),
    PersonKind.LEGAL: tuple(MUN(4, 2, item) for item in ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")),
}
"""What each kind of applicant proves. Items V of § 1º and X of § 2º only ask what the edital lists by name."""


# -- asked ------------------------------------------------------------------------------------------------------------


@command(Role.APPLICANT, law=MUN(4), of="applicant")
class ReceiveDocument:
    """Add or replace a document of an application; `sha256` names the bytes in files.py."""

    edital: EditalId
    applicant: PersonId
    requirement: Citation
    sha256: str
    size: int
    started_at: datetime
    finished_at: datetime


@command(Role.APPLICANT, law=MUN(4), of="applicant")
class SubmitApplication:
    """Enrol: for these stands, with the documents sent."""

    edital: EditalId
    applicant: PersonId
    kind: PersonKind
    stands: tuple[StandId, ...]


@command(Role.PREGOEIRO, Role.COMMISSION, law=L14133(8, 2))
class HabilitateApplication:
    """Find that every requirement is met."""

    edital: EditalId
    applicant: PersonId
    reason: str


@command(Role.PREGOEIRO, Role.COMMISSION, law=L14133(8, 2), members=2)
class InhabilitateApplication:
    """Find that a requirement is not met; two members together."""

    edital: EditalId
    applicant: PersonId
    requirement: Citation
    reason: str


# -- happened ---------------------------------------------------------------------------------------------------------


@fact(law=MUN(4))
class DocumentReceived:
    """A document for a requirement, with start and end of its upload."""

    requirement: Citation
    sha256: str
    size: int
    started_at: datetime
    finished_at: datetime


@fact(law=MUN(4))
class ApplicationSubmitted:
    """The application was sent in time."""

    applicant: PersonId
    kind: PersonKind
    stands: tuple[StandId, ...]


@fact(law=MUN(4))
class ApplicationHabilitated:
    """Every requirement is met."""

    applicant: PersonId
    stands: tuple[StandId, ...]
    reason: str


@fact(law=MUN(4))
class ApplicationInhabilitated:
    """A requirement is not met."""

    applicant: PersonId
    requirement: Citation
    reason: str


MACHINE: Machine[Status] = Machine(
    "application",
    Status.DRAFT,
    {
        (Status.DRAFT, DocumentReceived): Status.DRAFT,
        (Status.DRAFT, ApplicationSubmitted): Status.SUBMITTED,
        (Status.SUBMITTED, DocumentReceived): Status.SUBMITTED,
        (Status.SUBMITTED, ApplicationSubmitted): Status.SUBMITTED,
        (Status.SUBMITTED, ApplicationHabilitated): Status.HABILITATED,
        (Status.SUBMITTED, ApplicationInhabilitated): Status.INHABILITATED,
    },
    final=frozenset({Status.HABILITATED, Status.INHABILITATED}),
)


@dataclass(frozen=True, slots=True)
class Application:
    """The state of one application. `documents`: requirement key -> SHA-256 of the document that counts."""

    edital: EditalId
    applicant: PersonId
    status: Status = Status.DRAFT
    kind: PersonKind | None = None
    stands: tuple[StandId, ...] = ()
    documents: Mapping[str, str] = field(default_factory=dict)


def begin(stream: str) -> Application:
    """The application of a stream `application/<edital>/<applicant>` before its first fact."""
    _, edital, applicant = stream.split("/", 2)
    return Application(EditalId(edital), PersonId(applicant))


def evolve(state: Application, happened: Any) -> Application:
    """The application after a fact; undeclared moves are AssertionErrors."""
    state = replace(state, status=MACHINE.after(state.status, happened))
    match happened:
        case DocumentReceived(requirement=requirement, sha256=sha256):
            return replace(state, documents={**state.documents, requirement.key: sha256})
        case ApplicationSubmitted(kind=kind, stands=stands):
            return replace(state, kind=kind, stands=stands)
    return state
