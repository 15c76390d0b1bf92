"""Pages of the auction: the bidder's room, the public view, the telão, the console."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from sqlalchemy import Connection

from tender.acts import EditalId, Refusal, Role, StandId
from tender.bidding import reads
from tender.bidding.model import ResumeContest, StartContest, Status, SuspendContest
from tender.ledger import reading
from tender.web import across, actor, house, is_signed_in, perform, require

bidding_bp = Blueprint("bidding", __name__)

SHOWN_BIDS = 50
NO_REASON_GIVEN = "decisão de quem conduz a sessão"
KINDS = {
    Status.WAITING: "",
    Status.CONTESTED: "live",
    Status.SUSPENDED: "warn",
    Status.CLOSED: "ok",
    Status.DESERTED: "line",
    Status.NONE: "",
}
"""How a status is tagged on screen."""


def _scene(tx: Connection, edital: str, stand: int) -> dict[str, Any]:
    view = reads.find(tx, edital, stand)
    if view is None:
        abort(404)
    own = house().people.own_pseudonyms(tx, actor().person, edital) if is_signed_in() else {}
    return {
        "edital": edital,
        "view": view,
        "names": across().stand_names(tx, edital),
        "kinds": KINDS,
        "bids": reads.bids_of(tx, edital, stand, SHOWN_BIDS),
        "numbers": reads.numbers(tx, edital, stand),
        "own": own.get(str(stand)),
        "now": house().clock.now(),
        "stands": reads.of_edital(tx, edital),
        "own_stands": own,
    }


@bidding_bp.get("/sala/<edital>/<int:stand>")
def room(edital: str, stand: int) -> str:
    """The room of a bidder on one stand; a page without script works too."""
    if not is_signed_in():
        abort(redirect(url_for("sign_in.sign_in", next=request.path)))
    with reading(house().engine) as tx:
        scene = _scene(tx, edital, stand)
    if scene["own"] is None:
        abort(403, description="Você não está habilitado para este ponto.")
    return render_template("bidding/room.html", **scene, typed=request.args.get("valor", ""))


@bidding_bp.get("/l/<edital>/pontos/<int:stand>/vivo")
def watch(edital: str, stand: int) -> str:
    """The public view of a stand: clock, best, ranking by number, bids."""
    with reading(house().engine) as tx:
        return render_template("bidding/watch.html", **_scene(tx, edital, stand))


@bidding_bp.get("/l/<edital>/vivo")
def live(edital: str) -> str:
    """All stands of a tender, live."""
    with reading(house().engine) as tx:
        stands = reads.of_edital(tx, edital)
        if not stands:
            abort(404)
        names = across().stand_names(tx, edital)
    now = house().clock.now()
    return render_template("bidding/live.html", edital=edital, stands=stands, names=names, kinds=KINDS, now=now)


@bidding_bp.get("/c/l/<edital>/conducao")
def console(edital: str) -> str:
    """The console of whoever conducts the session: several stands at once, by number only."""
    require(Role.PREGOEIRO, Role.COMMISSION)
    with reading(house().engine) as tx:
        stands = reads.of_edital(tx, edital)
        if not stands:
            abort(404)
        scene = {
            "edital": edital,
            "stands": stands,
            "names": across().stand_names(tx, edital),
            "kinds": KINDS,
            "bids": {one.stand: reads.bids_of(tx, edital, one.stand, 12) for one in stands},
            "now": house().clock.now(),
        }
    return render_template("bidding/console.html", **scene)


@bidding_bp.post("/c/l/<edital>/pontos/<int:stand>/<act>")
def conduct(edital: str, stand: int, act: str) -> Any:
    """Start, suspend or resume a stand. Nobody can shorten a clock or end a contested stand."""
    tender, number = EditalId(edital), StandId(stand)
    commands = {
        "abrir": lambda: StartContest(tender, number),
        "pausar": lambda: SuspendContest(
            tender, number, request.form.get("motivo", "").strip() or NO_REASON_GIVEN, house().clock.now()
        ),
        "retomar": lambda: ResumeContest(tender, number),
    }
    if act not in commands:
        abort(404)
    try:
        perform(commands[act]())
    except Refusal as refusal:
        flash(f"{refusal.reason} ({refusal.law})", "bad")
    return redirect(url_for("bidding.console", edital=edital))
