"""The gates of publication: each closes by its name alone, any of them refuses, and nothing else opens them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given as any_given
from hypothesis import settings
from hypothesis import strategies as st

from tender.acts import Refusal, Role, StandId, Turn
from tender.edital.model import Edital, EditalPublished, PublishEdital, Status, Terms
from tender.edital.model.documents import OFFERED
from tender.edital.model.dossier import GATES, Channel, Choice, Dossier, Paper
from tender.edital.model.gates import WARNINGS, arising, cap, faults, floor_mismatches, needs_opinion, numbered, step_of
from tender.edital.model.terms import (
    FloorFormula,
    Mode,
    Moment,
    PhaseOrder,
    Regime,
    Stand,
    Switches,
)
from tender.edital.rules.gates import publish_edital
from tender.money import Money
from tender.readings import READINGS
from tests.edital.opened import NOW, TODAY, around, dossier_of
from tests.town import EDITAL, terms_of

TERMS = terms_of(stands=2)
HASH = "a" * 64


def without(dossier: Dossier, paper: Paper) -> Dossier:
    return replace(dossier, papers={key: one for key, one in dossier.papers.items() if key is not paper})


def undecided(dossier: Dossier) -> Dossier:
    return replace(dossier, decisions={})


def unproved(dossier: Dossier) -> Dossier:
    return replace(dossier, proofs={key: one for key, one in dossier.proofs.items() if key is not Channel.PNCP})


def unstudied(terms: Terms) -> Terms:
    return replace(terms, stands=tuple(replace(one, study_sha256="") for one in terms.stands))


SPOILT_PAPERS: dict[str, Callable[[Dossier], Dossier]] = {
    code: (lambda dossier, paper=gate.paper: without(dossier, paper))  # type: ignore[misc]
    for code, gate in GATES.items()
    if gate.paper is not None
}
SPOILT: dict[str, Callable[[Terms, Dossier, Any], tuple[Terms, Dossier, Any]]] = {
    **{
        code: (lambda terms, dossier, known, spoil=spoil: (terms, spoil(dossier), known))  # type: ignore[misc]
        for code, spoil in SPOILT_PAPERS.items()
    },
    "G-03": lambda terms, dossier, known: (terms, dossier, replace(known, decreed={})),
    "G-04": lambda terms, dossier, known: (terms, dossier, replace(known, permits=10**6)),
    "G-05": lambda terms, dossier, known: (unstudied(terms), dossier, known),
    "G-10": lambda terms, dossier, known: (terms, undecided(dossier), known),
    "G-11": lambda terms, dossier, known: (terms, dossier, replace(known, calendar_problem="o calendário acaba antes")),
    "G-12": lambda terms, dossier, known: (terms, unproved(dossier), known),
}


def publish(terms: Terms, dossier: Dossier, known: Any) -> Any:
    state = Edital(EDITAL, Status.DRAFT, terms, "marta", dossier=dossier)
    turn = Turn(NOW, "dirce", Role.MAYOR, ("dirce",), {"terms_sha256": HASH, "surroundings": known})
    return publish_edital(state, PublishEdital(EDITAL, HASH), turn)


def test_there_is_a_way_to_close_each_gate() -> None:
    assert set(SPOILT) == set(GATES)
    assert list(GATES) == [f"G-{n:02}" for n in range(1, 13)]


@settings(max_examples=300)
@any_given(st.sets(st.sampled_from(sorted(GATES))))
def test_whatever_gates_are_closed_those_and_no_others_are_named_and_any_refuses(closed: set[str]) -> None:
    terms, dossier, known = TERMS, dossier_of(TERMS), around(TERMS)
    for code in sorted(closed):
        terms, dossier, known = SPOILT[code](terms, dossier, known)
    assert {fault.gate for fault in faults(terms, dossier, known)} == closed
    if not closed:
        assert publish(terms, dossier, known) == [EditalPublished(terms, HASH)]
        return
    with pytest.raises(Refusal) as refused:
        publish(terms, dossier, known)
    first = min(closed)
    assert (refused.value.code, refused.value.field) == (first.lower(), first)
    assert refused.value.reason.startswith(f"{first}: ")


def missing(terms: Terms, dossier: Dossier | None = None, **known: Any) -> list[tuple[str, str, str]]:
    found = faults(terms, dossier or dossier_of(terms), around(terms, **known))
    return [(fault.gate, fault.got, fault.passes) for fault in found]


def with_body(population: int, **more: Any) -> Terms:
    return replace(TERMS, body=replace(TERMS.body, population=population, **more))


@pytest.mark.parametrize(("population", "limit"), [(999, 0), (1_000, 1), (8_999, 8), (9_000, 9)])
def test_a_thousand_inhabitants_carry_one_taxi(population: int, limit: int) -> None:
    assert cap(population) == limit


def test_permits_in_force_count_under_the_cap_on_both_sides_of_the_edge() -> None:
    assert missing(with_body(9_000), permits=7) == []
    assert missing(with_body(8_999), permits=7) == [("G-04", "9", "até 8")]
    assert missing(with_body(9_000), permits=8) == [("G-04", "10", "até 9")]
    for nothing in ({"population_year": 0}, {"population_source": ""}):
        assert [gate for gate, _, _ in missing(with_body(9_000, **nothing))] == ["G-04"]


def test_an_act_of_justification_of_the_same_day_is_too_late() -> None:
    dossier = dossier_of(TERMS)
    act = dossier.papers[Paper.JUSTIFICATION]
    same_day = replace(dossier, papers={**dossier.papers, act.paper: replace(act, day=TODAY)})
    assert missing(TERMS, same_day) == [("G-01", "02/02/2027", "antes de 02/02/2027")]
    day_before = replace(dossier, papers={**dossier.papers, act.paper: replace(act, day=TODAY - timedelta(days=1))})
    assert missing(TERMS, day_before) == []


def test_each_stand_points_to_an_open_ponto_its_decree_and_no_more_places_than_it_has() -> None:
    one = TERMS.stands[0]
    twice = (one, replace(one, number=StandId(7), place=2))
    terms = replace(TERMS, stands=twice)
    known = {one.ponto: ("1/2027", 2, True)}
    assert missing(terms, decreed=known) == []
    assert missing(terms, decreed={one.ponto: ("1/2027", 1, True)}) == [("G-03", "2", "até 1")]
    assert {gate for gate, _, _ in missing(terms, decreed={one.ponto: ("1/2027", 2, False)})} == {"G-03"}
    other = missing(terms, decreed={one.ponto: ("9/2027", 2, True)})
    assert other == [("G-03", "Decreto 1/2027", "9/2027")] * 2
    assert numbered("Decreto 1/2027") == numbered("1/2027")


def test_an_edital_without_a_stand_is_not_published() -> None:
    assert ("G-03", "", "1 ponto ou mais") in missing(replace(TERMS, stands=()))


def test_bids_first_need_no_act_that_inverts_the_phases() -> None:
    inverted = without(dossier_of(TERMS), Paper.PHASE_ORDER)
    assert [gate for gate, _, _ in missing(TERMS, inverted)] == ["G-07"]
    assert missing(replace(TERMS, switches=Switches(phase_order=PhaseOrder.BIDS_FIRST)), inverted) == []


@pytest.mark.parametrize(
    ("switches", "step"),
    [
        (Switches(regime=Regime.LEILAO), "regime"),
        (Switches(mode=Mode.CLOSED), "regime"),
        (Switches(mode=Mode.OPEN_CLOSED), "regime"),
        (Switches(tie_breaks=()), "disputa"),
    ],
)
def test_a_choice_that_is_not_made_or_not_offered_closes_g_10_at_its_step(switches: Switches, step: str) -> None:
    terms = replace(TERMS, switches=switches)
    (fault,) = faults(terms, dossier_of(terms), around(terms))
    assert (fault.gate, step_of(fault)) == ("G-10", step)


def test_another_regime_passes_with_a_written_justification() -> None:
    terms = replace(TERMS, switches=Switches(regime=Regime.PREGAO))
    assert missing(replace(terms, justification="Parecer nº 12/2027.")) == []


def test_the_session_is_not_before_the_days_of_publicity_are_over() -> None:
    on_the_day = date(2027, 3, 5)
    assert missing(TERMS, earliest_session=on_the_day) == []
    late = missing(TERMS, earliest_session=on_the_day + timedelta(days=1))
    assert late == [("G-11", "05/03/2027", "06/03/2027 ou depois")]


def test_fourteen_days_of_publicity_are_too_few() -> None:
    counting = replace(TERMS.counting, publication_business_days=14)
    assert missing(replace(TERMS, counting=counting)) == [("G-11", "14", "15 dias úteis ou mais")]


def test_a_floor_that_its_formula_does_not_give_is_flagged_and_not_refused() -> None:
    area = FloorFormula(3848, "m²", Money.reais(850))
    assert area.amount == Money.reais(32_708)
    terms = replace(TERMS, stands=(replace(TERMS.stands[0], formula=area, floor=Money(3_829_250)), TERMS.stands[1]))
    (flag,) = floor_mismatches(terms)
    assert (flag.gate, flag.passes) == ("G-05", str(Money.reais(32_708)))
    assert missing(terms) == []
    right = replace(TERMS, stands=(replace(TERMS.stands[0], formula=area, floor=area.amount),))
    assert floor_mismatches(right) == []


# -- warnings ---------------------------------------------------------------------------------------------------------


def test_every_warning_is_a_reading_and_has_a_step_of_the_form() -> None:
    steps = {"regime", "pontos", "disputa", "documentos", "pagamento", "resultado", "datas", "municipio", "pecas"}
    for one in WARNINGS:
        assert one.code in READINGS
        assert one.step in steps


def codes(terms: Terms) -> set[str]:
    return {one.code for one in arising(terms)}


@pytest.mark.parametrize("offered", [one for one in OFFERED if one.warning not in ("", "W-08", "W-09")])
def test_asking_of_everybody_what_only_the_one_who_won_must_show_raises_its_warning(offered: Any) -> None:
    asked = tuple(
        one for one in TERMS.documents if (one.requirement, one.applicant) == (offered.requirement, offered.applicant)
    )
    assert len(asked) == 1
    assert offered.warning in codes(replace(TERMS, documents=(replace(asked[0], moment=Moment.APPLICATION),)))
    assert offered.warning not in codes(replace(TERMS, documents=(replace(asked[0], moment=Moment.AWARDEE),)))


def test_a_reserve_an_index_and_a_confirmed_item_take_their_warnings_away() -> None:
    reserved: tuple[Stand, ...] = (replace(TERMS.stands[0], reserved_pcd=True),)
    assert "W-16" in codes(TERMS)
    assert "W-16" not in codes(replace(TERMS, stands=reserved))
    parts = replace(TERMS.payment, instalments=10)
    assert "W-20" in codes(replace(TERMS, payment=parts))
    assert "W-20" not in codes(replace(TERMS, payment=replace(parts, index="IPCA")))
    assert "W-08" not in codes(TERMS)
    assert "W-08" in codes(replace(TERMS, items_reading=replace(TERMS.items_reading, confirmed_by="")))


def test_a_decision_by_opinion_names_its_number() -> None:
    assert needs_opinion(Choice.OPINION, "o parecer")
    assert not needs_opinion(Choice.OPINION, "parecer nº 3")
    assert not needs_opinion(Choice.KEEPS, "")
