"""The main job, walked by people at browser windows, to the runner-up who is called and a book that is whole."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.site import DESK, EDITAL, PHONE, DemoSite, Visitor

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOM = f"/sala/{EDITAL}/1"


def test_two_windows_bid_live_and_the_runner_up_is_called_after_a_desistencia(
    browser: Any, quick_site: DemoSite, tmp_path: Path
) -> None:
    pregoeira = Visitor(browser, quick_site, DESK).sign_in("pregoeira")
    antonio = Visitor(browser, quick_site, PHONE).sign_in("antonio")
    luciana = Visitor(browser, quick_site, PHONE).sign_in("luciana")
    public = Visitor(browser, quick_site, DESK)
    public.page.goto(f"/l/{EDITAL}/pontos/1/vivo")
    for bidder in (antonio, luciana):
        bidder.page.goto(ROOM)

    pregoeira.page.goto(f"/c/l/{EDITAL}/conducao")
    pregoeira.page.get_by_role("button", name="Abrir agora").first.click()
    expect(pregoeira.page.get_by_role("button", name="Pausar").first).to_be_visible()

    _bid(antonio)
    expect(public.page.locator("[data-best]")).to_contain_text("15.000")
    _bid(luciana)
    expect(public.page.locator("[data-best]")).to_contain_text("15.100")
    expect(antonio.page.locator("[data-state]")).to_contain_text("não é seu")
    expect(luciana.page.locator("[data-state]")).to_contain_text("é seu")
    for window in (antonio, luciana, public):
        expect(window.page.locator("[data-log] li")).to_have_count(2)  # each bid once, and nothing beside
    expect(public.page.locator("[data-status]")).to_contain_text("Em lances")
    for window in (antonio, luciana, public, pregoeira):
        text = window.page.locator("main").inner_text()
        assert "Modelo Pereira" not in text
        assert "Exemplo da Silva" not in text

    # The clock runs out; nobody closes by hand.
    expect(public.page.get_by_role("link", name="Ver resultado")).to_be_visible(timeout=60_000)
    luciana.page.goto(f"/l/{EDITAL}/resultado/1")
    luciana.page.get_by_role("link", name="Desistir…").click()
    luciana.page.get_by_label("Li o que acontece").check()
    luciana.page.get_by_role("button", name="Assinar desistência").click()
    expect(luciana.page.locator("main")).to_contain_text("O próximo colocado foi chamado")
    luciana.page.goto(f"/minhas/{EDITAL}/desistir/1")
    expect(luciana.page.locator("main")).to_contain_text("já foi respondida")

    public.page.goto(f"/l/{EDITAL}/resultado/1")
    expect(public.page.locator("main")).to_contain_text("Chamado agora: 2º colocado")
    expect(public.page.locator("main")).to_contain_text("Antônio Marcos Exemplo da Silva")
    antonio.page.goto("/minhas/mensagens")
    expect(antonio.page.locator("main")).to_contain_text("Você foi chamado: Ponto 1")

    _papers_and_book(quick_site, public, tmp_path)
    for visitor in (pregoeira, antonio, luciana, public):
        visitor.close()


def _bid(visitor: Visitor) -> None:
    button = visitor.page.locator("[data-bid]")
    expect(button).not_to_have_attribute("aria-disabled", "true")
    button.click()
    expect(visitor.page.locator("[data-answer]")).to_contain_text("Registrado")


def _papers_and_book(site: DemoSite, public: Visitor, folder: Path) -> None:
    with site.get(f"/l/{EDITAL}/resultado/1/desistencia-1.pdf") as answer:
        assert answer.read(5) == b"%PDF-"
    book = folder / "livro.jsonl"
    with site.get(f"/l/{EDITAL}/livro.jsonl") as answer:
        book.write_bytes(answer.read())
    told = subprocess.run([sys.executable, "-m", "tender.cli", "verify", str(book)], capture_output=True, text=True)
    assert told.returncode == 0, told.stdout
    assert "LIVRO ÍNTEGRO" in told.stdout
    kinds = [line.split('"kind":"')[1].split('"')[0] for line in book.read_text("utf-8").splitlines()[:-1]]
    desisted = kinds.index("DesistenciaSigned")
    assert kinds[desisted + 1] == "BidderCalled"


def test_bidding_works_without_scripts(browser: Any, quick_site: DemoSite) -> None:
    pregoeira = Visitor(browser, quick_site, DESK).sign_in("pregoeira")
    pregoeira.page.goto(f"/c/l/{EDITAL}/conducao")
    pregoeira.page.get_by_role("button", name="Abrir agora").first.click()
    joao = Visitor(browser, quick_site, PHONE, java_script_enabled=False).sign_in("joao")
    joao.page.goto(ROOM)
    joao.page.get_by_label("Outro valor").fill("15000")
    joao.page.locator("[data-bid]").click()
    expect(joao.page.locator("main")).to_contain_text("Lance de R$ 15.000 registrado")
    joao.page.get_by_label("Outro valor").fill("15.00")
    joao.page.locator("[data-bid]").click()
    expect(joao.page.locator("main")).to_contain_text("Não registrado")
    expect(joao.page.get_by_label("Outro valor")).to_have_value("15.00")
    for visitor in (pregoeira, joao):
        visitor.close()
