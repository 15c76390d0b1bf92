"""Which passwords will do, and what is kept of them."""

from __future__ import annotations

import pytest
from argon2 import PasswordHasher

from tender.people.passwords import COMMON, LENGTH_MAX, LENGTH_MIN, Hasher, password_faults
from tests.people.made import PASSWORD, cpf_of


@pytest.mark.parametrize(
    ("password", "will_do"),
    [
        ("x7 mesa ab", True),  # ten
        ("x7 mesa a", False),  # nine
        ("ab " * 66 + "ab", True),  # two hundred
        ("ab " * 66 + "abc", False),  # one more
        (PASSWORD, True),
        ("Rede lua quintal boné", False),  # what the page itself gives as an example
        ("0123456789", False),
        ("9876543210", False),
        ("abcdefghij", False),
        ("abcdefghiz", True),
        ("aaaaaaaaaa", False),
        ("ababababab", False),
        ("Senha12345", False),  # case makes no difference to whoever guesses
        ("senha12346 boa", True),
    ],
)
def test_a_password_will_do_or_not(password: str, will_do: bool) -> None:
    faults = password_faults(password)
    assert (faults == []) is will_do, faults


def test_the_common_ones_are_long_enough_to_matter() -> None:
    assert all(len(one) >= LENGTH_MIN for one in COMMON)
    for one in COMMON:
        assert password_faults(one)


def test_a_password_is_neither_the_cpf_nor_the_email() -> None:
    cpf = cpf_of(52998224)
    assert "CPF" in password_faults(f"{cpf[:3]}.{cpf[3:6]}.{cpf[6:9]}-{cpf[9:]}", cpf=cpf)[0]
    assert "CPF" in password_faults(f"ab{cpf}", cpf=cpf)[0]
    assert password_faults(f"ab{cpf[:-1]}x", cpf=cpf) == []
    assert "e-mail" in password_faults("anabeatriz@x.br", email="AnaBeatriz@x.br")[0]
    assert "e-mail" in password_faults("anabeatriz", email="AnaBeatriz@x.br")[0]


def test_a_fault_says_how_long_it_was_and_what_would_pass() -> None:
    (fault,) = password_faults("curta")
    assert "5 caracteres" in fault
    assert str(LENGTH_MIN) in fault
    assert str(LENGTH_MAX) in password_faults("é" * 201)[0]


def test_the_same_password_typed_on_another_keyboard_is_the_same() -> None:
    hasher = Hasher()
    kept = hasher.hash("caf\u00e9 e p\u00e3o de queijo")  # one sign an accent
    assert hasher.verify(kept, "cafe\u0301 e pa\u0303o de queijo")  # two signs
    assert not hasher.verify(kept, "cafe e pao de queijo")


def test_no_hash_costs_the_same_work_and_never_fits() -> None:
    done: list[str] = []

    def elsewhere(work, values):  # type: ignore[no-untyped-def]
        done.append(values[0])
        return work(*values)

    hasher = Hasher()
    hasher.offload = elsewhere
    assert not hasher.verify(None, PASSWORD)
    assert not hasher.verify(None, "ninguém tem esta senha")  # the password of the stand-in
    assert not hasher.verify("!", PASSWORD)  # somebody forgotten
    assert len(done) == 3
    parameters = {kept.split("$")[3] for kept in done[:2]}
    assert parameters == {hasher.hash(PASSWORD).split("$")[3]}


def test_a_hash_with_older_parameters_is_known_as_old() -> None:
    hasher = Hasher()
    older = PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1).hash(PASSWORD)
    assert hasher.is_old(older)
    assert not hasher.is_old(hasher.hash(PASSWORD))
    assert hasher.verify(older, PASSWORD)
