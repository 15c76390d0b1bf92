"""Drafting an edital step by step: saved as one goes, the draft beside the form, conflicts of law where they arise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from flask import Blueprint, Response, abort, flash, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from tender.acts import EditalId, Refusal, Role
from tender.calendars import Calendar, CalendarError
from tender.clock import at_hour, day_of, short_day
from tender.edital import reads
from tender.edital.forms.dossier import WarningForm
from tender.edital.forms.drafting import ItemsForm, NewForm, StepForm, asked_data, asked_form, data_of, of_step
from tender.edital.model import DraftEdital, Edital
from tender.edital.model.clauses import fields_of, summary
from tender.edital.model.documents import OFFERED, proposed
from tender.edital.model.dossier import Fault
from tender.edital.model.fields import Step, hundredths
from tender.edital.model.gates import Conflict, Surroundings, arising, cap, faults, floor_mismatches, step_of
from tender.edital.model.register import Register
from tender.edital.model.schedule import Dated, dates, hour_of, instant_of
from tender.edital.model.terms import Body, Counting, ItemsReading, Terms
from tender.files import PUBLIC_OWNER
from tender.ledger import reading, writing
from tender.money import Money
from tender.readings import READINGS
from tender.web import actor, house, perform, require

drafting_bp = Blueprint("drafting", __name__)
drafting_bp.add_app_template_filter(fields_of)
drafting_bp.add_app_template_filter(hundredths)
drafting_bp.add_app_template_filter(short_day, "day")

PROPOSED_STEP = Money.reais(100)
PUBLISHED_WITHIN = 5
"""Business days that a fresh draft allows for opinion, papers and the three publications."""
JUDGED_WITHIN = 10
"""Business days that it allows for judging the documents before the session."""
DRAFTERS = (Role.PREGOEIRO, Role.COMMISSION)


@dataclass(frozen=True)
class Draft:
    """A draft with all that its pages show: the state, the calendar and the register of today."""

    state: Edital
    terms: Terms
    calendar: Calendar
    register: Register
    around: Surroundings
    sha256: str

    @property
    def edital(self) -> EditalId:
        """Its number."""
        return self.state.edital

    @property
    def faults(self) -> list[Fault]:
        """Every closed gate."""
        return faults(self.terms, self.state.dossier, self.around)

    def pending(self, step: Step) -> int:
        """How many faults are mended in this step."""
        return sum(step_of(fault) == step.value for fault in self.faults)

    def warnings(self, step: Step | None = None) -> list[Conflict]:
        """The conflicts of law that the draft meets: in this step, or all."""
        return [one for one in arising(self.terms) if step is None or one.step == step.value]

    @property
    def dates(self) -> list[Dated]:
        """Every date in both readings; empty when the calendar does not reach them."""
        try:
            return dates(self.terms, self.calendar, self.state.dossier.clock_starts_on)
        except CalendarError:
            return []

    def until(self, day: date) -> Any:
        """The last instant of a term that ends that day."""
        return instant_of(self.terms, self.calendar, day)


def find_draft(edital: str) -> Draft:
    """The draft of that number; 404 when there is none; who asks is led to the tender when it is public already."""
    services = house()
    with reading(services.engine) as tx:
        view = reads.find(tx, edital)
        if view is None:
            abort(404)
        if view.published_at is not None:
            abort(redirect(f"/l/{edital}"))
        state = reads.folded(tx, services.book, edital)
        calendar = town_calendar(tx)
        around = reads.surroundings(tx, services.book, state, calendar, services.clock.now())
        known = reads.register(tx, services.book)
    return Draft(state, view.terms, calendar, known, around, view.terms_sha256)


def town_calendar(tx: Any) -> Calendar:
    """The municipality's calendar as of today's decrees."""
    services = house()
    assert services.calendar is not None, "build_house hands in the seed of the calendar"
    return reads.calendar_of(tx, services.book, services.calendar)


def keep_upload(upload: Any) -> str:
    """Keep an uploaded annex, readable by anyone once it is published; its SHA-256, "" when nothing was sent.

    FileRefused says in Portuguese what to do about a file that cannot be taken.
    """
    if upload is None or not getattr(upload, "filename", ""):
        return ""
    services = house()
    started_at = services.clock.now()
    # Opened and sealed before the transaction: nobody's bid waits for somebody's PDF.
    received = services.files.receive(
        upload.stream, owner=PUBLIC_OWNER, filename=upload.filename, started_at=started_at
    )
    with writing(services.engine) as tx:
        return services.files.keep(tx, received).sha256


def name_of(person: str) -> str:
    """Whose decision it was, by name."""
    with reading(house().engine) as tx:
        return house().people.name_of(tx, person) if person else ""


# -- a new edital -----------------------------------------------------------------------------------------------------


@drafting_bp.route("/c/l/nova", methods=["GET", "POST"])
def new() -> Any:
    """Number, process, title; everything else is proposed."""
    require(*DRAFTERS)
    form = NewForm()
    if form.validate_on_submit():
        edital = EditalId(form.edital.data or "")
        with reading(house().engine) as tx:
            taken = reads.find(tx, edital) is not None
        if taken:
            form.edital.errors = ["Já existe um edital com este número. Use o próximo."]
        else:
            try:
                perform(DraftEdital(edital, _fresh(edital, form.title.data or "", form.process_number.data or "")))
                flash("Rascunho criado. Cada passo fica salvo quando você avança.", "ok")
                return redirect(url_for("drafting.step", edital=edital, passo=Step.REGIME.value), 303)
            except Refusal as refusal:
                form.edital.errors = [f"{refusal.reason} Exemplo: {refusal.passes}."]
    return make_response(render_template("edital/drafting/new.html", form=form), 422 if form.errors else 200)


def _fresh(edital: EditalId, title: str, process_number: str) -> Terms:
    town, now = house().settings.municipality, house().clock.now()
    with reading(house().engine) as tx:
        calendar = town_calendar(tx)
    counting, today = Counting(), day_of(now)
    published = _later(calendar, today, PUBLISHED_WITHIN)
    closes = _later(calendar, published, counting.publication_business_days + 2)
    return Terms(
        edital=edital,
        title=title,
        process_number=process_number,
        applications_open_at=at_hour(_later(calendar, published, 1), calendar.opens),
        applications_close_at=at_hour(closes, calendar.closes),
        session_at=at_hour(_later(calendar, closes, JUDGED_WITHIN), calendar.opens) + timedelta(hours=1),
        stands=(),
        step=PROPOSED_STEP,
        counting=counting,
        calendar_version=calendar.frozen_version,
        documents=proposed(),
        body=Body(
            town.name, town.cnpj, town.population, today.year, town.population_source, town.comarca, town.expediente
        ),
    )


def _later(calendar: Calendar, day: date, count: int) -> date:
    for _ in range(count):
        day = calendar.next_business_day(day)
    return day


# -- the steps --------------------------------------------------------------------------------------------------------


@drafting_bp.get("/c/l/<edital>/editar")
def start(edital: str) -> BaseResponse:
    """The first step with something missing, else the dossier."""
    require(*DRAFTERS)
    draft = find_draft(edital)
    first = next((one for one in Step if draft.pending(one)), Step.FILE)
    return redirect(address_of(draft, first))


def address_of(draft: Draft, step: Step) -> str:
    """Where a step is filled in."""
    if step is Step.STANDS:
        return url_for("offering.stands", edital=draft.edital)
    if step is Step.FILE:
        return url_for("dossier.file", edital=draft.edital)
    return url_for("drafting.step", edital=draft.edital, passo=step.value)


def after(draft: Draft, step: Step) -> BaseResponse:
    """Where one goes once a step is saved: to the next, or stays."""
    order = list(Step)
    if request.form.get("ficar") or step is order[-1]:
        return redirect(address_of(draft, step), 303)
    return redirect(address_of(draft, order[order.index(step) + 1]), 303)


def save(draft: Draft, terms: Terms) -> None:
    """Hand the changed draft in; what did not change makes no new version and no new author. Refusal passes on."""
    if terms != draft.terms:
        perform(DraftEdital(draft.edital, terms))
        flash("Salvo.", "ok")


@drafting_bp.route("/c/l/<edital>/editar/<passo>", methods=["GET", "POST"])
def step(edital: str, passo: str) -> Any:
    """One step of the guided form."""
    require(*DRAFTERS)
    if passo not in {one.value for one in Step}:
        abort(404)
    draft, here = find_draft(edital), Step(passo)
    if here is Step.STANDS:
        return redirect(address_of(draft, here))
    if here is Step.DOCUMENTS:
        return _documents(draft)
    if here is Step.FILE:
        return redirect(url_for("dossier.file", edital=edital))
    form = of_step(here)(data=data_of(here, draft.terms))
    refusal = None
    if form.validate_on_submit():
        try:
            save(draft, _written(draft, form))
            return after(draft, here)
        except Refusal as no:
            refusal = no
    return show(draft, here, form=form, refusal=refusal)


def _written(draft: Draft, form: StepForm) -> Terms:
    terms = form.written(draft.terms)
    # The dates were chosen by the calendar of this day: the edital keeps its name.
    return replace(terms, calendar_version=draft.calendar.frozen_version) if form.STEP is Step.DATES else terms


def page(draft: Draft, here: Step, deciding: dict[str, WarningForm]) -> Any:
    """A step as it stands, with the decision of a warning that could not be taken."""
    if here is Step.DOCUMENTS:
        return _documents(draft, deciding=deciding)
    return show(draft, here, form=of_step(here)(formdata=None, data=data_of(here, draft.terms)), deciding=deciding)


def _documents(draft: Draft, **known: Any) -> Any:
    which, kept = request.form.get("parte", ""), draft.terms.items_reading
    asked = asked_form()(formdata=_only(which, "lista"), data=asked_data(draft.terms))
    items = ItemsForm(formdata=_only(which, "leitura"), data={"items": list(kept.items), "source": kept.source})
    form = of_step(Step.DOCUMENTS)(formdata=_only(which, "lista"), data=data_of(Step.DOCUMENTS, draft.terms))
    refusal, terms = None, None
    if which == "lista" and asked.validate() & form.validate():
        terms = replace(form.written(draft.terms), documents=asked.asked())
    elif which == "leitura" and items.validate():
        today = day_of(house().clock.now())
        read = ItemsReading(tuple(items.items.data or ()), actor().person, today, items.source.data or "")
        terms = replace(draft.terms, items_reading=read)
    if terms is not None:
        try:
            save(draft, terms)
            return after(draft, Step.DOCUMENTS)
        except Refusal as no:
            refusal = no
    more = {"listing": asked, "items": items, "offered": OFFERED, "confirmed_by": name_of(kept.confirmed_by)}
    more |= known
    return show(draft, Step.DOCUMENTS, form=form, refusal=refusal, **more)


def _only(which: str, part: str) -> Any:
    """The form's data when this part of the page was sent, else none."""
    return request.form if which == part else None


def show(draft: Draft, here: Step, form: Any = None, refusal: Refusal | None = None, **more: Any) -> Response:
    """A step's page; 422 when something typed is wrong, 409 when the desk said no."""
    deciding: dict[str, WarningForm] = more.pop("deciding", {})
    wrong = [one for one in (form, *more.values(), *deciding.values()) if getattr(one, "errors", None)]
    decisions = draft.state.dossier.decisions
    forms = {one.code: deciding.get(one.code) or WarningForm(None, prefix=one.code) for one in draft.warnings()}
    order = list(Step)
    at = order.index(here)
    page = render_template(
        f"edital/drafting/{PAGES.get(here, 'step')}.html",
        draft=draft,
        here=here,
        steps=[(one, address_of(draft, one), draft.pending(one)) for one in Step],
        before=address_of(draft, order[at - 1]) if at else "",
        form=form,
        refusal=refusal,
        warnings=[(one, READINGS[one.code], decisions.get(one.code), forms[one.code]) for one in draft.warnings(here)],
        others=draft.warnings(),
        decisions=decisions,
        summary=summary(draft.terms),
        mismatches={fault.missing: fault for fault in floor_mismatches(draft.terms)},
        cap=cap(draft.terms.body.population),
        hour=hour_of(draft.terms, draft.calendar),
        steps_of={one.value: address_of(draft, one) for one in Step},
        readings=READINGS,
        **more,
    )
    return make_response(page, 409 if refusal else 422 if wrong else 200)


PAGES = {Step.STANDS: "stands", Step.DOCUMENTS: "documents", Step.DATES: "dates", Step.FILE: "file"}
"""The template of a step that is not only its fields."""
