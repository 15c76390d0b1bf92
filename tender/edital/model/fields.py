"""Every field of an edital once: label, why it matters, where that is written, options; read, written and said.

Forms, preview and papers come from this table: what is asked, what is shown beside the form and what is printed are
the same words. The rows themselves stand in `clauses.py`; which documents may be asked for, in `documents.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from tender.clock import long_when
from tender.edital.model.terms import Terms
from tender.law import Citation
from tender.money import Money, brl


class Step(StrEnum):
    """A step of the guided form, in the order in which it is filled in; the value stands in the address."""

    REGIME = "regime"
    STANDS = "pontos"
    DISPUTE = "disputa"
    DOCUMENTS = "documentos"
    PAYMENT = "pagamento"
    RESULT = "resultado"
    DATES = "datas"
    TOWN = "municipio"
    FILE = "pecas"

    @property
    def label(self) -> str:
        """What the step is called on screen."""
        return _STEP_LABELS[self]


_STEP_LABELS = {
    Step.REGIME: "Regime e fases",
    Step.STANDS: "Pontos e mínimos",
    Step.DISPUTE: "Disputa de lances",
    Step.DOCUMENTS: "Documentos",
    Step.PAYMENT: "Pagamento",
    Step.RESULT: "Resultado e chamada",
    Step.DATES: "Datas",
    Step.TOWN: "Município",
    Step.FILE: "Peças e alertas",
}


class Kind(StrEnum):
    """How a value is typed and said."""

    TEXT = "text"
    LONG = "long"
    CHOICE = "choice"
    MANY = "many"
    YES_NO = "yes_no"
    COUNT = "count"
    SECONDS = "seconds"
    MONEY = "money"
    PERCENT = "percent"  # hundredths of a percent
    TIMES = "times"  # hundredths of a factor
    INSTANT = "instant"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of the edital.

    key: dotted path within `Terms`; why: why it matters, for somebody without a lawyer at their elbow; law: the
    provision it rests on; options: stored value -> Portuguese; unit: what a count counts, one and many ("dia|dias");
    switch: which of S1 to S10 it settles; zero: what 0 or nothing means, said instead of it.
    """

    key: str
    step: Step
    label: str
    kind: Kind
    why: str
    law: Citation
    options: Mapping[str, str] = field(default_factory=dict)
    unit: str = ""
    least: int = 0
    most: int = 1_000_000
    switch: str = ""
    zero: str = ""
    required: bool = True

    @property
    def name(self) -> str:
        """The key as a form's field is named."""
        return self.key.replace(".", "-")

    def read(self, terms: Terms) -> Any:
        """The value in these terms."""
        value: Any = terms
        for part in self.key.split("."):
            value = getattr(value, part)
        return value

    def said(self, terms: Terms) -> str:
        """The value in Portuguese, as preview and papers print it; "" when there is none."""
        return say(self, self.read(terms))


def write(terms: Terms, values: Mapping[str, Any]) -> Terms:
    """The terms with these values put in, by dotted key; a word of a choice becomes the value it names."""
    for key, value in values.items():
        terms = _put(terms, key.split("."), value)
    return terms


def _put(whole: Any, parts: list[str], value: Any) -> Any:
    old = getattr(whole, parts[0])
    if len(parts) > 1:
        return replace(whole, **{parts[0]: _put(old, parts[1:], value)})
    if isinstance(old, StrEnum) and isinstance(value, str):
        value = type(old)(value)
    return replace(whole, **{parts[0]: value})


def say(one: Field, value: Any) -> str:
    """A value of a field in Portuguese."""
    if one.zero and (value is None or value == 0) and value is not False:
        return one.zero
    match value:
        case None | "":
            return ""
        case bool():
            return "sim" if value else "não"
        case Money():
            return brl(value, "auto")
        case datetime():
            return long_when(value)
        case date():
            return f"{value:%d/%m/%Y}"
        case tuple():
            return "; depois ".join(one.options.get(str(part), str(part)) for part in value)
        case int():
            return _counted(one, value)
    return one.options.get(str(value), str(value))


def hundredths(value: int) -> str:
    """A number of hundredths with its comma: 150 -> "1,5", 200 -> "2", 3848 -> "38,48"."""
    whole, rest = divmod(value, 100)
    digits = f",{rest:02}".rstrip("0") if rest else ""
    return f"{whole}{digits}"


def _counted(one: Field, value: int) -> str:
    if one.kind is Kind.PERCENT:
        return f"{hundredths(value)} %"
    if one.kind is Kind.TIMES:
        return f"{hundredths(value)} vezes"
    if one.kind is Kind.SECONDS:
        return seconds(value)
    unit, _, many = one.unit.partition("|")
    return f"{value} {unit if value == 1 else many or unit}".strip()


def seconds(value: int) -> str:
    """A length as people say it: "10 minutos", "1 minuto e 30 segundos"."""
    minutes, rest = divmod(value, 60)
    said = [f"{minutes} {'minuto' if minutes == 1 else 'minutos'}"] if minutes else []
    if rest or not minutes:
        said.append(f"{rest} {'segundo' if rest == 1 else 'segundos'}")
    return " e ".join(said)
