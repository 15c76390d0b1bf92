"""Files as received: kept once under their SHA-256, sealed on disk, and never read without a line saying by whom.

A file is taken in two steps: `receive` does the slow work (reading, opening in a child process, sealing on disk) before
any transaction; `keep` writes the rows inside the caller's. Bytes without a row are swept away after a day, so a
transaction that was rolled back leaves nothing behind. Elimination is the reverse: the row goes first, leaving a
tombstone that says who and why, and `sweep` erases the bytes once that is committed.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, BinaryIO

from sqlalchemy import Connection, Engine, Row, Table, delete, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from tender.acts import ANYONE, Actor, Role
from tender.clock import Clock, as_utc
from tender.files.inspection import FileRefused, display_name, inspect, limit_pt, too_big
from tender.files.records import (
    Elimination,
    FileEliminated,
    FileReading,
    FileUnknown,
    ReadingDenied,
    Received,
    StoredFile,
    file_eliminations,
    file_owners,
    file_readings,
    files,
)
from tender.files.vault import FileDamaged, Vault
from tender.ledger import EPOCH, MICROSECOND, reading, writing
from tender.settings import Settings

READERS = frozenset({Role.PREGOEIRO, Role.COMMISSION, Role.MAYOR, Role.SECRETARIAT, Role.CONTROL, Role.SYSTEM})
"""Who may open a file that is not his own; the technician may not. Pages narrow this further, never widen it."""
PUBLIC_OWNER = ANYONE.person
"""Owner of what is published (an edital's annex): anyone may read it, and that too is written down."""
ORPHAN_AGE = timedelta(days=1)
PIECE_BYTES = 256 * 1024


class Files:
    """Receives, keeps, opens and eliminates files. Methods with `tx` work inside the caller's write transaction."""

    def __init__(self, engine: Engine, clock: Clock, settings: Settings) -> None:
        self._engine = engine
        self._clock = clock
        self._limit = settings.upload_max_bytes
        self._folder = settings.data_dir / "files"
        self._vault = Vault(self._folder, settings.files_key)

    @property
    def limit_text(self) -> str:
        """The upload limit as every page, script and error says it: `10 MB (10.485.760 bytes)`."""
        return limit_pt(self._limit)

    def too_big(self) -> FileRefused:
        """What a 413 answers: the same words as for a file one byte above the limit."""
        return too_big(self._limit)

    # --- taking in ---------------------------------------------------------------------------------------------------

    def receive(self, source: BinaryIO | bytes, *, owner: str, filename: str, started_at: datetime) -> Received:
        """Check the file and seal it on disk; slow, so call it before the transaction. FileRefused says what to do.

        source: bytes, or a binary stream read from where it stands; started_at: when the upload began (aware).
        """
        stream, sha256, size = self._taken(source)
        finished_at = self._clock.now()
        opened = inspect(stream)
        name = display_name(filename, opened.kind)
        hours = (as_utc(started_at), max(finished_at, as_utc(started_at)))
        copy = None
        if opened.copy:
            copied = hashlib.sha256(opened.copy).hexdigest()
            copy = StoredFile(copied, len(opened.copy), "jpeg", display_name(f"{name}.jpg", "jpeg"), *hours)
            self._put(copied, io.BytesIO(opened.copy))
        self._put(sha256, stream)
        whole = StoredFile(sha256, size, opened.kind, name, *hours, copy_sha256=copy.sha256 if copy else "")
        return Received(whole, owner, copy)

    def keep(self, tx: Connection, received: Received) -> StoredFile:
        """Write the rows of a received file; the same bytes of the same owner again change nothing.

        Returned: this arrival. The row keeps the first arrival's name and hours.
        """
        for file in (received.copy, received.file):
            if file is None:
                continue
            if not self._vault.path(file.sha256).exists():
                raise FileUnknown(f"{file.sha256} was swept away before it was kept: receive it again")
            row = {"sha256": file.sha256, "size_bytes": file.size, "kind": file.kind, "copy_sha256": file.copy_sha256}
            _insert_once(tx, files, row)
            held = {"owner": received.owner, "filename": file.filename}
            hours = {"started_at": file.started_at, "finished_at": file.finished_at}
            _insert_once(tx, file_owners, {"sha256": file.sha256, **held, **hours})
        return received.file

    def store(
        self, tx: Connection, source: BinaryIO | bytes, *, owner: str, filename: str, started_at: datetime
    ) -> StoredFile:
        """`receive` and `keep` in one. Where others wait for the transaction (a page), call the two apart."""
        return self.keep(tx, self.receive(source, owner=owner, filename=filename, started_at=started_at))

    def _taken(self, source: BinaryIO | bytes) -> tuple[BinaryIO, str, int]:
        stream = io.BytesIO(source) if isinstance(source, bytes) else source
        kept = None if stream.seekable() else io.BytesIO()
        if kept is None:
            stream.seek(0)
        digest, size = hashlib.sha256(), 0
        while piece := stream.read(PIECE_BYTES):
            size += len(piece)
            if size > self._limit:
                raise self.too_big()
            digest.update(piece)
            if kept is not None:
                kept.write(piece)
        whole = stream if kept is None else kept
        whole.seek(0)
        return whole, digest.hexdigest(), size

    def _put(self, sha256: str, plain: BinaryIO) -> None:
        path = self._vault.path(sha256)
        with self._door(fcntl.LOCK_SH):
            if not self.verify(sha256):
                self._vault.seal(sha256, plain)
            # An orphan's age is counted from its last arrival, by our clock.
            os.utime(path, ns=(self._now_ns(), self._now_ns()))

    # --- reading -----------------------------------------------------------------------------------------------------

    def open(
        self, tx: Connection, sha256: str, reader: Actor, reason: str, acting_for: Collection[str] = ()
    ) -> Iterator[bytes]:
        """The bytes as received, chunk by chunk, after writing down who reads them and why.

        acting_for: owners whom the reader represents (the parties of the person who asks). FileUnknown,
        FileEliminated, ReadingDenied and a file gone from the disk are raised at once; FileDamaged comes with the
        first chunk that is not as stored, before it is handed out.
        """
        if not reason.strip():
            raise ReadingDenied("a reading needs a reason")
        held = self._owners(tx, sha256)
        if not (held & {reader.person, PUBLIC_OWNER, *acting_for} or reader.roles & READERS):
            raise ReadingDenied(f"{reader.person} may not open {sha256}")
        bytes_of_it = self._vault.open(sha256)
        roles = " ".join(sorted(role.value for role in reader.roles))
        who = {"sha256": sha256, "reader": reader.person, "roles": roles}
        tx.execute(insert(file_readings), {**who, "reason": reason.strip(), "at": self._clock.now()})
        return _as_stored(sha256, bytes_of_it)

    def read(self, tx: Connection, sha256: str, reader: Actor, reason: str, acting_for: Collection[str] = ()) -> bytes:
        """`open`, whole."""
        return b"".join(self.open(tx, sha256, reader, reason, acting_for))

    def find(self, tx: Connection, sha256: str, owner: str) -> StoredFile:
        """What this owner sent, without its bytes. FileUnknown when the owner does not hold it."""
        for file in self._held(tx, file_owners.c.sha256 == sha256, file_owners.c.owner == owner):
            return file
        raise self._missing(tx, sha256)

    def of_owner(self, tx: Connection, owner: str) -> list[StoredFile]:
        """All files that the owner holds, copies included, in order of arrival."""
        return self._held(tx, file_owners.c.owner == owner)

    def readings_of(self, tx: Connection, sha256: str) -> list[FileReading]:
        """Who opened the file or its copy, when and why, oldest first: the owner's page shows it."""
        copy = select(files.c.copy_sha256).where(files.c.sha256 == sha256).scalar_subquery()
        either = (file_readings.c.sha256 == sha256) | (file_readings.c.sha256 == copy)
        rows = tx.execute(select(file_readings).where(either).order_by(file_readings.c.id))
        return [FileReading(row.sha256, row.reader, tuple(row.roles.split()), row.reason, row.at) for row in rows]

    def verify(self, sha256: str) -> bool:
        """True when the bytes on disk are those of the name. Hands nothing out, so it is not a reading."""
        try:
            for _ in _as_stored(sha256, self._vault.open(sha256)):
                pass
        except FileDamaged:
            return False
        return True

    def damaged(self) -> list[str]:
        """Files whose bytes are not as stored: `tender check` names them."""
        with reading(self._engine) as tx:
            names = tx.execute(select(files.c.sha256).order_by(files.c.sha256)).scalars().all()
        return [sha256 for sha256 in names if not self.verify(sha256)]

    # --- elimination -------------------------------------------------------------------------------------------------

    def eliminate(self, tx: Connection, sha256: str, by: str, reason: str, owner: str = "") -> list[Elimination]:
        """Take the file from its owners (or from `owner` alone) and leave a tombstone for each (LGPD art. 16).

        by: person id. The bytes are erased by `sweep` when nobody holds them; from now on nobody opens them.
        """
        if not reason.strip():
            raise ValueError("an elimination needs a reason")
        owners = sorted(self._owners(tx, sha256) & {owner} if owner else self._owners(tx, sha256))
        if not owners:
            raise self._missing(tx, sha256)
        file = tx.execute(select(files).where(files.c.sha256 == sha256)).one()
        for name in (sha256, file.copy_sha256) if file.copy_sha256 else (sha256,):
            self._bury(tx, name, owners, by, reason.strip())
        return [stone for stone in self.eliminations(tx, sha256) if stone.owner in owners]

    def _bury(self, tx: Connection, sha256: str, owners: list[str], by: str, reason: str) -> None:
        file = tx.execute(select(files).where(files.c.sha256 == sha256)).one()
        about = {"sha256": sha256, "kind": file.kind, "size_bytes": file.size_bytes}
        why = {"by": by, "reason": reason, "at": self._clock.now()}
        tx.execute(insert(file_eliminations), [{**about, "owner": owner, **why} for owner in owners])
        held = file_owners.c.sha256 == sha256
        tx.execute(delete(file_owners).where(held, file_owners.c.owner.in_(owners)))
        if not tx.execute(select(file_owners.c.owner).where(held).limit(1)).first():
            tx.execute(delete(files).where(files.c.sha256 == sha256))

    def eliminations(self, tx: Connection, sha256: str) -> list[Elimination]:
        """Tombstones of the file, oldest first: what a termo de eliminação lists."""
        query = select(file_eliminations).where(file_eliminations.c.sha256 == sha256).order_by(file_eliminations.c.id)
        return [
            Elimination(row.sha256, row.owner, row.kind, row.size_bytes, row.by, row.reason, row.at, row.erased_at)
            for row in tx.execute(query)
        ]

    def sweep(self) -> int:
        """Erase the bytes that nobody holds: eliminated ones at once, orphans after a day. Returns how many files."""
        old = self._now_ns() - ORPHAN_AGE // MICROSECOND * 1000
        orphans = {path.name for path in self._folder.glob("??/??/*") if path.stat().st_mtime_ns <= old}
        for path in self._folder.glob("tmp/*"):
            if path.stat().st_mtime_ns <= old:
                path.unlink(missing_ok=True)
        erased = 0
        with writing(self._engine) as tx, self._door(fcntl.LOCK_EX):
            open_stones = select(file_eliminations).where(file_eliminations.c.erased_at.is_(None))
            buried = {row.sha256: _ns(row.at) for row in tx.execute(open_stones.order_by(file_eliminations.c.id))}
            for sha256 in sorted(orphans | buried.keys()):
                if tx.execute(select(files.c.sha256).where(files.c.sha256 == sha256)).first():
                    continue
                path = self._vault.path(sha256)
                # Bytes that arrived again since then wait for their row, a day at most.
                if path.exists() and path.stat().st_mtime_ns > max(old, buried.get(sha256, 0)):
                    continue
                erased += path.exists()
                path.unlink(missing_ok=True)
                gone = (file_eliminations.c.sha256 == sha256) & file_eliminations.c.erased_at.is_(None)
                tx.execute(update(file_eliminations).where(gone).values(erased_at=self._clock.now()))
        return erased

    # --- inside ------------------------------------------------------------------------------------------------------

    def _owners(self, tx: Connection, sha256: str) -> set[str]:
        owners = set(tx.execute(select(file_owners.c.owner).where(file_owners.c.sha256 == sha256)).scalars())
        if not owners:
            raise self._missing(tx, sha256)
        return owners

    def _missing(self, tx: Connection, sha256: str) -> FileUnknown:
        return FileEliminated(sha256) if self.eliminations(tx, sha256) else FileUnknown(sha256)

    def _held(self, tx: Connection, *where: Any) -> list[StoredFile]:
        query = select(file_owners, files.c.size_bytes, files.c.kind, files.c.copy_sha256).join(files).where(*where)
        return [_stored(row) for row in tx.execute(query.order_by(file_owners.c.finished_at, file_owners.c.sha256))]

    @contextmanager
    def _door(self, how: int) -> Iterator[None]:
        # Arrivals share it, the sweep has it alone: bytes are never erased while they arrive. Between processes too.
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (self._folder / "door").open("ab") as lock:
            fcntl.flock(lock, how)
            yield

    def _now_ns(self) -> int:
        return _ns(self._clock.now())


def _ns(at: datetime) -> int:
    return (at - EPOCH) // MICROSECOND * 1000


def _as_stored(sha256: str, pieces: Iterator[bytes]) -> Iterator[bytes]:
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
        yield piece
    if digest.hexdigest() != sha256:
        raise FileDamaged(f"{sha256}: other bytes than were stored")


def _stored(row: Row[Any]) -> StoredFile:
    hours = (row.started_at, row.finished_at)
    return StoredFile(row.sha256, row.size_bytes, row.kind, row.filename, *hours, copy_sha256=row.copy_sha256)


def _insert_once(tx: Connection, table: Table, values: dict[str, object]) -> None:
    dialect = postgresql if tx.dialect.name == "postgresql" else sqlite
    tx.execute(dialect.insert(table).values(values).on_conflict_do_nothing())
