"""Changes over the whole program: what pages show, who is told, what falls due, how stands are prepared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from tender.acts import Refusal, Role
from tender.bidding.reads import of_edital
from tender.deadlines import PENDING, deadlines
from tender.edital.model import Status
from tender.edital.model.changes import Ending, ExtendDates, OpenHearing, RevokeEdital
from tender.edital.model.questions import Asking
from tender.ledger import reading, writing
from tender.notices.tables import notices
from tender.people.subscribers import Topic
from tests.edital.street import CLOSES, DAY, EDITAL, SESSION, Street, open_street

DESK = f"/c/l/{EDITAL}/mudancas"
WHY = "O estudo de valor foi refeito pela Secretaria."


@pytest.fixture
def street(tmp_path: Path) -> Iterator[Street]:
    with open_street(tmp_path) as found:
        with writing(found.hall.house.engine) as tx:
            people, now = found.hall.house.people, found.hall.clock.now()
            reader, key = people.subscribers.ask(tx, now, "vizinho@exemplo.invalid", (Topic.CHANGES,))
            people.subscribers.confirm(tx, now, reader, key)
        yield found


def act(street: Street, name: str, role: Role = Role.PREGOEIRO, **typed: str) -> tuple[int, str]:
    desk = street.hall.at(role)
    answer = desk.send(f"{DESK}/{name}", DESK, **{f"{name}-{field}": value for field, value in typed.items()})
    return answer.status_code, desk.page


def told(street: Street) -> list[str]:
    with reading(street.hall.house.engine) as tx:
        query = select(notices.c.kind).where(notices.c.person.startswith("a_", autoescape=True)).order_by(notices.c.id)
        return list(tx.execute(query).scalars())


def due(street: Street, key: str) -> tuple[str, object]:
    with reading(street.hall.house.engine) as tx:
        row = tx.execute(select(deadlines).where(deadlines.c.key == f"edital/{EDITAL}:{key}")).one()
    return row.state, row.due_at


def test_an_amendment_is_drafted_read_published_and_prepares_the_stands_anew(street: Street) -> None:
    typed = {"minimos-0-minimo": "4.600", "motivo": WHY, "sessao": "2027-06-17T14:00"}
    assert act(street, "retificar", **typed)[0] == 409  # it does affect the offers
    assert act(street, "retificar", **typed, afeta="y")[0] == 302
    assert told(street) == []
    mayor = street.hall.at(Role.MAYOR)
    mayor.get(DESK)
    (path,) = re.findall(r'action="(/c/l/[^"]+/publicar/[^"]+)"', mayor.page)
    assert mayor.send(path, DESK).status_code == 302
    with reading(street.hall.house.engine) as tx:
        assert [one.floor.centavos for one in of_edital(tx, EDITAL)] == [460_000, 500_000]
    assert told(street) == ["edital_amended"]
    page = street.passer().get(f"/l/{EDITAL}/mudancas").text
    assert "<del>R$\N{NO-BREAK SPACE}4.500,00</del>" in page
    assert "<ins>R$\N{NO-BREAK SPACE}4.600,00</ins>" in page
    assert "os prazos de publicidade recomeçaram" in page


@pytest.mark.parametrize(("days", "status"), [(8, 302), (9, 409)])
def test_when_offers_are_affected_the_session_cannot_stay_too_near(street: Street, days: int, status: int) -> None:
    street.hall.clock.advance(days * DAY)
    assert act(street, "retificar", **{"minimos-0-minimo": "4.600", "motivo": WHY, "afeta": "y"})[0] == 302
    mayor = street.hall.at(Role.MAYOR)
    mayor.get(DESK)
    (path,) = re.findall(r'action="(/c/l/[^"]+/publicar/[^"]+)"', mayor.page)
    answer = mayor.send(path, DESK)
    assert answer.status_code == status
    assert ("a partir de sexta-feira, 21 de maio de 2027" in answer.text) == (status == 409)


def test_an_extension_moves_the_end_of_the_enrolment_and_tells(street: Street) -> None:
    assert due(street, "inscricoes") == (PENDING, CLOSES)
    assert act(street, "prorrogar", sessao="2027-05-21T14:00", inscricoes="2027-05-13T17:00", motivo=WHY)[0] == 302
    assert due(street, "inscricoes")[1] == CLOSES.replace(day=13, hour=20, minute=0, second=0)
    assert told(street) == ["session_postponed"]
    status, page = act(street, "prorrogar", sessao="2027-05-20T14:00", motivo=WHY)
    assert (status, "está cedo demais" in page) == (409, True)


def test_what_the_form_does_not_touch_keeps_its_seconds(street: Street) -> None:
    assert act(street, "prorrogar", sessao="2027-05-21T14:00", motivo=WHY)[0] == 302
    assert street.view().terms.applications_close_at == CLOSES


def test_a_suspension_stops_the_terms_and_a_resumption_gives_the_time_back(street: Street) -> None:
    assert act(street, "suspender", motivo=WHY)[0] == 302
    assert street.view().status is Status.SUSPENDED
    assert due(street, "inscricoes")[0] != PENDING
    street.hall.clock.advance(7 * DAY)
    status, page = act(street, "retomar", motivo=WHY)
    assert (status, "está cedo demais" in page) == (409, True)
    assert act(street, "retomar", inscricoes="2027-05-19T00:00", sessao="2027-05-27T14:00", motivo=WHY)[0] == 302
    assert street.view().status is Status.PUBLISHED
    assert due(street, "inscricoes")[0] == PENDING
    assert told(street) == ["session_postponed", "session_postponed"]


def test_a_revocation_hears_the_interested_and_says_until_when_one_may_appeal(street: Street) -> None:
    hall = street.hall
    status, page = act(street, "ouvir", Role.MAYOR, fim="revogada", ate="2027-04-22T17:00", motivo=WHY)
    assert (status, "cedo demais" in page) == (409, True)
    until = hall.clock.now() + 10 * DAY
    street.ask(OpenHearing(EDITAL, Ending.REVOCATION, WHY, until), Role.MAYOR)
    ask = f"/l/{EDITAL}/perguntas"
    said = street.passer().send(ask, tipo=Asking.MANIFESTATION.value, texto="Discordo: o ponto faz falta ao bairro.")
    assert said.status_code == 200
    hall.clock.set(until + timedelta(seconds=1))
    assert act(street, "revogar", Role.MAYOR, motivo=WHY)[0] == 302
    assert street.view().status is Status.REVOKED
    assert due(street, "inscricoes")[0] != PENDING
    page = street.passer().get(f"/l/{EDITAL}/mudancas").text
    assert "Cabe recurso até" in page
    assert "terça, 4 de maio" in page or "quarta, 5 de maio" in page
    assert "Licitação revogada" in street.passer().get(f"/l/{EDITAL}").text
    assert told(street) == ["hearing_opened", "edital_revoked"]


def test_what_is_revoked_takes_no_more_acts(street: Street) -> None:
    until = street.hall.clock.now() + 10 * DAY
    street.ask(OpenHearing(EDITAL, Ending.REVOCATION, WHY, until), Role.MAYOR)
    street.hall.clock.set(until + timedelta(seconds=1))
    street.ask(RevokeEdital(EDITAL, WHY, "As inscrições perdem o efeito."), Role.MAYOR)
    with pytest.raises(Refusal, match="não está em curso"):
        street.ask(ExtendDates(EDITAL, CLOSES, SESSION + DAY, WHY), Role.PREGOEIRO)
    desk = street.hall.at(Role.PREGOEIRO)
    assert "<form" not in desk.get(DESK).text.split("<main")[1].split("</main>")[0]


@pytest.mark.parametrize(("name", "role"), [("ouvir", Role.PREGOEIRO), ("retificar", Role.MAYOR)])
def test_each_office_is_offered_its_own_acts(street: Street, name: str, role: Role) -> None:
    desk = street.hall.at(role)
    desk.get(DESK)
    assert f'action="{DESK}/{name}"' not in desk.page
    assert f'action="{DESK}/prorrogar"' in desk.page


def test_the_public_sees_no_form_of_the_commission(street: Street) -> None:
    assert street.passer().get(DESK).status_code == 302
    assert street.hall.at(Role.CONTROL).get(DESK).status_code == 403
