"""Words of the subject: what people look like to the rest of the program, and how they are told no."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from tender.acts import PersonId, Role
from tender.clock import BRASILIA
from tender.identity import Cnpj, Cpf, Phone

NATURAL = "pessoa física"
LEGAL = "pessoa jurídica"


class PersonFault(ValueError):
    """What was typed cannot be taken. `field`: name of the form's field; `reason`: Portuguese; `passes`: an example."""

    def __init__(self, field: str, reason: str, passes: str = "") -> None:
        self.field = field
        self.reason = reason
        self.passes = passes
        super().__init__(f"{reason} Passa, por exemplo, {passes}." if passes else reason)


class NotRecognised(Exception):
    """Unknown person or wrong password, in the same words: the answer does not tell which CPFs are registered."""

    def __init__(self, reason: str = "CPF, e-mail ou senha não conferem.") -> None:
        super().__init__(reason)
        self.reason = reason


class ProofNeeded(NotRecognised):
    """The act asks for the password or a code again."""

    def __init__(self) -> None:
        super().__init__("Para continuar, confirme que é você.")


class LinkExpired(NotRecognised):
    """A link of a mail that was used, replaced or is too old."""

    def __init__(self) -> None:
        super().__init__("Este link já foi usado ou venceu. Peça outro.")


class TooManyTries(Exception):
    """A limit of tries was reached. `retry_at`: when the next one will be heard (UTC)."""

    def __init__(self, retry_at: datetime, now: datetime) -> None:
        self.retry_at = retry_at
        wait = retry_at - now
        self.seconds = max(1, -(-wait // timedelta(seconds=1)))
        whole = -(-self.seconds // 60)
        spell = "1 minuto" if whole == 1 else f"{whole} minutos"
        # Rounded up: at the minute that we print, the try is heard.
        shown = (retry_at + timedelta(seconds=59)).astimezone(BRASILIA)
        self.reason = f"Foram muitas tentativas seguidas. Tente de novo às {shown:%Hh%M} (daqui a {spell})."
        super().__init__(self.reason)


class Step(StrEnum):
    """What comes after the password."""

    SESSION = "session"
    SECOND_FACTOR = "second_factor"
    SET_UP = "set_up"  # an office holder without a second factor


@dataclass(frozen=True, slots=True)
class Recognised:
    """The password was right. `device_known`: this browser has signed in to this account before."""

    person: PersonId
    step: Step
    device_known: bool


@dataclass(frozen=True, slots=True)
class Contact:
    """How to reach somebody. Never shown to the public."""

    name: str
    email: str
    phone: Phone | None = None


@dataclass(frozen=True, slots=True)
class PersonView:
    """The person of a session, as his own pages show him."""

    id: PersonId
    name: str
    cpf: Cpf
    contact: Contact
    session: str
    expires_at: datetime
    second_factor: bool
    has_factor: bool
    offices: frozenset[Role]

    @property
    def must_set_up(self) -> bool:
        """An office without a second factor: only the set-up page is open."""
        return bool(self.offices) and not self.has_factor

    @property
    def must_confirm(self) -> bool:
        """An office in a session that has not shown the second factor."""
        return bool(self.offices) and self.has_factor and not self.second_factor


@dataclass(frozen=True, slots=True)
class PartyView:
    """Who competes: a natural person or a company. `kind` has the values of `PersonKind`."""

    id: str
    document: Cpf | Cnpj
    name: str

    @property
    def kind(self) -> str:
        return LEGAL if self.is_company else NATURAL

    @property
    def is_company(self) -> bool:
        return isinstance(self.document, Cnpj)

    @property
    def public(self) -> str:
        """As anybody may read it: the CPF masked, the CNPJ in full (both by `identity`)."""
        return f"{self.name} ({self.document.FIELD} {self.document.public})"


@dataclass(frozen=True, slots=True)
class Representation:
    """A person who acts, or asks to act, for a company. status: asked | active | ended."""

    id: str
    party: PartyView
    person: PersonId
    person_name: str
    status: str
    asked_at: datetime


@dataclass(frozen=True, slots=True)
class OfficeView:
    """One appointment: the role, the act that made it, its hours."""

    id: str
    person: PersonId
    name: str
    role: Role
    act: str
    granted_at: datetime
    until: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class SessionView:
    """One sign-in, as its owner sees it."""

    id: str
    user_agent: str
    address: str
    opened_at: datetime
    seen_at: datetime
    expires_at: datetime
    second_factor: bool
    is_this: bool = False


@dataclass(frozen=True, slots=True)
class Bar:
    """Art. 24, parágrafo único: who may not enter. `act`: what was decided, and where."""

    act: str
    since: datetime
    until: datetime | None


@dataclass(frozen=True, slots=True)
class Registration:
    """What came of a registration. `token` is empty when the CPF or the e-mail is already somebody's: then the one to
    write to is `addressee`, the account that exists, and the page answers as if nothing were known."""

    addressee: PersonId
    token: str = field(default="", repr=False)

    @property
    def is_new(self) -> bool:
        return bool(self.token)


@dataclass(frozen=True, slots=True)
class Confirmed:
    """An e-mail was confirmed. purpose: registration | email. `asked_party`: a company that must first accept him."""

    person: PersonId
    purpose: str
    asked_party: str = ""


@dataclass(frozen=True, slots=True)
class FactorSetUp:
    """A TOTP secret on its way: as text for typing, as otpauth address for the QR code."""

    secret: str = field(repr=False)
    uri: str = field(repr=False)
