"""What anybody types to ask or to be told, and what the commission types to answer."""

from __future__ import annotations

import re

from wtforms import (
    BooleanField,
    EmailField,
    Field,
    RadioField,
    SelectChoice,
    SelectMultipleField,
    StringField,
    TextAreaField,
)
from wtforms.validators import InputRequired, Length, Optional, ValidationError
from wtforms.widgets import CheckboxInput, ListWidget

from tender.edital.model.questions import TEXT_MAX, TEXT_MIN, Asking, Effect
from tender.identity import Cpf, IdentityError
from tender.people.subscribers import Topic
from tender.web import PageForm

_NUMBERS = re.compile(r"(?<!\d)\d{3}\.?\d{3}\.?\d{3}-?\d{2}(?!\d)")
_EMAIL = re.compile(r"[^\s<>@]+@[^\s<>@]+\.\w+")
EMAIL_MAX = 254


def personal_data(text: str) -> str:
    """What in a text is surely somebody's: "um CPF", "um e-mail", or ""."""
    for found in _NUMBERS.findall(text):
        try:
            Cpf(found)
        except IdentityError:
            continue
        return "um CPF"
    return "um e-mail" if _EMAIL.search(text) else ""


def nobodys(form: PageForm, field: Field) -> None:
    """A validator: the text will be public, so nobody's number or address may stand in it."""
    if found := personal_data(field.data or ""):
        raise ValidationError(f"O texto tem {found}. Tire antes de enviar: ele será público.")


def _trimmed(value: str | None) -> str:
    return (value or "").strip()


def _text(label: str, name: str, hint: str = "") -> TextAreaField:
    long = Length(TEXT_MIN, TEXT_MAX, f"Escreva de {TEXT_MIN} a {TEXT_MAX} letras.")
    rules = [InputRequired(f"Escreva de {TEXT_MIN} a {TEXT_MAX} letras."), long, nobodys]
    return TextAreaField(label, rules, name=name, description=hint, filters=[_trimmed], render_kw={"rows": 6})


class AskForm(PageForm):
    """A question, a challenge, or a manifestation while a hearing is open."""

    kind = RadioField(
        "O que você quer fazer?",
        [InputRequired("Escolha uma opção.")],
        name="tipo",
        default=Asking.QUESTION.value,
        choices=[
            SelectChoice(Asking.QUESTION.value, "Perguntar sobre o edital"),
            SelectChoice(Asking.CHALLENGE.value, "Pedir mudança no edital (impugnação)"),
        ],
    )
    text = _text(
        "Seu texto", "texto", "Ele será público com a resposta. Não escreva nome, CPF, telefone, e-mail nem endereço."
    )
    email = EmailField(
        "Seu e-mail",
        [Optional(), Length(max=EMAIL_MAX, message=f"Um e-mail tem até {EMAIL_MAX} letras.")],
        name="email",
        description="Só para avisar que a resposta saiu. Fica cifrado, não aparece e é apagado depois.",
        filters=[_trimmed],
        render_kw={"autocomplete": "email"},
    )

    def offer_manifestation(self) -> None:
        """While a hearing is open the interested may speak about the revocation or annulment."""
        if not any(choice.value == Asking.MANIFESTATION.value for choice in self.kind.choices):
            said = SelectChoice(Asking.MANIFESTATION.value, "Manifestar-se sobre a revogação ou anulação")
            self.kind.choices = [*self.kind.choices, said]


class FindForm(PageForm):
    """The code of a receipt."""

    code = StringField(
        "Código do recibo",
        [InputRequired("Escreva o código. Exemplo: 7KQ2-M4XD-22AB-9ZK3."), Length(max=40)],
        name="codigo",
        description="Exemplo: 7KQ2-M4XD-22AB-9ZK3.",
        filters=[_trimmed],
        render_kw={"autocomplete": "off"},
    )


class AnswerForm(PageForm):
    """The commission's answer, with the question as it will be public."""

    question = _text("Pergunta, como será publicada", "pergunta", "Tire daqui o que identifica alguém.")
    answer = _text("Resposta", "resposta")
    effect = RadioField(
        "Efeito no edital",
        [InputRequired("Escolha o efeito no edital.")],
        name="efeito",
        choices=[SelectChoice(one.value, one.value) for one in Effect],
    )
    upheld = BooleanField("Impugnação acolhida", name="acolhida")


class TopicsField(SelectMultipleField):
    """Topics as boxes to tick."""

    widget = ListWidget(prefix_label=False)
    option_widget = CheckboxInput()


class SubscribeForm(PageForm):
    """An address and what it wants to hear of."""

    email = EmailField(
        "Seu e-mail",
        [InputRequired("Escreva seu e-mail. Exemplo: maria@exemplo.com.br."), Length(max=EMAIL_MAX)],
        name="email",
        description="Mandamos um link para confirmar. Cada aviso traz outro para sair com um toque.",
        filters=[_trimmed],
        render_kw={"autocomplete": "email"},
    )
    topics = TopicsField(
        "Quero saber de",
        [InputRequired("Escolha ao menos um assunto.")],
        name="assuntos",
        default=[topic.value for topic in Topic],
        choices=[SelectChoice(topic.value, topic.label) for topic in Topic],
    )
