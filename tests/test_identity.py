"""Identities: every one is right or refused with its reason; the public sees only what it may.

Oracles: validate-docbr (all check digits) and python-stdnum (CNPJ). People, companies and vehicles are invented.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest
import validate_docbr as docbr
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from stdnum.br import cnpj as stdnum_cnpj
from stdnum.br import cpf as stdnum_cpf

from tender import identity
from tender.identity import Cep, Cnh, Cnpj, Cpf, IdentityError, Nit, Phone, Placa, Renavam, cpf_or_cnpj

KINDS = (Cpf, Cnpj, Cnh, Renavam, Nit, Placa, Cep, Phone)
EVERY_KIND = pytest.mark.parametrize("kind", KINDS)

# fmt: off
PEOPLE = [  # CPF, CNH, NIT
    ("10203040651", "04567890104", "12012345672"), ("30405060645", "03123456794", "12098765438"),
    ("50607080639", "05678901260", "13012398766"), ("70809010658", "02345678929", "12511122237"),
]
COMPANIES = ["11222333000181", "11222333000262", "44555666000181", "12ABC34501DE35", "55666777000181", "99888777000100"]
VEHICLES = [("01234567897", "TAX0E27"), ("09876543216", "TAX9F19"), ("05554443334", "HXT-1234")]
# fmt: on


def reason(kind: Any, typed: str) -> str:
    with pytest.raises(IdentityError) as refused:
        kind(typed)
    assert refused.value.field == kind.FIELD
    assert str(refused.value) == f"{kind.FIELD}: {refused.value.reason_pt}. Passa, por exemplo, {kind.EXAMPLE}."
    return refused.value.reason_pt


# --- what all have in common -------------------------------------------------------------------


@EVERY_KIND
def test_the_example_of_each_refusal_passes_and_its_print_is_read_back(kind: Any) -> None:
    document = kind(kind.EXAMPLE)
    assert kind(str(document)) == kind(document.bare) == document
    assert kind(f"  {kind.EXAMPLE.lower()}\n") == document
    assert document.bare.isascii()
    assert document.bare.isalnum()


@EVERY_KIND
def test_an_identity_is_a_frozen_hashable_value_of_its_own_kind(kind: Any) -> None:
    document = kind(kind.EXAMPLE)
    with pytest.raises(AttributeError):
        document.bare = "1"
    assert {document, kind(kind.EXAMPLE)} == {document}
    assert copy.deepcopy(document) == document
    assert document != document.bare


def test_a_cnh_and_a_nit_with_the_same_digits_are_not_equal() -> None:
    assert Cnh("12012345672") != Nit("12012345672")  # type: ignore[comparison-overlap]


@EVERY_KIND
@pytest.mark.parametrize("one", ["\u0661", "\uff11", "\u0967", "\u00b9", "\U0001d7cf"])
def test_digits_of_other_scripts_are_refused_in_every_document(kind: Any, one: str) -> None:
    for place, sign in enumerate(kind.EXAMPLE):
        if sign.isdigit():
            assert reason(kind, kind.EXAMPLE[:place] + one + kind.EXAMPLE[place + 1 :]).startswith("só leva algarismos")


@pytest.mark.parametrize("letter", ["É", "\u017f", "\u0131", "\u0391", "\uff21"])
def test_letters_that_upper_case_would_turn_into_ascii_are_refused(letter: str) -> None:
    assert "letras sem acento" in reason(Cnpj, f"12ABC34501D{letter}35")
    assert "letras sem acento" in reason(Placa, f"TA{letter}0E27")


@EVERY_KIND
@pytest.mark.parametrize("typed", ["", " ", "\N{NO-BREAK SPACE}"])
def test_an_empty_field_is_said_to_be_empty(kind: Any, typed: str) -> None:
    assert reason(kind, typed) == "está vazio"


@EVERY_KIND
def test_marks_alone_are_not_a_document(kind: Any) -> None:
    assert reason(kind, "-")


@EVERY_KIND
@pytest.mark.parametrize("typed", ["1" * 41, "1" * 100_000])
def test_a_very_long_text_is_refused_unread(kind: Any, typed: str) -> None:
    assert reason(kind, typed) == "é comprido demais"


@EVERY_KIND
@given(st.text(max_size=20), st.text("0123456789AZ./-+() ", max_size=20))
def test_any_text_is_an_identity_or_refused_without_repeating_it(kind: Any, odd: str, likely: str) -> None:
    for typed in (odd, likely):
        refusal = refused_with(kind, typed)
        digits = "".join(sign for sign in typed if sign.isdigit())
        if refusal and len(digits) > 4:
            assert digits not in refusal.removesuffix(f"{kind.EXAMPLE}.")


def refused_with(kind: Any, typed: str) -> str:
    try:
        assert kind(typed).bare
    except IdentityError as refusal:
        return str(refusal)
    return ""


# fmt: off
SEEN = [  # typed, stored, printed, public
    (Cpf, "529.982.247-25", "52998224725", "529.982.247-25", "***.982.247-**"),
    (Cpf, " 12345678909 ", "12345678909", "123.456.789-09", "***.456.789-**"),
    (Cnpj, "11222333000181", "11222333000181", "11.222.333/0001-81", "11.222.333/0001-81"),
    (Cnpj, "12.abc.345/01de-35", "12ABC34501DE35", "12.ABC.345/01DE-35", "12.ABC.345/01DE-35"),
    (Cnh, "045 678 901 04", "04567890104", "04567890104", "***********"),
    (Renavam, "1234567897", "01234567897", "01234567897", "***********"),
    (Nit, "12012345672", "12012345672", "120.12345.67-2", "***.*****.**-*"),
    (Placa, "hxt 1234", "HXT1234", "HXT-1234", "***-****"),
    (Placa, "tax-0e27", "TAX0E27", "TAX0E27", "*******"),
    (Cep, "38.465-000", "38465000", "38465-000", "*****-***"),
    (Phone, "+55 34 90000-0000", "34900000000", "(34) 90000-0000", "(**) *****-****"),
    (Phone, "3432000000", "3432000000", "(34) 3200-0000", "(**) ****-****"),
]
# fmt: on


@pytest.mark.parametrize(("kind", "typed", "stored", "printed", "public"), SEEN)
def test_stored_printed_and_public_forms(kind: Any, typed: str, stored: str, printed: str, public: str) -> None:
    document = kind(typed)
    assert (document.bare, str(document), document.public) == (stored, printed, public)
    assert repr(document) == f"{kind.__name__}('{public}')"


def test_the_fictitious_people_companies_and_vehicles_pass() -> None:
    for cpf, cnh, nit in PEOPLE:
        assert Cpf(cpf).bare == cpf
        assert not Cnh(cnh).suspicious
        assert Nit(nit).bare == nit
    for cnpj in COMPANIES:
        assert Cnpj(cnpj).bare == cnpj
    for renavam, placa in VEHICLES:
        assert Renavam(renavam).bare == renavam
        assert str(Placa(placa)) == placa


# --- CPF ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("typed", ["529.982.247-25", "000.000.001-91", "123.456.789-09", "529 982 247 25"])
def test_a_right_cpf_passes(typed: str) -> None:
    assert Cpf(typed).bare == "".join(sign for sign in typed if sign.isdigit())


@pytest.mark.parametrize("digit", "0123456789")
def test_the_ten_repeated_cpfs_are_refused(digit: str) -> None:
    assert reason(Cpf, digit * 11) == "repete um só algarismo"


@pytest.mark.parametrize("typed", ["52998224724", "52998224735", "52998224752", "12345678900"])
def test_a_wrong_check_digit_of_a_cpf_is_refused(typed: str) -> None:
    assert reason(Cpf, typed) == "tem um dígito verificador que não confere; confira cada algarismo"


def test_a_cpf_is_not_filled_with_zeros_but_told_so() -> None:
    assert reason(Cpf, "0000000191") == "tem 10 caracteres e são 11 (faltou zero à esquerda?)"
    assert reason(Cpf, "191") == "tem 3 caracteres e são 11"
    assert reason(Cpf, "529982247250") == "tem 12 caracteres e são 11"


@settings(max_examples=25)
@given(st.from_regex(r"[0-9]{9}", fullmatch=True), st.from_regex(r"[0-9]{2}", fullmatch=True))
def test_exactly_one_pair_of_check_digits_makes_a_cpf(nine: str, pair: str) -> None:
    assume(len(set(nine)) > 1)
    passing = [f"{nine}{two:02}" for two in range(100) if not refused_with(Cpf, f"{nine}{two:02}")]
    assert len(passing) == 1
    assert docbr.CPF().validate(passing[0])
    assert stdnum_cpf.is_valid(passing[0])
    assert docbr.CPF().validate(nine + pair) == (nine + pair == passing[0])


# --- CNPJ --------------------------------------------------------------------------------------

# fmt: off
CNPJS = [
    "12.ABC.345/01DE-35", "12ABC34501DE35", "00.000.000/0001-91", "16.727.230/0001-97", "11.222.333/0001-81",
    "AAAAAAAAAAAA45", "ZZZZZZZZZZZZ62", "12.abc.345/01de-35",
]
# fmt: on


@pytest.mark.parametrize("typed", CNPJS)
def test_a_right_cnpj_numeric_or_alphanumeric_passes(typed: str) -> None:
    assert Cnpj(typed).bare == "".join(sign for sign in typed.upper() if sign.isalnum())


@pytest.mark.parametrize("typed", ["12.ABC.345/01DE-53", "12.ABC.345/01DE-45", "11.222.333/0001-82", "11222333000191"])
def test_a_wrong_check_digit_of_a_cnpj_is_refused(typed: str) -> None:
    assert reason(Cnpj, typed) == "tem um dígito verificador que não confere; confira cada algarismo"


def test_the_check_digits_of_a_cnpj_are_never_letters() -> None:
    assert reason(Cnpj, "12ABC34501DE3A") == "os dois últimos são sempre algarismos"
    assert reason(Cnpj, "12ABC34501DEA5") == "os dois últimos são sempre algarismos"


@pytest.mark.parametrize("digit", "0123456789")
def test_the_zero_cnpj_and_the_other_repeated_ones_are_refused(digit: str) -> None:
    assert reason(Cnpj, digit * 14) == "repete um só algarismo"
    assert reason(Cnpj, "00.000.000/0000-00") == "repete um só algarismo"


def test_a_cnpj_has_fourteen_signs() -> None:
    assert reason(Cnpj, "1122233300018") == "tem 13 caracteres e são 14 (faltou zero à esquerda?)"
    assert reason(Cnpj, "112223330001811") == "tem 15 caracteres e são 14"
    assert reason(Cnpj, "191") == "tem 3 caracteres e são 14"


@pytest.mark.parametrize("typed", ["1122233300018\u0661", "\u0661\u0661222333000181", "12ABC34501DÉ35"])
def test_a_cnpj_with_foreign_signs_is_refused(typed: str) -> None:
    assert reason(Cnpj, typed) == "só leva algarismos comuns (0 a 9) e letras sem acento"


def test_head_office_and_branch_share_the_root() -> None:
    assert Cnpj("11222333000181").root == Cnpj("11.222.333/0002-62").root == "11222333"


@settings(max_examples=25)
@given(st.one_of(st.from_regex(r"[0-9]{12}", fullmatch=True), st.from_regex(r"[0-9A-Z]{12}", fullmatch=True)))
def test_exactly_one_pair_of_check_digits_makes_a_cnpj(twelve: str) -> None:
    assume(len(set(twelve)) > 1)
    passing = [f"{twelve}{two:02}" for two in range(100) if not refused_with(Cnpj, f"{twelve}{two:02}")]
    assert len(passing) == 1
    assert docbr.CNPJ().validate(passing[0])
    assert stdnum_cnpj.is_valid(passing[0])


def test_one_field_for_both_takes_whichever_was_typed() -> None:
    assert cpf_or_cnpj("529.982.247-25") == Cpf("52998224725")
    assert cpf_or_cnpj("11.222.333/0001-81") == Cnpj("11222333000181")
    assert cpf_or_cnpj("12abc34501de35") == Cnpj("12ABC34501DE35")
    with pytest.raises(IdentityError, match=r"^CPF: tem 10"):
        cpf_or_cnpj("5299822472")
    with pytest.raises(IdentityError, match=r"^CNPJ: tem 12"):
        cpf_or_cnpj("529982247255")


# --- CNH, Renavam, NIT -------------------------------------------------------------------------


@pytest.mark.parametrize("typed", ["98765432100", "04567890105", "04567890114", "11111111111", "00000000000"])
def test_a_wrong_check_digit_of_a_cnh_warns_and_does_not_refuse(typed: str) -> None:
    assert Cnh(typed).suspicious
    assert Cnh(typed).bare == typed


def test_a_cnh_of_another_length_is_refused() -> None:
    assert reason(Cnh, "0456789010") == "tem 10 caracteres e são 11 (faltou zero à esquerda?)"
    assert reason(Cnh, "045678901044") == "tem 12 caracteres e são 11"


@given(st.from_regex(r"[0-9]{11}", fullmatch=True))
def test_suspicion_of_a_cnh_agrees_with_the_oracle(bare: str) -> None:
    assert Cnh(bare).suspicious is not docbr.CNH().validate(bare)


@settings(max_examples=25)
@given(st.from_regex(r"[0-9]{9}", fullmatch=True))
def test_every_nine_digits_have_one_unsuspicious_cnh(nine: str) -> None:
    assume(len(set(nine)) > 1)
    passing = [f"{nine}{two:02}" for two in range(100) if not Cnh(f"{nine}{two:02}").suspicious]
    assert [docbr.CNH().validate(bare) for bare in passing] == [True]


@pytest.mark.parametrize("nine", ["000000042", "100000001", "200000003", "000000093", "000000182"])
def test_a_rest_of_ten_makes_the_first_digit_zero_and_takes_two_from_the_second(nine: str) -> None:
    passing = [f"{nine}{two:02}" for two in range(100) if not Cnh(f"{nine}{two:02}").suspicious]
    assert [docbr.CNH().validate(bare) for bare in passing] == [True]
    assert sum(int(digit) * weight for digit, weight in zip(nine, range(9, 0, -1), strict=True)) % 11 == 10
    assert passing[0][9] == "0"


def test_an_old_renavam_of_nine_digits_is_filled_with_zeros() -> None:
    eleven = next(f"00{n}" for n in range(123456780, 123456790) if docbr.RENAVAM().validate(f"00{n}"))
    assert Renavam(eleven[2:]) == Renavam(eleven[1:]) == Renavam(eleven)


def test_a_wrong_renavam_is_refused() -> None:
    assert reason(Renavam, "01234567898") == "tem um dígito verificador que não confere; confira cada algarismo"
    assert reason(Renavam, "12345678") == "tem 8 algarismos e são de 9 a 11"
    assert reason(Renavam, "012345678970") == "tem 12 algarismos e são de 9 a 11"
    assert reason(Renavam, "000000000") == "repete um só algarismo"


@given(st.from_regex(r"[0-9]{11}", fullmatch=True))
def test_renavam_and_nit_agree_with_the_oracle(bare: str) -> None:
    assume(len(set(bare)) > 1)
    right = bare[:10] + next(d for d in "0123456789" if docbr.PIS().validate(bare[:10] + d))
    for kind, oracle in ((Renavam, docbr.RENAVAM()), (Nit, docbr.PIS())):
        assert (not refused_with(kind, bare)) == oracle.validate(bare)
        assert not refused_with(kind, right)


def test_a_wrong_nit_is_refused() -> None:
    assert reason(Nit, "120.12345.67-3") == "tem um dígito verificador que não confere; confira cada algarismo"
    assert reason(Nit, "1201234567") == "tem 10 caracteres e são 11 (faltou zero à esquerda?)"
    assert reason(Nit, "0" * 11) == "repete um só algarismo"


# --- plate, CEP, telephone ---------------------------------------------------------------------


def test_old_and_mercosul_plates_of_one_vehicle_are_the_same() -> None:
    assert not Placa("ABC-1234").is_mercosul
    assert Placa("ABC1C34").is_mercosul
    assert Placa("ABC-1234").mercosul == Placa("ABC1C34").mercosul == "ABC1C34"
    assert Placa("ABC1034").mercosul == "ABC1A34"
    assert Placa("ABC1934").mercosul == "ABC1J34"


@pytest.mark.parametrize("typed", ["AB-1234", "ABCD123", "ABC12345", "ABC123", "1234ABC", "ABC1CC4", "ABCC134"])
def test_anything_else_is_not_a_plate(typed: str) -> None:
    assert "Mercosul" in reason(Placa, typed)


def test_a_cep_has_eight_digits_and_does_not_begin_with_two_zeros() -> None:
    assert Cep("01000-000").bare == "01000000"
    assert reason(Cep, "00999-999") == "nenhum começa por 00"
    assert reason(Cep, "3846500") == "tem 7 caracteres e são 8 (faltou zero à esquerda?)"


# fmt: off
CALLED = {
    "34 90000-0000": "34900000000", "(34)900000000": "34900000000", "034 90000-0000": "34900000000",
    "5534900000000": "34900000000", "+55 (34) 90000.0000": "34900000000", "+553432000000": "3432000000",
    "553432000000": "3432000000", "03432000000": "3432000000", "55 90000-0000": "55900000000",
    "55 3200-0000": "5532000000", "+55 55 90000-0000": "55900000000", "(34) 2000-0000": "3420000000",
    "(34) 5999-9999": "3459999999",
}
NOT_CALLED = {
    "90000-0000": "deve ter o DDD", "3200-0000": "deve ter o DDD", "0800 000 0000": "este DDD não existe",
    "+1 34 90000-0000": "+55",
    "20 90000-0000": "este DDD não existe", "00 90000-0000": "este DDD não existe", "34 80000-0000": "começa por 9",
    "34 9000-0000": "falta o 9", "34 1000-0000": "falta o 9", "34 6000-0000": "falta o 9", "+34900000000": "+55",
    "34 90000-00000": "deve ter o DDD", "3+490000000": "deve ter o DDD", "+55 34900000": "deve ter o DDD",
}
# fmt: on


@pytest.mark.parametrize(("typed", "bare"), CALLED.items())
def test_a_telephone_is_kept_as_its_national_number(typed: str, bare: str) -> None:
    phone = Phone(typed)
    assert (phone.bare, phone.e164, phone.is_mobile) == (bare, f"+55{bare}", len(bare) == 11)


@pytest.mark.parametrize(("typed", "part"), NOT_CALLED.items())
def test_a_number_that_cannot_be_called_is_refused(typed: str, part: str) -> None:
    assert part in reason(Phone, typed)


def test_brazil_has_67_area_codes() -> None:
    assert len(identity._AREAS) == 67
