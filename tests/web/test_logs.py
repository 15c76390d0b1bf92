"""The log: one JSON line a request, without anybody's data."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
import structlog
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from tender.ledger import writing
from tender.web.logs import masked, write_json_lines
from tests.web.conftest import Site
from tests.web.reading import log_lines


def lines(capsys: pytest.CaptureFixture[str], event: str = "request") -> list[dict[str, Any]]:
    """Lines written since the last look that say this."""
    return [line for line in log_lines(capsys.readouterr().err) if line["event"] == event]


def test_a_request_is_one_line_with_route_status_and_duration(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    answer = site.client.get("/aberta")
    (line,) = lines(capsys)
    assert line["ms"] >= 0
    assert line["at"].endswith("Z")
    del line["ms"], line["at"]
    assert line == {
        "event": "request", "level": "info", "logger": "tender.web", "route": "/aberta", "method": "GET", "status": 200,
        "person": "publico", "request_id": answer.headers["X-Request-Id"],
    }  # fmt: skip


def test_a_line_names_a_person_only_by_their_random_id(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    person = site.sign_in()
    site.client.get("/minha")
    err = capsys.readouterr().err
    assert [line["person"] for line in log_lines(err) if line["event"] == "request"] == [person]
    for private in ("Quaresma", "12345678909", "exemplo.invalid"):
        assert private not in err


def test_addresses_that_hold_a_token_are_not_written(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.client.get("/segredo/k7Zq9-token?senha=mesa&cpf=12345678909")
    site.client.get("/nada/k7Zq9-token")
    site.client.get("/erro/500?senha=mesa")
    err = capsys.readouterr().err
    for private in ("k7Zq9", "mesa", "12345678909", "senha"):
        assert private not in err
    assert '"route": "/segredo/<token>"' in err


def test_static_files_are_not_logged(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.client.get("/static/base.css")
    assert lines(capsys) == []


def test_a_strangers_request_id_is_not_taken(site: Site) -> None:
    assert site.client.get("/aberta", headers={"X-Request-Id": "forjado-123"}).headers["X-Request-Id"] != "forjado-123"


@pytest.mark.parametrize(
    ("sent", "is_taken"), [("a1b2c3d4-e5f6", True), ("curto", False), ("x" * 65, False), ("com espaço!", False)]
)
def test_a_trusted_proxys_request_id_is_taken_when_it_is_one(
    make_site: Callable[..., Site], sent: str, is_taken: bool
) -> None:
    site = make_site(trusted_proxies=1)
    assert (site.client.get("/aberta", headers={"X-Request-Id": sent}).headers["X-Request-Id"] == sent) is is_taken


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("CPF 123.456.789-09 recusado", "CPF [CPF] recusado"),
        ("cpf=12345678909,", "cpf=[CPF],"),
        ("123456789-09", "[CPF]"),
        ("123.456.78909", "[CPF]"),
        ("12.345.678/0001-95", "[CNPJ]"),
        ("CNPJ 12345678000195.", "CNPJ [CNPJ]."),
        ("12.ABC.345/01DE-35", "[CNPJ]"),
        ("12ABC34501DE35", "[CNPJ]"),
        ("12345678/0001-95", "[CNPJ]"),
        ("mail a.b+c@exemplo.com.br!", "mail [e-mail]!"),
        ("GET /entrar?senha=mesa HTTP/1.1", "GET /entrar?… HTTP/1.1"),
        ("lance 9500, edital 001-2027, 16/03/2027", "lance 9500, edital 001-2027, 16/03/2027"),
        ("1234567890 e 123456789012", "1234567890 e 123456789012"),
        ("E-3F9A01C2", "E-3F9A01C2"),
        ("DETAIL:  Key (email)=(Ana) already exists.\nCONTEXT: a", "DETAIL: …\nCONTEXT: a"),
    ],
)
def test_what_is_somebodys_is_masked_and_nothing_else(said: str, written: str) -> None:
    assert masked(said) == written
    assert masked({"a": [said, {said: 1}]}) == {"a": [written, {written: 1}]}


def test_every_logger_of_the_process_is_masked(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    logging.getLogger("tender.desk").warning("quem pediu: %s", "123.456.789-09", extra={"contato": "ana@exemplo.com"})
    structlog.get_logger("tender.files").warning("foto de 12345678909", tamanho=3)
    desk, files = log_lines(capsys.readouterr().err)
    assert (desk["event"], desk["contato"]) == ("quem pediu: [CPF]", "[e-mail]")
    assert (files["event"], files["tamanho"], files["level"]) == ("foto de [CPF]", 3, "warning")


def test_the_values_in_a_database_error_are_not_written(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    name = "Ana Quaresma"
    statement = text("INSERT INTO heartbeats VALUES (:process, 1, 1)")
    try:
        with writing(site.house.engine) as tx:
            for _ in range(2):
                tx.execute(statement, {"process": name})
    except IntegrityError:
        logging.getLogger("tender.web").exception("failed")
    (line,) = lines(capsys, "failed")
    assert "IntegrityError" in line["exception"]
    assert "Quaresma" not in line["exception"]


def test_the_servers_own_lines_about_addresses_are_quiet(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    logging.getLogger("werkzeug").info('"GET /entrar?senha=mesa HTTP/1.1" 200')
    logging.getLogger("engineio.server").info("message from x: senha")
    assert capsys.readouterr().err == ""


def test_setting_the_log_up_twice_writes_each_line_once(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    write_json_lines()
    site.client.get("/aberta")
    assert len(lines(capsys)) == 1
