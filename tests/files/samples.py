"""Files as people send them, good and hostile: made here, never fetched."""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pikepdf
from asn1crypto.x509 import Certificate
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, pkcs12
from cryptography.x509.oid import NameOID
from PIL import Image
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.sign import signers

from tender.settings import MIB

HEIC = Path(__file__).parent.parent / "golden" / "photo.heic"
"""320 × 240, a blue bar along the top, a phone's name in its EXIF, which says "turn me right"."""


def a_pdf(pages: int = 1, about: str = "", noise: int = 0, **saved: Any) -> bytes:
    """A PDF of blank pages; `about` makes it differ from others, `noise` bytes make it long."""
    pdf = pikepdf.new()
    for _ in range(pages):
        pdf.add_blank_page()
    if about:
        pdf.docinfo["/Title"] = about
    if noise:
        pdf.Root.Noise = pikepdf.Stream(pdf, os.urandom(noise))
    out = io.BytesIO()
    pdf.save(out, **saved)
    return out.getvalue()


def a_picture(kind: str = "PNG", size: tuple[int, int] = (40, 30), mode: str = "RGB") -> bytes:
    """A picture of one colour."""
    out = io.BytesIO()
    Image.new(mode, size).save(out, kind)
    return out.getvalue()


def a_png_of(size: int) -> bytes:
    """A PNG of exactly so many bytes: what follows its last chunk counts as the file's too."""
    png = a_picture()
    return png + bytes(size - len(png))


def a_zip() -> bytes:
    """A small ZIP archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("certidao.txt", "nada consta")
    return out.getvalue()


def zeros(size: int) -> bytes:
    """So many zero bytes, packed."""
    packer = zlib.compressobj(9)
    return b"".join(packer.compress(bytes(MIB)) for _ in range(size // MIB)) + packer.flush()


def a_pdf_with_a_stream(packed: bytes, filters: list[str]) -> bytes:
    """A PDF whose only page has this stream as its content, as it is."""
    pdf = pikepdf.new()
    pdf.add_blank_page()
    stream = pikepdf.Stream(pdf, packed)
    stream.Filter = pikepdf.Array([pikepdf.Name(one) for one in filters])
    pdf.pages[0].Contents = stream
    return as_it_is(pdf)


def as_it_is(pdf: pikepdf.Pdf) -> bytes:
    """The PDF with its streams untouched."""
    out = io.BytesIO()
    pdf.save(out, compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.none)
    return out.getvalue()


def a_signed_pdf() -> tuple[bytes, Certificate]:
    """A PDF signed with a certificate of the test's own, and that certificate."""
    key = rsa.generate_private_key(65537, 2048)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Pessoa de Teste")])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).serial_number(7)
    builder = builder.public_key(key.public_key()).not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
    usage = x509.KeyUsage(True, True, False, False, False, False, False, False, False)
    builder = builder.not_valid_after(datetime(2049, 1, 1, tzinfo=UTC)).add_extension(usage, critical=True)
    certificate = builder.sign(key, hashes.SHA256())
    bundle = pkcs12.serialize_key_and_certificates(b"a", key, certificate, None, BestAvailableEncryption(b"b"))
    signer = signers.SimpleSigner.load_pkcs12_data(bundle, other_certs=[], passphrase=b"b")
    field = signers.PdfSignatureMetadata(field_name="Assinatura")
    signed = signers.sign_pdf(IncrementalPdfFileWriter(io.BytesIO(a_pdf())), field, signer=signer)
    return signed.getvalue(), signer.signing_cert
