"""The own account in a browser: contacts, password, second factor, companies, open sessions, one's own data."""

from __future__ import annotations

import json
from datetime import timedelta
from urllib.parse import urlencode

import pytest

from tender.acts import Role
from tender.ledger import reading
from tender.people import LEGAL
from tests.edital.site import AWAY, HOME, PASSWORD, Browser, Site
from tests.people.made import Someone, appoint, cnpj_of, cpf_of, register

TAXI = {"kind": LEGAL, "cnpj": cnpj_of(99), "company_name": "Táxi Bom Ltda"}


def enter(site: Site, who: Someone, address: str = HOME) -> Browser:
    """A browser in which somebody has signed in and opened the account."""
    browser = site.browser(address)
    assert browser.fill("/entrar", quem=who.cpf, senha=PASSWORD).status_code == 303
    browser.get("/conta")
    return browser


def later(site: Site, browser: Browser, password: str = PASSWORD) -> None:
    """Ten minutes pass, and the password is shown again."""
    site.clock.advance(timedelta(minutes=10))
    assert browser.fill("/entrar/confirmar", senha=password).status_code == 303


@pytest.mark.parametrize(
    "path",
    ["/conta", "/conta/acessos", "/conta/segundo-fator", "/conta/dados.json", "/conta/inicio", "/entrar/confirmar"],
)
def test_whoever_is_not_signed_in_is_led_to_the_sign_in_and_back(site: Site, path: str) -> None:
    answer = site.browser().get(path)
    assert (answer.status_code, answer.location) == (302, f"/entrar?{urlencode({'next': path})}")


def test_a_telephone_is_changed_and_a_wrong_one_is_shown_again(site: Site) -> None:
    browser = enter(site, register(site.people, 7))
    answer = browser.post("/conta/telefone", telefone="99876")
    assert answer.status_code == 422
    assert 'value="99876"' in answer.text
    assert browser.post("/conta/telefone", telefone="34 99999-0000").status_code == 303
    assert "(34) 99999-0000" in browser.get("/conta").text


def test_a_new_email_waits_for_its_link(site: Site) -> None:
    ana, rui = register(site.people, 7), register(site.people, 8, "Rui Sampaio")
    browser = enter(site, ana)
    assert browser.post("/conta/email", email="nova").status_code == 422
    assert browser.post("/conta/email", email="nova@exemplo.invalid").status_code == 303
    assert ana.email in browser.get("/conta").text
    ((_, link),) = site.confirmations()
    assert "e-mail novo" in browser.fill(link).text
    assert "nova@exemplo.invalid" in browser.get("/conta").text
    # Somebody else's e-mail: the page says the same, the mail goes to them.
    answer = browser.post("/conta/email", email=rui.email)
    assert (answer.status_code, answer.location) == (303, "/conta")
    assert "already_registered" in [kind for kind, _ in site.mails(rui.id)]


def test_an_old_proof_is_asked_for_again_before_the_email_changes(site: Site) -> None:
    browser = enter(site, register(site.people, 7))
    site.clock.advance(timedelta(minutes=10))
    answer = browser.post("/conta/email", email="nova@exemplo.invalid")
    assert (answer.status_code, answer.location) == (303, "/entrar/confirmar?next=%2Fconta")
    assert site.confirmations() == []
    assert browser.fill("/entrar/confirmar?next=/conta", senha="senha errada mesmo").status_code == 422
    assert browser.fill("/entrar/confirmar?next=/conta", senha=PASSWORD).location == "/conta"
    browser.get("/conta")
    browser.post("/conta/email", email="nova@exemplo.invalid")
    assert len(site.confirmations()) == 1


def test_a_password_is_changed_with_the_old_one(site: Site) -> None:
    ana = register(site.people, 7)
    browser, other = enter(site, ana), enter(site, ana, AWAY)
    wrong = browser.post("/conta/senha", senha="senha errada mesmo", senha_nova="outra senha bem boa")
    assert wrong.status_code == 422
    assert "A senha não confere" in wrong.text
    assert "outra senha bem boa" not in wrong.text
    assert browser.post("/conta/senha", senha=PASSWORD, senha_nova=ana.cpf).status_code == 422
    assert browser.post("/conta/senha", senha=PASSWORD, senha_nova="outra senha bem boa").status_code == 303
    assert browser.get("/conta").status_code == 200
    assert other.get("/conta").status_code == 302


def test_the_second_factor_is_set_up_renewed_and_dropped(site: Site) -> None:
    ana = register(site.people, 7)
    browser, other = enter(site, ana), enter(site, ana, AWAY)
    browser.get("/conta/segundo-fator")
    secret = site.people.enable_totp(browser.cookie("entrada")).secret
    answer = browser.post("/conta/segundo-fator", codigo=site.code(secret))
    codes = [part.split("</code>")[0] for part in answer.text.split("<li><code>")[1:]]
    assert len(set(codes)) == 10
    assert other.get("/conta").status_code == 302
    assert "Restam 10 códigos" in browser.get("/conta").text
    fresh = browser.post("/conta/segundo-fator/codigos")
    assert fresh.status_code == 200
    assert codes[0] not in fresh.text
    browser.get("/conta")
    site.clock.advance(timedelta(minutes=10))
    assert browser.post("/conta/segundo-fator/desligar").location == "/entrar/confirmar?next=%2Fconta"
    assert browser.fill("/entrar/confirmar", codigo=site.code(secret)).status_code == 303
    browser.get("/conta")
    assert browser.post("/conta/segundo-fator/desligar").status_code == 303
    assert "Segundo fator desligado" in browser.get("/conta").text
    assert browser.post("/conta/segundo-fator/codigos").status_code == 404


def test_a_second_factor_is_not_set_up_in_a_browser_left_open(site: Site) -> None:
    browser = enter(site, register(site.people, 7))
    site.clock.advance(timedelta(minutes=10))
    assert browser.get("/conta/segundo-fator").location == "/entrar/confirmar?next=%2Fconta%2Fsegundo-fator"
    assert browser.fill("/entrar/confirmar?next=/conta/segundo-fator", senha=PASSWORD).status_code == 303
    assert browser.get("/conta/segundo-fator").status_code == 200


def test_an_office_does_not_drop_its_factor_nor_take_part(site: Site) -> None:
    marta = appoint(site.people, 9)
    token = site.people.open_session(marta.id, "Firefox", HOME)
    secret = site.people.enable_totp(token).secret
    _, token = site.people.confirm_totp(token, site.code(secret), address=HOME)
    site.people.grant(Role.COMMISSION, marta.id, "instalação", "Portaria 1/2027")
    browser = site.browser()
    browser.client.set_cookie("entrada", token)
    page = browser.get("/conta").text
    assert "Comissão" in page
    assert "Representar uma empresa" not in page
    assert browser.post("/conta/segundo-fator/desligar").status_code == 409
    assert browser.post("/conta/empresas", cnpj=cnpj_of(9), empresa="Táxi").status_code == 403
    assert browser.post("/conta/pessoa-fisica").status_code == 403


def test_the_second_representative_waits_for_the_first(site: Site) -> None:
    ana, rui = register(site.people, 7, **TAXI), register(site.people, 8, "Rui Sampaio")
    hers, his = enter(site, ana), enter(site, rui, AWAY)
    assert his.post("/conta/empresas", cnpj="11.222.333/0001-82", empresa="Táxi").status_code == 422
    assert his.post("/conta/empresas", cnpj=cnpj_of(99), empresa="Táxi Bom").status_code == 303
    assert "Espera o aceite" in his.get("/conta").text
    page = hers.get("/conta").text
    assert "Rui Sampaio" in page
    representation = page.split("/conta/representantes/")[1].split('"')[0]
    assert (
        his.post(f"/conta/representantes/{representation}", resposta="aceitar").status_code == 409
    )  # not his to accept
    assert hers.post(f"/conta/representantes/{representation}", resposta="aceitar").status_code == 303
    assert "Táxi Bom Ltda" in his.get("/conta").text
    with reading(site.house.engine) as tx:
        party = site.people.parties_of(tx, ana.id)[0].id
    assert hers.post(f"/conta/empresas/{party}/sair").status_code == 303
    assert his.post(f"/conta/empresas/{party}/sair").status_code == 409  # the last one
    assert hers.post(f"/conta/empresas/{party}/sair").status_code == 404  # not hers any more


def test_a_representative_may_take_part_for_himself_too(site: Site) -> None:
    ana = register(site.people, 7, **TAXI)
    browser = enter(site, ana)
    assert browser.post("/conta/pessoa-fisica").status_code == 303
    with reading(site.house.engine) as tx:
        natural, legal = site.people.parties_of(tx, ana.id)
    assert (natural.document.bare, legal.document.bare) == (ana.cpf, cnpj_of(99))
    assert browser.post(f"/conta/empresas/{natural.id}/sair").status_code == 404  # oneself is not left
    assert "em meu nome" not in browser.get("/conta").text


def test_one_session_or_all_are_ended_from_the_list(site: Site) -> None:
    ana, rui = register(site.people, 7), register(site.people, 8, "Rui Sampaio")
    browser, other, his = enter(site, ana), enter(site, ana, AWAY), enter(site, rui, "198.51.100.1")
    page = browser.get("/conta/acessos").text
    assert page.count('name="acesso"') == 2
    assert page.count("Este aparelho") == 1
    assert AWAY in page
    assert "198.51.100.1" not in page
    assert "Chrome em Android" in page
    (theirs,) = [one.id for one in site.people.sessions_of(rui.id)]
    browser.post("/conta/acessos/encerrar", acesso=theirs)
    assert his.get("/conta").status_code == 200
    (away,) = [one.id for one in site.people.sessions_of(ana.id) if one.address == AWAY]
    browser.post("/conta/acessos/encerrar", acesso=away)
    assert other.get("/conta").status_code == 302
    answer = browser.post("/conta/acessos/encerrar-todos")
    assert answer.location == "/entrar"
    assert browser.get("/conta").status_code == 302
    assert site.people.sessions_of(ana.id) == ()


def test_failures_of_others_are_told_to_the_owner(site: Site) -> None:
    ana = register(site.people, 7)
    browser = enter(site, ana)
    site.browser(AWAY).fill("/entrar", quem=ana.cpf, senha="senha errada mesmo")
    page = browser.get("/conta/acessos").text
    assert "Senha errada" in page
    assert AWAY in page


def test_ones_own_data_are_handed_out_after_a_fresh_proof(site: Site) -> None:
    ana, rui = register(site.people, 7), register(site.people, 8, "Rui Sampaio")
    browser = enter(site, ana)
    answer = browser.get("/conta/dados.json")
    shown = json.loads(answer.text)
    assert shown["nome"] == ana.name
    assert rui.name not in answer.text
    assert 'attachment; filename="meus-dados.json"' in answer.headers["Content-Disposition"]
    site.clock.advance(timedelta(minutes=10))
    assert browser.get("/conta/dados.json").status_code == 303


def test_the_account_is_kept_by_no_cache(site: Site) -> None:
    assert enter(site, register(site.people, 7)).get("/conta").headers["Cache-Control"] == "no-store"


def test_text_of_others_is_shown_as_text(site: Site) -> None:
    ana = register(site.people, 7, kind=LEGAL, cnpj=cnpj_of(99), company_name="Táxi & Cia")
    assert "Táxi &amp; Cia" in enter(site, ana).page
    assert cpf_of(7) not in enter(site, ana).page
