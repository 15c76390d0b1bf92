"""Which documents an edital may ask for: art. 4º item by item, and what federal law adds; each with its moment.

The moments proposed are those that a court would not strike down (W-03, W-05, W-06, W-07): what restricts competition
is asked of the winner or for the alvará, not of everybody who enrols.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tender.edital.model.terms import DocumentAsked, Moment
from tender.law import L12468, L14133, MUN, Citation

NATURAL: Final = "pessoa física"
LEGAL: Final = "pessoa jurídica"

MOMENTS: Final = {
    Moment.APPLICATION: "na inscrição, de todos",
    Moment.AWARDEE: "só de quem venceu",
    Moment.ALVARA: "para o alvará, depois do termo",
}


@dataclass(frozen=True, slots=True)
class Offered:
    """A document that may be asked: of whom, the text proposed, the moment proposed, the warning it may raise.

    `is_open`: an item that only allows "other documents": nothing is asked unless the edital lists them, one a line.
    """

    requirement: Citation
    applicant: str
    text: str
    moment: Moment
    warning: str = ""
    is_open: bool = False

    @property
    def name(self) -> str:
        """How a form's field is named: "pf-art-4-p1-I"."""
        statute = "" if self.requirement.statute == MUN.slug else f"{self.requirement.statute}-"
        return f"{'pf' if self.applicant == NATURAL else 'pj'}-{statute}{self.requirement.anchor}"


_AT_ONCE, _LAST, _ALVARA = Moment.APPLICATION, Moment.AWARDEE, Moment.ALVARA

# fmt: off
OFFERED: Final = (
    Offered(MUN(4, 1, "I"), NATURAL, "Carteira Nacional de Habilitação com dois anos de experiência comprovada, por"
        " qualquer meio", _AT_ONCE, "W-02"),
    Offered(MUN(4, 1, "II"), NATURAL, "Veículo: declaração de que o terá; o documento do veículo, para o alvará",
        _ALVARA, "W-03"),
    Offered(MUN(4, 1, "III"), NATURAL, "Certidões negativas criminais estadual e federal, quanto aos crimes do art."
        " 329 do Código de Trânsito", _AT_ONCE, "W-04"),
    Offered(MUN(4, 1, "IV"), NATURAL, "Inscrição no INSS como contribuinte individual", _AT_ONCE),
    Offered(MUN(4, 1, "V"), NATURAL, "", _AT_ONCE, is_open=True),
    Offered(MUN(4, 2, "I"), LEGAL, "Contrato social com objeto específico", _AT_ONCE),
    Offered(MUN(4, 2, "II"), LEGAL, "Inscrição no cadastro de contribuintes do Município", _LAST, "W-05"),
    Offered(MUN(4, 2, "III"), LEGAL, "Sede no Município e alvará de localização", _ALVARA, "W-06"),
    Offered(MUN(4, 2, "IV"), LEGAL, "Registro na Junta Comercial", _LAST, "W-06"),
    Offered(MUN(4, 2, "V"), LEGAL, "Contrato social e última alteração", _AT_ONCE),
    Offered(MUN(4, 2, "VI"), LEGAL, "Inscrição no CNPJ", _AT_ONCE),
    Offered(MUN(4, 2, "VII"), LEGAL, "Certidões fiscais municipal, estadual e federal", _LAST, "W-07"),
    Offered(MUN(4, 2, "VIII"), LEGAL, "Certidões do INSS e do FGTS", _LAST, "W-07"),
    Offered(MUN(4, 2, "IX"), LEGAL, "Dos motoristas da empresa: o que o inciso remete do § 1º", _AT_ONCE, "W-08"),
    Offered(MUN(4, 2, "X"), LEGAL, "", _AT_ONCE, is_open=True),
    *(
        offered
        for who in (NATURAL, LEGAL)
        for offered in (
            Offered(L14133(63, None, "I"), who, "Declaração de que atende às exigências", _AT_ONCE),
            Offered(L14133(14), who, "Declaração de que não tem impedimento nem parentesco vedado", _AT_ONCE),
            Offered(L14133(68, None, "VI"), who, "Declaração sobre trabalho de menores", _AT_ONCE),
            Offered(L14133(68, None, "V"), who, "Certidão negativa de débitos trabalhistas", _LAST),
        )
    ),
    Offered(L12468(3, None, "II"), NATURAL, "Curso de taxista, inclusive a distância", _ALVARA, "W-09"),
)
# fmt: on


def proposed() -> tuple[DocumentAsked, ...]:
    """The list that a fresh draft proposes: everything but the open items, each at its proposed moment."""
    return tuple(
        DocumentAsked(one.requirement, one.applicant, one.moment, one.text) for one in OFFERED if not one.is_open
    )
