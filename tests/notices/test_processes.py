"""Several processes deliver and none delivers what another does; a crash at the worst moment is seen as one mail."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

from sqlalchemy import Engine

from tender.clock import FrozenClock
from tender.ledger import reading, writing
from tender.notices import LEASE, Delivery, MailState, Notices
from tests.notices.mail_server import MailBox
from tests.notices.samples import LINK, SAMPLES

ROOT = Path(__file__).parent.parent.parent


def started(module: str, engine: Engine, folder: Path, port: int) -> subprocess.Popen[str]:
    """A process of its own with this database and mail server."""
    url = engine.url.render_as_string(hide_password=False)
    command = [sys.executable, "-m", f"tests.notices.{module}", url, str(folder), str(port)]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_three_processes_deliver_sixty_mails_each_exactly_once(
    post: Notices, engine: Engine, box: MailBox, tmp_path: Path
) -> None:
    with writing(engine) as tx:
        for number in range(60):
            post.send(tx, f"p_{number}", "called", link=LINK, **SAMPLES["called"])
    couriers = [started("courier", engine, tmp_path, box.port) for _ in range(3)]
    for courier in couriers:
        assert courier.stdin is not None
        courier.stdin.write("go\n")
        courier.stdin.flush()
    said = [courier.communicate(timeout=120)[0].split() for courier in couriers]
    assert [courier.returncode for courier in couriers] == [0, 0, 0]
    assert sum(int(sent) for sent, _, _ in said) == 60
    assert Counter(to for to, _ in box.taken) == Counter(f"p_{number}@exemplo.invalid" for number in range(60))
    assert post.backlog() == 0


def test_a_crash_between_the_servers_250_and_the_commit_sends_the_same_mail_again_with_the_same_name(
    post: Notices, engine: Engine, clock: FrozenClock, box: MailBox, tmp_path: Path
) -> None:
    with writing(engine) as tx:
        post.send(tx, "p_ana", "called", link=LINK, **SAMPLES["called"])
    courier = started("crash", engine, tmp_path, box.port)
    courier.communicate(timeout=120)
    assert courier.returncode == 9
    assert len(box.mails()) == 1
    with reading(engine) as tx:
        assert [mail.state for mail in post.mails(tx)] == [MailState.PENDING]
    assert post.deliver_due() == Delivery()
    clock.advance(LEASE)
    assert post.deliver_due() == Delivery(sent=1)
    first, second = box.mails()
    assert first["Message-ID"] == second["Message-ID"]
    assert first.as_string() == second.as_string()
