"""Made-up persons for the tests of people: numbers that check, names that nobody has."""

from __future__ import annotations

from dataclasses import dataclass

from tender.identity import Cnpj, Cpf
from tender.people import NATURAL, People

PASSWORD = "mesa chuva trevo pneu"
HOME = "203.0.113.7"
PHONE = "(34) 99876-5432"
BROWSER = "Mozilla/5.0 (Linux; Android 14) Chrome/126.0"


def cpf_of(number: int) -> str:
    """A CPF that checks, from up to nine digits."""
    return _completed(f"{number:09d}", Cpf)


def cnpj_of(number: int) -> str:
    """A CNPJ that checks, from up to twelve digits."""
    return _completed(f"{number:012d}", Cnpj)


def _completed(start: str, kind: type[Cpf] | type[Cnpj]) -> str:
    for check in range(100):
        try:
            return kind(f"{start}{check:02d}").bare
        except ValueError:
            continue
    raise AssertionError("two digits always complete a number")


@dataclass(frozen=True)
class Someone:
    """A person who is registered, and what they type."""

    id: str
    cpf: str
    email: str
    name: str


def register(people: People, number: int, name: str = "Ana Beatriz Quaresma", **more: str) -> Someone:
    """A natural person with a confirmed account and a party of their own."""
    email = f"pessoa{number}@exemplo.invalid"
    asked = people.register(
        more.pop("kind", NATURAL),
        cpf_of(number),
        name,
        email,
        PHONE,
        PASSWORD,
        address=f"198.51.100.{number % 250}",
        **more,
    )
    person = people.confirm_email(asked.token).person
    return Someone(person, cpf_of(number), email, name)


def appoint(people: People, number: int, name: str = "Otávio Nunes Prado") -> Someone:
    """A confirmed account without a party, as office holders have."""
    email = f"cargo{number}@exemplo.invalid"
    person = people.add_person(cpf_of(number), name, email, PHONE, PASSWORD, by="teste", with_party=False)
    return Someone(person, cpf_of(number), email, name)
