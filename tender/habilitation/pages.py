"""Pages of the habilitation: the applicant's checklist and the commission's bench."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, abort, flash, redirect, render_template, request, url_for

from tender.acts import EditalId, PersonId, Refusal, Role
from tender.files import FileRefused
from tender.habilitation import reads
from tender.habilitation.forms import DecisionForm, EnrolForm, UploadForm
from tender.habilitation.model import (
    REQUIREMENTS,
    HabilitateApplication,
    InhabilitateApplication,
    PersonKind,
    ReceiveDocument,
    SubmitApplication,
)
from tender.law import Citation
from tender.ledger import reading, writing
from tender.web import across, actor, house, is_signed_in, perform, require

habilitation_bp = Blueprint("habilitation", __name__)


def _party(edital: str) -> Any:
    """The party that whoever asks enrols: the first one they act for."""
    if not is_signed_in():
        abort(redirect(url_for("sign_in.sign_in", next=request.path)))
    with reading(house().engine) as tx:
        if across().tender(tx, edital) is None:
            abort(404)
        parties = house().people.parties_of(tx, actor().person)
    if not parties:
        abort(403, description="Sua conta não representa ninguém que possa se inscrever.")
    return parties[0]


def _kind(party: Any) -> PersonKind:
    return PersonKind(party.kind)


@habilitation_bp.get("/minhas")
def mine() -> str:
    """My enrolments."""
    if not is_signed_in():
        abort(redirect(url_for("sign_in.sign_in", next=request.path)))
    with reading(house().engine) as tx:
        parties = house().people.parties_of(tx, actor().person)
        views = reads.of_person(tx, [party.id for party in parties])
    return render_template("habilitation/mine.html", views=views)


@habilitation_bp.get("/minhas/<edital>/documentos")
def checklist(edital: str) -> str:
    """One line per requirement, its article beside it, what was sent."""
    return _checklist(edital, _party(edital))


def _checklist(edital: str, party: Any) -> str:
    # What was ticked in an enrolment that was refused stands in the form again.
    with reading(house().engine) as tx:
        view = reads.find(tx, edital, party.id)
        tender = across().tender(tx, edital)
        own = house().people.own_pseudonyms(tx, actor().person, edital)
    form = EnrolForm()
    form.stands.choices = [(one.number, f"Ponto {one.number} — {one.name}") for one in tender.terms.stands]
    if view is not None and view.stands and not form.is_submitted():
        form.stands.data = list(view.stands)
    return render_template(
        "habilitation/checklist.html",
        edital=edital,
        tender=tender,
        party=party,
        view=view,
        form=form,
        upload=UploadForm(),
        own=own,
        requirements=REQUIREMENTS[_kind(party)],
        limit=house().settings.upload_max_bytes,
    )


@habilitation_bp.post("/minhas/<edital>/documentos/<path:requirement>")
def receive(edital: str, requirement: str) -> Any:
    """Store the bytes, then record the document."""
    party = _party(edital)
    started_at = house().clock.now()
    back = redirect(url_for("habilitation.checklist", edital=edital))
    form = UploadForm()
    if not form.validate():
        flash(" ".join(form.file.errors) or "Escolha o arquivo.", "bad")
        return back
    try:
        cited = Citation.parse(f"lei-724-2008#{requirement}")
        # Opened and sealed before the transaction: nobody's bid waits for somebody's PDF.
        received = house().files.receive(
            form.file.data.stream, owner=party.id, filename=form.file.data.filename, started_at=started_at
        )
        with writing(house().engine) as tx:
            kept = house().files.keep(tx, received)
        perform(
            ReceiveDocument(
                EditalId(edital), PersonId(party.id), cited, kept.sha256, kept.size, started_at, kept.finished_at
            )
        )
        flash("Documento recebido.", "ok")
    except FileRefused as refused:
        flash(str(refused), "bad")
    except Refusal as refusal:
        flash(f"{refusal.reason} ({refusal.law})", "bad")
    except ValueError:
        abort(404)
    return back


@habilitation_bp.post("/minhas/<edital>/enviar")
def submit(edital: str) -> Any:
    """Send the application."""
    party = _party(edital)
    form = EnrolForm()
    with reading(house().engine) as tx:
        tender = across().tender(tx, edital)
    form.stands.choices = [(one.number, one.name) for one in tender.terms.stands]
    if not form.validate():
        for errors in form.errors.values():
            flash(" ".join(errors), "bad")
        return _checklist(edital, party), 422
    try:
        perform(SubmitApplication(EditalId(edital), PersonId(party.id), _kind(party), tuple(form.stands.data)))
        flash("Inscrição enviada.", "ok")
    except Refusal as refusal:
        flash(f"{refusal.reason} ({refusal.law})", "bad")
        return _checklist(edital, party), 409
    return redirect(url_for("habilitation.checklist", edital=edital))


# -- the commission ----------------------------------------------------------------------------------------------------


@habilitation_bp.get("/c/l/<edital>/analise/<int:number>")
def bench(edital: str, number: int) -> str:
    """One application: documents beside the decision."""
    return _bench(edital, *_application(edital, number))


def _bench(edital: str, view: reads.ApplicationView, name: str) -> str:
    # After a refusal the decision stands in the form as it was typed.
    assert view.kind is not None
    return render_template(
        "habilitation/bench.html",
        edital=edital,
        view=view,
        name=name,
        form=DecisionForm(),
        requirements=REQUIREMENTS[view.kind],
    )


def _application(edital: str, number: int) -> tuple[reads.ApplicationView, str]:
    require(Role.PREGOEIRO, Role.COMMISSION)
    with writing(house().engine) as tx:  # reading a name is logged
        view = next((one for one in reads.submitted(tx, edital) if one.number == number), None)
        if view is None:
            abort(404)
        name = house().people.name_of(tx, view.applicant)
        house().people.log_reading(tx, actor().person, "name", view.applicant, "análise da inscrição")
    return view, name


@habilitation_bp.get("/c/l/<edital>/analise/<int:number>/<path:requirement>")
def document(edital: str, number: int, requirement: str) -> Response:
    """A document's bytes, for the commission; the reading is logged."""
    view, _ = _application(edital, number)
    sent = view.documents.get(f"lei-724-2008#{requirement}")
    if sent is None:
        abort(404)
    with writing(house().engine) as tx:
        kept = house().files.find(tx, sent[0], view.applicant)
        body = house().files.read(tx, kept.to_show, actor(), f"análise da inscrição {number} do edital {edital}")
    headers = {"Content-Disposition": "inline", "Cache-Control": "no-store"}
    return Response(body, mimetype=kept.type_to_show, headers=headers)


@habilitation_bp.post("/c/l/<edital>/analise/<int:number>")
def decide(edital: str, number: int) -> Any:
    """Habilitate, or with another member inhabilitate."""
    view, name = _application(edital, number)
    form = DecisionForm()
    if not form.validate():
        flash(" ".join(form.reason.errors), "bad")
        return _bench(edital, view, name), 422
    applicant, reason = PersonId(view.applicant), str(form.reason.data)
    try:
        if request.form.get("decisao") == "inabilitar":
            requirement = Citation.parse(request.form.get("exigencia", ""))
            receipt = perform(InhabilitateApplication(EditalId(edital), applicant, requirement, reason))
            flash("Falta outro membro confirmar." if receipt.awaits_member else "Inabilitada.", "ok")
        else:
            perform(HabilitateApplication(EditalId(edital), applicant, reason))
            flash("Habilitada.", "ok")
    except Refusal as refusal:
        flash(f"{refusal.reason} ({refusal.law})", "bad")
        return _bench(edital, view, name), 409
    except ValueError:
        flash("Escolha a exigência não atendida.", "bad")
        return _bench(edital, view, name), 422
    return redirect(url_for("habilitation.bench", edital=edital, number=number))
