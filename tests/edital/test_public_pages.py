"""The public's pages over the whole program: what each says, for whom, and that none of it needs a script."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tender.acts import Role
from tender.edital.model.changes import ExtendDates, SuspendEdital
from tender.edital.pages.data import harmless, table_of
from tender.ledger import reading
from tender.letterhead import verification_code
from tender.money import Money
from tests.edital.street import CLOSES, DAY, EDITAL, SESSION, Street, open_street, terms_of

WHY = "A Secretaria pediu mais tempo para os interessados."
LIGHT = 25 * 1024 - 9 * 1024  # a first visit, less style sheet, script and sign


@pytest.fixture
def street(tmp_path: Path) -> Iterator[Street]:
    with open_street(tmp_path) as found:
        yield found


def words(page: str) -> str:
    """The text of a page as read aloud, blanks made one."""
    said = " ".join(re.sub(r"<[^>]+>", " ", page.replace("&amp;", "&")).split()).replace("\N{NO-BREAK SPACE}", " ")
    return re.sub(r" ([.,;])", r"\1", said)


# --- home and archive ------------------------------------------------------------------------------------------------


def test_home_says_what_is_open_until_when_and_from_how_much(street: Street) -> None:
    page = street.passer().get("/").text
    said = words(page)
    assert "Edital 001/2027" in said
    assert "Inscreva-se até terça, 11 de maio, às 23h59 — faltam 22 dias" in said
    assert "Lance mínimo R$ 4.500" in said
    assert "Todas · 1" in said
    assert "<script" not in re.sub(r'<script type="module" src=[^>]*>', "", page)
    assert len(gzip.compress(page.encode(), 6)) < LIGHT


def test_the_archive_is_filtered_by_situation_and_year_in_the_address(street: Street) -> None:
    someone = street.passer()
    assert "Edital 001/2027" in words(someone.get("/licitacoes?situacao=inscricoes&ano=2027").text)
    assert "Nenhuma licitação nesta situação" in words(someone.get("/licitacoes?situacao=resultado").text)
    assert "Edital 001/2027" not in words(someone.get("/licitacoes?ano=2026").text)
    assert someone.get("/licitacoes?situacao=tudo").status_code == 404
    street.ask(SuspendEdital(EDITAL, WHY), Role.MAYOR)
    assert "Suspensas · 1" in words(someone.get("/").text)
    assert "Edital 001/2027" in words(someone.get("/licitacoes?situacao=suspensas").text)


# --- the tender ------------------------------------------------------------------------------------------------------


def test_the_tender_page_shows_stands_map_phases_documents_and_both_readings(street: Street) -> None:
    page = street.passer().get(f"/l/{EDITAL}").text
    said = words(page)
    assert "Mapa esquemático, norte para cima: Ponto 1 em Terminal Rodoviário" in said
    assert 'href="/l/001-2027/pontos/2"' in page
    assert "Disputa de lances ao vivo quinta, 20 de maio, às 14h" in said
    assert "leitura B1" in said
    assert "leitura B2" in said
    assert page.count('class="hash"') == 4
    assert "style=" not in page
    (printed,) = set(re.findall(r'href="(/l/001-2027/edital\.pdf)"', page))
    body = street.passer().get(printed).data
    assert hashlib.sha256(body).hexdigest() in page
    assert f"{len(body)} bytes" in said


def test_a_tender_that_is_still_a_draft_is_nobodys_to_see(street: Street) -> None:
    someone = street.passer()
    for path in ("", "/edital", "/perguntas", "/dados.json", "/agenda.ics", "/edital.pdf", "/pontos/1", "/mudancas"):
        assert someone.get(f"/l/009-2027{path}").status_code == 404


def test_a_stand_says_how_its_floor_was_reached_and_what_became_of_it_before(street: Street) -> None:
    again = replace(terms_of().stands[0], floor=Money.reais(4000), formula=None)
    street.publish(terms_of("002-2027", title="De novo", stands=(again,)))
    said = words(street.passer().get(f"/l/{EDITAL}/pontos/1").text)
    assert "12,50 m² × R$ 360,00 = R$ 4.500,00" in said
    assert "pergunte à comissão" not in said
    assert "Criado segunda, 19 de abril" in said
    assert "002/2027 R$ 4.000 nenhum lance" in said
    assert street.passer().get(f"/l/{EDITAL}/pontos/3").status_code == 404


def test_a_change_stands_on_top_of_the_page_with_its_reason(street: Street) -> None:
    street.ask(ExtendDates(EDITAL, CLOSES + DAY, SESSION + DAY, WHY), Role.PREGOEIRO)
    someone = street.passer()
    said = words(someone.get(f"/l/{EDITAL}").text)
    assert f"As datas mudaram segunda, 19 de abril, às 12h. {WHY}" in said
    assert "Disputa de lances ao vivo sexta, 21 de maio, às 14h" in said
    assert "Prorrogação" in words(someone.get(f"/l/{EDITAL}/mudancas").text)


# --- open data -------------------------------------------------------------------------------------------------------


def test_the_data_say_what_the_page_says(street: Street) -> None:
    someone = street.passer()
    found = json.loads(someone.get(f"/l/{EDITAL}/dados.json").data)
    assert found["situacao"] == "Inscrições abertas"
    assert [one["minimo_centavos"] for one in found["disputas"]] == [450_000, 500_000]
    assert found["termos_sha256"] == street.view().terms_sha256
    raw = someone.get(f"/l/{EDITAL}/dados.csv").data
    assert raw.startswith(b"\xef\xbb\xbf")
    rows = dict(csv.reader(io.StringIO(raw.decode("utf-8-sig")), delimiter=";"))
    assert rows["disputas.1.minimo_centavos"] == "450000"
    assert rows["termos.title"] == street.view().terms.title


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "\r"])
def test_no_cell_is_a_formula(sign: str) -> None:
    assert harmless(f"{sign}1") == f"'{sign}1"
    assert harmless(f"1{sign}") == f"1{sign}"
    (_, row) = csv.reader(io.StringIO(table_of([("nome", f'{sign}HYPERLINK("x";"y")')])), delimiter=";")
    assert row[1].startswith("'")


def test_the_calendar_has_every_date_on_its_own_day(street: Street) -> None:
    text = street.passer().get(f"/l/{EDITAL}/agenda.ics").data.decode()
    assert text.startswith("BEGIN:VCALENDAR\r\n")
    assert text.endswith("END:VCALENDAR\r\n")
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))
    assert "DTSTART:20270520T170000Z" in text
    assert text.count("BEGIN:VEVENT") == text.count("END:VEVENT") == 8


def test_the_feed_tells_publications_and_changes_newest_first(street: Street) -> None:
    street.hall.clock.advance(DAY)
    street.ask(ExtendDates(EDITAL, CLOSES + DAY, SESSION + DAY, f"<b>{WHY}</b>"), Role.PREGOEIRO)
    answer = street.passer().get("/avisos.atom")
    assert answer.mimetype == "application/atom+xml"
    atom = "{http://www.w3.org/2005/Atom}"
    feed = ET.fromstring(answer.data)  # noqa: S314 - our own
    titles = [entry.findtext(f"{atom}title") for entry in feed.iter(f"{atom}entry")]
    assert titles == ["Prorrogação do edital 001/2027", "Edital 001/2027 publicado"]
    ids = [entry.findtext(f"{atom}id") for entry in feed.iter(f"{atom}entry")]
    assert len(set(ids)) == 2


# --- verification ----------------------------------------------------------------------------------------------------


def test_the_code_of_a_paper_leads_to_its_entry_of_the_book(street: Street) -> None:
    with reading(street.hall.house.engine) as tx:
        head = street.hall.house.book.head(tx, f"edital/{EDITAL}")
    code, someone = verification_code(head.hash), street.passer()
    for path in (f"/v?codigo={code.lower()}", f"/v/{code}"):
        answer = someone.get(path)
        assert answer.status_code == 200
        assert head.hash in answer.text
    other = ("3" if code[-1] == "2" else "2").join((code[:-1], ""))
    assert someone.get(f"/v/{other}").status_code == 404
    assert someone.get("/v/0000-0000").status_code == 404
    assert someone.get("/v").status_code == 200
