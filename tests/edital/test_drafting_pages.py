"""The commission drafts, the control files, the authority publishes: the guided form as a browser without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from tender.acts import Role
from tender.clock import day_of
from tender.edital.model import Status, clauses
from tender.edital.model.clauses import FIELDS, fields_of, summary
from tender.edital.model.dossier import Channel, Choice, Paper
from tender.edital.model.fields import Kind, Step, hundredths, seconds, write
from tender.edital.model.terms import Mode, Regime, TieBreak
from tender.edital.reads import terms_sha256
from tender.money import Money
from tests.edital.office import Desk, Hall, form_of, open_hall, upload
from tests.town import terms_of

EDITAL = "001-2027"
BASE = f"/c/l/{EDITAL}"
STEPS = [one for one in Step if one not in (Step.STANDS, Step.DOCUMENTS, Step.FILE)]


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with open_hall(tmp_path, population=9_000) as opened:
        yield opened


@pytest.fixture
def marta(hall: Hall) -> Desk:
    """The pregoeira, with a fresh draft and a register of two pontos."""
    office = hall.at(Role.SECRETARIAT)
    office.send("/s/decretos", numero="1/2027", data="2027-01-10", assunto="cria pontos")
    for code, name, vehicles in (("P1", "Terminal Rodoviário", "4"), ("P2", "Praça da Vitória", "2")):
        office.send(
            "/s/pontos/novo", codigo=code, nome=name, endereco=f"Av. {code}, 1", vagas=vehicles, x="250", y="500",
            decreto="1/2027",
        )  # fmt: skip
    desk = hall.at(Role.PREGOEIRO)
    answer = desk.send("/c/l/nova", numero=EDITAL, processo="12/2027", titulo="Pontos de táxi")
    assert answer.location == f"{BASE}/editar/regime"
    return desk


def offer(desk: Desk, ponto: str, places: str = "1", **typed: Any) -> Any:
    sent = {"parte": "oferta", "ponto": ponto, "vagas": places, "minimo": "8.000", **typed}
    return desk.send(f"{BASE}/editar/pontos", f"{BASE}/editar/pontos", **sent)


# -- the table of fields ----------------------------------------------------------------------------------------------


def test_the_ten_switches_are_all_asked() -> None:
    asked = {one.switch for one in FIELDS.values() if one.switch}
    assert asked == {f"S{n}" for n in range(1, 10)}, "S10 is the floor of each stand, asked with its formula and study"


def test_every_field_says_why_it_matters_and_is_read_and_written_where_the_terms_have_it() -> None:
    terms = terms_of()
    for one in FIELDS.values():
        assert one.why.endswith("."), one.key
        assert write(terms, {one.key: one.read(terms)}) == terms
        assert one.kind not in (Kind.CHOICE, Kind.MANY) or one.options
        options = [str(one.read(terms))] if one.kind is Kind.CHOICE else []
        assert all(option in one.options for option in options), one.key


def test_every_option_of_a_choice_is_a_value_of_the_terms() -> None:
    for one in FIELDS.values():
        if one.kind is Kind.CHOICE:
            for option in one.options:
                assert str(one.read(write(terms_of(), {one.key: option}))) == option


def test_what_is_said_is_what_a_reader_would_say() -> None:
    terms = terms_of()
    said = {one.key: text for _, rows in summary(terms) for one, text in rows}
    assert said["open_stage_seconds"] == "10 minutos"
    assert said["payment.instalments"] == "1 parcela"
    assert said["bid_rules.guard_times_hundredths"] == "1,5 vezes"
    assert said["switches.permits_per_bidder"] == "1 ponto"
    assert said["bid_rules.ceiling"] == "sem teto"
    assert said["step"] == "R$\N{NO-BREAK SPACE}200"
    assert said["session_at"] == "sexta-feira, 5 de março de 2027, às 9h (horário de Brasília)"
    assert (seconds(90), seconds(0), seconds(61)) == ("1 minuto e 30 segundos", "0 segundos", "1 minuto e 1 segundo")
    assert [hundredths(n) for n in (100, 150, 3848, 5)] == ["1", "1,5", "38,48", "0,05"]
    assert clauses.OFFERED_MODES == (Mode.OPEN, Mode.CLOSED_OPEN)


# -- drafting ---------------------------------------------------------------------------------------------------------


def test_a_fresh_draft_is_proposed_whole_with_dates_of_the_calendar(hall: Hall, marta: Desk) -> None:
    terms = hall.terms(EDITAL)
    assert terms.body.population == 9_000
    assert terms.applications_open_at < terms.applications_close_at < terms.session_at
    assert hall.house.calendar is not None
    assert hall.house.calendar.is_business_day(day_of(terms.session_at))
    assert len(terms.documents) > 15
    assert "Pontos de táxi" in marta.get(f"{BASE}/editar/regime").text


def test_a_number_that_is_taken_or_does_not_fit_an_address_is_said_beside_it(hall: Hall, marta: Desk) -> None:
    for number, said in ((EDITAL, "Já existe um edital"), ("001/2027", "Exemplo: 001-2027")):
        answer = marta.send("/c/l/nova", numero=number, processo="13/2027", titulo="Outro")
        assert answer.status_code == 422
        assert said in answer.text
        assert 'value="13/2027"' in answer.text


@pytest.mark.parametrize("step", STEPS, ids=[one.value for one in STEPS])
def test_a_step_sent_as_it_stands_changes_nothing_and_makes_no_new_version(hall: Hall, marta: Desk, step: Step) -> None:
    before = hall.terms(EDITAL)
    assert marta.send(f"{BASE}/editar/{step.value}").status_code == 303
    assert hall.terms(EDITAL) == before
    page = marta.get(f"{BASE}/editar/{step.value}").text
    for one in fields_of(step):
        assert one.label in unescape(page)


CHANGES: tuple[tuple[str, dict[str, str], str, Any], ...] = (
    ("regime", {"switches-regime": "14133_pregao_invertido"}, "switches.regime", Regime.PREGAO),
    ("regime", {"switches-mode": "fechado_aberto"}, "switches.mode", Mode.CLOSED_OPEN),
    ("disputa", {"step": "250,50", "whole_reais": ""}, "step", Money(25_050)),
    ("disputa", {"open_stage_seconds": "900"}, "open_stage_seconds", 900),
    ("disputa", {"bid_rules-guard_times_hundredths": "2,25"}, "bid_rules.guard_times_hundredths", 225),
    ("disputa", {"bid_rules-ceiling": "1.000.000"}, "bid_rules.ceiling", Money.reais(1_000_000)),
    ("pagamento", {"payment-instalments": "10"}, "payment.instalments", 10),
    ("pagamento", {"payment-fine_percent_hundredths": "0,5"}, "payment.fine_percent_hundredths", 50),
    ("resultado", {"switches-permits_per_bidder": "0"}, "switches.permits_per_bidder", 0),
    ("datas", {"counting-start": "R1"}, "counting.start", "R1"),
    ("municipio", {"body-population": "8.999"}, "body.population", 8_999),
)


@pytest.mark.parametrize(("step", "typed", "key", "value"), CHANGES)
def test_what_is_typed_is_what_the_draft_says(
    hall: Hall, marta: Desk, step: str, typed: dict[str, str], key: str, value: Any
) -> None:
    page = f"{BASE}/editar/{step}"
    sent = {**form_of(marta.get(page).text, page), **typed}
    sent = {name: one for name, one in sent.items() if not (name == "whole_reais" and one == "")}
    assert marta.client.post(page, data=sent).status_code == 303
    assert FIELDS[key].read(hall.terms(EDITAL)) == value


def test_the_order_of_tie_breaks_is_the_laws_whatever_order_the_boxes_come_in(hall: Hall, marta: Desk) -> None:
    page = f"{BASE}/editar/disputa"
    marta.send(page, **{"switches-tie_breaks": ["sorteio_publico", "programa_de_integridade", "disputa_final"]})
    kept = hall.terms(EDITAL).switches.tie_breaks
    assert kept == (TieBreak.FINAL_DISPUTE, TieBreak.INTEGRITY, TieBreak.PUBLIC_DRAW)


WRONG: tuple[tuple[str, dict[str, str], str], ...] = (
    ("disputa", {"step": "1.50"}, "pode ser lido de mais de um modo"),
    ("disputa", {"open_stage_seconds": "dez"}, "número inteiro de 1 a 86400. Veio: dez."),
    ("disputa", {"bid_rules-guard_times_hundredths": "0,99"}, "de 1 a 1000"),
    ("datas", {"session_at": "amanhã"}, "Exemplo: 05/03/2027 09:00. Veio: amanhã."),
    ("datas", {"counting-publication_business_days": "14"}, "de 15 a 120. Veio: 14."),
    ("resultado", {"call_hours": ""}, "Preencha “Prazo para responder à convocação”."),
    ("regime", {"title": ""}, "Preencha “Título do edital”."),
)


OTHER = {
    "disputa": ("window_seconds", "77"),
    "datas": ("counting-start", "R1"),
    "resultado": ("proposal_days", "91"),
    "regime": ("process_number", "77/2027"),
}
"""Of each step another field, and what is typed into it."""


@pytest.mark.parametrize(("step", "typed", "said"), WRONG)
def test_a_wrong_value_is_answered_with_what_would_pass_and_the_rest_is_kept(
    hall: Hall, marta: Desk, step: str, typed: dict[str, str], said: str
) -> None:
    before = hall.terms(EDITAL)
    other, kept = OTHER[step]
    answer = marta.send(f"{BASE}/editar/{step}", **{other: kept}, **typed)
    assert answer.status_code == 422
    assert said in unescape(answer.text)
    assert form_of(answer.text, f"{BASE}/editar/{step}")[other] == kept
    for name, value in typed.items():
        assert form_of(answer.text, f"{BASE}/editar/{step}")[name] == value
    assert hall.terms(EDITAL) == before


def test_a_no_of_the_desk_stands_above_the_form_with_its_article_and_nothing_is_lost(hall: Hall, marta: Desk) -> None:
    page = f"{BASE}/editar/regime"
    answer = marta.send(page, title="Outro título", **{"switches-mode": "aberto_fechado"})
    assert answer.status_code == 409
    assert "este sistema ainda não o realiza" in answer.text
    assert "aberto ou fechado_aberto" in answer.text
    assert form_of(answer.text, page)["title"] == "Outro título"
    assert hall.terms(EDITAL).title == "Pontos de táxi"
    early = marta.send(f"{BASE}/editar/datas", session_at="2027-04-20T09:00")
    assert (early.status_code, "A sessão deve ser depois do fim das inscrições." in early.text) == (409, True)


# -- stands -----------------------------------------------------------------------------------------------------------


def test_the_places_of_a_ponto_become_as_many_stands_each_with_its_own_permit(hall: Hall, marta: Desk) -> None:
    assert offer(marta, "P1", "3", estudo=upload("Estudo")).status_code == 303
    assert offer(marta, "P2", "2", reserva="y").status_code == 303
    terms = hall.terms(EDITAL)
    assert [(one.number, one.ponto, one.place, one.places) for one in terms.stands] == [
        (1, "P1", 1, 1), (2, "P1", 2, 1), (3, "P1", 3, 1), (4, "P2", 1, 1), (5, "P2", 2, 1),
    ]  # fmt: skip
    assert {one.decree for one in terms.stands} == {"Decreto 1/2027"}
    assert terms.switches.pcd_reserve == 2
    more = offer(marta, "P1", "2")
    assert (more.status_code, "deixa oferecer mais 1" in more.text) == (422, True)
    marta.send(f"{BASE}/editar/pontos/2/retirar", f"{BASE}/editar/pontos")
    offer(marta, "P1", "2")
    places = sorted((one.place, one.number) for one in hall.terms(EDITAL).stands if one.ponto == "P1")
    assert places == [(1, 1), (2, 6), (3, 3), (4, 7)]


def test_a_floor_left_blank_is_what_the_formula_gives_and_one_that_differs_is_flagged(hall: Hall, marta: Desk) -> None:
    offer(marta, "P1", minimo="", quantidade="20", unidade="m²", preco="850")
    assert hall.terms(EDITAL).stands[0].floor == Money.reais(17_000)
    assert "Não confere com a fórmula" not in marta.get(f"{BASE}/editar/pontos").text
    one = f"{BASE}/editar/pontos/1"
    assert marta.send(one, minimo="18.000").status_code == 303
    assert "Não confere com a fórmula" in marta.get(f"{BASE}/editar/pontos").text
    assert "Mínimo que não confere com a fórmula impressa" in marta.get(f"{BASE}/publicar").text
    half = marta.send(one, preco="")
    assert (half.status_code, "Escreva os dois ou nenhum" in half.text) == (422, True)
    cents = marta.send(one, minimo="18.000,50")
    assert (cents.status_code, "reais inteiros" in cents.text) == (409, True)
    assert 'value="18.000,50"' in cents.text


def test_a_study_that_was_sent_need_not_be_sent_again_when_another_field_was_wrong(hall: Hall, marta: Desk) -> None:
    wrong = offer(marta, "P1", minimo="oito mil", estudo=upload("Estudo"))
    assert wrong.status_code == 422
    sha256 = form_of(wrong.text, f"{BASE}/editar/pontos")["estudo_juntado"]
    assert len(sha256) == 64
    sent = {**form_of(wrong.text, f"{BASE}/editar/pontos"), "minimo": "8.000"}
    assert marta.client.post(f"{BASE}/editar/pontos", data=sent).status_code == 303
    assert hall.terms(EDITAL).stands[0].study_sha256 == sha256
    assert marta.get(f"/c/anexos/{sha256}").mimetype == "application/pdf"
    assert marta.get(f"/c/anexos/{'0' * 64}").status_code == 404


# -- documents --------------------------------------------------------------------------------------------------------


def test_the_list_of_documents_is_asked_item_by_item_and_open_items_one_a_line(hall: Hall, marta: Desk) -> None:
    page = f"{BASE}/editar/documentos"
    sent = form_of(marta.get(page).text, page)
    assert sent["m-pf-art-4-p1-II"] == "alvara"
    assert sent["m-pj-art-4-p2-VII"] == "so_vencedor"
    sent |= {"m-pf-art-4-p1-V": "inscricao", "t-pf-art-4-p1-V": "Comprovante de endereço\r\nFoto 3×4"}
    sent |= {"m-pf-art-4-p1-IV": ""}
    assert marta.client.post(page, data=sent).status_code == 303
    texts = [one.text for one in hall.terms(EDITAL).documents if one.requirement.anchor == "art-4-p1-V"]
    assert texts == ["Comprovante de endereço", "Foto 3×4"]
    assert not [one for one in hall.terms(EDITAL).documents if one.requirement.anchor == "art-4-p1-IV"]
    empty = {**form_of(marta.get(page).text, page), "t-pf-art-4-p1-V": " "}
    answer = marta.client.post(page, data=empty)
    assert (answer.status_code, "Pedido em aberto não pode ser exigido." in answer.text) == (422, True)


def test_the_unreadable_item_is_confirmed_by_whoever_signs_in(hall: Hall, marta: Desk) -> None:
    page = f"{BASE}/editar/documentos"
    part = {"parte": "leitura", "ficar": "1", "itens": ["I", "II", "III"], "fonte": "exemplar da Câmara"}
    token = form_of(marta.get(page).text, page)["csrf_token"]
    assert marta.client.post(page, data={**part, "csrf_token": token}).status_code == 422
    assert marta.client.post(page, data={**part, "csrf_token": token, "confirmo": "y"}).status_code == 303
    kept = hall.terms(EDITAL).items_reading
    assert (kept.items, kept.confirmed_on) == (("I", "II", "III"), date(2027, 4, 19))
    assert kept.confirmed_by == hall.actors[Role.PREGOEIRO].person
    assert "Pregoeiro Fictícia Prado" in marta.get(page).text
    assert f'action="{BASE}/alertas/W-08"' not in marta.page


# -- warnings, dossier, publication -----------------------------------------------------------------------------------


def decide(desk: Desk, code: str, step: str, choice: str = "mantem", note: str = "") -> Any:
    sent = {f"{code}-decisao": choice, f"{code}-nota": note}
    return desk.send(f"{BASE}/alertas/{code}", f"{BASE}/editar/{step}", **sent)


def test_a_warning_is_decided_where_it_arises_and_an_opinion_needs_its_number(hall: Hall, marta: Desk) -> None:
    without = decide(marta, "W-13", "regime", "parecer", "sim")
    assert (without.status_code, "Escreva o número do parecer." in without.text) == (422, True)
    assert decide(marta, "W-13", "regime", "parecer", "parecer nº 3/2027").location.endswith("/editar/regime#W-13")
    assert decide(marta, "W-17", "pontos", "").status_code == 422
    assert decide(marta, "W-17", "pontos").location.endswith("/editar/pontos#W-17")
    made = hall.state(EDITAL).dossier.decisions
    assert {code: one.choice for code, one in made.items()} == {"W-13": Choice.OPINION, "W-17": Choice.KEEPS}
    not_arising = form_of(marta.get(f"{BASE}/editar/pontos").text, f"{BASE}/alertas/W-17")
    assert marta.client.post(f"{BASE}/alertas/W-03", data=not_arising).status_code == 404


def test_the_control_files_the_opinion_and_may_not_draft(hall: Hall, marta: Desk) -> None:
    control = hall.at(Role.CONTROL)
    assert control.get(f"{BASE}/editar/regime").status_code == 403
    paper = {"peca": "parecer_juridico", "numero": "Parecer 1/2027", "data": "2027-04-01", "arquivo": upload("Parecer")}
    assert control.send(f"{BASE}/pecas", f"{BASE}/publicar", **paper).status_code == 303
    filed = hall.state(EDITAL).dossier.papers[Paper.OPINION]
    assert (filed.number, filed.day, len(filed.sha256)) == ("Parecer 1/2027", date(2027, 4, 1), 64)
    late = control.send(f"{BASE}/pecas", f"{BASE}/publicar", **{**paper, "data": "2027-04-20", "arquivo": upload("x")})
    assert (late.status_code, "até 19/04/2027" in late.text) == (409, True)
    not_a_file = {**paper, "arquivo": (upload("x")[0].__class__(b"MZ\x90\x00" * 40), "virus.pdf")}
    assert control.send(f"{BASE}/pecas", f"{BASE}/publicar", **not_a_file).status_code == 422


def test_the_clock_starts_with_the_last_of_three_publications(hall: Hall, marta: Desk) -> None:
    for channel, day in (("pncp", "2027-04-16"), ("diario_oficial", "2027-04-15"), ("jornal", "2027-04-14")):
        assert "O prazo corre desde" not in marta.get(f"{BASE}/publicar").text
        marta.send(f"{BASE}/provas", f"{BASE}/publicar", canal=channel, numero="1", data=day)
    assert set(hall.state(EDITAL).dossier.proofs) == set(Channel)
    page = unescape(marta.get(f"{BASE}/publicar").text)
    assert "sexta, 16 de abril" in page
    for both in ("segunda, 10 de maio", "terça, 11 de maio", "quarta, 12 de maio"):
        assert both in page
    wrong = marta.send(f"{BASE}/provas", f"{BASE}/publicar", canal="pncp", numero="", data="2027-04-16")
    assert wrong.status_code == 422


def opened(hall: Hall, marta: Desk) -> None:
    """Everything that the gates ask for, entered through the pages."""
    hall.at(Role.SECRETARIAT).send("/s/calendario", dia="2027-05-27", nome="Corpus Christi", decreto="1/2027")
    offer(marta, "P1", "2", estudo=upload("Estudo"))
    page = f"{BASE}/editar/documentos"
    token = form_of(marta.get(page).text, page)["csrf_token"]
    read = {"parte": "leitura", "itens": ["I", "III"], "fonte": "exemplar", "confirmo": "y", "csrf_token": token}
    assert marta.client.post(page, data=read).status_code == 303
    for paper in Paper:
        marta.send(f"{BASE}/pecas", f"{BASE}/editar/pecas", peca=paper.value, numero="1/2027", data="2027-04-01")
    for channel in Channel:
        marta.send(f"{BASE}/provas", f"{BASE}/publicar", canal=channel.value, numero="1", data="2027-04-16")
    for step in Step:
        where = "pontos" if step is Step.STANDS else step.value
        for code in [one for one in codes_on(marta.get(f"{BASE}/editar/{where}").text) if step is not Step.FILE]:
            assert decide(marta, code, where).status_code == 303


def codes_on(page: str) -> list[str]:
    return [part[:4] for part in page.split(f'action="{BASE}/alertas/')[1:]]


def test_two_people_draft_and_publish_and_the_authority_publishes_what_it_read(hall: Hall, marta: Desk) -> None:
    dirce = hall.at(Role.MAYOR)
    early = dirce.send(f"{BASE}/publicacao", f"{BASE}/publicar")
    assert (early.status_code, "G-01" in early.text) == (409, True)
    opened(hall, marta)
    page = dirce.get(f"{BASE}/publicar").text
    assert "Tudo pronto" in page
    read = form_of(page, f"{BASE}/publicacao")
    assert read["termos"] == terms_sha256(hall.terms(EDITAL))
    marta.send(f"{BASE}/editar/regime", title="Pontos de táxi no Centro")
    changed = dirce.client.post(f"{BASE}/publicacao", data=read)
    assert (changed.status_code, "mudou depois que você o leu" in changed.text) == (409, True)
    assert dirce.send(f"{BASE}/publicacao", f"{BASE}/publicar").location == f"/l/{EDITAL}"
    assert hall.state(EDITAL).status is Status.PUBLISHED
    assert marta.get(f"{BASE}/editar/regime").location == f"/l/{EDITAL}"


def test_who_drafts_has_no_button_to_publish_and_no_way_around_it(hall: Hall, marta: Desk) -> None:
    opened(hall, marta)
    page = marta.get(f"{BASE}/publicar").text
    assert f'action="{BASE}/publicacao"' not in page
    sent = {**form_of(page, f"{BASE}/provas"), "termos": terms_sha256(hall.terms(EDITAL))}
    assert marta.client.post(f"{BASE}/publicacao", data=sent).status_code == 403
    assert marta.client.post(f"{BASE}/publicar", data=sent).status_code == 302
    assert hall.state(EDITAL).status is Status.DRAFT


def test_an_edital_that_is_not_there_is_not_found(hall: Hall, marta: Desk) -> None:
    for path in ("/c/l/999-2027/publicar", f"{BASE}/editar/nada", f"{BASE}/editar/pontos/9"):
        assert marta.get(path).status_code == 404
