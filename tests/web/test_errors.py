"""Refusals and errors: what happened, whose fault it is not, what to do; in JSON for those who ask it."""

from __future__ import annotations

import re
from collections.abc import Callable
from uuid import UUID, uuid4

import pytest
from werkzeug.test import TestResponse

from tender.acts import Role
from tender.ledger import writing
from tender.web import safe_return
from tests.web.conftest import Site
from tests.web.pages import BROKEN, EARLY, HOLD, SLOW
from tests.web.reading import log_lines, same_origin, token_in

JSON = {"Accept": "application/json"}
PHONE = "(34) 3284-9500"


def close(site: Site, edital: str, pedido: str = "", **headers: str) -> TestResponse:
    """Ask for the end of enrolment, as a form does."""
    token = token_in(site.client.get("/formulario").text)
    data = {"csrf_token": token, "edital": edital, "pedido": pedido}
    return site.client.post("/fechar", data=data, headers={**same_origin(), **headers})


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "Não entendemos o pedido"),
        (403, "Você não pode abrir esta página"),
        (404, "Página não encontrada"),
        (405, "Este endereço não se abre assim"),
        (410, "Prazo encerrado"),
        (413, "O arquivo é grande demais"),
        (418, "Não entendemos o pedido"),
        (429, "Espere um pouco"),
        (503, "Volte em alguns segundos"),
    ],
)
def test_each_error_has_its_page_with_the_phone_and_no_english(site: Site, status: int, said: str) -> None:
    answer = site.client.get(f"/erro/{status}")
    assert answer.status_code == status
    assert f"<h1>{said}</h1>" in answer.text
    assert PHONE in answer.text.split("<footer")[0]
    for english in ("Not Found", "The requested", "server", "Too Many"):
        assert english not in answer.text


@pytest.mark.parametrize(
    ("status", "code"),
    [(403, "sem_permissao"), (404, "nao_encontrado"), (405, "metodo_errado"), (410, "prazo_encerrado"),
     (413, "grande_demais"), (418, "erro"), (429, "muitas_tentativas"), (503, "fora_do_ar")],
)  # fmt: skip
def test_each_error_has_its_word_for_programs(site: Site, status: int, code: str) -> None:
    answer = site.client.get(f"/erro/{status}", headers=JSON)
    assert answer.status_code == status
    assert answer.json is not None
    assert answer.json["codigo"] == code
    assert answer.json["motivo"]


def test_an_address_that_is_not_there_offers_a_search(site: Site) -> None:
    page = site.client.get("/nada").text
    assert '<form action="/licitacoes" method="get" role="search"' in page
    assert 'href="/lei"' in page


def test_a_wrong_method_is_told_which_are_right(site: Site) -> None:
    assert set(site.client.get("/fechar").headers["Allow"].split(", ")) == {"OPTIONS", "POST"}


def test_a_term_that_ended_says_when(site: Site) -> None:
    page = site.client.get("/erro/410").text
    assert "O prazo de inscrição acabou." in page
    assert re.search(r"Prazo encerrado em <time[^>]*>sexta, 5 de março, às 17h</time>", page)


def test_too_large_names_the_limit_that_is_set(make_site: Callable[..., Site]) -> None:
    for limit, said in ((10 * 1024 * 1024, "10,0 MB"), (300 * 1024, "300 KB")):
        site = make_site(upload_max_bytes=limit)
        assert said in site.client.get("/erro/413").text
        assert site.client.get("/erro/413", headers=JSON).get_json()["limit_bytes"] == limit


def test_too_many_says_when_to_come_back(site: Site) -> None:
    assert site.client.get("/erro/429").headers["Retry-After"] == "60"
    assert site.client.get("/erro/503").headers["Retry-After"] == "10"


# --- our own faults ---------------------------------------------------------------------------------------------------


def test_a_fault_of_ours_shows_a_code_that_is_in_the_log(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    answer = site.client.get("/erro/500")
    assert answer.status_code == 500
    code = re.search(r"E-[0-9A-F]{8}", answer.text)
    assert code
    assert "As disputas e os prazos não foram afetados." in answer.text
    assert "quebrou" not in answer.text
    failed = [line for line in log_lines(capsys.readouterr().err) if line["event"] == "request failed"]
    assert [line["code"] for line in failed] == [code[0]]
    assert "RuntimeError: a pessoa [CPF] quebrou" in failed[0]["exception"]


def test_the_page_does_not_claim_that_the_desk_works_when_it_does_not(site: Site) -> None:
    site.house.desk.stop()
    assert "não foram afetados" not in site.client.get("/erro/500").text


def test_a_fault_is_told_even_when_nobody_can_be_looked_up(site: Site) -> None:
    site.sign_in()
    with writing(site.house.engine) as tx:
        tx.exec_driver_sql("DROP TABLE sessions")
    answer = site.client.get("/minha")
    assert answer.status_code == 500
    assert "O problema é nosso" in answer.text


def test_a_fault_of_the_page_of_faults_is_still_told(site: Site) -> None:
    site.app.jinja_env.globals.pop("static_url")
    answer = site.client.get("/erro/500")
    assert answer.status_code == 500
    assert re.fullmatch(r"Falha nossa\. Nada do que você pediu foi registrado\. Código: E-[0-9A-F]{8}\n", answer.text)


def test_in_tests_a_fault_is_raised(site: Site) -> None:
    site.app.testing = True
    with pytest.raises(RuntimeError, match="quebrou"):
        site.client.get("/erro/500")


def test_a_command_that_breaks_at_the_desk_is_a_fault_of_ours(site: Site) -> None:
    site.sign_in(Role.PREGOEIRO)
    answer = close(site, BROKEN)
    assert answer.status_code == 500
    assert "Nada do que você pediu foi registrado." in answer.text


def test_a_desk_that_closes_is_busy(site: Site) -> None:
    site.sign_in(Role.PREGOEIRO)
    site.house.desk.stop()
    answer = close(site, "001-2027")
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "10"


# --- refusals ---------------------------------------------------------------------------------------------------------


def test_a_refusal_says_why_by_what_article_and_what_would_pass(site: Site) -> None:
    site.sign_in(Role.PREGOEIRO)
    answer = close(site, EARLY, Referer="http://localhost/formulario")
    assert answer.status_code == 409
    page = answer.text
    assert "Ainda não é hora de encerrar." in page
    assert "14h &lt;b&gt;" in page
    assert "a partir de 17h" in page
    assert "Lei nº 14.133/2021, art. 55" in page
    assert 'href="http://localhost/formulario"' in page


def test_a_refusal_leads_back_only_to_our_own_pages(site: Site) -> None:
    site.sign_in(Role.PREGOEIRO)
    answer = site.client.get("/recusa", headers={"Referer": "https://malvado.exemplo/x"})
    assert answer.status_code == 409
    assert "malvado" not in answer.text


def test_a_refusal_for_a_program_has_six_fields(site: Site) -> None:
    site.sign_in(Role.PREGOEIRO)
    assert close(site, EARLY, Accept="application/json").json == {
        "codigo": "cedo",
        "motivo": "Ainda não é hora de encerrar.",
        "citacao": "art. 55 da Lei nº 14.133/2021",
        "campo": "hora",
        "veio": "14h <b>",
        "passa": "a partir de 17h",
    }


# --- no answer yet ----------------------------------------------------------------------------------------------------


def test_an_answer_that_takes_too_long_says_where_to_ask(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tender.desk.Desk.perform.__defaults__", ("", 0.05))
    site.sign_in(Role.PREGOEIRO)
    HOLD.clear()
    pedido = str(uuid4())
    try:
        page = close(site, SLOW, pedido)
        program = close(site, SLOW, str(uuid4()), Accept="application/json")
    finally:
        HOLD.set()
    where = f"/pedidos/{pedido}"
    assert page.status_code == 202
    assert page.headers["Location"] == where
    assert f'href="{where}" data-ask' in page.text
    assert "Não envie de novo" in page.text
    assert program.status_code == 202
    assert program.json == {
        "codigo": "em_espera", "motivo": "Seu pedido está na fila.", "pergunte_em": program.headers["Location"],
    }  # fmt: skip


def test_later_the_outcome_is_there_for_whoever_asked_and_nobody_else(site: Site) -> None:
    site.sign_in(Role.PREGOEIRO)
    done, refused = str(uuid4()), str(uuid4())
    close(site, "001-2027", done)
    close(site, EARLY, refused)
    page = site.client.get(f"/pedidos/{done}")
    assert page.status_code == 200
    assert "16/03/2027, 14:18:13,042" in page.text
    answer = site.client.get(f"/pedidos/{done}", headers=JSON).json
    assert answer == {
        "codigo": "registrado", "pedido": done,
        "chegou_em": "2027-03-16T17:18:13.042Z", "registrado_em": "2027-03-16T17:18:13.042Z",
    }  # fmt: skip
    assert site.client.get(f"/pedidos/{refused}").status_code == 409
    assert site.app.test_client().get(f"/pedidos/{done}").status_code == 404


def test_an_outcome_that_nobody_knows_is_still_waited_for(site: Site) -> None:
    assert site.client.get(f"/pedidos/{UUID(int=7)}").status_code == 202
    assert site.client.get("/pedidos/7").status_code == 404


# --- the way in -------------------------------------------------------------------------------------------------------


def test_a_page_that_needs_a_sign_in_leads_to_it_and_back(site: Site) -> None:
    answer = site.client.get("/comissao?de=aqui")
    assert answer.status_code == 302
    assert answer.headers["Location"] == "/entrar?next=%2Fcomissao%3Fde%3Daqui"
    assert site.client.get("/comissao", headers=JSON).status_code == 401


def test_a_page_of_an_office_names_who_may_enter(site: Site) -> None:
    site.sign_in()
    answer = site.client.get("/comissao")
    assert answer.status_code == 403
    assert "Pregoeiro(a), Comissão" in answer.text


def test_an_office_without_its_second_factor_stays_outside(site: Site) -> None:
    site.sign_in(Role.PREGOEIRO, second_factor=False)
    assert site.client.get("/comissao").status_code == 403


def test_an_office_comes_in(site: Site) -> None:
    site.sign_in(Role.COMMISSION)
    assert site.client.get("/comissao").text == "dentro"


@pytest.mark.parametrize(
    ("asked", "led"),
    [
        ("/minhas?a=1#b", "/minhas?a=1#b"),
        ("/", "/"),
        ("//malvado.exemplo", "/"),
        ("/\\malvado.exemplo", "/"),
        ("https://malvado.exemplo", "/"),
        ("javascript:alert(1)", "/"),
        ("/a\nLocation: x", "/"),
        ("/a\\b", "/"),
        ("", "/"),
    ],
)
def test_nobody_is_led_away_by_our_own_link(asked: str, led: str) -> None:
    assert safe_return(asked) == led


def test_json_is_for_those_who_prefer_it(site: Site) -> None:
    kinds = {
        "text/html,application/xhtml+xml,*/*;q=0.8": "text/html",
        "*/*": "text/html",
        "application/json, text/html;q=0.5": "application/json",
        "application/json": "application/json",
    }
    for accept, kind in kinds.items():
        assert site.client.get("/nada", headers={"Accept": accept}).mimetype == kind
