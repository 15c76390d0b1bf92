"""The step of the stands: places of the register offered as lots, each with its floor, its formula and its study."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flask import Blueprint, abort, flash, redirect, request, url_for
from werkzeug.datastructures import CombinedMultiDict

from tender.acts import Refusal, StandId
from tender.edital.forms.dossier import WarningForm
from tender.edital.forms.drafting import OfferForm, StandForm, StepForm, data_of, of_step
from tender.edital.model.fields import Step
from tender.edital.model.gates import numbered
from tender.edital.model.register import RegisteredStand
from tender.edital.model.terms import Stand
from tender.edital.pages.drafting import DRAFTERS, Draft, find_draft, keep_upload, save, show
from tender.files import PUBLIC_OWNER as ANNEX
from tender.files import FileRefused, FileUnknown
from tender.ledger import reading
from tender.web import house, require

offering_bp = Blueprint("offering", __name__)

RESERVE = "switches.pcd_reserve"
"""Counted from the places that are marked, not typed."""


def left_of(draft: Draft, ponto: RegisteredStand) -> int:
    """How many places of a ponto this draft does not offer yet."""
    return ponto.vehicles - sum(one.places for one in draft.terms.stands if one.ponto == ponto.code)


@offering_bp.route("/c/l/<edital>/editar/pontos", methods=["GET", "POST"])
def stands(edital: str) -> Any:
    """The lots so far, places to offer, and what becomes of the reserve."""
    require(*DRAFTERS)
    draft = find_draft(edital)
    sent = request.form.get("parte", "")
    if sent == "oferta":
        return _offer(draft)
    if sent == "reserva":
        form = _reserve_form(draft, request.form)
        if form.validate():
            try:
                save(draft, form.written(draft.terms))
                return redirect(url_for("drafting.step", edital=edital, passo=Step.DISPUTE.value), 303)
            except Refusal as refusal:
                return page(draft, form=form, refusal=refusal)
        return page(draft, form=form)
    return page(draft)


def page(draft: Draft, **more: Any) -> Any:
    """The step as it stands; `form`, `offer`, `refusal`, `deciding`: what was sent and could not be taken."""
    offer: OfferForm = more.pop("offer", None) or offer_form(draft, None)
    form: StepForm = more.pop("form", None) or _reserve_form(draft, None)
    deciding: dict[str, WarningForm] = more.pop("deciding", {})
    return show(draft, Step.STANDS, form=form, offer=offer, deciding=deciding, left_of=left_of, **more)


def _reserve_form(draft: Draft, sent: Any) -> StepForm:
    kind = of_step(Step.STANDS, without=(RESERVE,))
    return kind(formdata=sent, data=data_of(Step.STANDS, draft.terms))


def offer_form(draft: Draft, sent: Any) -> OfferForm:
    """The form that offers places, with the pontos that still have some."""
    form = OfferForm(formdata=sent)
    form.ponto.choices = [
        (one.code, f"{one.code} · {one.name} ({left} {'vaga livre' if left == 1 else 'vagas livres'})")
        for one in draft.register.stands.values()
        if one.is_open and (left := left_of(draft, one)) > 0
    ]
    form.kept_study.choices = _studies(draft, form)
    return form


def _studies(draft: Draft, form: StandForm, shown: str = "") -> list[tuple[str, str]]:
    """Studies that lots already name, and the one that came with this form: chosen again, not sent again."""
    just_sent = form.kept_study.data or ""
    known = dict.fromkeys(one.study_sha256 for one in draft.terms.stands if one.study_sha256)
    known |= dict.fromkeys(one for one in (shown, just_sent) if one)
    named = ((sha256, file_name(sha256)) for sha256 in known)
    return [("", "nenhum"), *((sha256, name) for sha256, name in named if name)]


def file_name(sha256: str) -> str:
    """What an annex is called; "" when there is no such annex."""
    try:
        with reading(house().engine) as tx:
            return f"{house().files.find(tx, sha256, ANNEX).filename} ({sha256[:8]})"
    except FileUnknown:
        return ""


def _study(draft: Draft, form: StandForm) -> str | None:
    """SHA-256 of the study sent or chosen; None when the file was refused, and the form says why.

    What was taken is chosen in the form from then on: whoever corrects another field need not send it again.
    """
    try:
        sent = keep_upload(form.study.data)
    except FileRefused as refused:
        form.study.errors = [str(refused)]
        return None
    if sent:
        form.kept_study.data, form.kept_study.raw_data = sent, None
        form.kept_study.choices = _studies(draft, form)
    return sent or form.kept_study.data or ""


def _offer(draft: Draft) -> Any:
    form = offer_form(draft, _sent())
    study = _study(draft, form)
    valid = form.validate()
    ponto = draft.register.stands.get(form.ponto.data or "")
    amount = form.amount()
    if valid and amount is None:
        form.floor.errors = ["Escreva o lance mínimo, ou a fórmula que o dá."]
    if valid and ponto is not None and (form.places.data or 0) > left_of(draft, ponto):
        form.places.errors = [f"O decreto deixa oferecer mais {left_of(draft, ponto)} neste ponto."]
    if form.errors or study is None or ponto is None or amount is None:
        return page(draft, offer=form)
    first = max((one.number for one in draft.terms.stands), default=0) + 1
    taken = {one.place for one in draft.terms.stands if one.ponto == ponto.code}
    free = [place for place in range(1, ponto.vehicles + 1) if place not in taken][: form.places.data]
    fresh = tuple(
        Stand(
            number=StandId(first + n),
            name=ponto.name,
            address=ponto.address,
            places=1,
            floor=amount,
            decree=f"Decreto {numbered(ponto.decree)}",
            ponto=ponto.code,
            place=place,
            formula=form.formula(),
            study_sha256=study,
            reserved_pcd=bool(form.reserved_pcd.data),
        )
        for n, place in enumerate(free)
    )
    try:
        _save(draft, (*draft.terms.stands, *fresh))
    except Refusal as refusal:
        return page(draft, offer=form, refusal=refusal)
    return redirect(url_for("offering.stands", edital=draft.edital) + "#lotes", 303)


def _sent() -> Any:
    return CombinedMultiDict([request.files, request.form])


def _save(draft: Draft, offered: tuple[Stand, ...]) -> None:
    switches = replace(draft.terms.switches, pcd_reserve=sum(one.reserved_pcd for one in offered))
    save(draft, replace(draft.terms, stands=offered, switches=switches))


def _one(draft: Draft, number: int) -> Stand:
    found = next((one for one in draft.terms.stands if one.number == number), None)
    return found or abort(404)


@offering_bp.route("/c/l/<edital>/editar/pontos/<int:number>", methods=["GET", "POST"])
def stand(edital: str, number: int) -> Any:
    """One lot: its floor, formula, study and reserve."""
    require(*DRAFTERS)
    draft = find_draft(edital)
    one = _one(draft, number)
    shown = {"floor": one.floor, "kept_study": one.study_sha256, "reserved_pcd": one.reserved_pcd}
    if one.formula:
        formula = one.formula
        shown |= {"quantity": formula.quantity_hundredths, "unit": formula.unit, "unit_price": formula.unit_price}
    form = StandForm(formdata=_sent() if request.method == "POST" else None, data=shown)
    form.kept_study.choices = _studies(draft, form, one.study_sha256)
    refusal = None
    if request.method == "POST":
        study, amount = _study(draft, form), None
        if form.validate():
            amount = form.amount()
            if amount is None:
                form.floor.errors = ["Escreva o lance mínimo, ou a fórmula que o dá."]
        if not form.errors and study is not None and amount is not None:
            changed = replace(
                one,
                floor=amount,
                formula=form.formula(),
                study_sha256=study,
                reserved_pcd=bool(form.reserved_pcd.data),
            )
            try:
                _save(draft, tuple(changed if other is one else other for other in draft.terms.stands))
                return redirect(url_for("offering.stands", edital=edital) + "#lotes", 303)
            except Refusal as no:
                refusal = no
    return page(draft, editing=one, one=form, refusal=refusal)


@offering_bp.post("/c/l/<edital>/editar/pontos/<int:number>/retirar")
def withdraw(edital: str, number: int) -> Any:
    """Take a lot out of the draft; the others keep their numbers."""
    require(*DRAFTERS)
    draft = find_draft(edital)
    one = _one(draft, number)
    try:
        _save(draft, tuple(other for other in draft.terms.stands if other is not one))
    except Refusal as refusal:
        flash(f"{refusal.reason} ({refusal.law})", "bad")
    return redirect(url_for("offering.stands", edital=edital) + "#lotes", 303)
