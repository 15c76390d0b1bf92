"""In a real browser: no violation of WCAG 2.2 AA, no sideways scroll, nothing from outside, a menu without script."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from werkzeug.serving import make_server

from tests import machine
from tests.web.conftest import ROOT, Site

pytestmark = pytest.mark.browser

AXE = (ROOT / "tests" / "vendor" / "axe.min.js").read_text("utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
PAGES = (
    ("/formulario", 200),
    ("/demo/componentes", 200),
    ("/saude", 200),
    ("/recusa", 409),
    ("/pedidos/00000000-0000-4000-8000-000000000007", 202),
    ("/erro/404", 404),
    ("/erro/410", 410),
    ("/erro/500", 500),
)
WIDTHS = (320, 360, 1366)


@pytest.fixture
def served(make_site: Callable[..., Site]) -> Iterator[str]:
    """The site on a port of this machine; its address."""
    port = machine.free_port()
    site = make_site(environment="demo", port=port, base_url=f"http://127.0.0.1:{port}")
    server = make_server("127.0.0.1", port, site.app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{port}"
    server.shutdown()
    thread.join()


def violations(page: Any) -> list[str]:
    """What axe finds with all citations open, each with the first element."""
    page.evaluate("document.querySelectorAll('details.law').forEach((one) => (one.open = true))")
    session = page.context.new_cdp_session(page)  # the CSP refuses a script tag, and must
    session.send("Runtime.evaluate", {"expression": AXE})
    found = page.evaluate("(rules) => axe.run(document, { runOnly: rules })", RULES)["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in found]


@pytest.mark.parametrize(("address", "status"), PAGES)
def test_a_page_is_open_to_everybody_at_every_width(page: Any, served: str, address: str, status: int) -> None:
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 740})
        assert page.goto(served + address).status == status
        assert violations(page) == [], width
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_form_whose_token_counts_no_more_is_shown_again_and_can_be_sent(page: Any, served: str) -> None:
    page.set_viewport_size({"width": 320, "height": 740})
    page.goto(f"{served}/formulario")
    page.fill("[name=edital]", "001-2027 e mais um texto longo que não se perde")
    page.evaluate("document.querySelector('[name=csrf_token]').value = 'velho'")
    page.click("main button")
    assert "Sua página ficou aberta muito tempo" in page.inner_text("main")
    assert page.input_value("[name=edital]") == "001-2027 e mais um texto longo que não se perde"
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.click("main button")
    assert "Sua sessão terminou" in page.inner_text("main")  # the token counted; nobody is signed in here


def test_a_page_that_waits_goes_on_by_itself_when_the_desk_has_answered(page: Any, served: str) -> None:
    answers = [202, 404]
    page.goto(f"{served}/pedidos/00000000-0000-4000-8000-000000000007")
    # The desk's answers are played here: what is tried is the script, and what it does with them.
    page.route(
        "**/pedidos/*",
        lambda route: route.fulfill(status=answers.pop(0) if len(answers) > 1 else answers[0], body="pronto"),
    )
    page.get_by_text("pronto").wait_for()
    assert answers == [404]


def test_nothing_comes_from_elsewhere_and_no_font_is_loaded(page: Any, served: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{served}/demo/componentes", wait_until="networkidle")
    assert len(asked) == 4  # the page, its style, its script, its icon
    assert all(one.startswith(served) for one in asked)


def test_the_menu_opens_without_javascript(browser: Any, served: str) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 360, "height": 740})
    page = context.new_page()
    page.goto(f"{served}/aberta")
    link = page.locator(".menu nav a[href='/v']")
    assert not link.is_visible()
    page.click(".menu summary")
    assert link.is_visible()
    context.close()


def test_escape_closes_the_menu_and_gives_the_focus_back(page: Any, served: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{served}/aberta")
    page.click(".menu summary")
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    assert page.evaluate("document.querySelector('.menu').open") is False
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"


def test_a_dialog_takes_the_focus_to_its_title_and_gives_it_back(page: Any, served: str) -> None:
    page.goto(f"{served}/demo/componentes")
    page.click("[data-open=exemplo]")
    assert page.evaluate("document.activeElement.id") == "pergunta"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent") == "Abrir a janela"


def test_after_an_error_the_reader_starts_at_what_is_wrong(page: Any, served: str) -> None:
    page.goto(f"{served}/recusa")
    assert "Não registrado" in page.evaluate("document.activeElement.textContent")


def test_citations_are_open_on_paper_and_shut_again_on_screen(page: Any, served: str) -> None:
    page.goto(f"{served}/recusa")
    open_now = "document.querySelector('details.law').open"
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(open_now) is True
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(open_now) is False


def test_a_form_that_the_browser_kept_for_back_asks_under_a_new_id(page: Any, served: str) -> None:
    page.goto(f"{served}/formulario")
    before = page.input_value("input[name=pedido]")
    page.evaluate("window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    after = page.input_value("input[name=pedido]")
    assert after != before
    assert page.evaluate(
        "(id) => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)", after
    )


def test_the_servers_clock_is_taken_from_the_quickest_sample(page: Any, served: str) -> None:
    page.goto(f"{served}/aberta")
    address = page.evaluate("document.querySelector('script[type=module]').src")
    said = page.evaluate(
        """async (address) => {
          const { heard, now } = await import(address);
          const before = Math.abs(now() - Date.now());
          const start = performance.now();
          heard(9e12, start - 900, start);       // 900 ms on the way: little to be trusted
          heard(5e12, start - 10, start);        // 10 ms on the way
          return [before, Math.abs(now() - 5e12)];
        }""",
        address,
    )
    assert said[0] < 1000
    assert said[1] < 1000


def test_a_script_posts_with_the_token_and_reads_the_answer(page: Any, served: str) -> None:
    page.goto(f"{served}/formulario")
    address = page.evaluate("document.querySelector('script[type=module]').src")
    answer = page.evaluate(
        "async (address) => (await import(address)).post('/api/fechar', { edital: '001-2027' })", address
    )
    assert answer == {"codigo": "entre_primeiro", "motivo": "Entre na sua conta primeiro.", "status": 401}
