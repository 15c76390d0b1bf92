"""Answers are gzipped here, so that the budget of 25 KB a page holds without a proxy in front."""

from __future__ import annotations

import gzip
import io
import secrets

from flask import Flask, Response, request

from tender.web.statics import COMPRESS_FROM_BYTES, COMPRESSIBLE

LEVEL = 6
PADDING_MAX = 100
"""At most this many random bytes in each gzip header: who measures lengths learns no CSRF token from them (BREACH)."""


def packed(body: bytes) -> bytes:
    """The body gzipped, with a header of random length; the same body never has one fixed length."""
    padding = secrets.token_hex(PADDING_MAX // 2)[secrets.randbelow(PADDING_MAX) :]
    buffer = io.BytesIO()
    with gzip.GzipFile(padding, "wb", LEVEL, buffer, mtime=0) as file:
        file.write(body)
    return buffer.getvalue()


def _compress(response: Response) -> Response:
    if not (response.mimetype or "").startswith(COMPRESSIBLE) or "Content-Encoding" in response.headers:
        return response
    if response.direct_passthrough or response.is_streamed or response.status_code in (204, 206, 304):
        return response
    response.vary.add("Accept-Encoding")
    body = response.get_data()
    if len(body) >= COMPRESS_FROM_BYTES and request.accept_encodings.quality("gzip") > 0:
        response.set_data(packed(body))  # sets Content-Length, too
        response.headers["Content-Encoding"] = "gzip"
        if response.headers.get("ETag"):
            response.headers["ETag"] = f"W/{response.headers['ETag'].removeprefix('W/')}"
    return response


def init_compress(app: Flask) -> None:
    """Gzip the text answers of this app for those who take it."""
    app.after_request(_compress)
