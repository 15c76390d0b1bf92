"""What a paper accepts and how it writes it: values as Brazil writes them, and what is refused before it is printed."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from tender.law import MUN
from tender.letterhead import Cell, Paper, amount, day, hour, moment, plain
from tender.money import Money
from tender.settings import Municipality
from tests.paper_samples import ADDRESS, CODE, HEAD, OPENED, blank


def test_values_are_written_as_brazil_writes_them() -> None:
    assert plain(Money(945_000)) == "R$\u00a09.450,00"
    assert amount(Money(945_050)) == "R$\u00a09.450,50 (nove mil quatrocentos e cinquenta reais e cinquenta centavos)"
    assert plain(MUN(4, 3)) == "art. 4º, § 3º, da Lei nº 724/2008"
    assert plain(OPENED) == moment(OPENED) == "16/03/2027 às 14:00:00"
    late = OPENED + timedelta(milliseconds=999, microseconds=999)
    assert [hour(late, unit) for unit in ("minute", "second", "millisecond")] == ["14:00", "14:00:00", "14:00:00,999"]
    assert day(OPENED) == "16 de março de 2027"
    assert day(datetime(2027, 4, 2, 2, 59, tzinfo=OPENED.tzinfo)) == "1º de abril de 2027"
    assert plain(OPENED.date()) == "16/03/2027"


@pytest.mark.parametrize("value", [94.5, None, True, b"R$", Money])
def test_a_value_that_has_no_one_way_to_be_written_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="a paper prints"):
        blank().table(["Valor"], [[value]])  # type: ignore[list-item]


def test_money_stands_to_the_right_unless_told_otherwise() -> None:
    paper = blank().table(["Quem", "Quanto"], [["A", Money(100)], ["B", Cell(Money(200), bold=True)]])
    assert paper.story[-1].align == ("left", "right")  # type: ignore[union-attr]
    assert blank().table(["Quanto"], [[Money(1)]], align=["left"]).story[-1].align == ("left",)  # type: ignore[union-attr]


def test_what_would_make_a_broken_paper_is_refused() -> None:
    naive = datetime(2027, 3, 16)  # noqa: DTZ001 - the mistake itself
    refused = [
        lambda: Paper(" ", "", "C", Municipality(), issued_at=OPENED),
        lambda: Paper("T", "", "C", Municipality(), issued_at=naive),
        lambda: hour(naive),
        lambda: blank().heading("Salto", 3),
        lambda: blank().heading(" "),
        lambda: blank().table(["a", "b"], [["só um"]]),
        lambda: blank().table([], []),
        lambda: blank().table(["a"], [], widths=[1, 2]),
        lambda: blank().facts([("a", "b")], columns=4),
        lambda: blank().curve([], opened_at=OPENED, closed_at=OPENED + timedelta(1), alt="x"),
        lambda: blank().stamp("c", 3, 2, HEAD, ADDRESS, CODE),
        lambda: blank().stamp("c", 1, 2, HEAD.upper(), ADDRESS, CODE),
        lambda: blank().stamp("c", 1, 2, HEAD, "javascript:alert(1)", CODE),
        lambda: blank().stamp("c", 1, 2, HEAD, ADDRESS, CODE).stamp("c", 1, 2, HEAD, ADDRESS, CODE),
    ]
    for number, attempt in enumerate(refused):
        with pytest.raises(ValueError, match=r"\w"):
            pytest.fail(f"attempt {number} passed: {attempt()!r}")
