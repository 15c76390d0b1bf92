"""Pages that explain: the law by article, how to take part, who may do what, and the duties of a public site."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from flask import Blueprint, current_app, redirect, render_template, request, url_for
from sqlalchemy import select

from tender.acts import COMMANDS, Role
from tender.edital import reads
from tender.edital.model import Status
from tender.law import Statutes
from tender.ledger import ledger, reading
from tender.letterhead.words import CODE_SIGNS
from tender.readings import NOT_OURS, readings_of
from tender.web import house
from tender.web.filters import read_law

about_bp = Blueprint("about", __name__)

MUNICIPAL = "lei-724-2008"
PLAIN_PAGES = ("como-participar", "acessibilidade", "privacidade", "sobre")


_statutes = cache(read_law)


@about_bp.get("/lei")
def law() -> str:
    """Lei 724/2008 article by article, with what is doubtful said beside it."""
    municipal = _texts().by_slug[MUNICIPAL]
    return render_template("law.html", municipal=municipal, readings_of=readings_of, not_ours=NOT_OURS)


@about_bp.get("/lei/federal")
def federal() -> str:
    """What is cited of other statutes, in summaries."""
    others = [one for slug, one in _texts().by_slug.items() if slug != MUNICIPAL]
    return render_template("federal.html", others=others, readings_of=readings_of, not_ours=NOT_OURS)


def _texts() -> Statutes:
    folder = current_app.static_folder
    assert folder is not None, "create_app names the static folder"
    return _statutes(Path(folder))


@about_bp.get("/transparencia/competencias")
def competences() -> str:
    """Who may do what, by which article: printed from the commands themselves."""
    roles = [role for role in Role if role is not Role.PUBLIC]
    acts = sorted(COMMANDS.items(), key=lambda item: (str(item[1].META.law.key), item[0]))
    return render_template("edital/competences.html", roles=roles, acts=acts)


def _plain(name: str) -> Any:
    def page() -> str:
        return render_template(f"edital/{name}.html")

    return page


for _name in PLAIN_PAGES:
    about_bp.add_url_rule(f"/{_name}", _name.replace("-", "_"), _plain(_name))


@about_bp.get("/vivo")
def live() -> Any:
    """The dispute that is on; with several, the choice; with none, when the next one is."""
    with reading(house().engine) as tx:
        tenders = reads.published(tx)
    on = [one for one in tenders if one.status is Status.IN_SESSION]
    if len(on) == 1:
        return redirect(url_for("bidding.live", edital=on[0].edital))
    soon = [one for one in tenders if one.status in (Status.PUBLISHED, Status.JUDGING, Status.READY)]
    return render_template("edital/live_none.html", on=on, soon=soon)


@about_bp.get("/dados")
def data() -> str:
    """Open data: each tender's book, and how to check it."""
    with reading(house().engine) as tx:
        tenders = reads.published(tx)
        heads = {one.edital: house().book.head(tx, f"edital/{one.edital}") for one in tenders}
    return render_template("edital/data.html", tenders=tenders, heads=heads)


@about_bp.get("/v")
def check() -> Any:
    """How to check a document or a book; with a code, which entry of which book the document ends with."""
    typed = request.args.get("codigo", "")
    return _checked(typed) if typed else render_template("edital/check.html", typed="", found=None)


@about_bp.get("/v/<code>")
def check_code(code: str) -> Any:
    """The same by address, as the QR code of a document has it."""
    return _checked(code)


def _checked(typed: str) -> Any:
    prefix = hash_prefix(typed)
    found = []
    if prefix:
        with reading(house().engine) as tx:
            query = select(ledger.c.chain, ledger.c.seq, ledger.c.hash, ledger.c.at)
            found = list(tx.execute(query.where(ledger.c.hash.startswith(prefix)).limit(5)))
    page = render_template("edital/check.html", typed=typed[:40], found=found)
    return (page, 200) if found else (page, 404)


def hash_prefix(code: str) -> str:
    """The ten hexadecimal digits that a verification code stands for; "" when it is none."""
    signs = [sign for sign in code.upper() if sign not in "- "]
    if len(signs) != 8 or any(sign not in CODE_SIGNS for sign in signs):
        return ""
    value = 0
    for sign in signs:
        value = value << 5 | CODE_SIGNS.index(sign)
    return f"{value:010x}"
