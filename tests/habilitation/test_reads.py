"""What pages show of applications: numbers in order of sending, documents that count, who is fit for which stand."""

from __future__ import annotations

from tender.acts import Role, StandId
from tender.habilitation.model import (
    REQUIREMENTS,
    HabilitateApplication,
    InhabilitateApplication,
    PersonKind,
    ReceiveDocument,
    Status,
    SubmitApplication,
)
from tender.habilitation.reads import counts, find, habilitated_for, of_person, submitted
from tests.town import DAY, EDITAL, SECOND, Town, terms_of

TERMS = terms_of(stands=2)
OPENED = TERMS.applications_open_at


def published(town: Town, people: int) -> None:
    town.publish(TERMS)
    town.bidders.extend(town.register(number) for number in range(people))


def test_an_application_is_shown_from_its_first_document_on(town: Town) -> None:
    published(town, 1)
    ana, requirement = town.bidders[0], REQUIREMENTS[PersonKind.NATURAL][0]
    assert town.look(find, EDITAL, ana.party) is None
    for sha256, size in (("a" * 64, 1000), ("b" * 64, 2_000_000_000)):
        sent = ReceiveDocument(EDITAL, ana.party, requirement, sha256, size, OPENED, OPENED + SECOND)
        town.ask(sent, ana.applicant, OPENED)
    view = town.look(find, EDITAL, ana.party)
    assert (view.status, view.number, view.kind, view.stands, view.submitted_at) == (Status.DRAFT, 0, None, (), None)
    assert view.documents == {requirement.key: ("b" * 64, 2_000_000_000)}  # the last one counts
    assert town.look(submitted, EDITAL) == []


def test_applications_are_numbered_in_the_order_of_sending_and_keep_their_number(town: Town) -> None:
    published(town, 3)
    for bidder in (2, 0, 1):
        town.enrol(town.bidders[bidder], TERMS, at=OPENED + bidder * DAY)
    again = SubmitApplication(EDITAL, town.bidders[2].party, PersonKind.NATURAL, (StandId(2),))
    town.ask(again, town.bidders[2].applicant, OPENED + 5 * DAY)
    shown = town.look(submitted, EDITAL)
    assert [(view.number, view.applicant) for view in shown] == [
        (n, town.bidders[bidder].party) for n, bidder in ((1, 2), (2, 0), (3, 1))
    ]
    assert (shown[0].stands, shown[0].submitted_at) == ((2,), OPENED + 5 * DAY)
    assert [view.applicant for view in town.look(of_person, [town.bidders[1].party])] == [town.bidders[1].party]
    assert town.look(of_person, []) == []


def test_decisions_are_shown_counted_and_lead_to_the_stands(town: Town) -> None:
    published(town, 3)
    for bidder, stands in ((0, (1, 2)), (1, (2,)), (2, (1,))):
        town.enrol(town.bidders[bidder], TERMS, stands)
    assert town.look(counts, EDITAL) == {Status.SUBMITTED: 3}
    ana, bia, caio = (who.party for who in town.bidders)
    for party in (ana, bia):
        town.ask(HabilitateApplication(EDITAL, party, "Conferido."), town.commission)
    missed = InhabilitateApplication(EDITAL, caio, REQUIREMENTS[PersonKind.NATURAL][1], "Certidão vencida em janeiro.")
    for member in (0, 1):
        assert town.look(counts, EDITAL)[Status.SUBMITTED] == 1
        town.ask(missed, town.officer(Role.COMMISSION, member))
    assert town.look(counts, EDITAL) == {Status.HABILITATED: 2, Status.INHABILITATED: 1}
    assert town.look(find, EDITAL, caio).reason == "Certidão vencida em janeiro."
    assert town.look(habilitated_for, EDITAL, 1) == [ana]
    assert town.look(habilitated_for, EDITAL, 2) == sorted([ana, bia])
    assert town.look(habilitated_for, "002-2027", 1) == []
