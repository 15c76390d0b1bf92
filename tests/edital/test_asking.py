"""Asking and answering over the whole program: no sign-in, no name, a receipt that proves; mails and alarms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from tender.acts import SYSTEM, Refusal, Role
from tender.clock import END_OF_DAY, at_hour
from tender.edital import reads
from tender.edital.model.questions import AnswerQuestion, Effect
from tender.ledger import reading
from tender.notices.tables import notices
from tender.people.letters import LETTER_KEPT, LETTERS_ADDRESS, letters, mark_of, plain_code
from tender.people.rates import HOUR
from tender.people.subscribers import CONFIRM_WITHIN, Topic, subscribers
from tests.edital.office import form_of
from tests.edital.street import DAY, EDITAL, SESSION, Street, open_street, terms_of

ASK = f"/l/{EDITAL}/perguntas"
ANSWERS = f"/c/l/{EDITAL}/perguntas"
TEXT = "O ponto 1 tem cobertura para chuva?"
LAST = at_hour(SESSION.date() - timedelta(days=3), END_OF_DAY)  # Monday, three business days before a Thursday (B1)
MAIL = "vizinha@exemplo.invalid"


@pytest.fixture
def street(tmp_path: Path) -> Iterator[Street]:
    with open_street(tmp_path) as found:
        yield found


def code_in(page: str) -> str:
    return re.findall(r"<code>([0-9A-Z-]{19})</code>", page)[0]


def told(street: Street, kind: str) -> list[str]:
    """To whom notices of this kind were written."""
    with reading(street.hall.house.engine) as tx:
        return list(tx.execute(select(notices.c.person).where(notices.c.kind == kind)).scalars())


def link_of(street: Street, kind: str) -> str:
    with reading(street.hall.house.engine) as tx:
        row = tx.execute(select(notices).where(notices.c.kind == kind)).all()[-1]
        return str(street.hall.house.notices._notice(row).link).removeprefix(street.hall.house.settings.base_url)


def reply(street: Street, number: int = 1, **typed: str) -> int:
    desk = street.hall.at(Role.PREGOEIRO)
    said = {"resposta": "Sim, tem cobertura de lona.", "efeito": "O edital não muda", **typed}
    named = {f"p{number}-{name}": value for name, value in said.items()}
    return desk.send(f"{ANSWERS}/{number}", ANSWERS, **named).status_code


# --- asking ----------------------------------------------------------------------------------------------------------


def test_somebody_asks_without_an_account_and_the_receipt_proves_what(street: Street) -> None:
    answer = street.passer().send(ASK, texto=TEXT)
    assert answer.status_code == 200
    code = code_in(answer.text)
    assert mark_of(code, TEXT) in answer.text
    assert mark_of(code, TEXT) in street.book()
    assert TEXT not in street.book()
    assert '"actor":"publico"' in street.book().splitlines()[-2]


def test_whoever_is_signed_in_asks_as_anybody(street: Street) -> None:
    desk = street.hall.at(Role.CONTROL)
    assert desk.send(ASK, texto=TEXT).status_code == 200
    assert street.hall.actors[Role.CONTROL].person not in street.book().splitlines()[-2]


def test_the_text_is_sealed_until_the_answer_and_found_by_its_code_alone(street: Street) -> None:
    someone = street.passer()
    code = code_in(someone.send(ASK, texto=TEXT).text)
    assert TEXT not in someone.get(ASK).text
    assert TEXT not in street.passer().get(f"{ASK}/1").text
    with reading(street.hall.house.engine) as tx:
        assert TEXT not in str(tx.execute(select(letters)).all())
    assert TEXT in someone.send(f"{ASK}/consulta", ASK, codigo=code.lower().replace("-", " ")).text
    wrong = code[:-1] + ("3" if code[-1] == "2" else "2")
    assert someone.send(f"{ASK}/consulta", ASK, codigo=wrong).status_code == 404
    assert plain_code(" 7kq2m4xd-22ab 9zk3") == "7KQ2-M4XD-22AB-9ZK3"


def test_a_form_sent_twice_is_one_question_with_one_code(street: Street) -> None:
    someone = street.passer()
    first = code_in(someone.send(ASK, texto=TEXT, pedido="6f1c1d0e-6d70-4b5e-9a52-0f7b9c5f4f10").text)
    second = code_in(someone.send(ASK, texto=TEXT, pedido="6f1c1d0e-6d70-4b5e-9a52-0f7b9c5f4f10").text)
    assert first == second
    with reading(street.hall.house.engine) as tx:
        assert len(reads.questions_of(tx, EDITAL)) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("curto", "Escreva de 10 a 4000 letras"),
        ("Meu CPF é 529.982.247-25, posso?", "O texto tem um CPF"),
        ("Responda para ana@exemplo.com, obrigada", "O texto tem um e-mail"),
    ],
)
def test_what_cannot_be_public_is_not_taken(street: Street, text: str, said: str) -> None:
    answer = street.passer().send(ASK, texto=text)
    assert (answer.status_code, said in answer.text) == (422, True)
    assert text in answer.text
    with reading(street.hall.house.engine) as tx:
        assert reads.questions_of(tx, EDITAL) == []
        assert tx.execute(select(letters)).all() == []


def test_eleven_digits_that_are_no_cpf_may_stand_in_a_question(street: Street) -> None:
    assert street.passer().send(ASK, texto="O processo 529.982.247-26 está completo?").status_code == 200


def test_the_term_ends_at_the_last_instant_of_the_day_that_the_page_names(street: Street) -> None:
    someone = street.passer()
    assert "segunda, 17 de maio, às 23h59" in someone.get(ASK).text
    someone.get(ASK)
    street.hall.clock.set(LAST)
    assert someone.send(ASK, texto=TEXT).status_code == 200
    street.hall.clock.advance(timedelta(microseconds=1))
    late = street.hall.app.test_client()
    assert "terminou" in late.get(ASK).text
    with pytest.raises(AssertionError, match="no form"):
        street.passer().send(ASK, texto=TEXT)


def test_a_question_that_the_desk_refuses_leaves_no_letter(street: Street) -> None:
    someone = street.passer()
    someone.get(ASK)
    typed = {**form_of(someone.page, ASK), "texto": TEXT}
    street.hall.clock.set(LAST + timedelta(microseconds=1))
    answer = someone.client.post(ASK, data=typed)
    assert (answer.status_code, "O prazo terminou" in answer.text) == (409, True)
    with reading(street.hall.house.engine) as tx:
        assert tx.execute(select(letters)).all() == []


def test_one_address_asks_so_often_and_then_waits(street: Street) -> None:
    for _ in range(LETTERS_ADDRESS.tries):
        assert street.passer().send(ASK, texto=TEXT).status_code == 200
    full = street.passer().send(ASK, texto=TEXT)
    assert full.status_code == 429
    assert int(full.headers["Retry-After"]) > 0
    assert street.passer("192.0.2.9").send(ASK, texto=TEXT).status_code == 200
    street.hall.clock.advance(HOUR)
    assert street.passer().send(ASK, texto=TEXT).status_code == 200


# --- answering -------------------------------------------------------------------------------------------------------


def test_an_answer_is_public_with_the_question_and_the_asker_is_told(street: Street) -> None:
    street.passer().send(ASK, texto=TEXT, email=MAIL)
    assert reply(street) == 302
    page = street.passer().get(ASK).text
    assert TEXT in page
    assert "Sim, tem cobertura de lona." in page
    (letter,) = told(street, "question_answered")
    with reading(street.hall.house.engine) as tx:
        assert street.hall.house.people.email_of(tx, letter) == MAIL
    assert MAIL not in street.book()


def test_without_an_address_nobody_is_mailed(street: Street) -> None:
    street.passer().send(ASK, texto=TEXT)
    reply(street)
    assert told(street, "question_answered") == []


def test_the_letter_goes_thirty_days_after_the_answer(street: Street) -> None:
    street.passer().send(ASK, texto=TEXT, email=MAIL)
    reply(street)
    people, clock = street.hall.house.people, street.hall.clock
    clock.advance(LETTER_KEPT - timedelta(microseconds=1))
    people.sweep()
    with reading(street.hall.house.engine) as tx:
        assert len(tx.execute(select(letters)).all()) == 1
    clock.advance(timedelta(microseconds=1))
    people.sweep()
    with reading(street.hall.house.engine) as tx:
        assert tx.execute(select(letters)).all() == []


def test_a_question_is_published_without_what_the_commission_took_out(street: Street) -> None:
    street.passer().send(ASK, texto=f"{TEXT} Sou Ana da Rua Sete.")
    assert reply(street, pergunta=TEXT) == 302
    page = street.passer().get(ASK).text
    assert "Rua Sete" not in page
    assert "tirou do texto" in page
    assert "Rua Sete" not in street.book()


def test_only_the_pregoeira_publishes_an_answer(street: Street) -> None:
    street.passer().send(ASK, texto=TEXT)
    member = street.hall.at(Role.COMMISSION)
    assert TEXT in member.get(ANSWERS).text
    assert "Publicar resposta" not in member.page
    assert street.passer().get(ANSWERS).status_code == 302
    with pytest.raises(Refusal, match="Este ato cabe a"):
        street.ask(AnswerQuestion(EDITAL, 1, TEXT, "Resposta de alguém.", Effect.NONE), Role.COMMISSION)


def test_the_commission_is_told_on_the_morning_of_the_last_day_if_there_is_no_answer(street: Street) -> None:
    street.passer().send(ASK, texto=TEXT)
    street.passer().send(ASK, texto=TEXT + " E sol?")
    reply(street, 2)
    house, clock = street.hall.house, street.hall.clock
    with reading(house.engine) as tx:
        until = reads.questions_of(tx, EDITAL)[0].answer_until
    assert until.date().isoformat() == "2027-04-24"  # the end of Friday 23 in Brasília
    clock.set(at_hour(until.date() - DAY).replace(hour=10, minute=59, second=59))
    clock.set(until - timedelta(hours=16))
    assert [one.key for one in house.deadlines.due(clock.now())] == []
    clock.set(until - timedelta(hours=15))
    due = house.deadlines.due(clock.now())
    assert [one.key for one in due] == [f"edital/{EDITAL}:resposta:1"]
    house.desk.perform(due[0].command, SYSTEM, due[0].command_id)
    assert set(told(street, "tasks_due")) == {
        street.hall.actors[role].person for role in (Role.PREGOEIRO, Role.COMMISSION)
    }


# --- subscribing -----------------------------------------------------------------------------------------------------


def test_an_address_is_told_only_after_its_owner_confirmed_it_and_until_it_leaves(street: Street) -> None:
    people, someone = street.hall.house.people, street.passer()
    assert someone.send("/avisos", email=MAIL).status_code == 200
    street.publish(terms_of("002-2027", title="Segunda"))
    assert told(street, "edital_published") == []
    link = link_of(street, "confirm_email")
    assert someone.get(link).status_code == 200
    street.publish(terms_of("003-2027", title="Terceira"))
    assert told(street, "edital_published") == []
    assert someone.send(link).status_code == 200
    street.publish(terms_of("004-2027", title="Quarta"))
    (subscriber,) = told(street, "edital_published")
    out = people.subscribers.leave_path(subscriber)
    assert street.hall.app.test_client().post(out, data={"List-Unsubscribe": "One-Click"}).status_code == 200
    with reading(street.hall.house.engine) as tx:
        assert tx.execute(select(subscribers)).all() == []
    street.publish(terms_of("005-2027", title="Quinta"))
    assert len(told(street, "edital_published")) == 1


def test_an_address_lies_sealed_and_a_wrong_link_moves_nothing(street: Street) -> None:
    someone = street.passer()
    someone.send("/avisos", email=MAIL)
    link = link_of(street, "confirm_email")
    with reading(street.hall.house.engine) as tx:
        (row,) = tx.execute(select(subscribers)).all()
    assert MAIL not in str(row)
    assert someone.send(link[:-1] + ("0" if link[-1] != "0" else "1")).status_code == 410
    wrong = street.hall.house.people.subscribers.leave_path(row.id)[:-1] + "x"
    assert street.hall.app.test_client().post(wrong).status_code == 404
    with reading(street.hall.house.engine) as tx:
        assert street.hall.house.people.subscribers.of_topic(tx, Topic.NEW) == []


def test_a_link_that_nobody_used_for_a_day_is_void_and_its_address_forgotten(street: Street) -> None:
    someone = street.passer()
    someone.send("/avisos", email=MAIL)
    link = link_of(street, "confirm_email")
    street.hall.clock.advance(CONFIRM_WITHIN)
    assert someone.send(link).status_code == 410
    street.hall.house.people.sweep()
    with reading(street.hall.house.engine) as tx:
        assert tx.execute(select(subscribers)).all() == []


def test_who_wants_only_new_tenders_hears_of_no_change(street: Street) -> None:
    someone = street.passer()
    someone.send("/avisos", email=MAIL, assuntos=["novas"])
    someone.send(link_of(street, "confirm_email"))
    with reading(street.hall.house.engine) as tx:
        topics = street.hall.house.people.subscribers
        assert len(topics.of_topic(tx, Topic.NEW)) == 1
        assert topics.of_topic(tx, Topic.CHANGES) == []


@pytest.mark.parametrize(("typed", "status"), [({"email": "isto-nao"}, 422), ({"email": MAIL, "assuntos": []}, 422)])
def test_what_is_no_address_or_no_topic_is_answered_with_what_would_pass(
    street: Street, typed: dict[str, object], status: int
) -> None:
    assert street.passer().send("/avisos", **typed).status_code == status
