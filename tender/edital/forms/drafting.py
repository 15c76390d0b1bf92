"""What the commission types to draft an edital: forms made from the table of fields, one a step."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from wtforms import (
    BooleanField,
    Field,
    FileField,
    RadioField,
    SelectChoice,
    SelectField,
    SelectMultipleField,
    StringField,
    TextAreaField,
)
from wtforms.validators import InputRequired, Length, Optional, StopValidation
from wtforms.widgets import CheckboxInput, ListWidget

from tender.clock import BRASILIA, as_utc
from tender.edital.model import fields
from tender.edital.model.clauses import fields_of
from tender.edital.model.documents import MOMENTS, OFFERED
from tender.edital.model.fields import Kind, Step
from tender.edital.model.terms import (
    DocumentAsked,
    FloorFormula,
    Moment,
    Terms,
    TieBreak,
)
from tender.money import NBSP, Money, MoneyError, brl, parse_brl
from tender.web import PageForm

LOCAL = "%Y-%m-%dT%H:%M"
TYPED_MAX = 300
LONG_MAX = 5000


class Typed(StringField):
    """A text that stands for a value: `taken` turns it into one, or says what would pass; `printed` turns it back."""

    def taken(self, text: str) -> Any:
        raise NotImplementedError

    def printed(self, value: Any) -> str:
        raise NotImplementedError

    def _value(self) -> str:
        if self.raw_data:
            return str(self.raw_data[0])
        return "" if self.data is None else self.printed(self.data)

    def process_formdata(self, valuelist: list[Any]) -> None:
        text = str(valuelist[0]).strip() if valuelist else ""
        self.data = self.taken(text) if text else None


class MoneyField(Typed):
    """An amount in reais."""

    def taken(self, text: str) -> Money:
        try:
            return parse_brl(text)
        except MoneyError as error:
            raise ValueError(str(error)) from error

    def printed(self, value: Money) -> str:
        return brl(value, "auto").removeprefix(f"R${NBSP}")


class CountField(Typed):
    """A whole number between two bounds."""

    def __init__(self, *args: Any, least: int = 0, most: int = 1_000_000, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.least, self.most = least, most

    def taken(self, text: str) -> int:
        bare = text.replace(".", "")
        if not (bare.isascii() and bare.isdigit() and len(bare) <= 12) or not self.least <= int(bare) <= self.most:
            raise ValueError(f"Escreva um número inteiro de {self.least} a {self.most}. Veio: {text[:40]}.")
        return int(bare)

    def printed(self, value: int) -> str:
        return str(value)


class HundredthsField(CountField):
    """A number with up to two decimals, kept as hundredths: "1,5" is 150."""

    def taken(self, text: str) -> int:
        whole, _, rest = text.replace(".", "").removesuffix("%").strip().partition(",")
        digits = whole + rest.ljust(2, "0")
        fits = digits.isascii() and digits.isdigit() and len(rest) <= 2 and len(digits) <= 14
        if not fits or not self.least <= int(digits) <= self.most:
            least, most = fields.hundredths(self.least), fields.hundredths(self.most)
            raise ValueError(f"Escreva um número de {least} a {most}, com até duas casas. Veio: {text[:40]}.")
        return int(digits)

    def printed(self, value: int) -> str:
        return fields.hundredths(value)


class InstantField(Typed):
    """Day and hour of Brasília, kept as an instant in UTC."""

    def taken(self, text: str) -> datetime:
        for shape in (LOCAL, "%Y-%m-%dT%H:%M:%S", "%d/%m/%Y %H:%M", "%d/%m/%Y, %H:%M"):
            try:
                return as_utc(datetime.strptime(text, shape).replace(tzinfo=BRASILIA))
            except (ValueError, OverflowError):
                continue
        raise ValueError(f"Escreva dia e hora. Exemplo: 05/03/2027 09:00. Veio: {text[:40]}.")

    def printed(self, value: datetime) -> str:
        return as_utc(value).astimezone(BRASILIA).strftime(LOCAL)


class ChecksField(SelectMultipleField):
    """Several options as boxes to tick; the order is the table's."""

    widget = ListWidget(prefix_label=False)
    option_widget = CheckboxInput()


def filled(message: str) -> InputRequired:
    """The field must be filled in; the message says with what."""
    return InputRequired(message)


def _control(one: fields.Field) -> Field:
    """The form field of a row of the table."""
    checks: list[Any] = [filled(f"Preencha “{one.label}”.")] if one.required else [Optional()]
    hint = one.unit.partition("|")[2] or one.unit
    match one.kind:
        case Kind.YES_NO:
            return BooleanField(one.label, name=one.name)
        case Kind.CHOICE:
            wrong = f"Escolha uma opção em “{one.label}”."
            choices = [SelectChoice(value, text) for value, text in one.options.items()]
            return RadioField(one.label, [InputRequired(wrong)], name=one.name, choices=choices)
        case Kind.MANY:
            choices = [SelectChoice(value, text) for value, text in one.options.items()]
            return ChecksField(
                one.label, [Length(min=1, message="Marque ao menos um.")], name=one.name, choices=choices
            )
        case Kind.MONEY:
            return MoneyField(one.label, checks, name=one.name, render_kw={"inputmode": "decimal"})
        case Kind.COUNT | Kind.SECONDS:
            bounds = {"least": one.least, "most": one.most}
            kw = {"inputmode": "numeric"}
            return CountField(one.label, checks, name=one.name, description=hint, render_kw=kw, **bounds)
        case Kind.PERCENT | Kind.TIMES:
            bounds = {"least": one.least, "most": one.most}
            text = "em %" if one.kind is Kind.PERCENT else "vezes o maior lance"
            return HundredthsField(one.label, checks, name=one.name, description=text, **bounds)
        case Kind.INSTANT:
            kw = {"type": "datetime-local", "step": "60"}
            return InstantField(one.label, checks, name=one.name, description="Hora de Brasília.", render_kw=kw)
        case Kind.LONG:
            return TextAreaField(one.label, [*checks, _short_enough(LONG_MAX)], name=one.name)
    return StringField(one.label, [*checks, _short_enough(TYPED_MAX)], name=one.name, filters=[_stripped])


def _short_enough(most: int) -> Length:
    return Length(max=most, message=f"Escreva até {most} letras.")


def _stripped(value: str | None) -> str:
    return (value or "").strip()


class StepForm(PageForm):
    """A step of the guided form; `of_step` makes its class from the table."""

    STEP: Step

    def values(self) -> Mapping[str, Any]:
        """What was typed, by key of `Terms`."""
        return {one.key: self._value(one) for one in fields_of(self.STEP) if one.name in self}

    def _value(self, one: fields.Field) -> Any:
        data = self[one.name].data
        if one.kind is Kind.MANY:
            order = list(one.options)
            return tuple(TieBreak(value) for value in sorted(data or (), key=order.index))
        if one.kind in (Kind.TEXT, Kind.LONG):
            return (data or "").strip()
        if one.kind in (Kind.COUNT, Kind.SECONDS, Kind.PERCENT, Kind.TIMES):
            return data or 0
        return data

    def written(self, terms: Terms) -> Terms:
        """The terms with this step's fields as typed."""
        return fields.write(terms, self.values())


def of_step(step: Step, without: tuple[str, ...] = ()) -> type[StepForm]:
    """The form class of a step; `without`: keys that the page asks in its own way."""
    rows = {one.name: _control(one) for one in fields_of(step) if one.key not in without}
    return type(f"{step.name.title()}Form", (StepForm,), {"STEP": step, **rows})


def data_of(step: Step, terms: Terms) -> dict[str, Any]:
    """What the form of a step shows at first."""
    found = {}
    for one in fields_of(step):
        value = one.read(terms)
        found[one.name] = [str(part) for part in value] if one.kind is Kind.MANY else value
    return found


# -- steps that the page asks in its own way --------------------------------------------------------------------------


class NewForm(PageForm):
    """A new edital: its number, its process, its title; the rest is proposed and corrected step by step."""

    edital = StringField(
        "Número do edital",
        [filled("Escreva o número. Exemplo: 001-2027."), _short_enough(40)],
        name="numero",
        description="Sequência e ano, com hífen: é o endereço do edital. Exemplo: 001-2027.",
        filters=[_stripped],
    )
    process_number = StringField(
        "Número do processo", [filled("Escreva o número do processo.")], name="processo", filters=[_stripped]
    )
    title = StringField(
        "Título do edital",
        [filled("Escreva o título."), _short_enough(TYPED_MAX)],
        name="titulo",
        description="O que se oferece e onde. Exemplo: 2 pontos de táxi no Centro.",
        filters=[_stripped],
    )


class StandForm(PageForm):
    """The floor of one lot or of all places of a ponto, as the study prints it, and the reserve."""

    quantity = HundredthsField(
        "Quantidade", [Optional()], name="quantidade", least=1, most=10**9, description="Exemplo: 38,48"
    )
    unit = StringField(
        "Unidade", [_short_enough(40)], name="unidade", description="Exemplo: m², corridas por mês", filters=[_stripped]
    )
    unit_price = MoneyField(
        "Preço da unidade", [Optional()], name="preco", description="Em reais.", render_kw={"inputmode": "decimal"}
    )
    floor = MoneyField(
        "Lance mínimo",
        [Optional()],
        name="minimo",
        description="Em reais. Em branco, vale o que a fórmula dá.",
        render_kw={"inputmode": "decimal"},
    )
    study = FileField("Estudo do valor", name="estudo", description="PDF ou foto. É anexo do edital.")
    kept_study = SelectField("Ou use um estudo já juntado", name="estudo_juntado", choices=[], default="")
    reserved_pcd = BooleanField("Reservada a condutor com deficiência", name="reserva")

    def formula(self) -> FloorFormula | None:
        """The formula typed, or None when nothing of it was."""
        if self.quantity.data is None or self.unit_price.data is None:
            return None
        return FloorFormula(self.quantity.data, self.unit.data or "", self.unit_price.data)

    def validate(self, extra_validators: Any = None) -> bool:
        """A formula is whole, or there is none."""
        valid = super().validate(extra_validators)
        if valid and (self.quantity.data is None) != (self.unit_price.data is None):
            half = self.unit_price if self.unit_price.data is None else self.quantity
            half.errors = ["A fórmula leva quantidade e preço da unidade. Escreva os dois ou nenhum."]
            return False
        return bool(valid)

    def amount(self) -> Money | None:
        """The floor: as typed, else what the formula gives."""
        formula = self.formula()
        return self.floor.data or (formula.amount if formula else None)


class OfferForm(StandForm):
    """Offer places of a ponto of the register."""

    ponto = SelectField("Ponto do registro", [InputRequired("Escolha o ponto.")], name="ponto", choices=[])
    places = CountField(
        "Quantas vagas", [filled("Escreva quantas vagas.")], name="vagas", least=1, most=60, default=1,
        description="Cada vaga vira um lote, com uma permissão.", render_kw={"inputmode": "numeric"},
    )  # fmt: skip


class DocumentsForm(PageForm):
    """The list of documents: when each is asked and in which words; `asked_form` makes its class."""

    def asked(self) -> tuple[DocumentAsked, ...]:
        """The documents chosen; of an open item, one for each line."""
        found = []
        for one in OFFERED:
            moment = self[f"m-{one.name}"].data
            if not moment:
                continue
            text = str(self[f"t-{one.name}"].data or "").strip()
            lines = [line.strip() for line in text.splitlines() if line.strip()] if one.is_open else [text]
            found += [DocumentAsked(one.requirement, one.applicant, Moment(moment), line) for line in lines]
        return tuple(found)


class _Answered:
    """The field is never empty by oversight: it is not marked as optional, but "not asked" is an answer."""

    field_flags = {"required": True}  # noqa: RUF012 - as WTForms reads it

    def __call__(self, form: Any, field: Field) -> None:
        """Everything is an answer."""


def _text_if_asked(form: Any, field: Field) -> None:
    if form[f"m-{field.name.removeprefix('t-')}"].data and not (field.data or "").strip():
        raise StopValidation("Diga qual documento se pede. Pedido em aberto não pode ser exigido.")


def asked_form() -> type[DocumentsForm]:
    """The form class of the list of documents."""
    rows: dict[str, Any] = {}
    for one in OFFERED:
        choices = [SelectChoice("", "não se pede"), *(SelectChoice(m.value, text) for m, text in MOMENTS.items())]
        rows[f"m-{one.name}"] = SelectField("Quando", [_Answered()], name=f"m-{one.name}", choices=choices)
        hint = "Um documento por linha." if one.is_open else ""
        kw = {"rows": "3"}
        checks = [_text_if_asked, _short_enough(LONG_MAX), *([] if one.is_open else [_Answered()])]
        rows[f"t-{one.name}"] = TextAreaField(
            "O que se pede", checks, name=f"t-{one.name}", description=hint, render_kw=kw
        )
    return type("AskedForm", (DocumentsForm,), rows)


def asked_data(terms: Terms) -> dict[str, str]:
    """What the list of documents shows at first: what the draft asks, or the proposal beside what it does not."""
    found: dict[str, str] = {}
    for one in OFFERED:
        mine = [d for d in terms.documents if (d.requirement, d.applicant) == (one.requirement, one.applicant)]
        found[f"m-{one.name}"] = mine[0].moment.value if mine else ""
        found[f"t-{one.name}"] = "\n".join(d.text for d in mine) if mine else one.text
    return found


class ItemsForm(PageForm):
    """Art. 4º § 2º IX: which items of § 1º it names, read on the paper by the person who signs in."""

    items = ChecksField(
        "Itens do § 1º a que remete o § 2º, IX",
        [Length(min=1, message="Marque ao menos um item.")],
        name="itens",
        choices=[SelectChoice(item, f"item {item}") for item in ("I", "II", "III", "IV")],
    )
    source = StringField(
        "Onde você leu",
        [filled("Diga em que exemplar você leu.")],
        name="fonte",
        description="Exemplo: exemplar oficial da lei, arquivo da Câmara, fls. 3.",
        filters=[_stripped],
    )
    agreed = BooleanField(
        "Li o exemplar oficial e confirmo", [filled("Marque para confirmar em seu nome.")], name="confirmo"
    )
