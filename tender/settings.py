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
TEST_SECRET = "segredo-dos-testes"  # noqa: S105 - as public as that one
PORT_MAX = 65_535
ENVIRONMENTS = ("production", "demo", "test")
NEEDED = {
    "TENDER_DATA_DIR": "/var/lib/tender",
    "TENDER_DATABASE_URL": "postgresql+psycopg:///tender",
    "TENDER_SECRET_KEY": "48 caracteres ao acaso",
    "TENDER_FILES_KEY": "32 bytes em base64 urlsafe",
    "TENDER_BASE_URL": "https://licitacoes.exemplo.mg.gov.br",
}
"""Variables without which nothing runs, each with an example."""


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
    expediente: str = "seg. a sex., 8h às 17h"


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
    """All settings. Sizes in bytes; keys and passwords, also those within addresses, never appear in `repr`."""

    environment: str  # one of ENVIRONMENTS
    database_url: str = field(repr=False)
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
    redis_url: str = field(default="", repr=False)
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
            secret_key=TEST_SECRET,
            files_key=_key_from(TEST_SECRET),
        )

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Settings from `TENDER_*` variables. SettingsError names all that are missing, each with an example."""
        env = os.environ if environ is None else environ
        needed = {name: env.get(name, "").strip() for name in NEEDED}
        missing = [f"Falta a variável {name} (exemplo: {NEEDED[name]})." for name, value in needed.items() if not value]
        if missing:
            raise SettingsError("\n".join(missing))
        return cls(
            environment=_environment(env),
            database_url=needed["TENDER_DATABASE_URL"],
            data_dir=Path(needed["TENDER_DATA_DIR"]),
            secret_key=needed["TENDER_SECRET_KEY"],
            files_key=_files_key(needed["TENDER_FILES_KEY"]),
            base_url=needed["TENDER_BASE_URL"].rstrip("/"),
            host=env.get("TENDER_HOST", "127.0.0.1"),
            port=_number(env, "TENDER_PORT", 8000, least=1, most=PORT_MAX),
            threads=_number(env, "TENDER_THREADS", 200, least=1, most=10_000),
            trusted_proxies=_number(env, "TENDER_TRUSTED_PROXIES", 0, most=10),
            metrics_port=_number(env, "TENDER_METRICS_PORT", 0, most=PORT_MAX),
            upload_max_bytes=_number(env, "TENDER_UPLOAD_MAX_MIB", 10, least=1, most=1024) * MIB,
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
        if self.files_key in (_key_from(DEMO_SECRET), _key_from(TEST_SECRET)):
            problems.append("TENDER_FILES_KEY é a da demonstração: gere 32 bytes ao acaso em base64.")
        if not self.secure_cookies:
            problems.append("TENDER_BASE_URL deve começar com https://.")
        if not self.smtp.host:
            problems.append("TENDER_SMTP_HOST está vazio: sem e-mail ninguém confirma o cadastro.")
        return problems


def _environment(env: Mapping[str, str]) -> str:
    name = env.get("TENDER_ENVIRONMENT", "").strip() or ENVIRONMENTS[0]
    if name not in ENVIRONMENTS:
        raise SettingsError(f"TENDER_ENVIRONMENT deve ser {', '.join(ENVIRONMENTS[:-1])} ou test; veio {name[:40]!r}.")
    return name


def _number(env: Mapping[str, str], name: str, default: int, least: int = 0, most: int = 10**9) -> int:
    text = env.get(name, "").strip()
    if not text:
        return default
    # The length first: Python refuses to convert thousands of digits with an error of its own.
    if not (text.isascii() and text.isdecimal() and len(text) < 12 and least <= int(text) <= most):
        raise SettingsError(
            f"{name} deve ser um número inteiro de {least} a {most}, como {default}; veio {text[:40]!r}."
        )
    return int(text)


def _yes_or_no(env: Mapping[str, str], name: str, default: bool) -> bool:
    text = env.get(name, "").strip()
    if text not in ("", "0", "1"):
        raise SettingsError(f"{name} deve ser 1 (sim) ou 0 (não); veio {text[:40]!r}.")
    return text == "1" if text else default


def _files_key(text: str) -> str:
    try:
        key = base64.urlsafe_b64decode(text.encode())
    except ValueError:
        key = b""
    # Compared as text: the decoder passes over signs that it does not know, and two spellings would be one key.
    if len(key) != 32 or base64.urlsafe_b64encode(key).decode() != text:
        raise SettingsError(
            "TENDER_FILES_KEY deve ter 32 bytes em base64 urlsafe (44 sinais); gere uma com: python3 -c "
            '"import base64, os; print(base64.urlsafe_b64encode(os.urandom(32)).decode())"'
        )
    return text


def _municipality(env: Mapping[str, str]) -> Municipality:
    base = Municipality()
    return Municipality(
        name=env.get("TENDER_MUNICIPALITY", base.name),
        state=env.get("TENDER_STATE", base.state),
        cnpj=env.get("TENDER_CNPJ", base.cnpj),
        population=_number(env, "TENDER_POPULATION", base.population, least=1),
        population_source=env.get("TENDER_POPULATION_SOURCE", base.population_source),
        comarca=env.get("TENDER_COMARCA", base.comarca),
        secretariat=env.get("TENDER_SECRETARIAT", base.secretariat),
        phone=env.get("TENDER_PHONE", base.phone),
        expediente=env.get("TENDER_EXPEDIENTE", base.expediente),
    )


def _smtp(env: Mapping[str, str]) -> Smtp:
    base = Smtp()
    return Smtp(
        host=env.get("TENDER_SMTP_HOST", ""),
        port=_number(env, "TENDER_SMTP_PORT", base.port, least=1, most=PORT_MAX),
        user=env.get("TENDER_SMTP_USER", ""),
        password=env.get("TENDER_SMTP_PASSWORD", ""),
        sender=env.get("TENDER_SMTP_SENDER", base.sender),
        starttls=_yes_or_no(env, "TENDER_SMTP_STARTTLS", base.starttls),
    )


def _key_from(secret: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(secret.encode()).digest()).decode()
