"""What is typed for the dossier: papers on file, decided warnings, proofs of publication."""

from __future__ import annotations

from wtforms import DateField, FileField, RadioField, SelectChoice, SelectField, StringField
from wtforms.validators import InputRequired, Length

from tender.edital.model.dossier import GATES, Channel, Choice
from tender.web import PageForm

NUMBER_MAX = 120
CHANNELS = {
    Channel.PNCP: "PNCP (número de controle)",
    Channel.GAZETTE: "Diário oficial (edição e página)",
    Channel.NEWSPAPER: "Jornal diário de grande circulação (nome e edição)",
}
CHOICES = {
    Choice.KEEPS: "Mantém como está",
    Choice.ADJUSTS: "Ajusta o edital",
    Choice.OPINION: "Segue o parecer nº",
}


class DayField(DateField):
    """A day, also typed as 05/03/2027; a wrong one is answered with one that would pass."""

    def process_formdata(self, valuelist: list[str]) -> None:
        try:
            super().process_formdata(valuelist)
        except ValueError as error:
            raise ValueError("Escreva um dia que exista. Exemplo: 05/03/2027.") from error


def day_field(label: str, name: str) -> DayField:
    """A day that must be given."""
    return DayField(label, [InputRequired("Escreva o dia.")], format=["%Y-%m-%d", "%d/%m/%Y"], name=name)


def _number(label: str, example: str) -> StringField:
    return StringField(
        label,
        [InputRequired(f"Escreva o número. Exemplo: {example}."), Length(max=NUMBER_MAX)],
        name="numero",
        description=f"Exemplo: {example}.",
        filters=[lambda value: (value or "").strip()],
    )


class PaperForm(PageForm):
    """A document of the dossier: which one, number, day, file."""

    paper = SelectField(
        "Peça",
        name="peca",
        choices=[
            SelectChoice(one.paper.value, f"{one.code} · {one.asks}") for one in GATES.values() if one.paper is not None
        ],
    )
    number = _number("Número", "Portaria 12/2027")
    day = day_field("Data", "data")
    file = FileField("Arquivo", name="arquivo", description="PDF ou foto.")


class ProofForm(PageForm):
    """A proof of publication: where, number, day."""

    channel = SelectField(
        "Onde saiu", name="canal", choices=[SelectChoice(one.value, text) for one, text in CHANNELS.items()]
    )
    number = _number("Número ou edição", "16727230000197-1-000012/2027")
    day = day_field("Dia da publicação", "data")


class WarningForm(PageForm):
    """What the commission does about a warning."""

    choice = RadioField(
        "O que a comissão decide",
        [InputRequired("Escolha: mantém, ajusta ou segue o parecer.")],
        name="decisao",
        choices=[SelectChoice(one.value, text) for one, text in CHOICES.items()],
    )
    note = StringField(
        "Motivo, ou número do parecer",
        [Length(max=1000, message="Escreva até 1000 letras.")],
        name="nota",
        description="Exemplo: parecer nº 12/2027, item 4.",
    )
