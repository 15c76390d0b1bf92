"""Money in whole centavos: arithmetic, reading what people type, printing, words.

Never float, never a fraction of a centavo. What can be read in two ways is asked, not guessed:
a real auction was lost by R$ 27.500.000 typed for R$ 27.500,00.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Cents = Literal["always", "auto"]
NBSP = "\N{NO-BREAK SPACE}"

DIGITS_MAX = 12
"""Most digits before the comma. 10^14 centavos still fit BIGINT and a browser's exact integers."""


@dataclass(frozen=True, order=True, slots=True)
class Money:
    """An amount in centavos; negative only as a difference.

    `+` and `-` with Money, `*` by int, nothing else: a division must say where the rest goes (`split`).
    Raises TypeError for float, bool, Decimal, str.
    """

    centavos: int

    def __post_init__(self) -> None:
        _whole(self.centavos, "centavos")

    @classmethod
    def reais(cls, amount: int) -> Money:
        """Whole reais."""
        return cls(_whole(amount, "reais") * 100)

    def __add__(self, other: Money) -> Money:
        return Money(self.centavos + other.centavos) if isinstance(other, Money) else NotImplemented

    def __sub__(self, other: Money) -> Money:
        return Money(self.centavos - other.centavos) if isinstance(other, Money) else NotImplemented

    def __mul__(self, times: int) -> Money:
        return Money(self.centavos * times) if type(times) is int else NotImplemented

    __rmul__ = __mul__

    def split(self, n: int) -> tuple[Money, ...]:
        """`n` instalments that add up exactly; the residue goes into the last one.

        611.900,00 in 240 = 239 x 2.549,58 + 2.550,38. Raises ValueError if n < 1 or the amount is negative.
        """
        if _whole(n, "n") < 1:
            raise ValueError("an amount is split into at least one instalment")
        if self.centavos < 0:
            raise ValueError("a negative amount has no instalments")
        each = Money(self.centavos // n)
        return (each,) * (n - 1) + (self - each * (n - 1),)

    def __str__(self) -> str:
        return brl(self)


def _whole(number: object, name: str) -> int:
    if type(number) is not int:
        raise TypeError(f"{name} must be int, not {type(number).__name__}")
    return number


# --- reading -----------------------------------------------------------------------------------


class MoneyError(ValueError):
    """The typed text is not one amount. `str(e)` is Portuguese and shown as it is.

    `reason_pt`: what is wrong; `passes`: what the person may have meant, each written as it would
    pass, or an example where nothing can be guessed.
    """

    def __init__(self, reason_pt: str, passes: tuple[str, ...] = (), example: str = "8.200,00") -> None:
        self.reason_pt = reason_pt
        self.passes = passes or (example,)
        write = f"Escreva {' ou '.join(passes)}" if passes else f"Escreva, por exemplo, {example}"
        super().__init__(f"{reason_pt[0].upper()}{reason_pt[1:]}. {write}.")


_MOST = Money(10 ** (DIGITS_MAX + 2) - 1)
_BLANKS = " \t\r\n\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"
_SIGNS = "-+\N{MINUS SIGN}\N{EN DASH}()"
_AMOUNT = re.compile(r"(?P<reais>[1-9][0-9]{0,2}(?:\.[0-9]{3})+|0|[1-9][0-9]*)(?:,(?P<centavos>[0-9]{2}))?")
_SYMBOL = re.compile(rf"[Rr]\$[{_BLANKS}]*")


def parse_brl(text: str, whole_reais: bool = False) -> Money:
    """The one amount that `text` can mean to a Brazilian reader.

    Accepted: "8200", "8.200", "8.200,00", "1234,56", "R$ 8.200", blanks around (NBSP too).
    Anything else raises MoneyError, and what has two readings ("15.00", "1,500") names both.
    `whole_reais` refuses centavos other than ",00": bids are whole reais unless the edital says otherwise.
    """
    bare = text.strip(_BLANKS)
    symbol = _SYMBOL.match(bare)
    if symbol:
        bare = bare[symbol.end() :]
    example = "8.200" if whole_reais else "8.200,00"
    if not bare:
        raise MoneyError("o valor está vazio", example=example)
    if len(bare) > 2 * DIGITS_MAX:
        raise MoneyError(
            f"o valor é comprido demais: no máximo {DIGITS_MAX} algarismos antes da vírgula",
            (),
            example,
        )
    read = _AMOUNT.fullmatch(bare)
    if read is None:
        raise MoneyError(_what_is_wrong(bare), _meant(bare, whole_reais), example)
    money = _money(read)
    if money > _MOST:
        raise MoneyError(
            f"o valor tem algarismos demais: no máximo {DIGITS_MAX} antes da vírgula",
            (),
            example,
        )
    if whole_reais and money.centavos % 100:
        reason = "este valor é em reais inteiros, sem centavos (regra do edital)"
        raise MoneyError(reason, tuple(_in_whole_reais(money)), example)
    return money


def _what_is_wrong(bare: str) -> str:
    if _in_ascii_digits(bare) != bare:
        return "use os algarismos comuns, de 0 a 9"
    if bare[0] in _SIGNS:
        return "o valor não leva sinal nem parênteses"
    if re.fullmatch(rf"[0-9.,{_BLANKS}]+", bare) is None:
        return "o valor só leva algarismos, pontos de milhar e vírgula"
    if re.search(rf"[{_BLANKS}]", bare):
        return "o valor tem espaço no meio"
    if len(list(_readings(bare))) > 1:
        return f"“{bare}” pode ser lido de mais de um modo"
    if re.fullmatch(r"0[0-9.]+(,[0-9]{2})?", bare):
        return "o valor começa com zero"
    if re.fullmatch(r"[0-9.]*,([0-9]|[0-9]{3,})", bare):
        return "os centavos têm dois algarismos depois da vírgula"
    return "pontos e vírgulas estão fora do lugar"


def _meant(bare: str, whole_reais: bool) -> tuple[str, ...]:
    """The readings of a refused text, each written so that it passes."""
    said: list[str] = []
    for money in _readings(bare):
        if whole_reais:
            said += _in_whole_reais(money)
        else:
            said.append(_typed(money, cents="always"))
    return tuple(dict.fromkeys(said))


def _readings(bare: str) -> Iterator[Money]:
    """What a refused text may mean: itself once cleaned; its last mark as the comma; its marks as dots."""
    clean = re.sub(rf"[{_BLANKS}]", "", _in_ascii_digits(bare).strip(_SIGNS))
    read = _AMOUNT.fullmatch(clean)
    if read:
        yield _money(read)
        return
    parts = re.split(r"[.,]", clean)
    digits = "".join(parts)
    if re.fullmatch(r"[0-9]{1,14}", digits) is None:
        return
    reais, cents = "".join(parts[:-1]) or "0", parts[-1]
    has_comma_reading = len(parts) > 1 and 1 <= len(cents) <= 3
    if has_comma_reading and len(reais) <= DIGITS_MAX:
        yield Money(int(reais + cents.ljust(2, "0")[:2]))
    has_dot_reading = "," not in clean or clean.endswith(",") or all(len(part) == 3 for part in parts[1:])
    if has_dot_reading and len(digits) <= DIGITS_MAX:
        yield Money.reais(int(digits))


def _money(read: re.Match[str]) -> Money:
    return Money(int(read["reais"].replace(".", "") + (read["centavos"] or "00")))


def _in_ascii_digits(text: str) -> str:
    return "".join(str(unicodedata.decimal(sign, sign)) for sign in text)


def _in_whole_reais(money: Money) -> Iterator[str]:
    below = Money.reais(money.centavos // 100)
    for whole in (below, below + Money.reais(1)) if money.centavos % 100 else (below,):
        if whole <= _MOST:
            yield _typed(whole, cents="auto")


def _typed(money: Money, cents: Cents) -> str:
    return brl(money, cents).removeprefix(f"R${NBSP}")


# --- printing ----------------------------------------------------------------------------------


def brl(money: Money, cents: Cents = "always") -> str:
    """ "R$ 1.234,56", with NBSP after the symbol; `cents="auto"` leaves out ",00" (screens)."""
    reais, centavos = divmod(abs(money.centavos), 100)
    tail = "" if cents == "auto" and centavos == 0 else f",{centavos:02}"
    sign = "-" if money.centavos < 0 else ""
    return f"{sign}R${NBSP}{reais:,}".replace(",", ".") + tail


# --- words -------------------------------------------------------------------------------------

# fmt: off
_UNITS = (
    "zero", "um", "dois", "três", "quatro", "cinco", "seis", "sete", "oito", "nove", "dez", "onze", "doze", "treze",
    "quatorze", "quinze", "dezesseis", "dezessete", "dezoito", "dezenove",
)
_TENS = ("", "", "vinte", "trinta", "quarenta", "cinquenta", "sessenta", "setenta", "oitenta", "noventa")
_HUNDREDS = (
    "", "cento", "duzentos", "trezentos", "quatrocentos", "quinhentos", "seiscentos", "setecentos", "oitocentos",
    "novecentos",
)
# fmt: on
_SCALES = (
    ("", ""),
    ("mil", "mil"),
    ("milhão", "milhões"),
    ("bilhão", "bilhões"),
    ("trilhão", "trilhões"),
)


def in_words(money: Money) -> str:
    """The amount in Portuguese words as federal acts print it: no commas, "quatorze", "mil" without "um".

    "e" joins inside a group of three, and before the last group only if it is under 100 or a round hundred.
    Raises ValueError from one quadrillion reais on.
    """
    reais, centavos = divmod(abs(money.centavos), 100)
    said = []
    if reais or not centavos:
        unit = "real" if reais <= 1 else "reais"
        of = "de " if reais and reais % 1_000_000 == 0 else ""
        said.append(f"{_number(reais)} {of}{unit}")
    if centavos:
        said.append(f"{_number(centavos)} {'centavo' if centavos == 1 else 'centavos'}")
    return ("menos " if money.centavos < 0 else "") + " e ".join(said)


def _number(n: int) -> str:
    if n >= 1000 ** len(_SCALES):
        raise ValueError("no words for a quadrillion or more")
    if n == 0:
        return _UNITS[0]
    groups = [(n // 1000**scale % 1000, scale) for scale in reversed(range(len(_SCALES)))]
    spoken = [(group, scale) for group, scale in groups if group]
    words = ""
    for group, scale in spoken:
        is_last = (group, scale) == spoken[-1]
        joint = " e " if is_last and (group < 100 or group % 100 == 0) else " "
        words += (joint if words else "") + _group(group, scale)
    return words


def _group(group: int, scale: int) -> str:
    if scale == 1 and group == 1:
        return "mil"
    name = _SCALES[scale][group > 1]
    return f"{_under_thousand(group)} {name}".rstrip()


def _under_thousand(n: int) -> str:
    if n == 100:
        return "cem"
    hundreds, rest = divmod(n, 100)
    said = [_HUNDREDS[hundreds]] if hundreds else []
    if rest >= 20:
        said.append(_TENS[rest // 10])
        rest %= 10
    if rest:
        said.append(_UNITS[rest])
    return " e ".join(said)
