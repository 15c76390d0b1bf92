"""Where a tender stands, as a list of steps with their dates, for its page and for calendars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from tender.clock import day_of, remaining, short_day, short_when
from tender.edital.model import ENDED_EARLY, SUSPENSIONS, Status
from tender.edital.model.schedule import Dated
from tender.edital.model.terms import Terms

_ORDER = (Status.PUBLISHED, Status.JUDGING, Status.READY, Status.IN_SESSION, Status.JUDGED)
_BACK = {there: here for here, there in SUSPENSIONS.items()}


@dataclass(frozen=True, slots=True)
class Phase:
    """A step: what it is called, when, and whether it is `done`, `now` or still `todo`."""

    title: str
    text: str
    state: str


def phases(
    status: Status,
    terms: Terms,
    published_at: datetime | None,
    dated: Sequence[Dated],
    asked: tuple[int, int],
    now: datetime,
) -> list[Phase]:
    """The steps of a tender. `asked`: how many questions came and how many were answered."""
    stands = _BACK.get(status, status)
    over = status in ENDED_EARLY
    here = _ORDER.index(stands) if stands in _ORDER else len(_ORDER)
    until: Mapping[str, Dated] = {one.key: one for one in dated}

    def state(first: int, last: int) -> str:
        if over:
            return "todo"
        return "done" if here > last else "now" if here >= first else "todo"

    questions = until.get("impugnar_ate")
    asked_over = here > 2 or (questions is not None and day_of(now) > questions.day)
    asking = "todo" if over else "done" if asked_over else "now" if here == 0 else "todo"
    left = f" — {remaining(now, terms.applications_close_at)}" if stands is Status.PUBLISHED else ""
    appeal = until.get("razoes_ate")
    signing = until.get("pncp_ate")
    return [
        Phase("Edital publicado", short_when(published_at) if published_at else "", "todo" if over else "done"),
        Phase(
            "Perguntas e pedidos de mudança no edital",
            (f"até {short_day(questions.day)} · " if questions else "") + _counted(*asked),
            asking,
        ),
        Phase("Inscrição e envio de documentos", f"até {short_when(terms.applications_close_at)}{left}", state(0, 0)),
        Phase("Análise dos documentos", "pela comissão, depois das inscrições", state(1, 1)),
        Phase("Lista de habilitados", "publicada ao fim da análise", state(2, 2) if here != 2 else "done"),
        Phase("Disputa de lances ao vivo", short_when(terms.session_at), state(2, 3)),
        Phase(
            "Resultado e recurso",
            f"razões do recurso até {short_day(appeal.day)}" if appeal else "depois da disputa",
            state(4, 4),
        ),
        Phase(
            "Assinatura dos termos",
            f"publicados no PNCP até {short_day(signing.day)}" if signing else "depois dos recursos",
            "todo",
        ),
    ]


def _counted(came: int, answered: int) -> str:
    if not came:
        return "nenhuma recebida"
    return f"{came} recebida{'s' if came > 1 else ''}, {answered} respondida{'s' if answered != 1 else ''}"
