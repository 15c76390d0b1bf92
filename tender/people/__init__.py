"""Who is who: identity, credentials, second factor, offices, parties, pseudonyms. The only home of personal data.

`sealing` says how the data lies, `tables` where, `rates` who is slowed and who never is. `People` is what the rest of
the program holds; each part of it is a module by subject.
"""

from tender.people.base import Base
from tender.people.passwords import LENGTH_MIN, password_faults
from tender.people.privacy import Privacy
from tender.people.sign_in import ResetAsked
from tender.people.words import (
    LEGAL,
    NATURAL,
    Bar,
    Confirmed,
    Contact,
    FactorSetUp,
    LinkExpired,
    NotRecognised,
    OfficeView,
    PartyView,
    PersonFault,
    PersonView,
    ProofNeeded,
    Recognised,
    Registration,
    Representation,
    SessionView,
    Step,
    TooManyTries,
)


class People(Privacy):
    """Everything about persons, parties and offices; `People(engine, clock, settings)`."""


__all__ = [
    "LEGAL",
    "LENGTH_MIN",
    "NATURAL",
    "Bar",
    "Base",
    "Confirmed",
    "Contact",
    "FactorSetUp",
    "LinkExpired",
    "NotRecognised",
    "OfficeView",
    "PartyView",
    "People",
    "PersonFault",
    "PersonView",
    "ProofNeeded",
    "Recognised",
    "Registration",
    "Representation",
    "ResetAsked",
    "SessionView",
    "Step",
    "TooManyTries",
    "password_faults",
]
