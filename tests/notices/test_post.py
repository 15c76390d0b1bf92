"""The mail server is spoken to under TLS and with a sign-in where they are set, and never without."""

from __future__ import annotations

import ipaddress
import ssl
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from sqlalchemy import Engine

from tender.ledger import reading, writing
from tender.notices import Delivery, Notices
from tests.notices.mail_server import MailBox, mail_server
from tests.notices.samples import LINK, SAMPLES


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate of 127.0.0.1, signed by itself, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).serial_number(7)
    builder = builder.public_key(key.public_key()).not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
    names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    builder = builder.not_valid_after(datetime(2049, 1, 1, tzinfo=UTC)).add_extension(names, critical=False)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    made = builder.sign(key, hashes.SHA256())
    file = tmp_path_factory.mktemp("tls") / "server.pem"
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.write_bytes(secret + made.public_bytes(Encoding.PEM))
    return file


def of_server(certificate: Path) -> ssl.SSLContext:
    """TLS as the server speaks it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def write(post: Notices, engine: Engine) -> None:
    """Write a notice."""
    with writing(engine) as tx:
        post.send(tx, "p_ana", "called", link=LINK, **SAMPLES["called"])


def error_of(post: Notices, engine: Engine) -> str:
    """The last error of the only mail."""
    with reading(engine) as tx:
        return post.mails(tx)[0].last_error


@pytest.fixture
def guarded(make: Callable[..., Notices], certificate: Path) -> Iterator[tuple[MailBox, Callable[[str], Notices]]]:
    """A server that wants TLS and a sign-in, and what makes notices that sign in with a password."""
    trust = ssl.create_default_context(cafile=str(certificate))
    with mail_server(MailBox(), of_server(certificate), "senha certa") as box:
        account = {"host": "127.0.0.1", "port": box.port, "starttls": True, "user": "arapora"}
        yield box, lambda password: make({**account, "password": password}, tls=trust)


def test_a_mail_goes_under_tls_after_a_sign_in(
    guarded: tuple[MailBox, Callable[[str], Notices]], engine: Engine
) -> None:
    box, signing_in_with = guarded
    post = signing_in_with("senha certa")
    write(post, engine)
    assert post.deliver_due() == Delivery(sent=1)
    assert len(box.mails()) == 1


def test_a_wrong_password_is_our_fault_and_waits(
    guarded: tuple[MailBox, Callable[[str], Notices]], engine: Engine
) -> None:
    box, signing_in_with = guarded
    post = signing_in_with("senha errada")
    write(post, engine)
    assert post.deliver_due() == Delivery(waiting=1)
    assert "535" in error_of(post, engine)
    assert "senha errada" not in error_of(post, engine)
    assert box.mails() == []


def test_a_server_that_nobody_vouches_for_gets_no_mail(
    make: Callable[..., Notices], engine: Engine, certificate: Path
) -> None:
    with mail_server(MailBox(), of_server(certificate)) as box:
        post = make({"host": "127.0.0.1", "port": box.port, "starttls": True})
        write(post, engine)
        assert post.deliver_due() == Delivery(waiting=1)
        assert "CERTIFICATE_VERIFY_FAILED" in error_of(post, engine)
        assert box.mails() == []


def test_a_server_without_tls_gets_no_mail_where_tls_is_set(make: Callable[..., Notices], engine: Engine) -> None:
    with mail_server(MailBox()) as box:
        post = make({"host": "127.0.0.1", "port": box.port, "starttls": True})
        write(post, engine)
        assert post.deliver_due() == Delivery(waiting=1)
        assert "não oferece" in error_of(post, engine)
        assert box.mails() == []
