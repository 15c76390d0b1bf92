"""How the doubtful provisions are read, and which provisions of Lei 724/2008 the product leaves alone.

Where the law is doubtful the code does not choose silently: each doubt stands here with its options, the one taken
until somebody says otherwise, and who must confirm it. The edital's terms point to these ids; the page ``/lei`` shows
them beside the provision. ``W-`` are conflicts with other law, ``S`` the choices every edital must settle, ``L-`` holes
and silences of the text itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tender.law import CTB, D10024, IN73, L8666, L8987, L12468, L12587, L14133, L15271, LC123, MUN, SOLE, Citation


@dataclass(frozen=True, slots=True)
class Reading:
    """One doubt. ``options`` maps a stable word to its meaning in Portuguese; ``taken`` is the default among them.

    ``law`` is the doubtful provision, ``see`` the others that bear on it; ``confirmed_by`` says who must settle it and
    ``source`` where the doubt or the way out was found.
    """

    id: str
    law: Citation
    doubt: str
    options: Mapping[str, str]
    taken: str
    confirmed_by: str
    source: str
    see: tuple[Citation, ...] = ()

    @property
    def meaning(self) -> str:
        """The reading taken, in Portuguese."""
        return self.options[self.taken]


_LEGAL: Final = "procuradoria do Município, no parecer prévio ao edital"
_EDITAL: Final = "autoridade que assina o edital, ouvida a procuradoria"
_PAPER: Final = "Secretaria de Serviços Urbanos, à vista do exemplar oficial da lei"
_COMMISSION: Final = "comissão, como o edital dispuser"
_SERVICE: Final = "Secretaria de Serviços Urbanos, por decreto ou norma de serviço"
_TEXT: Final = "confronto dos textos"

# One doubt is one paragraph: question, options, choice.
# fmt: off
_CONFLICTS: Final = (
    Reading("W-01", MUN(3), "A lei chama a permissão de “irrevogável”, mas ela mesma prevê revogação e perda.",
        {"revogavel": "revogável nas hipóteses da lei, com contraditório",
         "irrevogavel": "irrevogável, como escrito"},
        "revogavel", _LEGAL, _TEXT, (L8987(2, None, "IV"), L8987(40), MUN(24), MUN(28))),
    Reading("W-02", MUN(4, 1, "I"), "A lei federal admite as categorias B a E; a municipal exige D ou superior.",
        {"b_ou_superior": "aceita B ou superior; D só para veículo de mais de oito lugares",
         "d_ou_superior": "exige D ou superior, como escrito"},
        "b_ou_superior", _LEGAL, _TEXT, (MUN(9, None, "II"), L12468(3, None, "I"), CTB(143))),
    Reading("W-03", MUN(4, 1, "II"),
        "Exigir veículo próprio antes de vencer obriga a comprar sem saber se terá ponto.",
        {"declaracao_depois_crlv": "declaração na inscrição; documento do veículo em prazo contado da assinatura",
         "documento_na_inscricao": "documento do veículo já na inscrição, como escrito"},
        "declaracao_depois_crlv", _LEGAL, "editais de táxi de outras capitais dão de 15 a 180 dias",
        (L12468(2), L14133(9, None, "I", "a"))),
    Reading("W-04", MUN(4, 1, "III"), "Ação cível em curso não é falta de idoneidade; e há presunção de inocência.",
        {"criminal_do_ctb": "certidão criminal quanto aos crimes do Código de Trânsito; a cível não elimina",
         "civel_e_criminal": "certidões cíveis e criminais negativas, como escrito"},
        "criminal_do_ctb", _LEGAL, "TCE-SP, TC-021175.989.24-3", (CTB(329),)),
    Reading("W-05", MUN(4, 2, "II"), "Inscrição no cadastro de Araporã antes da disputa afasta quem é de fora.",
        {"depois_do_resultado": "inscrição exigida depois do resultado, para assinar",
         "na_inscricao": "inscrição municipal já na habilitação, como escrito"},
        "depois_do_resultado", _LEGAL, _TEXT, (MUN(2), L14133(68, None, "II"), L14133(9, None, "I", "b"))),
    Reading("W-06", MUN(4, 2, "III"), "Sede em Araporã e registro na Junta de Minas restringem por domicílio.",
        {"depois_do_resultado": "qualquer sede e Junta na disputa; transferência para assinar",
         "na_inscricao": "sede e registro já na habilitação, como escrito"},
        "depois_do_resultado", _LEGAL, _TEXT, (MUN(4, 2, "IV"), L14133(9, None, "I", "b"))),
    Reading("W-07", MUN(4, 2, "VII"),
        "A regularidade fiscal só pode ser exigida depois do julgamento, e do vencedor.",
        {"so_vencedor": "certidões recebidas fechadas e abertas só as do mais bem classificado",
         "todos": "certidões de todos os inscritos, como escrito"},
        "so_vencedor", _LEGAL, _TEXT, (MUN(4, 2, "VIII"), L14133(63, None, "III"))),
    Reading("W-08", MUN(4, 2, "IX"), "Não se lê a que itens do § 1º o inciso remete.",
        {"I_e_III": "itens I e III (motoristas)", "I_a_III": "itens I, II e III", "I_a_IV": "itens I a IV"},
        "I_e_III", _PAPER, "cópia digitalizada ilegível neste ponto", (MUN(4, 1, "I"), MUN(4, 1, "III"))),
    Reading("W-09", MUN(9), "A lei municipal cala sobre o curso e a certificação que a lei federal exige do taxista.",
        {"no_alvara": "exigidos para o alvará de condutor", "nao_exige": "não exigidos"},
        "no_alvara", _LEGAL, _TEXT, (L12468(3, None, "II"), L12468(3, None, "IV"))),
    Reading("W-10", MUN(24, SOLE), "A vedação de concorrer não tem prazo; sanção perpétua é duvidosa.",
        {"prazo_e_reabilitacao": "com prazo máximo e reabilitação, como nas sanções federais",
         "sem_prazo": "sem prazo, como escrito"},
        "prazo_e_reabilitacao", _LEGAL, _TEXT, (L14133(156, 4), L14133(156, 5), L14133(163))),
    Reading("W-11", MUN(8), "A lei federal posterior mudou a transferência: um ano para os sucessores, não 120 dias.",
        {"lei_federal": "segue a lei federal; pedido fora dos 120 dias não é recusado só por isso",
         "lei_municipal": "segue a lei municipal, como escrito"},
        "lei_federal", _LEGAL, "STF, ADI 5.337; Lei nº 15.271/2025", (MUN(8, None, "II"), L12587("12-A"), L15271(1))),
    Reading("W-12", MUN(4, 3), "Fala-se em contemplado “no sorteio”, mas a escolha é pelo maior valor.",
        {"licitacao": "lê-se “na licitação”", "sorteio": "haveria um sorteio não previsto em outro lugar"},
        "licitacao", _LEGAL, "resto de redação anterior"),
    Reading("W-13", MUN(3), "“Concorrência tipo Pregão” combina duas modalidades, o que hoje é vedado.",
        {"ver_S1": "o edital nomeia uma só modalidade (escolha S1)",
         "literal": "nome da lei municipal, como escrito"},
        "ver_S1", _LEGAL, _TEXT, (L14133(28, 2), L14133(189))),
    Reading("W-14", MUN(4, 3), "A lei não dá consequência à desistência; a federal pune quem não mantém a proposta.",
        {"ver_S7": "a consequência é a que o edital fixar (escolha S7)", "nenhuma": "nenhuma consequência"},
        "ver_S7", _LEGAL, _TEXT, (L14133(90, 5), L14133(155, None, "V"), L14133(155, None, "VI"))),
    Reading("W-15", MUN(4, 3), "Por que preço é chamado o segundo: o seu ou o do primeiro?",
        {"ver_S6": "o preço é o que o edital fixar (escolha S6)", "proprio": "sempre o próprio"},
        "ver_S6", _LEGAL, _TEXT, (L14133(90, 2),)),
    Reading("W-16", MUN(3, 1), "Não há reserva para condutor com deficiência, que a lei federal impõe.",
        {"ver_S9": "a reserva é a que o edital fixar (escolha S9)", "sem_reserva": "sem reserva"},
        "ver_S9", _LEGAL, _TEXT, (L12587("12-B"),)),
    Reading("W-17", MUN(17), "Oferecer pontos além da proporção com a população torna nulo o excesso.",
        {"ativas_mais_ofertadas": "permissões ativas mais pontos ofertados não passam de um por mil habitantes",
         "so_ofertadas": "contam só os pontos ofertados"},
        "ativas_mais_ofertadas", _LEGAL, "caso de Janaúba-MG, edital de 2013"),
    Reading("W-18", MUN(10), "Ponto e número de veículos dependem de decreto: o edital não cria ponto.",
        {"decreto_antes": "cada ponto ofertado indica o decreto e o item que o criou",
         "edital_cria": "o próprio edital criaria o ponto"},
        "decreto_antes", _EDITAL, "texto da lei"),
    Reading("W-19", MUN(3, 2), "O prazo é de quatro anos e a lei não diz se pode ser prorrogado.",
        {"sem_prorrogacao": "sem prorrogação", "com_prorrogacao": "prorrogável como o edital disser"},
        "sem_prorrogacao", _EDITAL, _TEXT, (L8987(2, None, "IV"),)),
    Reading("W-20", MUN(3), "A lei cala sobre quando e como se paga o valor oferecido.",
        {"edital_fixa": "o edital fixa parcelas, índice e mora", "a_vista": "à vista, na assinatura"},
        "edital_fixa", _EDITAL, _TEXT, (L14133(92, None, "V"),)),
    Reading("W-21", MUN(16), "Cor, portas e idade do veículo são exigência de execução ou de habilitação?",
        {"execucao": "verificadas na vistoria, para o alvará", "habilitacao": "verificadas na inscrição"},
        "execucao", _EDITAL, "TCE-MG, processo 1031376"),
    Reading("W-22", MUN(2), "Onde fica o microempreendedor individual, e a cooperativa?",
        {"edital_define": "o edital define; sem isso não se publica", "pessoa_fisica": "MEI como pessoa física",
         "pessoa_juridica": "MEI como pessoa jurídica"},
        "edital_define", _EDITAL, "texto da lei"),
)

_CHOICES: Final = (
    Reading("S1", MUN(3), "Que regime substitui a “Concorrência tipo Pregão” da Lei nº 8.666/93, revogada?",
        {"14133_concorrencia_maior_oferta": "concorrência pela maior oferta", "14133_leilao": "leilão",
         "14133_pregao_invertido": "pregão pela maior oferta", "chamamento": "chamamento, sem licitação"},
        "14133_concorrencia_maior_oferta", _LEGAL, "TCE-MG, Consulta 1164226; TCE-SP, TC-014753.989.25-0",
        (L14133(189), L14133(28, 2), L8987(15, None, "II"))),
    Reading("S2", MUN(4), "A habilitação vem antes ou depois dos lances?",
        {"habilitacao_antes": "antes, por ato motivado e com previsão no edital",
         "lances_antes": "depois dos lances"},
        "habilitacao_antes", _LEGAL, _TEXT, (L14133(17), L14133(17, 1))),
    Reading("S3", MUN(4, 2, "VII"), "Quando se exige a regularidade fiscal?",
        {"so_vencedor_apos_julgamento": "só do mais bem classificado, depois do julgamento"},
        "so_vencedor_apos_julgamento", _LEGAL, _TEXT, (L14133(63, None, "III"),)),
    Reading("S4", MUN(3), "Como se disputa cada ponto?",
        {"aberto": "lances públicos e crescentes", "fechado": "propostas fechadas",
         "aberto_fechado": "lances e, ao fim, uma oferta fechada", "fechado_aberto": "propostas e, depois, lances"},
        "aberto", _EDITAL, _TEXT, (L14133(56),)),
    Reading("S5", MUN(4), "Como se desempata?",
        {"primeiro_lance_vale": "vale o lance registrado primeiro; empate de propostas segue a ordem legal",
         "sorteio_publico": "como acima e, persistindo, sorteio público com algoritmo publicado"},
        "primeiro_lance_vale", _LEGAL, _TEXT, (L14133(60), L8666(45, 2), LC123(44), D10024(30, 4))),
    Reading("S6", MUN(4, 3), "Por que preço assume o segundo colocado?",
        {"preco_proprio": "pelo preço que ele mesmo ofereceu",
         "preco_do_vencedor_depois_proprio": "primeiro pelo do vencedor; recusando todos, pelo próprio"},
        "preco_proprio", _LEGAL, _TEXT, (L14133(90, 2), L14133(90, 4), L8987("18-A", None, "IV"))),
    Reading("S7", MUN(4, 3), "Que consequência tem a desistência?",
        {"sem_sancao_se_no_ato": "nenhuma, se assinada no ato da chamada",
         "processo_sancionador": "abre-se processo, com defesa", "perda_garantia": "perda da garantia de proposta"},
        "sem_sancao_se_no_ato", _LEGAL, _TEXT, (L14133(155, None, "V"), L14133(90, 5))),
    Reading("S8", MUN(3, 1), "Quantos pontos pode vencer um licitante? A lei diz “um único” e “cada permissão”.",
        {"1": "um só ponto", "n": "até o número que o edital fixar", "sem_limite": "sem limite"},
        "1", _LEGAL, _TEXT, (MUN(5),)),
    Reading("S9", L12587("12-B"), "Dez por cento de poucas vagas dá menos de uma: reserva-se alguma?",
        {"arredonda_para_cima": "arredonda-se para cima; sem interessado, vai aos demais",
         "edital_fixa": "o número e os pontos que o edital fixar", "nenhum_ponto": "nenhum, com motivo"},
        "arredonda_para_cima", _LEGAL, _TEXT),
    Reading("S10", MUN(3), "A lei não fixa o valor mínimo de cada ponto nem como se chega a ele.",
        {"valor_por_ponto_com_estudo": "um mínimo por ponto, com memória de cálculo publicada"},
        "valor_por_ponto_com_estudo", _EDITAL, "outorga sem estudo é causa comum de anulação", (L8987(5),)),
)

_HOLES: Final = (
    Reading("L-01", MUN(26), "A dobra da reincidência pode passar do teto de 30 dias da suspensão?",
        {"ate_o_teto": "dobra até o teto de 30 dias", "sem_teto": "dobra sem teto"},
        "ate_o_teto", _SERVICE, _TEXT, (MUN(22, None, "III"), MUN(23, 1))),
    Reading("L-02", MUN(23, None, "VI"), "Falta o fim do inciso: talvez haja outro código além do B-2.",
        {"so_B2": "só o código B-2", "outro": "outro código, quando lido no exemplar"},
        "so_B2", _PAPER, "cópia digitalizada ilegível neste ponto"),
    Reading("L-03", MUN(16, None, "II"), "Não se lê a cor da tarja.",
        {"decreto_diz": "a cor é a que o decreto ou o edital indicar"},
        "decreto_diz", _PAPER, "cópia digitalizada ilegível neste ponto"),
    Reading("L-04", MUN(9, None, "II"), "Dois anos “de emissão” recomeçariam a cada renovação da carteira.",
        {"emissao_ou_historico": "emissão há dois anos, ou histórico de dois anos na categoria",
         "emissao": "data de emissão do documento atual"},
        "emissao_ou_historico", _COMMISSION, "texto da lei", (MUN(4, 1, "I"),)),
    Reading("L-05", MUN(9, None, "III"), "O seguro obrigatório não é cobrado hoje; a exigência está sem objeto.",
        {"sem_objeto": "não se exige enquanto não houver seguro obrigatório", "exige": "exige-se"},
        "sem_objeto", _SERVICE, "fim da cobrança do DPVAT e revogação do seguro que o sucederia"),
    Reading("L-06", MUN(26, SOLE), "Os 90 dias da reincidência contam-se entre as infrações ou entre as decisões?",
        {"entre_infracoes": "entre as datas das infrações", "entre_decisoes": "entre as decisões definitivas"},
        "entre_infracoes", _SERVICE, "texto da lei"),
    Reading("L-07", MUN(24, SOLE), "A vedação alcança quem perdeu a permissão por incapacidade, ou só o alvará?",
        {"so_revogacao_codigo_E": "só as revogações do art. 24",
         "toda_perda": "toda perda da permissão ou do alvará"},
        "so_revogacao_codigo_E", _LEGAL, "texto da lei", (MUN(28), MUN(12))),
    Reading("L-08", MUN(4, 1, "I"), "Experiência é tempo de carteira na categoria ou tempo de profissão?",
        {"tempo_na_categoria": "tempo na categoria exigida", "tempo_de_profissao": "tempo de exercício profissional"},
        "tempo_na_categoria", _EDITAL, _TEXT, (L14133(67, 2), L14133(67, 5))),
    Reading("L-09", L14133(183, 1, "I"), "O primeiro dia útil após a divulgação é o dia do começo ou já o dia um?",
        {"R1": "o dia da divulgação é o do começo; o dia um é o útil seguinte",
         "R2": "o útil seguinte é o do começo; o dia um é o segundo dia útil"},
        "R2", _LEGAL, "o prazo mais longo protege quem participa", (L14133(55),)),
    Reading("L-10", L14133(164), "“Até três dias úteis antes”: o terceiro dia entra ou fica livre?",
        {"B1": "o terceiro dia útil anterior, inclusive", "B2": "três dias úteis inteiros entre um e outro"},
        "B1", _LEGAL, "em favor de quem impugna; o edital imprime a data"),
    Reading("L-11", D10024(32, 1), "A prorrogação conta do fim do período ou do instante do lance?",
        {"instante_do_lance": "dois minutos do registro do lance",
         "fim_do_periodo": "dois minutos do fim do período"},
        "instante_do_lance", _EDITAL, "prática das plataformas", (IN73(23),)),
    Reading("L-12", L14133(56, 3, "I"), "Lance igual a outro é recusado ou vale como intermediário?",
        {"recusar": "recusado", "aceitar_como_intermediario": "aceito como intermediário"},
        "recusar", _EDITAL, _TEXT, (D10024(30, 4),)),
    Reading("L-13", IN73(21, 3), "O lance cancelado pelo autor ainda conta para a prorrogação já dada?",
        {"mantem_prorrogacao": "o tempo dado não volta atrás", "desfaz_prorrogacao": "o tempo volta atrás"},
        "mantem_prorrogacao", _EDITAL, "texto da norma-modelo"),
)
# fmt: on

READINGS: Final[dict[str, Reading]] = {one.id: one for one in (*_CONFLICTS, *_CHOICES, *_HOLES)}


def readings_of(citation: Citation) -> tuple[Reading, ...]:
    """The readings of this very provision, in the order of ``READINGS``; empty if it is not doubtful."""
    return tuple(one for one in READINGS.values() if one.law == citation)


def _not_built(part: str) -> str:
    return f"a parte que cuida {part} ainda não foi construída"


# Anchors of Lei 724/2008 by reason. When code comes to cite one, `tests/test_law.py` asks for its name here to go.
_LEFT_ALONE: Final = {
    "a rádio-táxi depende de autorização própria, fora da licitação": """
        art-6
    """,
    "conduta no dia a dia do serviço; o que se descumpre chega como infração do art. 23": """
        art-7-I art-7-II art-7-III art-7-IV art-7-V art-7-VI art-7-VII art-7-VIII art-7-IX art-7-X art-7-XI
        art-7-XII art-7-XIII
        art-13 art-14
    """,
    "instalar equipamento no ponto é ato do Executivo, fora do sistema": """
        art-15
    """,
    "as tarifas e a tabela são fixadas por decreto e conferidas no veículo": """
        art-19 art-20
        art-21-I art-21-II art-21-III art-21-IV
    """,
    "cláusula final": """
        art-29 art-30
    """,
    _not_built("da vida da permissão"): """
        art-1 art-1-punico
        art-5-p1 art-5-p2
        art-8-I art-8-II art-8-III
        art-9-I art-9-II art-9-III art-9-IV art-9-V art-9-VI art-9-VII art-9-punico
        art-12
        art-16-I art-16-II art-16-III art-16-IV art-16-V
        art-18-I art-18-II art-18-III
        art-22-I art-22-II art-22-III art-22-IV art-22-V
        art-23-I art-23-II art-23-III art-23-IV art-23-V art-23-VI art-23-VII art-23-VIII art-23-IX art-23-X
        art-23-XI art-23-XII art-23-XIII art-23-XIV art-23-XV art-23-XVI art-23-XVII art-23-XVIII art-23-XIX
        art-23-XX art-23-XXI art-23-p1 art-23-p2
        art-24-I art-24-II art-24-III art-24-IV art-24-V
        art-25 art-25-p1 art-25-p2 art-25-p3 art-25-p4
        art-26 art-26-punico
        art-27 art-28
    """,
}

NOT_OURS: Final[dict[Citation, str]] = {
    Citation.parse(f"{MUN.slug}#{anchor}"): reason
    for reason, anchors in _LEFT_ALONE.items()
    for anchor in anchors.split()
}
"""Provisions of Lei 724/2008 that no code implements, each with the reason, as the page ``/lei`` prints it."""
