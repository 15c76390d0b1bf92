"""Papers are archivable, readable by ear, the same bytes for the same facts, and deaf to whatever a person typed."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pdfua
import pikepdf
import pikepdf.pdfa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tender.law import MUN
from tender.letterhead import Clause, Paper, Signature, Strong
from tender.settings import Municipality
from tests.paper_reader import pages_text, structure, told, unmarked_ink
from tests.paper_samples import ADDRESS, CODE, HEAD, OPENED, ata, bid_rows, blank

ROOT = Path(__file__).parent.parent
GOLDEN = Path(__file__).parent / "golden" / "papers"
HEADER = ["Nº", "Hora", "Licitante", "Valor", "Situação"]


@pytest.fixture(scope="module")
def printed() -> bytes:
    """The sample ata, built once."""
    return ata().build()


# --- the story -------------------------------------------------------------------------------------------------------


def test_the_story_of_the_ata_is_told_in_reading_order(printed: bytes) -> None:
    assert told(printed) == (GOLDEN / "ata.txt").read_text(encoding="utf-8")


def test_the_eye_reads_what_the_screen_reader_hears(printed: bytes) -> None:
    page = " ".join(" ".join(pages_text(printed)).split())
    spoken = [element.text for element in structure(printed).all("P", "H1", "H2", "TD", "Lbl") if element.text]
    assert [text for text in spoken if text not in page] == []


def test_the_same_citation_is_one_note_and_the_notes_come_before_the_stamp(printed: bytes) -> None:
    document = structure(printed)
    assert [note.spoken for note in document.all("Note")] == [
        "1. art. 4º, § 1º, da Lei nº 724/2008",
        "2. art. 165, § 1º, I, da Lei nº 14.133/2021",
        "3. art. 4º, § 3º, da Lei nº 724/2008",
        "4. art. 9º da Lei nº 724/2008",
    ]
    assert [reference.text for reference in document.all("Reference")] == ["1, 2", "3", "3", "4"]
    assert told(printed).index("Note") < told(printed).index("Como verificar")


def test_bold_pieces_and_clauses_are_numbered_and_nested(printed: bytes) -> None:
    labels = [label.text for label in structure(printed).all("Lbl")]
    assert labels[3:] == ["1.", "1.1.", "1.2.", "2.", "•", "•", "1.", "2.", "3.", "4."]
    built = blank().paragraph(["Valor: ", Strong("R$ 5"), "."]).numbered_clauses(["Fica."], start=7).build()
    assert [element.spoken for element in structure(built).all("P", "LI")][-3:] == ["Valor: R$ 5.", "7. Fica.", "Fica."]


def test_the_number_of_a_note_does_not_stick_to_an_amount() -> None:
    paper = blank().paragraph("O lance é de R$ 50", citations=(MUN(4, 3),)).build()
    assert "R$ 50 1" in pages_text(paper)[0]


def test_notes_may_have_a_place_of_their_own() -> None:
    paper = blank().paragraph("Texto.", citations=("nota",)).notes_here().paragraph("Depois.").build()
    assert told(paper).index("nota") < told(paper).index("Depois.")


def test_every_page_has_code_hash_and_number_outside_the_story(printed: bytes) -> None:
    pages = pages_text(printed)
    for number, page in enumerate(pages, 1):
        assert f"Página {number} de {len(pages)}" in page
        assert "Ata 001/2027" in page
        assert CODE in page
        assert HEAD[:8] in page
    assert "Página 1 de" not in told(printed)


def test_a_table_repeats_its_header_on_every_page_but_tells_it_once(printed: bytes) -> None:
    lances = structure(printed).all("Table")[1]
    assert len(pages_text(printed)) > 2
    assert [cell.text for cell in lances.all("TH")] == HEADER
    assert {cell.attributes["/Scope"] for cell in lances.all("TH")} == {"/Column"}
    for page in pages_text(printed):
        if "Licitante 3\n" in page or "Licitante 3 R$" in page:
            assert "Situação" in page


def test_a_table_without_rows_says_so_and_one_row_stands() -> None:
    paper = blank().table(["Hora", "Fato"], []).table(["Hora", "Fato"], [["14:00", "Abertura"]]).build()
    empty, single = structure(paper).all("Table")
    assert [cell.text for cell in empty.all("TD")] == ["Nenhum registro."]
    assert empty.all("TD")[0].attributes["/ColSpan"] == 2
    assert [cell.text for cell in single.all("TD")] == ["14:00", "Abertura"]


def test_two_thousand_bids_are_all_there() -> None:
    paper = blank().table(HEADER, bid_rows(2000)).build()
    rows = structure(paper).all("TR")[1:]
    assert [row.kids[0].text for row in rows] == [str(number) for number in range(1, 2001)]
    assert rows[-1].kids[-1].text == "Maior lance"


def test_the_qr_code_opens_the_address_of_the_stamp(printed: bytes) -> None:
    import pypdfium2
    import zxingcpp

    with pypdfium2.PdfDocument(printed) as document:
        picture = document[len(document) - 1].render(scale=2).to_pil()
    assert [code.text for code in zxingcpp.read_barcodes(picture)] == [ADDRESS]


def test_the_link_of_the_stamp_is_told_and_printed(printed: bytes) -> None:
    (link,) = structure(printed).all("Link")
    assert (link.links, link.text) == ((ADDRESS,), ADDRESS.removeprefix("https://"))
    with pikepdf.open(BytesIO(printed)) as pdf:
        (annotation,) = pdf.pages[-1].obj.Annots
        assert (int(annotation.F), str(annotation.Contents)) == (4, f"Abrir {ADDRESS}")


def test_headings_are_bookmarks(printed: bytes) -> None:
    with pikepdf.open(BytesIO(printed)) as pdf, pdf.open_outline() as outline:
        titles = [(item.title, [child.title for child in item.children]) for item in outline.root]
    assert titles[2:] == [("3. Ponto 1 — Rodoviária", ["Ocorrências"]), ("4. Encerramento", [])]


# --- archive and screen reader ---------------------------------------------------------------------------------------


def faults(paper: bytes) -> list[str]:
    """What PDF/A-2b, the ink and the fonts have against a paper."""
    found = [str(finding) for finding in pikepdf.pdfa.validate_written(BytesIO(paper), "2b").findings]
    found += unmarked_ink(paper)
    with pikepdf.open(BytesIO(paper)) as pdf:
        fonts = [thing for thing in pdf.objects if isinstance(thing, pikepdf.Dictionary) and "/BaseFont" in thing]
        embedded = [font for font in fonts if "/FontFile2" in font.get("/FontDescriptor", {})]
        found += [] if len(embedded) == len(fonts) > 0 else ["a font is not embedded"]
    return found


def test_the_ata_is_an_archivable_pdf(printed: bytes) -> None:
    assert faults(printed) == []


def test_the_ata_passes_the_check_for_readers_who_do_not_see(printed: bytes, tmp_path: Path) -> None:
    file = tmp_path / "ata.pdf"
    file.write_bytes(printed)
    report = pdfua.validate(str(file))
    assert {outcome.rule_id: outcome.skipped_reason for outcome in report.outcomes if outcome.skipped_reason} == {}
    # UA-28-004: the claim of PDF/UA is not made, because nothing here can prove it.
    assert [outcome.rule_id for outcome in report.outcomes if outcome.findings] == ["UA-28-004"]


def test_figures_have_words_and_a_place(printed: bytes) -> None:
    curve, code = structure(printed).all("Figure")
    assert curve.alt.startswith("Curva de lances: de R$ 5.100")
    assert code.alt.endswith(ADDRESS)
    assert all(len(figure.attributes["/BBox"]) == 4 for figure in (curve, code))


def test_a_drawing_of_the_caller_gets_our_fonts_and_stays_as_it_was() -> None:
    from reportlab.graphics.charts.barcharts import VerticalBarChart
    from reportlab.graphics.shapes import Drawing, String

    drawing = Drawing(900, 300)
    drawing.add(String(10, 10, "lances 🚕", fontName="Helvetica-Bold"))
    drawing.add(VerticalBarChart())
    paper = blank().figure(drawing, alt="Lances por ponto").build()
    assert faults(paper) == []
    assert "lances [U+1F695]" in pages_text(paper)[0]
    assert drawing.contents[0].fontName == "Helvetica-Bold"


def test_the_metadata_names_the_municipality_and_nobody_else(printed: bytes) -> None:
    with pikepdf.open(BytesIO(printed)) as pdf:
        info = {str(key): str(value) for key, value in pdf.docinfo.items()}
        packet = pdf.Root.Metadata.read_bytes().decode()
        assert str(pdf.Root.Lang) == "pt-BR"
        assert bool(pdf.Root.ViewerPreferences.DisplayDocTitle)
    assert info == {
        "/Title": "Ata da sessão pública de lances",
        "/Subject": "Ata 001/2027",
        "/Author": "Prefeitura Municipal de Araporã — MG",
        "/Producer": "tender (reportlab, pikepdf)",
        "/CreationDate": "D:20270316180000Z",
        "/ModDate": "D:20270316180000Z",
    }
    assert set(re.findall(r"\d{4}-\d\d-\d\dT[^<]+", packet)) == {"2027-03-16T18:00:00Z"}
    assert "Iracema" not in packet


# --- the same facts, the same bytes ----------------------------------------------------------------------------------


def test_the_same_facts_give_the_same_bytes_here_and_elsewhere(printed: bytes) -> None:
    paper = ata()
    assert paper.build() == paper.build() == printed
    elsewhere = {**os.environ, "PYTHONHASHSEED": "4242", "TZ": "Pacific/Auckland", "LC_ALL": "C"}
    told_hash = subprocess.run(
        [sys.executable, "-m", "tests.paper_samples"], cwd=ROOT, env=elsewhere, capture_output=True, check=True
    )
    assert told_hash.stdout.decode().strip() == hashlib.sha256(printed).hexdigest()


def test_other_facts_give_other_bytes_and_another_identity() -> None:
    one, other = blank().paragraph("R$ 9.450,00").build(), blank().paragraph("R$ 9.451,00").build()
    with pikepdf.open(BytesIO(one)) as first, pikepdf.open(BytesIO(other)) as second:
        assert first.trailer.ID[1] != second.trailer.ID[1]


def test_nothing_slow_is_imported_before_a_paper_is_built() -> None:
    said = subprocess.run(
        [sys.executable, "-c", "import sys, tender.letterhead; print(*sys.modules)"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    assert not {"reportlab", "pikepdf", "segno", "PIL"} & set(said.stdout.decode().split())


# --- whatever a person typed -----------------------------------------------------------------------------------------

HOSTILE = '<img src="file:///etc/passwd"/><a href="javascript:alert(1)">aqui</a> & &amp; <b> ]]> <para> {title} %s'


def test_markup_is_printed_as_it_was_typed_and_does_nothing() -> None:
    paper = Paper(HOSTILE, HOSTILE, "R&D <7>", Municipality(name="A<b>"), issued_at=OPENED, notice="<i>&")
    paper.heading(HOSTILE).paragraph(HOSTILE, citations=(HOSTILE,)).facts([("<k>", HOSTILE)])
    paper.table(["<h>"], [[HOSTILE]], caption=HOSTILE).bullets([HOSTILE]).numbered_clauses([Clause("<c>", title="<t>")])
    paper.signatures([Signature("<n>", "&o")])
    built = paper.build()
    assert faults(built) == []
    spoken = [element.text for element in structure(built).walk()]
    assert spoken.count(HOSTILE) == 9
    with pikepdf.open(BytesIO(built)) as pdf:
        assert str(pdf.docinfo.Title) == HOSTILE
        assert not any("/Annots" in page.obj or "/XObject" in page.obj.Resources for page in pdf.pages)


def test_reportlab_itself_may_open_nothing() -> None:
    blank().build()
    from reportlab import rl_config
    from reportlab.lib.utils import rlUrlRead

    assert (rl_config.trustedSchemes, rl_config.trustedHosts) == ([], [])
    with pytest.raises(OSError, match="Cannot open resource"):
        rlUrlRead("file:///etc/hostname")


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("nulo\0fim", "nulo[U+0000]fim"),
        ("R$ 100\u202e999", "R$ 100[U+202E]999"),
        ("a\u200bb\ufeff", "a[U+200B]b[U+FEFF]"),
        ("táxi 🚕", "táxi [U+1F695]"),
        ("שלום", "[U+05E9][U+05DC][U+05D5][U+05DD]"),
        ("张", "[U+5F20]"),
        ("meio\ud800par", "meio[U+D800]par"),
        ("pro\u00adcesso", "pro[U+00AD]cesso"),
    ],
)
def test_what_cannot_be_printed_is_shown_by_its_code(typed: str, shown: str) -> None:
    built = blank().table(["Nome"], [[typed]]).build()
    document = structure(built)
    assert [cell.text for cell in document.all("TD")] == [shown]
    assert "código Unicode" in document.all("Note")[0].spoken
    assert faults(built) == []


def test_ordinary_signs_are_printed_and_need_no_note() -> None:
    text = "Conceição Muñoz, nº 1º 2ª § 3º “aspas” ‘simples’ — – … R$ € × − ½ ≥ ĉ Ž Ω я"
    document = structure(blank().paragraph(text.replace("ç", "c\u0327")).build())
    assert document.all("P")[-1].text == text
    assert document.all("Note") == []


def test_blanks_and_line_ends_of_every_kind_are_kept_as_such() -> None:
    built = blank().paragraph("um\tdois\u2009três\r\nquatro\u2028cinco\n \nseis").build()
    lines = [line.rstrip() for line in pages_text(built)[0].split("\n")]
    assert lines[3:7] == ["um dois três", "quatro", "cinco", "seis"]
    assert [element.text for element in structure(built).all("P")][-2:] == ["um dois três quatro cinco", "seis"]


@settings(max_examples=40)
@given(st.text(st.characters(), max_size=300))
@example("\ud800\U0010ffff\x00 \n\n\t")
@example("[U+0041]" * 40)
def test_any_text_at_all_makes_an_archivable_paper(typed: str) -> None:
    paper = blank(title=f"T {typed}", subtitle=typed, office=typed, notice=typed)
    paper.heading(f"H {typed}").paragraph(typed, citations=(typed,)).facts([(typed, typed)])
    paper.table([typed], [[typed]], caption=typed).signatures([Signature(typed, typed, typed)])
    assert unmarked_ink(paper.build()) == []


def test_a_word_wider_than_the_page_is_broken_not_lost() -> None:
    built = blank().paragraph("x" * 20_000).table(["a", "b"], [["y" * 3_000, "z"]]).build()
    document = structure(built)
    assert document.all("P")[-1].text == "x" * 20_000
    assert document.all("TD")[0].text == "y" * 3_000


def test_text_longer_than_a_page_runs_on_wherever_it_stands() -> None:
    words = [f"palavra{number}" for number in range(3_000)]
    text = " ".join(words)
    paper = blank(title=f"Título {text[:4000]}").paragraph(text).facts([("Razões", text)])
    paper.table(["Campo", "Texto"], [["curto", text], ["b", "c"]]).signatures([Signature(text, "Parte")])
    built = paper.build()
    document = structure(built)
    assert document.all("P")[2].text.split() == words
    assert document.all("LBody")[0].text.split() == words
    assert document.all("TD")[1].text.split() == words
    assert len(document.all("TD")[1].pages) > 2
    assert faults(built) == []


# --- the look of a page ----------------------------------------------------------------------------------------------


def last_role(built: bytes, page: int) -> str:
    """The role of what stands lowest on a page."""
    return [element.role for element in structure(built).walk() if page in element.pages][-1]


@pytest.mark.parametrize("lines", range(20, 36))
def test_a_heading_never_ends_a_page_and_the_stamp_never_has_one_alone(lines: int) -> None:
    paper = blank()
    for number in range(lines):
        paper.paragraph(f"Linha {number}.")
    paper.heading("Encerramento").paragraph("Lida e assinada.").signatures([Signature("Iracema Uchôa", "Pregoeira")])
    built = paper.stamp("livro", 1, 2, HEAD, ADDRESS, CODE).build()
    pages = pages_text(built)
    assert not any(last_role(built, number).startswith("H") for number in range(len(pages)))
    assert any("Lida e assinada." in page and "Pregoeira" in page for page in pages)
    assert "Como verificar" in pages[-1]
    assert "Pregoeira" in pages[-1]


@pytest.mark.parametrize("rows", range(30, 42))
def test_no_row_of_a_table_is_left_alone_on_a_page(rows: int) -> None:
    built = blank().table(["Nº", "Fato"], [[number, "lance"] for number in range(rows)]).build()
    on_pages = [row.kids[0].pages[0] for row in structure(built).all("TR")[1:]]
    assert min(on_pages.count(page) for page in set(on_pages)) >= 2
