"""The desk: the one place where the book changes (house rule 1).

One clerk drains the Door in batches: one transaction, each command behind a savepoint, one commit, then the answers,
then the announcements, in order (house rule 6: commit, then speak). An exception harms one command only.
"""

from __future__ import annotations

import logging
import queue
import threading
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from tender.acts import Actor, Refusal
from tender.answers import Answer, Answers
from tender.clerk import Clerk, Office, Procedure, Receipt
from tender.clock import Clock
from tender.door import Door, DoorClosed, Ticket
from tender.ledger import Book, Entry, writing

log = logging.getLogger("tender.desk")

BATCH_MAX = 256
ANSWER_SECONDS = 5.0


class StillWaiting(Exception):
    """No answer yet: ask again with the same id (HTTP 202)."""

    def __init__(self, command_id: str) -> None:
        super().__init__(command_id)
        self.command_id = command_id


class DeskBroken(RuntimeError):
    """A fault of ours: nothing of this command was written."""


class Desk:
    """`perform` commands; everything else is how. One desk a process; several processes may share a database."""

    def __init__(
        self,
        engine: Engine,
        book: Book,
        clock: Clock,
        procedure: Procedure,
        owns: Callable[[Connection, str, str], bool],
        door: Door | None = None,
    ) -> None:
        self._engine = engine
        self._clock = clock
        self._door = door or Door(clock)
        self._answers = Answers()
        self._book = book
        self._clerk = Clerk(book, procedure, owns)
        self._listeners: list[Callable[[Sequence[Entry]], None]] = []
        self._news: queue.SimpleQueue[Sequence[Entry] | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._served = self._batches = self._broken = 0

    # -- asking -------------------------------------------------------------------------------------------------

    def perform(self, command: Any, actor: Actor, command_id: str = "", wait: float = ANSWER_SECONDS) -> Receipt:
        """Hand in a command and wait for its answer (seconds).

        Returns the Receipt once the facts are on disk. Raises Refusal (nothing was written), StillWaiting when the
        answer takes longer, DeskBroken for a fault of ours, DoorClosed when the desk takes nothing in.
        The same `command_id` (a UUID made by whoever asks) gives the same answer for ever.
        """
        ticket = self._door.enter(command, actor, _checked_id(command_id))
        try:
            return self.result(ticket, wait)
        except FutureTimeout:
            raise StillWaiting(ticket.command_id) from None

    def enter(self, command: Any, actor: Actor, command_id: str = "") -> Ticket:
        """Queue a command without waiting; `result` gives its answer."""
        return self._door.enter(command, actor, _checked_id(command_id))

    @staticmethod
    def result(ticket: Ticket, wait: float | None = ANSWER_SECONDS) -> Receipt:
        """The ticket's answer: a Receipt, or the Refusal or DeskBroken raised."""
        receipt: Receipt = ticket.answer.result(wait)
        return receipt

    def listen(self, listener: Callable[[Sequence[Entry]], None]) -> None:
        """Be told of entries after they were committed, batch by batch, in order, outside the clerk's way."""
        self._listeners.append(listener)

    def stats(self) -> dict[str, int]:
        """Counters since the start: commands served, batches, broken ones; and how many wait now."""
        return {
            "served": self._served,
            "batches": self._batches,
            "broken": self._broken,
            "waiting": self._door.waiting(),
        }

    # -- life ---------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the clerk and the announcer."""
        for name, work in (("clerk", self._work), ("announcer", self._announcer)):
            thread = threading.Thread(target=work, name=f"tender-{name}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self) -> None:
        """Close the Door, serve who is queued, announce what is left, end the threads."""
        self._door.close()
        for thread in self._threads:
            thread.join(timeout=30)
        self._threads.clear()

    @property
    def is_alive(self) -> bool:
        """True while clerk and announcer run."""
        return bool(self._threads) and all(thread.is_alive() for thread in self._threads)

    def _work(self) -> None:
        while True:
            batch = self._door.take(BATCH_MAX, timeout=1.0)
            if batch:
                self.serve(batch)
            elif not self._door.is_open:
                self._news.put(None)
                return

    def _announcer(self) -> None:
        while (news := self._news.get()) is not None:
            for listener in self._listeners:
                try:
                    listener(news)
                except Exception:
                    log.exception("a listener failed; the book is not affected")

    # -- serving ------------------------------------------------------------------------------------------------

    def serve(self, batch: Sequence[Ticket], again: bool = False) -> None:
        """Perform the tickets in order, commit once, answer, announce. Tests without threads call it themselves.

        `again`: their transaction failed as a whole, so that each is now tried alone.
        """
        try:
            outcomes = self._transact(batch, again)
        except Exception as error:
            self._clerk.forget()
            if not again:
                # One by one, so that the culprit alone is harmed; what was on disk after all is answered from there.
                for ticket in batch:
                    self.serve([ticket], again=True)
                return
            log.exception("a command could not be written")
            self._broken += 1
            batch[0].answer.set_exception(_broken(error))
            return
        self._batches += 1
        self._served += len(batch)
        for ticket, outcome in zip(batch, outcomes, strict=True):
            if isinstance(outcome, Exception):
                self._broken += isinstance(outcome, DeskBroken)
                ticket.answer.set_exception(outcome)
            else:
                ticket.answer.set_result(outcome)
        news = [entry for outcome in outcomes if isinstance(outcome, Fresh) for entry in outcome.entries]
        if news:
            self._news.put(news)

    def _transact(self, batch: Sequence[Ticket], again: bool) -> list[Any]:
        with writing(self._engine) as tx:
            self._lock_chains(tx, batch)
            self._clerk.open_batch()
            outcomes = [self._one(tx, ticket, again) for ticket in batch]
        self._clerk.close_batch()
        return outcomes

    def _lock_chains(self, tx: Connection, batch: Sequence[Ticket]) -> None:
        # SQLite: BEGIN IMMEDIATE already did. PostgreSQL: several processes write a chain one after the other.
        if tx.dialect.name != "postgresql":
            return
        chains = {self._clerk.chain_of(ticket.command) for ticket in batch} | {"permits"}
        for chain in sorted(chains):
            tx.execute(text("SELECT pg_advisory_xact_lock(724, hashtext(:chain))"), {"chain": chain})

    def _one(self, tx: Connection, ticket: Ticket, again: bool) -> Receipt | Exception:
        savepoint, who = tx.begin_nested(), ticket.actor.person
        try:
            who = self._clerk.known_as(tx, ticket.command, ticket.actor)
            before = self._answers.find(tx, ticket, who)
            if before is not None:
                savepoint.rollback()
                return self._before(tx, before, again)
            entries = self._clerk.perform(tx, ticket)
            registered_at = max(self._clock.now(), ticket.arrived_at)  # the clock may have been set back since
            self._answers.accepted(tx, ticket, who, entries, registered_at)
            savepoint.commit()
            self._clerk.keep()
            return Fresh(ticket.command_id, tuple(entries), ticket.arrived_at, registered_at)
        except Refusal as refusal:
            savepoint.rollback()
            self._clerk.drop()
            if refusal.code != "id_repetido":
                chain, registered_at = self._clerk.chain_of(ticket.command), max(self._clock.now(), ticket.arrived_at)
                self._answers.refused(tx, ticket, who, refusal, chain, registered_at)
            return refusal
        except DBAPIError as error:
            if error.connection_invalidated:
                raise
            return self._harmed(savepoint, error)
        except Exception as error:
            return self._harmed(savepoint, error)

    def _harmed(self, savepoint: Any, error: Exception) -> DeskBroken:
        savepoint.rollback()
        self._clerk.drop()
        log.error("a command failed at the desk", exc_info=error)
        return _broken(error)

    def _before(self, tx: Connection, before: Answer, again: bool) -> Receipt | Exception:
        if before.refusal is not None:
            return before.refusal
        entries = tuple(self._book.of_command(tx, before.command_id))
        # Tried again and found written: only the word of the commit was lost, so nobody has been told of it yet.
        kind = Fresh if again else Receipt
        return kind(before.command_id, entries, before.arrived_at, before.registered_at)


@dataclass(frozen=True, slots=True)
class Fresh(Receipt):
    """A receipt of facts written just now: these are announced; repeated answers are not."""


def _broken(error: Exception) -> DeskBroken:
    broken = DeskBroken("o pedido não pôde ser registrado por falha nossa; nada mudou")
    broken.__cause__ = error
    return broken


def _checked_id(command_id: str) -> str:
    """The id as the book keeps it: a UUID in lower case. ValueError for anything else."""
    if not command_id:
        return ""
    try:
        checked = str(uuid.UUID(command_id))
    except ValueError:
        checked = ""
    if checked != command_id.lower():
        raise ValueError("o identificador do pedido deve ser um UUID")
    return checked


__all__ = ["Desk", "DeskBroken", "DoorClosed", "Office", "Procedure", "Receipt", "StillWaiting"]
