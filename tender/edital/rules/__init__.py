"""Decisions about the edital, by phase: `drafting`, `gates`, `lifecycle`; the register of stands in `register`."""

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
from tender.edital.model.dossier import DecideWarning, FilePaper, RecordProof
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
from tender.edital.rules import drafting, gates, lifecycle, register

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
