"""The edital in words: sections of clauses, facts and tables that the page and the PDF both print, word for word.

Every value is text already: money "R$ 9.500,00", instants with weekday, day and hour of Brasília. What is printed in
one place and not in the other cannot exist, since there is one list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from tender.clock import long_day, long_when
from tender.edital.model.dossier import Dossier, FiledPaper, Paper
from tender.edital.model.schedule import Dated
from tender.edital.model.terms import (
    Anchor,
    DesistenciaEffect,
    EqualBids,
    Moment,
    PhaseOrder,
    Regime,
    RunnerUpPrice,
    SeveralWon,
    Silence,
    Stand,
    Terms,
)
from tender.law import IN73, L8987, L14133, MUN, Citation
from tender.money import brl

LGPD_KEPT = L14133(13)

REGIMES = {
    Regime.CONCORRENCIA: "concorrência, pelo maior valor oferecido",
    Regime.LEILAO: "leilão, pelo maior lance",
    Regime.PREGAO: "pregão adaptado ao maior valor",
    Regime.CHAMAMENTO: "chamamento público",
}
MOMENTS = {
    Moment.APPLICATION: "na inscrição",
    Moment.AWARDEE: "só de quem vencer",
    Moment.ALVARA: "para o alvará",
}
PRICES = {
    RunnerUpPrice.OWN: "pelo valor do próprio lance",
    RunnerUpPrice.AWARDEE_FIRST: "primeiro pelo valor do vencedor e, se ninguém aceitar, pelo valor do próprio lance",
}
DESISTENCIAS = {
    DesistenciaEffect.NONE_AT_ONCE: "Quem desiste no ato não sofre sanção só por isso.",
    DesistenciaEffect.PROCEEDING: "A desistência é apurada em processo, com defesa.",
    DesistenciaEffect.GUARANTEE: "Quem desiste perde a garantia da proposta.",
}
SEVERAL = {
    SeveralWon.OWN_CHOICE: "quem vencer em mais de um escolhe com qual fica",
    SeveralWon.STAND_ORDER: "vale o ponto de menor número",
    SeveralWon.HIGHEST_VALUE: "vale o ponto de maior valor",
}


@dataclass(frozen=True, slots=True)
class Clause:
    """A numbered sentence with the articles that it rests on."""

    text: str
    law: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the edital; `key` is its anchor on the page. What is empty is not printed."""

    key: str
    title: str
    facts: tuple[tuple[str, str], ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    clauses: tuple[Clause, ...] = ()


def statement(terms: Terms, published_at: datetime | None, dated: Sequence[Dated]) -> tuple[Section, ...]:
    """The whole edital. `dated`: its dates (`schedule.dates`), empty when the calendar does not reach them."""
    return (
        _object(terms, published_at),
        _stands(terms),
        _dates(terms, dated),
        _applicants(terms),
        _contest(terms),
        _result(terms),
        _payment(terms),
        _objections(),
    )


def notice(terms: Terms, published_at: datetime | None, dated: Sequence[Dated], address: str) -> tuple[Section, ...]:
    """The extract (aviso) for gazette and newspaper: what, when, where to read the rest (Lei 14.133 art. 54)."""
    whole = _object(terms, published_at)
    until = [(one.label, long_day(one.day)) for one in dated if one.key == "impugnar_ate"]
    facts = (*whole.facts, *until, ("Edital completo, sem cadastro", address))
    return (Section(whole.key, whole.title, facts, clauses=whole.clauses), _stands(terms))


def justification(terms: Terms, dossier: Dossier) -> tuple[Section, ...]:
    """The act that justifies the permits, published before the edital (Lei 8.987 art. 5º)."""
    filed: FiledPaper | None = dossier.papers.get(Paper.JUSTIFICATION)
    act: tuple[tuple[str, str], ...] = (("Ato", filed.number), ("Data", long_day(filed.day))) if filed else ()
    if filed and filed.sha256:
        act += (("SHA-256 do documento juntado", filed.sha256),)
    why = Clause(terms.justification or "O texto do ato está no documento juntado ao processo.", (L8987(5),))
    object_, area, term = (
        Clause(f"Objeto: {len(terms.stands)} {_permits(len(terms.stands))} de estacionamento de táxi.", (MUN(3),)),
        Clause(
            "Área: os pontos fixados por decreto: " + "; ".join(_named(one) for one in terms.stands) + ".", (MUN(10),)
        ),
        Clause(f"Prazo: {terms.term_years} anos.", (MUN(3, 2),)),
    )
    return (Section("justificativa", "Conveniência da outorga", act, clauses=(why, object_, area, term)),)


# -- parts -------------------------------------------------------------------------------------------------------------


def _permits(count: int) -> str:
    return "permissão" if count == 1 else "permissões"


def _named(one: Stand) -> str:
    return f"Ponto {one.number}, {one.name}"


def _object(terms: Terms, published_at: datetime | None) -> Section:
    count = len(terms.stands)
    facts = [("Edital", terms.edital.replace("-", "/")), ("Processo", terms.process_number)]
    facts.append(("Modalidade e critério", REGIMES[terms.switches.regime]))
    if published_at is not None:
        facts.append(("Publicado", long_when(published_at)))
    facts += [
        ("Inscrições a partir de", long_when(terms.applications_open_at)),
        ("Inscrições até", long_when(terms.applications_close_at)),
        ("Sessão pública", long_when(terms.session_at)),
    ]
    clauses = (
        Clause(
            f"A Prefeitura outorga {count} {_permits(count)} de estacionamento de táxi, uma em cada disputa. "
            "Em cada ponto vence quem tiver os documentos em ordem e oferecer o maior valor.",
            (MUN(3), MUN(3, 1), MUN(4)),
        ),
    )
    return Section("objeto", "O que se oferece", tuple(facts), clauses=clauses)


def _stands(terms: Terms) -> Section:
    rows = tuple(
        (str(one.number), one.name, one.address, str(one.places), brl(one.floor), one.decree) for one in terms.stands
    )
    clauses = [Clause(_formula(one), (MUN(3),)) for one in terms.stands if one.formula is not None]
    reserved = [_named(one) for one in terms.stands if one.reserved_pcd]
    if reserved:
        clauses.append(Clause(f"Reservado a motorista com deficiência: {'; '.join(reserved)}.", (MUN(3, 1),)))
    header = ("Ponto", "Nome", "Endereço", "Vagas", "Lance mínimo", "Decreto")
    return Section("pontos", "Pontos oferecidos", header=header, rows=rows, clauses=tuple(clauses))


def _formula(one: Stand) -> str:
    made = one.formula
    assert made is not None, "only a floor with its formula"
    return f"{_named(one)}: {formula_text(one)} = {brl(made.amount)}."


def formula_text(one: Stand) -> str:
    """The formula of a floor as printed: "12,50 m² × R$ 300,00"; "" when the edital names none."""
    if one.formula is None:
        return ""
    whole, rest = divmod(one.formula.quantity_hundredths, 100)
    quantity = f"{whole}" + (f",{rest:02}" if rest else "")
    return f"{quantity} {one.formula.unit} × {brl(one.formula.unit_price)}"


def _dates(terms: Terms, dated: Sequence[Dated]) -> Section:
    rows = [(one.label, long_day(one.day), f"{one.other_reading}: {long_day(one.other_day)}") for one in dated]
    chosen = f"{terms.counting.start} para a frente e {terms.counting.before} para trás"
    hour = {"23h59": "às 23h59", "fim_do_expediente": "ao fim do expediente"}[terms.counting.hour.value]
    clauses = (
        Clause(
            f"Os prazos contam dias úteis da Prefeitura, na leitura {chosen}. Cada prazo termina {hour}, "
            "horário de Brasília. A coluna da direita mostra o dia que a outra leitura daria, e que não vale aqui.",
            (L14133(183), L14133(164)),
        ),
        Clause(
            f"Da última publicação até a sessão correm ao menos {terms.counting.publication_business_days} dias úteis.",
            (L14133(55, None, "III"),),
        ),
    )
    header = ("Prazo", "Vale", "Na outra leitura") if rows else ()
    return Section("datas", "Datas e prazos", header=header, rows=tuple(rows), clauses=clauses)


def _applicants(terms: Terms) -> Section:
    clauses = [
        Clause(
            "Podem participar o motorista autônomo e a empresa que provem o que a lei exige.", (MUN(4, 1), MUN(4, 2))
        ),
        Clause("Não pode participar quem teve permissão revogada.", (MUN(24, "único"),)),
        Clause("Não participa quem trabalha na licitação, nem seus parentes próximos.", (L14133(9, 1),)),
        Clause(_order(terms), (L14133(17, 1),)),
    ]
    rows = tuple((one.requirement.short, one.applicant, one.text, MOMENTS[one.moment]) for one in terms.documents)
    header = ("Lei 724/2008", "De quem", "Documento", "Quando") if rows else ()
    return Section(
        "quem", "Quem pode participar e com que documentos", header=header, rows=rows, clauses=tuple(clauses)
    )


def _order(terms: Terms) -> str:
    if terms.switches.phase_order is PhaseOrder.HABILITATION_FIRST:
        return "A comissão confere os documentos antes dos lances: só dá lance quem está habilitado."
    return "Os lances vêm antes: a comissão confere os documentos de quem ficou na frente."


def duration(seconds: int) -> str:
    """Seconds as people say them: "10 minutos", "1 minuto e 30 segundos"."""
    minutes, rest = divmod(seconds, 60)
    parts = [f"{minutes} {'minuto' if minutes == 1 else 'minutos'}"] if minutes else []
    if rest or not parts:
        parts.append(f"{rest} {'segundo' if rest == 1 else 'segundos'}")
    return " e ".join(parts)


def step_text(terms: Terms) -> str:
    """The least raise: an amount, or a percentage of the best bid."""
    hundredths = terms.bid_rules.step_percent_hundredths
    return f"{hundredths // 100},{hundredths % 100:02} % do maior lance" if hundredths else brl(terms.step)


def _contest(terms: Terms) -> Section:
    return Section("disputa", "Regras da disputa", clauses=tuple(_contest_clauses(terms)))


def _contest_clauses(terms: Terms) -> Iterator[Clause]:
    rules, window = terms.bid_rules, duration(terms.window_seconds)
    yield Clause("Em cada ponto vence o maior valor entre os habilitados.", (MUN(4),))
    yield Clause(f"A disputa de cada ponto começa com {duration(terms.open_stage_seconds)}.", (L14133(56),))
    since = "o instante do lance" if terms.anchor is Anchor.BID else "o fim do período em curso"
    if terms.window_seconds:
        text = f"Lance nos últimos {window} prorroga a disputa por {window}, contados desde {since}."
        yield Clause(text, (L14133(56),))
    yield Clause(f"Cada lance supera o maior em pelo menos {step_text(terms)}.", (L14133(57),))
    if terms.whole_reais:
        yield Clause("Os lances são em reais inteiros.", (L14133(56),))
    equal = {
        EqualBids.REFUSED: "Lance igual a um já registrado não é aceito.",
        EqualBids.INTERMEDIATE: "Lance igual ou menor que o maior vale como lance intermediário.",
    }
    yield Clause(equal[rules.equal_bids], (L14133(56, 3),))
    if rules.ceiling is not None:
        yield Clause(f"Lance acima de {brl(rules.ceiling)} não é aceito.", (L14133(59),))
    if rules.hard_stop_at is not None:
        yield Clause(f"A disputa termina, no mais tardar, {long_when(rules.hard_stop_at)}.", (L14133(56),))
    if terms.withdraw_seconds:
        text = f"Cada licitante pode cancelar um lance por ponto, em até {duration(terms.withdraw_seconds)}."
        yield Clause(text, (IN73(21, 3),))
    yield Clause(
        f"Se o sistema cair por mais de {rules.absent_minutes} minutos, a disputa para e volta com aviso de "
        f"{rules.resume_notice_hours} horas. A queda da internet de um licitante não para a disputa.",
        (L14133(183, 2),),
    )
    yield Clause("Durante a disputa ninguém vê nomes: cada um aparece como “Licitante” e um número.", (L14133(13),))


def _result(terms: Terms) -> Section:
    limit = terms.switches.permits_per_bidder
    clauses = [
        Clause(f"Quem oferecer o maior valor é chamado e tem {terms.call_hours} horas para responder.", (L14133(90),)),
        Clause(
            "Quem não tiver mais interesse assina o Termo de Desistência, e o segundo colocado é chamado "
            f"{PRICES[terms.runner_up_price]}.",
            (MUN(4, 3),),
        ),
        Clause(DESISTENCIAS[terms.switches.desistencia], (L14133(155),)),
        Clause(_silence(terms.silence), (L14133(90),)),
        Clause(f"A proposta obriga por {terms.proposal_days} dias.", (L14133(90, 3),)),
    ]
    if limit:
        many = f"Cada participante fica com até {limit} {_permits(limit)}; {SEVERAL[terms.switches.several_won]}."
        clauses.append(Clause(many, (MUN(3, 1), MUN(5))))
    return Section("resultado", "Resultado e convocação", clauses=tuple(clauses))


def _silence(silence: Silence) -> str:
    if silence is Silence.CALLS_NEXT:
        return "Quem não responde no prazo perde a vez, e o próximo é chamado."
    return "Quem não responde no prazo perde a vez, o próximo é chamado e a falta é apurada em processo, com defesa."


def _payment(terms: Terms) -> Section:
    pay = terms.payment
    how = "à vista" if pay.instalments == 1 else f"em até {pay.instalments} parcelas"
    text = f"O valor é pago {how}; o primeiro vencimento é {pay.first_due_days} dias depois da assinatura."
    if pay.instalments > 1:
        text += f" A sobra da divisão fica {pay.residue}." + (
            f" As parcelas são corrigidas pelo {pay.index}." if pay.index else ""
        )
    clauses = (
        Clause(text, (L14133(92, None, "V"),)),
        Clause(f"A permissão vale {terms.term_years} anos.", (MUN(3, 2),)),
        Clause("O alvará de condutor e as exigências do veículo são provados depois da assinatura.", (MUN(9), MUN(16))),
    )
    return Section("permissao", "Pagamento e permissão", clauses=clauses)


def _objections() -> Section:
    clauses = (
        Clause("Qualquer pessoa pode perguntar ou impugnar o edital pela internet, sem cadastro.", (L14133(164),)),
        Clause("A resposta sai em até 3 dias úteis e antes da sessão, e é publicada.", (L14133(164, "único"),)),
        Clause("Mudança que afeta as propostas é publicada de novo e os prazos recomeçam.", (L14133(55, 1),)),
        Clause(
            "Quem quer recorrer avisa na hora em que a decisão é publicada e tem 3 dias úteis para as razões.",
            (L14133(165, None, "I"), L14133(165, 1, "I")),
        ),
        Clause("Dados pessoais são usados só para esta licitação; o CPF aparece mascarado.", (LGPD_KEPT,)),
    )
    return Section("duvidas", "Perguntas, impugnações, recursos e dados pessoais", clauses=clauses)
