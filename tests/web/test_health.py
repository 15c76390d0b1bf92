"""Is the service whole, and its figures."""

from __future__ import annotations

import urllib.request
from collections.abc import Callable
from datetime import timedelta

import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from tender.acts import SYSTEM, EditalId
from tender.deadlines import OUTAGE
from tender.edital.model import CloseApplications
from tender.ledger import writing
from tender.web import serve_metrics
from tender.web.metrics import EXTENSION
from tests import machine
from tests.web.conftest import START, Site

JSON = {"Accept": "application/json"}


def figures(site: Site) -> dict[str, float]:
    """The figures without labels, and those of requests by "route status"."""
    text = generate_latest(site.app.extensions[EXTENSION]).decode()
    found = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if sample.name == "tender_requests_total":
                found[f"{sample.labels['route']} {sample.labels['status']}"] = sample.value
            elif not sample.labels:
                found[sample.name] = sample.value
    return found


def test_a_whole_service_says_so(make_site: Callable[..., Site]) -> None:
    site = make_site()
    site.write_notices(2)
    answer = site.client.get("/saude", headers=JSON)
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.json == {
        "funciona": True,
        "hora": "2027-03-16T17:18:13.042Z",
        "partes": {
            "banco": {"funciona": True, "texto": "responde"},
            "balcao": {"funciona": True, "texto": "0 na fila, 0 atendidos"},
            "prazos": {"funciona": True, "texto": "último sinal há 0 s, 0 atrasados"},
            "avisos": {"funciona": True, "texto": "2 avisos por enviar"},
        },
    }
    assert "Tudo funciona" in site.client.get("/saude").text


@pytest.mark.parametrize(("silence", "status"), [(OUTAGE, 200), (OUTAGE + timedelta(microseconds=1), 503)])
def test_a_ticker_may_be_silent_as_long_as_an_outage_takes(site: Site, silence: timedelta, status: int) -> None:
    site.clock.advance(silence)
    answer = site.client.get("/saude", headers=JSON)
    assert answer.status_code == status
    assert answer.get_json()["partes"]["prazos"]["funciona"] is (status == 200)


def test_a_desk_that_stopped_is_seen_and_hides_nothing_else(site: Site) -> None:
    site.house.desk.stop()
    answer = site.client.get("/saude", headers=JSON)
    assert answer.status_code == 503
    working = {name: part["funciona"] for name, part in answer.get_json()["partes"].items()}
    assert working == {"banco": True, "balcao": False, "prazos": True, "avisos": True}
    assert "Há um problema" in site.client.get("/saude").text


def test_a_database_that_is_gone_is_seen(site: Site) -> None:
    site.house.desk.stop()
    site.house.engine.dispose()
    for file in site.house.settings.data_dir.glob("tender.db*"):
        file.write_bytes(b"not a database any more")
    answer = site.client.get("/saude", headers=JSON)
    assert answer.status_code == 503
    assert answer.get_json()["partes"]["banco"] == {"funciona": False, "texto": "não responde"}


def test_parts_whose_tables_are_gone_are_seen(site: Site) -> None:
    with writing(site.house.engine) as tx:
        for table in ("heartbeats", "outbox"):
            tx.exec_driver_sql(f"DROP TABLE {table}")
    answer = site.client.get("/saude", headers=JSON)
    assert answer.status_code == 503
    parts = answer.get_json()["partes"]
    assert parts["banco"]["funciona"] is parts["balcao"]["funciona"] is True
    assert parts["prazos"] == parts["avisos"] == {"funciona": False, "texto": "não responde"}


def test_the_health_page_tells_no_secret(site: Site) -> None:
    page = site.client.get("/saude").text + site.client.get("/saude", headers=JSON).text
    for secret in (
        site.house.settings.secret_key,
        site.house.settings.files_key,
        "sqlite",
        str(site.house.settings.data_dir),
    ):
        assert secret not in page


# --- figures ----------------------------------------------------------------------------------------------------------


def test_requests_are_counted_by_route_and_status(site: Site) -> None:
    for address in ("/segredo/a", "/segredo/b", "/nada", "/erro/404"):
        site.client.get(address)
    found = figures(site)
    assert found["/segredo/<token> 200"] == 2
    assert found["- 404"] == 1
    assert found["/erro/<int:status> 404"] == 1


def test_the_parts_of_the_house_give_their_figures(make_site: Callable[..., Site]) -> None:
    site = make_site()
    site.write_notices(3)
    command = CloseApplications(EditalId("001-2027"))
    site.house.desk.perform(command, SYSTEM)
    with writing(site.house.engine) as tx:
        site.house.deadlines.set(tx, "a", "edital/001-2027", START + timedelta(seconds=1), command)
    site.clock.advance(timedelta(seconds=2))
    found = figures(site)
    assert found["tender_desk_served_total"] == 1
    assert found["tender_desk_batches_total"] == 1
    assert found["tender_desk_broken_total"] == 0
    assert found["tender_desk_waiting"] == 0
    assert found["tender_desk_alive"] == 1
    assert found["tender_deadlines_late"] == 1
    assert found["tender_heartbeat_age_seconds"] == 2
    assert found["tender_outbox_waiting"] == 3


def test_a_figure_that_cannot_be_had_is_missing_and_the_others_come(site: Site) -> None:
    with writing(site.house.engine) as tx:
        tx.exec_driver_sql("DROP TABLE deadlines")
    found = figures(site)
    assert "tender_deadlines_late" not in found
    assert found["tender_outbox_waiting"] == 0


def test_figures_are_served_on_this_machine_only_each_process_on_its_own_port(site: Site, ports: int) -> None:
    first, second = serve_metrics(site.app, ports), serve_metrics(site.app, ports)
    assert first >= ports
    assert second > first
    for port in (first, second):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
            assert b"tender_desk_alive 1.0" in answer.read()
    assert site.client.get("/metrics").status_code == 404


def test_without_a_port_no_figures_are_served(site: Site) -> None:
    assert serve_metrics(site.app, 0) == 0


@pytest.fixture
def ports() -> int:
    """The first of some ports that nobody listens on."""
    return machine.free_port()


def test_a_made_up_method_makes_no_figure_of_its_own(site: Site) -> None:
    for method in ("GET", "INVENTADO1", "INVENTADO2"):
        site.client.open("/saude", method=method)
    metrics = site.app.extensions[EXTENSION].collect()
    methods = {sample.labels["method"] for one in metrics for sample in one.samples if "method" in sample.labels}
    assert methods == {"GET", "-"}
