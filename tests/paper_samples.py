"""An invented ata, with one of everything that a paper can hold. Run as a program it prints the hash of its bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from tender.law import L14133, MUN
from tender.letterhead import Bid, Cell, Clause, Paper, Signature, Strong, amount, day, hour
from tender.money import Money
from tender.settings import Municipality

OPENED = datetime(2027, 3, 16, 17, 0, tzinfo=UTC)
CLOSED = OPENED + timedelta(minutes=24, seconds=30)
WITHDRAWN = 12
ADDRESS = "https://licitacoes.exemplo.mg.gov.br/v/7KQ2-M4XD"
CODE = "7KQ2-M4XD"
HEAD = hashlib.sha256(b"an invented book").hexdigest()


def blank(title: str = "Recibo de inscrição", subtitle: str = "", **more: str) -> Paper:
    """A paper with nothing in it yet."""
    return Paper(title, subtitle, "Recibo 7/2027", Municipality(), issued_at=OPENED, **more)


def bids(count: int = 60) -> Iterator[Bid]:
    """`count` bids of four bidders, 24 s apart; the twelfth has a zero too many and was withdrawn."""
    for number in range(1, count + 1):
        at = OPENED + timedelta(seconds=24 * number, milliseconds=7 * number % 1000)
        value = Money.reais(5000 + 100 * number)
        if number == WITHDRAWN:
            value = value * 10
        yield Bid(at, value, (number * 3) % 4 + 1, is_withdrawn=number == WITHDRAWN)


def bid_rows(count: int = 60) -> list[list[str | int | Money | Cell]]:
    """The bids as rows of a table."""
    rows: list[list[str | int | Money | Cell]] = []
    for number, bid in enumerate(bids(count), 1):
        value = Cell(bid.amount, struck=True) if bid.is_withdrawn else bid.amount
        state = "Desfeito pelo licitante" if bid.is_withdrawn else "Maior lance" if number == count else "Válido"
        rows.append([number, hour(bid.at, "millisecond"), f"Licitante {bid.bidder}", value, state])
    return rows


def ata() -> Paper:
    """The ata of an auction that never was: 60 bids, a curve, notes, clauses, signatures, stamp."""
    paper = Paper(
        "Ata da sessão pública de lances",
        "Concorrência nº 001/2027, maior oferta · Permissão de estacionamento de táxi (Lei Municipal nº 724/2008)",
        "Ata 001/2027",
        Municipality(),
        issued_at=OPENED + timedelta(hours=1),
        office="Comissão de Contratação",
        notice="Documento de demonstração, sem valor legal",
    )
    paper.facts([("Data", day(OPENED)), ("Abertura", hour(OPENED, "millisecond")), ("Pregoeira", "Iracema Uchôa")])
    _results(paper)
    _stand(paper)
    _closing(paper)
    return paper


def _results(paper: Paper) -> None:
    paper.heading("1. Participantes habilitados").paragraph(
        "Quatro inscritos habilitados. Durante a disputa os nomes ficaram ocultos: Licitante 1, Otávio Ávila; "
        "Licitante 2, Conceição Muñoz & Filhos Ltda.; Licitante 3, Íris D’Ávila; Licitante 4, Zuleica Brandão.",
        citations=(MUN(4, 1), L14133(165, 1, "I")),
    )
    paper.heading("2. Resultado por ponto").table(
        ["Ponto", "Maior lance", "1º colocado", "Lances"],
        [
            ["1 — Rodoviária", Cell(Money.reais(11000), bold=True), "Zuleica Brandão", 60],
            ["2 — Praça da Matriz", Money(710050), "Íris D’Ávila", 15],
        ],
    )


def _stand(paper: Paper) -> None:
    paper.heading("3. Ponto 1 — Rodoviária").paragraph(
        ["Lance mínimo de ", Strong(amount(Money.reais(5000))), ". Tempo inicial de 10 minutos, prorrogado 7 vezes."],
        citations=(MUN(4, 3),),
    )
    paper.curve(
        bids(),
        opened_at=OPENED,
        closed_at=CLOSED,
        extended_from=OPENED + timedelta(minutes=10),
        alt="Curva de lances: de R$ 5.100 às 14:00 a R$ 11.000 às 14:24. A tabela abaixo traz os mesmos dados.",
        caption="Curva de lances do ponto 1",
    )
    header = ["Nº", "Hora", "Licitante", "Valor", "Situação"]
    paper.table(header, bid_rows(), caption="Lances, na ordem em que o servidor recebeu")
    paper.heading("Ocorrências", 3).table(["Hora", "O que houve"], [], caption="Pausas técnicas")


def _closing(paper: Paper) -> None:
    paper.heading("4. Encerramento").paragraph(
        "Nada mais havendo, a pregoeira encerrou a sessão.\n\nEsta ata foi gerada pelo sistema, lida e assinada.",
        citations=(MUN(4, 3),),
    )
    paper.numbered_clauses(
        [
            Clause(
                "O vencedor provisório apresenta os documentos no prazo.",
                title="Do prazo",
                citations=(MUN(9),),
                items=("Certidões.", "Comprovante de residência."),
            ),
            "O silêncio não é desistência.",
        ]
    )
    paper.bullets(["Anexo I: mensagens da sessão.", ["Anexo II: ", Strong("mapa dos pontos"), "."]])
    paper.signatures(
        [
            Signature("Iracema Uchôa", "Pregoeira", "assinado 16/03/2027 15:04"),
            Signature("Davi Prates", "Equipe de apoio", "assinado 16/03/2027 15:06"),
        ]
    )
    paper.stamp("licitacao-001-2027", 12, 480, HEAD, ADDRESS, CODE)


if __name__ == "__main__":
    print(hashlib.sha256(ata().build()).hexdigest())
