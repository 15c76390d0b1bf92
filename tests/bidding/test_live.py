"""The live room's wire in hostile hands: what is malformed, foreign or nobody's changes nothing and breaks nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select
from werkzeug.test import TestResponse

from tender.acts import Actor, Role, StandId
from tender.answers import answers
from tender.app import build_house, create_app, init_socket
from tender.bidding.model import StartContest
from tender.demo import EDITAL, NOTES, seed
from tender.ledger import reading
from tender.settings import Settings
from tender.web import House, session_cookie
from tests.web.reading import token_in

ROOM = f"/sala/{EDITAL}/1"


@dataclass
class Auction:
    """The demonstration with its first stand in dispute."""

    app: Flask
    house: House
    notes: dict[str, Any]

    def at(self, key: str = "") -> FlaskClient:
        """A browser: of a participant, or of nobody."""
        client = self.app.test_client()
        if key:
            token = self.house.people.open_session(self.notes[key]["person"], "teste", "127.0.0.1")
            with self.app.test_request_context():
                client.set_cookie(session_cookie(), token)
        return client

    def send(self, client: FlaskClient, path: str, body: Any) -> TestResponse:
        """POST a JSON body, text as it is, with a good token."""
        where = ROOM if client.get(ROOM).status_code == 200 else "/entrar"
        headers = {"X-CSRFToken": token_in(client.get(where).text), "Sec-Fetch-Site": "same-origin"}
        text = body if isinstance(body, str) else json.dumps(body)
        return client.post(path, data=text, content_type="application/json", headers=headers)

    def kept(self) -> int:
        """How many answers the desk has given."""
        with reading(self.house.engine) as tx:
            return int(tx.execute(select(func.count()).select_from(answers)).scalar_one())


@pytest.fixture(scope="module")
def auction(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Auction]:
    """Seeded once: every test here leaves the stand open."""
    folder: Path = tmp_path_factory.mktemp("hostil")
    seed(Settings.demo(folder / "dados"), open_stage=3600)
    notes = json.loads((folder / "dados" / NOTES).read_text("utf-8"))
    house = build_house(Settings.demo(folder / "dados"))
    app = create_app(house)
    house.desk.start()
    officer = Actor(notes["pregoeira"]["person"], frozenset({Role.PREGOEIRO}), second_factor=True)
    house.desk.perform(StartContest(EDITAL, StandId(1)), officer)
    yield Auction(app, house, notes)
    house.desk.stop()
    house.engine.dispose()


@pytest.mark.parametrize(
    "body", ['"x"', "5", "true", "null", "[]", "[1]", "{", "[" * 60_000], ids=lambda body: body[:5]
)
@pytest.mark.parametrize("path", ["lances", "desfazer"])
def test_what_is_not_an_object_is_a_bad_request_and_no_fault_of_ours(auction: Auction, path: str, body: str) -> None:
    answer = auction.send(auction.at("antonio"), f"{ROOM}/{path}", body)
    assert answer.status_code == 400
    assert answer.json is not None
    assert "objeto JSON" in answer.json["motivo"]


def test_who_is_nobody_does_not_reach_the_desk(auction: Auction) -> None:
    before = auction.kept()
    answer = auction.send(auction.at(), f"{ROOM}/lances", {"id": str(uuid4()), "valor": "90.000"})
    assert (answer.status_code, auction.kept()) == (409, before)
    assert answer.json is not None
    assert answer.json["codigo"] == "sem_competencia"


def test_a_refusal_of_somebody_known_is_kept(auction: Auction) -> None:
    before = auction.kept()
    answer = auction.send(auction.at("antonio"), f"/sala/{EDITAL}/2/lances", {"id": str(uuid4()), "valor": "90.000"})
    assert (answer.status_code, auction.kept()) == (409, before + 1)


@pytest.mark.parametrize("number", [2**31 - 1, 2**31, 10**20])
@pytest.mark.parametrize("path", ["/l/{0}/pontos/{1}/vivo", "/l/{0}/pontos/{1}/eventos", "/l/{0}/resultado/{1}"])
def test_a_stand_beyond_every_number_is_not_found(auction: Auction, path: str, number: int) -> None:
    assert auction.at().get(path.format(EDITAL, number)).status_code == 404


def test_the_last_number_of_a_stand_is_asked_at_the_desk_and_the_next_is_no_address(auction: Auction) -> None:
    client = auction.at("antonio")
    statuses = [
        auction.send(client, f"/sala/{EDITAL}/{number}/lances", {"id": str(uuid4()), "valor": "90.000"}).status_code
        for number in (2**31 - 1, 2**31)
    ]
    assert statuses == [409, 404]


def test_a_receipt_is_its_owners_however_the_id_is_written(auction: Auction) -> None:
    owner, rival, sent = auction.at("luciana"), auction.at("joao"), str(uuid4())
    assert auction.send(owner, f"{ROOM}/lances", {"id": sent, "valor": "100.000"}).status_code == 201
    found = [who.get(f"{ROOM}/lances/{one}").status_code for who in (owner, rival) for one in (sent, sent.upper())]
    assert found == [201, 201, 404, 404]
    undone = str(uuid4())
    assert auction.send(owner, f"{ROOM}/desfazer", {"pedido": undone}).status_code == 201
    assert owner.get(f"{ROOM}/lances/{undone}").status_code == 404


def test_an_answer_that_a_shared_cache_keeps_carries_nobodys_cookie(auction: Auction) -> None:
    client = auction.at()
    assert "Set-Cookie" in client.get("/entrar").headers
    answer = client.get(f"/l/{EDITAL}/pontos/1/eventos")
    assert "public" in answer.headers["Cache-Control"]
    assert "Set-Cookie" not in answer.headers


def test_a_viewer_hears_of_stands_that_exist_and_of_nothing_else(auction: Auction) -> None:
    socketio = init_socket(auction.app, auction.house)
    viewer = socketio.test_client(auction.app)
    there = {"edital": EDITAL, "ponto": 1}
    others: tuple[dict[str, Any], ...] = ({"ponto": 3}, {"ponto": True}, {"ponto": 2**70}, {"ponto": "1"})
    others += ({"edital": "x" * 9000}, {"edital": f"{EDITAL}\0"}, {"edital": [EDITAL]})
    odd = (None, [], 5, "x", [there], *({**there, **other} for other in others))
    for sent in odd:
        viewer.emit("assistir", sent)
    viewer.emit("assistir")
    viewer.emit("assistir", there, there)
    rooms = set(socketio.server.manager.rooms["/"]) - {None}
    assert {one for one in rooms if one.startswith("ponto/")} == {f"ponto/{EDITAL}/1"}
