"""A notice stands on the own page first and is mailed once; what cannot go now goes later, what cannot go is seen."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, select

from tender.clock import FrozenClock
from tender.ledger import reading, writing
from tender.notices import DELAYS, LEASE, Delivery, Mail, MailState, Notices
from tender.notices.tables import notices, outbox
from tests.notices.conftest import NINE
from tests.notices.mail_server import OK, MailBox, mail_server
from tests.notices.samples import LINK, RIVAL, SAMPLES

MOMENT = timedelta(microseconds=1)


def write(post: Notices, engine: Engine, kind: str = "called", person: str = "p_ana", link: str = LINK) -> int:
    """Write a notice in a transaction of its own."""
    with writing(engine) as tx:
        return post.send(tx, person, kind, link=link, **SAMPLES[kind])


def the_mail(post: Notices, engine: Engine) -> Mail:
    """The only mail of the outbox."""
    with reading(engine) as tx:
        (mail,) = post.mails(tx)
    return mail


# --- the own page ----------------------------------------------------------------------------------------------------


def test_a_notice_stands_on_the_persons_own_page_newest_first(
    post: Notices, engine: Engine, clock: FrozenClock
) -> None:
    first = write(post, engine, "habilitated")
    clock.advance(timedelta(hours=1))
    second = write(post, engine, "called")
    write(post, engine, "called", "p_rui")
    with reading(engine) as tx:
        own = post.of_person(tx, "p_ana")
        assert [(notice.id, notice.kind) for notice in own] == [(second, "called"), (first, "habilitated")]
        assert [notice.id for notice in post.of_person(tx, "p_ana", limit=1, offset=1)] == [first]
        assert (post.count(tx, "p_ana"), post.unread(tx, "p_ana")) == (2, 2)
    assert own[0].subject == "Você foi chamado: Ponto 3"
    assert own[0].created_at == NINE + timedelta(hours=1)
    assert own[0].link == "http://127.0.0.1:8000" + LINK
    assert own[0].paragraphs == [
        [
            "Você tem até sexta, 5 de março, às 17h para assinar o termo ou desistir.",
            "Valor: R$\u00a09.450.",
        ],
        ["Assine ou desista por aqui:"],
    ]


def test_the_first_mark_of_reading_stays_and_only_the_person_marks(
    post: Notices, engine: Engine, clock: FrozenClock
) -> None:
    first, second = write(post, engine), write(post, engine)
    with writing(engine) as tx:
        assert post.mark_read(tx, "p_rui", first) == 0
        assert post.mark_read(tx, "p_ana", first) == 1
    clock.advance(timedelta(hours=1))
    with writing(engine) as tx:
        assert post.mark_read(tx, "p_ana", first) == 0
        assert post.mark_read(tx, "p_ana") == 1
    with reading(engine) as tx:
        assert [(notice.id, notice.read_at) for notice in post.of_person(tx, "p_ana")] == [
            (second, NINE + timedelta(hours=1)),
            (first, NINE),
        ]
        assert post.unread(tx, "p_ana") == 0
        assert post.is_of(tx, "p_ana", first)
        assert not post.is_of(tx, "p_rui", first)


def test_what_proves_an_address_is_never_on_the_page_and_leaves_the_database_once_mailed(
    post: Notices, engine: Engine, box: MailBox
) -> None:
    number = write(post, engine, "confirm_email", link="/confirmar/segredo-do-link")
    with writing(engine) as tx:
        assert (post.of_person(tx, "p_ana"), post.count(tx, "p_ana"), post.unread(tx, "p_ana")) == ([], 0, 0)
        assert not post.is_of(tx, "p_ana", number)
        assert post.mark_read(tx, "p_ana") == 0
    assert post.deliver_due() == Delivery(sent=1)
    assert "/confirmar/segredo-do-link" in box.mails()[0].get_content()
    with reading(engine) as tx:
        assert tx.execute(select(notices.c.text)).scalar_one() == ""


def test_the_text_lies_sealed_and_no_address_is_kept(post: Notices, engine: Engine) -> None:
    write(post, engine, "inhabilitated")
    post.deliver_due()
    with reading(engine) as tx:
        everything = repr(tx.execute(select(notices)).all()) + repr(tx.execute(select(outbox)).all())
    assert "certidão" not in everything
    assert "p_ana@" not in everything


def test_a_notice_of_something_rolled_back_is_neither_shown_nor_mailed(
    post: Notices, engine: Engine, box: MailBox
) -> None:
    with engine.connect().execution_options(write=True) as tx, tx.begin() as transaction:
        post.send(tx, "p_ana", "called", link=LINK, **SAMPLES["called"])
        transaction.rollback()
    assert post.backlog() == 0
    assert post.deliver_due() == Delivery()
    assert box.mails() == []


# --- by mail ---------------------------------------------------------------------------------------------------------


def test_a_mail_arrives_whole_in_portuguese_with_what_mail_programs_need(
    post: Notices, engine: Engine, clock: FrozenClock, box: MailBox
) -> None:
    write(post, engine, "desistencia_signed")
    assert post.backlog() == 1
    clock.advance(timedelta(minutes=2))
    assert post.deliver_due() == Delivery(sent=1)
    ((to, mail),) = box.taken
    assert to == "p_ana@exemplo.invalid"
    assert str(mail["To"]) == "p_ana@exemplo.invalid"
    assert str(mail["From"]) == "Licitações Araporã <licitacoes@exemplo.invalid>"
    assert mail["Subject"] == "Sua desistência foi registrada"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["Date"].datetime == NINE
    assert mail["Message-ID"] == the_mail(post, engine).message_id
    assert mail.get_content_type() == "text/plain"
    assert mail.get_content().replace("\r\n", "\n") == (
        "Ponto 3, sexta, 5 de março, às 17h.\n\n"
        f"Baixe o Termo de Desistência:\nhttp://127.0.0.1:8000{LINK}\n\n"
        "-- \nAjuda (34) 3284-9500 · Este aviso também está em sua conta · Lei 724/2008\n"
    )
    mailed = the_mail(post, engine)
    assert (mailed.state, mailed.attempts, mailed.sent_at) == (MailState.SENT, 1, NINE + timedelta(minutes=2))
    assert (post.backlog(), post.deliver_due(), len(box.mails())) == (0, Delivery(), 1)


def test_a_value_with_a_line_break_makes_no_header(post: Notices, engine: Engine, box: MailBox) -> None:
    values = SAMPLES["diligence_asked"] | {"document": "CNH\r\nBcc: p_rui@exemplo.invalid\r\n\r\noutro corpo"}
    with writing(engine) as tx:
        post.send(tx, "p_ana", "diligence_asked", link=LINK, **values)
    post.deliver_due()
    ((to, mail),) = box.taken
    assert to == "p_ana@exemplo.invalid"
    assert mail["Bcc"] is None
    assert mail["Subject"] == "Envie de novo: CNH Bcc: p_rui@exemplo.invalid outro corpo"


def test_no_notice_names_a_rival(post: Notices, engine: Engine, box: MailBox) -> None:
    for kind in SAMPLES:
        write(post, engine, kind, "p_ana")
    assert post.deliver_due().sent == len(SAMPLES)
    assert len({mail["Message-ID"] for mail in box.mails()}) == len(SAMPLES)
    assert not [mail for mail in box.mails() if RIVAL in mail.get_content() or RIVAL in str(mail["Subject"])]


@pytest.mark.parametrize(
    "bad", ["a\nBcc: b@exemplo.invalid", "a b@exemplo.invalid", "@", "sem-arroba", "a@b@c", "<x>@y"]
)
def test_an_address_that_cannot_stand_in_a_header_fails_at_once(
    make: Callable[..., Notices], engine: Engine, box: MailBox, bad: str
) -> None:
    post = make({"host": "127.0.0.1", "port": box.port}, address_of=lambda tx, person: bad)
    write(post, engine)
    assert post.deliver_due() == Delivery(failed=1)
    assert box.mails() == []
    assert bad not in the_mail(post, engine).last_error


@pytest.mark.parametrize("person", ["nobody", "gone"])
def test_whoever_has_no_address_still_has_the_page(post: Notices, engine: Engine, person: str) -> None:
    write(post, engine, person=person)
    assert post.deliver_due() == Delivery(failed=1)
    assert the_mail(post, engine).last_error == "sem endereço de e-mail"
    with reading(engine) as tx:
        assert post.count(tx, person) == 1


# --- tries -----------------------------------------------------------------------------------------------------------


def test_what_the_server_puts_off_is_tried_again_after_a_minute_and_not_before(
    post: Notices, engine: Engine, clock: FrozenClock, box: MailBox
) -> None:
    box.to_rcpt = ["450 4.2.1 try later p_ana@exemplo.invalid", OK]
    write(post, engine)
    assert post.deliver_due() == Delivery(waiting=1)
    waiting = the_mail(post, engine)
    assert (waiting.state, waiting.attempts, waiting.next_try_at) == (MailState.PENDING, 1, NINE + DELAYS[0])
    assert waiting.last_error == "450 4.2.1 try later (endereço)"
    clock.advance(DELAYS[0] - MOMENT)
    assert post.deliver_due() == Delivery()
    clock.advance(MOMENT)
    assert post.deliver_due() == Delivery(sent=1)
    assert [mail["Message-ID"] for mail in box.mails()] == [waiting.message_id]
    assert the_mail(post, engine).last_error == ""


def test_a_mail_is_tried_six_times_in_fifteen_hours_and_then_seen_to_have_failed(
    post: Notices, engine: Engine, clock: FrozenClock, box: MailBox
) -> None:
    box.to_data = ["451 4.3.0 busy"]
    write(post, engine)
    for delay in DELAYS:
        assert post.deliver_due() == Delivery(waiting=1)
        assert the_mail(post, engine).next_try_at == clock.now() + delay
        clock.advance(delay)
    assert post.deliver_due() == Delivery(failed=1)
    assert clock.now() - NINE == timedelta(hours=14, minutes=36)
    with reading(engine) as tx:
        (failed,) = post.mails(tx, MailState.FAILED)
    assert (failed.attempts, failed.last_error, failed.state.label) == (6, "451 4.3.0 busy", "falhou")
    clock.advance(timedelta(days=30))
    assert post.deliver_due() == Delivery()
    box.to_data = [OK]
    with writing(engine) as tx:
        assert post.try_again(tx, failed.notice)
        assert not post.try_again(tx, failed.notice)
    assert post.deliver_due() == Delivery(sent=1)


@pytest.mark.parametrize("where", ["to_rcpt", "to_data"])
def test_what_the_server_refuses_for_good_fails_at_once(
    post: Notices, engine: Engine, box: MailBox, where: str
) -> None:
    setattr(box, where, ["550 5.1.1 no such user", OK])
    write(post, engine)
    write(post, engine, person="p_rui")
    assert post.deliver_due() == Delivery(sent=1, failed=1)
    with reading(engine) as tx:
        assert [(mail.person, mail.attempts) for mail in post.mails(tx, MailState.FAILED)] == [("p_ana", 1)]
    assert [to for to, _ in box.taken] == ["p_rui@exemplo.invalid"]


def test_a_line_that_drops_in_the_middle_of_a_mail_is_tried_again(
    post: Notices, engine: Engine, clock: FrozenClock, box: MailBox
) -> None:
    box.hang_up = 1
    write(post, engine)
    write(post, engine, person="p_rui")
    assert post.deliver_due() == Delivery(sent=1, waiting=1)
    clock.advance(DELAYS[0])
    assert post.deliver_due() == Delivery(sent=1)
    assert [to for to, _ in box.taken] == ["p_rui@exemplo.invalid", "p_ana@exemplo.invalid"]


def test_without_a_server_behind_the_port_the_mail_waits(
    make: Callable[..., Notices], engine: Engine, clock: FrozenClock
) -> None:
    with mail_server(MailBox()) as closed:
        pass
    post = make({"host": "127.0.0.1", "port": closed.port})
    write(post, engine)
    assert post.deliver_due() == Delivery(waiting=1)
    assert "ConnectionRefusedError" in the_mail(post, engine).last_error


def test_a_server_that_is_too_slow_is_left_and_tried_again(
    post: Notices, engine: Engine, clock: FrozenClock, box: MailBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tender.notices.post.TIMEOUT_SECONDS", 0.3)
    box.slow_seconds = 0.9
    write(post, engine)
    assert post.deliver_due() == Delivery(waiting=1)
    assert "timed out" in the_mail(post, engine).last_error
    box.slow_seconds = 0
    clock.advance(DELAYS[0])
    assert post.deliver_due() == Delivery(sent=1)


def test_one_mail_that_cannot_be_made_does_not_stop_the_others(
    make: Callable[..., Notices], engine: Engine, box: MailBox
) -> None:
    def broken_for_ana(tx: Connection, person: str) -> str:
        if person == "p_ana":
            raise ZeroDivisionError("a fault of ours")
        return f"{person}@exemplo.invalid"

    post = make({"host": "127.0.0.1", "port": box.port}, address_of=broken_for_ana)
    write(post, engine, person="p_ana")
    write(post, engine, person="p_rui")
    assert post.deliver_due() == Delivery(sent=1, waiting=1)
    with reading(engine) as tx:
        assert [mail.last_error for mail in post.mails(tx, MailState.PENDING)] == ["ZeroDivisionError"]


def test_a_round_sends_no_more_than_its_limit(post: Notices, engine: Engine, box: MailBox) -> None:
    for _ in range(5):
        write(post, engine)
    assert [post.deliver_due(limit=2).sent for _ in range(4)] == [2, 2, 1, 0]
    assert len(box.mails()) == 5


def test_a_claimed_mail_is_nobody_elses_until_its_lease_ends(
    post: Notices, engine: Engine, clock: FrozenClock, box: MailBox
) -> None:
    number = write(post, engine)
    with writing(engine) as tx:  # as a process leaves it that died before it sent anything
        tx.execute(outbox.update().values(claim="gone", claimed_until=NINE + LEASE, attempts=1))
    clock.advance(LEASE - MOMENT)
    assert post.deliver_due() == Delivery()
    clock.advance(MOMENT)
    assert post.deliver_due() == Delivery(sent=1)
    mail = the_mail(post, engine)
    assert (mail.notice, mail.attempts) == (number, 2)


# --- the demonstration -----------------------------------------------------------------------------------------------


def test_without_a_mail_server_mails_are_only_shown(make: Callable[..., Notices], engine: Engine) -> None:
    post = make(environment="demo")
    write(post, engine, "confirm_email", link="/confirmar/abc")
    write(post, engine, "called", "gone")
    assert post.deliver_due() == Delivery(shown=2)
    assert post.deliver_due() == Delivery()
    with reading(engine) as tx:
        shown = post.shown(tx)
    assert [(mail.state, notice.kind, address) for mail, notice, address in shown] == [
        (MailState.SHOWN, "called", ""),
        (MailState.SHOWN, "confirm_email", "p_ana@exemplo.invalid"),
    ]
    assert shown[1][1].link.endswith("/confirmar/abc")


def test_real_mails_are_shown_to_nobody(post: Notices, engine: Engine) -> None:
    with reading(engine) as tx, pytest.raises(AssertionError):
        post.shown(tx)


# --- beside the ticker -----------------------------------------------------------------------------------------------


def test_a_slow_server_does_not_keep_the_ticker_waiting(post: Notices, engine: Engine, box: MailBox) -> None:
    write(post, engine)
    box.slow_seconds = 0.5
    before = set(threading.enumerate())
    for _ in range(3):
        post.deliver_in_background()
    assert box.mails() == []
    carriers = [thread for thread in threading.enumerate() if thread.name == "tender-post" and thread not in before]
    for thread in carriers:
        thread.join()
    assert len(box.mails()) == 1
    assert the_mail(post, engine).state is MailState.SENT


def test_with_nothing_due_no_thread_is_started(post: Notices) -> None:
    before: set[Any] = set(threading.enumerate())
    post.deliver_in_background()
    assert set(threading.enumerate()) <= before
