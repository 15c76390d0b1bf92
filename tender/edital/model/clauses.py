"""The rows of the table of fields (`fields.py`), in the order of the form: labels and reasons in Portuguese."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tender.edital.model.fields import Field, Kind, Step
from tender.edital.model.terms import (
    DesistenciaEffect,
    Mode,
    Regime,
    RunnerUpPrice,
    SeveralWon,
    Silence,
    Terms,
    TieBreak,
)
from tender.law import D10024, IN73, L8987, L12587, L14129, L14133, LGPD, MUN

OFFERED_MODES: Final = (Mode.OPEN, Mode.CLOSED_OPEN)
"""The modes that this system runs; the others are in the law but not here."""

_REGIMES = {
    Regime.CONCORRENCIA.value: "concorrência pela maior oferta",
    Regime.PREGAO.value: "pregão pela maior oferta, com habilitação antes",
    Regime.LEILAO.value: "leilão",
    Regime.CHAMAMENTO.value: "chamamento, sem disputa de preço",
}
_PHASES = {
    "habilitacao_antes": "documentos primeiro, lances depois (por ato motivado)",
    "lances_antes": "lances primeiro, documentos depois",
}
_MODES = {
    Mode.OPEN.value: "aberto: lances públicos e crescentes",
    Mode.CLOSED_OPEN.value: "fechado e aberto: propostas fechadas; as melhores disputam em lances",
    Mode.CLOSED.value: "fechado: só propostas (este sistema ainda não oferece)",
    Mode.OPEN_CLOSED.value: "aberto e fechado: lances e uma oferta final (este sistema ainda não oferece)",
}
_TIES = {
    TieBreak.FINAL_DISPUTE.value: "disputa final entre os empatados",
    TieBreak.PAST_PERFORMANCE.value: "desempenho em contratos anteriores",
    TieBreak.EQUALITY.value: "ações de equidade entre homens e mulheres",
    TieBreak.INTEGRITY.value: "programa de integridade",
    TieBreak.PUBLIC_DRAW.value: "sorteio público, com semente publicada antes",
}
_ANCHORS = {
    "instante_do_lance": "do registro do lance",
    "fim_do_periodo": "do fim do período em que o lance veio",
}
_EQUAL = {"recusar": "é recusado: vale o que chegou primeiro", "aceitar_como_intermediario": "vale como intermediário"}
_PRICES = {
    RunnerUpPrice.OWN.value: "paga o que ele mesmo ofereceu",
    RunnerUpPrice.AWARDEE_FIRST.value: "é chamado pelo preço do primeiro; se ninguém aceitar, pelo próprio",
}
_DESISTENCIA = {
    DesistenciaEffect.NONE_AT_ONCE.value: "nenhuma, se assinada no ato da chamada",
    DesistenciaEffect.PROCEEDING.value: "abre processo, com defesa",
    DesistenciaEffect.GUARANTEE.value: "perde a garantia de proposta",
}
_SEVERAL = {
    SeveralWon.OWN_CHOICE.value: "o próprio licitante escolhe",
    SeveralWon.STAND_ORDER.value: "fica com o de menor número",
    SeveralWon.HIGHEST_VALUE.value: "fica com o de maior valor",
}
_SILENCE = {
    Silence.CALLS_NEXT.value: "chama-se o próximo",
    Silence.PROCEEDING.value: "chama-se o próximo e apura-se a recusa",
}
_STARTS = {
    "R2": "o dia útil seguinte à publicação é o do começo; conta-se a partir do outro (prazo mais longo)",
    "R1": "o dia da publicação é o do começo; conta-se a partir do dia útil seguinte",
}
_BEFORES = {
    "B1": "o terceiro dia útil anterior, inclusive",
    "B2": "três dias úteis inteiros entre o último dia e a sessão",
}
_HOURS = {"23h59": "até as 23h59", "fim_do_expediente": "até o fim do expediente"}
_T, _L, _C, _N = Kind.TEXT, Kind.LONG, Kind.CHOICE, Kind.COUNT

# fmt: off
_ROWS: Final = (
    # -- regime e fases
    Field("title", Step.REGIME, "Título do edital", _T,
        "É o que a pessoa lê primeiro no portal. Diga o que se oferece e onde.", L14133(25)),
    Field("process_number", Step.REGIME, "Número do processo", _T,
        "Liga o edital ao processo em papel, onde ficam os originais.", L14133(18)),
    Field("switches.regime", Step.REGIME, "Regime e modalidade", _C,
        "“Concorrência tipo Pregão”, da lei municipal, junta duas modalidades, o que hoje é proibido. O Tribunal de"
        " Contas de Minas entende que o leilão não serve à outorga, por não ter habilitação.",
        L14133(28, 2), _REGIMES, switch="S1"),
    Field("justification", Step.REGIME, "Justificativa do regime", _L,
        "Obrigatória se o regime não for a concorrência. Critério de maior oferta: Lei nº 8.987, art. 15, II.",
        L8987(15, None, "II"), required=False),
    Field("switches.phase_order", Step.REGIME, "Ordem das fases", _C,
        "A lei municipal quer os documentos antes. A federal admite, com ato motivado e previsão no edital.",
        L14133(17, 1), _PHASES, switch="S2"),
    Field("switches.fiscal_moment", Step.REGIME, "Quando se pede a regularidade fiscal", _C,
        "Só depois do julgamento e só de quem ficou em primeiro: pedir antes, de todos, anula o edital.",
        L14133(63, None, "III"), {"so_vencedor_apos_julgamento": "só de quem venceu, depois do julgamento"},
        switch="S3"),
    Field("switches.mode", Step.REGIME, "Modo de disputa", _C,
        "Diz se os lances são vistos por todos enquanto acontecem.", L14133(56), _MODES, switch="S4"),
    # -- pontos e mínimos
    Field("switches.pcd_reserve", Step.STANDS, "Vagas reservadas a condutor com deficiência", _N,
        "A lei federal reserva 10 % das vagas. Com poucas vagas a conta dá menos de uma: o edital precisa dizer.",
        L12587("12-B"), unit="vaga|vagas", switch="S9", zero="nenhuma"),
    Field("switches.pcd_unfilled", Step.STANDS, "Se ninguém se inscrever na vaga reservada", _T,
        "Sem esta frase a vaga reservada fica parada.", L12587("12-B", 2)),
    # -- disputa
    Field("step", Step.DISPUTE, "Intervalo mínimo entre lances", Kind.MONEY,
        "Vale para o lance que passa à frente e para o que melhora o próprio lugar.", L14133(57), least=1),
    Field("bid_rules.step_percent_hundredths", Step.DISPUTE, "Intervalo em percentual", Kind.PERCENT,
        "Deixe 0 para usar o intervalo em reais.", L14133(57), most=10_000, zero="não usado"),
    Field("whole_reais", Step.DISPUTE, "Lances em reais inteiros", Kind.YES_NO,
        "Quase todo erro de digitação em leilões é de vírgula. Sem centavos, o erro some.", D10024(30, 3)),
    Field("open_stage_seconds", Step.DISPUTE, "Duração da etapa aberta", Kind.SECONDS,
        "Tempo garantido para todos, antes das prorrogações. O modelo federal dá 10 minutos.", D10024(32),
        unit="segundos", least=1, most=86_400),
    Field("window_seconds", Step.DISPUTE, "Prorrogação", Kind.SECONDS,
        "Lance neste final dá a todos outro tanto de tempo: ninguém perde por um segundo.", D10024(32, 1),
        unit="segundos", most=3_600),
    Field("anchor", Step.DISPUTE, "De onde conta a prorrogação", _C,
        "A norma não diz, e muda quem vence com os mesmos lances.", D10024(32, 1), _ANCHORS),
    Field("bid_rules.intermediate_bids_extend", Step.DISPUTE, "Lance intermediário também prorroga", Kind.YES_NO,
        "Os lances abaixo do maior decidem a ordem de chamada.", D10024(32, 1)),
    Field("bid_rules.equal_bids", Step.DISPUTE, "Lance igual a outro", _C,
        "O modelo federal recusa; a lei fala em intermediário. Escolha um.", L14133(56, 3, "I"), _EQUAL),
    Field("bid_rules.leader_may_raise", Step.DISPUTE, "Quem lidera pode superar a si mesmo", Kind.YES_NO,
        "Se não, protege-se a pessoa de pagar mais por engano.", D10024(30, 3)),
    Field("bid_rules.restart_5_percent", Step.DISPUTE, "Reabrir a disputa dos demais lugares (5 %)", Kind.YES_NO,
        "Se a diferença do primeiro para o segundo for de 5 % ou mais, os outros podem disputar de novo.",
        L14133(56, 4)),
    Field("withdraw_seconds", Step.DISPUTE, "Tempo para desfazer o próprio lance", Kind.SECONDS,
        "Uma vez por ponto, só o último lance. 15 segundos no modelo federal.", IN73(21, 3), unit="segundos",
        most=300),
    Field("bid_rules.guard_times_hundredths", Step.DISPUTE, "Confirmar duas vezes a partir de quantas vezes o maior",
        Kind.TIMES, "R$ 84.500 no lugar de R$ 8.450: a tela pergunta antes.", IN73(21, 3), least=100, most=100_000),
    Field("bid_rules.exclusion_allowed", Step.DISPUTE, "A comissão pode excluir lance absurdo", Kind.YES_NO,
        "Com motivo escrito e dois membros; fica riscado na ata, nunca apagado.", IN73(21, 4)),
    Field("bid_rules.ceiling", Step.DISPUTE, "Teto de lance", Kind.MONEY,
        "Acima dele o lance é recusado, por não se poder pagar.", L8987(15, 3), required=False, zero="sem teto"),
    Field("bid_rules.hard_stop_at", Step.DISPUTE, "Fim obrigatório da disputa", Kind.INSTANT,
        "Uma hora em que tudo termina, mesmo com lances. Em branco, a disputa dura enquanto houver lances.",
        D10024(32, 2), required=False, zero="sem hora marcada"),
    Field("bid_rules.pause_when_dropped_percent", Step.DISPUTE, "Pausa técnica se cair esta parte dos licitantes", _N,
        "Queda de um é risco dele; queda de muitos é falha nossa. Em 0, só avisa a comissão.", L14133(183, 2),
        unit="%", most=100, zero="só avisa a comissão"),
    Field("bid_rules.absent_minutes", Step.DISPUTE, "Ausência da pregoeira que suspende", _N,
        "Os lances seguem; passado este tempo, a sessão é suspensa.", D10024(35), unit="minuto|minutos", least=1,
        most=120),
    Field("bid_rules.resume_notice_hours", Step.DISPUTE, "Aviso antes de retomar", _N,
        "Conta do aviso aos licitantes, não da queda.", D10024(35), unit="hora|horas", least=1, most=240),
    Field("switches.tie_breaks", Step.DISPUTE, "Ordem de desempate", Kind.MANY,
        "A ordem é a da lei. O sorteio não está nela: para valer, precisa estar no edital.", L14133(60), _TIES,
        switch="S5"),
    # -- documentos
    Field("retention_years", Step.DOCUMENTS, "Guarda dos documentos de quem não venceu", _N,
        "Findo o prazo, são eliminados com termo. Ata e lances ficam para sempre.", LGPD(16, None, "I"),
        unit="ano|anos", least=5, most=100),
    # -- pagamento
    Field("payment.instalments", Step.PAYMENT, "Em quantas parcelas se paga", _N,
        "A lei municipal cala: sem esta cláusula, cada um entende de um jeito.", L14133(92, None, "V"),
        unit="parcela|parcelas", least=1, most=240),
    Field("payment.first_due_days", Step.PAYMENT, "Vencimento da primeira parcela", _N,
        "Dias corridos contados da assinatura do termo.", L14133(92, None, "V"),
        unit="dia da assinatura|dias da assinatura", most=365),
    Field("payment.index", Step.PAYMENT, "Índice de correção", _T,
        "Obrigatório na prática se houver parcelas. Exemplo: IPCA, uma vez por ano.", L14133(92, None, "V"),
        required=False, zero="sem correção"),
    Field("payment.fine_percent_hundredths", Step.PAYMENT, "Multa por atraso", Kind.PERCENT,
        "Sobre a parcela atrasada.", L14133(92, None, "V"), most=10_000, zero="sem multa"),
    Field("payment.residue", Step.PAYMENT, "Onde fica a sobra da divisão", _T,
        "R$ 611.900 em 240 vezes não dá conta exata: o edital diz onde fica o resto.", L14133(92, None, "V")),
    # -- resultado
    Field("switches.permits_per_bidder", Step.RESULT, "Quantos pontos cada licitante pode ganhar", _N,
        "O art. 3º diz “um único ponto”; o art. 5º, “cada permissão que possuir”. Em 0, sem limite.", MUN(3, 1),
        unit="ponto|pontos", most=60, switch="S8", zero="sem limite"),
    Field("switches.several_won", Step.RESULT, "Se ganhar mais que o limite", _C,
        "Em Florianópolis, boxes deixados por escolha ficaram vazios: o edital diz quem é chamado.", MUN(3, 1),
        _SEVERAL),
    Field("switches.desistencia", Step.RESULT, "Consequência da desistência", _C,
        "Desistir no ato é um direito do art. 4º; não manter a proposta é infração da lei federal.",
        L14133(155, None, "V"), _DESISTENCIA, switch="S7"),
    Field("runner_up_price", Step.RESULT, "Preço de quem é chamado depois", _C,
        "A lei municipal aponta o preço do próprio; a federal, o do vencedor.", L14133(90, 2), _PRICES, switch="S6"),
    Field("call_hours", Step.RESULT, "Prazo para responder à convocação", _N,
        "Prorrogável uma vez, por igual tempo, se pedido no prazo.", L14133(90, 1), unit="hora|horas", least=1,
        most=2_160),
    Field("silence", Step.RESULT, "Se quem foi chamado não responder", _C,
        "O silêncio não pode parar a fila.", L14133(90, 5), _SILENCE),
    Field("proposal_days", Step.RESULT, "Validade da proposta", _N,
        "Depois dela ninguém é obrigado a assinar.", L14133(90, 3), unit="dia|dias", least=1, most=365),
    Field("term_years", Step.RESULT, "Prazo da permissão", _N,
        "O art. 3º, § 2º, fixa quatro anos.", MUN(3, 2), unit="ano, sem prorrogação|anos, sem prorrogação", least=1,
        most=4),
    # -- datas
    Field("applications_open_at", Step.DATES, "Inscrições a partir de", Kind.INSTANT,
        "Receber documentos antes da hora marcada anulou a licitação de Guarapari.", L14133(55)),
    Field("applications_close_at", Step.DATES, "Inscrições até", Kind.INSTANT,
        "Depois desta hora o sistema não aceita mais nada.", L14133(55)),
    Field("session_at", Step.DATES, "Sessão pública", Kind.INSTANT,
        "Só depois do prazo de publicidade, contado da última publicação.", L14133(55, None, "III")),
    Field("counting.publication_business_days", Step.DATES, "Dias úteis entre a publicação e a sessão", _N,
        "Quinze é o mínimo para o maior lance. Trinta e cinco afasta a dúvida sobre “maior oferta” em serviços.",
        L14133(55, None, "III"), unit="dia útil|dias úteis", least=15, most=120),
    Field("counting.start", Step.DATES, "Como se conta o começo", _C,
        "A lei pode ser lida de dois modos, com um dia de diferença. O mais longo protege quem participa.",
        L14133(183, 1, "I"), _STARTS),
    Field("counting.before", Step.DATES, "Como se contam os “três dias úteis antes”", _C,
        "Também há duas leituras. O edital imprime a data, e ninguém precisa contar.", L14133(164), _BEFORES),
    Field("counting.hour", Step.DATES, "Até que hora vale o último dia", _C,
        "Se o Município adotou a lei do governo digital, até as 23h59.", L14129(8, 1), _HOURS),
    # -- município
    Field("body.name", Step.TOWN, "Município", _T, "Quem outorga a permissão.", L8987(2, None, "IV")),
    Field("body.cnpj", Step.TOWN, "CNPJ", _T, "É a chave do edital no PNCP.", L14133(54)),
    Field("body.population", Step.TOWN, "População", _N,
        "O teto é de um táxi por mil habitantes, contadas as permissões em vigor. Em Janaúba couberam 35, não 40.",
        MUN(17), unit="habitante|habitantes", least=1, most=100_000_000, zero="não informada"),
    Field("body.population_year", Step.TOWN, "Ano da população", _N, "O número muda a cada ano.", MUN(17),
        least=2000, most=2100, zero="não informado"),
    Field("body.population_source", Step.TOWN, "Fonte da população", _T,
        "Exemplo: IBGE, estimativa publicada em 1º/7/2026.", MUN(17)),
    Field("body.comarca", Step.TOWN, "Comarca", _T,
        "Onde se tiram as certidões e se discute o edital em juízo.", L14133(92)),
    Field("body.expediente", Step.TOWN, "Expediente", _T,
        "Dia sem expediente não conta como dia útil.", L14133(183, None, "III")),
)
# fmt: on

FIELDS: Final[Mapping[str, Field]] = {one.key: one for one in _ROWS}
"""Dotted key -> field, in the order of the form."""


def fields_of(step: Step) -> tuple[Field, ...]:
    """The fields of a step, in order."""
    return tuple(one for one in _ROWS if one.step is step)


def summary(terms: Terms) -> list[tuple[Step, list[tuple[Field, str]]]]:
    """Every step with its fields and what these terms say; fields that say nothing are left out."""
    found = []
    for step in Step:
        rows = [(one, said) for one in fields_of(step) if (said := one.said(terms))]
        if rows:
            found.append((step, rows))
    return found
