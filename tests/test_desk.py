"""The desk: one answer to each id for ever, said after the commit; a fault harms one command; who queued is served."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from tender import verifier
from tender.acts import ANYONE, Actor, Refusal, Role
from tender.clock import SystemClock
from tender.desk import Desk, DeskBroken, DoorClosed, StillWaiting
from tender.law import L14133, MUN
from tender.ledger import Entry, open_engine, reading
from tests.abacus import ABACUS, Abacus, Add, Roll, counts

ANA = Actor("ana", frozenset({Role.PUBLIC}))
PATIENCE = 60.0  # seconds until a test says that an answer will never come


@pytest.fixture
def make(database_url: str) -> Iterator[Callable[..., Abacus]]:
    made: list[Abacus] = []

    def maker(**more: Any) -> Abacus:
        made.append(Abacus(database_url, **more))
        return made[-1]

    yield maker
    for one in made:
        one.close()


@pytest.fixture
def abacus(make: Callable[..., Abacus]) -> Abacus:
    return make()


@pytest.fixture
def working(make: Callable[..., Abacus]) -> Abacus:
    """An abacus with clerk and announcer at work."""
    made = make(clock=SystemClock())
    made.desk.start()
    return made


def serve(abacus: Abacus, *commands: Any, ids: Sequence[str] = (), actor: Actor = ANYONE) -> list[Any]:
    """Queue the commands, serve them as one batch; each answer, an exception included."""
    named = [*ids, *[""] * (len(commands) - len(ids))]
    tickets = [abacus.desk.enter(one, actor, name) for one, name in zip(commands, named, strict=True)]
    abacus.desk.serve(abacus.door.take(256))
    return [one.answer.exception(0) or one.answer.result(0) for one in tickets]


def book(abacus: Abacus) -> list[Entry]:
    """The chain of the abacus, proved whole by the verifier."""
    with reading(abacus.engine) as tx:
        verifier.verify(abacus.book.export(tx, f"edital/{ABACUS}"))
        return list(abacus.book.entries(tx, f"edital/{ABACUS}"))


def beads(abacus: Abacus) -> list[int]:
    return [entry.body["beads"] for entry in book(abacus)]


def new_id() -> str:
    return str(uuid.uuid4())


# --- one command's fault -------------------------------------------------------------------------------------------


def test_an_exception_in_one_command_harms_that_one_only(abacus: Abacus) -> None:
    first, fallen, last = serve(abacus, Add(ABACUS, 1), Add(ABACUS, 13), Add(ABACUS, 2))
    assert [first.entries[0].body["total"], last.entries[0].body["total"]] == [1, 3]
    assert isinstance(fallen, DeskBroken)
    assert str(fallen) == "o pedido não pôde ser registrado por falha nossa; nada mudou"
    assert isinstance(fallen.__cause__, RuntimeError)
    assert beads(abacus) == [1, 2]
    assert abacus.desk.stats() == {"served": 3, "batches": 1, "broken": 1, "waiting": 0}


def test_a_command_that_broke_may_be_asked_again_under_the_same_id(abacus: Abacus) -> None:
    name = new_id()
    assert isinstance(serve(abacus, Roll(ABACUS, 1, "raise"), ids=[name])[0], DeskBroken)
    abacus.with_follows(follows={})  # mended
    (receipt,) = serve(abacus, Roll(ABACUS, 1, "raise"), ids=[name])
    assert [entry.kind for entry in receipt.entries] == ["Rolled"]


def test_a_command_without_an_office_is_our_fault_and_harms_nobody_else(abacus: Abacus) -> None:
    lost, fine = serve(abacus, object(), Add(ABACUS, 1))
    assert isinstance(lost, DeskBroken)
    assert fine.entries[0].body["total"] == 1


def test_after_a_rolled_back_command_the_next_sees_the_right_state(abacus: Abacus) -> None:
    # The roll writes three facts and falls at its last consequence; rows, heads and memory go back to before it.
    answers = serve(abacus, Add(ABACUS, 5), Roll(ABACUS, 2, "raise"), Add(ABACUS, 7), Roll(ABACUS, 1, "add"))
    assert isinstance(answers[1], DeskBroken)
    assert [(entry.kind, entry.version) for entry in book(abacus)] == [
        ("Added", 1), ("Added", 2), ("Rolled", 3), ("Rolled", 4), ("Added", 5),
    ]  # fmt: skip
    assert answers[3].entries[-1].body["total"] == 13
    assert serve(abacus, Add(ABACUS, 1))[0].entries[0].body["total"] == 14  # and the memory of the next batch


def test_when_the_database_breaks_under_a_batch_only_the_culprit_is_harmed(abacus: Abacus) -> None:
    serve(abacus, Add(ABACUS, 1))
    ids = [new_id() for _ in range(4)]
    answers = serve(abacus, Add(ABACUS, 2), Add(ABACUS, 66), Add(ABACUS, 500), Add(ABACUS, 3), ids=ids)
    assert [entry.body["total"] for one in (answers[0], answers[3]) for entry in one.entries] == [3, 6]
    assert isinstance(answers[1], DeskBroken)
    assert isinstance(answers[2], Refusal)
    assert beads(abacus) == [1, 2, 3]
    assert serve(abacus, Add(ABACUS, 4))[0].entries[0].body["total"] == 10
    assert serve(abacus, Add(ABACUS, 500), ids=[ids[2]])[0].code == "demais"


def test_a_commit_whose_answer_was_lost_is_answered_and_announced_all_the_same(abacus: Abacus) -> None:
    # The commit reached the disk, the word of it did not reach us: nothing may be written twice, nobody kept waiting.
    commit, lost = abacus.engine.dialect.do_commit, []

    def commit_and_lose_the_answer(connection: Any) -> None:
        commit(connection)
        if not lost:
            lost.append(connection)
            raise OperationalError("COMMIT", {}, Exception("the line went dead"))

    heard = hear(abacus.desk)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(abacus.engine.dialect, "do_commit", commit_and_lose_the_answer)
        answers = serve(abacus, Add(ABACUS, 1), Add(ABACUS, 2))
    assert [one.entries[0].body["total"] for one in answers] == [1, 3]
    assert beads(abacus) == [1, 2]
    abacus.desk.start()
    abacus.desk.stop()
    assert [entry.body["beads"] for entry in heard] == [1, 2]


# --- ids -------------------------------------------------------------------------------------------------------------


def test_the_same_id_gives_the_same_receipt_also_after_a_restart_and_writes_nothing_more(abacus: Abacus) -> None:
    name = new_id()
    (first,) = serve(abacus, Roll(ABACUS, 2, "add"), ids=[name])
    abacus.clock.advance(timedelta(hours=1))
    for _ in range(2):
        (again,) = serve(abacus, Roll(ABACUS, 2, "add"), ids=[name])
        assert (again.command_id, again.entries, again.arrived_at, again.registered_at) == (
            name, first.entries, first.arrived_at, first.registered_at,
        )  # fmt: skip
        abacus.restart()
    assert len(book(abacus)) == 4


def test_the_same_id_gives_the_same_refusal_though_the_same_act_would_pass_by_now(abacus: Abacus) -> None:
    name = new_id()
    (first,) = serve(abacus, Add(ABACUS, 101), ids=[name])
    abacus.restart()
    (again,) = serve(abacus, Add(ABACUS, 101), ids=[name])
    told = ("reason", "law", "code", "field", "got", "passes")
    assert [getattr(again, one) for one in told] == [getattr(first, one) for one in told]
    assert [getattr(again, one) for one in told] == ["São contas demais.", MUN(1), "demais", "contas", "101", "100"]
    assert book(abacus) == []


def test_twice_in_one_batch_is_once(abacus: Abacus) -> None:
    name = new_id()
    first, second, other = serve(abacus, Add(ABACUS, 1), Add(ABACUS, 1), Add(ABACUS, 1), ids=[name, name])
    assert first.entries == second.entries
    assert other.entries[0].body["total"] == 2


@pytest.mark.parametrize(
    ("command", "actor"), [(Add(ABACUS, 2), ANYONE), (Add(ABACUS, 1, "x"), ANYONE), (Add(ABACUS, 1), ANA)]
)
def test_an_id_of_another_content_or_another_person_is_refused(abacus: Abacus, command: Any, actor: Actor) -> None:
    name = new_id()
    serve(abacus, Add(ABACUS, 1), ids=[name])
    (refusal,) = serve(abacus, command, ids=[name], actor=actor)
    assert (refusal.code, refusal.law, refusal.field, refusal.got) == (
        "id_repetido",
        L14133(12, None, "VI"),
        "id",
        name,
    )
    # The first keeps their answer: the refusal is not kept under an id that is not its own.
    (receipt,) = serve(abacus, Add(ABACUS, 1), ids=[name])
    assert receipt.entries[0].body["total"] == 1
    assert beads(abacus) == [1]


def test_an_id_in_capitals_is_the_same_id(abacus: Abacus) -> None:
    name = new_id()
    serve(abacus, Add(ABACUS, 1), ids=[name.upper()])
    (again,) = serve(abacus, Add(ABACUS, 1), ids=[name])
    assert again.command_id == name == again.entries[0].command_id


@pytest.mark.parametrize(
    "bad", ["1", "não é um id", "{name}", "urn:uuid:name", "NOHYPHENS", "00000000-0000-0000-0000-00000000000g"]
)
def test_an_id_that_is_no_uuid_is_not_taken_in(abacus: Abacus, bad: str) -> None:
    name = new_id()
    typed = {"{name}": f"{{{name}}}", "urn:uuid:name": f"urn:uuid:{name}", "NOHYPHENS": name.replace("-", "")}
    with pytest.raises(ValueError, match="deve ser um UUID"):
        abacus.desk.enter(Add(ABACUS, 1), ANYONE, typed.get(bad, bad))
    assert abacus.door.waiting() == 0


def test_who_waited_too_long_is_given_the_id_and_later_the_same_answer(make: Callable[..., Abacus]) -> None:
    abacus = make(clock=SystemClock())
    with pytest.raises(StillWaiting) as waiting:
        abacus.desk.perform(Add(ABACUS, 1), ANYONE, wait=0.01)
    name = waiting.value.command_id
    assert uuid.UUID(name)
    with pytest.raises(StillWaiting):
        abacus.desk.perform(Add(ABACUS, 1), ANYONE, name, wait=0.01)
    abacus.desk.start()
    receipt = abacus.desk.perform(Add(ABACUS, 1), ANYONE, name, wait=PATIENCE)
    assert receipt.command_id == name
    assert receipt.entries[0].body["total"] == 1
    assert beads(abacus) == [1]


# --- commit, then speak ----------------------------------------------------------------------------------------------


def hear(desk: Desk) -> list[Entry]:
    """A listener; what it hears, in order."""
    heard: list[Entry] = []
    desk.listen(heard.extend)
    return heard


def test_who_is_answered_and_who_listens_finds_the_row_over_another_connection(
    working: Abacus, database_url: str
) -> None:
    other = open_engine(database_url)
    seen: list[tuple[str, int, bool]] = []

    def look(who: str, entry: Entry) -> None:
        with reading(other) as tx:
            kept = {row.hash for row in working.book.entries(tx, entry.chain)}
            projected = tx.execute(select(counts.c.seq).where(counts.c.seq == entry.seq)).scalar()
        seen.append((who, entry.seq, entry.hash in kept and projected == entry.seq))

    working.desk.listen(lambda news: [look("listener", entry) for entry in news] and None)
    for n in range(20):
        ticket = working.desk.enter(Add(ABACUS, 1), ANYONE)
        # In the clerk's own thread, in the very moment of the answer.
        ticket.answer.add_done_callback(lambda done: look("answer", done.result().entries[0]))
        assert working.desk.result(ticket, PATIENCE).entries[0].seq == n + 1
    working.desk.stop()
    other.dispose()
    assert sorted(seen) == sorted((who, n, True) for who in ("answer", "listener") for n in range(1, 21))


def test_listeners_hear_each_fact_once_and_in_order_but_no_refusal_and_no_repeated_answer(working: Abacus) -> None:
    heard = hear(working.desk)
    name = new_id()
    working.desk.perform(Add(ABACUS, 1), ANYONE, wait=PATIENCE)
    working.desk.perform(Add(ABACUS, 2), ANYONE, name, wait=PATIENCE)
    with pytest.raises(Refusal, match="São contas demais"):
        working.desk.perform(Add(ABACUS, 101), ANYONE, wait=PATIENCE)
    working.desk.perform(Add(ABACUS, 3), ANYONE, wait=PATIENCE)
    working.desk.perform(Add(ABACUS, 2), ANYONE, name, wait=PATIENCE)
    working.desk.perform(Roll(ABACUS, 1, "add"), ANYONE, wait=PATIENCE)
    working.desk.stop()
    assert [entry.seq for entry in heard] == list(range(1, 7))
    assert heard == book(working)


def test_a_listener_that_fails_harms_neither_the_book_nor_the_other_listeners(working: Abacus) -> None:
    def fail(news: Sequence[Entry]) -> None:
        raise RuntimeError("nobody is there")

    working.desk.listen(fail)
    heard = hear(working.desk)
    for _ in range(3):
        working.desk.perform(Add(ABACUS, 1), ANYONE, wait=PATIENCE)
    assert working.desk.is_alive
    working.desk.stop()
    assert [entry.body["total"] for entry in heard] == [1, 2, 3]


def test_what_is_registered_is_never_registered_before_it_arrived(abacus: Abacus) -> None:
    ticket = abacus.desk.enter(Add(ABACUS, 1), ANYONE)
    abacus.clock.set(abacus.clock.now() - timedelta(minutes=5))
    abacus.desk.serve(abacus.door.take(1))
    receipt = abacus.desk.result(ticket, 0)
    assert receipt.arrived_at <= receipt.registered_at


# --- life ------------------------------------------------------------------------------------------------------------


def test_stopping_serves_who_queued_and_lets_nobody_in_any_more(make: Callable[..., Abacus]) -> None:
    abacus = make(clock=SystemClock())
    heard = hear(abacus.desk)
    tickets = [abacus.desk.enter(Add(ABACUS, 1), ANYONE) for _ in range(600)]  # more than two batches
    assert not abacus.desk.is_alive
    abacus.desk.start()
    assert abacus.desk.is_alive
    abacus.desk.stop()
    assert not abacus.desk.is_alive
    assert [abacus.desk.result(one, 0).entries[0].body["total"] for one in tickets] == list(range(1, 601))
    assert len(heard) == 600
    assert abacus.desk.stats()["batches"] <= 4
    with pytest.raises(DoorClosed):
        abacus.desk.perform(Add(ABACUS, 1), ANYONE)


def test_twenty_people_at_once_are_all_answered_and_each_total_is_given_once(working: Abacus) -> None:
    answers: list[list[int]] = [[] for _ in range(20)]

    def come(mine: list[int]) -> None:
        for _ in range(10):
            mine.append(working.desk.perform(Add(ABACUS, 1), ANYONE, wait=PATIENCE).entries[0].body["total"])

    threads = [threading.Thread(target=come, args=(mine,)) for mine in answers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(total for mine in answers for total in mine) == list(range(1, 201))
    assert all(mine == sorted(mine) for mine in answers)
    assert [entry.body["total"] for entry in book(working)] == list(range(1, 201))


def test_two_desks_on_one_database_go_on_from_each_others_facts(abacus: Abacus) -> None:
    other = abacus.another()
    name = new_id()
    totals = []
    for n, desk in enumerate((abacus.desk, other, other, abacus.desk, other, abacus.desk)):
        ticket = desk.enter(Add(ABACUS, n), ANYONE, name if n == 3 else "")
        desk.serve([ticket])
        totals.append(desk.result(ticket, 0).entries[0].body["total"])
    assert totals == [0, 1, 3, 6, 10, 15]
    ticket = other.enter(Add(ABACUS, 3), ANYONE, name)
    other.serve([ticket])
    assert other.result(ticket, 0).entries[0].body["total"] == 6
    assert len(book(abacus)) == 6
