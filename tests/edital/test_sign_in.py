"""Signing in as people do it: cookies, codes, links to return to, mails, and everything that goes wrong."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tender.acts import Role
from tender.edital.pages.sign_in import device_name
from tender.people.rates import SIGN_IN_PAIR
from tests.edital.site import AWAY, HOME, PASSWORD, Browser, Site
from tests.people.made import appoint, cpf_of, register


def signed_in(browser: Browser, who: str, password: str = PASSWORD) -> Any:
    return browser.fill("/entrar", quem=who, senha=password)


def test_wrong_and_unknown_look_the_same(site: Site) -> None:
    ana = register(site.people, 7)
    pages = []
    for who in (ana.cpf, cpf_of(8)):
        browser = site.browser()
        answer = signed_in(browser, who, "senha errada mesmo")
        assert answer.status_code == 422
        pages.append(answer.text.replace(who, "?"))
        assert f'value="{who}"' in answer.text
        assert "senha errada mesmo" not in answer.text
        assert browser.cookie("entrada") == ""
    assert (
        pages[0].count("CPF, e-mail ou senha não conferem.") == pages[1].count("CPF, e-mail ou senha não conferem.") > 0
    )


def test_too_many_failures_are_answered_with_429_and_the_hour(site: Site) -> None:
    ana = register(site.people, 7)
    rival = site.browser(AWAY)
    for _ in range(SIGN_IN_PAIR.tries):
        assert signed_in(rival, ana.cpf, "senha errada mesmo").status_code == 422
    answer = signed_in(rival, ana.cpf)
    assert answer.status_code == 429
    assert answer.headers["Retry-After"] == "900"
    assert "14h15" in answer.text
    assert signed_in(site.browser(HOME), ana.cpf).status_code == 303
    site.clock.advance(timedelta(minutes=15))
    assert signed_in(rival, ana.cpf).status_code == 303


def test_the_token_of_the_browser_changes_at_sign_in_and_the_old_one_is_dead(site: Site) -> None:
    ana = register(site.people, 7)
    browser = site.browser()
    browser.client.set_cookie("entrada", "plantada-por-alguem")
    signed_in(browser, ana.cpf)
    first = browser.cookie("entrada")
    assert first not in ("", "plantada-por-alguem")
    assert site.people.actor_for("plantada-por-alguem") is None
    browser.client.delete_cookie("entrada")
    browser.get("/entrar")
    browser.client.set_cookie("entrada", first)
    browser.post("/entrar", quem=ana.cpf, senha=PASSWORD)  # again, from an open page
    assert browser.cookie("entrada") != first
    assert site.people.actor_for(first) is None


def test_the_cookies_are_out_of_reach(make_site: Callable[..., Site]) -> None:
    site = make_site(base_url="https://localhost")
    ana = register(site.people, 7)
    browser = site.browser()
    page = browser.client.get("/entrar", base_url="https://localhost")
    browser.page = page.text
    token = page.text.split('name="csrf_token" value="')[1].split('"')[0]
    answer = browser.client.post(
        "/entrar",
        data={"csrf_token": token, "quem": ana.cpf, "senha": PASSWORD},
        base_url="https://localhost",
        headers={"Origin": "https://localhost"},
    )
    assert answer.status_code == 303
    set_now = {line.split("=")[0]: line for line in answer.headers.getlist("Set-Cookie")}
    for name in ("__Host-entrada", "__Host-aparelho"):
        for part in ("Secure", "HttpOnly", "SameSite=Lax", "Path=/"):
            assert part in set_now[name], (name, part)
        assert "Domain" not in set_now[name]


@pytest.mark.parametrize(
    ("wanted", "led"),
    [
        ("/minhas/001-2027/documentos", "/minhas/001-2027/documentos"),
        ("/l/001-2027?ponto=3", "/l/001-2027?ponto=3"),
        ("//mau.example", "/conta/inicio"),
        ("/\\mau.example", "/conta/inicio"),
        ("\\\\mau.example", "/conta/inicio"),
        ("https://mau.example", "/conta/inicio"),
        ("https:mau.example", "/conta/inicio"),
        ("javascript:alert(1)", "/conta/inicio"),
        ("/\t/mau.example", "/conta/inicio"),
        ("/%0d%0aSet-Cookie:x", "/%0d%0aSet-Cookie:x"),
        ("/\r\nSet-Cookie:x=1", "/conta/inicio"),
        (" //mau.example", "/conta/inicio"),
        ("mau.example", "/conta/inicio"),
        ("", "/conta/inicio"),
    ],
)
def test_nobody_is_led_elsewhere(site: Site, wanted: str, led: str) -> None:
    ana = register(site.people, 7)
    browser = site.browser()
    browser.get("/entrar")
    answer = browser.client.post(
        "/entrar",
        query_string={"next": wanted},
        data={
            "csrf_token": browser.page.split('name="csrf_token" value="')[1].split('"')[0],
            "quem": ana.cpf,
            "senha": PASSWORD,
        },
    )
    assert (answer.status_code, answer.location) == (303, led)
    assert "x" not in [line.split("=")[0] for line in answer.headers.getlist("Set-Cookie")]


def test_the_way_back_survives_the_second_factor(site: Site) -> None:
    ana = register(site.people, 7)
    secret = with_factor(site, ana.id)
    browser = site.browser()
    answer = browser.fill("/entrar?next=/sala/001-2027/3", quem=ana.cpf, senha=PASSWORD)
    assert answer.location == "/entrar/codigo?next=/sala/001-2027/3".replace(
        "/sala/001-2027/3", "%2Fsala%2F001-2027%2F3"
    )
    waiting_token = browser.cookie("entrada")
    assert browser.get("/conta").status_code == 302  # nothing opens yet
    answer = browser.fill(answer.location, codigo="000000")
    assert answer.status_code == 422
    assert "000000" not in answer.text
    answer = browser.fill("/entrar/codigo?next=/sala/001-2027/3", codigo=site.code(secret))
    assert (answer.status_code, answer.location) == (303, "/sala/001-2027/3")
    assert browser.cookie("entrada") != waiting_token
    assert site.people.awaits_code(waiting_token) is None
    assert browser.get("/entrar/codigo").status_code == 302


def with_factor(site: Site, person: str) -> str:
    """The TOTP secret of a person who has set the second factor up; the clock is two steps on."""
    token = site.people.open_session(person, "Firefox", HOME)
    secret = site.people.enable_totp(token).secret
    _, token = site.people.confirm_totp(token, site.code(secret), address=HOME)
    site.people.end_session(token)
    site.clock.advance(timedelta(minutes=1))
    return secret


def test_an_office_without_second_factor_reaches_the_set_up_and_nothing_else(site: Site) -> None:
    marta = appoint(site.people, 9)
    site.people.grant(Role.PREGOEIRO, marta.id, "instalação", "Portaria 1/2027")
    browser = site.browser()
    answer = signed_in(browser, marta.cpf)
    assert answer.location == "/conta/segundo-fator"
    for path in ("/", "/conta", "/conta/acessos", "/conta/dados.json", "/cadastro"):
        answer = browser.get(path)
        assert (answer.status_code, answer.location.partition("?")[0]) == (303, "/conta/segundo-fator"), path
    page = browser.get("/conta/segundo-fator").text
    assert "Seu cargo exige o segundo fator" in page
    assert 'src="data:image/svg+xml' in page
    with_secret = site.people.enable_totp(browser.cookie("entrada")).secret
    assert " ".join(with_secret[n : n + 4] for n in range(0, 32, 4)) in page
    before = browser.cookie("entrada")
    assert browser.post("/conta/segundo-fator", codigo="000000").status_code == 422
    answer = browser.post("/conta/segundo-fator", codigo=site.code(with_secret))
    assert answer.status_code == 200
    assert answer.text.count("<li><code>") == 10
    assert browser.cookie("entrada") != before
    assert browser.get("/").text == "início"
    assert browser.get("/conta/inicio").location == "/c"


def test_an_office_signed_in_without_the_code_is_asked_for_it(site: Site) -> None:
    marta = appoint(site.people, 9)
    secret = with_factor(site, marta.id)
    browser = site.browser()
    signed_in(browser, marta.cpf)
    browser.client.set_cookie("entrada", site.people.open_session(marta.id, "Firefox", HOME))
    assert browser.get("/conta").status_code == 200
    site.people.grant(Role.PREGOEIRO, marta.id, "instalação", "Portaria 1/2027")
    answer = browser.get("/conta/acessos")
    assert (answer.status_code, answer.location) == (303, "/entrar/confirmar?next=%2Fconta%2Facessos")
    answer = browser.fill(answer.location, codigo=site.code(secret))
    assert (answer.status_code, answer.location) == (303, "/conta/acessos")
    assert browser.get("/conta/acessos").status_code == 200


def test_a_new_browser_is_told_to_the_owner_and_a_known_one_is_not(site: Site) -> None:
    ana = register(site.people, 7)
    phone, office = site.browser(), site.browser(agent="Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/128.0")
    signed_in(phone, ana.cpf)
    assert site.mails(ana.id) == []
    phone.get("/conta")
    phone.post("/sair")
    signed_in(phone, ana.cpf)
    assert site.mails(ana.id) == []
    signed_in(office, ana.cpf)
    assert site.mails(ana.id) == [("new_sign_in", "/conta/acessos")]
    with site.house.engine.connect() as tx:
        (notice,) = site.house.notices.of_person(tx, ana.id)
    assert "Firefox em Windows" in notice.body


def test_signing_out_ends_the_session_and_needs_our_own_form(site: Site) -> None:
    ana = register(site.people, 7)
    browser = site.browser()
    signed_in(browser, ana.cpf)
    token = browser.cookie("entrada")
    assert browser.client.post("/sair").status_code == 400
    assert site.people.actor_for(token) is not None
    browser.get("/conta")
    assert browser.post("/sair").status_code == 303
    assert site.people.actor_for(token) is None
    assert browser.cookie("entrada") == ""


def test_a_forgotten_password_is_replaced_by_the_mail(site: Site) -> None:
    ana = register(site.people, 7)
    other = site.browser()
    signed_in(other, ana.cpf)
    browser = site.browser(AWAY)
    for who in (ana.cpf, cpf_of(8)):
        answer = browser.fill("/senha", quem=who)
        assert (answer.status_code, answer.location) == (303, "/senha/enviado")
    ((kind, link),) = site.mails(ana.id)
    assert kind == "password_reset"
    assert browser.fill(link, senha_nova="curta").status_code == 422
    answer = browser.fill(link, senha_nova="outra senha bem boa")
    assert answer.location == "/entrar"
    assert other.get("/conta").status_code == 302  # signed out there
    assert browser.get(link).status_code == 410
    assert signed_in(site.browser(), ana.cpf).status_code == 422
    assert signed_in(browser, ana.cpf, "outra senha bem boa").status_code == 303


def test_asking_for_too_many_resets_is_429_whoever_is_asked_for(site: Site) -> None:
    ana = register(site.people, 7)
    browser = site.browser(AWAY)
    for who in (ana.cpf, cpf_of(8)):
        for _ in range(3):
            assert browser.fill("/senha", quem=who).status_code == 303
        assert browser.fill("/senha", quem=who).status_code == 429


@pytest.mark.parametrize("path", ["/entrar", "/cadastro", "/senha", "/cadastro/confirmar/x", "/senha/x"])
def test_pages_with_tokens_are_kept_from_caches_and_other_sites(site: Site, path: str) -> None:
    answer = site.browser().get(path)
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize("path", ["/entrar", "/cadastro", "/senha"])
def test_a_form_without_our_token_is_not_heard(site: Site, path: str) -> None:
    assert site.browser().client.post(path, data={"quem": "x", "senha": "y"}).status_code == 400


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        ("Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36", "Chrome em Android"),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/126.0 Safari/537.36 Edg/126.0", "Edge em Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Version/17.5 Safari/604.1", "Safari em iPhone"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "Firefox em Linux"),
        ("curl/8.5", "aparelho desconhecido"),
        ("", "aparelho desconhecido"),
    ],
)
def test_a_browser_is_named_as_its_owner_would(agent: str, name: str) -> None:
    assert device_name(agent) == name


def test_a_rival_who_hammers_the_account_does_not_touch_the_open_room(site: Site) -> None:
    ana = register(site.people, 7)
    browser, rival = site.browser(), site.browser(AWAY)
    signed_in(browser, ana.cpf)
    for _ in range(SIGN_IN_PAIR.tries):
        signed_in(rival, ana.cpf, "senha errada mesmo")
    assert signed_in(rival, ana.cpf, "senha errada mesmo").status_code == 429
    assert browser.get("/conta").status_code == 200
    browser.post("/sair")
    assert signed_in(browser, ana.cpf).status_code == 303  # and may leave and come back


def test_too_many_codes_are_429_and_the_password_alone_opens_nothing(site: Site) -> None:
    ana = register(site.people, 7)
    secret = with_factor(site, ana.id)
    browser = site.browser(AWAY)
    signed_in(browser, ana.cpf)
    for _ in range(5):
        assert browser.fill("/entrar/codigo", codigo="000000").status_code == 422
    answer = browser.fill("/entrar/codigo", codigo=site.code(secret))
    assert answer.status_code == 429
    assert answer.headers["Retry-After"] == "300"
    assert browser.get("/conta").status_code == 302
