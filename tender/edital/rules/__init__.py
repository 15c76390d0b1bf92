"""Decisions about the edital, one module a phase (`drafting` to `changes`); the register of stands in `register`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tender.acts import Turn
from tender.edital.model import (
    CloseApplications,
    CloseSession,
    ConcludeHabilitation,
    DraftEdital,
    Edital,
    NoteOutage,
    OpenSession,
    PublishEdital,
)
from tender.edital.model.changes import (
    AmendEdital,
    AnnulEdital,
    DraftAmendment,
    ExtendDates,
    OpenHearing,
    ResumeEdital,
    RevokeEdital,
    SuspendEdital,
)
from tender.edital.model.dossier import DecideWarning, FilePaper, RecordProof
from tender.edital.model.questions import AnswerQuestion, AskQuestion, RemindAnswer
from tender.edital.model.register import (
    CountPermits,
    CreateStand,
    DeclareClosure,
    ExtinguishStand,
    Register,
    RegisterDecree,
    RelocateStand,
    SetStandLimit,
)
from tender.edital.rules import changes, drafting, gates, lifecycle, questions, register
from tender.edital.rules.drafting import STANDS_MAX as STANDS_MAX

DECIDE: Mapping[type[Any], Callable[[Any, Any, Turn], list[Any]]] = {
    DraftEdital: drafting.draft_edital,
    FilePaper: drafting.file_paper,
    DecideWarning: drafting.decide_warning,
    RecordProof: drafting.record_proof,
    PublishEdital: gates.publish_edital,
    CloseApplications: lifecycle.close_applications,
    ConcludeHabilitation: lifecycle.conclude_habilitation,
    OpenSession: lifecycle.open_session,
    NoteOutage: lifecycle.note_outage,
    CloseSession: lifecycle.close_session,
    AskQuestion: questions.ask_question,
    AnswerQuestion: questions.answer_question,
    RemindAnswer: questions.remind_answer,
    DraftAmendment: changes.draft_amendment,
    AmendEdital: changes.amend_edital,
    ExtendDates: changes.extend_dates,
    SuspendEdital: changes.suspend_edital,
    ResumeEdital: changes.resume_edital,
    OpenHearing: changes.open_hearing,
    RevokeEdital: changes.revoke_edital,
    AnnulEdital: changes.annul_edital,
}

DECIDE_REGISTER: Mapping[type[Any], Callable[[Any, Any, Turn], list[Any]]] = {
    RegisterDecree: register.register_decree,
    CreateStand: register.create_stand,
    RelocateStand: register.relocate_stand,
    SetStandLimit: register.set_stand_limit,
    ExtinguishStand: register.extinguish_stand,
    CountPermits: register.count_permits,
    DeclareClosure: register.declare_closure,
}


def decide(state: Edital, command: Any, turn: Turn) -> list[Any]:
    """The facts that follow from a command about an edital, or a Refusal."""
    return DECIDE[type(command)](state, command, turn)


def decide_register(state: Register, command: Any, turn: Turn) -> list[Any]:
    """The facts that follow from a command about the register of stands, or a Refusal."""
    return DECIDE_REGISTER[type(command)](state, command, turn)
