"""The page of own messages shows its owner's and nobody else's; the outbox is for the demonstration alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tender.clerk import Procedure
from tender.clock import FrozenClock
from tender.deadlines import Deadlines
from tender.desk import Desk
from tender.edital.pages.notices import PAGE_NOTICES, notices_bp
from tender.files import Files
from tender.ledger import Book, metadata, open_engine, projections, reading, writing
from tender.notices import Notices
from tender.people import People
from tender.settings import Settings
from tender.web import House, init_web
from tests.notices.conftest import NINE
from tests.notices.samples import LINK, SAMPLES

ROOT = Path(__file__).parent.parent.parent
PASSWORD = "mesa chuva trevo pneu"


class Site:
    """The real glue, the pages of notices, and people who come in."""

    def __init__(self, folder: Path, **changes: Any) -> None:
        self.settings = replace(Settings.for_tests(folder), **changes)
        engine = open_engine(self.settings.database_url)
        metadata.create_all(engine)
        projections.create_all(engine)
        self.clock = FrozenClock(NINE)
        people = People(engine, self.clock, self.settings)
        self.notices = Notices(engine, self.clock, self.settings, lambda tx, person: f"{person}@exemplo.invalid")
        nothing = Procedure({}, {}, {}, (), ())
        desk = Desk(engine, Book(), self.clock, nothing, lambda tx, person, value: person == value)
        self.house = House(
            engine, self.settings, self.clock, Book(), desk, people,
            Files(engine, self.clock, self.settings), self.notices,
            Deadlines(engine, self.clock), nothing,
        )  # fmt: skip
        self.app = Flask("tender", template_folder=str(ROOT / "templates"), static_folder=str(ROOT / "static"))
        init_web(self.app, self.house)
        self.app.register_blueprint(notices_bp)

    def sign_in(self, number: str) -> tuple[str, FlaskClient]:
        """A fresh person with this CPF, signed in; the person's id and browser."""
        person = self.house.people.add_person(
            number, "Ana Quaresma", f"{number}@exemplo.invalid", "(34) 99876-5432", PASSWORD, by="teste"
        )
        client = self.app.test_client()
        client.set_cookie("entrada", self.house.people.open_session(person, "Firefox", "203.0.113.7"))
        return str(person), client

    def send(self, person: str, kind: str = "called", **changes: Any) -> int:
        """Write a notice."""
        with writing(self.house.engine) as tx:
            return self.notices.send(tx, person, kind, link=LINK, **(SAMPLES[kind] | changes))

    def unread(self, person: str) -> int:
        """How many notices the person has not read."""
        with reading(self.house.engine) as tx:
            return self.notices.unread(tx, person)


def token_of(page: str) -> str:
    """The token of the page's forms."""
    found = re.search(r'name="csrf_token" value="([^"]+)"', page)
    assert found, "the page has no form"
    return found[1]


@pytest.fixture
def make_site(tmp_path: Path) -> Iterator[Callable[..., Site]]:
    """Makes a site; keyword arguments change its settings."""
    made: list[Site] = []

    def make(**changes: Any) -> Site:
        made.append(Site(tmp_path, **changes))
        return made[-1]

    yield make
    for site in made:
        site.house.engine.dispose()


@pytest.fixture
def site(make_site: Callable[..., Site]) -> Site:
    """The site as in the tests."""
    return make_site()


def test_everybody_sees_the_own_notices_and_no_others(site: Site) -> None:
    (ana, hers), (rui, his) = site.sign_in("12345678909"), site.sign_in("98765432100")
    site.send(ana, "called")
    site.send(rui, "inhabilitated")
    page = hers.get("/minhas/mensagens").text
    assert "Você foi chamado: Ponto 3" in page
    assert "Seus documentos não foram aceitos" not in page
    assert f'href="http://127.0.0.1:8000{LINK}"' in page
    assert "Seus documentos não foram aceitos" in his.get("/minhas/mensagens").text


def test_whoever_is_not_signed_in_is_shown_the_way_in(site: Site) -> None:
    answer = site.app.test_client().get("/minhas/mensagens")
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/entrar?next=")


def test_an_empty_page_says_so(site: Site) -> None:
    _, client = site.sign_in("12345678909")
    assert "Nenhuma mensagem ainda." in client.get("/minhas/mensagens").text


def test_marking_as_read_marks_the_own_notice_alone(site: Site) -> None:
    (ana, hers), (rui, _) = site.sign_in("12345678909"), site.sign_in("98765432100")
    own, other = site.send(ana), site.send(rui)
    page = hers.get("/minhas/mensagens").text
    assert ">Nova</span>" in page
    form = {"csrf_token": token_of(page)}
    answer = hers.post(f"/minhas/mensagens/{own}/lida", data=form)
    assert answer.status_code == 303
    assert answer.headers["Location"].endswith(f"#aviso-{own}")
    assert (site.unread(ana), site.unread(rui)) == (0, 1)
    assert ">Lida</span>" in hers.get("/minhas/mensagens").text
    for wrong in (other, own + 1000, 2**31, 10**30):
        assert hers.post(f"/minhas/mensagens/{wrong}/lida", data=form).status_code == 404
    assert site.unread(rui) == 1


def test_a_mark_without_the_forms_token_is_refused(site: Site) -> None:
    ana, hers = site.sign_in("12345678909")
    own = site.send(ana)
    assert hers.post(f"/minhas/mensagens/{own}/lida").status_code == 400
    assert hers.post("/minhas/mensagens/lidas").status_code == 400
    assert site.unread(ana) == 1


def test_all_are_marked_at_once(site: Site) -> None:
    ana, hers = site.sign_in("12345678909")
    for _ in range(3):
        site.send(ana)
    page = hers.get("/minhas/mensagens").text
    assert "Marcar as 3 novas como lidas" in page
    assert hers.post("/minhas/mensagens/lidas", data={"csrf_token": token_of(page)}).status_code == 303
    assert site.unread(ana) == 0
    assert "novas como lidas" not in hers.get("/minhas/mensagens").text


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ("", 24, 5),
        ("?pagina=2", 4, 1),
        ("?pagina=99999999999999999999", 4, 1),
        ("?pagina=-1", 24, 5),
        ("?pagina=a", 24, 5),
    ],
)
def test_many_notices_come_in_pages_newest_first(site: Site, asked: str, first: int, last: int) -> None:
    ana, hers = site.sign_in("12345678909")
    for number in range(1, PAGE_NOTICES + 5):
        site.send(ana, stand=number)
    page = hers.get(f"/minhas/mensagens{asked}").text
    shown = [int(number) for number in re.findall(r">Você foi chamado: Ponto (\d+)</h2>", page)]
    assert shown == list(range(first, last - 1, -1))


def test_what_somebody_typed_is_text_on_the_page(site: Site) -> None:
    ana, hers = site.sign_in("12345678909")
    site.send(ana, "diligence_asked", reason="<script>alert(1)</script>", document="<b>CNH</b>")
    page = hers.get("/minhas/mensagens").text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<b>CNH</b>" not in page


def test_what_proves_an_address_is_not_on_the_page(site: Site) -> None:
    ana, hers = site.sign_in("12345678909")
    site.send(ana, "confirm_email")
    assert "Confirme seu e-mail" not in hers.get("/minhas/mensagens").text


# --- the outbox of the demonstration ---------------------------------------------------------------------------------


def test_the_demonstration_shows_what_it_would_have_mailed(make_site: Callable[..., Site]) -> None:
    site = make_site(environment="demo")
    ana, _ = site.sign_in("12345678909")
    site.send(ana, "confirm_email")
    site.notices.deliver_due()
    page = site.app.test_client().get("/demo/saida").text
    assert "Confirme seu e-mail" in page
    assert f"para {ana}@exemplo.invalid" in page
    assert f'href="http://127.0.0.1:8000{LINK}"' in page
    assert "só na tela" in page


@pytest.mark.parametrize("environment", ["production", "test"])
def test_nowhere_else_is_there_an_outbox(make_site: Callable[..., Site], environment: str) -> None:
    site = make_site(environment=environment)
    answer = site.app.test_client().get("/demo/saida", base_url=site.settings.base_url)
    assert answer.status_code == 404
