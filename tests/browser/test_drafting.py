"""Officers at browsers: an edital drafted, its dates counted by hand, and published; no barrier on the way."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from werkzeug.serving import make_server

from tender.acts import Role
from tender.edital.model import Status
from tender.edital.model.dossier import Channel, Paper
from tender.edital.model.fields import Step
from tender.edital.model.gates import floor_mismatches
from tender.money import Money
from tender.web import session_cookie
from tests.browser.site import DESK, PHONE
from tests.browser.test_access import AXE, _faults
from tests.edital.office import Hall, open_hall, pdf_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]

EDITAL = "001-2027"
BASE = f"/c/l/{EDITAL}"
NOW = datetime(2027, 6, 7, 15, 0, tzinfo=UTC)
REGISTER = ("/s", "/s/pontos", "/s/pontos/novo", "/s/pontos/T1", "/s/decretos", "/s/calendario")

# Laguna-SC, Mercado Público: box, area in m², floor as published. Box 09 does not match its area × R$ 850.
BOXES = (
    ("01", "22,32", "18.972"), ("03", "94,38", "80.223"), ("04", "33,18", "28.203"), ("05", "42,41", "36.048,50"),
    ("06", "17,63", "14.985,50"), ("07", "128,53", "109.250,50"), ("08", "13,21", "11.228,50"),
    ("09", "38,48", "38.292,50"), ("10", "12,87", "10.939,50"),
)  # fmt: skip
# Marau-RS and a town that published only its headings: real places, with floors from Cataguases-MG.
PONTOS = (
    ("T1", "Terminal Rodoviário", "Av. Central, s/n", 4, "60.000"),
    ("T2", "Praça da Vitória", "Praça da Vitória, s/n", 2, "15.000"),
    ("T3", "Ponto 1", "ERS-324, km 91 (Hotel Bell Star)", 1, "60.000"),
    ("T4", "Ponto 2", "Rua Ernesto Dornelles, próx. 595 (Centro Social Urbano)", 1, "15.000"),
)


@dataclass
class Served:
    """The program behind a real server."""

    hall: Hall
    base: str

    def officer(self, browser: Any, role: Role, size: dict[str, int] = DESK, **options: Any) -> Any:
        """A page in which the holder of this office has signed in."""
        context = browser.new_context(
            locale="pt-BR", timezone_id="America/Sao_Paulo", viewport=size, base_url=self.base, **options
        )
        person = self.hall.actors[role].person
        token = self.hall.house.people.open_session(person, "teste", "127.0.0.1", second_factor=True)
        with self.hall.app.test_request_context():
            context.add_cookies([{"name": session_cookie(), "value": token, "url": self.base}])
        return context.new_page()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with open_hall(tmp_path, population=100_000) as hall:
        hall.clock.set(NOW)
        server = make_server("127.0.0.1", 0, hall.app, threaded=True)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield Served(hall, f"http://127.0.0.1:{server.server_port}")
        server.shutdown()
        thread.join()
        server.server_close()


def press(page: Any, name: str) -> None:
    """Press a button and be where it leads."""
    with page.expect_navigation():
        page.locator("main").get_by_role("button", name=name, exact=True).click()


def attach(page: Any, label: str, text: str) -> None:
    page.get_by_label(label, exact=False).set_input_files(
        {"name": f"{text}.pdf", "mimeType": "application/pdf", "buffer": pdf_of(text)}
    )


def enter_register(page: Any) -> None:
    """A decree with its file, the pontos that it creates, and days without expediente confirmed."""
    page.goto("/s/decretos")
    page.get_by_label("Número do decreto").fill("1/2027")
    page.get_by_label("Data do decreto").fill("2027-01-10")
    page.get_by_label("Assunto").fill("cria pontos de táxi e diz em que dias não há expediente")
    attach(page, "Arquivo do decreto", "Decreto")
    press(page, "Registrar decreto")
    rows = [(f"B{box}", f"Box {box}", "Av. Colombo Machado Sales", 1) for box, _, _ in BOXES]
    rows += [(code, name, address, places) for code, name, address, places, _ in PONTOS]
    for n, (code, name, address, places) in enumerate(rows):
        page.goto("/s/pontos/novo")
        page.get_by_label("Código do ponto").fill(code)
        page.get_by_label("Nome", exact=True).fill(name)
        page.get_by_label("Endereço").fill(address)
        page.get_by_label("Número de veículos").fill(str(places))
        page.get_by_label("da esquerda para a direita").fill(str(60 * n))
        page.get_by_label("de cima para baixo").fill(str(70 * n))
        press(page, "Criar ponto")


def draft(page: Any) -> None:
    page.goto("/c/l/nova")
    page.get_by_label("Número do edital").fill(EDITAL)
    page.get_by_label("Número do processo").fill("12/2027")
    page.get_by_label("Título do edital").fill("Pontos de táxi e boxes")
    press(page, "Criar rascunho")


def offer(page: Any, ponto: str, places: int, floor: str, area: str = "", first: bool = False) -> None:
    page.locator("#ponto").select_option(ponto)
    page.get_by_label("Quantas vagas").fill(str(places))
    if area:
        page.get_by_label("Quantidade").fill(area)
        page.locator("#unidade").fill("m²")
        page.get_by_label("Preço da unidade").fill("850")
    page.get_by_label("Lance mínimo").fill(floor)
    if first:
        attach(page, "Estudo do valor", "Estudo")
    else:
        page.locator("#estudo_juntado").select_option(index=1)
    press(page, "Acrescentar")


def test_the_boxes_of_laguna_are_offered_and_box_09_is_flagged(browser: Any, served: Served) -> None:
    enter_register(served.officer(browser, Role.SECRETARIAT))
    page = served.officer(browser, Role.PREGOEIRO)
    draft(page)
    page.goto(f"{BASE}/editar/disputa")
    page.get_by_label("Lances em reais inteiros").uncheck()
    press(page, "Salvar e avançar")
    page.goto(f"{BASE}/editar/pontos")
    for n, (box, area, floor) in enumerate(BOXES):
        offer(page, f"B{box}", 1, floor, area, first=n == 0)
    for code, _, _, places, floor in PONTOS:
        offer(page, code, places, floor)
    flagged = page.locator("li.item", has_text="Não confere com a fórmula")
    assert flagged.count() == 1
    assert "Box 09" in flagged.inner_text()
    assert "Passaria: R$\N{NO-BREAK SPACE}32.708" in flagged.inner_text()
    terms = served.hall.terms(EDITAL)
    assert len(terms.stands) == len(BOXES) + 8
    (flag,) = floor_mismatches(terms)
    assert flag.passes == str(Money.reais(32_708))
    assert [one.place for one in terms.stands if one.ponto == "T1"] == [1, 2, 3, 4]
    assert {one.decree for one in terms.stands} == {"Decreto 1/2027"}


PUBLISHED = (
    ("2027-02-01", "quinta, 25 de fevereiro", "sexta, 26 de fevereiro", "segunda, 1º de março"),
    ("2027-02-05", "quarta, 3 de março", "quinta, 4 de março", "sexta, 5 de março"),
    ("2027-04-16", "segunda, 10 de maio", "terça, 11 de maio", "quarta, 12 de maio"),
    ("2027-04-20", "quarta, 12 de maio", "quinta, 13 de maio", "sexta, 14 de maio"),
)
SESSIONS = (
    ("2027-03-01T09:00", "quarta, 24 de fevereiro", "terça, 23 de fevereiro"),
    ("2027-04-22T09:00", "sexta, 16 de abril", "quinta, 15 de abril"),
    ("2027-02-12T09:00", "quinta, 4 de fevereiro", "quarta, 3 de fevereiro"),
)
ATAS = (
    ("2027-02-04T09:00", "Razões", "segunda, 15 de fevereiro", "sexta, 12 de fevereiro"),
    ("2027-03-24T09:00", "Razões", "quarta, 31 de março", "terça, 30 de março"),
    ("2027-04-19T09:00", "Razões", "segunda, 26 de abril", "sexta, 23 de abril"),
    ("2027-05-20T09:00", "PNCP", "segunda, 21 de junho", "sexta, 18 de junho"),
)


def dated(page: Any, session: str) -> None:
    """Set the dates of the draft so that the session is then."""
    page.goto(f"{BASE}/editar/datas")
    page.get_by_label("Inscrições a partir de").fill("2027-01-18T08:00")
    page.get_by_label("Inscrições até").fill("2027-01-29T17:00")
    page.get_by_label("Sessão pública").fill(session)
    press(page, "Salvar e ficar aqui")


def test_an_edital_drafted_in_the_browser_prints_the_dates_that_were_counted_by_hand(
    browser: Any, served: Served
) -> None:
    enter = served.officer(browser, Role.PREGOEIRO)
    draft(enter)
    for session, b1, b2 in SESSIONS:
        dated(enter, session)
        cells = enter.locator("table.dates tr", has_text="impugnar até").locator("td").all_inner_texts()
        assert b1 in cells[0]
        assert "às 23h59" in cells[0]
        assert b2 in cells[1]
    for ata, row, chosen, other in ATAS:
        dated(enter, ata)
        cells = enter.locator("table.dates tr", has_text=row).locator("td").all_inner_texts()
        assert chosen in cells[0]
        assert other in cells[1]
    for day, r1_last, both, r2_open in PUBLISHED:
        for channel in Channel:
            enter.goto(f"{BASE}/publicar")
            enter.locator("#canal").select_option(channel.value)
            enter.get_by_label("Número ou edição").fill("1/2027")
            enter.get_by_label("Dia da publicação").fill(day)
            press(enter, "Registrar publicação")
        last = enter.locator("table.dates tr", has_text="15º dia útil").locator("td").all_inner_texts()
        opens = enter.locator("table.dates tr", has_text="Sessão a partir de").locator("td").all_inner_texts()
        assert both in last[0]
        assert r1_last in last[1]
        assert r2_open in opens[0]
        assert both in opens[1]


def confirm_days(page: Any) -> None:
    page.goto("/s/calendario")
    while page.get_by_role("link", name="Confirmar").count():
        with page.expect_navigation():
            page.get_by_role("link", name="Confirmar").first.click()
        press(page, "Registrar dia sem expediente")
        if "2028" in page.locator("tr", has_text="A confirmar").first.inner_text():
            break


def decide_all(page: Any) -> None:
    """Decide every warning, step by step, and confirm the item that cannot be read."""
    page.goto(f"{BASE}/editar/documentos")
    page.get_by_label("Onde você leu").fill("exemplar oficial")
    page.get_by_label("Li o exemplar oficial").check()
    press(page, "Confirmar a leitura")
    for step in Step:
        page.goto(f"{BASE}/editar/{step.value}")
        while step is not Step.FILE and page.locator("section.item.warn[id^=W-]").count():
            warning = page.locator("section.item.warn[id^=W-]").first
            warning.get_by_label("Mantém como está").check()
            with page.expect_navigation():
                warning.get_by_role("button").click()


def test_two_people_draft_and_publish_an_edital_and_nothing_on_the_way_is_a_barrier(
    browser: Any, served: Served
) -> None:
    hall = served.hall
    secretariat = served.officer(browser, Role.SECRETARIAT, bypass_csp=True)
    enter_register(secretariat)
    confirm_days(secretariat)
    marta = served.officer(browser, Role.PREGOEIRO, bypass_csp=True)
    draft(marta)
    marta.goto(f"{BASE}/editar/pontos")
    offer(marta, "T1", 2, "60.000", first=True)
    decide_all(marta)
    for paper in Paper:
        marta.goto(f"{BASE}/editar/pecas")
        marta.locator("#peca").select_option(paper.value)
        marta.get_by_label("Número", exact=True).fill("12/2027")
        marta.get_by_label("Data").fill("2027-06-04")
        press(marta, "Juntar peça")
    for channel in Channel:
        marta.goto(f"{BASE}/publicar")
        marta.locator("#canal").select_option(channel.value)
        marta.get_by_label("Número ou edição").fill("1/2027")
        marta.get_by_label("Dia da publicação").fill("2027-06-07")
        press(marta, "Registrar publicação")
    assert marta.get_by_role("button", name="Publicar o edital").count() == 0
    dirce = served.officer(browser, Role.MAYOR, bypass_csp=True)
    dirce.goto(f"{BASE}/publicar")
    assert dirce.get_by_text("Tudo pronto").count() == 1
    faults = barriers(dirce, (f"{BASE}/publicar", "/a")) + barriers(marta, drafting_pages())
    faults += barriers(
        secretariat, ("/s", "/s/pontos", "/s/pontos/novo", "/s/pontos/T1", "/s/decretos", "/s/calendario")
    )
    assert faults == []
    dirce.goto(f"{BASE}/publicar")
    press(dirce, f"Publicar o edital {EDITAL}")
    assert hall.state(EDITAL).status is Status.PUBLISHED


def drafting_pages() -> tuple[str, ...]:
    steps = tuple(f"{BASE}/editar/{one.value}" for one in Step)
    return ("/c", "/c/l/nova", *steps, f"{BASE}/editar/pontos/1", f"{BASE}/publicar")


def barriers(page: Any, paths: tuple[str, ...]) -> list[str]:
    """What axe finds on these pages on a phone and on a desk."""
    assert AXE.exists()
    found = []
    for size in (PHONE, DESK):
        page.set_viewport_size(size)
        found += [fault for path in paths for fault in _faults(page, path)]
    return found


def test_a_step_is_filled_in_with_the_keyboard_alone(browser: Any, served: Served) -> None:
    page = served.officer(browser, Role.PREGOEIRO)
    draft(page)
    page.goto(f"{BASE}/editar/regime")
    keys = page.keyboard

    def reach(what: str) -> None:
        for _ in range(80):
            keys.press("Tab")
            if page.evaluate("document.activeElement.name || document.activeElement.textContent.trim()") == what:
                return
        raise AssertionError(f"the keyboard does not reach {what}")

    reach("title")
    keys.press("Control+A")
    keys.type("Pontos do Centro")
    reach("switches-phase_order")
    keys.press("ArrowDown")
    reach("Salvar e avançar")
    with page.expect_navigation():
        keys.press("Enter")
    terms = served.hall.terms(EDITAL)
    assert (terms.title, terms.switches.phase_order.value) == ("Pontos do Centro", "lances_antes")
    assert page.url.endswith("/editar/pontos")
