"""Static files from memory, and gzip."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from flask import Flask, Response

from tender.web.statics import Statics
from tests.web.conftest import Site

PACKED = {"Accept-Encoding": "gzip"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "static" / "room").mkdir(parents=True)
    (tmp_path / "static" / "room" / "room.js").write_text("let a = 1;\n" * 200)
    (tmp_path / "static" / "small.css").write_text("a{}")
    (tmp_path / "static" / ".hidden").write_text("x")
    (tmp_path / "secret.txt").write_text("x")
    return tmp_path / "static"


def served(statics: Statics, name: str, query: str = "", **headers: str) -> Response:
    """What is answered for a file."""
    with Flask("x").test_request_context(f"/static/{name}{query}", headers=headers):
        return statics.answer(name)


def test_an_address_changes_when_the_file_does(folder: Path) -> None:
    before = Statics(folder, watch=True).url("small.css")
    (folder / "small.css").write_text("b{}")
    assert Statics(folder, watch=True).url("small.css") != before
    assert before.startswith("/static/small.css?v=")


def test_a_changed_file_is_read_again_where_people_develop_and_not_in_production(folder: Path) -> None:
    watching, steady = Statics(folder, watch=True), Statics(folder, watch=False)
    before = watching.url("small.css"), steady.url("small.css")
    (folder / "small.css").write_text("changed{}")
    assert watching.url("small.css") != before[0]
    assert steady.url("small.css") == before[1]


def test_only_the_right_fingerprint_is_kept_for_ever(folder: Path) -> None:
    statics = Statics(folder, watch=False)
    fingerprint = statics.url("small.css").partition("?")[2]
    assert (
        served(statics, "small.css", f"?{fingerprint}").headers["Cache-Control"]
        == "public, max-age=31536000, immutable"
    )
    assert served(statics, "small.css", "?v=000000000000").headers["Cache-Control"] == "no-cache"
    assert served(statics, "small.css").headers["Cache-Control"] == "no-cache"


def test_a_large_text_is_sent_packed_to_those_who_take_it(folder: Path) -> None:
    statics = Statics(folder, watch=False)
    packed = served(statics, "room/room.js", **PACKED)
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == served(statics, "room/room.js").data
    assert packed.mimetype == "text/javascript"
    assert "Accept-Encoding" in packed.vary
    assert "Content-Encoding" not in served(statics, "room/room.js", **{"Accept-Encoding": "gzip;q=0"}).headers
    assert "Content-Encoding" not in served(statics, "small.css", **PACKED).headers


def test_a_file_that_did_not_change_is_not_sent_again(site: Site) -> None:
    tag = site.client.get("/static/base.css", headers=PACKED).headers["ETag"]
    again = site.client.get("/static/base.css", headers={**PACKED, "If-None-Match": tag})
    assert (again.status_code, again.data) == (304, b"")
    assert (
        site.client.get("/static/base.css", headers={"If-None-Match": tag}).status_code == 200
    )  # not packed: another body


@pytest.mark.parametrize(
    "name", ["nada.css", "../secret.txt", ".hidden", "room", "room/../../secret.txt", "/etc/passwd", ""]
)
def test_what_is_not_a_file_of_the_folder_is_not_there(folder: Path, name: str) -> None:
    statics = Statics(folder, watch=False)
    assert statics.find(name) is None
    with pytest.raises(FileNotFoundError, match="static file"):
        statics.url(name)


@pytest.mark.parametrize(
    "address", ["/static/../tender/web/house.py", "/static/%2e%2e/pyproject.toml", "/static/nada.js"]
)
def test_the_site_serves_nothing_beside_its_folder(site: Site, address: str) -> None:
    assert site.client.get(address).status_code == 404


# --- answers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("length", "is_packed"), [(1023, False), (1024, True)])
def test_text_is_packed_from_one_kilobyte_on(site: Site, length: int, is_packed: bool) -> None:
    answer = site.client.get(f"/texto/{length}", headers=PACKED)
    assert ("Content-Encoding" in answer.headers) is is_packed
    assert answer.headers["Content-Length"] == str(len(answer.data))
    assert (gzip.decompress(answer.data) if is_packed else answer.data) == b"x" * length
    assert "Accept-Encoding" in answer.vary


@pytest.mark.parametrize("kind", ["image/jpeg", "application/pdf", "application/zip"])
def test_what_is_packed_already_is_left_alone(site: Site, kind: str) -> None:
    assert "Content-Encoding" not in site.client.get(f"/texto/5000?tipo={kind}", headers=PACKED).headers


@pytest.mark.parametrize("kind", ["text/csv", "application/json", "image/svg%2Bxml", "text/html"])
def test_every_kind_of_text_is_packed(site: Site, kind: str) -> None:
    assert site.client.get(f"/texto/5000?tipo={kind}", headers=PACKED).headers["Content-Encoding"] == "gzip"


def test_who_takes_no_gzip_gets_none(site: Site) -> None:
    for headers in ({}, {"Accept-Encoding": "br"}, {"Accept-Encoding": "gzip;q=0, br"}):
        assert site.client.get("/texto/5000", headers=headers).data == b"x" * 5000


def test_a_stream_stays_a_stream(site: Site) -> None:
    answer = site.client.get("/aos-poucos", headers=PACKED)
    assert "Content-Encoding" not in answer.headers
    assert len(answer.data) == 5000


def test_errors_are_packed_too(site: Site) -> None:
    answer = site.client.get("/nada", headers=PACKED)
    assert answer.status_code == 404
    assert "Página não encontrada" in gzip.decompress(answer.data).decode()


def test_the_length_of_a_packed_page_gives_no_token_away(site: Site) -> None:
    # The same body comes in many lengths: 40 equal ones in a row have a chance of 1 in 100^39.
    assert len({len(site.client.get("/texto/5000", headers=PACKED).data) for _ in range(40)}) > 1
