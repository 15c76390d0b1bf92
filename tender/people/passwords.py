"""Passwords: which will do, and how they are hashed without stopping the auction."""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Callable
from typing import Any

from argon2 import PasswordHasher, Type
from argon2.exceptions import InvalidHashError, VerificationError

LENGTH_MIN = 10
LENGTH_MAX = 200
EXAMPLE = "quatro palavras soltas, como “rede lua quintal boné”, mas escolhidas por você"

# Short on purpose: what people type in Brazil when ten characters are asked for. Sequences are found by rule.
COMMON = frozenset(
    """
    password12 password123 password1234 passw0rd123 senha12345 senha123456 senha1234567 senhasenha minhasenha
    minhasenha1 minhasenha123 senhaforte senhaforte123 senha@12345 senha@123456 mudar12345 mudar@12345 trocar12345
    acesso12345 admin12345 admin123456 adminadmin administrador qwertyuiop qwerty12345 qwerty123456 asdfghjklç
    1q2w3e4r5t 1q2w3e4r5t6y q1w2e3r4t5 zxcvbnm123 abcdefghij abcdefghijk abc1234567 abcd123456 abc123abc123
    iloveyou123 teamo12345 teamo123456 euteamo123 euteamomuito jesuscristo jesus12345 deusefiel123 deusnocomando
    brasil12345 brasil2024 brasil2025 brasil2026 brasil2027 brasil2028 flamengo123 flamengo1981 corinthians
    corinthians1 corinthians123 palmeiras1 palmeiras123 saopaulofc cruzeiro123 cruzeiro1921 atletico123 atleticomg
    galo123456 vascodagama arapora123 arapora2026 arapora2027 arapora2028 prefeitura prefeitura1 prefeitura123
    licitacao123 licitacoes taxista123 taxistataxista ponto12345 motorista1 motorista123 familia123 familia12345
    princesa123 gabriel123 mariamaria
    """.split()
)
_RUNS = ("01234567890123456789", "abcdefghijklmnopqrstuvwxyz", "qwertyuiopasdfghjklzxcvbnm")


def normal(password: str) -> str:
    """One form for what different keyboards send (NFKC), so that an accent typed on a phone fits one typed on a PC."""
    return unicodedata.normalize("NFKC", password)


def password_faults(password: str, *, cpf: str = "", email: str = "") -> list[str]:
    """Why this password will not do, one sentence each in Portuguese; empty when it will. cpf: eleven bare digits."""
    typed = normal(password)
    plain = typed.casefold()
    if len(typed) < LENGTH_MIN:
        return [f"A senha tem {len(typed)} caracteres e precisa de {LENGTH_MIN} ou mais. Boa: {EXAMPLE}."]
    if len(typed) > LENGTH_MAX:
        return [f"A senha tem {len(typed)} caracteres e pode ter até {LENGTH_MAX}."]
    faults = []
    digits = "".join(sign for sign in plain if sign.isdigit())
    if cpf and cpf in digits:
        faults.append(f"A senha não pode conter o seu CPF. Boa: {EXAMPLE}.")
    if email and plain in (email.casefold(), email.casefold().partition("@")[0]):
        faults.append(f"A senha não pode ser o seu e-mail. Boa: {EXAMPLE}.")
    if plain in COMMON or plain in EXAMPLE or len(set(plain)) <= 2 or _is_run(plain):
        faults.append(f"Esta senha é das primeiras que alguém tentaria. Boa: {EXAMPLE}.")
    return faults


def _is_run(plain: str) -> bool:
    return any(plain in run or plain[::-1] in run for run in _RUNS)


class Hasher:
    """Argon2id with OWASP's 19 MiB, 2 passes, 1 lane: 28 ms here, against 150 ms of the library's default.

    The hall signs in within minutes, while lances run in the same process. `offload` runs the work elsewhere: under
    gevent it must be `gevent.get_hub().threadpool.apply`, or the hub stands still meanwhile.
    """

    AT_ONCE = 8  # 152 MiB at most

    def __init__(self, offload: Callable[..., Any] | None = None) -> None:
        self._argon2 = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1, type=Type.ID)
        self._turns = threading.BoundedSemaphore(self.AT_ONCE)
        self.offload = offload
        self._nobody = self._argon2.hash("ninguém tem esta senha")

    def hash(self, password: str) -> str:
        """Argon2id hash of the password."""
        return str(self._run(self._argon2.hash, normal(password)))

    def verify(self, kept: str | None, password: str) -> bool:
        """True when the password fits. No hash (nobody has that CPF): the same work, and no."""
        try:
            right = bool(self._run(self._argon2.verify, kept or self._nobody, normal(password)[: LENGTH_MAX + 1]))
        except (VerificationError, InvalidHashError):
            return False
        return right and kept is not None

    def is_old(self, kept: str) -> bool:
        """True when the hash was made with other parameters."""
        return self._argon2.check_needs_rehash(kept)

    def _run(self, work: Callable[..., Any], *values: str) -> Any:
        with self._turns:
            return self.offload(work, values) if self.offload else work(*values)
