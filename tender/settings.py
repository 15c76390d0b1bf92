"""Settings of one installation: read once from the environment, passed down, never looked up again."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

MIB = 1024 * 1024
DEMO_SECRET = "demonstracao-sem-segredo"  # noqa: S105 - public on purpose; `tender serve` refuses it


class SettingsError(ValueError):
    """A setting that is missing or cannot be used; the text names it and what would pass."""


@dataclass(frozen=True, slots=True)
class Municipality:
    """Who grants. Population with year and source: art. 17 counts it (Lei 724/2008)."""

    name: str = "Araporã"
    state: str = "MG"
    cnpj: str = "16.727.230/0001-97"
    population: int = 8479
    population_source: str = "estimativa de trabalho; confirmar no IBGE antes de publicar"
    comarca: str = "Tupaciguara"
    secretariat: str = "Secretaria de Serviços Urbanos"
    phone: str = "(34) 3284-9500"
    office_hours: str = "seg. a sex., 8h às 17h"


@dataclass(frozen=True, slots=True)
class Smtp:
    """Outgoing mail. An empty host means none: the outbox page shows what would have gone (demo only)."""

    host: str = ""
    port: int = 587
    user: str = ""
    password: str = field(default="", repr=False)
    sender: str = "Licitações Araporã <licitacoes@exemplo.invalid>"
    starttls: bool = True


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings. Sizes in bytes; keys never appear in `repr`."""

    environment: str  # demo | test | production
    database_url: str
    data_dir: Path
    secret_key: str = field(repr=False)
    files_key: str = field(repr=False)  # urlsafe base64 of 32 bytes
    base_url: str = "http://127.0.0.1:8000"
    host: str = "127.0.0.1"
    port: int = 8000
    threads: int = 200
    trusted_proxies: int = 0
    metrics_port: int = 0  # 0 = off; always bound to 127.0.0.1
    upload_max_bytes: int = 10 * MIB
    session_hours: int = 20
    redis_url: str = ""
    municipality: Municipality = field(default_factory=Municipality)
    smtp: Smtp = field(default_factory=Smtp)

    @property
    def is_demo(self) -> bool:
        """True in the demonstration, which shows its log-ins and its outbox."""
        return self.environment == "demo"

    @property
    def secure_cookies(self) -> bool:
        """Cookies are Secure wherever the site is served over https."""
        return self.base_url.startswith("https://")

    @classmethod
    def demo(cls, data_dir: Path, port: int = 8000) -> Settings:
        """Settings of `make demo`: SQLite in `data_dir`, published secrets, no mail."""
        return cls(
            environment="demo",
            database_url=f"sqlite:///{data_dir / 'tender.db'}",
            data_dir=data_dir,
            secret_key=DEMO_SECRET,
            files_key=_key_from(DEMO_SECRET),
            base_url=f"http://127.0.0.1:{port}",
            port=port,
        )

    @classmethod
    def for_tests(cls, data_dir: Path, database_url: str = "") -> Settings:
        """Settings of the test suite, on a database of its own."""
        return cls(
            environment="test",
            database_url=database_url or f"sqlite:///{data_dir / 'tender.db'}",
            data_dir=data_dir,
            secret_key="segredo-dos-testes",  # noqa: S106 - a test's secret protects nothing
            files_key=_key_from("segredo-dos-testes"),
        )

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Settings from `TENDER_*` variables. SettingsError names what is missing and an example that would pass."""
        env = os.environ if environ is None else environ
        data_dir = Path(_need(env, "TENDER_DATA_DIR", "/var/lib/tender"))
        return cls(
            environment=env.get("TENDER_ENVIRONMENT", "production"),
            database_url=_need(env, "TENDER_DATABASE_URL", "postgresql+psycopg:///tender"),
            data_dir=data_dir,
            secret_key=_need(env, "TENDER_SECRET_KEY", "48 caracteres ao acaso"),
            files_key=_files_key(_need(env, "TENDER_FILES_KEY", "32 bytes em base64 urlsafe")),
            base_url=_need(env, "TENDER_BASE_URL", "https://licitacoes.exemplo.mg.gov.br").rstrip("/"),
            host=env.get("TENDER_HOST", "127.0.0.1"),
            port=_number(env, "TENDER_PORT", 8000),
            threads=_number(env, "TENDER_THREADS", 200),
            trusted_proxies=_number(env, "TENDER_TRUSTED_PROXIES", 0),
            metrics_port=_number(env, "TENDER_METRICS_PORT", 0),
            upload_max_bytes=_number(env, "TENDER_UPLOAD_MAX_MIB", 10) * MIB,
            redis_url=env.get("TENDER_REDIS_URL", ""),
            municipality=_municipality(env),
            smtp=_smtp(env),
        )

    def faults(self) -> list[str]:
        """Reasons why these settings may not serve real people (Portuguese, one a line); empty when safe."""
        problems = []
        if self.environment != "production":
            problems.append(f"TENDER_ENVIRONMENT={self.environment}: só production atende o público.")
        if self.secret_key == DEMO_SECRET or len(self.secret_key) < 32:
            problems.append("TENDER_SECRET_KEY é curta ou a da demonstração: use 48 caracteres ao acaso.")
        if self.files_key == _key_from(DEMO_SECRET):
            problems.append("TENDER_FILES_KEY é a da demonstração: gere 32 bytes ao acaso em base64.")
        if not self.secure_cookies:
            problems.append("TENDER_BASE_URL deve começar com https://.")
        if not self.smtp.host:
            problems.append("TENDER_SMTP_HOST está vazio: sem e-mail ninguém confirma o cadastro.")
        return problems


def _need(env: Mapping[str, str], name: str, example: str) -> str:
    value = env.get(name, "").strip()
    if not value:
        raise SettingsError(f"Falta a variável {name} (exemplo: {example}).")
    return value


def _number(env: Mapping[str, str], name: str, default: int) -> int:
    text = env.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdecimal()):
        raise SettingsError(f"{name} deve ser um número inteiro, como {default}; veio {text!r}.")
    return int(text)


def _files_key(text: str) -> str:
    try:
        size = len(base64.urlsafe_b64decode(text.encode()))
    except ValueError:
        size = 0
    if size != 32:
        raise SettingsError("TENDER_FILES_KEY deve ter 32 bytes em base64 urlsafe.")
    return text


def _municipality(env: Mapping[str, str]) -> Municipality:
    base = Municipality()
    return Municipality(
        name=env.get("TENDER_MUNICIPALITY", base.name),
        state=env.get("TENDER_STATE", base.state),
        cnpj=env.get("TENDER_CNPJ", base.cnpj),
        population=_number(env, "TENDER_POPULATION", base.population),
        population_source=env.get("TENDER_POPULATION_SOURCE", base.population_source),
        comarca=env.get("TENDER_COMARCA", base.comarca),
        secretariat=env.get("TENDER_SECRETARIAT", base.secretariat),
        phone=env.get("TENDER_PHONE", base.phone),
        office_hours=env.get("TENDER_OFFICE_HOURS", base.office_hours),
    )


def _smtp(env: Mapping[str, str]) -> Smtp:
    base = Smtp()
    return Smtp(
        host=env.get("TENDER_SMTP_HOST", ""),
        port=_number(env, "TENDER_SMTP_PORT", base.port),
        user=env.get("TENDER_SMTP_USER", ""),
        password=env.get("TENDER_SMTP_PASSWORD", ""),
        sender=env.get("TENDER_SMTP_SENDER", base.sender),
        starttls=env.get("TENDER_SMTP_STARTTLS", "1") != "0",
    )


def _key_from(secret: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(secret.encode()).digest()).decode()
