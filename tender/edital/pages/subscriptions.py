"""Being told by e-mail without an account: ask, confirm, leave at one click."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, make_response, render_template, request

from tender.edital.forms.questions import SubscribeForm
from tender.ledger import writing
from tender.people import PersonFault, TooManyTries
from tender.people.rates import network_of
from tender.people.subscribers import SUBSCRIBE_ADDRESS, SUBSCRIBE_EMAIL, Topic
from tender.web import csrf, house

subscriptions_bp = Blueprint("subscriptions", __name__)


def _page(form: SubscribeForm, status: int = 200, **more: Any) -> Response:
    values = {"form": form, "said": "", "slowed": "", **more}
    return make_response(render_template("edital/subscribe.html", **values), status)


@subscriptions_bp.get("/avisos")
def subscribe() -> Response:
    """The form."""
    return _page(SubscribeForm(formdata=None))


@subscriptions_bp.post("/avisos")
def ask() -> Response:
    """Send the link that confirms the address; the answer is the same whether it was known or not."""
    form, people = SubscribeForm(), house().people
    if not form.validate():
        return _page(form, 422)
    try:
        email = people.checked_email(form.email.data)
    except PersonFault as fault:
        form.email.errors = [*form.email.errors, str(fault)]
        return _page(form, 422)
    now, address = house().clock.now(), network_of(request.remote_addr or "")
    topics = tuple(Topic(word) for word in form.topics.data)
    try:
        with writing(house().engine) as tx:
            people.rates.take(tx, now, [(SUBSCRIBE_ADDRESS, address), (SUBSCRIBE_EMAIL, email.casefold())])
            subscriber, key = people.subscribers.ask(tx, now, email, topics)
            house().notices.send(tx, subscriber, "confirm_email", link=f"/avisos/confirmar/{subscriber}/{key}")
    except TooManyTries as error:
        answer = _page(form, 429, slowed=error.reason)
        answer.headers["Retry-After"] = str(error.seconds)
        return answer
    return _page(SubscribeForm(formdata=None), said="Mandamos um link. Toque nele em até 24 horas para confirmar.")


@subscriptions_bp.get("/avisos/confirmar/<subscriber>/<key>")
def confirm(subscriber: str, key: str) -> Response:
    """The link of the mail: a page with a button, so that a mail program that looks at links confirms nothing."""
    return make_response(render_template("edital/subscribed.html", act="confirm", subscriber=subscriber, key=key))


@subscriptions_bp.post("/avisos/confirmar/<subscriber>/<key>")
def confirmed(subscriber: str, key: str) -> Response:
    """Confirm the address."""
    with writing(house().engine) as tx:
        done = house().people.subscribers.confirm(tx, house().clock.now(), subscriber, key)
    page = render_template("edital/subscribed.html", act="confirmed" if done else "late")
    return make_response(page, 200 if done else 410)


@subscriptions_bp.get("/avisos/sair/<subscriber>/<key>")
def leaving(subscriber: str, key: str) -> Response:
    """The link at the foot of each mail: one button."""
    return make_response(render_template("edital/subscribed.html", act="leave", subscriber=subscriber, key=key))


def leave(subscriber: str, key: str) -> Response:
    """Forget the address; mail programs post here by themselves (RFC 8058), so there is no CSRF token to ask for."""
    with writing(house().engine) as tx:
        done = house().people.subscribers.leave(tx, subscriber, key)
    page = render_template("edital/subscribed.html", act="left" if done else "wrong")
    return make_response(page, 200 if done else 404)


@subscriptions_bp.record_once
def _one_click(state: Any) -> None:
    with state.app.app_context():
        view = csrf().exempt(leave)
    state.app.add_url_rule("/avisos/sair/<subscriber>/<key>", "subscriptions.leave", view, methods=["POST"])
