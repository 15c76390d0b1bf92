"""Sealed files: whole or not at all, and whoever touches the disk is found out."""

from __future__ import annotations

import hashlib
import io

import pytest

from tender.files import FileDamaged
from tender.files.vault import CHUNK_BYTES, MAGIC, SALT_BYTES, TAG_BYTES, Vault
from tender.settings import Settings

CHUNK, HEADER = CHUNK_BYTES + TAG_BYTES, len(MAGIC) + SALT_BYTES


@pytest.fixture
def vault(settings: Settings) -> Vault:
    """An empty vault."""
    return Vault(settings.data_dir, settings.files_key)


def sealed(vault: Vault, data: bytes) -> str:
    """Seal the bytes under their name."""
    name = hashlib.sha256(data).hexdigest()
    vault.seal(name, io.BytesIO(data))
    return name


@pytest.mark.parametrize(
    "size", [1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES, 5 * CHUNK_BYTES + 7]
)
def test_files_around_the_edge_of_a_chunk_come_out_whole(vault: Vault, size: int) -> None:
    data = bytes(number * 7 % 251 for number in range(size))
    name = sealed(vault, data)
    assert b"".join(vault.open(name)) == data
    assert vault.path(name).stat().st_size == HEADER + size + TAG_BYTES * -(-size // CHUNK_BYTES)


def turned_bit(file: bytes, at: int) -> bytes:
    """The file with one bit turned."""
    return file[:at] + bytes([file[at] ^ 1]) + file[at + 1 :]


def swapped_chunks(file: bytes) -> bytes:
    """The file with its first two chunks in the other order."""
    first, second = file[HEADER : HEADER + CHUNK], file[HEADER + CHUNK : HEADER + 2 * CHUNK]
    return file[:HEADER] + second + first + file[HEADER + 2 * CHUNK :]


TAMPERED = {
    "a bit of the text": lambda file: turned_bit(file, HEADER + 5),
    "a bit of the last tag": lambda file: turned_bit(file, len(file) - 1),
    "a bit of the salt": lambda file: turned_bit(file, len(MAGIC)),
    "a bit of the magic": lambda file: turned_bit(file, 0),
    "the last byte gone": lambda file: file[:-1],
    "the last chunk gone": lambda file: file[: HEADER + 2 * CHUNK],
    "all but the header gone": lambda file: file[:HEADER],
    "nothing left": lambda file: b"",
    "two chunks swapped": swapped_chunks,
    "a chunk twice": lambda file: file[: HEADER + CHUNK] + file[HEADER:],
    "a byte more": lambda file: file + b"\0",
}


@pytest.mark.parametrize("how", TAMPERED)
def test_whoever_touches_the_disk_is_found_out(vault: Vault, how: str) -> None:
    data = bytes(2 * CHUNK_BYTES) + b"end"
    name = sealed(vault, data)
    whole = vault.path(name).read_bytes()
    assert b"".join(vault.open(name)) == data
    vault.path(name).write_bytes(TAMPERED[how](whole))
    with pytest.raises(FileDamaged):
        b"".join(vault.open(name))


def test_no_chunk_is_handed_out_that_was_not_authenticated(vault: Vault) -> None:
    name = sealed(vault, bytes(3 * CHUNK_BYTES))
    vault.path(name).write_bytes(turned_bit(vault.path(name).read_bytes(), HEADER + CHUNK + 1))
    chunks = vault.open(name)
    assert next(chunks) == bytes(CHUNK_BYTES)
    with pytest.raises(FileDamaged, match="chunk 1"):
        next(chunks)


def test_the_same_bytes_sealed_twice_look_different(vault: Vault) -> None:
    name = sealed(vault, b"the same")
    first = vault.path(name).read_bytes()
    assert sealed(vault, b"the same") == name
    assert vault.path(name).read_bytes()[HEADER:] != first[HEADER:]


def test_bytes_that_are_not_those_of_the_name_are_never_sealed(vault: Vault, settings: Settings) -> None:
    with pytest.raises(FileDamaged):
        vault.seal("0" * 64, io.BytesIO(b"something else"))
    assert [path for path in settings.data_dir.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "A" * 64, "0" * 63, "0" * 65, "0" * 63 + "/"])
def test_only_a_whole_hash_is_the_name_of_a_file(vault: Vault, name: str) -> None:
    with pytest.raises(ValueError, match="SHA-256"):
        vault.path(name)
