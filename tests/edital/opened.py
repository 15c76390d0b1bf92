"""The facts that open every gate for some terms, and what the gates must know beside them: to be spoiled one by one."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from tender.edital.model import Terms
from tender.edital.model.dossier import (
    Channel,
    Choice,
    Decision,
    Dossier,
    FiledPaper,
    Paper,
    PaperFiled,
    Proof,
    ProofRecorded,
    WarningDecided,
)
from tender.edital.model.gates import Surroundings, arising, numbered
from tests.town import DAY, SESSION_AT

NOW = datetime(2027, 2, 2, 15, 0, tzinfo=UTC)
TODAY = date(2027, 2, 2)
assert SESSION_AT - NOW > 30 * DAY


def facts_of(terms: Terms) -> tuple[Any, ...]:
    """Papers filed the day before, every warning decided, the edital published today in all three places."""
    before = TODAY - timedelta(days=1)
    papers = [PaperFiled(FiledPaper(paper, "12/2027", before)) for paper in Paper]
    decided = [WarningDecided(Decision(one.code, Choice.KEEPS, "", "marta")) for one in arising(terms)]
    proofs = [ProofRecorded(Proof(channel, "1", TODAY), TODAY) for channel in Channel]
    return (*papers, *decided, *proofs)


def dossier_of(terms: Terms) -> Dossier:
    """The dossier after those facts."""
    dossier = Dossier()
    for happened in facts_of(terms):
        dossier = dossier.after(happened)
    return dossier


def around(terms: Terms, **changes: Any) -> Surroundings:
    """A register that holds the terms' pontos, no permits, a calendar that reaches far enough."""
    places: dict[str, int] = {}
    for one in terms.stands:
        places[one.ponto] = places.get(one.ponto, 0) + one.places
    decreed = {one.ponto: (numbered(one.decree), places[one.ponto], True) for one in terms.stands}
    known = {"now": NOW, "permits": 0, "decreed": decreed, "earliest_session": date(2027, 3, 2), **changes}
    return Surroundings(**known)
