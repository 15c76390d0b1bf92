"""What is typed to change a published edital: reasons, dates, floors, and whether the offers are affected."""

from __future__ import annotations

from typing import Any

from wtforms import BooleanField, FieldList, FormField, RadioField, SelectChoice, StringField, TextAreaField
from wtforms import Form as PlainForm
from wtforms.validators import InputRequired, Length

from tender.edital.forms.drafting import InstantField, MoneyField
from tender.edital.model.changes import REASON_MIN, Ending
from tender.web import PageForm

REASON_MAX = 2000
TITLE_MAX = 200
WHEN = {"type": "datetime-local"}


def _reason() -> TextAreaField:
    least = f"Escreva o motivo, com {REASON_MIN} letras ou mais."
    return TextAreaField(
        "Motivo",
        [InputRequired(least), Length(REASON_MIN, REASON_MAX, least)],
        name="motivo",
        filters=[lambda value: (value or "").strip()],
        description="Será público e vai no aviso a todos.",
        render_kw={"rows": 3},
    )


def _instant(label: str, name: str) -> Any:
    return InstantField(
        label, [InputRequired("Escreva dia e hora. Exemplo: 05/03/2027 09:00.")], name=name, render_kw=WHEN
    )


class ReasonForm(PageForm):
    """A suspension."""

    reason = _reason()


class DatesForm(PageForm):
    """An extension, or the dates on which a suspended tender goes on."""

    closes = _instant("Fim das inscrições", "inscricoes")
    session = _instant("Sessão pública", "sessao")
    reason = _reason()


class HearingForm(PageForm):
    """The hearing before an ending."""

    ending = RadioField(
        "A licitação pode ser",
        [InputRequired("Escolha.")],
        name="fim",
        choices=[SelectChoice(one.value, one.value) for one in Ending],
    )
    until = _instant("Manifestação até", "ate")
    reason = _reason()


class EndingForm(PageForm):
    """A revocation or an annulment."""

    reason = _reason()
    effect = StringField(
        "O que acontece com quem se inscreveu",
        [InputRequired("Escreva. Exemplo: as inscrições perdem o efeito."), Length(max=TITLE_MAX)],
        name="efeito",
        default="As inscrições perdem o efeito.",
    )


class FloorForm(PlainForm):
    """A stand's floor."""

    amount = MoneyField("Lance mínimo", [InputRequired("Escreva o valor. Exemplo: 4.500.")], name="minimo")


class AmendmentForm(PageForm):
    """The new terms, as far as this form changes them; the rest stays as published."""

    title = StringField("Título", [InputRequired("Escreva o título."), Length(max=TITLE_MAX)], name="titulo")
    closes = _instant("Fim das inscrições", "inscricoes")
    session = _instant("Sessão pública", "sessao")
    step = MoneyField("Aumento mínimo entre lances", [InputRequired("Escreva o valor. Exemplo: 50.")], name="intervalo")
    floors = FieldList(FormField(FloorForm), name="minimos")
    affects = BooleanField("A mudança afeta as propostas: os prazos recomeçam", name="afeta")
    reason = _reason()
