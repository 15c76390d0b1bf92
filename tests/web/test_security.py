"""Headers, hosts, proxies and sizes: what the browser is told and what is believed of it."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from tender.web.security import JSON_MAX_BYTES, MULTIPART_BYTES, NUMBER_MAX
from tests.web.conftest import Site
from tests.web.reading import same_origin, token_in

HTTPS = "https://licitacoes.exemplo.mg.gov.br"
HERE = "licitacoes.exemplo.mg.gov.br"


def csp(site: Site, address: str = "/aberta") -> dict[str, list[str]]:
    """The policy of an answer: directive -> sources."""
    policy = site.client.get(address).headers["Content-Security-Policy"]
    return {name: sources for name, *sources in (part.split() for part in policy.split("; "))}


# --- headers ------------------------------------------------------------------------------------------------------


def test_a_page_may_load_nothing_but_what_is_ours(site: Site) -> None:
    assert csp(site) == {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "connect-src": ["'self'", "ws://localhost"],
        "font-src": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
        "manifest-src": ["'self'"],
    }


@pytest.mark.parametrize(
    "address", ["/aberta", "/erro/404", "/nada", "/static/base.css", "/saude", "/texto/1?tipo=application/pdf"]
)
def test_no_answer_allows_anything_unsafe(site: Site, address: str) -> None:
    answer = site.client.get(address)
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert "*" not in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "same-origin"
    assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "camera=(self)" in answer.headers["Permissions-Policy"]
    assert "microphone=()" in answer.headers["Permissions-Policy"]


def test_a_pdf_opens_in_the_browsers_viewer_and_in_nobodys_frame(site: Site) -> None:
    policy = csp(site, "/texto/1?tipo=application/pdf")
    assert "default-src" not in policy
    assert policy["frame-ancestors"] == ["'none'"]


def test_https_is_kept_where_there_is_https(make_site: Callable[..., Site]) -> None:
    assert "Strict-Transport-Security" not in make_site().client.get("/aberta").headers
    site = make_site(base_url=HTTPS)
    answer = site.client.get("/aberta", headers={"Host": HERE})
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert f"wss://{HERE}" in answer.headers["Content-Security-Policy"]


def test_what_a_signed_in_person_sees_is_stored_nowhere(site: Site) -> None:
    assert site.client.get("/aberta").headers["Cache-Control"] == "private, no-cache"
    site.sign_in()
    assert site.client.get("/aberta").headers["Cache-Control"] == "no-store"
    assert "immutable" in site.client.get(site.app.jinja_env.globals["static_url"]("base.css")).headers["Cache-Control"]  # type: ignore[operator]


def test_an_answer_to_anybody_says_that_it_depends_on_the_cookie(site: Site) -> None:
    assert "Cookie" in site.client.get("/aberta").vary
    assert "Cookie" not in site.client.get("/static/base.css").vary


def test_a_page_without_a_form_sets_no_cookie(site: Site) -> None:
    assert "Set-Cookie" not in site.client.get("/aberta").headers
    assert "Set-Cookie" not in site.client.get("/erro/404").headers


def test_the_forms_cookie_is_kept_from_scripts_and_other_sites(make_site: Callable[..., Site]) -> None:
    site = make_site(base_url=HTTPS)
    cookie = site.client.get("/formulario", base_url=HTTPS).headers["Set-Cookie"]
    assert cookie.startswith("__Host-formulario=")
    for part in ("Secure", "HttpOnly", "SameSite=Lax", "Path=/"):
        assert part in cookie.split("; ")
    assert "Expires=" in cookie  # it outlives the browser's window


# --- hosts and proxies ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", [HERE, f"{HERE}:443"])
def test_our_own_name_is_answered(make_site: Callable[..., Site], host: str) -> None:
    site = make_site(base_url=HTTPS, environment="production")
    assert site.client.get("/aberta", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["malvado.exemplo", f"{HERE}.malvado.exemplo", "localhost", "127.0.0.1:8000", "a@b", ""]
)
def test_another_name_is_refused_without_building_a_link_for_it(make_site: Callable[..., Site], host: str) -> None:
    site = make_site(base_url=HTTPS, environment="production")
    answer = site.client.get("/aberta", headers={"Host": host})
    assert answer.status_code == 400
    assert answer.text == "Este não é o endereço deste site.\n"
    assert "malvado" not in str(answer.headers)


def test_beside_production_this_machine_may_ask(site: Site) -> None:
    for host in ("localhost", "127.0.0.1:8000"):
        assert site.client.get("/aberta", headers={"Host": host}).status_code == 200
    assert site.client.get("/aberta", headers={"Host": "malvado.exemplo"}).status_code == 400


FORWARDED = {"X-Forwarded-For": "198.51.100.9", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "malvado.exemplo"}


def test_what_a_proxy_would_say_is_not_believed_of_strangers(site: Site) -> None:
    assert site.client.get("/quem", headers=FORWARDED).text == "127.0.0.1 http localhost"


def test_one_trusted_proxy_is_believed_about_address_and_scheme_but_not_the_host(
    make_site: Callable[..., Site],
) -> None:
    site = make_site(trusted_proxies=1)
    assert site.client.get("/quem", headers=FORWARDED).text == "198.51.100.9 https localhost"
    forged = {**FORWARDED, "X-Forwarded-For": "203.0.113.1, 198.51.100.9"}
    assert site.client.get("/quem", headers=forged).text.startswith("198.51.100.9 ")


# --- who asks, and how much -------------------------------------------------------------------------------------------


def send(site: Site, **headers: str) -> int:
    """Send `/recebe` with a good token and these headers."""
    token = token_in(site.client.get("/formulario").text)
    return site.client.post("/recebe", data={"csrf_token": token}, headers=headers).status_code


@pytest.mark.parametrize("site_said", ["cross-site", "same-site"])
def test_a_form_of_another_site_is_refused_even_with_a_good_token(site: Site, site_said: str) -> None:
    assert send(site, **{"Sec-Fetch-Site": site_said}) == 400


@pytest.mark.parametrize("origin", ["https://malvado.exemplo", "null", "http://localhost.malvado.exemplo"])
def test_an_old_browser_that_names_another_origin_is_refused(site: Site, origin: str) -> None:
    assert send(site, Origin=origin) == 400


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "http://localhost"},
        {"Origin": "https://localhost"},
        {},
    ],
)
def test_our_own_form_passes(site: Site, headers: dict[str, str]) -> None:
    assert send(site, **headers) == 200


def body_of(site: Site, size: int) -> tuple[bytes, str]:
    """A multipart body of exactly so many bytes, with a good token and a file."""
    token = token_in(site.client.get("/formulario").text)
    head = (
        f'--b\r\nContent-Disposition: form-data; name="csrf_token"\r\n\r\n{token}\r\n'
        '--b\r\nContent-Disposition: form-data; name="foto"; filename="a.jpg"\r\n\r\n'
    ).encode()
    tail = b"\r\n--b--\r\n"
    return head + b"x" * (size - len(head) - len(tail)) + tail, "multipart/form-data; boundary=b"


@pytest.mark.parametrize(("over", "status"), [(0, 200), (1, 413)])
def test_a_form_with_its_file_is_taken_up_to_the_limit_and_no_byte_more(
    make_site: Callable[..., Site], over: int, status: int
) -> None:
    site = make_site(upload_max_bytes=200_000)
    body, kind = body_of(site, 200_000 + MULTIPART_BYTES + over)
    answer = site.client.post(
        "/recebe", input_stream=io.BytesIO(body), content_length=len(body), content_type=kind, headers=same_origin()
    )
    assert answer.status_code == status


@pytest.mark.parametrize(("over", "status"), [(0, 200), (1, 413)])
def test_json_is_taken_up_to_its_own_limit(site: Site, over: int, status: int) -> None:
    token = token_in(site.client.get("/formulario").text)
    body = b'"' + b"x" * (JSON_MAX_BYTES - 2 + over) + b'"'
    headers = {"X-CSRFToken": token, **same_origin()}
    answer = site.client.post("/api/recebe", data=body, content_type="application/json", headers=headers)
    assert answer.status_code == status


# --- what no database holds ---------------------------------------------------------------------------------------


def test_a_number_larger_than_the_database_holds_is_no_address(site: Site) -> None:
    assert site.client.get("/texto/7").status_code == 200
    assert site.client.get(f"/texto/{NUMBER_MAX + 1}").status_code == 404


def test_the_sign_nul_is_taken_nowhere(site: Site) -> None:
    assert site.client.get("/segredo/a%00b").status_code == 404
    assert site.client.get("/aberta?q=%00").status_code == 400
    token = token_in(site.client.get("/formulario").text)
    answer = site.client.post("/recebe", data={"csrf_token": token, "nome": "a\0b"}, headers=same_origin())
    assert answer.status_code == 400
