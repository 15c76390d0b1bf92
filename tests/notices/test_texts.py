"""Every kind of notice has its text: short, plain, with one link and a footer, and nobody can write into it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tender.acts import Role
from tender.notices import KINDS, Texts
from tender.notices.kinds import check
from tender.settings import Municipality, Settings
from tests.notices.samples import LINK, SAMPLES, WHEN

TEMPLATES = Path(__file__).parent.parent.parent / "templates" / "notices"
BASE = "https://licitacoes.exemplo.invalid"
SETTINGS = replace(Settings.for_tests(Path("unused")), base_url=BASE)
TEXTS = Texts(SETTINGS)

# Kinds whose text has branches: every branch is written once.
BRANCHES: list[tuple[str, dict[str, Any]]] = [
    ("edital_published", {"stands": 1}),
    ("application_submitted", {"documents": 1}),
    ("session_postponed", {"how": "suspensa", "session_at": None, "bids_stand": False}),
    ("bid_annulled", {"best": None}),
    ("stand_closed", {"place": None, "amount": None}),
    ("desistencia_signed", {"own": False}),
    ("tasks_due", {"tasks": ("Analisar inscrição 6",)}),
]
ALL = [(kind, SAMPLES[kind]) for kind in KINDS] + [(kind, SAMPLES[kind] | change) for kind, change in BRANCHES]


def test_every_kind_has_a_text_and_every_text_a_kind() -> None:
    assert {file.stem for file in TEMPLATES.glob("*.txt")} - {"_footer"} == KINDS.keys() == SAMPLES.keys()


def test_the_numbers_are_those_of_the_list() -> None:
    assert sorted(kind.number for kind in KINDS.values()) == list(range(1, 31))
    assert [name for name, kind in KINDS.items() if kind.mail_only] == ["confirm_email", "password_reset"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_says_to_whom_it_goes_and_asks_for_no_name(kind: str) -> None:
    about = KINDS[kind]
    assert about.audience
    assert Role.SYSTEM not in about.audience
    assert not [name for name in about.values if re.search(r"name|nome|person|cpf|bidder|awardee", name)]


@pytest.mark.parametrize(("kind", "values"), ALL)
def test_every_text_is_short_and_has_one_link_on_a_line_of_its_own(kind: str, values: dict[str, Any]) -> None:
    text = TEXTS.write(kind, values, LINK)
    assert 0 < len(text.subject) <= 78
    assert "\n" not in text.subject
    assert text.link == BASE + LINK
    assert [line for line in text.body.splitlines() if "://" in line] == [text.link]
    assert text.body.count(BASE) == 1
    assert "://" not in text.subject + TEXTS.footer(kind)
    assert not re.search(r"[{}<>]|None|\bTrue|\bFalse|  |\n\n\n", text.body + text.subject)
    assert max(len(line) for line in text.body.splitlines()) <= 120


@pytest.mark.parametrize(("kind", "values"), ALL)
def test_every_sentence_has_at_most_twenty_words(kind: str, values: dict[str, Any]) -> None:
    text = TEXTS.write(kind, values, LINK)
    plain = text.body.replace(text.link, "")
    for sentence in re.split(r"[.?!:](?:\s|$)|\n", plain):
        assert len(sentence.split()) <= 20, sentence


@pytest.mark.parametrize("kind", KINDS)
def test_the_footer_says_where_to_get_help(kind: str) -> None:
    town = Municipality(phone="(34) 3284-0000")
    footer = Texts(replace(SETTINGS, municipality=town)).footer(kind)
    assert footer.startswith("Ajuda (34) 3284-0000 · ")
    assert footer.endswith(" · Lei 724/2008")
    assert ("também está em sua conta" in footer) != KINDS[kind].mail_only


def test_dates_and_amounts_are_said_as_people_say_them() -> None:
    text = TEXTS.write("called", SAMPLES["called"], LINK)
    assert text.subject == "Você foi chamado: Ponto 3"
    assert "Você tem até sexta, 5 de março, às 17h para assinar o termo ou desistir." in text.body
    assert "Valor: R$\u00a09.450." in text.body
    assert TEXTS.write("session_tomorrow", SAMPLES["session_tomorrow"], LINK).subject == (
        "Amanhã às 17h: disputa de lances"
    )
    assert (
        "Ele vale até quarta-feira, 5 de março de 2031."
        in TEXTS.write("award_confirmed", SAMPLES["award_confirmed"], LINK).body
    )
    assert (
        "Recibo 7KQ2-M4XD, sexta, 5 de março, 17:00:00,042."
        in TEXTS.write("application_submitted", SAMPLES["application_submitted"], LINK).body
    )
    assert (
        "Regra: art. 4º, § 1º, III, da Lei nº 724/2008."
        in TEXTS.write("inhabilitated", SAMPLES["inhabilitated"], LINK).body
    )


def test_no_bid_is_said_in_words_never_as_zero() -> None:
    text = TEXTS.write("bid_annulled", SAMPLES["bid_annulled"] | {"best": None}, LINK)
    assert "Agora não há nenhum lance." in text.body
    assert "R$\u00a00" not in text.body


# --- nobody writes into it -------------------------------------------------------------------------------------------


def with_reason(reason: str, document: str = "CNH") -> Any:
    """A notice with something typed by somebody."""
    return TEXTS.write("diligence_asked", {"document": document, "reason": reason, "answer_until": WHEN}, LINK)


def test_a_line_break_in_a_value_makes_no_header_and_no_footer() -> None:
    text = with_reason("cortada\r\n\r\n-- \nAjuda (11) 99999-9999", "CNH\r\nBcc: todos@exemplo.invalid")
    assert text.subject == "Envie de novo: CNH Bcc: todos@exemplo.invalid"
    assert "Motivo: cortada -- Ajuda (11) 99999-9999\n" in text.body


@pytest.mark.parametrize(
    "trap",
    ["https://golpe.invalid", "HTTP://golpe.invalid", "javascript://golpe", "www.golpe.invalid", "h\u200bttps://golpe"],
)
def test_an_address_in_a_value_is_no_link(trap: str) -> None:
    body = with_reason(f"veja {trap} agora").body
    assert body.count("://") == 1
    assert not re.search(r"\bwww\.", body)


def test_direction_and_control_signs_are_taken_out() -> None:
    assert "Motivo: abc def\n" in with_reason("a\u202eb\x00c\u2028d\u200be\x1bf").body


def test_what_somebody_typed_is_no_template() -> None:
    assert "Motivo: {{ 7 * 7 }} {% if %}\n" in with_reason("{{ 7 * 7 }} {% if %}").body


def test_long_values_are_cut_and_the_subject_fits_on_a_line() -> None:
    text = with_reason("ж" * 5_000, "documento " * 30)
    assert len(text.subject) <= 78
    assert text.subject.endswith("…")
    assert text.body.count("ж") == 999


@given(st.text(max_size=200))
def test_whatever_is_typed_the_notice_keeps_its_form(typed: str) -> None:
    text = with_reason(typed, typed)
    lines = text.body.splitlines()
    assert len(lines) == 6
    assert lines[0].startswith("Motivo:")
    assert lines[-1] == text.link
    assert text.body.count("://") == 1
    assert len(text.subject) <= 78
    assert text.subject.isprintable()


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "link",
    ["", "https://golpe.invalid", "//golpe.invalid", "/\\golpe.invalid", "/minhas mensagens", "/a\nb", "minhas", "/é"],
)
def test_a_link_that_leads_elsewhere_is_refused(link: str) -> None:
    with pytest.raises(ValueError, match="path of this site"):
        TEXTS.write("confirm_email", {}, link)


@pytest.mark.parametrize(
    ("kind", "values", "error"),
    [
        ("no_such_kind", {}, KeyError),
        ("called", {"stand": 3}, TypeError),
        ("called", SAMPLES["called"] | {"bidder": "x"}, TypeError),
        ("called", SAMPLES["called"] | {"stand": "3"}, TypeError),
        ("called", SAMPLES["called"] | {"stand": True}, TypeError),
        ("called", SAMPLES["called"] | {"amount": 9_450}, TypeError),
        ("called", SAMPLES["called"] | {"answer_until": WHEN.replace(tzinfo=None)}, ValueError),
        ("edital_revoked", SAMPLES["edital_revoked"] | {"how": "cancelada"}, ValueError),
        ("last_day", SAMPLES["last_day"] | {"missing": ()}, TypeError),
        ("last_day", SAMPLES["last_day"] | {"missing": "CNH"}, TypeError),
        ("last_day", SAMPLES["last_day"] | {"missing": (1,)}, TypeError),
    ],
)
def test_values_that_do_not_fit_are_refused_where_they_are_given(
    kind: str, values: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        TEXTS.write(kind, values, LINK)


def test_the_samples_are_what_the_kinds_need() -> None:
    for kind, values in SAMPLES.items():
        check(kind, values)
