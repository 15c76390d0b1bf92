"""What an edital says: the ten switches, the lots with their floors, the bid rules, payment, documents, dates.

Every default is the one of the law or of the usual federal rule, and `fields.py` says for each why it matters and where
it comes from. Durations in seconds unless the name says otherwise; instants aware UTC; percentages in hundredths.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from tender.acts import EditalId, StandId
from tender.law import Citation
from tender.money import Money


class Regime(StrEnum):
    """S1: under which regime and modality. Mixing is forbidden (Lei 14.133 arts. 28 § 2º, 191)."""

    CONCORRENCIA = "14133_concorrencia_maior_oferta"
    LEILAO = "14133_leilao"
    PREGAO = "14133_pregao_invertido"
    CHAMAMENTO = "chamamento"


class PhaseOrder(StrEnum):
    """S2: documents before bids, as art. 4º has it, or bids first, as Lei 14.133 art. 17 has it."""

    HABILITATION_FIRST = "habilitacao_antes"
    BIDS_FIRST = "lances_antes"


class FiscalMoment(StrEnum):
    """S3: when tax certificates are asked for (Lei 14.133 art. 63, III)."""

    AWARDEE_ONLY = "so_vencedor_apos_julgamento"


class Mode(StrEnum):
    """S4: how the dispute runs (Lei 14.133 art. 56)."""

    OPEN = "aberto"
    CLOSED = "fechado"
    OPEN_CLOSED = "aberto_fechado"
    CLOSED_OPEN = "fechado_aberto"


class TieBreak(StrEnum):
    """S5: a step that tells equal proposals apart; the last one is a public draw with a seed committed before."""

    FINAL_DISPUTE = "disputa_final"
    PAST_PERFORMANCE = "desempenho_anterior"
    EQUALITY = "acoes_de_equidade"
    INTEGRITY = "programa_de_integridade"
    PUBLIC_DRAW = "sorteio_publico"


class RunnerUpPrice(StrEnum):
    """S6: what the runner-up pays, own offer (art. 4º § 3º) or first the winner's (Lei 14.133 art. 90 § 2º)."""

    OWN = "preco_proprio"
    AWARDEE_FIRST = "preco_do_vencedor_depois_proprio"


class DesistenciaEffect(StrEnum):
    """S7: what a desistência leads to; by itself it neither sanctions nor absolves (Lei 14.133 art. 155)."""

    NONE_AT_ONCE = "sem_sancao_se_no_ato"
    PROCEEDING = "processo_sancionador"
    GUARANTEE = "perda_garantia"


class SeveralWon(StrEnum):
    """S8: who wins more than the limit keeps which."""

    OWN_CHOICE = "opcao_do_licitante"
    STAND_ORDER = "ordem_dos_pontos"
    HIGHEST_VALUE = "maior_valor"


class Silence(StrEnum):
    """What the silence of a called bidder means (Lei 14.133 art. 90)."""

    CALLS_NEXT = "chama_o_proximo"
    PROCEEDING = "chama_o_proximo_e_apura"


class Anchor(StrEnum):
    """From where the extension counts: the bid's instant, or the end of the running period (rules.md § 3)."""

    BID = "instante_do_lance"
    PERIOD = "fim_do_periodo"


class EqualBids(StrEnum):
    """Equal bids are refused, or taken as intermediate (Lei 14.133 art. 56 § 3º, I)."""

    REFUSED = "recusar"
    INTERMEDIATE = "aceitar_como_intermediario"


class HourOfDeadline(StrEnum):
    """Until which hour an act is in time: the end of the day (Lei 14.129 art. 8º) or of the expediente."""

    END_OF_DAY = "23h59"
    EXPEDIENTE_END = "fim_do_expediente"


class Moment(StrEnum):
    """When a document is asked for (W-03, W-05, W-06, W-07)."""

    APPLICATION = "inscricao"
    AWARDEE = "so_vencedor"
    ALVARA = "alvara"


@dataclass(frozen=True, slots=True)
class FloorFormula:
    """How a floor was computed, as the study prints it: quantity in hundredths of `unit`, times a price for each."""

    quantity_hundredths: int
    unit: str
    unit_price: Money

    @property
    def amount(self) -> Money:
        """Quantity times price, to the centavo, half up."""
        return Money((self.quantity_hundredths * self.unit_price.centavos + 50) // 100)


@dataclass(frozen=True, slots=True)
class Stand:
    """A lot: one place of a ponto of the decree, one individual permission (art. 3º § 1º).

    `number` is the lot's within the edital; `place` tells the vagas of one ponto apart; `floor` is the minimum;
    `study_sha256` names the value study (S10); `reserved_pcd`: for a driver with a disability (S9).
    """

    number: StandId
    name: str
    address: str
    places: int
    floor: Money
    decree: str
    ponto: str = ""
    place: int = 1
    formula: FloorFormula | None = None
    study_sha256: str = ""
    reserved_pcd: bool = False


@dataclass(frozen=True, slots=True)
class Switches:
    """S1–S9; S10 is each lot's floor with its study."""

    regime: Regime = Regime.CONCORRENCIA
    phase_order: PhaseOrder = PhaseOrder.HABILITATION_FIRST
    fiscal_moment: FiscalMoment = FiscalMoment.AWARDEE_ONLY
    mode: Mode = Mode.OPEN
    tie_breaks: tuple[TieBreak, ...] = (TieBreak.FINAL_DISPUTE, TieBreak.PUBLIC_DRAW)
    desistencia: DesistenciaEffect = DesistenciaEffect.NONE_AT_ONCE
    permits_per_bidder: int = 1  # 0 = no limit
    several_won: SeveralWon = SeveralWon.OWN_CHOICE
    pcd_reserve: int = 0
    pcd_unfilled: str = "passa aos demais"


@dataclass(frozen=True, slots=True)
class BidRules:
    """What rules the dispute beside step, open stage, window, undo and anchor, which stand in `Terms`."""

    step_percent_hundredths: int = 0  # 0 = the step is in reais
    equal_bids: EqualBids = EqualBids.REFUSED
    intermediate_bids_extend: bool = True
    leader_may_raise: bool = False
    exclusion_allowed: bool = True
    hard_stop_at: datetime | None = None
    restart_5_percent: bool = False
    guard_times_hundredths: int = 150  # typed amounts from 1,5 × the best are confirmed twice
    ceiling: Money | None = None  # above it a bid is refused
    pause_when_dropped_percent: int = 0  # 0 = a mass drop alerts, and never pauses by itself
    absent_minutes: int = 10
    resume_notice_hours: int = 24


@dataclass(frozen=True, slots=True)
class Payment:
    """How the price is paid: cash or instalments; the residue of a division is in the last one."""

    instalments: int = 1
    first_due_days: int = 10
    index: str = ""
    fine_percent_hundredths: int = 200
    residue: str = "na última parcela"


@dataclass(frozen=True, slots=True)
class DocumentAsked:
    """A line of the list of documents: the requirement, who proves it, when, and what the edital adds to it."""

    requirement: Citation
    applicant: str  # "pessoa física" | "pessoa jurídica"
    moment: Moment
    text: str


@dataclass(frozen=True, slots=True)
class Counting:
    """How days are counted: the two readings, the hour of deadlines, the days between publication and session."""

    start: str = "R2"
    before: str = "B1"
    hour: HourOfDeadline = HourOfDeadline.END_OF_DAY
    publication_business_days: int = 15


@dataclass(frozen=True, slots=True)
class Body:
    """The municipality as frozen with the edital: art. 17 counts this population."""

    name: str = ""
    cnpj: str = ""
    population: int = 0
    population_year: int = 0
    population_source: str = ""
    comarca: str = ""
    expediente: str = ""


@dataclass(frozen=True, slots=True)
class ItemsReading:
    """Art. 4º § 2º IX: which items of § 1º a company proves, confirmed by a named office holder on a day."""

    items: tuple[str, ...] = ("I", "III")
    confirmed_by: str = ""
    confirmed_on: date | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class Terms:
    """What the edital says. Durations in seconds; instants aware UTC; `step` is the minimum raise."""

    edital: EditalId
    title: str
    process_number: str
    applications_open_at: datetime
    applications_close_at: datetime
    session_at: datetime
    stands: tuple[Stand, ...]
    step: Money
    open_stage_seconds: int = 600
    window_seconds: int = 120
    withdraw_seconds: int = 15
    anchor: Anchor = Anchor.BID
    whole_reais: bool = True
    runner_up_price: RunnerUpPrice = RunnerUpPrice.OWN
    call_hours: int = 48
    term_years: int = 4
    calendar_version: str = ""
    switches: Switches = Switches()
    bid_rules: BidRules = BidRules()
    payment: Payment = Payment()
    counting: Counting = Counting()
    body: Body = Body()
    documents: tuple[DocumentAsked, ...] = ()
    items_reading: ItemsReading = ItemsReading()
    silence: Silence = Silence.CALLS_NEXT
    proposal_days: int = 60
    retention_years: int = 5
    justification: str = ""
