"""The public's pages: what is open, one tender, the law, the book; and the two desks that make an edital public."""

from __future__ import annotations

from typing import Any

from flask import (
    Blueprint,
    Response,
    abort,
    flash,
    redirect,
    render_template,
    request,
    send_file,
    url_for,
)

from tender import verifier
from tender.acts import EditalId, Refusal, Role
from tender.clerk import proposals
from tender.edital import papers, reads
from tender.edital.model import CloseApplications, ConcludeHabilitation, OpenSession, PublishEdital, Status
from tender.ledger import export_in_portions, reading
from tender.web import across, actor, house, perform, require

portal_bp = Blueprint("portal", __name__)

KINDS = {
    Status.PUBLISHED: "ok",
    Status.JUDGING: "info",
    Status.READY: "info",
    Status.IN_SESSION: "live",
    Status.JUDGED: "",
}
"""How a status is tagged on screen."""
BOOK_PAGE = 50


def _known(edital: str, published: bool = True) -> reads.EditalView:
    with reading(house().engine) as tx:
        view = reads.find(tx, edital)
    if view is None or (published and view.published_at is None):
        abort(404)
    return view


@portal_bp.get("/")
def home() -> str:
    """What is open, live and decided."""
    with reading(house().engine) as tx:
        tenders = reads.published(tx)
        live = {one.edital: across().contests(tx, one.edital) for one in tenders if one.status is Status.IN_SESSION}
    now = house().clock.now()
    return render_template("portal.html", tenders=tenders, live=live, kinds=KINDS, Status=Status, now=now)


@portal_bp.get("/l/<edital>")
def tender(edital: str) -> str:
    """Everything on one tender."""
    view = _known(edital)
    with reading(house().engine) as tx:
        contests = {one.stand: one for one in across().contests(tx, edital)}
        awards = {one.stand: one for one in across().awards(tx, edital)}
        head = house().book.head(tx, f"edital/{edital}")
    return render_template(
        "edital/tender.html",
        view=view,
        contests=contests,
        awards=awards,
        head=head,
        kinds=KINDS,
        Status=Status,
        now=house().clock.now(),
    )


@portal_bp.get("/l/<edital>/edital.pdf")
def edital_paper(edital: str) -> Response:
    """The edital as PDF, from the facts of the book."""
    _known(edital)
    with reading(house().engine) as tx:
        entry = next(e for e in house().book.load(tx, f"edital/{edital}") if e.kind == "EditalPublished")
    return Response(papers.edital(entry, house().settings), mimetype="application/pdf")


@portal_bp.get("/l/<edital>/livro")
def book(edital: str) -> str:
    """The book of a tender, page by page, newest first."""
    view = _known(edital)
    chain = f"edital/{edital}"
    with reading(house().engine) as tx:
        head = house().book.head(tx, chain)
        pages = max(1, -(-head.seq // BOOK_PAGE))
        page = min(max(1, _page()), pages)
        after = max(0, head.seq - page * BOOK_PAGE)
        entries = list(house().book.entries(tx, chain, after=after, limit=head.seq - (page - 1) * BOOK_PAGE - after))
    return render_template("edital/book.html", view=view, entries=entries[::-1], head=head, page=page, pages=pages)


def _page() -> int:
    typed = request.args.get("pagina", "1")
    return int(typed) if typed.isascii() and typed.isdecimal() and len(typed) < 7 else 1


@portal_bp.get("/l/<edital>/livro.jsonl")
def book_export(edital: str) -> Response:
    """The book of a tender as the verifier reads it."""
    _known(edital)
    lines = export_in_portions(house().engine, f"edital/{edital}")
    answer = Response(lines, mimetype="application/jsonl")
    answer.headers["Content-Disposition"] = f'attachment; filename="livro-{edital}.jsonl"'
    return answer


@portal_bp.get("/verificador.py")
def verifier_file() -> Response:
    """The one-file verifier: the very lines that this site runs."""
    return send_file(verifier.__file__, mimetype="text/x-python", as_attachment=True, download_name="verificador.py")


# -- those who make it public ------------------------------------------------------------------------------------------


@portal_bp.get("/c")
def commission() -> str:
    """Today's work of the commission."""
    require(Role.PREGOEIRO, Role.COMMISSION)
    return work_page("Trabalho da comissão")


def work_page(title: str) -> str:
    """Drafts, tenders with their next act, and acts that wait for another member."""
    with reading(house().engine) as tx:
        work: dict[str, Any] = {
            "drafts": reads.drafts(tx),
            "tenders": reads.published(tx),
            "waiting": tx.execute(proposals.select().order_by(proposals.c.at)).all(),
        }
        work["applications"] = {one.edital: across().applications(tx, one.edital) for one in work["tenders"]}
    now = house().clock.now()
    work |= {"title": title, "kinds": KINDS, "Status": Status, "PublishEdital": PublishEdital, "now": now}
    return render_template("edital/work.html", **work)


@portal_bp.post("/c/l/<edital>/<act>")
def act(edital: str, act: str) -> Any:
    """Publish, close the applications, conclude the habilitation, open the session."""
    tender = EditalId(edital)
    view = _known(edital, published=False)
    commands = {
        "publicar": PublishEdital(tender, view.terms_sha256),
        "encerrar-inscricoes": CloseApplications(tender),
        "concluir-habilitacao": ConcludeHabilitation(tender),
        "abrir-sessao": OpenSession(tender),
    }
    if act not in commands:
        abort(404)
    try:
        perform(commands[act])
        flash("Feito e registrado no livro.", "ok")
    except Refusal as refusal:
        flash(f"{refusal.reason} ({refusal.law})", "bad")
    home = "offices.authority" if Role.MAYOR in actor().roles else "portal.commission"
    return redirect(url_for(home))
