"""Files as received: checked, sealed, kept once under their SHA-256, and read only with a line saying by whom.

`store` receives, keeps, opens and eliminates; `vault` seals on disk; `inspection` finds what a file is, with `child` as
the process that may die of it; `records` holds the tables.
"""

from tender.files.inspection import KINDS, FileRefused, limit_pt, size_pt, too_big
from tender.files.records import (
    Elimination,
    FileEliminated,
    FileReading,
    FileUnknown,
    ReadingDenied,
    Received,
    StoredFile,
)
from tender.files.store import PUBLIC_OWNER, READERS, Files
from tender.files.vault import FileDamaged

__all__ = [
    "KINDS",
    "PUBLIC_OWNER",
    "READERS",
    "Elimination",
    "FileDamaged",
    "FileEliminated",
    "FileReading",
    "FileRefused",
    "FileUnknown",
    "Files",
    "ReadingDenied",
    "Received",
    "StoredFile",
    "limit_pt",
    "size_pt",
    "too_big",
]
