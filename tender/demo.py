"""The demonstration: a municipality that does not exist, a tender ready for its auction, and the log-ins of every role.

Everything is written through the desk, with a clock set back to when each act would have happened.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import shutil
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, TextIO

import pyotp
from flask import Blueprint, abort, render_template

from tender.acts import Actor, EditalId, PersonId, Role, StandId
from tender.app import build_house
from tender.calendars import Calendar
from tender.clock import FrozenClock, SystemClock, day_of
from tender.edital.model import (
    CloseApplications,
    ConcludeHabilitation,
    DraftEdital,
    OpenSession,
    PublishEdital,
    Stand,
    Terms,
)
from tender.edital.model.documents import proposed
from tender.edital.model.dossier import (
    Channel,
    Choice,
    DecideWarning,
    FiledPaper,
    FilePaper,
    Proof,
    RecordProof,
)
from tender.edital.model.dossier import Paper as Piece
from tender.edital.model.gates import arising, numbered
from tender.edital.model.register import MAP_SIDE, CreateStand, DeclareClosure, Decree, Register, RegisterDecree
from tender.edital.model.terms import ItemsReading
from tender.edital.reads import terms_sha256
from tender.habilitation.model import (
    REQUIREMENTS,
    HabilitateApplication,
    PersonKind,
    ReceiveDocument,
    SubmitApplication,
)
from tender.ledger import open_engine, reading, writing
from tender.letterhead import Paper
from tender.money import Money
from tender.schema import upgrade
from tender.settings import Settings
from tender.web import House, house

EDITAL = EditalId("001-2027")
PASSWORD = "demonstracao-2027"  # noqa: S105 - printed on the first page, on purpose
NOTES = "demo.json"
LOG = "registro.jsonl"
PUBLISHED_BEFORE = timedelta(days=50)
"""Before the session: fifteen business days and all the holidays that may lie among them."""
STUDY = hashlib.sha256("estudo do valor mínimo, de demonstração".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody of the demonstration: fictitious, with valid check digits."""

    key: str
    name: str
    cpf: str
    role: Role | None = None

    @property
    def email(self) -> str:
        """Reaches nobody (RFC 2606)."""
        return f"{self.key}@exemplo.invalid"


OFFICERS = (
    Guest("pregoeira", "Marta Fictícia Lopes", "52998224725", Role.PREGOEIRO),
    Guest("comissao", "Paulo Fictício Nunes", "12345678909", Role.COMMISSION),
    Guest("autoridade", "Dirce Fictícia Prado", "00000000191", Role.MAYOR),
    Guest("secretaria", "Ivo Fictício Rezende", "11144477735", Role.SECRETARIAT),
    Guest("controle", "Lia Fictícia Teles", "98765432100", Role.CONTROL),
    Guest("tecnico", "Rui Fictício Vidal", "39053344705", Role.TECHNICIAN),
)
DRIVERS = (
    Guest("antonio", "Antônio Marcos Exemplo da Silva", "10203040651"),
    Guest("luciana", "Luciana Modelo Pereira", "50607080639"),
    Guest("joao", "João Fictício D'Ávila", "70809010658"),
)


demo_bp = Blueprint("demo", __name__)


@demo_bp.get("/demo")
def log_ins() -> str:
    """Who can sign in, with the codes of this very moment: demonstration only."""
    services = house()
    if not services.settings.is_demo:
        abort(404)
    notes = json.loads((services.settings.data_dir / NOTES).read_text("utf-8"))
    now = services.clock.now()
    codes = {key: pyotp.TOTP(note["secret"]).at(now) for key, note in notes.items() if "secret" in note}
    return render_template("edital/demo.html", notes=notes, codes=codes, password=PASSWORD, edital=EDITAL)


def run_demo(data: Path, port: int, fresh: bool = False, open_stage: int = 180) -> int:
    """Create the demonstration in `data` unless it is there, print where and how to look, and serve it."""
    from tender.server import serve

    data = data.absolute()
    if not _is_free(port):
        sys.stderr.write(
            f"A porta {port} já está em uso: a demonstração talvez já esteja aberta em http://127.0.0.1:{port}/.\n"
            f"Para abrir outra: make demo PORT={port + 1}\n"
        )
        return 1
    held = _hold(data)
    if held is None:
        sys.stderr.write(f"A demonstração de {data} já está aberta em outra janela: feche-a antes (Ctrl+C).\n")
        return 1
    if fresh and (data / NOTES).exists():
        shutil.rmtree(data)
    settings = Settings.demo(data, port)
    if not (data / NOTES).exists():
        sys.stdout.write("Criando a demonstração…\n")
        sys.stdout.flush()
        seed(settings, open_stage)
    else:
        engine = open_engine(settings.database_url)
        upgrade(engine)  # made by an older version of the program, perhaps
        engine.dispose()
    sys.stdout.write(told(settings))
    sys.stdout.flush()
    # A line for each request would push the log-ins off the screen.
    with (data / LOG).open("a", encoding="utf-8", buffering=1) as log, contextlib.redirect_stderr(log):
        return serve(settings)


def _hold(data: Path) -> TextIO | None:
    """Hold the demonstration's folder for as long as this process lives; None when another one does."""
    data.parent.mkdir(parents=True, exist_ok=True)
    held = data.with_name(f"{data.name}.lock").open("w", encoding="utf-8")
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        held.close()
        return None
    return held


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def seed(settings: Settings, open_stage: int = 180) -> None:
    """Write the demonstration's people and tender into an empty database."""
    if settings.data_dir.exists():
        shutil.rmtree(settings.data_dir)  # a seeding that was interrupted
    now = SystemClock().now()
    clock = FrozenClock(now - PUBLISHED_BEFORE - timedelta(days=5))
    house = build_house(settings, clock)
    upgrade(house.engine)
    house.desk.start()
    try:
        notes = _people(house, clock)
        _tender(house, clock, notes, _terms(now, open_stage))
    finally:
        house.desk.stop()
        house.engine.dispose()
    (settings.data_dir / NOTES).write_text(json.dumps(notes, ensure_ascii=False, indent=1), "utf-8")


def _people(house: House, clock: FrozenClock) -> dict[str, Any]:
    notes: dict[str, Any] = {}
    people = house.people
    for n, guest in enumerate((*OFFICERS, *DRIVERS)):
        asked = people.register(
            PersonKind.NATURAL.value,
            guest.cpf,
            guest.name,
            guest.email,
            "34990000000",
            PASSWORD,
            address=f"127.0.{n}.1",
        )
        people.confirm_email(asked.token)
        person = asked.addressee
        notes[guest.key] = {"person": person, "name": guest.name, "email": guest.email}
        if guest.role is not None:
            people.grant(guest.role, person, "sistema", "Portaria de demonstração")
            with writing(house.engine) as tx:
                secret = people.begin_factor(tx, person).secret
                people.confirm_factor(tx, person, pyotp.TOTP(secret).at(clock.now()))
            notes[guest.key] |= {"role": guest.role.label, "secret": secret}
    return notes


def _officer(notes: dict[str, Any], key: str) -> Actor:
    role = next(guest.role for guest in OFFICERS if guest.key == key)
    assert role is not None, f"{key} holds no office"
    return Actor(notes[key]["person"], frozenset({role}), second_factor=True)


def _terms(now: datetime, open_stage: int) -> Terms:
    day = timedelta(days=1)
    return Terms(
        edital=EDITAL,
        title="2 pontos de táxi: Terminal Rodoviário e Praça da Vitória",
        process_number="12/2027",
        applications_open_at=now - 20 * day,
        applications_close_at=now - 5 * day,
        session_at=now - timedelta(minutes=5),
        stands=(
            Stand(StandId(1), "Terminal Rodoviário", "Av. da Rodoviária, 100", 1, Money.reais(15000), "Decreto 1/2027"),
            Stand(StandId(2), "Praça da Vitória", "Praça da Vitória, 20", 1, Money.reais(8000), "Decreto 1/2027"),
        ),
        step=Money.reais(100),
        open_stage_seconds=open_stage,
        window_seconds=min(60, open_stage // 2),
        call_hours=48,
    )


# -- what must be on file before an edital is published ---------------------------------------------------------------


def filled(terms: Terms, reader: str, population: int, calendar: Calendar) -> Terms:
    """The terms with all that the gates ask of them: pontos of the register, studies, documents, population, calendar.

    reader: person id of who confirmed the item of art. 4º that cannot be read.
    """
    pontos = {one.number: one.ponto or f"P{one.number}" for one in terms.stands}
    today = day_of(terms.applications_open_at)
    return replace(
        terms,
        stands=tuple(
            replace(one, ponto=pontos[one.number], study_sha256=one.study_sha256 or STUDY) for one in terms.stands
        ),
        documents=terms.documents or proposed(),
        items_reading=ItemsReading(confirmed_by=reader, confirmed_on=today, source="exemplar de demonstração"),
        body=replace(
            terms.body, population=population, population_year=today.year, population_source="população fictícia"
        ),
        calendar_version=calendar.frozen_version,
    )


def dossier(terms: Terms, known: Register, calendar: Calendar, today: date) -> Iterator[tuple[Role, Any]]:
    """The acts, each with the office whose act it is, that open every gate for a draft that says `terms`.

    known: the register so far, of which nothing is entered twice; calendar: the municipality's, as the decrees have it;
    today: the day on which all is entered; the acts are dated the day before.
    """
    before, edital = today - timedelta(days=1), terms.edital
    number = numbered(terms.stands[0].decree)
    if number not in known.decrees:
        yield Role.SECRETARIAT, RegisterDecree(Decree(number, before, "pontos de táxi e dias sem expediente"))
    for ponto in dict.fromkeys(one.ponto for one in terms.stands if one.ponto not in known.stands):
        mine = [one for one in terms.stands if one.ponto == ponto]
        place = min(MAP_SIDE, 250 * (len(known.stands) + int(mine[0].number)))
        places = sum(one.places for one in mine)
        yield Role.SECRETARIAT, CreateStand(ponto, mine[0].name, mine[0].address, place, place, places, number)
    for one in calendar.unconfirmed(day_of(terms.applications_open_at), day_of(terms.session_at)):
        yield Role.SECRETARIAT, DeclareClosure(one.day, one.name, number)
    for paper in Piece:
        yield Role.PREGOEIRO, FilePaper(edital, FiledPaper(paper, "12/2027", before))
    for conflict in arising(terms):
        yield Role.COMMISSION, DecideWarning(edital, conflict.code, Choice.OPINION, "parecer nº 12/2027")
    for channel in Channel:
        yield Role.PREGOEIRO, RecordProof(edital, Proof(channel, "12/2027", today))


def _tender(house: House, clock: FrozenClock, notes: dict[str, Any], terms: Terms) -> None:
    desk, day = house.desk, timedelta(days=1)
    pregoeira, commission, mayor = (_officer(notes, key) for key in ("pregoeira", "comissao", "autoridade"))
    now = terms.session_at + timedelta(minutes=5)
    assert house.calendar is not None, "build_house hands in the seed of the calendar"
    terms = filled(terms, pregoeira.person, house.settings.municipality.population, house.calendar)
    clock.set(now - PUBLISHED_BEFORE)
    desk.perform(DraftEdital(EDITAL, terms), pregoeira)
    offices = {Role.PREGOEIRO: pregoeira, Role.COMMISSION: commission, Role.SECRETARIAT: _officer(notes, "secretaria")}
    for role, command in dossier(terms, Register(), house.calendar, day_of(clock.now())):
        desk.perform(command, offices[role])
    desk.perform(PublishEdital(EDITAL, terms_sha256(terms)), mayor)
    clock.set(now - 10 * day)
    for guest in DRIVERS:
        _enrol(house, clock, notes[guest.key], guest)
    clock.set(now - 4 * day)
    desk.perform(CloseApplications(EDITAL), pregoeira)
    for guest in DRIVERS:
        party = PersonId(notes[guest.key]["party"])
        desk.perform(HabilitateApplication(EDITAL, party, "Documentos conferidos um a um."), commission)
    desk.perform(ConcludeHabilitation(EDITAL), pregoeira)
    clock.set(now)
    desk.perform(OpenSession(EDITAL), pregoeira)


def _enrol(house: House, clock: FrozenClock, note: dict[str, Any], guest: Guest) -> None:
    with reading(house.engine) as tx:
        party = PersonId(house.people.parties_of(tx, note["person"])[0].id)
    note["party"] = party
    actor = Actor(note["person"], frozenset({Role.APPLICANT}))
    at = clock.now()
    with writing(house.engine) as tx:
        kept = house.files.store(tx, _dossier(house, guest), owner=party, filename="documentos.pdf", started_at=at)
    for requirement in REQUIREMENTS[PersonKind.NATURAL]:
        received = ReceiveDocument(EDITAL, party, requirement, kept.sha256, kept.size, at, kept.finished_at)
        house.desk.perform(received, actor)
    house.desk.perform(SubmitApplication(EDITAL, party, PersonKind.NATURAL, (StandId(1), StandId(2))), actor)


def _dossier(house: House, guest: Guest) -> bytes:
    """A real PDF of an invented person."""
    paper = Paper(
        "Documentos do interessado",
        guest.name,
        f"Dossiê {guest.key}",
        house.settings.municipality,
        issued_at=house.clock.now(),
        notice="Documento de demonstração",
    )
    paper.facts([("Nome", guest.name), ("CPF", guest.cpf), ("CNH, categoria", "D")])
    for requirement in REQUIREMENTS[PersonKind.NATURAL]:
        paper.paragraph("Comprovante fictício desta exigência.", citations=(requirement,))
    return paper.build()


def told(settings: Settings) -> str:
    """What `make demo` prints: addresses and the log-ins of every role."""
    notes = json.loads((settings.data_dir / NOTES).read_text("utf-8"))
    lines = [
        "",
        f"  Portal público        {settings.base_url}/",
        f"  Disputa ao vivo       {settings.base_url}/l/{EDITAL}/vivo",
        f"  Entrar                {settings.base_url}/entrar",
        f"  Códigos do 2º fator   {settings.base_url}/demo",
        f"  Registro técnico      {settings.data_dir / LOG}",
        "",
        f"  Senha de todos        {PASSWORD}",
    ]
    lines += [f"  {note['email']:<34}{note.get('role', 'Participante')}" for note in notes.values()]
    lines += ["", "  Para começar de novo: make demo FRESH=1      Para parar: Ctrl+C", "", ""]
    return "\n".join(lines)
