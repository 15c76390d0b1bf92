"""A published tender with its register, its decrees and its map, in the whole program, as the public finds it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tender import demo
from tender.acts import EditalId, Role, StandId
from tender.calendars import Calendar
from tender.clock import day_of
from tender.edital import reads
from tender.edital.model import DraftEdital, PublishEdital, Stand, Terms
from tender.edital.model.register import CountPermits, CreateStand, Decree, RegisterDecree
from tender.edital.model.terms import FloorFormula, Payment
from tender.ledger import reading
from tender.money import Money
from tests.edital.office import Hall, form_of, open_hall

EDITAL = EditalId("001-2027")
DAY = timedelta(days=1)
OPENS = datetime(2027, 4, 20, 11, 0, tzinfo=UTC)
CLOSES = datetime(2027, 5, 12, 2, 59, 59, tzinfo=UTC)
SESSION = datetime(2027, 5, 20, 17, 0, tzinfo=UTC)  # a Thursday, 14h in Brasília
PLACES = (
    ("P-01", "Terminal Rodoviário", "Avenida da Rodoviária, 100", 820, 420),
    ("P-02", "Praça da Vitória", "Praça da Vitória, 20", 450, 480),
    ("P-03", "Feira Livre", "Rua Dezenove, 310", 180, 720),
)


def terms_of(edital: str = EDITAL, **changes: Any) -> Terms:
    """Two stands of the register, one of them with its formula."""
    made = Terms(
        edital=EditalId(edital),
        title="2 pontos de táxi: Terminal Rodoviário e Praça da Vitória",
        process_number="148/2027",
        applications_open_at=OPENS,
        applications_close_at=CLOSES,
        session_at=SESSION,
        stands=(
            Stand(
                StandId(1), PLACES[0][1], PLACES[0][2], 1, Money.reais(4500), "Decreto 31/2027", ponto="P-01",
                formula=FloorFormula(1250, "m²", Money.reais(360)),
            ),
            Stand(StandId(2), PLACES[1][1], PLACES[1][2], 1, Money.reais(5000), "Decreto 31/2027", ponto="P-02"),
        ),
        step=Money.reais(50),
        payment=Payment(instalments=3, index="IPCA"),
        justification="A cidade cresceu e faltam táxis perto do terminal e da praça.",
    )  # fmt: skip
    return replace(made, **changes)


@dataclass
class Passer:
    """Somebody without an account at a browser without scripts: follows the forms as the pages give them."""

    client: FlaskClient
    address: str = "203.0.113.7"
    page: str = ""

    def get(self, path: str) -> TestResponse:
        answer = self.client.get(path, environ_base={"REMOTE_ADDR": self.address})
        if answer.mimetype == "text/html":
            self.page = answer.text
        return answer

    def send(self, path: str, where: str = "", /, **typed: Any) -> TestResponse:
        """Open a page (`where`, else `path`), fill in its form that leads to `path`, and send it."""
        self.get(where or path)
        sent = {**form_of(self.page, path), **typed}
        answer = self.client.post(path, data=sent, environ_base={"REMOTE_ADDR": self.address})
        if answer.mimetype == "text/html":
            self.page = answer.text
        return answer


class Street:
    """The program with published tenders; `hall` holds its house and its offices."""

    def __init__(self, hall: Hall) -> None:
        self.hall = hall

    def ask(self, command: Any, role: Role, command_id: str = "") -> Any:
        """Hand in a command as the holder of an office."""
        return self.hall.house.desk.perform(command, self.hall.actors[role], command_id)

    def register(self) -> None:
        """A decree and three pontos with their places on the map."""
        decree = Decree("31/2027", date(2027, 3, 1), "Fixa os pontos de táxi")
        self.ask(RegisterDecree(decree), Role.SECRETARIAT)
        for code, name, address, x, y in PLACES:
            self.ask(CreateStand(code, name, address, x, y, 2, decree.number), Role.SECRETARIAT)
        self.ask(CountPermits(3, "cadastro da Secretaria"), Role.SECRETARIAT)

    def publish(self, terms: Terms | None = None) -> Terms:
        """Draft by one, every gate opened, published by another."""
        house, seed = self.hall.house, self.seed
        made = demo.filled(terms or terms_of(), self.hall.actors[Role.PREGOEIRO].person, 8500, seed)
        self.ask(DraftEdital(made.edital, made), Role.PREGOEIRO)
        with reading(house.engine) as tx:
            register, town = reads.register(tx, house.book), reads.calendar_of(tx, house.book, seed)
        for role, command in demo.dossier(made, register, town, day_of(house.clock.now())):
            self.ask(command, role)
        self.ask(PublishEdital(made.edital, reads.terms_sha256(made)), Role.MAYOR)
        return made

    @property
    def seed(self) -> Calendar:
        """The municipality's calendar before any decree."""
        return reads.seed_calendar(Path(__file__).parent.parent.parent / "static")

    def passer(self, address: str = "203.0.113.7") -> Passer:
        return Passer(self.hall.app.test_client(), address)

    def view(self, edital: str = EDITAL) -> reads.EditalView:
        with reading(self.hall.house.engine) as tx:
            found = reads.find(tx, edital)
        assert found is not None
        return found

    def book(self, edital: str = EDITAL) -> str:
        """The whole public book of a tender as text."""
        with reading(self.hall.house.engine) as tx:
            return b"".join(self.hall.house.book.export(tx, f"edital/{edital}")).decode()


@contextmanager
def open_street(folder: Path) -> Iterator[Street]:
    """A street with the register and one published tender."""
    with open_hall(folder) as hall:
        street = Street(hall)
        street.register()
        street.publish()
        yield street
