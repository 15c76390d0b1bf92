"""Sealed files on disk: AES-256-GCM in chunks, each bound to its place, under a key of the file's own.

Format `TENDERF1`: magic (8 bytes), salt (16 bytes), then chunks of 64 KiB of plain text, each followed by its tag of
16 bytes. Key = HKDF-SHA256(files key, salt, "tender/files/1:" + SHA-256 of the plain text); nonce = number of the chunk
(11 bytes) and a last byte that is 1 on the final chunk alone. So a changed byte, a missing end, a swapped, repeated or
foreign chunk fails to open (the STREAM construction: Hoang, Reyhanitabar, Rogaway and Vizár, CRYPTO 2015). The salt is
new at every writing, so no nonce meets the same key twice.
"""

from __future__ import annotations

import base64
import hashlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

MAGIC = b"TENDERF1"
SALT_BYTES = 16
CHUNK_BYTES = 64 * 1024
TAG_BYTES = 16


class FileDamaged(Exception):
    """What lies on the disk is not what was stored: changed, cut, reordered, sealed with another key, or gone."""


class Vault:
    """One folder of sealed files, `ab/cd/<sha256>`; it knows nothing of owners or readers."""

    def __init__(self, folder: Path, files_key: str) -> None:
        self._folder = folder
        self._secret = base64.urlsafe_b64decode(files_key.encode())
        assert len(self._secret) == 32, "the files key has 32 bytes"

    def path(self, sha256: str) -> Path:
        """Where the sealed file lies. Only a whole SHA-256 in lower-case hexadecimal is a name (ValueError)."""
        if len(sha256) != 64 or not set(sha256) <= set("0123456789abcdef"):
            raise ValueError("a file is named by its SHA-256, 64 lower-case hexadecimal digits")
        return self._folder / sha256[:2] / sha256[2:4] / sha256

    def seal(self, sha256: str, plain: BinaryIO) -> None:
        """Write the file under its name, whole or not at all: temporary file, fsync, rename, fsync of the folders.

        FileDamaged, and nothing written, when the bytes are not those of the name.
        """
        goal = self.path(sha256)
        goal.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        waiting = self._folder / "tmp" / secrets.token_hex(16)
        waiting.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(waiting, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as sealed:
                digest = hashlib.sha256()
                for piece in self._sealed(sha256, plain, digest):
                    sealed.write(piece)
                if digest.hexdigest() != sha256:
                    raise FileDamaged(f"{sha256}: other bytes came than were announced")
                sealed.flush()
                os.fsync(sealed.fileno())
            waiting.replace(goal)
        finally:
            waiting.unlink(missing_ok=True)
        for folder in (goal.parent, goal.parent.parent, self._folder):
            _sync_folder(folder)

    def open(self, sha256: str) -> Iterator[bytes]:
        """The plain bytes, chunk by chunk; no chunk is handed out before it was authenticated.

        FileDamaged at once when the file is gone or has no header, later when a chunk fails.
        """
        with self._sealed_file(sha256) as sealed:
            _header(sha256, sealed)
        return self._opened(sha256)

    def _sealed_file(self, sha256: str) -> BinaryIO:
        try:
            return self.path(sha256).open("rb")
        except FileNotFoundError as error:
            raise FileDamaged(f"{sha256}: gone from the disk") from error

    def _opened(self, sha256: str) -> Iterator[bytes]:
        # Opened here and not before: whoever never asks for the first chunk leaves no file open.
        with self._sealed_file(sha256) as sealed:
            header = _header(sha256, sealed)
            cipher = self._cipher(sha256, header[len(MAGIC) :])
            number = 0
            chunk = sealed.read(CHUNK_BYTES + TAG_BYTES)
            while True:
                following = sealed.read(CHUNK_BYTES + TAG_BYTES)
                try:
                    plain = cipher.decrypt(_nonce(number, last=not following), chunk, header)
                except InvalidTag as error:
                    raise FileDamaged(f"{sha256}: chunk {number} does not open") from error
                yield plain
                if not following:
                    return
                number, chunk = number + 1, following

    def _sealed(self, sha256: str, plain: BinaryIO, digest: hashlib._Hash) -> Iterator[bytes]:
        header = MAGIC + secrets.token_bytes(SALT_BYTES)
        yield header
        cipher = self._cipher(sha256, header[len(MAGIC) :])
        number = 0
        chunk = _full(plain)
        while True:
            following = _full(plain)
            digest.update(chunk)
            yield cipher.encrypt(_nonce(number, last=not following), chunk, header)
            if not following:
                return
            number, chunk = number + 1, following

    def _cipher(self, sha256: str, salt: bytes) -> AESGCM:
        derived = HKDF(SHA256(), length=32, salt=salt, info=b"tender/files/1:" + sha256.encode())
        return AESGCM(derived.derive(self._secret))


def _header(sha256: str, sealed: BinaryIO) -> bytes:
    header = sealed.read(len(MAGIC) + SALT_BYTES)
    if len(header) != len(MAGIC) + SALT_BYTES or not header.startswith(MAGIC):
        raise FileDamaged(f"{sha256}: no header")
    return header


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])


def _full(plain: BinaryIO) -> bytes:
    # A stream may hand out less than it was asked for; a chunk is short at the end alone.
    chunk = plain.read(CHUNK_BYTES)
    while len(chunk) < CHUNK_BYTES and (more := plain.read(CHUNK_BYTES - len(chunk))):
        chunk += more
    return chunk


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
