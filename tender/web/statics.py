"""Static files from memory: fingerprinted addresses that may be kept for ever, compressed once."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path

from flask import Flask, Response, abort, request
from werkzeug.security import safe_join

FOR_EVER = "public, max-age=31536000, immutable"
COMPRESSIBLE = ("text/", "application/json", "application/javascript", "application/manifest+json", "image/svg+xml")
COMPRESS_FROM_BYTES = 1024
FINGERPRINT_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Kept:
    """A file as it is sent: its bytes, the same gzipped (empty when that gains nothing), its type and fingerprint."""

    body: bytes
    packed: bytes
    kind: str
    fingerprint: str
    changed: tuple[int, int]


class Statics:
    """Serves the files of one folder. In the demonstration and in tests a changed file is read again."""

    def __init__(self, folder: Path, watch: bool) -> None:
        self._folder = folder
        self._watch = watch
        self._kept: dict[str, Kept] = {}

    def find(self, name: str) -> Kept | None:
        """The file of that name below the folder, or None; never one outside of it, never a hidden one."""
        kept = self._kept.get(name)
        if kept is not None and not self._watch:
            return kept
        joined = safe_join(str(self._folder), name)
        path = Path(joined) if joined else None
        if path is None or "/." in f"/{name}" or not path.is_file():
            return None
        facts = path.stat()
        changed = (facts.st_mtime_ns, facts.st_size)
        if kept is None or kept.changed != changed:
            kept = self._kept[name] = _read(path, changed)
        return kept

    def url(self, name: str) -> str:
        """Address of a file with its fingerprint. FileNotFoundError when there is none: a page must not ask for it."""
        kept = self.find(name)
        if kept is None:
            raise FileNotFoundError(f"static file {name!r}")
        return f"/static/{name}?v={kept.fingerprint}"

    def answer(self, filename: str) -> Response:
        """The file, gzipped for those who take it; kept for ever when asked for by its fingerprint."""
        kept = self.find(filename)
        if kept is None:
            abort(404)
        packed = bool(kept.packed) and request.accept_encodings.quality("gzip") > 0
        response = Response(kept.packed if packed else kept.body, mimetype=kept.kind)
        if packed:
            response.headers["Content-Encoding"] = "gzip"
        if kept.packed:
            response.vary.add("Accept-Encoding")
        response.headers["Cache-Control"] = FOR_EVER if request.args.get("v") == kept.fingerprint else "no-cache"
        response.set_etag(kept.fingerprint + ("-gz" if packed else ""))
        response.make_conditional(request)
        return response


def _read(path: Path, changed: tuple[int, int]) -> Kept:
    body = path.read_bytes()
    kind = (
        "text/javascript" if path.suffix == ".js" else mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    )
    packed = b""
    if kind.startswith(COMPRESSIBLE) and len(body) >= COMPRESS_FROM_BYTES:
        packed = gzip.compress(body, 9, mtime=0)
    fingerprint = hashlib.sha256(body).hexdigest()[:FINGERPRINT_DIGITS]
    return Kept(body, packed if len(packed) < len(body) else b"", kind, fingerprint, changed)


def init_statics(app: Flask, watch: bool) -> Statics:
    """Serve the app's static folder from memory and give templates `static_url`."""
    assert app.static_folder is not None, "create the app with its static folder"
    statics = Statics(Path(app.static_folder), watch)
    app.view_functions["static"] = statics.answer
    app.jinja_env.globals["static_url"] = statics.url
    return statics
