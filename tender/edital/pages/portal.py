"""The public's home and archive; and the two desks that make an edital public."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for

from tender.acts import EditalId, Refusal, Role
from tender.clerk import proposals
from tender.edital import reads
from tender.edital.model import (
    ENDED_EARLY,
    SUSPENDED,
    CloseApplications,
    ConcludeHabilitation,
    OpenSession,
    PublishEdital,
    Status,
)
from tender.edital.pages.tender import KINDS, asked_page
from tender.ledger import reading
from tender.web import across, actor, house, perform, require

portal_bp = Blueprint("portal", __name__)

SITUATIONS: dict[str, tuple[str, frozenset[Status]]] = {
    "inscricoes": ("Inscrições abertas", frozenset({Status.PUBLISHED})),
    "analise": ("Em análise", frozenset({Status.JUDGING, Status.READY})),
    "disputa": ("Em disputa", frozenset({Status.IN_SESSION})),
    "resultado": ("Resultado", frozenset({Status.JUDGED})),
    "suspensas": ("Suspensas", SUSPENDED),
    "encerradas": ("Encerradas", ENDED_EARLY),
}
"""Word of the address -> what the filter is called, and the statuses that it shows."""
HOME_LIST = 8
PAGE = 20


@portal_bp.get("/")
def home() -> str:
    """What is open, live and decided."""
    return _listed(HOME_LIST)


@portal_bp.get("/licitacoes")
def archive() -> str:
    """Every tender, by situation and by year."""
    return _listed(PAGE)


def _listed(size: int) -> str:
    situation, year, page = request.args.get("situacao", ""), _year(), asked_page()
    if situation and situation not in SITUATIONS:
        abort(404)
    statuses = SITUATIONS[situation][1] if situation else frozenset()
    with reading(house().engine) as tx:
        counts = reads.counts(tx, year)
        total = sum(count for status, count in counts.items() if not statuses or status in statuses)
        pages = max(1, -(-total // size))
        page = min(max(1, page), pages)
        tenders = reads.archive(tx, statuses, year, limit=size, offset=(page - 1) * size)
        on = reads.archive(tx, {Status.IN_SESSION}) if request.path == "/" else []
        shown = {one.edital: one for one in (*tenders, *on)}
        contests = {key: across().contests(tx, key) for key in shown}
        awards = {key: across().awards(tx, key) for key, one in shown.items() if one.status is Status.JUDGED}
        years = reads.years(tx)
    chips = [(word, label, sum(counts.get(status, 0) for status in held)) for word, (label, held) in SITUATIONS.items()]
    return render_template(
        "portal.html",
        tenders=tenders,
        live=on,
        contests=contests,
        awards=awards,
        chips=[chip for chip in chips if chip[2] or chip[0] == situation],
        total=sum(counts.values()),
        found=total,
        situation=situation,
        year=year,
        years=years,
        page=page,
        pages=pages,
        is_home=request.path == "/",
        kinds=KINDS,
        Status=Status,
        suspended=SUSPENDED,
        ended=ENDED_EARLY,
    )


def _year() -> int | None:
    typed = request.args.get("ano", "")
    return int(typed) if typed.isascii() and typed.isdecimal() and len(typed) == 4 else None


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
    with reading(house().engine) as tx:
        view = reads.find(tx, edital)
    if view is None:
        abort(404)
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
