"""What is typed in the habilitation: an upload for a requirement, the enrolment, the commission's decision."""

from __future__ import annotations

from flask_wtf import FlaskForm
from flask_wtf.file import FileField, FileRequired
from wtforms import BooleanField, SelectMultipleField, TextAreaField
from wtforms.validators import DataRequired, InputRequired, Length


class UploadForm(FlaskForm):
    """One file for one requirement."""

    file = FileField("Arquivo", validators=[FileRequired("Escolha o arquivo: foto (JPEG ou PNG) ou PDF.")])


class EnrolForm(FlaskForm):
    """Stands wanted and the declaration of truth."""

    stands = SelectMultipleField("Pontos", coerce=int, validators=[InputRequired("Escolha ao menos um ponto.")])
    truth = BooleanField(
        "Declaro que os documentos são verdadeiros e que conheço o edital.",
        validators=[DataRequired("Marque a declaração para enviar a inscrição.")],
    )


class DecisionForm(FlaskForm):
    """The commission's reason."""

    reason = TextAreaField(
        "Motivo",
        validators=[DataRequired("Escreva o motivo da decisão."), Length(min=10, message="Use ao menos 10 letras.")],
    )
