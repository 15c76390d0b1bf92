"""The register of stands: nothing without a decree, every change kept; rules on both sides, and the pages over them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tender.acts import Role
from tender.edital.model import register as words
from tender.edital.model.register import (
    ClosureDeclared,
    CountPermits,
    CreateStand,
    DeclareClosure,
    Decree,
    DecreeRegistered,
    ExtinguishStand,
    PermitsCounted,
    RegisterDecree,
    RegisteredStand,
    RelocateStand,
    SetStandLimit,
    StandCreated,
    StandExtinguished,
    StandLimitSet,
    StandRelocated,
)
from tender.edital.reads import register
from tender.law import L14133, MUN
from tender.ledger import reading
from tests.edital.office import Hall, open_hall, upload
from tests.given import NOON, given

DECREE = Decree("1/2027", date(2027, 3, 5), "cria pontos")
DECREED = DecreeRegistered(DECREE)
STAND = RegisteredStand("P1", "Terminal", "Av. A, 1", 250, 500, 4, "1/2027")
BUILT = (DECREED, StandCreated(STAND))
CREATE = CreateStand("P1", "Terminal", "Av. A, 1", 250, 500, 4, "1/2027")

# -- rules ------------------------------------------------------------------------------------------------------------


def test_a_decree_is_entered_once_and_is_not_of_tomorrow() -> None:
    given().when(RegisterDecree(DECREE), at=NOON).then(DECREED)
    given(DECREED).when(RegisterDecree(DECREE), at=NOON).refused(MUN(10), code="repetido")
    tomorrow = Decree("2/2027", date(2027, 3, 6), "cria pontos")
    given().when(RegisterDecree(tomorrow), at=NOON).refused(MUN(10), code="data_futura", passes="até 05/03/2027")


@pytest.mark.parametrize("empty", [Decree("", date(2027, 3, 5), "x"), Decree("1/2027", date(2027, 3, 5), " ")])
def test_a_decree_has_number_and_subject(empty: Decree) -> None:
    given().when(RegisterDecree(empty)).refused(MUN(10))


def test_a_ponto_is_created_by_a_decree_of_the_register_and_once() -> None:
    given(DECREED).when(CREATE).then(StandCreated(STAND))
    given().when(CREATE).refused(MUN(10), code="sem_decreto", passes="nenhum ainda")
    given(*BUILT).when(CREATE).refused(MUN(11), code="repetido")


EDGES: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = (
    ({"vehicles": 0}, {"vehicles": 1}),
    ({"x": -1}, {"x": 0}),
    ({"y": 1001}, {"y": 1000}),
    ({"address": " "}, {"address": "Av. B, 2"}),
)


@pytest.mark.parametrize(("bad", "good"), EDGES)
def test_a_ponto_has_a_place_on_the_map_an_address_and_a_vehicle(bad: dict[str, Any], good: dict[str, Any]) -> None:
    values = {"code": "P1", "name": "T", "address": "A", "x": 1, "y": 1, "vehicles": 1, "decree": "1/2027"}
    given(DECREED).when(CreateStand(**{**values, **bad})).refused(MUN(10))
    assert given(DECREED).when(CreateStand(**{**values, **good})).refusal is None


def test_a_ponto_moves_grows_shrinks_and_closes_each_by_a_decree() -> None:
    move = RelocateStand("P1", "Av. B, 2", 1, 2, "1/2027")
    given(*BUILT).when(move).then(StandRelocated("P1", "Av. B, 2", 1, 2, "1/2027"))
    given(*BUILT).when(SetStandLimit("P1", 5, "1/2027")).then(StandLimitSet("P1", 5, 4, "1/2027"))
    given(*BUILT).when(SetStandLimit("P1", 3, "1/2027")).then(StandLimitSet("P1", 3, 4, "1/2027"))
    given(*BUILT).when(SetStandLimit("P1", 4, "1/2027")).refused(MUN(11))
    given(*BUILT).when(ExtinguishStand("P1", "1/2027")).then(StandExtinguished("P1", "1/2027"))
    for command in (move, SetStandLimit("P1", 5, "1/2027"), ExtinguishStand("P1", "1/2027")):
        gone = (*BUILT, StandExtinguished("P1", "1/2027"))
        given(*gone).when(command).refused(MUN(11), code="sem_ponto")
        given(DECREED).when(command).refused(MUN(11), code="sem_ponto")
        given().when(command).refused(MUN(10), code="sem_decreto")


def test_permits_in_force_are_none_or_more_and_have_a_source() -> None:
    given().when(CountPermits(0, "cadastro")).then(PermitsCounted(0, "cadastro"))
    given().when(CountPermits(-1, "cadastro")).refused(MUN(17), passes="0 ou mais")
    given().when(CountPermits(3, " ")).refused(MUN(17))


def test_a_day_without_expediente_is_declared_once() -> None:
    carnival = DeclareClosure(date(2027, 2, 9), "Carnaval", "1/2027")
    declared = ClosureDeclared(date(2027, 2, 9), "Carnaval", "1/2027")
    given(DECREED).when(carnival).then(declared)
    given(DECREED, declared).when(carnival).refused(L14133(183), code="repetido")
    given().when(carnival).refused(MUN(10), code="sem_decreto")


def test_a_fact_of_another_chapter_is_none_of_the_registers() -> None:
    with pytest.raises(AssertionError, match="no fact of the register"):
        words.evolve(words.begin(words.STREAM), object())
    with pytest.raises(AssertionError, match="not the register"):
        words.begin("edital/1")


# -- pages ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with open_hall(tmp_path, population=8_999) as opened:
        yield opened


def known(hall: Hall) -> words.Register:
    with reading(hall.house.engine) as tx:
        return register(tx, hall.house.book)


PONTO = {"codigo": "P1", "nome": "Terminal", "endereco": "Av. A, 1", "vagas": "4", "x": "250", "y": "500"}


def test_the_secretaria_enters_a_decree_with_its_file_and_a_ponto_that_lives_by_it(hall: Hall) -> None:
    desk = hall.at(Role.SECRETARIAT)
    assert "Registre primeiro o decreto" in desk.get("/s/pontos/novo").text
    sent = {"numero": "Decreto 1/2027", "data": "10/01/2027", "assunto": "cria pontos", "arquivo": upload("Decreto")}
    assert desk.send("/s/decretos", **sent).status_code == 303
    decree = known(hall).decrees["1/2027"]
    assert (decree.day, len(decree.sha256)) == (date(2027, 1, 10), 64)
    assert desk.send("/s/pontos/novo", **PONTO, decreto="1/2027").status_code == 303
    changed = {"mudar-endereco": "Av. B, 2", "mudar-x": "900", "mudar-decreto": "1/2027"}
    assert desk.send("/s/pontos/P1/mudar", "/s/pontos/P1", **changed).status_code == 303
    raised = {"limite-vagas": "6", "limite-decreto": "1/2027"}
    assert desk.send("/s/pontos/P1/limite", "/s/pontos/P1", **raised).status_code == 303
    page = desk.get("/s/pontos/P1").text
    assert "Limite do ponto P1 subiu de 4 para 6 veículos" in page
    assert "Ponto P1 mudou para Av. B, 2" in page
    closed = {"extinguir-decreto": "1/2027", "extinguir-confirmo": "y"}
    assert desk.send("/s/pontos/P1/extinguir", "/s/pontos/P1", **closed).status_code == 303
    assert not known(hall).stands["P1"].is_open
    assert "Extinguir ponto" not in desk.get("/s/pontos/P1").text
    assert desk.get(f"/c/anexos/{decree.sha256}").status_code == 200


def test_what_is_wrong_is_said_beside_its_field_and_nothing_typed_is_lost(hall: Hall) -> None:
    desk = hall.at(Role.SECRETARIAT)
    wrong = desk.send("/s/decretos", numero="1/2027", data="31/02/2027", assunto="cria <b>pontos</b>")
    assert wrong.status_code == 422
    assert "Escreva um dia que exista. Exemplo: 05/03/2027." in wrong.text
    assert "cria &lt;b&gt;pontos&lt;/b&gt;" in wrong.text
    assert 'value="1/2027"' in wrong.text
    late = desk.send("/s/decretos", numero="1/2027", data="2027-04-20", assunto="x")
    assert "até 19/04/2027" in late.text
    assert known(hall).decrees == {}
    desk.send("/s/decretos", numero="1/2027", data="2027-04-19", assunto="x")
    bad = desk.send("/s/pontos/novo", **{**PONTO, "codigo": "P 1", "x": "1001"}, decreto="1/2027")
    assert "Exemplo: P1." in bad.text
    assert "de 0 a 1000. Veio: 1001." in bad.text
    assert 'value="Terminal"' in bad.text


def test_the_cap_is_shown_live_and_the_page_says_when_it_is_passed(hall: Hall) -> None:
    desk = hall.at(Role.SECRETARIAT)
    assert "Cabem mais 8" in desk.get("/s/pontos").text
    assert desk.send("/s/permissoes", "/s/pontos", permissoes="8", fonte="cadastro").status_code == 303
    assert "No teto" in desk.get("/s/pontos").text
    desk.send("/s/permissoes", "/s/pontos", permissoes="9", fonte="cadastro")
    assert "Acima do teto em 1" in desk.get("/s/pontos").text
    assert desk.send("/s/permissoes", "/s/pontos", permissoes="9", fonte="").status_code == 422


def test_a_day_of_the_seed_is_confirmed_by_a_decree(hall: Hall) -> None:
    desk = hall.at(Role.SECRETARIAT)
    desk.send("/s/decretos", numero="1/2027", data="2027-01-10", assunto="x")
    page = desk.get("/s/calendario").text
    assert "Corpus Christi" in page
    assert "dia=2027-05-27" in page
    linked = desk.get("/s/calendario?dia=2027-05-27&nome=Corpus+Christi").text
    assert 'value="2027-05-27"' in linked
    sent = {"dia": "2027-05-27", "nome": "Corpus Christi", "decreto": "1/2027"}
    assert desk.send("/s/calendario", **sent).status_code == 303
    assert "dia=2027-05-27" not in desk.get("/s/calendario").text
    assert "já está no calendário" in desk.send("/s/calendario", **sent).text


def test_the_commission_reads_the_register_and_changes_nothing(hall: Hall) -> None:
    desk = hall.at(Role.PREGOEIRO)
    assert desk.get("/c/pontos").location == "/s/pontos"
    page = desk.get("/s/pontos").text
    assert "Novo ponto" not in page
    assert desk.get("/s/pontos/novo").status_code == 403
    assert hall.app.test_client().get("/s/pontos").status_code == 302
