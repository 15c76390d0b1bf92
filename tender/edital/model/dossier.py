"""What must be on file before an edital is published: acts, opinions, decided warnings, proofs of publication."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from typing import Any

from tender.acts import EditalId, Role, command, fact
from tender.law import L8987, L14063, L14133, MUN, Citation


class Paper(StrEnum):
    """A document that a gate asks for."""

    JUSTIFICATION = "ato_justificativo"
    SIGNATURES = "decreto_de_assinaturas"
    OPINION = "parecer_juridico"
    PHASE_ORDER = "ato_de_inversao"
    DESIGNATION = "designacao_da_comissao"
    TERM_MINUTES = "minutas_dos_termos"


class Channel(StrEnum):
    """Where an edital is published; the clock starts with the last of the three (Lei 14.133 art. 54)."""

    PNCP = "pncp"
    GAZETTE = "diario_oficial"
    NEWSPAPER = "jornal"


class Choice(StrEnum):
    """What the commission does about a warning."""

    KEEPS = "mantem"
    ADJUSTS = "ajusta"
    OPINION = "parecer"


@dataclass(frozen=True, slots=True)
class FiledPaper:
    """A document on file: its number, its day, and its bytes by SHA-256."""

    paper: Paper
    number: str
    day: date
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """A proof of publication: where, under which number, on which day."""

    channel: Channel
    number: str
    day: date


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about a warning, by whom, with the number of the opinion where there is one."""

    warning: str
    choice: Choice
    note: str
    by: str


@dataclass(frozen=True, slots=True)
class Gate:
    """A condition of publication (rules.md § 9): its article and what it asks."""

    code: str
    law: Citation
    asks: str
    paper: Paper | None = None


GATES: Mapping[str, Gate] = {
    gate.code: gate
    for gate in (
        Gate("G-01", L8987(5), "ato que justifica a outorga, publicado antes do edital", Paper.JUSTIFICATION),
        Gate("G-02", L14063(5), "decreto municipal dos níveis de assinatura eletrônica", Paper.SIGNATURES),
        Gate("G-03", MUN(10), "decreto que criou cada ponto e fixou o número de veículos"),
        Gate("G-04", MUN(17), "um táxi por mil habitantes, contadas as permissões em vigor"),
        Gate("G-05", MUN(3), "estudo do valor mínimo de cada ponto"),
        Gate("G-06", L14133(53), "parecer jurídico prévio", Paper.OPINION),
        Gate("G-07", L14133(17, 1), "ato motivado da habilitação antes dos lances", Paper.PHASE_ORDER),
        Gate("G-08", L14133(8), "ato de designação da comissão", Paper.DESIGNATION),
        Gate("G-09", L14133(92), "minutas do Termo de Permissão e do Termo de Desistência", Paper.TERM_MINUTES),
        Gate("G-10", L14133(25), "todas as escolhas do edital feitas e todos os alertas decididos"),
        Gate("G-11", L14133(183), "calendário que alcança todas as datas do edital"),
        Gate("G-12", L14133(54), "publicação no PNCP, no diário oficial e em jornal de grande circulação"),
    )
}
"""Code -> gate, in the order in which a dossier grows."""


# -- asked ------------------------------------------------------------------------------------------------------------


@command(Role.PREGOEIRO, Role.COMMISSION, Role.CONTROL, law=L14133(18))
class FilePaper:
    """Put a document on the edital's file."""

    edital: EditalId
    filed: FiledPaper


@command(Role.PREGOEIRO, Role.COMMISSION, law=L14133(18))
class DecideWarning:
    """Decide a warning: keep, adjust, or by the opinion of that number."""

    edital: EditalId
    warning: str
    choice: Choice
    note: str


@command(Role.PREGOEIRO, Role.COMMISSION, Role.SECRETARIAT, law=L14133(54))
class RecordProof:
    """Record where and when the edital was published."""

    edital: EditalId
    proof: Proof


# -- happened ---------------------------------------------------------------------------------------------------------


@fact(law=L14133(18))
class PaperFiled:
    """A document is on file."""

    filed: FiledPaper


@fact(law=L14133(18))
class WarningDecided:
    """A warning was decided."""

    decision: Decision


@fact(law=L14133(54))
class ProofRecorded:
    """A publication was proved; `clock_starts_on` is the day of the last of all three, once they are there."""

    proof: Proof
    clock_starts_on: date | None


FACTS = (PaperFiled, WarningDecided, ProofRecorded)


@dataclass(frozen=True, slots=True)
class Dossier:
    """What is on file of one edital."""

    papers: Mapping[Paper, FiledPaper] = field(default_factory=dict)
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    proofs: Mapping[Channel, Proof] = field(default_factory=dict)

    @property
    def clock_starts_on(self) -> date | None:
        """The day of the last of the three publications; None while one is missing."""
        return max(proof.day for proof in self.proofs.values()) if len(self.proofs) == len(Channel) else None

    def after(self, happened: Any) -> Dossier:
        """The dossier after one of its facts."""
        match happened:
            case PaperFiled(filed=filed):
                return replace(self, papers={**self.papers, filed.paper: filed})
            case WarningDecided(decision=decision):
                return replace(self, decisions={**self.decisions, decision.warning: decision})
            case ProofRecorded(proof=proof):
                return replace(self, proofs={**self.proofs, proof.channel: proof})
        raise AssertionError(f"{type(happened).__name__} is no fact of the dossier")


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a gate is closed: what is missing, with the value that would pass; `step` of the form where it is mended."""

    gate: str
    law: Citation
    missing: str
    got: str = ""
    passes: str = ""
    step: str = ""
