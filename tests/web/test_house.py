"""Who is asking, what they may, and a form sent twice."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID, uuid4

import pytest

from tender.acts import Role
from tender.ledger import reading
from tests.web.conftest import Site
from tests.web.reading import same_origin, token_in


def close(site: Site, edital: str = "001-2027", pedido: str = "") -> tuple[int, str]:
    """Send the form of `/formulario`; status and text of the answer."""
    page = site.client.get("/formulario").text
    data = {"csrf_token": token_in(page), "edital": edital, "pedido": pedido}
    answer = site.client.post("/fechar", data=data, headers=same_origin())
    return answer.status_code, answer.text


def entries(site: Site, edital: str = "001-2027") -> int:
    with reading(site.house.engine) as tx:
        return site.house.book.head(tx, f"edital/{edital}").seq


def test_whoever_does_not_sign_in_is_anyone(site: Site) -> None:
    assert site.client.get("/minha").status_code == 302
    assert site.client.get("/posso").json == {"fechar": False, "abrir": False}


def test_the_cookie_says_who_is_asking(site: Site) -> None:
    person = site.sign_in()
    assert site.client.get("/minha").text == person


def test_a_token_that_opens_nothing_is_nobody(site: Site) -> None:
    site.client.set_cookie("entrada", "inventado")
    assert site.client.get("/minha").status_code == 302


def test_an_office_may_only_after_the_second_factor(make_site: Callable[..., Site]) -> None:
    site = make_site()
    site.sign_in(Role.PREGOEIRO, second_factor=False)
    assert site.client.get("/posso").json == {"fechar": False, "abrir": False}


def test_an_office_may_what_the_command_names(site: Site) -> None:
    site.sign_in(Role.PREGOEIRO)
    assert site.client.get("/posso").json == {"fechar": True, "abrir": True}


def test_another_office_may_not(site: Site) -> None:
    site.sign_in(Role.SECRETARIAT)
    assert site.client.get("/posso").json == {"fechar": False, "abrir": False}


def test_a_form_sent_twice_is_answered_once(site: Site) -> None:
    site.sign_in(Role.PREGOEIRO)
    pedido = str(uuid4())
    first, second = close(site, pedido=pedido), close(site, pedido=pedido)
    assert first == second == (200, f"{pedido} 1")
    assert entries(site) == 1


def test_two_forms_are_two_acts(site: Site) -> None:
    site.sign_in(Role.PREGOEIRO)
    assert {close(site, pedido=str(uuid4()))[0] for _ in range(2)} == {200}
    assert entries(site) == 2


def test_a_form_without_an_id_gets_one(site: Site) -> None:
    site.sign_in(Role.PREGOEIRO)
    status, text = close(site)
    assert status == 200
    assert UUID(text.split()[0]).version == 4


@pytest.mark.parametrize("pedido", ["1", "não é uuid", "g" * 32])
def test_an_id_that_is_no_uuid_is_refused(site: Site, pedido: str) -> None:
    site.sign_in(Role.PREGOEIRO)
    status, text = close(site, pedido=pedido)
    assert status == 400
    assert "identificador UUID" in text
    assert entries(site) == 0


def test_the_page_gives_each_form_its_own_id(site: Site) -> None:
    ids = {site.client.get("/formulario").text.split('name="pedido" value="')[1][:36] for _ in range(2)}
    assert len({UUID(one) for one in ids}) == 2


def test_a_script_sends_its_id_in_the_json(site: Site) -> None:
    site.sign_in(Role.PREGOEIRO)
    token = token_in(site.client.get("/formulario").text)
    pedido = str(uuid4())
    answers = [
        site.client.post(
            "/api/fechar",
            json={"edital": "001-2027", "pedido": pedido},
            headers={"X-CSRFToken": token, "Accept": "application/json", **same_origin()},
        )
        for _ in range(2)
    ]
    assert [answer.json for answer in answers] == [{"pedido": pedido}] * 2
    assert entries(site) == 1


def test_the_sign_in_cookie_is_kept_from_scripts_and_from_other_sites(make_site: Callable[..., Site]) -> None:
    site = make_site(base_url="https://licitacoes.exemplo.mg.gov.br")
    cookie = site.client.get("/entrou").headers["Set-Cookie"]
    assert cookie.startswith("__Host-entrada=abc;")
    for part in ("Secure", "HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=72000"):
        assert part in cookie.split("; ")
    assert "Domain" not in cookie


def test_without_https_the_cookie_still_works_on_this_machine(site: Site) -> None:
    cookie = site.client.get("/entrou").headers["Set-Cookie"]
    assert cookie.startswith("entrada=abc;")
    assert "Secure" not in cookie
    assert "HttpOnly" in cookie


def test_signing_out_takes_the_cookie_away(site: Site) -> None:
    assert "entrada=; Expires=Thu, 01 Jan 1970" in site.client.get("/saiu").headers["Set-Cookie"]


def test_the_layout_shows_where_the_signed_in_person_works(site: Site) -> None:
    assert 'href="/entrar"' in site.client.get("/aberta").text
    site.sign_in(Role.PREGOEIRO)
    page = site.client.get("/aberta").text
    assert 'href="/c"' in page
    assert 'action="/sair"' in page
    assert 'href="/entrar"' not in page


def test_a_told_message_is_shown_once(site: Site) -> None:
    assert "Inscrição enviada." in site.client.get("/recado").text
    assert "Inscrição enviada." not in site.client.get("/aberta").text
