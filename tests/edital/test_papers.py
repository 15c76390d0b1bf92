"""Page and paper say the same: every amount, date and article of the page stands in the PDF, which is PDF/A-2b."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from tender.acts import Role
from tender.edital.model.changes import ExtendDates
from tests.edital.street import CLOSES, DAY, EDITAL, SESSION, Street, open_street
from tests.paper_reader import structure

AMOUNT = re.compile(r"R\$ [\d.]+,\d\d")
DATE = re.compile(r"(?:segunda|terça|quarta|quinta|sexta)(?:-feira)?, \d+º? de \w+ de \d{4}|(?:sábado|domingo), \d+")
HOUR = re.compile(r"às \d+h(?:\d\d)? \(horário de Brasília\)")
PAPERS = ("edital", "aviso", "ato-justificativo")


@pytest.fixture
def street(tmp_path: Path) -> Iterator[Street]:
    with open_street(tmp_path) as found:
        yield found


def plain(text: str) -> str:
    return " ".join(text.replace("\N{NO-BREAK SPACE}", " ").split())


def page_of(street: Street) -> str:
    """The words of the full page's sections, tags taken out."""
    html = street.passer().get(f"/l/{EDITAL}/edital").text
    body = html[html.index("data-edital") : html.index("</main>")]
    return plain(unescape(re.sub(r"<[^>]+>", " ", body)))


def paper_of(street: Street, name: str = "edital") -> str:
    return plain(structure(street.passer().get(f"/l/{EDITAL}/{name}.pdf").data).spoken)


def squeezed(text: str) -> str:
    return re.sub(r"\s", "", text)


def test_every_amount_date_and_hour_of_the_page_stands_in_the_pdf(street: Street) -> None:
    page, paper = page_of(street), squeezed(paper_of(street))
    for pattern, least in ((AMOUNT, 4), (DATE, 6), (HOUR, 3)):
        found = set(pattern.findall(page))
        assert len(found) >= least, (pattern.pattern, found)
        assert [one for one in found if squeezed(one) not in paper] == []


def test_every_sentence_and_every_article_of_the_page_stands_in_the_pdf(street: Street) -> None:
    from tender.edital.model.statement import statement
    from tender.edital.pages.tender import dated

    view = street.view()
    with street.hall.app.test_request_context(), street.hall.house.engine.connect() as tx:
        parts = statement(view.terms, view.published_at, dated(tx, view))
    page, paper = squeezed(page_of(street)), squeezed(paper_of(street))
    assert sum(len(part.clauses) for part in parts) > 25
    for part in parts:
        for clause in part.clauses:
            assert squeezed(clause.text) in page
            assert squeezed(clause.text) in paper
            assert [str(one) for one in clause.law if squeezed(str(one)) not in paper] == []
        for row in (*part.rows, *part.facts):
            assert [cell for cell in row if squeezed(plain(cell)) not in paper] == []


def test_every_term_is_said_with_weekday_day_and_hour_of_brasilia(street: Street) -> None:
    paper = paper_of(street)
    assert "quinta-feira, 20 de maio de 2027, às 14h (horário de Brasília)" in paper
    assert "terça-feira, 11 de maio de 2027, às 23h59 (horário de Brasília)" in paper


def test_both_say_the_new_dates_after_an_extension(street: Street) -> None:
    before = street.passer().get(f"/l/{EDITAL}/edital.pdf").data
    street.ask(
        ExtendDates(EDITAL, CLOSES + DAY, SESSION + DAY, "A Secretaria pediu mais tempo para todos."), Role.MAYOR
    )
    later = "sexta-feira, 21 de maio de 2027, às 14h (horário de Brasília)"
    assert later in paper_of(street)
    assert later in page_of(street)
    assert street.passer().get(f"/l/{EDITAL}/edital.pdf").data != before


@pytest.mark.parametrize("name", PAPERS)
def test_a_paper_is_the_same_bytes_each_time_and_an_archive_takes_it(street: Street, name: str) -> None:
    from tender.edital.pages import tender as pages

    first = street.passer().get(f"/l/{EDITAL}/{name}.pdf")
    assert first.mimetype == "application/pdf"
    pages._shelf.clear()
    assert street.passer().get(f"/l/{EDITAL}/{name}.pdf").data == first.data
    assert b"<pdfaid:part>2</pdfaid:part>" in first.data
    tags = structure(first.data)
    assert tags.all("H1")
    assert tags.all("P", "LI")


def test_the_extract_says_what_when_and_where_to_read_the_rest(street: Street) -> None:
    said = paper_of(street, "aviso")
    for words in ("R$ 4.500,00", "quinta-feira, 20 de maio de 2027", f"/l/{EDITAL}", "Pedir esclarecimento"):
        assert squeezed(words) in squeezed(said)


def test_the_act_says_why_for_what_and_how_long(street: Street) -> None:
    said = paper_of(street, "ato-justificativo")
    for words in ("faltam táxis perto do terminal", "Prazo: 4 anos", "Ponto 2, Praça da Vitória", "art. 5º"):
        assert squeezed(words) in squeezed(said)


def test_the_plain_page_states_the_same_terms(street: Street) -> None:
    said = plain(unescape(re.sub(r"<[^>]+>", " ", street.passer().get(f"/l/{EDITAL}/simples").text)))
    for words in ("R$ 4.500", "R$ 5.000", "quinta, 20 de maio, às 14h", "48 horas", "até 3 parcelas", "por 4 anos"):
        assert words in said
