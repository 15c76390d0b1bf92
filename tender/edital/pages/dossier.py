"""The dossier and the publication: papers on file, decided warnings, proofs, gates; the authority publishes."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, abort, flash, make_response, redirect, render_template, request, url_for

from tender.acts import EditalId, Refusal, Role
from tender.edital.forms.dossier import CHANNELS, PaperForm, ProofForm, WarningForm
from tender.edital.model import PublishEdital
from tender.edital.model.dossier import (
    GATES,
    Channel,
    Choice,
    DecideWarning,
    FiledPaper,
    FilePaper,
    Paper,
    Proof,
    RecordProof,
)
from tender.edital.model.fields import Step
from tender.edital.model.gates import floor_mismatches
from tender.edital.model.schedule import hour_of
from tender.edital.pages import drafting, offering
from tender.edital.pages.drafting import DRAFTERS, Draft, address_of, find_draft, keep_upload, name_of
from tender.files import PUBLIC_OWNER, FileRefused, FileUnknown
from tender.ledger import writing
from tender.readings import READINGS
from tender.web import actor, house, perform, require

dossier_bp = Blueprint("dossier", __name__)

SEES = (Role.PREGOEIRO, Role.COMMISSION, Role.MAYOR, Role.SECRETARIAT, Role.CONTROL)


@dossier_bp.get("/c/l/<edital>/editar/pecas")
def file(edital: str) -> Response:
    """The last step: papers on file and warnings."""
    require(*DRAFTERS)
    return _file(find_draft(edital))


def _file(draft: Draft, paper: PaperForm | None = None, deciding: Any = None, refusal: Any = None) -> Response:
    return drafting.show(
        draft,
        Step.FILE,
        paper=paper or PaperForm(formdata=None),
        deciding=deciding or {},
        refusal=refusal,
        gates=GATES,
        file_name=offering.file_name,
    )


@dossier_bp.post("/c/l/<edital>/pecas")
def file_paper(edital: str) -> Any:
    """Put a document on file."""
    require(*DRAFTERS, Role.CONTROL)
    draft, form = find_draft(edital), PaperForm()
    valid, sha256, refusal = form.validate(), "", None
    if valid:
        try:
            sha256 = keep_upload(form.file.data)
            paper = Paper(form.paper.data)
            perform(FilePaper(draft.edital, FiledPaper(paper, form.number.data or "", form.day.data, sha256)))
            flash("Peça juntada.", "ok")
            return redirect(_back(edital), 303)
        except FileRefused as refused:
            form.file.errors = [str(refused)]
        except Refusal as no:
            refusal = no
    if Role.CONTROL in actor().roles:
        return _page(draft, paper=form, refusal=refusal)
    return _file(draft, paper=form, refusal=refusal)


def _back(edital: str) -> str:
    where = "dossier.publication" if Role.CONTROL in actor().roles else "dossier.file"
    return url_for(where, edital=edital) + "#pecas"


@dossier_bp.post("/c/l/<edital>/alertas/<code>")
def decide(edital: str, code: str) -> Any:
    """Decide a warning: keep, adjust, or by the opinion of that number."""
    require(*DRAFTERS)
    draft = find_draft(edital)
    found = next((one for one in draft.warnings() if one.code == code), None)
    if found is None:
        abort(404)
    form, here = WarningForm(prefix=code), Step(found.step)
    if form.validate():
        try:
            perform(DecideWarning(draft.edital, code, Choice(form.choice.data), form.note.data or ""))
            flash(f"Alerta {code} decidido.", "ok")
            return redirect(f"{address_of(draft, here)}#{code}", 303)
        except Refusal as refusal:
            form.note.errors = [f"{refusal.reason} Exemplo: {refusal.passes}."]
    if here is Step.STANDS:
        return offering.page(draft, deciding={code: form})
    return drafting.page(draft, here, {code: form})


# -- publication ------------------------------------------------------------------------------------------------------


@dossier_bp.get("/c/l/<edital>/publicar")
def publication(edital: str) -> Response:
    """Every gate with what is missing, the dates in both readings, the proofs; the authority's button."""
    require(*SEES)
    return _page(find_draft(edital))


def _page(draft: Draft, refusal: Refusal | None = None, **forms: Any) -> Response:
    closed: dict[str, list[Any]] = {code: [] for code in GATES}
    for fault in draft.faults:
        closed[fault.gate].append(fault)
    dossier = draft.state.dossier
    page = render_template(
        "edital/drafting/publication.html",
        draft=draft,
        closed=closed,
        gates=GATES,
        dossier=dossier,
        mismatches=floor_mismatches(draft.terms),
        hour=hour_of(draft.terms, draft.calendar),
        channels={channel: (CHANNELS[channel], dossier.proofs.get(channel)) for channel in Channel},
        missing=len(draft.faults),
        author=name_of(draft.state.drafted_by),
        is_author=draft.state.drafted_by == actor().person,
        refusal=refusal,
        paper=forms.get("paper") or PaperForm(formdata=None),
        proof=forms.get("proof") or ProofForm(formdata=None),
        readings=READINGS,
        commands={"paper": FilePaper, "proof": RecordProof, "publish": PublishEdital},
        step_address=lambda value: address_of(draft, Step(value)),
        step_of=drafting.step_of,
        file_name=offering.file_name,
    )
    wrong = any(form.errors for form in forms.values())
    return make_response(page, 409 if refusal else 422 if wrong else 200)


@dossier_bp.post("/c/l/<edital>/provas")
def record_proof(edital: str) -> Any:
    """Record where, under which number and on which day the edital was published."""
    require(*DRAFTERS, Role.SECRETARIAT)
    draft, form = find_draft(edital), ProofForm()
    if not form.validate():
        return _page(draft, proof=form)
    try:
        proof = Proof(Channel(form.channel.data), form.number.data or "", form.day.data)
        perform(RecordProof(draft.edital, proof))
    except Refusal as refusal:
        return _page(draft, refusal, proof=form)
    flash("Publicação registrada.", "ok")
    return redirect(url_for("dossier.publication", edital=edital) + "#provas", 303)


@dossier_bp.post("/c/l/<edital>/publicacao")
def publish(edital: str) -> Any:
    """Publish exactly what was read: the form names the terms that its page showed."""
    require(Role.MAYOR)
    draft = find_draft(edital)
    try:
        perform(PublishEdital(EditalId(edital), request.form.get("termos", "")))
    except Refusal as refusal:
        return _page(draft, refusal)
    flash("Edital publicado. O livro público começou.", "ok")
    return redirect(f"/l/{edital}", 303)


@dossier_bp.get("/c/anexos/<sha256>")
def annex(sha256: str) -> Response:
    """An annex, for the offices: study, opinion, act, decree. The reading is written down."""
    require(*SEES)
    try:
        with writing(house().engine) as tx:
            kept = house().files.find(tx, sha256, PUBLIC_OWNER)
            body = house().files.read(tx, kept.to_show, actor(), "conferência das peças do edital")
    except FileUnknown:
        abort(404)
    headers = {"Content-Disposition": "inline", "Cache-Control": "no-store"}
    return Response(body, mimetype=kept.type_to_show, headers=headers)
