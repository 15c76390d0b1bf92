"""What an archive asks for: PDF/A-2b (ISO 19005-2), and the same bytes for the same paper.

PDF/UA is followed but not claimed: the claim would need its own extension schema in the metadata, which the validator
at hand does not accept, and a full PDF/UA check takes a person.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape

from tender.letterhead import tags

if TYPE_CHECKING:
    from pikepdf import Pdf

PRODUCER: Final = "tender (reportlab, pikepdf)"
FLAVOUR: Final = "2b"

_XMP: Final = """<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
  <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
        xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/">
      <pdfaid:part>2</pdfaid:part>
      <pdfaid:conformance>B</pdfaid:conformance>
      <dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>
      <dc:description><rdf:Alt><rdf:li xml:lang="x-default">{subject}</rdf:li></rdf:Alt></dc:description>
      <dc:creator><rdf:Seq><rdf:li>{author}</rdf:li></rdf:Seq></dc:creator>
      <dc:language><rdf:Bag><rdf:li>{language}</rdf:li></rdf:Bag></dc:language>
      <xmp:CreateDate>{date}</xmp:CreateDate>
      <xmp:ModifyDate>{date}</xmp:ModifyDate>
      <xmp:MetadataDate>{date}</xmp:MetadataDate>
      <pdf:Producer>{producer}</pdf:Producer>
    </rdf:Description>
  </rdf:RDF>
</x:xmpmeta>
<?xpacket end="w"?>
"""


@dataclass(frozen=True, slots=True)
class Imprint:
    """What the metadata says: nothing about any person."""

    title: str
    subject: str
    author: str
    language: str
    issued_at: datetime


def finish(printed: bytes, document: tags.Node, outlines: list[tags.Outline], imprint: Imprint) -> bytes:
    """The printed pages with structure, bookmarks and metadata, as a validated PDF/A-2b.

    Raises pikepdf.pdfa.PdfaError if what was written does not pass: no paper leaves that an archive would refuse.
    """
    import pikepdf
    import pikepdf.pdfa

    with pikepdf.open(BytesIO(printed)) as pdf:
        tags.write(pdf, document, outlines)
        pdf.Root.Lang = pikepdf.String(imprint.language)
        pdf.Root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
        for key in ("/PageMode", "/PageLayout"):
            if key in pdf.Root:
                del pdf.Root[key]
        for page in pdf.pages:
            if "/Trans" in page.obj:
                del page.obj["/Trans"]
        pikepdf.pdfa.prepare(pdf, FLAVOUR)
        # Last, because `prepare` writes the present hour and its own version into the metadata.
        _write_metadata(pdf, imprint)
        written = BytesIO()
        pikepdf.pdfa.save(pdf, written, FLAVOUR, repair=False, deterministic_id=True, min_version="1.7")
    return written.getvalue()


def _write_metadata(pdf: Pdf, imprint: Imprint) -> None:
    from pikepdf import Dictionary, Name, String

    at = imprint.issued_at.astimezone(UTC).replace(microsecond=0)
    told = {"title": imprint.title, "subject": imprint.subject, "author": imprint.author}
    packet = _XMP.format(
        **{name: escape(text) for name, text in told.items()},
        language=escape(imprint.language),
        producer=PRODUCER,
        date=f"{at:%Y-%m-%dT%H:%M:%SZ}",
    )
    pdf.Root.Metadata = pdf.make_stream(packet.encode(), Type=Name.Metadata, Subtype=Name.XML)
    date = String(f"D:{at:%Y%m%d%H%M%S}Z")
    pdf.trailer.Info = pdf.make_indirect(
        Dictionary(
            Title=String(imprint.title),
            Subject=String(imprint.subject),
            Author=String(imprint.author),
            Producer=String(PRODUCER),
            CreationDate=date,
            ModDate=date,
        )
    )
