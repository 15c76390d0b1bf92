"""Decisions about the register of stands: no ponto without a decree, no change without another (arts. 10, 11)."""

from __future__ import annotations

from typing import Any

from tender.acts import Refusal, Turn
from tender.clock import day_of
from tender.edital.model.register import (
    MAP_SIDE,
    ClosureDeclared,
    CountPermits,
    CreateStand,
    DeclareClosure,
    DecreeRegistered,
    ExtinguishStand,
    PermitsCounted,
    Register,
    RegisterDecree,
    RegisteredStand,
    RelocateStand,
    SetStandLimit,
    StandCreated,
    StandExtinguished,
    StandLimitSet,
    StandRelocated,
)
from tender.law import L14133, MUN


def register_decree(state: Register, command: RegisterDecree, turn: Turn) -> list[Any]:
    """Once by number, never dated ahead of today."""
    decree = command.decree
    if not decree.number.strip() or not decree.subject.strip():
        raise Refusal("Escreva o número e o assunto do decreto.", MUN(10), field="decreto", passes="1/2027")
    if decree.number in state.decrees:
        raise Refusal("Este decreto já está no registro.", MUN(10), code="repetido", field="número", got=decree.number)
    today = day_of(turn.now)
    if decree.day > today:
        raise Refusal(
            "O decreto não pode ter data futura.",
            MUN(10),
            code="data_futura",
            field="data",
            got=f"{decree.day:%d/%m/%Y}",
            passes=f"até {today:%d/%m/%Y}",
        )
    return [DecreeRegistered(decree)]


def create_stand(state: Register, command: CreateStand, turn: Turn) -> list[Any]:
    """A new code, an address, at least one vehicle, a decree of the register."""
    _decreed(state, command.decree)
    if command.code in state.stands:
        raise Refusal("Já existe um ponto com este código.", MUN(11), code="repetido", field="código", got=command.code)
    if not command.code.strip() or not command.name.strip() or not command.address.strip():
        raise Refusal("Todo ponto tem código, nome e endereço.", MUN(10), field="ponto")
    _vehicles(command.vehicles)
    _position(command.x, command.y)
    return [
        StandCreated(
            RegisteredStand(
                command.code, command.name, command.address, command.x, command.y, command.vehicles, command.decree
            )
        )
    ]


def relocate_stand(state: Register, command: RelocateStand, turn: Turn) -> list[Any]:
    """An open ponto moves by decree."""
    _decreed(state, command.decree)
    _open_stand(state, command.code)
    _position(command.x, command.y)
    if not command.address.strip():
        raise Refusal("Escreva o endereço novo do ponto.", MUN(11), field="endereço")
    return [StandRelocated(command.code, command.address, command.x, command.y, command.decree)]


def set_stand_limit(state: Register, command: SetStandLimit, turn: Turn) -> list[Any]:
    """The number of vehicles goes up or down by decree."""
    _decreed(state, command.decree)
    before = _open_stand(state, command.code).vehicles
    _vehicles(command.vehicles)
    if command.vehicles == before:
        raise Refusal("O ponto já tem este número de vagas.", MUN(11), field="vagas", got=str(before))
    return [StandLimitSet(command.code, command.vehicles, before, command.decree)]


def extinguish_stand(state: Register, command: ExtinguishStand, turn: Turn) -> list[Any]:
    """A ponto closes by decree."""
    _decreed(state, command.decree)
    _open_stand(state, command.code)
    return [StandExtinguished(command.code, command.decree)]


def count_permits(state: Register, command: CountPermits, turn: Turn) -> list[Any]:
    """Never below zero, always with its source (art. 17)."""
    if command.in_force < 0:
        raise Refusal("Não há menos que zero permissões.", MUN(17), field="permissões", passes="0 ou mais")
    if not command.source.strip():
        raise Refusal(
            "Diga de onde vem este número.", MUN(17), field="fonte", passes="cadastro da Secretaria, 1/3/2027"
        )
    return [PermitsCounted(command.in_force, command.source)]


def declare_closure(state: Register, command: DeclareClosure, turn: Turn) -> list[Any]:
    """A day that was not declared yet, by a decree of the register (Lei 14.133 art. 183)."""
    _decreed(state, command.decree)
    if any(one.day == command.day for one in state.closures):
        raise Refusal(
            "Este dia já está no calendário.", L14133(183), code="repetido", field="dia", got=f"{command.day:%d/%m/%Y}"
        )
    return [ClosureDeclared(command.day, command.name, command.decree)]


def _decreed(state: Register, number: str) -> None:
    if number not in state.decrees:
        known = ", ".join(state.decrees) or "nenhum ainda"
        raise Refusal(
            "Registre antes o decreto: sem ele o ponto não muda.",
            MUN(10),
            code="sem_decreto",
            field="decreto",
            got=number,
            passes=known,
        )


def _open_stand(state: Register, code: str) -> RegisteredStand:
    found = state.stands.get(code)
    if found is None or not found.is_open:
        raise Refusal("Este ponto não existe ou foi extinto.", MUN(11), code="sem_ponto", field="ponto", got=code)
    return found


def _vehicles(count: int) -> None:
    if count < 1:
        raise Refusal("Um ponto tem ao menos uma vaga.", MUN(10), field="vagas", got=str(count), passes="1 ou mais")


def _position(x: int, y: int) -> None:
    if not (0 <= x <= MAP_SIDE and 0 <= y <= MAP_SIDE):
        raise Refusal(
            "A posição no mapa vai de 0 a 1000.", MUN(10), field="posição", got=f"{x}, {y}", passes=f"0 a {MAP_SIDE}"
        )
