"""Forms that stay open all day, forms that somebody else made, and text that must not be lost."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tender.acts import Role
from tests.web.conftest import Site
from tests.web.reading import same_origin, token_in

MORNING = datetime(2027, 3, 5, 11, 0, tzinfo=UTC)
TYPED = {
    "motivo": "Primeira linha\nSegunda <linha>",
    "ponto_desejado": "3",
    "senha": "mesa chuva",
    "codigo": "123456",
    "pedido": "x",
}


def lose(client: FlaskClient, data: Any = None, **headers: str) -> TestResponse:
    """Send a form whose token counts no more."""
    sent = {"csrf_token": "velho", **(data if data is not None else TYPED)}
    return client.post("/recebe?de=aqui", data=sent, headers=headers or same_origin())


def test_a_form_left_open_for_eight_hours_still_counts(site: Site) -> None:
    with time_machine.travel(MORNING, tick=False) as clock:
        token = token_in(site.client.get("/formulario").text)
        clock.shift(timedelta(hours=8))
        assert site.client.post("/recebe", data={"csrf_token": token}, headers=same_origin()).status_code == 200


def test_after_a_month_the_browsers_cookie_is_gone_and_so_is_the_form(site: Site) -> None:
    with time_machine.travel(MORNING, tick=False) as clock:
        token = token_in(site.client.get("/formulario").text)
        clock.shift(timedelta(days=31, seconds=1))
        assert site.client.post("/recebe", data={"csrf_token": token}, headers=same_origin()).status_code == 400


def test_signing_in_again_in_another_tab_leaves_the_open_form_good(site: Site) -> None:
    token = token_in(site.client.get("/formulario").text)
    site.sign_in(Role.PREGOEIRO)
    assert site.client.post("/recebe", data={"csrf_token": token}, headers=same_origin()).status_code == 200


def test_the_token_of_another_browser_does_not_count(site: Site) -> None:
    token = token_in(site.app.test_client().get("/formulario").text)
    site.client.get("/formulario")
    assert site.client.post("/recebe", data={"csrf_token": token}, headers=same_origin()).status_code == 400


def test_what_was_typed_is_offered_again(site: Site) -> None:
    answer = lose(site.client)
    assert answer.status_code == 400
    assert "Sua página ficou aberta muito tempo. Confira e envie de novo." in answer.text
    assert "Primeira linha\nSegunda &lt;linha&gt;</textarea>" in answer.text
    assert 'name="ponto_desejado"' in answer.text
    assert 'action="/recebe?de=aqui"' in answer.text


def test_passwords_and_codes_are_asked_again_and_never_shown(site: Site) -> None:
    page = lose(site.client).text
    assert "mesa chuva" not in page
    assert "123456" not in page
    assert re.search(r'<input type="password"[^>]*name="senha"', page)
    assert re.search(r'<input type="password"[^>]*name="codigo"', page)


def test_files_are_asked_again_by_name(site: Site) -> None:
    page = lose(site.client, {"motivo": "a", "foto": (io.BytesIO(b"abc"), "cnh.jpg")}).text
    assert re.search(r'<input type="file"[^>]*name="foto"', page)
    assert 'enctype="multipart/form-data"' in page
    assert "O arquivo não foi guardado. Escolha de novo." in page


def test_the_form_offered_again_can_be_sent(site: Site) -> None:
    page = lose(site.client).text
    fields = dict.fromkeys(re.findall(r'<(?:input|textarea)[^>]* name="(\w+)"', page), "x")
    fields["csrf_token"] = token_in(page)
    assert fields["pedido"]
    answer = site.client.post("/recebe", data=fields, headers=same_origin())
    assert (answer.status_code, answer.text) == (200, "6 0")


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": "https://malvado.exemplo"},
        {"Referer": "https://malvado.exemplo/"},
        {"User-Agent": "x"},
    ],
)
def test_a_form_that_is_not_surely_ours_is_not_offered_again(site: Site, headers: dict[str, str]) -> None:
    answer = lose(site.client, **headers)
    assert answer.status_code == 400
    assert "Primeira linha" not in answer.text
    assert "csrf_token" not in answer.text


def test_a_script_is_told_in_json(site: Site) -> None:
    answer = lose(site.client, Accept="application/json", **same_origin())
    assert answer.status_code == 400
    assert answer.json == {
        "codigo": "pedido_invalido",
        "motivo": "Sua página ficou aberta muito tempo. Confira e envie de novo.",
    }


def test_a_session_that_ended_keeps_the_text_too(site: Site) -> None:
    token = token_in(site.client.get("/formulario").text)
    answer = site.client.post("/comissao", data={"csrf_token": token, "motivo": "longo"}, headers=same_origin())
    assert answer.status_code == 401
    assert "Sua sessão terminou." in answer.text
    assert 'value="longo"' in answer.text


def test_a_command_of_nobody_keeps_the_text_too(site: Site) -> None:
    token = token_in(site.client.get("/formulario").text)
    answer = site.client.post("/fechar", data={"csrf_token": token, "edital": "001-2027"}, headers=same_origin())
    assert answer.status_code == 401
    assert 'value="001-2027"' in answer.text
