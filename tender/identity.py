"""Brazilian identities as values: normalised, checked, printed, masked for the public.

Each type takes what a person types (with or without its mask) and either is right or raises IdentityError.
`.bare` is what is stored, `str()` the full printed form, `.public` what anybody may see, `repr()` never
the number (it ends in logs). Check digits are computed here because the usual library brings in chance;
that library and another are the oracles of the tests.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

_TYPED_MAX = 40


class IdentityError(ValueError):
    """What was typed is not this document. Portuguese; never repeats the number.

    `field`: the document ("CPF"); `reason_pt`: the rule it breaks; `passes`: an example that passes.
    """

    def __init__(self, field: str, reason_pt: str, passes: str) -> None:
        self.field = field
        self.reason_pt = reason_pt
        self.passes = passes
        super().__init__(f"{field}: {reason_pt}. Passa, por exemplo, {passes}.")


@dataclass(frozen=True, slots=True, repr=False)
class _Document(ABC):
    """One identity, made from what was typed; after that `bare` is upper-case ASCII without mask."""

    bare: str

    FIELD: ClassVar[str]
    EXAMPLE: ClassVar[str]
    MARKS: ClassVar[str] = " ./-"
    SIGNS: ClassVar[str] = "0-9"
    PUBLIC: ClassVar[slice] = slice(0)

    def __post_init__(self) -> None:
        # ASCII first: upper() turns some foreign letters into ASCII ones, and several scripts have digits.
        typed = self.bare.strip()
        if not typed:
            raise self._wrong("está vazio")
        if len(typed) > _TYPED_MAX:
            raise self._wrong("é comprido demais")
        if not typed.isascii() or not re.fullmatch(f"[{self.SIGNS}{re.escape(self.MARKS)}]+", typed.upper()):
            raise self._wrong(f"só leva {self._signs_pt()}")
        bare = self._settle(re.sub(f"[{re.escape(self.MARKS)}]", "", typed.upper()))
        object.__setattr__(self, "bare", bare)

    @abstractmethod
    def _settle(self, bare: str) -> str:
        """Check what is left without its mask; return what is stored."""

    @classmethod
    def _wrong(cls, reason_pt: str) -> IdentityError:
        return IdentityError(cls.FIELD, reason_pt, cls.EXAMPLE)

    @classmethod
    def _signs_pt(cls) -> str:
        return "algarismos comuns (0 a 9)" + (" e letras sem acento" if "A" in cls.SIGNS else "")

    def _has_length(self, bare: str, length: int) -> None:
        if len(bare) != length:
            hint = " (faltou zero à esquerda?)" if len(bare) == length - 1 else ""
            raise self._wrong(f"tem {len(bare)} caracteres e são {length}{hint}")

    def _not_repeated(self, bare: str) -> None:
        if len(set(bare)) == 1:
            raise self._wrong("repete um só algarismo")

    def _has_check(self, bare: str, expected: str) -> None:
        if not bare.endswith(expected):
            raise self._wrong("tem um dígito verificador que não confere; confira cada algarismo")

    @property
    def public(self) -> str:
        """The printed form with `*` over everything the public may not see."""
        shown = range(len(self.bare))[self.PUBLIC]
        place, signs = 0, []
        for sign in str(self):
            if not sign.isalnum():
                signs.append(sign)
                continue
            signs.append(sign if place in shown else "*")
            place += 1
        return "".join(signs)

    def __str__(self) -> str:
        return self.bare

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.public!r})"


def _check_digit(bare: str, weights: Iterable[int]) -> str:
    # A sign counts for its ASCII code minus 48: digits as themselves, A = 17 (Receita Federal, CNPJ alfanumérico).
    total = sum((ord(sign) - 48) * weight for sign, weight in zip(bare, weights, strict=True))
    return str(total * 10 % 11 % 10)


class Cpf(_Document):
    """CPF: 11 digits; the ten repeated ones are refused. Public: `***.982.247-**`."""

    __slots__ = ()
    FIELD = "CPF"
    EXAMPLE = "123.456.789-09"
    PUBLIC = slice(3, 9)

    def _settle(self, bare: str) -> str:
        self._has_length(bare, 11)
        self._not_repeated(bare)
        first = _check_digit(bare[:9], range(10, 1, -1))
        self._has_check(bare, first + _check_digit(bare[:9] + first, range(11, 1, -1)))
        return bare

    def __str__(self) -> str:
        b = self.bare
        return f"{b[:3]}.{b[3:6]}.{b[6:9]}-{b[9:]}"


class Cnpj(_Document):
    """CNPJ, numeric or alphanumeric: 12 letters or digits and 2 check digits. Public in full."""

    __slots__ = ()
    FIELD = "CNPJ"
    EXAMPLE = "11.222.333/0001-81"
    SIGNS = "0-9A-Z"
    PUBLIC = slice(None)
    _WEIGHTS = (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)

    def _settle(self, bare: str) -> str:
        self._has_length(bare, 14)
        if not bare[12:].isdigit():
            raise self._wrong("os dois últimos são sempre algarismos")
        self._not_repeated(bare)
        first = _check_digit(bare[:12], self._WEIGHTS[1:])
        self._has_check(bare, first + _check_digit(bare[:12] + first, self._WEIGHTS))
        return bare

    @property
    def root(self) -> str:
        """The eight signs that head office and branches share."""
        return self.bare[:8]

    def __str__(self) -> str:
        b = self.bare
        return f"{b[:2]}.{b[2:5]}.{b[5:8]}/{b[8:12]}-{b[12:]}"


class Cnh(_Document):
    """Registro of the driving licence: 11 digits. A wrong check digit only makes it suspicious."""

    __slots__ = ()
    FIELD = "CNH"
    EXAMPLE = "04567890104"

    def _settle(self, bare: str) -> str:
        self._has_length(bare, 11)
        return bare

    @property
    def suspicious(self) -> bool:
        """The check digits fail. Never a refusal: DETRANs have issued numbers that fail every validator."""
        digits = [int(digit) for digit in self.bare]
        first = sum(digit * weight for digit, weight in zip(digits, range(9, 0, -1), strict=False)) % 11
        second = sum(digit * weight for digit, weight in zip(digits, range(1, 10), strict=False)) % 11
        if first == 10:
            first, second = 0, (second - 2) % 11
        expected = [first, second if second < 10 else 0]
        return digits[9:] != expected or len(set(digits)) == 1


class Renavam(_Document):
    """Renavam: 9 to 11 digits, kept as 11 with zeros in front."""

    __slots__ = ()
    FIELD = "Renavam"
    EXAMPLE = "01234567897"

    def _settle(self, bare: str) -> str:
        if not 9 <= len(bare) <= 11:
            raise self._wrong(f"tem {len(bare)} algarismos e são de 9 a 11")
        bare = bare.zfill(11)
        self._not_repeated(bare)
        self._has_check(bare, _check_digit(bare[:10], (3, 2, 9, 8, 7, 6, 5, 4, 3, 2)))
        return bare


class Nit(_Document):
    """NIT, PIS, PASEP or NIS: 11 digits of one registry."""

    __slots__ = ()
    FIELD = "NIT/PIS"
    EXAMPLE = "120.12345.67-2"

    def _settle(self, bare: str) -> str:
        self._has_length(bare, 11)
        self._not_repeated(bare)
        self._has_check(bare, _check_digit(bare[:10], (3, 2, 9, 8, 7, 6, 5, 4, 3, 2)))
        return bare

    def __str__(self) -> str:
        b = self.bare
        return f"{b[:3]}.{b[3:8]}.{b[8:10]}-{b[10]}"


class Placa(_Document):
    """Number plate, the old kind (`HXT-1234`) or Mercosul (`TAX0E27`)."""

    __slots__ = ()
    FIELD = "placa"
    EXAMPLE = "ABC1D23"
    MARKS = " -"
    SIGNS = "0-9A-Z"

    def _settle(self, bare: str) -> str:
        if re.fullmatch("[A-Z]{3}[0-9][0-9A-Z][0-9]{2}", bare) is None:
            raise self._wrong("são três letras e quatro algarismos (ABC-1234) ou o padrão Mercosul (ABC1D23)")
        return bare

    @property
    def is_mercosul(self) -> bool:
        return self.bare[4].isalpha()

    @property
    def mercosul(self) -> str:
        """The bare Mercosul plate of the same vehicle: in an old one the second digit becomes A (0) to J (9)."""
        letter = self.bare[4] if self.is_mercosul else "ABCDEFGHIJ"[int(self.bare[4])]
        return self.bare[:4] + letter + self.bare[5:]

    def __str__(self) -> str:
        return self.bare if self.is_mercosul else f"{self.bare[:3]}-{self.bare[3:]}"


class Cep(_Document):
    """CEP: 8 digits, none below 01000-000."""

    __slots__ = ()
    FIELD = "CEP"
    EXAMPLE = "38465-000"
    MARKS = " .-"

    def _settle(self, bare: str) -> str:
        self._has_length(bare, 8)
        if bare < "01000000":
            raise self._wrong("nenhum começa por 00")
        return bare

    def __str__(self) -> str:
        return f"{self.bare[:5]}-{self.bare[5:]}"


# fmt: off
_AREAS = frozenset((
    11, 12, 13, 14, 15, 16, 17, 18, 19, 21, 22, 24, 27, 28, 31, 32, 33, 34, 35, 37, 38, 41, 42, 43, 44, 45, 46, 47,
    48, 49, 51, 53, 54, 55, 61, 62, 63, 64, 65, 66, 67, 68, 69, 71, 73, 74, 75, 77, 79, 81, 82, 83, 84, 85, 86, 87,
    88, 89, 91, 92, 93, 94, 95, 96, 97, 98, 99,
))
# fmt: on


class Phone(_Document):
    """Brazilian telephone with area code: 11 digits (mobile, from 9) or 10 (land line, from 2 to 5).

    A leading +55, 55 or 0 is dropped; `bare` is the national number.
    """

    __slots__ = ()
    FIELD = "telefone"
    EXAMPLE = "(34) 90000-0000"
    MARKS = " .-()"
    SIGNS = "0-9+"

    def _settle(self, bare: str) -> str:
        if bare.startswith("+"):
            if not bare.startswith("+55"):
                raise self._wrong("o código do país é +55")
            bare = bare[3:]
        elif len(bare) in (12, 13) and bare.startswith("55"):
            bare = bare[2:]
        elif len(bare) in (11, 12) and bare.startswith("0"):
            bare = bare[1:]
        if re.fullmatch("[0-9]{10,11}", bare) is None:
            raise self._wrong("deve ter o DDD e mais 9 algarismos (celular) ou 8 (fixo)")
        if int(bare[:2]) not in _AREAS:
            raise self._wrong("este DDD não existe")
        if len(bare) == 11 and bare[2] != "9":
            raise self._wrong("celular com 9 algarismos começa por 9")
        if len(bare) == 10 and bare[2] not in "2345":
            raise self._wrong("telefone fixo começa por 2, 3, 4 ou 5; em celular falta o 9 na frente")
        return bare

    @property
    def is_mobile(self) -> bool:
        return len(self.bare) == 11

    @property
    def e164(self) -> str:
        """For dialling from anywhere: "+5534900000000"."""
        return f"+55{self.bare}"

    def __str__(self) -> str:
        return f"({self.bare[:2]}) {self.bare[2:-4]}-{self.bare[-4:]}"


def cpf_or_cnpj(text: str) -> Cpf | Cnpj:
    """Whichever of the two was typed: a CPF if it has up to 11 digits and no letter, else a CNPJ. IdentityError."""
    typed = re.sub(r"[\s./-]", "", text)
    return Cpf(text) if len(typed) <= 11 and not re.search("[A-Za-z]", typed) else Cnpj(text)
