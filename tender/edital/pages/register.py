"""The register of stands: decrees, stands on the map, permits in force under the cap, days without expediente."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from flask import Blueprint, Response, abort, flash, make_response, redirect, render_template, request, url_for

from tender.acts import Refusal, Role
from tender.calendars import Calendar
from tender.clock import day_of
from tender.edital import reads
from tender.edital.forms.register import (
    TYPED_MAX,
    ClosureForm,
    CreateForm,
    DecreeForm,
    ExtinguishForm,
    LimitForm,
    PermitsForm,
    RelocateForm,
)
from tender.edital.model import register as words
from tender.edital.model.gates import cap, numbered
from tender.edital.model.register import Decree, Register, RegisteredStand
from tender.edital.pages.drafting import keep_upload, town_calendar
from tender.files import FileRefused
from tender.ledger import reading
from tender.web import house, perform, require

register_bp = Blueprint("register", __name__)

SEES = (Role.SECRETARIAT, Role.PREGOEIRO, Role.COMMISSION, Role.MAYOR, Role.CONTROL)
CLOSURES_AHEAD = 3
"""Years of the calendar that its page shows, the running one included."""


@dataclass(frozen=True)
class Happened:
    """A line of the history: when, what, of which ponto ("" when of none), by which decree ("" when of none)."""

    at: datetime
    text: str
    code: str = ""
    decree: str = ""


def _history(entries: Any) -> list[Happened]:
    """The register's entries in Portuguese, newest first."""
    return [_said(entry.at, entry.fact) for entry in entries][::-1]


def _said(at: datetime, fact: Any) -> Happened:
    match fact:
        case words.DecreeRegistered(decree=decree):
            return Happened(at, f"Decreto {decree.number} registrado: {decree.subject}", "", decree.number)
        case words.StandCreated(stand=stand):
            text = f"Ponto {stand.code} criado: {stand.name}, {stand.address}, {_cars(stand.vehicles)}"
            return Happened(at, text, stand.code, stand.decree)
        case words.StandRelocated(code=code, address=address, decree=decree):
            return Happened(at, f"Ponto {code} mudou para {address}", code, decree)
        case words.StandLimitSet(code=code, vehicles=vehicles, before=before, decree=decree):
            went = "subiu" if vehicles > before else "baixou"
            return Happened(at, f"Limite do ponto {code} {went} de {before} para {_cars(vehicles)}", code, decree)
        case words.StandExtinguished(code=code, decree=decree):
            return Happened(at, f"Ponto {code} extinto", code, decree)
        case words.PermitsCounted(in_force=count, source=source):
            return Happened(at, f"{count} permissões em vigor. Fonte: {source}")
        case words.ClosureDeclared(day=day, name=name, decree=decree):
            return Happened(at, f"Sem expediente em {day:%d/%m/%Y}: {name}", "", decree)
    raise AssertionError(f"{type(fact).__name__} is no fact of the register")


def _cars(count: int) -> str:
    return f"{count} veículo" if count == 1 else f"{count} veículos"


def _known() -> tuple[Register, list[Happened], Calendar]:
    services = house()
    with reading(services.engine) as tx:
        state = reads.register(tx, services.book)
        return state, _history(services.book.load(tx, words.STREAM)), town_calendar(tx)


def _with_decrees(form: Any, state: Register) -> Any:
    form.decree.choices = [(one.number, f"Decreto {one.number} — {one.subject}") for one in state.decrees.values()]
    return form


def _ask(form: Any, command: Any, done: str, where: str) -> Any:
    """Hand a command in. The way on; None when it was refused, and the form says why where it can."""
    try:
        perform(command)
    except Refusal as refusal:
        passes = f" Passaria: {refusal.passes}." if refusal.passes else ""
        form.form_errors.append(f"{refusal.reason}{passes} ({refusal.law})")
        return None
    flash(done, "ok")
    return redirect(where, 303)


# -- the register -----------------------------------------------------------------------------------------------------


@register_bp.get("/s/pontos")
def stands() -> Response:
    """Cap, map, stands and their history."""
    require(*SEES)
    return _stands(PermitsForm(formdata=None))


@register_bp.get("/c/pontos")
def for_commission() -> Any:
    """The commission reads the same page."""
    require(*SEES)
    return redirect(url_for("register.stands"))


def _stands(permits: PermitsForm) -> Response:
    state, history, _ = _known()
    town = house().settings.municipality
    limit = cap(town.population)
    page = render_template(
        "edital/register/stands.html",
        register=state,
        history=history,
        town=town,
        cap=limit,
        room=limit - state.permits,
        decreed=sum(one.vehicles for one in state.stands.values() if one.is_open),
        permits=permits,
        counted=next((one for one in history if "permissões em vigor" in one.text), None),
        may_change=_may_change(),
    )
    return make_response(page, 422 if permits.errors else 200)


def _may_change() -> bool:
    return Role.SECRETARIAT in require(*SEES).roles


@register_bp.post("/s/permissoes")
def count_permits() -> Any:
    """Say how many permits are in force."""
    require(Role.SECRETARIAT)
    form = PermitsForm()
    if form.validate():
        command = words.CountPermits(form.in_force.data or 0, form.source.data or "")
        if done := _ask(form, command, "Número de permissões registrado.", url_for("register.stands")):
            return done
    return _stands(form)


@register_bp.route("/s/decretos", methods=["GET", "POST"])
def decrees() -> Any:
    """The decrees, and the form that enters one."""
    require(*SEES)
    form = DecreeForm()
    if request.method == "POST":
        require(Role.SECRETARIAT)
        if form.validate() and (done := _enter(form)):
            return done
    state, _, _ = _known()
    page = render_template("edital/register/decrees.html", register=state, form=form, may_change=_may_change())
    return make_response(page, 422 if form.errors else 200)


def _enter(form: DecreeForm) -> Any:
    try:
        sha256 = keep_upload(form.file.data)
    except FileRefused as refused:
        form.file.errors = [str(refused)]
        return None
    decree = Decree(numbered(form.number.data or ""), form.day.data, form.subject.data or "", sha256)
    return _ask(form, words.RegisterDecree(decree), "Decreto registrado.", url_for("register.decrees"))


@register_bp.route("/s/pontos/novo", methods=["GET", "POST"])
def create() -> Any:
    """Create a ponto by decree."""
    require(Role.SECRETARIAT)
    state, _, _ = _known()
    form = _with_decrees(CreateForm(), state)
    if form.validate_on_submit():
        command = words.CreateStand(
            form.code.data, form.name.data, form.address.data, form.x.data, form.y.data, form.vehicles.data,
            form.decree.data,
        )  # fmt: skip
        if done := _ask(form, command, f"Ponto {form.code.data} criado.", url_for("register.stands")):
            return done
    page = render_template("edital/register/new.html", register=state, form=form)
    return make_response(page, 422 if form.errors else 200)


# -- one stand --------------------------------------------------------------------------------------------------------


def _one(code: str) -> tuple[Register, RegisteredStand, list[Happened]]:
    state, history, _ = _known()
    found = state.stands.get(code)
    if found is None:
        abort(404)
    return state, found, [one for one in history if one.code == code]


@register_bp.get("/s/pontos/<code>")
def stand(code: str) -> Response:
    """One ponto: where it is, its limit, its history, and what a decree may change."""
    require(*SEES)
    return _stand(code)


def _stand(code: str, **sent: Any) -> Response:
    state, one, history = _one(code)
    first = {"address": one.address, "x": one.x, "y": one.y}
    forms = {
        "relocate": RelocateForm(formdata=None, prefix="mudar", data=first),
        "limit": LimitForm(formdata=None, prefix="limite", data={"vehicles": one.vehicles}),
        "extinguish": ExtinguishForm(formdata=None, prefix="extinguir"),
        **sent,
    }
    for form in forms.values():
        _with_decrees(form, state)
    page = render_template(
        "edital/register/stand.html", register=state, one=one, history=history, may_change=_may_change(), **forms
    )
    return make_response(page, 422 if any(form.errors for form in sent.values()) else 200)


@register_bp.post("/s/pontos/<code>/<act>")
def change(code: str, act: str) -> Any:
    """Move a ponto, set its limit, or close it."""
    require(Role.SECRETARIAT)
    state, _, _ = _one(code)
    kinds = {"mudar": ("relocate", RelocateForm), "limite": ("limit", LimitForm)}
    kinds["extinguir"] = ("extinguish", ExtinguishForm)
    if act not in kinds:
        abort(404)
    key, kind = kinds[act]
    form: Any = _with_decrees(kind(prefix=act), state)
    if form.validate():
        decree = form.decree.data
        if key == "relocate":
            command: Any = words.RelocateStand(code, form.address.data, form.x.data, form.y.data, decree)
        elif key == "limit":
            command = words.SetStandLimit(code, form.vehicles.data, decree)
        else:
            command = words.ExtinguishStand(code, decree)
        if done := _ask(form, command, "Registrado.", url_for("register.stand", code=code)):
            return done
    return _stand(code, **{key: form})


# -- the calendar -----------------------------------------------------------------------------------------------------


@register_bp.route("/s/calendario", methods=["GET", "POST"])
def calendar() -> Any:
    """Days without expediente: those of the law, and those that a decree declares or confirms."""
    require(*SEES)
    state, _, town = _known()
    form = _with_decrees(ClosureForm(data=_prefilled()), state)
    if request.method == "POST":
        require(Role.SECRETARIAT)
        if form.validate():
            command = words.DeclareClosure(form.day.data, form.name.data, form.decree.data)
            done = "Dia registrado. Prazos em curso só podem crescer."
            if way := _ask(form, command, done, url_for("register.calendar")):
                return way
    today = day_of(house().clock.now())
    ahead = [one for one in town.closures if today <= one.day and one.day.year < today.year + CLOSURES_AHEAD]
    page = render_template(
        "edital/register/calendar.html", town=town, ahead=ahead, form=form, may_change=_may_change(), register=state
    )
    return make_response(page, 422 if form.errors else 200)


def _prefilled() -> dict[str, Any]:
    """The day and reason that the link "Confirmar" names."""
    try:
        day = date.fromisoformat(request.args.get("dia", ""))
    except ValueError:
        return {}
    return {"day": day, "name": request.args.get("nome", "")[:TYPED_MAX]}
