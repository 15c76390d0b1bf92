"""Registering as people do it: one form, one mail, and an answer that tells nobody who is registered."""

from __future__ import annotations

from typing import Any

import pytest

from tests.edital.site import PASSWORD, Browser, Site
from tests.people.made import cnpj_of, cpf_of, register

FORM = {
    "tipo": "pessoa física",
    "cpf": "529.982.247-25",
    "nome": "Ana Beatriz Quaresma",
    "email": "ana@exemplo.invalid",
    "telefone": "(34) 99876-5432",
    "senha_nova": PASSWORD,
}


def signed_in(browser: Browser, who: str, password: str = PASSWORD) -> Any:
    return browser.fill("/entrar", quem=who, senha=password)


def test_from_the_form_to_the_own_account(site: Site) -> None:
    browser = site.browser()
    answer = browser.fill("/cadastro", **FORM)
    assert (answer.status_code, answer.location) == (303, "/cadastro/enviado")
    assert "ana@exemplo.invalid" in browser.get("/cadastro/enviado").text
    ((person, link),) = site.confirmations()
    browser.get(link)
    assert browser.get(link).status_code == 200  # a scanner or a second look uses nothing up
    assert "Seu cadastro está pronto" in browser.post(link).text
    assert browser.get(link).status_code == 410
    answer = signed_in(browser, "52998224725")
    assert (answer.status_code, answer.location) == (303, "/conta/inicio")
    assert browser.get("/conta/inicio").location == "/minhas"
    page = browser.get("/conta").text
    assert "Ana Beatriz Quaresma" in page
    assert "***.982.247-**" in page
    assert "529.982.247" not in page
    assert [kind for kind, _ in site.mails(person)] == ["confirm_email"]  # the first sign-in is no news


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"cpf": "529.982.247-26"}, "dígito verificador"),
        ({"cpf": ""}, "Escreva seu CPF"),
        ({"nome": "Ana"}, "nome completo"),
        ({"email": "ana"}, "e-mail não está completo"),
        ({"telefone": "99876"}, "O telefone"),
        ({"senha_nova": "curta"}, "5 caracteres"),
        ({"senha_nova": "52998224725"}, "seu CPF"),
        ({"tipo": "pessoa jurídica"}, "CNPJ da empresa"),
        ({"tipo": "pessoa jurídica", "cnpj": "11.222.333/0001-82"}, "O CNPJ"),
        ({"tipo": "pessoa jurídica", "cnpj": cnpj_of(9)}, "nome da empresa"),
        ({"tipo": "outra"}, "tipo"),
    ],
)
def test_what_is_wrong_is_said_and_what_was_typed_stays_save_the_password(
    site: Site, change: dict[str, str], says: str
) -> None:
    browser = site.browser()
    answer = browser.fill("/cadastro", **{**FORM, **change})
    assert answer.status_code == 422
    assert says in answer.text
    assert "Corrija 1 campo" in answer.text or "Corrija 2 campos" in answer.text
    for name, typed in {**FORM, **change}.items():
        if name in ("nome", "email", "cnpj") and typed:
            assert f'value="{typed}"' in answer.text
    assert PASSWORD not in answer.text
    assert site.confirmations() == []


def test_text_of_the_form_is_shown_as_text(site: Site) -> None:
    answer = site.browser().fill("/cadastro", **{**FORM, "nome": '"><script>alert(1)</script>'})
    assert "<script>alert" not in answer.text


def test_a_company_registers_by_its_representative(site: Site) -> None:
    browser = site.browser()
    more = {"tipo": "pessoa jurídica", "cnpj": cnpj_of(9), "empresa": "Táxi Bom Ltda"}
    browser.fill(
        "/cadastro", **FORM, **{k: v for k, v in more.items() if k != "tipo"}
    )  # fields of a company, but a person
    browser.fill("/cadastro", **{**FORM, **more, "cpf": cpf_of(8), "email": "rui@exemplo.invalid"})
    links = [link for _, link in site.confirmations()]
    assert len(links) == 2
    for link in links:
        browser.fill(link)
    signed_in(browser, "rui@exemplo.invalid")
    assert "Táxi Bom Ltda" in browser.get("/conta").text


def test_whoever_is_registered_gets_a_mail_and_the_page_says_the_same(site: Site) -> None:
    ana = register(site.people, 7)
    known, unknown = site.browser(), site.browser()
    first = known.fill("/cadastro", **{**FORM, "cpf": ana.cpf})
    other = unknown.fill("/cadastro", **{**FORM, "cpf": cpf_of(8)})
    assert (first.status_code, first.location) == (other.status_code, other.location)
    assert known.get(first.location).text == unknown.get(other.location).text
    assert site.mails(ana.id) == [("already_registered", "/entrar")]


def test_two_who_register_the_same_cpf_are_told_apart_by_the_mail(site: Site) -> None:
    browser = site.browser()
    browser.fill("/cadastro", **FORM)
    browser.fill("/cadastro", **{**FORM, "email": "outra@exemplo.invalid"})
    (_, first), (_, second) = site.confirmations()
    browser.fill(first)
    answer = browser.fill(second)
    assert answer.status_code == 409
    assert "Este CPF já tem cadastro" in answer.text


def test_too_many_registrations_are_429_and_keep_what_was_typed(site: Site) -> None:
    browser = site.browser()
    for _ in range(3):
        assert browser.fill("/cadastro", **FORM).status_code == 303
    answer = browser.fill("/cadastro", **FORM)
    assert answer.status_code == 429
    assert 'value="Ana Beatriz Quaresma"' in answer.text
