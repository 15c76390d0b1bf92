"""Where each office finds its work: the authority, the Secretaria, the control, the technician."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, render_template

from tender import verifier
from tender.acts import Role
from tender.edital import reads
from tender.edital.pages.portal import work_page
from tender.ledger import reading
from tender.web import across, house, require

offices_bp = Blueprint("offices", __name__)


@offices_bp.get("/a")
def authority() -> str:
    """The authority's inbox: what waits to be published or decided."""
    require(Role.MAYOR)
    return work_page("Trabalho da autoridade")


@offices_bp.get("/s")
def secretariat() -> str:
    """The Secretaria's list: stands and what became of them."""
    require(Role.SECRETARIAT)
    with reading(house().engine) as tx:
        tenders = reads.published(tx)
        awards = {one.edital: {a.stand: a for a in across().awards(tx, one.edital)} for one in tenders}
    return render_template("edital/secretariat.html", tenders=tenders, awards=awards)


@offices_bp.get("/auditoria")
def audit() -> str:
    """The control's desk: each book verified now, appointments, readings of names."""
    require(Role.CONTROL, Role.MAYOR)
    services = house()
    with reading(services.engine) as tx:
        books = [(chain, _verified(tx, chain)) for chain in services.book.chains(tx)]
    return render_template("edital/audit.html", books=books, appointments=services.people.appointments())


def _verified(tx: Any, chain: str) -> dict[str, Any]:
    try:
        return verifier.verify(house().book.export(tx, chain))
    except verifier.BookFault as fault:
        return {"fault": str(fault)}


@offices_bp.get("/t")
def technician() -> str:
    """What the technician may see: counters and deadlines, no document and no name."""
    require(Role.TECHNICIAN)
    services = house()
    with reading(services.engine) as tx:
        due = [one for chain in services.book.chains(tx) for one in services.deadlines.of_chain(tx, chain)]
    late = services.deadlines.late(services.clock.now())
    return render_template("edital/technician.html", stats=services.desk.stats(), due=due, late=late)
