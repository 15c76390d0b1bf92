"""Settings: what is missing or cannot be used is named with what would pass; nothing secret is ever shown."""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path

import pytest

from tender.settings import DEMO_SECRET, MIB, NEEDED, Municipality, Settings, SettingsError, Smtp

KEY = base64.urlsafe_b64encode(bytes(range(200, 232))).decode()
ENV = {
    "TENDER_DATA_DIR": "/srv/tender",
    "TENDER_DATABASE_URL": "postgresql+psycopg://tender:senha-do-banco@banco/tender",
    "TENDER_SECRET_KEY": "k" * 32,
    "TENDER_FILES_KEY": KEY,
    "TENDER_BASE_URL": "https://licitacoes.exemplo.mg.gov.br/",
    "TENDER_SMTP_HOST": "smtp.exemplo.invalid",
    "TENDER_SMTP_PASSWORD": "senha-do-correio",
    "TENDER_REDIS_URL": "redis://:senha-do-redis@fila/0",
}


def read(**changes: str | None) -> Settings:
    """Settings from a good environment with these variables changed, or left out where None."""
    return Settings.from_environment({name: value for name, value in {**ENV, **changes}.items() if value is not None})


def refused(**changes: str | None) -> str:
    """What is said about an environment that cannot be used."""
    with pytest.raises(SettingsError) as caught:
        read(**changes)
    return str(caught.value)


def test_a_good_environment_serves_the_public() -> None:
    settings = read()
    assert settings.faults() == []
    assert settings.environment == "production"
    assert settings.data_dir == Path("/srv/tender")
    assert settings.base_url == "https://licitacoes.exemplo.mg.gov.br"
    assert settings.files_key == KEY
    assert (settings.host, settings.port, settings.metrics_port) == ("127.0.0.1", 8000, 0)
    assert settings.upload_max_bytes == 10 * MIB
    assert settings.municipality == Municipality()
    assert settings.secure_cookies
    assert not settings.is_demo


def test_each_variable_is_read() -> None:
    settings = read(
        TENDER_ENVIRONMENT="demo", TENDER_HOST="10.0.0.7", TENDER_PORT="65535", TENDER_THREADS="8",
        TENDER_TRUSTED_PROXIES="1", TENDER_METRICS_PORT="9100", TENDER_UPLOAD_MAX_MIB="25", TENDER_MUNICIPALITY="Vila",
        TENDER_STATE="SP", TENDER_CNPJ="00", TENDER_POPULATION="12000", TENDER_POPULATION_SOURCE="IBGE 2026",
        TENDER_COMARCA="Vila", TENDER_SECRETARIAT="Secretaria", TENDER_PHONE="190", TENDER_EXPEDIENTE="sempre",
        TENDER_SMTP_PORT="25", TENDER_SMTP_USER="u", TENDER_SMTP_SENDER="s@exemplo.invalid", TENDER_SMTP_STARTTLS="0",
    )  # fmt: skip
    assert (settings.environment, settings.host, settings.port) == ("demo", "10.0.0.7", 65535)
    assert (settings.threads, settings.trusted_proxies, settings.metrics_port) == (8, 1, 9100)
    assert settings.upload_max_bytes == 25 * MIB
    assert settings.redis_url == ENV["TENDER_REDIS_URL"]
    assert settings.municipality == Municipality(
        "Vila", "SP", "00", 12000, "IBGE 2026", "Vila", "Secretaria", "190", "sempre"
    )
    assert settings.smtp == Smtp(
        "smtp.exemplo.invalid", 25, "u", "senha-do-correio", "s@exemplo.invalid", starttls=False
    )


@pytest.mark.parametrize("name", NEEDED)
def test_a_missing_variable_is_named_with_an_example(name: str) -> None:
    for nothing in (None, "", "  "):
        assert refused(**{name: nothing}) == f"Falta a variável {name} (exemplo: {NEEDED[name]})."


def test_all_that_is_missing_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NEEDED:
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SettingsError) as caught:
        Settings.from_environment()
    assert [line.split()[3] for line in str(caught.value).splitlines()] == list(NEEDED)


def test_the_examples_would_not_serve_the_public_by_accident() -> None:
    copied = read(TENDER_SECRET_KEY=NEEDED["TENDER_SECRET_KEY"])
    assert [fault.split()[0] for fault in copied.faults()] == ["TENDER_SECRET_KEY"]
    assert "TENDER_FILES_KEY" in refused(TENDER_FILES_KEY=NEEDED["TENDER_FILES_KEY"])


@pytest.mark.parametrize("text", ["x", "-1", "8000.0", "8 000", "0x10", "1_000", "٨٠٠٠", "8²", "9" * 5000])
def test_a_number_that_is_none_is_named(text: str) -> None:
    said = refused(TENDER_PORT=text)
    assert said.startswith("TENDER_PORT deve ser um número inteiro de 1 a 65535, como 8000; veio ")
    assert len(said) < 140


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("TENDER_PORT", 1, 65_535), ("TENDER_METRICS_PORT", 0, 65_535), ("TENDER_SMTP_PORT", 1, 65_535),
        ("TENDER_THREADS", 1, 10_000), ("TENDER_TRUSTED_PROXIES", 0, 10), ("TENDER_UPLOAD_MAX_MIB", 1, 1024),
        ("TENDER_POPULATION", 1, 10**9),
    ],
)  # fmt: skip
def test_a_number_has_its_bounds(name: str, least: int, most: int) -> None:
    for good in (least, most):
        assert read(**{name: f" {good} "}).faults() == []
    for bad in (least - 1, most + 1):
        assert name in refused(**{name: str(bad)})


@pytest.mark.parametrize(
    "text",
    ["x", "á", KEY[:-1], KEY + "=", f"{KEY[:10]}!{KEY[10:]}", f"{KEY[:10]} {KEY[10:]}", KEY * 2,
     base64.urlsafe_b64encode(bytes(31)).decode(), base64.urlsafe_b64encode(bytes(33)).decode(),
     base64.b64encode(b"\xff" * 32).decode(), bytes(32).hex()],
)  # fmt: skip
def test_a_key_has_one_spelling_of_32_bytes(text: str) -> None:
    said = refused(TENDER_FILES_KEY=text)
    assert "44 sinais" in said
    assert "python3 -c" in said
    assert text not in said
    assert read(TENDER_FILES_KEY=f" {KEY}\n").files_key == KEY


def test_yes_and_no_are_one_and_nought() -> None:
    assert [read(TENDER_SMTP_STARTTLS=text).smtp.starttls for text in ("1", "0", "", None)] == [True, False, True, True]
    for text in ("não", "false", "no", "true", "2"):
        assert refused(TENDER_SMTP_STARTTLS=text).startswith("TENDER_SMTP_STARTTLS deve ser 1 (sim) ou 0 (não)")


def test_an_environment_has_a_known_name() -> None:
    assert [read(TENDER_ENVIRONMENT=name).environment for name in ("", "test", " demo ")] == [
        "production",
        "test",
        "demo",
    ]
    for name in ("prod", "Production", "producao"):
        assert refused(TENDER_ENVIRONMENT=name).startswith("TENDER_ENVIRONMENT deve ser production, demo ou test")


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"environment": "demo"}, "TENDER_ENVIRONMENT"),
        ({"environment": "test"}, "TENDER_ENVIRONMENT"),
        ({"secret_key": "k" * 31}, "TENDER_SECRET_KEY"),
        ({"secret_key": DEMO_SECRET}, "TENDER_SECRET_KEY"),
        ({"files_key": Settings.demo(Path("x")).files_key}, "TENDER_FILES_KEY"),
        ({"files_key": Settings.for_tests(Path("x")).files_key}, "TENDER_FILES_KEY"),
        ({"base_url": "http://licitacoes.exemplo.mg.gov.br"}, "TENDER_BASE_URL"),
        ({"base_url": "licitacoes.exemplo.mg.gov.br"}, "TENDER_BASE_URL"),
        ({"smtp": Smtp()}, "TENDER_SMTP_HOST"),
    ],
)
def test_what_may_not_serve_real_people_is_named(changes: dict[str, object], named: str) -> None:
    (fault,) = replace(read(), **changes).faults()  # type: ignore[arg-type]
    assert fault.startswith(named)
    assert fault.endswith(".")


def test_the_demonstration_never_passes_for_the_real_thing(tmp_path: Path) -> None:
    for settings in (Settings.demo(tmp_path), Settings.for_tests(tmp_path)):
        assert [fault.partition("_")[2].split()[0].rstrip(":").split("=")[0] for fault in settings.faults()] == [
            "ENVIRONMENT", "SECRET_KEY", "FILES_KEY", "BASE_URL", "SMTP_HOST",
        ]  # fmt: skip
    assert Settings.demo(tmp_path, 9000).base_url == "http://127.0.0.1:9000"
    assert Settings.demo(tmp_path).is_demo
    assert Settings.for_tests(tmp_path).database_url == f"sqlite:///{tmp_path}/tender.db"
    assert Settings.for_tests(tmp_path, "sqlite://").database_url == "sqlite://"


def test_no_key_and_no_password_shows_itself() -> None:
    shown = repr(read()) + str(read())
    secrets = (ENV["TENDER_SECRET_KEY"], KEY, "senha-do-banco", "senha-do-correio", "senha-do-redis")
    assert [secret for secret in secrets if secret in shown] == []
    assert "licitacoes.exemplo.mg.gov.br" in shown
