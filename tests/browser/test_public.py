"""The public's pages at browsers: no barrier, no script needed, first paint within two seconds on a poor line."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from werkzeug.serving import make_server

from tender.acts import Role
from tender.edital.model.changes import ExtendDates
from tests.browser.site import DESK, PHONE
from tests.edital.street import CLOSES, DAY, EDITAL, SESSION, open_street, terms_of
from tests.machine import free_port

pytestmark = [pytest.mark.browser, pytest.mark.slow]

AXE = Path(__file__).parents[1] / "vendor" / "axe.min.js"
NARROW = {"width": 320, "height": 640}
WHY = "A Secretaria pediu mais tempo para os interessados."
PAGES = (
    "/",
    "/licitacoes",
    "/licitacoes?situacao=inscricoes",
    f"/l/{EDITAL}",
    f"/l/{EDITAL}/pontos/1",
    f"/l/{EDITAL}/edital",
    f"/l/{EDITAL}/simples",
    f"/l/{EDITAL}/mudancas",
    f"/l/{EDITAL}/perguntas",
    f"/l/{EDITAL}/perguntas/1",
    "/avisos",
    "/v",
    "/v/2222-2222",
    "/dados",
    "/lei",
    "/lei/federal",
)
PAINT_MAX_MS = 2000
BYTES_A_SECOND, DELAY_MS = 400_000 // 8, 400
LIGHT = ("/", f"/l/{EDITAL}", f"/l/{EDITAL}/pontos/1", f"/l/{EDITAL}/perguntas", "/lei")
FIRST_VISIT_MAX = 25 * 1024


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A site with two tenders, a question and a change; its address."""
    with open_street(tmp_path_factory.mktemp("rua")) as street:
        street.publish(terms_of("002-2027", title="Outra licitação de pontos"))
        street.passer().send(f"/l/{EDITAL}/perguntas", texto="O ponto 1 tem cobertura?")
        street.ask(ExtendDates(EDITAL, CLOSES, SESSION + DAY, WHY), Role.PREGOEIRO)
        port = free_port()
        server = make_server("127.0.0.1", port, street.hall.app, threaded=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{port}"
        server.shutdown()
        thread.join()
        server.server_close()


def _window(browser: Any, base: str, size: dict[str, int], **options: Any) -> Any:
    return browser.new_context(locale="pt-BR", timezone_id="America/Sao_Paulo", viewport=size, base_url=base, **options)


@pytest.mark.parametrize("size", [PHONE, NARROW, DESK], ids=["360", "320", "1366"])
def test_no_public_page_has_a_barrier_or_scrolls_sideways(browser: Any, base: str, size: dict[str, int]) -> None:
    context = _window(browser, base, size, bypass_csp=True)
    page, faults = context.new_page(), []
    for path in PAGES:
        page.goto(path)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
        page.evaluate(AXE.read_text("utf-8"))
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        faults += [f"{path}: {one['id']} {one['nodes'][0]['html'][:120]}" for one in found["violations"]]
        if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth + 1"):
            faults.append(f"{path}: scrolls sideways")
    context.close()
    assert faults == []


def test_somebody_asks_and_looks_the_answer_up_without_scripts(browser: Any, base: str) -> None:
    context = _window(browser, base, PHONE, java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    page.get_by_role("link", name="Inscrições abertas").click()
    page.get_by_role("link", name="2 pontos de táxi").first.click()
    page.get_by_role("link", name="Fazer pergunta").click()
    page.get_by_label("Seu texto").fill("Posso pagar em quantas parcelas?")
    page.get_by_role("button", name="Enviar").click()
    code = page.locator("main code").inner_text()
    page.get_by_role("link", name="Ver todas as perguntas").click()
    page.get_by_label("Código do recibo").fill(code)
    page.get_by_role("button", name="Ver situação").click()
    assert "Posso pagar em quantas parcelas?" in page.locator("main").inner_text()
    context.close()


@pytest.mark.parametrize("path", LIGHT)
def test_a_first_visit_stays_within_25_kb_and_asks_nobody_else(browser: Any, base: str, path: str) -> None:
    context = _window(browser, base, PHONE)
    page = context.new_page()
    devtools = context.new_cdp_session(page)
    devtools.send("Network.enable")
    sizes: list[int] = []
    asked: list[str] = []
    devtools.on("Network.loadingFinished", lambda event: sizes.append(int(event["encodedDataLength"])))
    devtools.on("Network.requestWillBeSent", lambda event: asked.append(event["request"]["url"]))
    page.goto(path, wait_until="networkidle")
    context.close()
    assert 0 < sum(sizes) <= FIRST_VISIT_MAX
    assert all(address.startswith((base, "data:")) for address in asked)


@pytest.mark.parametrize("path", ["/", f"/l/{EDITAL}"])
def test_something_is_painted_within_two_seconds_on_a_poor_line(browser: Any, base: str, path: str) -> None:
    context = _window(browser, base, PHONE)
    page = context.new_page()
    page.goto(path)  # what the server makes once is made; the browser's own store is emptied below
    devtools = context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.send("Network.clearBrowserCache")
    devtools.send("Network.setCacheDisabled", {"cacheDisabled": True})
    line = {"downloadThroughput": BYTES_A_SECOND, "uploadThroughput": BYTES_A_SECOND, "latency": DELAY_MS}
    devtools.send("Network.emulateNetworkConditions", {"offline": False, **line})
    painted = min(_first_paint(page, path) for _ in range(3))
    context.close()
    assert DELAY_MS < painted <= PAINT_MAX_MS


def _first_paint(page: Any, path: str) -> float:
    page.goto(path, wait_until="load")
    page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length > 0")
    return float(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
