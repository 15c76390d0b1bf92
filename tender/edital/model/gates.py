"""The gates of publication and the warnings, evaluated: what is missing, which conflicts of law this draft meets.

Pure words about a draft: the rule refuses by them, the page shows by them, and both say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime

from tender.clock import day_of
from tender.edital.model.dossier import GATES, Choice, Dossier, Fault, Paper
from tender.edital.model.terms import Mode, Moment, PhaseOrder, Regime, Terms
from tender.law import MUN, Citation

PER_THOUSAND = 1000
CONCORRENCIA_DAYS = 15
"""Least business days between publication and session for the highest bid (Lei 14.133 art. 55, III)."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the gates must know beside terms and dossier.

    now: instant of the question; permits: in force now; decreed: stand code -> (decree, vehicles, is open);
    calendar_problem: why the calendar does not reach the edital's dates, or ""; earliest_session: first day on which
    the session may be, counted from the last publication in the edital's reading.
    """

    now: datetime
    permits: int
    decreed: Mapping[str, tuple[str, int, bool]]
    calendar_problem: str = ""
    earliest_session: date | None = None


def cap(population: int) -> int:
    """At most one taxi for each thousand inhabitants (art. 17): 8 999 -> 8, 9 000 -> 9."""
    return population // PER_THOUSAND


def numbered(decree: str) -> str:
    """The number of a decree: the register keeps "1/2027", editais print "Decreto 1/2027"."""
    return decree.removeprefix("Decreto ").strip()


def floor_mismatches(terms: Terms) -> list[Fault]:
    """Lots whose floor is not what the printed formula gives: flagged, since courts struck down such floors."""
    found = []
    for stand in terms.stands:
        if stand.formula is not None and stand.formula.amount != stand.floor:
            found.append(
                Fault(
                    "G-05",
                    MUN(3),
                    f"o lance mínimo do lote {stand.number} não é o que a fórmula impressa dá",
                    str(stand.floor),
                    str(stand.formula.amount),
                )
            )
    return found


def faults(terms: Terms, dossier: Dossier, around: Surroundings) -> list[Fault]:
    """Every closed gate with what is missing, in order of gate; empty when the edital may be published."""
    return [fault for check in _CHECKS.values() for fault in check(terms, dossier, around)]


def _paper(code: str) -> Callable[[Terms, Dossier, Surroundings], Iterator[Fault]]:
    gate = GATES[code]
    wanted = gate.paper
    assert wanted is not None, f"{code} asks for no paper"

    def check(terms: Terms, dossier: Dossier, around: Surroundings) -> Iterator[Fault]:
        if wanted is Paper.PHASE_ORDER and terms.switches.phase_order is PhaseOrder.BIDS_FIRST:
            return
        filed = dossier.papers.get(wanted)
        if filed is None:
            yield Fault(code, gate.law, f"falta juntar: {gate.asks}")
        elif wanted is Paper.JUSTIFICATION and filed.day >= day_of(around.now):
            yield Fault(
                code,
                gate.law,
                "o ato justificativo deve ser de dia anterior ao do edital",
                f"{filed.day:%d/%m/%Y}",
                f"antes de {day_of(around.now):%d/%m/%Y}",
            )

    return check


def _decrees(terms: Terms, dossier: Dossier, around: Surroundings) -> Iterator[Fault]:
    law = GATES["G-03"].law
    if not terms.stands:
        yield Fault("G-03", law, "o edital ainda não oferece ponto nenhum", "", "1 ponto ou mais")
    offered: dict[str, int] = {}
    for stand in terms.stands:
        found = around.decreed.get(stand.ponto)
        if found is None or not found[2]:
            yield Fault("G-03", law, f"o lote {stand.number} não aponta um ponto do registro", stand.ponto or "nenhum")
            continue
        offered[stand.ponto] = offered.get(stand.ponto, 0) + stand.places
        if numbered(found[0]) != numbered(stand.decree):
            yield Fault("G-03", law, f"o decreto do lote {stand.number} não é o do registro", stand.decree, found[0])
        if offered[stand.ponto] > found[1]:
            yield Fault(
                "G-03",
                law,
                f"o edital oferece mais vagas no ponto {stand.ponto} do que o decreto fixou",
                str(offered[stand.ponto]),
                f"até {found[1]}",
            )


def _cap(terms: Terms, dossier: Dossier, around: Surroundings) -> Iterator[Fault]:
    law = GATES["G-04"].law
    if terms.body.population <= 0 or not terms.body.population_year or not terms.body.population_source:
        yield Fault("G-04", law, "falta a população, com ano e fonte", step="municipio")
        return
    limit = cap(terms.body.population)
    total = around.permits + sum(stand.places for stand in terms.stands)
    if total > limit:
        yield Fault(
            "G-04",
            law,
            f"{around.permits} permissões em vigor e {total - around.permits} vagas oferecidas passam do teto",
            str(total),
            f"até {limit}",
        )


def _studies(terms: Terms, dossier: Dossier, around: Surroundings) -> Iterator[Fault]:
    for stand in terms.stands:
        if not stand.study_sha256:
            yield Fault("G-05", GATES["G-05"].law, f"falta o estudo do valor mínimo do lote {stand.number}")


def _choices(terms: Terms, dossier: Dossier, around: Surroundings) -> Iterator[Fault]:
    law = GATES["G-10"].law
    switches = terms.switches
    if switches.regime is not Regime.CONCORRENCIA and not terms.justification.strip():
        yield Fault("G-10", law, "regime diverso da concorrência pede justificativa escrita (S1)", step="regime")
    if switches.mode not in (Mode.OPEN, Mode.CLOSED_OPEN):
        yield Fault("G-10", law, "modo de disputa ainda não oferecido (S4)", switches.mode.value, "aberto", "regime")
    if not switches.tie_breaks:
        yield Fault("G-10", law, "falta a ordem de desempate (S5)", "", "disputa final e sorteio público", "disputa")
    if not terms.documents:
        yield Fault("G-10", law, "falta a lista de documentos, item por item", step="documentos")
    if not terms.items_reading.confirmed_by:
        unread = "falta alguém confirmar a que itens remete o art. 4º, § 2º, IX"
        yield Fault("G-10", MUN(4, 2, "IX"), unread, step="documentos")
    for warning in arising(terms):
        if warning.code not in dossier.decisions:
            yield Fault("G-10", warning.law, f"falta decidir o alerta {warning.code}", step=warning.step)


def _dates(terms: Terms, dossier: Dossier, around: Surroundings) -> Iterator[Fault]:
    law = GATES["G-11"].law
    if around.calendar_problem:
        yield Fault("G-11", law, around.calendar_problem)
    if not terms.calendar_version:
        yield Fault("G-11", law, "falta congelar o calendário do edital")
    if terms.counting.publication_business_days < CONCORRENCIA_DAYS:
        yield Fault(
            "G-11",
            law,
            "prazo de publicação menor que o da lei",
            str(terms.counting.publication_business_days),
            f"{CONCORRENCIA_DAYS} dias úteis ou mais",
        )
    earliest = around.earliest_session
    if earliest is not None and day_of(terms.session_at) < earliest:
        yield Fault(
            "G-11",
            law,
            "a sessão está cedo demais para a última publicação",
            f"{day_of(terms.session_at):%d/%m/%Y}",
            f"{earliest:%d/%m/%Y} ou depois",
        )


def _proofs(terms: Terms, dossier: Dossier, around: Surroundings) -> Iterator[Fault]:
    names = {"pncp": "no PNCP", "diario_oficial": "no diário oficial", "jornal": "em jornal de grande circulação"}
    for channel, name in names.items():
        if channel not in {one.value for one in dossier.proofs}:
            yield Fault("G-12", GATES["G-12"].law, f"falta a prova de publicação {name}")


STEP_OF_GATE: Mapping[str, str] = {"G-03": "pontos", "G-04": "pontos", "G-05": "pontos", "G-11": "datas", "G-12": ""}
"""Gate -> the step of the form that opens it, where the fault names none; "" is the page of publication itself."""


def step_of(fault: Fault) -> str:
    """The step of the form where a fault is mended; "" when it is the page of publication."""
    return fault.step or STEP_OF_GATE.get(fault.gate, "pecas")


_CHECKS: Mapping[str, Callable[[Terms, Dossier, Surroundings], Iterator[Fault]]] = {
    "G-01": _paper("G-01"),
    "G-02": _paper("G-02"),
    "G-03": _decrees,
    "G-04": _cap,
    "G-05": _studies,
    "G-06": _paper("G-06"),
    "G-07": _paper("G-07"),
    "G-08": _paper("G-08"),
    "G-09": _paper("G-09"),
    "G-10": _choices,
    "G-11": _dates,
    "G-12": _proofs,
}


# -- warnings: conflicts of law that this draft meets -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Conflict:
    """A conflict (rules.md § 7, `tender.readings`): its code and provision, and the step of the form where it shows."""

    code: str
    law: Citation
    step: str
    arises: Callable[[Terms], bool]


def _always(terms: Terms) -> bool:
    return True


def _asks(items: tuple[Citation, ...], moment: Moment) -> Callable[[Terms], bool]:
    return lambda terms: any(one.requirement in items and one.moment is moment for one in terms.documents)


_AT_ONCE = Moment.APPLICATION
WARNINGS: tuple[Conflict, ...] = (
    Conflict("W-01", MUN(3), "resultado", _always),
    Conflict("W-02", MUN(4, 1, "I"), "documentos", _asks((MUN(4, 1, "I"),), _AT_ONCE)),
    Conflict("W-03", MUN(4, 1, "II"), "documentos", _asks((MUN(4, 1, "II"),), _AT_ONCE)),
    Conflict("W-04", MUN(4, 1, "III"), "documentos", _asks((MUN(4, 1, "III"),), _AT_ONCE)),
    Conflict("W-05", MUN(4, 2, "II"), "documentos", _asks((MUN(4, 2, "II"),), _AT_ONCE)),
    Conflict("W-06", MUN(4, 2, "III"), "documentos", _asks((MUN(4, 2, "III"), MUN(4, 2, "IV")), _AT_ONCE)),
    Conflict("W-07", MUN(4, 2, "VII"), "documentos", _asks((MUN(4, 2, "VII"), MUN(4, 2, "VIII")), _AT_ONCE)),
    Conflict("W-08", MUN(4, 2, "IX"), "documentos", lambda terms: not terms.items_reading.confirmed_by),
    Conflict("W-09", MUN(9), "documentos", _always),
    Conflict("W-10", MUN(24, "único"), "documentos", _always),
    Conflict("W-11", MUN(8), "resultado", _always),
    Conflict("W-12", MUN(4, 3), "resultado", _always),
    Conflict("W-13", MUN(3), "regime", _always),
    Conflict("W-14", MUN(4, 3), "resultado", lambda terms: terms.switches.desistencia.value.startswith("sem_sancao")),
    Conflict("W-15", MUN(4, 3), "resultado", _always),
    Conflict("W-16", MUN(3, 1), "pontos", lambda terms: not any(stand.reserved_pcd for stand in terms.stands)),
    Conflict("W-17", MUN(17), "pontos", _always),
    Conflict("W-18", MUN(10), "pontos", lambda terms: any(not stand.ponto for stand in terms.stands)),
    Conflict("W-19", MUN(3, 2), "resultado", _always),
    Conflict("W-20", MUN(3), "pagamento", lambda terms: terms.payment.instalments > 1 and not terms.payment.index),
    Conflict("W-21", MUN(16), "documentos", _always),
    Conflict("W-22", MUN(2), "documentos", _always),
)


def arising(terms: Terms) -> list[Conflict]:
    """The warnings that this draft meets, in order."""
    return [warning for warning in WARNINGS if warning.arises(terms)]


def needs_opinion(choice: Choice, note: str) -> bool:
    """A decision by opinion names the opinion's number."""
    return choice is Choice.OPINION and not any(sign.isdigit() for sign in note)
