"""A tender from its draft to the last call, with what can happen in one: for tests that need a full book."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from tender.acts import ANYONE, SYSTEM, Role, StandId
from tender.awards.model import AcceptAward, Moment, SignDesistencia
from tender.bidding.model import ResumeContest
from tender.edital.model import CloseApplications, ConcludeHabilitation, DraftEdital, NoteOutage, OpenSession
from tender.edital.model.changes import ResumeEdital, SuspendEdital
from tender.edital.model.questions import AnswerQuestion, Asking, AskQuestion, Effect
from tender.habilitation.model import REQUIREMENTS, InhabilitateApplication, PersonKind
from tender.ledger import reading, writing
from tests.town import DAY, EDITAL, SECOND, SESSION_AT, Town, terms_of


def a_day(town: Town) -> None:
    """A tender with what can happen in one: a pause, a withdrawal, each answer to a call, a stand nobody wanted."""
    terms = terms_of(stands=3)
    town.publish(terms)
    town.bidders.extend(town.register(number) for number in range(4))
    for who in town.bidders:
        town.enrol(who, terms, stands=(1, 2))
    town.ask(CloseApplications(EDITAL), SYSTEM, terms.applications_close_at)
    for who in town.bidders[:3]:
        town.habilitate(who)
    missed = REQUIREMENTS[PersonKind.NATURAL][0]
    refused = InhabilitateApplication(EDITAL, town.bidders[3].party, missed, "A certidão apresentada está vencida.")
    for number in (0, 1):
        town.ask(refused, town.officer(Role.COMMISSION, number))
    town.ask(ConcludeHabilitation(EDITAL), town.pregoeiro)
    with reading(town.engine) as tx:
        for who in town.bidders[:3]:
            own = town.people.own_pseudonyms(tx, who.person, EDITAL)
            who.pseudonyms.update({int(stand): pseudonym for stand, pseudonym in own.items()})
    town.ask(OpenSession(EDITAL), town.pregoeiro, SESSION_AT)
    an_auction(town)
    the_calls(town)
    later = replace(terms_of("002-2027", session_at=SESSION_AT + 90 * DAY), title="Um ponto de táxi")
    town.ask(DraftEdital(later.edital, later), town.pregoeiro)


def an_auction(town: Town) -> None:
    """Stand 1 is contested with a withdrawal and an outage, stand 2 quietly, stand 3 has nobody."""
    for stand in (1, 2, 3):
        town.start(stand, at=SESSION_AT + SECOND)
    town.bid(1, 0, 10_000, SESSION_AT + 10 * SECOND)
    town.bid(1, 1, 12_000, SESSION_AT + 20 * SECOND)
    town.bid(1, 2, 99_000, SESSION_AT + 30 * SECOND)
    town.withdraw(1, 2, SESSION_AT + 31 * SECOND)
    town.bid(2, 2, 10_400, SESSION_AT + 40 * SECOND)
    down, up = SESSION_AT + 100 * SECOND, SESSION_AT + 400 * SECOND
    town.ask(NoteOutage(EDITAL, "queda", down, up), SYSTEM, up)
    for stand in (1, 2):
        town.ask(ResumeContest(EDITAL, StandId(stand)), town.pregoeiro, up + 60 * SECOND)
    town.bid(1, 2, 12_600, up + 70 * SECOND)
    town.clock.advance(timedelta(hours=1))
    assert len(town.fall_due()) == 2


def the_calls(town: Town) -> None:
    """Stand 1: the first signs a desistência, the second is silent, the third accepts. Stand 2 fails."""
    first, second, third = (town.bidders[number] for number in (2, 1, 0))
    gone = SignDesistencia(EDITAL, StandId(1), first.pseudonyms[1], Moment.AT_ONCE)
    town.ask(gone, first.bidder)
    town.ask(SignDesistencia(EDITAL, StandId(2), first.pseudonyms[2], Moment.WITHIN_TERM), first.bidder)
    town.clock.advance(3 * DAY)
    assert town.fall_due() == [f"award/{EDITAL}/1:chamada"], second
    town.ask(AcceptAward(EDITAL, StandId(1), third.pseudonyms[1]), third.bidder)


def another_tender(town: Town) -> None:
    """A tender that is asked about, paused, resumed, and where one member has asked for what takes two."""
    terms = terms_of("003-2027", session_at=SESSION_AT + 200 * DAY)
    town.publish(terms)
    question, why = "O ponto da praça tem banheiro para os taxistas?", "A planta do ponto foi contestada na Câmara."
    with writing(town.engine) as tx:
        letters = town.people.letters
        mark = letters.put(tx, town.clock.now(), terms.edital, letters.code_for("balcão"), question, "")
    town.ask(AskQuestion(terms.edital, Asking.QUESTION, mark), ANYONE)
    answer = AnswerQuestion(terms.edital, 1, question, "Tem, aberto das 6h às 22h.", Effect.CLARIFIES)
    town.ask(answer, town.pregoeiro)
    town.ask(SuspendEdital(terms.edital, why), town.mayor)
    town.clock.advance(DAY)
    later = (terms.applications_close_at + DAY, terms.session_at + DAY)
    town.ask(
        ResumeEdital(terms.edital, *later, "A contestação foi respondida: a planta do ponto está certa."), town.mayor
    )
    town.enrol(town.bidders[0], terms)
    missed = REQUIREMENTS[PersonKind.NATURAL][1]
    asked = InhabilitateApplication(terms.edital, town.bidders[0].party, missed, "Falta a página assinada.")
    town.ask(asked, town.commission)
