"""Questions and challenges: anybody asks without an account, the commission answers, everybody reads."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, abort, flash, make_response, redirect, render_template, request, url_for
from sqlalchemy import Connection

from tender.acts import ANYONE, EditalId, Refusal, Role
from tender.clock import in_time
from tender.edital import reads
from tender.edital.forms.questions import AnswerForm, AskForm, FindForm
from tender.edital.model.changes import HearingOpened
from tender.edital.model.questions import AnswerQuestion, Asking, AskQuestion, Effect
from tender.edital.model.schedule import challenge_until, instant_of
from tender.edital.pages.tender import calendar, known
from tender.ledger import reading, writing
from tender.people import PersonFault, TooManyTries
from tender.people.letters import LETTERS_ADDRESS, plain_code
from tender.people.rates import network_of
from tender.web import house, may, new_id, perform, require, sent_id

questions_bp = Blueprint("questions", __name__)


def term(tx: Connection, view: reads.EditalView) -> dict[str, Any]:
    """Until when one may ask: the instant, the reading taken, the day of the other reading."""
    town = calendar(tx)
    last = challenge_until(view.terms, town)
    until = instant_of(view.terms, town, last.day)
    return {
        "until": until,
        "day": last,
        "is_open": in_time(house().clock.now(), until),
    }


def open_hearing(tx: Connection, edital: str) -> HearingOpened | None:
    """The hearing in which the interested may speak now, if there is one."""
    hearing = reads.folded(tx, house().book, edital).hearing
    return hearing if hearing is not None and in_time(house().clock.now(), hearing.until) else None


@questions_bp.get("/l/<edital>/perguntas")
def questions(edital: str) -> Response:
    """All questions with their answers, and the form to ask."""
    return _page(edital, AskForm(formdata=None))


def _page(edital: str, form: AskForm, status: int = 200, **more: Any) -> Response:
    view = known(edital)
    with reading(house().engine) as tx:
        asked = reads.questions_of(tx, edital)
        found = term(tx, view)
        hearing = open_hearing(tx, edital)
    if hearing is not None:
        form.offer_manifestation()
    page = render_template(
        "edital/questions.html",
        view=view,
        asked=asked[::-1],
        term=found,
        hearing=hearing,
        form=form,
        find=FindForm(formdata=None),
        now=house().clock.now(),
        **{"refusal": None, "slowed": "", **more},
    )
    return make_response(page, status)


@questions_bp.post("/l/<edital>/perguntas")
def ask(edital: str) -> Response:
    """Take a question: seal the letter, hand the mark in at the desk, show the receipt."""
    view, form = known(edital), AskForm()
    with reading(house().engine) as tx:
        if open_hearing(tx, edital) is not None:
            form.offer_manifestation()
    if not form.validate():
        return _page(edital, form, 422)
    people, asked_as = house().people, sent_id() or new_id()
    try:
        email = people.checked_email(form.email.data) if form.email.data else ""
    except PersonFault as fault:
        form.email.errors = [*form.email.errors, str(fault)]
        return _page(edital, form, 422)
    code = people.letters.code_for(f"{edital} {asked_as}")
    try:
        with writing(house().engine) as tx:
            people.rates.take(tx, house().clock.now(), [(LETTERS_ADDRESS, network_of(request.remote_addr or ""))])
            mark = people.letters.put(tx, house().clock.now(), edital, code, form.text.data, email)
    except TooManyTries as error:
        answer = _page(edital, form, 429, slowed=error.reason)
        answer.headers["Retry-After"] = str(error.seconds)
        return answer
    command = AskQuestion(EditalId(edital), Asking(form.kind.data), mark)
    try:
        # As anybody, whoever is signed in: the book must not say who asks.
        receipt = house().desk.perform(command, ANYONE, asked_as)
    except Refusal as refusal:
        with writing(house().engine) as tx:
            people.letters.drop(tx, mark)
        return _page(edital, form, 409, refusal=refusal)
    fact = receipt.entries[0].fact
    page = render_template(
        "edital/receipt.html", view=view, fact=fact, code=code, at=receipt.arrived_at, email=bool(email)
    )
    return make_response(page)


@questions_bp.post("/l/<edital>/perguntas/consulta")
def find(edital: str) -> Response:
    """What became of a question, by the code of its receipt; sent as a form so that the code stays out of addresses."""
    view, form = known(edital), FindForm()
    letter = None
    if form.validate():
        with reading(house().engine) as tx:
            letter = house().people.letters.by_code(tx, plain_code(form.code.data))
            asked = {one.mark: one for one in reads.questions_of(tx, edital)}
    if letter is None or letter.edital != edital or letter.mark not in asked:
        flash(
            "Não achamos este código nesta licitação. Depois de 30 dias da resposta, procure na lista abaixo.", "warn"
        )
        return _page(edital, AskForm(formdata=None), 404)
    page = render_template("edital/question.html", view=view, one=asked[letter.mark], text=letter.text)
    return make_response(page)


# -- the commission ----------------------------------------------------------------------------------------------------


@questions_bp.get("/c/l/<edital>/perguntas")
def queue(edital: str) -> str:
    """What waits for an answer, the one that is due first at the head."""
    require(Role.PREGOEIRO, Role.COMMISSION)
    return _queue(edital)


def _queue(edital: str, wrong: tuple[int, AnswerForm] | None = None, refusal: Refusal | None = None) -> str:
    view = known(edital)
    with reading(house().engine) as tx:
        asked = reads.questions_of(tx, edital)
        letters = {one.number: house().people.letters.by_mark(tx, one.mark) for one in asked if not one.answered_at}
    waiting = sorted((one for one in asked if not one.answered_at), key=lambda one: (one.answer_until, one.number))
    forms = {}
    for one in waiting:
        letter = letters[one.number]
        prefix = f"p{one.number}"
        forms[one.number] = AnswerForm(formdata=None, prefix=prefix, question=letter.text if letter else "")
    if wrong is not None:
        forms[wrong[0]] = wrong[1]
    return render_template(
        "edital/answers.html",
        view=view,
        waiting=waiting,
        answered=[one for one in asked if one.answered_at][::-1],
        forms=forms,
        refusal=refusal,
        may_answer=may(AnswerQuestion),
        now=house().clock.now(),
    )


@questions_bp.post("/c/l/<edital>/perguntas/<int:number>")
def answer(edital: str, number: int) -> Any:
    """Publish an answer."""
    require(Role.PREGOEIRO, Role.COMMISSION)
    known(edital)
    form = AnswerForm(prefix=f"p{number}")
    if not form.validate():
        return make_response(_queue(edital, (number, form)), 422)
    command = AnswerQuestion(
        EditalId(edital), number, form.question.data, form.answer.data, Effect(form.effect.data), form.upheld.data
    )
    try:
        perform(command)
    except Refusal as refusal:
        if refusal.code in ("sem_competencia", "segundo_fator"):
            raise
        return make_response(_queue(edital, (number, form), refusal), 409)
    flash("Resposta publicada.", "ok")
    return redirect(url_for("questions.queue", edital=edital))


@questions_bp.get("/l/<edital>/perguntas/<int:number>")
def question(edital: str, number: int) -> str:
    """One question with its answer."""
    view = known(edital)
    with reading(house().engine) as tx:
        asked = reads.questions_of(tx, edital)
    if not 1 <= number <= len(asked):
        abort(404)
    return render_template("edital/question.html", view=view, one=asked[number - 1], text="")
