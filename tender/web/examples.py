"""Values for `/demo/componentes`: invented, but made of the real types, so that the page breaks when a macro does."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from flask import Response, make_response, render_template
from werkzeug.datastructures import MultiDict
from wtforms import (
    BooleanField,
    FileField,
    IntegerField,
    RadioField,
    SelectChoice,
    SelectField,
    StringField,
    TextAreaField,
)
from wtforms.validators import InputRequired, Regexp

from tender.acts import Refusal
from tender.law import MUN
from tender.money import Money
from tender.web.forms import PageForm

INSTANT = datetime(2027, 3, 16, 17, 18, 13, 42_000, UTC)
COLOURS = (
    ("navy · blue-warm-vivid-90", "#071d41", "16,65:1 no branco"),
    ("azul · blue-warm-vivid-70", "#1351b4", "7,33:1 · ação"),
    ("azul 5", "#edf5ff", "azul sobre ele 6,67:1"),
    ("verde · green-cool-vivid-60", "#216e1f", "6,34:1 · certo"),
    ("vermelho · red-vivid-60", "#b50909", "6,98:1 · perigo"),
    ("amarelo · yellow-vivid-20", "#ffcd07", "11,09:1 no navy · ao vivo"),
    ("tinta · gray-90", "#1b1b1b", "17,22:1"),
    ("texto 2 · gray-70", "#555555", "7,46:1"),
    ("borda · gray-cool-50", "#71767a", "4,59:1 (mín. 3:1)"),
)
PHASES = (
    {"state": "done", "title": "Edital publicado", "text": "8 de fevereiro"},
    {"state": "now", "title": "Inscrição e envio de documentos", "text": "até sexta, 5 de março, às 17h"},
    {"state": "todo", "title": "Análise dos documentos", "text": "8 a 10 de março"},
    {"state": "todo", "title": "Disputa de lances ao vivo", "text": "terça, 16 de março, às 14h"},
)
CHAIN = (
    {"state": "done", "title": "Disputa encerrada", "text": "16/03, 14:21:26 · R$ 9.600", "mark": ""},
    {"state": "no", "title": "1º colocado desistiu", "text": "16/03, 14:41 · Termo de Desistência", "mark": ""},
    {"state": "now", "title": "2º colocado chamado", "text": "16/03, 14:42 · aviso por e-mail", "mark": "2º"},
    {"state": "todo", "title": "Assinatura do termo", "text": "até 18/03, 17h", "mark": ""},
)
STANDS = [SelectChoice("3", "Ponto 3 — Hospital"), SelectChoice("4", "Ponto 4 — Comércio")]
KINDS = [SelectChoice("pf", "Motorista autônomo"), SelectChoice("pj", "Empresa")]


class ExampleForm(PageForm):
    """One field of each kind, some of them filled in wrongly."""

    amount = StringField(
        "Valor do lance, em reais",
        [InputRequired(), Regexp(r"\d+$", message="Use só reais, sem centavos. Exemplo: 9500")],
        render_kw={"inputmode": "numeric"},
    )
    reason = TextAreaField("Motivo", description="Pelo menos 30 letras. Vai para a ata.")
    stand = SelectField("Ponto", [InputRequired()], choices=STANDS)
    kind = RadioField("Quem se inscreve", [InputRequired()], choices=KINDS)
    photo = FileField("Foto do documento")
    years = IntegerField("Anos de experiência")
    agreed = BooleanField("Li o edital e concordo com as regras", [InputRequired(message="Marque para continuar.")])


def components() -> Response:
    """The page of components."""
    form = ExampleForm(MultiDict({"amount": "9500,00", "stand": "3", "kind": "pf", "years": "2"}), meta={"csrf": False})
    form.validate()
    examples: dict[str, Any] = {
        "colours": COLOURS,
        "instant": INSTANT,
        "amount": Money.reais(9500),
        "refusal": Refusal(
            "O lance não alcança o menor valor para passar à frente.",
            MUN(4, 3),
            code="abaixo_do_minimo",
            field="valor",
            got="R$ 9.450",
            passes="R$ 9.500 ou mais",
        ),
        "long_law": MUN(4, 1),
        "form": form,
        "phases": PHASES,
        "chain": CHAIN,
    }
    return make_response(render_template("components.html", examples=examples))
