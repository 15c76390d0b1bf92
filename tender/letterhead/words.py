"""How a value is written on paper, and which signs the paper's font can print.

Nothing here is markup: the kit has no markup language, so what a person typed can only ever become glyphs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container
from datetime import date, datetime
from typing import Final, Literal

from tender.clock import BRASILIA, as_utc
from tender.law import Citation
from tender.money import Money, brl, in_words

NBSP: Final = "\N{NO-BREAK SPACE}"
MISSING_SIGNS: Final = "Sinais que a fonte deste documento não tem aparecem aqui pelo código Unicode, entre colchetes."

_MONTHS: Final = (
    *("janeiro", "fevereiro", "março", "abril", "maio", "junho"),
    *("julho", "agosto", "setembro", "outubro", "novembro", "dezembro"),
)
_NARROW: Final = ("\N{NARROW NO-BREAK SPACE}", "\N{FIGURE SPACE}")
_LINE_ENDS: Final = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
_UNPRINTED: Final = ("Cc", "Cf", "Cs", "Co", "Cn")
_RIGHT_TO_LEFT: Final = ("R", "AL", "AN")
_BOUND: Final = re.compile(r"(R\$|nº|§|\barts?\.) (?=\d)")


CODE_SIGNS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Signs of a verification code: none that a hurried reader takes for another (0 O 1 I)."""


def verification_code(entry_hash: str) -> str:
    """Eight signs that name a paper by the hash of its last entry (64 hex digits): "7KQ2-M4XD"."""
    value = int(entry_hash[:10], 16)
    signs = "".join(CODE_SIGNS[value >> shift & 31] for shift in range(35, -1, -5))
    return f"{signs[:4]}-{signs[4:]}"


def plain(value: object) -> str:
    """The value as the paper prints it.

    Money "R$ 9.450,00"; Citation "art. 4º, § 3º, da Lei nº 724/2008"; datetime "16/03/2027 às 14:00:41", Brasília;
    date "16/03/2027"; int and str as they are. TypeError for anything else, a float above all.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, Money):
        return brl(value)
    if isinstance(value, Citation):
        return str(value)
    if isinstance(value, datetime):
        return moment(value)
    if isinstance(value, date):
        return f"{value:%d/%m/%Y}"
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise TypeError(f"a paper prints text, int, Money, Citation, date or datetime, not {type(value).__name__}")


def amount(money: Money) -> str:
    """The amount with its words beside it: "R$ 9.450,00 (nove mil quatrocentos e cinquenta reais)"."""
    return f"{brl(money)} ({in_words(money)})"


def day(at: datetime | date) -> str:
    """ "16 de março de 2027"; a datetime is shown in Brasília and must be aware (ValueError)."""
    local = as_utc(at).astimezone(BRASILIA) if isinstance(at, datetime) else at
    return f"{local.day}{'º' if local.day == 1 else ''} de {_MONTHS[local.month - 1]} de {local.year}"


def hour(at: datetime, unit: Literal["minute", "second", "millisecond"] = "second") -> str:
    """ "14:00:41,900" in Brasília, cut (never rounded up) at `unit`. ValueError for a naive datetime."""
    local = as_utc(at).astimezone(BRASILIA)
    if unit == "minute":
        return f"{local:%H:%M}"
    return f"{local:%H:%M:%S}" + (f",{local.microsecond // 1000:03}" if unit == "millisecond" else "")


def moment(at: datetime, unit: Literal["minute", "second", "millisecond"] = "second") -> str:
    """ "16/03/2027 às 14:00:41" in Brasília."""
    return f"{as_utc(at).astimezone(BRASILIA):%d/%m/%Y} às {hour(at, unit)}"


def bound(text: str) -> str:
    """The text with "R$ 50", "art. 4º", "§ 3º" and "nº 724" held on one line."""
    return _BOUND.sub(rf"\1{NBSP}", text)


class Ink:
    """The signs that can be printed: those of the font, less the ones that hide or reorder their neighbours.

    Whatever cannot be printed is shown as its code, "[U+1F642]": nothing is lost, nothing vanishes, and a mark that
    turns the reading direction around cannot make a name or an amount look like another.
    """

    def __init__(self, covered: Container[int]) -> None:
        self._covered = covered
        self._known: dict[str, str] = {sign: sign for sign in map(chr, range(0x20, 0x7F))}
        self._known |= {"\n": "\n", "\t": " ", NBSP: NBSP} | dict.fromkeys(_NARROW, NBSP)
        self.has_replaced = False

    def text(self, raw: str) -> str:
        """`raw` in NFC with every sign printable; line ends become \\n, other blanks a space."""
        composed = unicodedata.normalize("NFC", _LINE_ENDS.sub("\n", raw))
        return "".join(map(self._sign, composed))

    def _sign(self, sign: str) -> str:
        shown = self._known.get(sign)
        if shown is None:
            shown = self._known[sign] = self._shown(sign)
        if len(shown) > 1:
            self.has_replaced = True
        return shown

    def _shown(self, sign: str) -> str:
        category = unicodedata.category(sign)
        if category == "Zs":
            return " "
        hides = category in _UNPRINTED or unicodedata.bidirectional(sign) in _RIGHT_TO_LEFT
        return f"[U+{ord(sign):04X}]" if hides or ord(sign) not in self._covered else sign
