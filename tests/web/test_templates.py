"""Layout and macros: every icon exists, every macro prints what it says, and a first visit stays light."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask import render_template_string
from jinja2 import UndefinedError
from markupsafe import Markup
from werkzeug.datastructures import MultiDict

from tender.acts import Refusal
from tender.law import MUN, Citation
from tender.money import Money
from tender.web.examples import ExampleForm
from tests.web.conftest import ROOT, START, Site
from tests.web.reading import token_in

IMPORT = '{% import "_macros.html" as m %}'
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
PACKED = {"Accept-Encoding": "gzip"}


@pytest.fixture
def shown(site: Site) -> Callable[..., str]:
    """Renders a piece of template that knows the macros as `m`."""

    def show(piece: str, **values: Any) -> str:
        with site.app.test_request_context("/licitacoes?ano=2027&pagina=2&ano=2028"):
            return render_template_string(IMPORT + piece, **values)

    return show


# --- icons and names --------------------------------------------------------------------------------------------------


def icons(site: Site) -> dict[str, str]:
    found: dict[str, str] = site.app.jinja_env.get_template("_macros.html").module.ICONS  # type: ignore[attr-defined]
    return found


def test_every_icon_that_a_template_names_exists(site: Site) -> None:
    known = icons(site)
    for template in TEMPLATES:
        for name in re.findall(r'\bicon\("([^"]+)"\)', template.read_text("utf-8")):
            assert name in known, f"{template.name} asks for {name!r}"


def test_every_icon_is_drawn_and_hidden_from_screen_readers(shown: Callable[..., str], site: Site) -> None:
    for name in icons(site):
        drawn = shown("{{ m.icon(name) }}", name=name)
        assert re.fullmatch(
            r'<svg class="i"[^>]* aria-hidden="true" focusable="false">(<(path|circle|rect) [^>]+/>)+</svg>', drawn
        )


def test_an_icon_that_does_not_exist_is_an_error_and_not_a_gap(shown: Callable[..., str]) -> None:
    with pytest.raises(UndefinedError):
        shown('{{ m.icon("unicornio") }}')


def test_a_name_that_a_page_was_not_given_is_an_error_and_not_a_gap(shown: Callable[..., str]) -> None:
    with pytest.raises(UndefinedError):
        shown("{{ esquecido }}")


def test_no_template_writes_what_the_policy_forbids() -> None:
    for template in TEMPLATES:
        text = re.sub(r"\{#.*?#\}", "", template.read_text("utf-8"), flags=re.DOTALL)
        assert not re.search(r"\sstyle=|<style|\son[a-z]+=|javascript:", text), template.name


# --- law, amounts, hours ----------------------------------------------------------------------------------------------


def test_a_citation_is_one_tap_from_its_text(shown: Callable[..., str]) -> None:
    page = shown("{{ m.law(citation) }}", citation=MUN(4, 3))
    assert "<span>Lei nº 724/2008, art. 4º, § 3º</span>" in page
    assert "segundo colocado" in page
    assert 'href="/lei#art-4-p3"' in page


def test_a_paraphrase_is_not_put_between_quotation_marks(shown: Callable[..., str], site: Site) -> None:
    page = shown("{{ m.law(citation) }}", citation=MUN(4, 3))
    assert "Resumo do dispositivo; confira as palavras da lei." in page
    assert 'class="literal"' not in page


def test_a_citation_may_have_words_of_its_own(shown: Callable[..., str]) -> None:
    page = shown('{{ m.law(citation, "Por que o 2º foi chamado") }}', citation=MUN(4, 3))
    assert "<span>Por que o 2º foi chamado — art. 4º, § 3º</span>" in page


def test_a_provision_without_text_is_still_a_link(shown: Callable[..., str]) -> None:
    page = shown("{{ m.law(citation) }}", citation=Citation("lei-724-2008", 999))
    assert "<details" not in page
    assert 'href="/lei#art-999"' in page


@pytest.mark.parametrize(
    ("piece", "printed"),
    [
        ("m.money(amount)", '<span class="num">R$\N{NO-BREAK SPACE}9.500</span>'),
        ('m.money(amount, "always")', '<span class="num">R$\N{NO-BREAK SPACE}9.500,00</span>'),
        ("m.when(at)", '<time datetime="2027-03-05T20:00:00.042Z">sexta, 5 de março, às 17h</time>'),
        ("m.hour(at)", '<time datetime="2027-03-05T20:00:00.042Z">17:00:00</time>'),
        ("m.stamp(at)", '<time class="num" datetime="2027-03-05T20:00:00.042Z">05/03/2027, 17:00:00,042</time>'),
        ("later | left", "faltam 2 dias"),
        ("640 * 1024 | bytes", "640 KB"),
        ("1 | bytes", "1 KB"),
        ("1024 * 1024 - 1 | bytes", "1024 KB"),
        ("(2.1 * 1024 * 1024) | int | bytes", "2,1 MB"),
        ('"(34) 3284-9500" | tel', "+553432849500"),
        ('"190" | tel', "190"),
    ],
)  # fmt: skip
def test_amounts_and_hours_are_printed_as_people_read_them(shown: Callable[..., str], piece: str, printed: str) -> None:
    piece = piece.replace("640 * 1024 |", "(640 * 1024) |").replace("1024 * 1024 - 1 |", "(1024 * 1024 - 1) |")
    at = datetime(2027, 3, 5, 20, 0, 0, 42_000, tzinfo=UTC)
    later = START + timedelta(days=2, hours=1)
    assert shown("{{ " + piece + " }}", amount=Money.reais(9500), at=at, later=later) == printed


# --- forms ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def wrong(site: Site) -> ExampleForm:
    """A form filled in wrongly."""
    typed = MultiDict({"amount": "9500,00", "reason": "<b>", "stand": "3", "kind": "pf"})
    with site.app.test_request_context("/"):
        form = ExampleForm(typed, meta={"csrf": False})
        form.validate()
    return form


def test_a_field_joins_label_hint_and_error_to_its_control(shown: Callable[..., str], wrong: ExampleForm) -> None:
    page = shown('{{ m.field(form.amount, hint="Só números", autocomplete="off") }}', form=wrong)
    assert '<label for="amount">Valor do lance, em reais</label>' in page
    control = re.search(r"<input[^>]+>", page)
    assert control
    for part in (
        'aria-describedby="amount-dica amount-erro"',
        'aria-invalid="true"',
        'value="9500,00"',
        'autocomplete="off"',
    ):
        assert part in control[0]
    assert '<p class="hint" id="amount-dica">Só números</p>' in page
    assert re.search(r'<p class="msg" id="amount-erro"><svg.*Use só reais, sem centavos', page)


def test_the_librarys_own_messages_are_in_portuguese(site: Site) -> None:
    with site.app.test_request_context("/"):
        form = ExampleForm(MultiDict({"years": "dois"}))
        form.validate()
    assert form.stand.errors == ["Campo obrigatório."]
    assert form.years.errors == ["O valor inteiro não é válido."]


def test_a_field_that_may_stay_empty_says_so(shown: Callable[..., str], wrong: ExampleForm) -> None:
    page = shown("{{ m.field(form.reason) }}", form=wrong)
    assert "(opcional)" in page
    assert "aria-invalid" not in page
    assert "&lt;b&gt;</textarea>" in page


def test_choices_are_a_group_with_a_legend(shown: Callable[..., str], wrong: ExampleForm) -> None:
    page = shown("{{ m.field(form.kind) }}", form=wrong)
    assert "<legend>Quem se inscreve</legend>" in page
    assert page.count('<label class="opt"') == page.count('type="radio"') == 2
    assert page.count(" checked ") == 1


def test_the_summary_of_errors_links_to_each_field(shown: Callable[..., str], wrong: ExampleForm) -> None:
    page = shown("{{ m.error_summary(form) }}", form=wrong)
    wrong_ones = [f.id for f in wrong if f.errors]
    assert f"Corrija {len(wrong_ones)} campos" in page
    assert re.findall(r'<li><a href="#(\w+)"', page) == wrong_ones
    assert shown("{{ m.error_summary(form) }}", form=[]) == ""


def test_one_wrong_field_is_said_in_the_singular(shown: Callable[..., str], wrong: ExampleForm) -> None:
    page = shown("{{ m.error_summary(form) }}", form=[wrong.amount])
    assert "<b>Corrija 1 campo</b>" in page


def test_a_form_carries_its_token_and_its_id(shown: Callable[..., str]) -> None:
    page = shown('{{ m.form_start("/enviar", files=true, id="f") }}{{ m.form_end() }}')
    assert '<form method="post" action="/enviar" id="f" enctype="multipart/form-data" novalidate>' in page
    assert token_in(page)
    assert re.search(r'name="pedido" value="[0-9a-f-]{36}" autocomplete="off"', page)


def test_a_plain_field_escapes_what_was_typed(shown: Callable[..., str]) -> None:
    page = shown(
        '{{ m.entry("codigo", "Código", value=typed, errors=["Não existe."], maxlength=9) }}', typed='"><script>'
    )
    assert 'value="&#34;&gt;&lt;script&gt;"' in page
    assert 'aria-describedby="codigo-erro"' in page
    assert 'maxlength="9"' in page


# --- lists, states ------------------------------------------------------------------------------------------------


def test_a_refusal_beside_its_form_says_all_of_it(shown: Callable[..., str]) -> None:
    refusal = Refusal("Abaixo do mínimo.", MUN(4, 3), got="R$ 1", passes="R$ 2")
    page = shown("{{ m.refused(refusal) }}", refusal=refusal)
    for part in ("Não registrado.", "Abaixo do mínimo.", "R$ 1", "R$ 2", "art. 4º, § 3º", 'role="alert"'):
        assert part in page
    short = shown("{{ m.refused(refusal) }}", refusal=Refusal("Não.", MUN(4, 3)))
    assert "Veio" not in short
    assert "Passaria" not in short


@pytest.mark.parametrize(
    ("kind", "has_icon"),
    [("ok", True), ("info", True), ("warn", True), ("bad", True), ("live", False), ("line", False), ("", False)],
)
def test_a_status_speaks_in_words_and_not_by_colour_alone(shown: Callable[..., str], kind: str, has_icon: bool) -> None:
    page = shown('{{ m.status("Aberta", kind) }}', kind=kind)
    assert "Aberta" in page
    assert ("<svg" in page) is has_icon


def test_the_present_phase_is_said_to_screen_readers(shown: Callable[..., str]) -> None:
    steps = [{"state": state, "title": state, "text": "x"} for state in ("done", "now", "todo")]
    page = shown("{{ m.phases(steps) }}", steps=steps)
    assert page.count('aria-current="step"') == 1
    assert "Concluída. " in page
    assert "Fase atual" in page


def test_a_chain_marks_who_left_and_who_is_called(shown: Callable[..., str]) -> None:
    steps = [{"state": state, "title": state, "text": "x", "mark": ""} for state in ("no", "now", "todo")]
    page = shown("{{ m.chain(steps) }}", steps=steps)
    assert re.findall(r'<li(?: class="(\w+)")?', page) == ["no", "now", ""]
    assert ">3</span>" in page


def test_pages_of_a_list_keep_the_filter(shown: Callable[..., str]) -> None:
    page = shown("{{ m.pager(2, 3) }}")
    assert 'href="/licitacoes?ano=2027&amp;ano=2028&amp;pagina=1"' in page
    assert 'href="/licitacoes?ano=2027&amp;ano=2028&amp;pagina=3"' in page
    assert "Anterior" not in shown("{{ m.pager(1, 3) }}")
    assert "Próxima" not in shown("{{ m.pager(3, 3) }}")
    assert shown("{{ m.pager(1, 1) }}") == ""


def test_a_paper_says_its_kind_and_size(shown: Callable[..., str]) -> None:
    assert "PDF · 210 KB" in shown('{{ m.paper("/a.pdf", "Ata", 215040) }}')
    assert "2 folhas · CSV<" in shown('{{ m.paper("/a.csv", "Lances", kind="CSV", detail="2 folhas") }}')


def test_crumbs_end_where_we_are(shown: Callable[..., str]) -> None:
    page = shown('{{ m.crumbs([("Início", "/"), ("Edital", "/l/1")]) }}')
    assert '<a href="/">Início</a>' in page
    assert '<span aria-current="page">Edital</span>' in page


def test_an_alert_holds_what_it_is_given(shown: Callable[..., str]) -> None:
    page = shown('{% call m.alert("warn", role="status") %}{{ text }}{% endcall %}', text=Markup("<p>Oi</p>"))
    assert re.fullmatch(r'<div class="alert warn" role="status"><svg.*</svg><div><p>Oi</p></div></div>', page)


# --- the frame and its weight --------------------------------------------------------------------------------------


def test_the_frame_has_what_every_page_needs(site: Site) -> None:
    page = site.client.get("/aberta").text
    assert page.startswith("<!doctype html>")
    for part in (
        'lang="pt-BR"',
        '<a class="skip" href="#conteudo">',
        '<main id="conteudo"',
        'role="status" aria-live="polite"',
        'role="alert" aria-live="assertive"',
        'href="tel:+553432849500"',
        '<details class="menu',
    ):
        assert part in page
    assert "<title>Página — Prefeitura de Araporã</title>" in page


def test_the_demonstration_says_that_it_is_one(make_site: Callable[..., Site]) -> None:
    assert "Demonstração" not in make_site().client.get("/aberta").text
    assert "pessoas, valores e locais são fictícios" in make_site(environment="demo").client.get("/aberta").text


def test_the_page_of_components_is_for_developers_only(make_site: Callable[..., Site]) -> None:
    assert make_site().client.get("/demo/componentes").status_code == 200
    production = make_site(environment="production", base_url="http://localhost")
    assert production.client.get("/demo/componentes").status_code == 404


def weight(path: Path) -> int:
    """Bytes on the wire."""
    return len(gzip.compress(path.read_bytes(), 9))


def test_style_and_script_stay_light() -> None:
    assert weight(ROOT / "static" / "base.css") <= 8 * 1024
    assert weight(ROOT / "static" / "base.js") <= 2 * 1024


@pytest.mark.parametrize("address", ["/aberta", "/formulario", "/nada", "/demo/componentes"])
def test_a_first_visit_stays_within_25_kilobytes(site: Site, address: str) -> None:
    page = site.client.get(address, headers=PACKED)
    total = len(page.data)
    for part in set(re.findall(r'(?:href|src)="(/static/[^"]+)"', gzip.decompress(page.data).decode())):
        total += len(site.client.get(part, headers=PACKED).data)
    assert total <= 25 * 1024
