"""The `tender` command: demo, serve, verify, export, rebuild, user. Says what it did in Portuguese; exits 0 or not."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tender import verifier


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns its exit code."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    if not hasattr(asked, "run"):
        parser.print_help()
        return 2
    code: int = asked.run(asked)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tender", description="Licitações que ninguém precisa aceitar por confiança.")
    commands = parser.add_subparsers(title="comandos", metavar="COMANDO")

    demo = commands.add_parser("demo", help="abre o portal de demonstração em 127.0.0.1:8000")
    demo.add_argument("--port", type=int, default=8000)
    demo.add_argument("--data", type=Path, default=Path("var/demo"), help="pasta do banco e dos arquivos")
    demo.add_argument("--fresh", action="store_true", help="apaga a demonstração anterior e começa de novo")
    demo.set_defaults(run=_demo)

    serve = commands.add_parser("serve", help="atende o público, com as configurações TENDER_* do ambiente")
    serve.set_defaults(run=_serve)

    verify = commands.add_parser("verify", help="confere um livro exportado (JSONL)")
    verify.add_argument("file")
    verify.add_argument("--head", default="", help="hash que deve estar no livro (do recibo, da ata ou do QR code)")
    verify.set_defaults(run=_verify)

    rebuild = commands.add_parser("rebuild", help="refaz do livro tudo o que dele se calcula")
    rebuild.set_defaults(run=_rebuild)

    export = commands.add_parser("export", help="exporta um livro: tender export edital/001-2027 > livro.jsonl")
    export.add_argument("chain")
    export.set_defaults(run=_export)
    return parser


def _demo(asked: argparse.Namespace) -> int:
    from tender.demo import run_demo

    return run_demo(asked.data, asked.port, fresh=asked.fresh)


def _serve(asked: argparse.Namespace) -> int:
    from tender.server import serve_production

    return serve_production()


def _verify(asked: argparse.Namespace) -> int:
    return verifier.main([asked.file, *(["--head", asked.head] if asked.head else [])])


def _rebuild(asked: argparse.Namespace) -> int:
    from tender.ledger import open_engine
    from tender.schema import rebuild
    from tender.settings import Settings, SettingsError

    try:
        settings = Settings.from_environment()
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    count = rebuild(open_engine(settings.database_url))
    sys.stdout.write(f"Refeito a partir de {count} registros do livro.\n")
    return 0


def _export(asked: argparse.Namespace) -> int:
    from tender.ledger import Book, open_engine, reading
    from tender.settings import Settings, SettingsError

    try:
        settings = Settings.from_environment()
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    with reading(open_engine(settings.database_url)) as tx:
        for line in Book().export(tx, asked.chain):
            sys.stdout.buffer.write(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
