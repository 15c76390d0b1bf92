"""The `tender` command: demo, serve, verify, export, rebuild, user. Says what it did in Portuguese; exits 0 or not."""

from __future__ import annotations

import argparse
import getpass
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tender import verifier
from tender.acts import OFFICES_ROLES, Refusal, Role
from tender.settings import PORT_MAX, Settings, SettingsError

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from tender.people import People

DATABASE_HINT = (
    "Confira TENDER_DATABASE_URL, se o banco está no ar e se a pasta dele existe; num banco novo, rode antes: "
    "tender db upgrade"
)


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns its exit code."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    if not hasattr(asked, "run"):
        parser.print_help()
        return 2
    from sqlalchemy.exc import DBAPIError

    try:
        with ExitStack() as asked.opened:
            code: int = asked.run(asked)
    except DBAPIError as error:
        sys.stderr.write(f"O banco não respondeu como devia: {str(error.orig).splitlines()[0]}\n{DATABASE_HINT}\n")
        return 1
    except OSError as error:
        sys.stderr.write(f"Não foi possível ler ou escrever {error.filename or ''}: {error.strerror or error}.\n")
        return 1
    except KeyboardInterrupt:
        return 130
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tender", description="Licitações que ninguém precisa aceitar por confiança.")
    commands = parser.add_subparsers(title="comandos", metavar="COMANDO")

    demo = commands.add_parser("demo", help="abre o portal de demonstração em 127.0.0.1:8000")
    demo.add_argument("--port", type=_port, default=8000)
    demo.add_argument("--data", type=Path, default=Path("var/demo"), help="pasta do banco e dos arquivos")
    demo.add_argument("--open-stage", type=int, default=180, metavar="SEGUNDOS", help="duração da etapa aberta")
    demo.add_argument("--fresh", action="store_true", help="apaga a demonstração anterior e começa de novo")
    demo.set_defaults(run=_demo)

    serve = commands.add_parser("serve", help="atende o público, com as configurações TENDER_* do ambiente")
    serve.set_defaults(run=_serve)

    verify = commands.add_parser("verify", help="confere um livro exportado (JSONL)")
    verify.add_argument("file")
    verify.add_argument("--head", help="hash que deve estar no livro (do recibo, da ata ou do QR code)")
    verify.set_defaults(run=_verify)

    rebuild = commands.add_parser("rebuild", help="refaz do livro tudo o que dele se calcula")
    rebuild.set_defaults(run=_rebuild)

    _user_parser(commands)
    db = commands.add_parser("db", help="banco de dados: tender db upgrade")
    db.add_argument("act", choices=["upgrade"])
    db.set_defaults(run=_upgrade)

    export = commands.add_parser("export", help="exporta um livro: tender export edital/001-2027 > livro.jsonl")
    export.add_argument("chain")
    export.set_defaults(run=_export)
    return parser


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:6]) <= PORT_MAX):
        raise argparse.ArgumentTypeError(f"a porta é um número de 1 a {PORT_MAX}, como 8000; veio {text[:20]!r}")
    return int(text)


def _user_parser(commands: Any) -> None:
    user = commands.add_parser("user", help="cargos: quem exerce, nomear, exonerar, encerrar acessos")
    acts = user.add_subparsers(title="atos", metavar="ATO", required=True)
    offices = sorted(role.value for role in OFFICES_ROLES)
    acts.add_parser("list", help="nomeações, com o ato de cada uma").set_defaults(run=_user_list)
    for name, told, run in (("grant", "nomeia", _user_grant), ("revoke", "exonera", _user_revoke)):
        act = acts.add_parser(name, help=f"{told} uma pessoa já cadastrada")
        act.add_argument("role", choices=offices, metavar="CARGO", help=", ".join(offices))
        act.add_argument("who", metavar="PESSOA", help="CPF ou e-mail")
        act.add_argument("--act", required=True, help="o ato oficial, como 'Portaria 12/2027'")
        act.set_defaults(run=run)
    out = acts.add_parser("sign-out", help="encerra todos os acessos de uma pessoa")
    out.add_argument("who", metavar="PESSOA", help="CPF ou e-mail")
    out.set_defaults(run=_user_sign_out)


def _demo(asked: argparse.Namespace) -> int:
    from tender.demo import run_demo

    return run_demo(asked.data, asked.port, fresh=asked.fresh, open_stage=asked.open_stage)


def _serve(asked: argparse.Namespace) -> int:
    from tender.server import serve_production

    return serve_production()


def _verify(asked: argparse.Namespace) -> int:
    # An empty --head is a misuse, not a check left out: `--head "$HASH"` with HASH unset may not pass.
    return verifier.main([asked.file, *([] if asked.head is None else ["--head", asked.head])])


def _settings() -> Settings:
    """Settings of this installation; ends the command (2) naming what is missing."""
    try:
        return Settings.from_environment()
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)


def _engine(asked: argparse.Namespace, settings: Settings) -> Engine:
    from tender.ledger import open_engine

    engine = open_engine(settings.database_url)
    asked.opened.callback(engine.dispose)
    return engine


def _rebuild(asked: argparse.Namespace) -> int:
    from tender.schema import UnfitDatabase, rebuild

    try:
        count = rebuild(_engine(asked, _settings()))
    except UnfitDatabase as why:
        sys.stderr.write(f"{why}\n")
        return 1
    sys.stdout.write(f"Refeito a partir de {count} registros do livro.\n")
    return 0


def _export(asked: argparse.Namespace) -> int:
    from sqlalchemy import inspect

    from tender.ledger import Book, ledger, reading

    with reading(_engine(asked, _settings())) as tx:
        chains = Book().chains(tx) if inspect(tx).has_table(ledger.name) else []
        if asked.chain not in chains:
            sys.stderr.write(f"Não há livro {asked.chain}. Há: {', '.join(chains) or 'nenhum'}.\n")
            return 1
        for line in Book().export(tx, asked.chain):
            sys.stdout.buffer.write(line)
    return 0


def _upgrade(asked: argparse.Namespace) -> int:
    from tender.schema import UnfitDatabase, upgrade

    try:
        upgrade(_engine(asked, _settings()))
    except UnfitDatabase as why:
        sys.stderr.write(f"{why}\n")
        return 1
    sys.stdout.write("O banco está na versão mais nova.\n")
    return 0


# -- offices -----------------------------------------------------------------------------------------------------------


def _people(asked: argparse.Namespace) -> People:
    from tender.clock import SystemClock
    from tender.people import People

    settings = _settings()
    return People(_engine(asked, settings), SystemClock(), settings)


def _someone(people: People, typed: str) -> str:
    found = people.find(typed)
    if found is None:
        sys.stderr.write("Ninguém cadastrado com este CPF ou e-mail. A pessoa se cadastra no portal, em /cadastro.\n")
        sys.exit(1)
    return found


def _user_list(asked: argparse.Namespace) -> int:
    for one in _people(asked).appointments():
        state = "exonerado" if one.revoked_at else "em exercício"
        sys.stdout.write(f"{one.role.value:<12}{one.name:<40}{one.act:<28}{one.granted_at:%Y-%m-%d}  {state}\n")
    return 0


def _user_grant(asked: argparse.Namespace) -> int:
    from tender.edital import reads as editais
    from tender.edital.model import Status
    from tender.habilitation import reads as applications

    def is_enrolled(tx: Any, party: str) -> bool:
        views = (editais.find(tx, one.edital) for one in applications.of_person(tx, [party]))
        return any(view is not None and view.status is not Status.JUDGED for view in views)

    people = _people(asked)
    try:
        people.grant(Role(asked.role), _someone(people, asked.who), _operator(), asked.act, is_enrolled=is_enrolled)
    except Refusal as refusal:
        sys.stderr.write(f"{refusal}\n")
        return 1
    sys.stdout.write("Nomeação registrada. No próximo acesso a pessoa ativa o segundo fator.\n")
    return 0


def _user_revoke(asked: argparse.Namespace) -> int:
    people = _people(asked)
    try:
        people.revoke_office(Role(asked.role), _someone(people, asked.who), _operator(), asked.act)
    except LookupError:
        sys.stderr.write("Esta pessoa não exerce este cargo.\n")
        return 1
    sys.stdout.write("Exoneração registrada.\n")
    return 0


def _user_sign_out(asked: argparse.Namespace) -> int:
    people = _people(asked)
    count = people.end_all_sessions(_someone(people, asked.who))
    sys.stdout.write(f"Acessos encerrados: {count}.\n")
    return 0


def _operator() -> str:
    """Who acts at the command line, as the operating system knows them: appointments are recorded with it."""
    return f"linha de comando: {getpass.getuser()}"


if __name__ == "__main__":
    sys.exit(main())
