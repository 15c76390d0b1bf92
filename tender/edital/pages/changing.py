"""Where a published edital is changed: amended by two, extended, suspended, resumed, heard about, ended early."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

from flask import Blueprint, Response, abort, flash, make_response, redirect, render_template, url_for

from tender.acts import EditalId, Refusal, Role
from tender.edital import reads
from tender.edital.forms.changes import AmendmentForm, DatesForm, EndingForm, HearingForm, ReasonForm
from tender.edital.model import SUSPENDED, Terms
from tender.edital.model.changes import (
    AmendEdital,
    AnnulEdital,
    DraftAmendment,
    Ending,
    ExtendDates,
    OpenHearing,
    ResumeEdital,
    RevokeEdital,
    SuspendEdital,
    differences,
)
from tender.edital.pages.tender import known
from tender.ledger import reading
from tender.web import PageForm, house, may, perform, require, sent_id

changing_bp = Blueprint("changing", __name__)

FORMS: dict[str, type[PageForm]] = {
    "retificar": AmendmentForm,
    "prorrogar": DatesForm,
    "suspender": ReasonForm,
    "retomar": DatesForm,
    "ouvir": HearingForm,
    "revogar": EndingForm,
    "anular": EndingForm,
}


@changing_bp.get("/c/l/<edital>/mudancas")
def changing(edital: str) -> Response:
    """What may be done to this edital now, and the amendment that waits."""
    require(Role.PREGOEIRO, Role.COMMISSION, Role.MAYOR)
    return _page(edital)


def _page(edital: str, wrong: tuple[str, PageForm] | None = None, refusal: Refusal | None = None) -> Response:
    view = known(edital)
    with reading(house().engine) as tx:
        state = reads.folded(tx, house().book, edital)
    forms = {name: _filled(name, view.terms) for name in FORMS}
    if wrong is not None:
        forms[wrong[0]] = wrong[1]
    waiting = state.amendment
    page = render_template(
        "edital/changing.html",
        view=view,
        forms=forms,
        waiting=waiting,
        found=differences(view.terms, waiting.terms) if waiting else [],
        mark=reads.terms_sha256(waiting.terms) if waiting else "",
        hearing=state.hearing,
        suspended=view.status in SUSPENDED,
        refusal=refusal,
        may={
            "retificar": may(DraftAmendment),
            "publicar": may(AmendEdital),
            "prorrogar": may(ExtendDates),
            "suspender": may(SuspendEdital),
            "ouvir": may(OpenHearing),
            "revogar": may(RevokeEdital),
        },
        wrong=wrong[0] if wrong else "",
        now=house().clock.now(),
    )
    return make_response(page, 409 if refusal else 422 if wrong else 200)


def _filled(name: str, terms: Terms) -> PageForm:
    values: dict[str, Any] = {"formdata": None, "prefix": f"{name}-"}
    if name in ("retificar", "prorrogar", "retomar"):
        values |= {"closes": terms.applications_close_at, "session": terms.session_at}
    if name == "retificar":
        floors = [{"amount": one.floor} for one in terms.stands]
        values |= {"title": terms.title, "step": terms.step, "floors": floors}
    return FORMS[name](**values)


@changing_bp.post("/c/l/<edital>/mudancas/<act>")
def change(edital: str, act: str) -> Any:
    """Hand the act in; the desk says whether it may be."""
    require(Role.PREGOEIRO, Role.COMMISSION, Role.MAYOR)
    view = known(edital)
    if act not in FORMS:
        abort(404)
    form = FORMS[act](prefix=f"{act}-")
    if not form.validate():
        return _page(edital, (act, form))
    command = COMMANDS[act](EditalId(edital), form, view.terms)
    try:
        perform(command)
    except Refusal as refusal:
        if refusal.code in ("sem_competencia", "segundo_fator"):
            raise
        return _page(edital, (act, form), refusal)
    flash("Feito e registrado no livro.", "ok")
    return redirect(url_for("changing.changing", edital=edital))


@changing_bp.post("/c/l/<edital>/mudancas/publicar/<sha256>")
def publish(edital: str, sha256: str) -> Any:
    """Publish the amendment that was read."""
    require(Role.MAYOR)
    known(edital)
    try:
        perform(AmendEdital(EditalId(edital), sha256), sent_id())
    except Refusal as refusal:
        if refusal.code in ("sem_competencia", "segundo_fator"):
            raise
        return _page(edital, None, refusal)
    flash("Retificação publicada. Todos foram avisados.", "ok")
    return redirect(url_for("changing.changing", edital=edital))


def _kept(typed: datetime, published: datetime) -> datetime:
    # The form shows minutes: what was not touched keeps its seconds.
    return published if typed == published.replace(second=0, microsecond=0) else typed


def _dates(form: Any, terms: Terms) -> tuple[datetime, datetime]:
    closes = _kept(form.closes.data, terms.applications_close_at)
    return closes, _kept(form.session.data, terms.session_at)


def _amendment(edital: EditalId, form: Any, terms: Terms) -> DraftAmendment:
    amounts = [entry.amount.data for entry in form.floors]
    floors = [*amounts, *(one.floor for one in terms.stands[len(amounts) :])]
    closes, session = _dates(form, terms)
    new = replace(
        terms,
        title=form.title.data.strip(),
        applications_close_at=closes,
        session_at=session,
        step=form.step.data,
        stands=tuple(
            one if one.floor == floor else replace(one, floor=floor)
            for one, floor in zip(terms.stands, floors, strict=False)
        ),
    )
    return DraftAmendment(edital, new, form.affects.data, form.reason.data)


COMMANDS: dict[str, Callable[[EditalId, Any, Terms], Any]] = {
    "retificar": _amendment,
    "prorrogar": lambda edital, form, terms: ExtendDates(edital, *_dates(form, terms), form.reason.data),
    "suspender": lambda edital, form, terms: SuspendEdital(edital, form.reason.data),
    "retomar": lambda edital, form, terms: ResumeEdital(edital, *_dates(form, terms), form.reason.data),
    "ouvir": lambda edital, form, terms: OpenHearing(
        edital, Ending(form.ending.data), form.reason.data, form.until.data
    ),
    "revogar": lambda edital, form, terms: RevokeEdital(edital, form.reason.data, form.effect.data),
    "anular": lambda edital, form, terms: AnnulEdital(edital, form.reason.data, form.effect.data),
}
