"""What is typed to register, to sign in and to keep the own account. Names in the page are Portuguese words; a field
whose name says "senha" or "codigo" is never shown again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wtforms import EmailField, Field, PasswordField, RadioField, SelectChoice, StringField, TelField
from wtforms.form import BaseForm
from wtforms.validators import InputRequired, Length, Optional, StopValidation

from tender.identity import Cnpj, Cpf, IdentityError, Phone
from tender.people import LEGAL, LENGTH_MIN, NATURAL, PersonFault, password_faults
from tender.web import PageForm

WHO = {"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}
CODE = {"autocomplete": "one-time-code", "inputmode": "numeric", "autocapitalize": "characters", "spellcheck": "false"}


def _said(text: str) -> InputRequired:
    return InputRequired(text)


def _is(kind: Callable[[str], Any]) -> Callable[[BaseForm, Field], None]:
    """Takes what `kind` takes (Cpf, Cnpj, Phone); else says the rule and an example."""

    def validator(_form: BaseForm, field: Field) -> None:
        try:
            kind(field.data or "")
        except IdentityError as error:
            raise StopValidation(f"O {error.field} {error.reason_pt}. Exemplo: {error.passes}.") from error

    return validator


def _will_do(form: BaseForm, field: Field) -> None:
    """A new password: the rules of `people`, told all at once."""
    typed = form["document"].data or "" if "document" in form else ""
    cpf = "".join(sign for sign in typed if sign.isdigit())
    email = form["email"].data or "" if "email" in form else ""
    faults = password_faults(field.data or "", cpf=cpf if len(cpf) == 11 else "", email=email)
    if faults:
        raise StopValidation(" ".join(faults))


def _new_password(label: str = "Senha") -> PasswordField:
    return PasswordField(
        label,
        name="senha_nova",
        description=f"{LENGTH_MIN} caracteres ou mais. Quatro palavras soltas se lembram bem e se adivinham mal.",
        validators=[_said("Escolha uma senha."), _will_do],
        render_kw={"autocomplete": "new-password", "minlength": str(LENGTH_MIN)},
    )


def _company_number(required: bool) -> StringField:
    rules: list[Any] = [_said("Escreva o CNPJ da empresa.")] if required else [Optional()]
    return StringField(
        "CNPJ da empresa",
        name="cnpj",
        validators=[*rules, _is(Cnpj)],
        render_kw={"autocomplete": "off", "autocapitalize": "characters", "maxlength": "18"},
    )


def _company_name(required: bool) -> StringField:
    rules: list[Any] = [_said("Escreva o nome da empresa.")] if required else []
    return StringField(
        "Nome da empresa",
        name="empresa",
        description="A razão social, como está no cartão do CNPJ.",
        validators=[*rules, Length(max=120, message="O nome pode ter até 120 letras.")],
        render_kw={"autocomplete": "organization"},
    )


def take_fault(form: PageForm, fault: PersonFault) -> None:
    """Show what `people` could not take at the field it names, or at the first one."""
    field = form[fault.field] if fault.field in form else next(iter(form))
    field.errors = [*field.errors, str(fault)]


class CodeField(StringField):
    """A code that counts once: it is never shown again."""

    def _value(self) -> str:
        return ""


class SignInForm(PageForm):
    """CPF or e-mail, and the password."""

    who = StringField("CPF ou e-mail", name="quem", validators=[_said("Escreva seu CPF ou e-mail.")], render_kw=WHO)
    password = PasswordField(
        "Senha",
        name="senha",
        validators=[_said("Escreva sua senha.")],
        render_kw={"autocomplete": "current-password"},
    )


class RegisterForm(PageForm):
    """One page: a natural person, or the representative of a company."""

    kind = RadioField(
        "Como você vai participar?",
        name="tipo",
        choices=[
            SelectChoice(NATURAL, "Como pessoa física, em meu nome"),
            SelectChoice(LEGAL, "Como representante de uma empresa"),
        ],
        default=NATURAL,
    )
    document = StringField(
        "Seu CPF",
        name="cpf",
        validators=[_said("Escreva seu CPF."), _is(Cpf)],
        render_kw={"inputmode": "numeric", "autocomplete": "off", "maxlength": "14"},
    )
    name = StringField(
        "Seu nome completo",
        name="nome",
        description="Como está no seu documento.",
        validators=[_said("Escreva seu nome."), Length(max=120, message="O nome pode ter até 120 letras.")],
        render_kw={"autocomplete": "name", "autocapitalize": "words"},
    )
    email = EmailField(
        "E-mail",
        name="email",
        description="Vamos mandar um link para confirmar. Os avisos da licitação também vão para ele.",
        validators=[_said("Escreva seu e-mail."), Length(max=254, message="O e-mail pode ter até 254 letras.")],
        render_kw={"autocomplete": "email", "inputmode": "email"},
    )
    phone = TelField(
        "Celular com DDD",
        name="telefone",
        description="Só para ajudar você no dia da disputa. Exemplo: (34) 99876-5432.",
        validators=[_said("Escreva seu telefone."), _is(Phone)],
        render_kw={"autocomplete": "tel-national", "inputmode": "tel"},
    )
    password = _new_password()
    cnpj = _company_number(required=False)
    company_name = _company_name(required=False)

    def validate(self, extra_validators: Any = None) -> bool:
        """A company needs its number and name; what stands in its fields otherwise is not looked at."""
        if self.kind.data != LEGAL:
            for unasked in (self.cnpj, self.company_name):
                unasked.data, unasked.raw_data = "", []
        good = bool(super().validate(extra_validators))
        if self.kind.data == LEGAL:
            for field, text in (
                (self.cnpj, "Escreva o CNPJ da empresa."),
                (self.company_name, "Escreva o nome da empresa."),
            ):
                if not (field.data or "").strip():
                    field.errors = [text]
                    good = False
        return good


class CodeForm(PageForm):
    """A code of the app or of the paper."""

    code = CodeField("Código", name="codigo", validators=[_said("Escreva o código.")], render_kw=CODE)


class ProofForm(PageForm):
    """The password again."""

    password = PasswordField(
        "Sua senha",
        name="senha",
        validators=[_said("Escreva sua senha.")],
        render_kw={"autocomplete": "current-password"},
    )


class ResetAskForm(PageForm):
    """Who forgot the password."""

    who = StringField("CPF ou e-mail", name="quem", validators=[_said("Escreva seu CPF ou e-mail.")], render_kw=WHO)


class ResetForm(PageForm):
    """A new password, by the link of the mail."""

    password = _new_password("Senha nova")


class PhoneForm(PageForm):
    """Another telephone."""

    phone = TelField(
        "Celular com DDD",
        name="telefone",
        validators=[_said("Escreva seu telefone."), _is(Phone)],
        render_kw={"autocomplete": "tel-national", "inputmode": "tel"},
    )


class EmailForm(PageForm):
    """Another e-mail."""

    email = EmailField(
        "E-mail novo",
        name="email",
        description="O e-mail só muda quando você abrir o link que vamos mandar para ele.",
        validators=[_said("Escreva o e-mail novo."), Length(max=254, message="O e-mail pode ter até 254 letras.")],
        render_kw={"autocomplete": "email", "inputmode": "email"},
    )


class PasswordForm(PageForm):
    """The password in force, and the new one."""

    current = PasswordField(
        "Senha atual",
        name="senha",
        validators=[_said("Escreva a senha que você usa hoje.")],
        render_kw={"autocomplete": "current-password"},
    )
    password = _new_password("Senha nova")


class CompanyForm(PageForm):
    """A company to act for."""

    cnpj = _company_number(required=True)
    company_name = _company_name(required=True)
