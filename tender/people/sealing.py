"""How personal data lies in the database: sealed columns, and blind indexes to find them again.

Why sealed. A copy of the database (a backup, a disk, a technician's SELECT) must not be a list of names and CPFs
(LGPD, art. 46), and the role `tecnico` runs the server without the right to read them. So names, documents,
contacts, addresses and TOTP secrets are AES-256-GCM under a key derived by HKDF from `settings.secret_key`. GCM and
not Fernet: it takes the place (table, column, row) as associated data, so a sealed value moved to another row or
column does not open there.

Why an index beside it. A sealed column cannot be UNIQUE nor looked up, since the same CPF is sealed differently each
time. A plain hash would be no secret either: there are only 10⁹ CPFs. An HMAC under a second derived key says
"same" to the program and nothing to anybody else.

What it does not do: whoever holds the database *and* the key reads everything. Losing `secret_key` loses the names.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_VERSION = "1."
_NONCE_BYTES = 12


class SealBroken(ValueError):
    """A sealed value that does not open: another key, another place, or somebody changed it."""


class Seal:
    """Seals text for one place of the database, opens it there, and makes blind indexes."""

    def __init__(self, secret_key: str) -> None:
        self._cipher = AESGCM(_derived(secret_key, b"tender people columns 1"))
        self._index_key = _derived(secret_key, b"tender people indexes 1")

    def shut(self, text: str, place: str) -> str:
        """`text` sealed for `place` ("table.column:row"); each call gives another result."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        sealed = nonce + self._cipher.encrypt(nonce, text.encode(), place.encode())
        return _VERSION + base64.urlsafe_b64encode(sealed).decode()

    def open(self, sealed: str, place: str) -> str:
        """What was sealed for that place; SealBroken for any other."""
        if not sealed.startswith(_VERSION):
            raise SealBroken(f"{place} is sealed in an unknown way")
        try:
            raw = base64.urlsafe_b64decode(sealed[len(_VERSION) :].encode())
            return self._cipher.decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], place.encode()).decode()
        except (InvalidTag, ValueError) as error:
            raise SealBroken(f"{place} does not open") from error

    def index(self, kind: str, value: str) -> str:
        """Blind index of a value among its kind ("cpf", "email"): equal values, equal index, nothing else to learn."""
        return hmac.new(self._index_key, f"{kind}\0{value}".encode(), hashlib.sha256).hexdigest()


def token_hash(token: str) -> str:
    """What the database keeps of a random 256-bit token: its SHA-256, useless to whoever reads it."""
    return hashlib.sha256(token.encode()).hexdigest()


def _derived(secret: str, purpose: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose).derive(secret.encode())
