"""Every page is looked at by axe, on a phone, a narrow phone and a desk; nothing scrolls sideways."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.site import DESK, EDITAL, PHONE, DemoSite, Visitor

pytestmark = [pytest.mark.browser, pytest.mark.slow]

AXE = Path(__file__).parents[1] / "vendor" / "axe.min.js"
PUBLIC = (
    "/",
    f"/l/{EDITAL}",
    f"/l/{EDITAL}/livro",
    f"/l/{EDITAL}/vivo",
    f"/l/{EDITAL}/pontos/1/vivo",
    "/lei",
    "/transparencia/competencias",
    "/como-participar",
    "/acessibilidade",
    "/privacidade",
    "/sobre",
    "/dados",
    "/v",
    "/saude",
    "/demo",
    "/demo/componentes",
    "/demo/saida",
    "/nada-aqui",
    "/entrar",
    "/cadastro",
)
SIGNED_IN = {
    "antonio": ("/minhas", f"/minhas/{EDITAL}/documentos", f"/sala/{EDITAL}/1", "/minhas/mensagens", "/conta"),
    "pregoeira": (
        "/c",
        f"/c/l/{EDITAL}/conducao",
        f"/c/l/{EDITAL}/analise/1",
        f"/c/l/{EDITAL}/perguntas",
        f"/c/l/{EDITAL}/mudancas",
        "/conta",
    ),
    "autoridade": ("/a",),
    "secretaria": ("/s",),
    "controle": ("/auditoria",),
    "tecnico": ("/t",),
}
NARROW = {"width": 320, "height": 640}


def _faults(page: Any, path: str) -> list[str]:
    page.goto(path)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    told = [f"{path}: {one['id']} {one['nodes'][0]['html'][:120]}" for one in found["violations"]]
    if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth + 1"):
        told.append(f"{path}: scrolls sideways")
    return told


@pytest.mark.parametrize("size", [PHONE, NARROW, DESK], ids=["360", "320", "1366"])
def test_public_pages_have_no_barrier(browser: Any, site: DemoSite, size: dict[str, int]) -> None:
    visitor = Visitor(browser, site, size, bypass_csp=True)
    faults = [fault for path in PUBLIC for fault in _faults(visitor.page, path)]
    visitor.close()
    assert faults == []


@pytest.mark.parametrize("key", SIGNED_IN)
def test_pages_behind_the_sign_in_have_no_barrier(browser: Any, site: DemoSite, key: str) -> None:
    visitor = Visitor(browser, site, PHONE, bypass_csp=True).sign_in(key)
    faults = [fault for path in SIGNED_IN[key] for fault in _faults(visitor.page, path)]
    visitor.page.set_viewport_size(DESK)
    faults += [fault for path in SIGNED_IN[key] for fault in _faults(visitor.page, path)]
    visitor.close()
    assert faults == []
