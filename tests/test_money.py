"""Money: the centavo, what people type, what is printed, what is said."""

from __future__ import annotations

import copy
import operator
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from babel.numbers import format_currency
from hypothesis import example, given
from hypothesis import strategies as st

from tender.money import DIGITS_MAX, NBSP, Money, MoneyError, brl, in_words, parse_brl

REAIS_MAX = 10**DIGITS_MAX - 1
typable = st.integers(0, 10 ** (DIGITS_MAX + 2) - 1).map(Money)
amounts = st.integers(-(10**17) + 1, 10**17 - 1).map(Money)


# --- the value ---------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [1.0, True, False, "1", Decimal(1), Fraction(1), None, float("nan"), b"1"])
def test_centavos_are_a_whole_number_and_nothing_else(wrong: Any) -> None:
    with pytest.raises(TypeError, match="centavos must be int"):
        Money(wrong)
    with pytest.raises(TypeError, match="reais must be int"):
        Money.reais(wrong)


def test_money_is_a_frozen_hashable_ordered_value() -> None:
    one = Money(1)
    with pytest.raises(AttributeError):
        one.centavos = 2  # type: ignore[misc]
    assert {Money(1), Money(1), Money(2)} == {Money(2), Money(1)}
    assert Money.reais(8200) == Money(820_000)
    assert sorted([Money(3), Money(-1), Money(2)]) == [Money(-1), Money(2), Money(3)]
    assert Money(99) < Money.reais(1) < Money(101)
    assert copy.deepcopy(one) == one


def test_money_is_not_compared_with_a_number() -> None:
    assert Money(1) != 1  # type: ignore[comparison-overlap]
    with pytest.raises(TypeError):
        Money(1) < 2  # type: ignore[operator]  # noqa: B015


def test_money_adds_and_subtracts_with_money_only() -> None:
    assert Money(150) + Money(50) == Money(200)
    assert Money(150) - Money(200) == Money(-50)
    assert sum([Money(1), Money(2)], Money(0)) == Money(3)


@pytest.mark.parametrize("wrong", [1, 1.0, True, "1", Decimal(1), None])
def test_money_does_not_add_or_subtract_anything_else(wrong: Any) -> None:
    for operation in (operator.add, operator.sub):
        with pytest.raises(TypeError):
            operation(Money(1), wrong)
        with pytest.raises(TypeError):
            operation(wrong, Money(1))


def test_money_multiplies_by_a_whole_number_from_either_side() -> None:
    assert Money(33) * 3 == 3 * Money(33) == Money(99)


@pytest.mark.parametrize("wrong", [1.5, True, Decimal("1.1"), Money(1), "2", None])
def test_money_does_not_multiply_by_anything_else(wrong: Any) -> None:
    with pytest.raises(TypeError):
        Money(100) * wrong
    with pytest.raises(TypeError):
        wrong * Money(100)


@pytest.mark.parametrize("divide", [lambda m: m / 2, lambda m: m // 2, lambda m: m % 2, lambda m: float(m), int, round])
def test_money_is_not_divided_nor_turned_into_a_number(divide: Any) -> None:
    with pytest.raises(TypeError):
        divide(Money(100))


# --- instalments -------------------------------------------------------------------------------


def test_the_residue_goes_into_the_last_instalment() -> None:
    parts = Money.reais(611_900).split(240)
    assert parts[:-1] == (Money(254_958),) * 239
    assert parts[-1] == Money(255_038)
    assert [str(parts[0]), str(parts[-1])] == [f"R${NBSP}2.549,58", f"R${NBSP}2.550,38"]


# fmt: off
INSTALMENTS = [
    (100, 1, [100]), (100, 3, [33, 33, 34]), (99, 3, [33, 33, 33]), (101, 3, [33, 33, 35]), (2, 3, [0, 0, 2]),
    (0, 2, [0, 0]),
]
# fmt: on


@pytest.mark.parametrize(("centavos", "n", "parts"), INSTALMENTS)
def test_instalments_by_hand(centavos: int, n: int, parts: list[int]) -> None:
    assert Money(centavos).split(n) == tuple(Money(part) for part in parts)


@given(typable, st.integers(1, 480))
def test_instalments_add_up_and_only_the_last_one_differs(money: Money, n: int) -> None:
    parts = money.split(n)
    assert len(parts) == n
    assert sum(parts, Money(0)) == money
    assert len(set(parts[:-1])) <= 1
    assert Money(0) <= parts[-1] - parts[0] < Money(n)


def test_there_is_at_least_one_instalment() -> None:
    for n in (0, -1):
        with pytest.raises(ValueError, match="at least one instalment"):
            Money(100).split(n)


@pytest.mark.parametrize("n", [True, 2.0, "2"])
def test_the_number_of_instalments_is_a_whole_number(n: Any) -> None:
    with pytest.raises(TypeError, match="n must be int"):
        Money(100).split(n)


def test_a_debt_is_not_split() -> None:
    assert Money(0).split(1) == (Money(0),)
    with pytest.raises(ValueError, match="negative"):
        Money(-1).split(1)


# --- reading -----------------------------------------------------------------------------------


# fmt: off
READ = {
    "8200": 820_000, "8.200": 820_000, "8.200,00": 820_000, "8200,00": 820_000, "1234,56": 123_456,
    "1.234,56": 123_456, "R$ 8.200": 820_000, "R$8.200": 820_000, "r$ 8.200,00": 820_000, f"R${NBSP}8.200": 820_000,
    f"{NBSP}8.200{NBSP}": 820_000, "R$\N{NARROW NO-BREAK SPACE}8.200": 820_000, "  8.200\r\n": 820_000,
    "1.500": 150_000, "1.500,00": 150_000, "15,00": 1_500, "27500000": 2_750_000_000, "0": 0, "0,01": 1, "0,99": 99,
    "1": 100, "999": 99_900, "1000": 100_000, "1.000.000,01": 100_000_001,
}
# fmt: on


@pytest.mark.parametrize(("typed", "centavos"), READ.items())
def test_what_has_one_meaning_in_brazil_is_read(typed: str, centavos: int) -> None:
    assert parse_brl(typed) == Money(centavos)


@pytest.mark.parametrize(
    ("typed", "meanings"),
    [
        ("15.00", ("15,00", "1.500,00")),
        ("1,500", ("1,50", "1.500,00")),
        ("9.5", ("9,50", "95,00")),
        ("1234.56", ("1.234,56", "123.456,00")),
        ("0.500", ("0,50", "500,00")),
        ("27,500,000", ("27.500,00", "27.500.000,00")),
        ("1..500", ("1,50", "1.500,00")),
        ("1.234,567", ("1.234,56", "1.234.567,00")),
    ],
)
def test_what_has_two_meanings_is_asked_with_both(typed: str, meanings: tuple[str, ...]) -> None:
    with pytest.raises(MoneyError) as asked:
        parse_brl(typed)
    assert asked.value.reason_pt == f"“{typed}” pode ser lido de mais de um modo"
    assert asked.value.passes == meanings
    assert str(asked.value).endswith(f" Escreva {meanings[0]} ou {meanings[1]}.")


# fmt: off
REFUSED = {
    "o valor está vazio": {"": "8.200,00", f" {NBSP} ": "8.200,00", "R$": "8.200,00"},
    "o valor só leva algarismos, pontos de milhar e vírgula": dict.fromkeys((
        "NaN", "Infinity", "1e5", "0x10", "1_500", "8200 reais", "US$ 5", "8\N{ZERO WIDTH SPACE}200",
        "\N{RIGHT-TO-LEFT OVERRIDE}8200", "½",
    ), "8.200,00"),
    "use os algarismos comuns, de 0 a 9": {"\uff11\uff12,00": "12,00", "\u0661\u0662\u0663": "123,00"},
    "o valor não leva sinal nem parênteses": {
        "-5": "5,00", "+5": "5,00", "\N{MINUS SIGN}1.500,00": "1.500,00", "(1.500,00)": "1.500,00", "R$ -5": "5,00",
    },
    "o valor tem espaço no meio": {"1 500": "1.500,00", "2 .500": "2.500,00"},
    "os centavos têm dois algarismos depois da vírgula": {
        "12,3": "12,30", "1.234,5": "1.234,50", "1,2345": "8.200,00",
    },
    "pontos e vírgulas estão fora do lugar": {
        "8.200,": "8.200,00", ",50": "0,50", "1,234.56": "1.234,56", "1.23.4567": "1.234.567,00", ".": "8.200,00",
        "1,2,3,4,5,6,7,8,9,0,1,2": "12.345.678.901,20",
    },
    "o valor começa com zero": {"007": "7,00", "00,50": "0,50"},
}
# fmt: on


@pytest.mark.parametrize(("reason", "typed"), [(reason, typed) for reason, texts in REFUSED.items() for typed in texts])
def test_anything_else_is_refused_and_told_what_would_pass(reason: str, typed: str) -> None:
    with pytest.raises(MoneyError) as refused:
        parse_brl(typed)
    assert (refused.value.reason_pt, refused.value.passes) == (reason, (REFUSED[reason][typed],))


def test_the_message_is_one_portuguese_sentence_and_its_remedy() -> None:
    with pytest.raises(MoneyError, match=r"^O valor está vazio\. Escreva, por exemplo, 8\.200,00\.$"):
        parse_brl("")
    with pytest.raises(MoneyError, match=r"^O valor tem espaço no meio\. Escreva 1\.500,00\.$"):
        parse_brl("1 500")


def test_twelve_digits_before_the_comma_pass_and_thirteen_do_not() -> None:
    assert parse_brl("9" * 12) == parse_brl("999.999.999.999,00") == Money.reais(REAIS_MAX)
    assert parse_brl("9" * 12 + ",99") == Money(10**14 - 1)
    for typed in ("1" + "0" * 12, "1.000.000.000.000,00"):
        with pytest.raises(MoneyError, match="algarismos demais: no máximo 12"):
            parse_brl(typed)


@pytest.mark.parametrize("typed", ["9" * 25, "9" * 100_000, "R$ " + "0" * 25, "x" * 25])
def test_a_very_long_text_is_refused_unread(typed: str) -> None:
    with pytest.raises(MoneyError, match="comprido demais") as refused:
        parse_brl(typed)
    assert len(str(refused.value)) < 120


@pytest.mark.parametrize("typed", ["8200", "8.200", "8.200,00", "R$ 8.200"])
def test_whole_reais_pass_where_centavos_do_not(typed: str) -> None:
    assert parse_brl(typed, whole_reais=True) == Money.reais(8200)


@pytest.mark.parametrize(
    ("typed", "passes"),
    [
        ("8.200,50", ("8.200", "8.201")),
        ("8.200,01", ("8.200", "8.201")),
        ("8.199,99", ("8.199", "8.200")),
        ("0,50", ("0", "1")),
        ("9" * 12 + ",99", ("999.999.999.999",)),
    ],
)
def test_centavos_in_whole_reais_are_refused_by_the_rule(typed: str, passes: tuple[str, ...]) -> None:
    with pytest.raises(MoneyError) as refused:
        parse_brl(typed, whole_reais=True)
    assert refused.value.reason_pt == "este valor é em reais inteiros, sem centavos (regra do edital)"
    assert refused.value.passes == passes


def test_in_whole_reais_the_two_meanings_are_whole_too() -> None:
    for typed, passes in [
        ("15.00", ("15", "1.500")),
        ("9.5", ("9", "10", "95")),
        ("12,3", ("12", "13")),
        ("abc", ("8.200",)),
    ]:
        with pytest.raises(MoneyError) as asked:
            parse_brl(typed, whole_reais=True)
        assert asked.value.passes == passes


@given(
    st.one_of(
        st.text(max_size=26),
        st.text("0123456789.,", max_size=20),
        st.text(f"R$0159.,-+ {NBSP}\u0661\uff11e", max_size=12),
    ),
    st.booleans(),
)
@example("1,234", True)
def test_any_text_is_read_or_asked_and_every_remedy_passes(typed: str, whole_reais: bool) -> None:
    money, remedies = read(typed, whole_reais)
    if money is None:
        assert remedies
        for remedy in remedies:
            parse_brl(remedy, whole_reais)
    else:
        reais, _, cents = re.sub(r"[^0-9,]", "", typed).partition(",")
        assert money.centavos == int(reais) * 100 + int(cents or 0)
        assert len(cents) in (0, 2)
        assert not (whole_reais and money.centavos % 100)


def read(typed: str, whole_reais: bool) -> tuple[Money | None, tuple[str, ...]]:
    try:
        return parse_brl(typed, whole_reais), ()
    except MoneyError as asked:
        return None, asked.passes


@given(typable, st.sampled_from(["always", "auto"]))
def test_what_is_printed_is_read_back(money: Money, cents: Any) -> None:
    assert parse_brl(brl(money, cents)) == money


# --- printing ----------------------------------------------------------------------------------


# fmt: off
PRINTED = [
    (0, "R$ 0,00", "R$ 0"), (1, "R$ 0,01", "R$ 0,01"), (99, "R$ 0,99", "R$ 0,99"), (100, "R$ 1,00", "R$ 1"),
    (99_999, "R$ 999,99", "R$ 999,99"), (100_000, "R$ 1.000,00", "R$ 1.000"), (123_456, "R$ 1.234,56", "R$ 1.234,56"),
    (945_000, "R$ 9.450,00", "R$ 9.450"), (-50, "-R$ 0,50", "-R$ 0,50"), (-100, "-R$ 1,00", "-R$ 1"),
]
# fmt: on


@pytest.mark.parametrize(("centavos", "always", "auto"), PRINTED)
def test_amounts_on_paper_and_on_screens(centavos: int, always: str, auto: str) -> None:
    money = Money(centavos)
    assert str(money) == brl(money) == f"{money}" == always.replace(" ", NBSP)
    assert brl(money, cents="auto") == auto.replace(" ", NBSP)


@given(amounts)
def test_printing_agrees_with_the_unicode_locale_data(money: Money) -> None:
    assert str(money) == format_currency(Decimal(money.centavos).scaleb(-2), "BRL", locale="pt_BR")


# --- words -------------------------------------------------------------------------------------


# fmt: off
WORDS = {
    0: "zero real", 1: "um centavo", 2: "dois centavos", 14: "quatorze centavos", 99: "noventa e nove centavos",
    100: "um real", 101: "um real e um centavo", 200: "dois reais", 2_150: "vinte e um reais e cinquenta centavos",
    10_000: "cem reais", 10_100: "cento e um reais", 99_900: "novecentos e noventa e nove reais", 100_000: "mil reais",
    100_100: "mil e um reais", 110_000: "mil e cem reais", 110_100: "mil cento e um reais",
    120_000: "mil e duzentos reais", 123_456: "mil duzentos e trinta e quatro reais e cinquenta e seis centavos",
    200_000: "dois mil reais", 820_000: "oito mil e duzentos reais", 10_000_000: "cem mil reais",
    10_100_000: "cento e um mil reais", 61_190_000: "seiscentos e onze mil e novecentos reais",
    100_000_000: "um milhão de reais", 100_000_001: "um milhão de reais e um centavo",
    100_000_100: "um milhão e um reais", 100_100_000: "um milhão e mil reais", 110_000_000: "um milhão e cem mil reais",
    123_456_700: "um milhão duzentos e trinta e quatro mil quinhentos e sessenta e sete reais",
    123_410_000: "um milhão duzentos e trinta e quatro mil e cem reais", 200_000_000: "dois milhões de reais",
    2_750_000_000: "vinte e sete milhões e quinhentos mil reais", 100_000_000_000: "um bilhão de reais",
    100_100_000_000: "um bilhão e um milhão de reais", 300_000_000_000_000: "três trilhões de reais",
    -150: "menos um real e cinquenta centavos",
}
# fmt: on


@pytest.mark.parametrize(("centavos", "words"), WORDS.items())
def test_amounts_in_words(centavos: int, words: str) -> None:
    assert in_words(Money(centavos)) == words


def test_words_end_before_a_quadrillion() -> None:
    assert in_words(Money.reais(10**15 - 1)).startswith("novecentos e noventa e nove trilhões novecentos")
    with pytest.raises(ValueError, match="quadrillion"):
        in_words(Money.reais(10**15))


# fmt: off
SAID = {
    "zero": 0, "um": 1, "dois": 2, "três": 3, "quatro": 4, "cinco": 5, "seis": 6, "sete": 7, "oito": 8, "nove": 9,
    "dez": 10, "onze": 11, "doze": 12, "treze": 13, "quatorze": 14, "quinze": 15, "dezesseis": 16, "dezessete": 17,
    "dezoito": 18, "dezenove": 19, "vinte": 20, "trinta": 30, "quarenta": 40, "cinquenta": 50, "sessenta": 60,
    "setenta": 70, "oitenta": 80, "noventa": 90, "cem": 100, "cento": 100, "duzentos": 200, "trezentos": 300,
    "quatrocentos": 400, "quinhentos": 500, "seiscentos": 600, "setecentos": 700, "oitocentos": 800, "novecentos": 900,
}
# fmt: on
TIMES = {"mil": 10**3, "milhão": 10**6, "milhões": 10**6, "bilhão": 10**9, "bilhões": 10**9}
TIMES |= {"trilhão": 10**12, "trilhões": 10**12}


def heard(words: str) -> int:
    """Centavos heard in an amount said aloud: an ear that knows nothing of the mouth."""
    sign = -1 if words.startswith("menos ") else 1
    total, reais, group = 0, 0, 0
    for word in words.removeprefix("menos ").split():
        if word in SAID:
            group += SAID[word]
        elif word in TIMES:
            reais += (group or 1) * TIMES[word]
            group = 0
        elif word in ("real", "reais"):
            total += (reais + group) * 100
            reais = group = 0
        elif word in ("centavo", "centavos"):
            total += group
        else:
            assert word in ("e", "de"), word
    return sign * total


@given(st.one_of(amounts, st.integers(0, 10_000_00).map(Money), st.integers(0, 10**9).map(Money.reais)))
def test_the_words_are_heard_as_the_amount(money: Money) -> None:
    words = in_words(money)
    assert heard(words) == money.centavos
    assert "," not in words
    assert not re.search(r"(?<!e )\bum mil\b|\be e\b|  ", words)


@given(st.integers(1, 10**15 - 1) | st.integers(1, 10**9 - 1).map(lambda n: n * 10**6))
def test_the_unit_agrees_in_number_and_takes_de_after_round_millions(reais: int) -> None:
    words = in_words(Money.reais(reais))
    assert words.endswith(" real") == (reais == 1)
    assert words.endswith(" de reais") == (reais % 10**6 == 0)
