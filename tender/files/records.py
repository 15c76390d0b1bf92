"""What is written down about files: four tables and the values read from them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Integer, Table, Text

from tender.files.inspection import KINDS
from tender.ledger import Instant, metadata

files = Table(
    "files",
    metadata,
    Column("sha256", Text, primary_key=True),
    Column("size_bytes", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("copy_sha256", Text, nullable=False, default=""),  # of the JPEG made from a HEIC
    CheckConstraint("length(sha256) = 64 AND size_bytes > 0", name="whole"),
)

file_owners = Table(
    "file_owners",
    metadata,
    Column("sha256", Text, ForeignKey("files.sha256"), primary_key=True),
    Column("owner", Text, primary_key=True),
    Column("filename", Text, nullable=False),
    Column("started_at", Instant, nullable=False),
    Column("finished_at", Instant, nullable=False),
    Index(None, "owner"),
)

file_readings = Table(
    "file_readings",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("sha256", Text, nullable=False),
    Column("reader", Text, nullable=False),
    Column("roles", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", Instant, nullable=False),
    Index(None, "sha256"),
)

file_eliminations = Table(
    "file_eliminations",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("sha256", Text, nullable=False),
    Column("owner", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("size_bytes", Integer, nullable=False),
    Column("by", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", Instant, nullable=False),
    Column("erased_at", Instant),
    Index(None, "sha256"),
)


class FileUnknown(KeyError):
    """No such file was ever kept, or nobody holds it any more."""


class FileEliminated(FileUnknown):
    """The file was eliminated; the tombstone says when and why."""


class ReadingDenied(PermissionError):
    """The reader is neither the owner nor holds a role that opens documents, or gave no reason."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file as received. size in bytes; hours are UTC; copy_sha256: the JPEG made from a HEIC, else empty."""

    sha256: str
    size: int
    kind: str
    filename: str
    started_at: datetime
    finished_at: datetime
    copy_sha256: str = ""

    @property
    def media_type(self) -> str:
        """Under which the bytes are served."""
        return KINDS[self.kind]

    @property
    def to_show(self) -> str:
        """SHA-256 of the file that a browser can show: the copy when there is one, else the file itself."""
        return self.copy_sha256 or self.sha256

    @property
    def type_to_show(self) -> str:
        """Media type of `to_show`."""
        return KINDS["jpeg"] if self.copy_sha256 else self.media_type


@dataclass(frozen=True, slots=True)
class Received:
    """A file that was checked and lies sealed on the disk, waiting for its row: give it to `keep`."""

    file: StoredFile
    owner: str
    copy: StoredFile | None = None


@dataclass(frozen=True, slots=True)
class FileReading:
    """Somebody opened a file: person id, roles at that time (values of Role), why, when (UTC)."""

    sha256: str
    reader: str
    roles: tuple[str, ...]
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Elimination:
    """Tombstone of a file. erased_at: when the bytes left the disk; None until the sweep after the commit."""

    sha256: str
    owner: str
    kind: str
    size: int
    by: str
    reason: str
    at: datetime
    erased_at: datetime | None
