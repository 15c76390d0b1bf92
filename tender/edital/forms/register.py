"""What the Secretaria types into the register: decrees, stands, permits in force, days without expediente."""

from __future__ import annotations

from typing import Any

from wtforms import BooleanField, FileField, SelectField, StringField
from wtforms.validators import InputRequired, Length, Regexp

from tender.edital.forms.dossier import day_field
from tender.edital.forms.drafting import CountField
from tender.edital.model.register import MAP_SIDE
from tender.web import PageForm

TYPED_MAX = 200
NUMERIC = {"inputmode": "numeric"}
MIDDLE = f"De 0 a {MAP_SIDE}; o meio é {MAP_SIDE // 2}."


def _text(label: str, name: str, message: str, hint: str = "", *more: Any) -> StringField:
    long = Length(max=TYPED_MAX, message=f"Escreva até {TYPED_MAX} letras.")
    return StringField(
        label,
        [InputRequired(message), long, *more],
        name=name,
        description=hint,
        filters=[lambda value: (value or "").strip()],
    )


def _position(label: str, name: str, hint: str) -> CountField:
    return CountField(
        label,
        [InputRequired(f"Escreva a posição, de 0 a {MAP_SIDE}.")],
        name=name,
        least=0,
        most=MAP_SIDE,
        description=hint,
        render_kw=NUMERIC,
    )


def _across() -> CountField:
    return _position(
        "Posição no mapa, da esquerda para a direita", "x", f"De 0 a {MAP_SIDE}; o meio é {MAP_SIDE // 2}."
    )


def _down() -> CountField:
    return _position("Posição no mapa, de cima para baixo", "y", MIDDLE)


def _vehicles() -> CountField:
    return CountField(
        "Número de veículos",
        [InputRequired("Escreva quantos veículos o decreto fixa.")],
        name="vagas",
        least=1,
        most=500,
        description="O limite que o decreto fixa para o ponto.",
        render_kw=NUMERIC,
    )


def _decree() -> SelectField:
    return SelectField(
        "Decreto que manda", [InputRequired("Escolha o decreto. Sem ele o ponto não muda.")], name="decreto", choices=[]
    )


class DecreeForm(PageForm):
    """A decree: number, day, subject, file."""

    number = _text("Número do decreto", "numero", "Escreva o número. Exemplo: 1/2027.", "Exemplo: 1/2027.")
    day = day_field("Data do decreto", "data")
    subject = _text("Assunto", "assunto", "Escreva o assunto.", "Exemplo: cria três pontos de táxi no Centro.")
    file = FileField("Arquivo do decreto", name="arquivo", description="PDF ou foto do que foi publicado.")


class CreateForm(PageForm):
    """A new ponto, created by a decree."""

    code = _text(
        "Código do ponto",
        "codigo",
        "Escreva o código. Exemplo: P1.",
        "Curto e sem espaço. Exemplo: P1.",
        Regexp(r"[A-Za-z0-9][A-Za-z0-9-]{0,11}$", message="Use até 12 letras, algarismos e hífen. Exemplo: P1."),
    )
    name = _text("Nome", "nome", "Escreva o nome. Exemplo: Terminal Rodoviário.", "Exemplo: Terminal Rodoviário.")
    address = _text("Endereço", "endereco", "Escreva o endereço.", "Rua, número e referência.")
    vehicles = _vehicles()
    x = _across()
    y = _down()
    decree = _decree()


class RelocateForm(PageForm):
    """A ponto moves, by a decree."""

    address = _text("Endereço novo", "endereco", "Escreva o endereço novo.")
    x = _across()
    y = _down()
    decree = _decree()


class LimitForm(PageForm):
    """The number of vehicles goes up or down, by a decree."""

    vehicles = _vehicles()
    decree = _decree()


class ExtinguishForm(PageForm):
    """A ponto closes, by a decree."""

    decree = _decree()
    agreed = BooleanField(
        "O decreto extingue este ponto", [InputRequired("Marque para confirmar que o decreto extingue o ponto.")],
        name="confirmo",
    )  # fmt: skip


class PermitsForm(PageForm):
    """How many permits are in force, and says who."""

    in_force = CountField(
        "Permissões em vigor",
        [InputRequired("Escreva quantas permissões estão em vigor. Se nenhuma, 0.")],
        name="permissoes",
        least=0,
        most=100_000,
        render_kw=NUMERIC,
    )
    source = _text("Fonte", "fonte", "Diga de onde vem o número.", "Exemplo: cadastro da Secretaria em 1º/3/2027.")


class ClosureForm(PageForm):
    """A day without expediente, by a decree."""

    day = day_field("Dia sem expediente", "dia")
    name = _text("Motivo", "nome", "Escreva o motivo. Exemplo: Carnaval.", "Exemplo: Carnaval, padroeiro da cidade.")
    decree = _decree()
