"""How the law is read, and the public page that shows it: `/lei`.

`python -m tests.test_readings` writes the golden text of the page anew, to be read before it is committed.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

import pytest
from jinja2 import ChoiceLoader, DictLoader, Environment, FileSystemLoader, StrictUndefined

from tender.law import MUN, Citation, Statutes
from tender.readings import NOT_OURS, READINGS, readings_of
from tests.test_law import ROOT, texts

LIGHT_BYTES = 25 * 1024 - 9 * 1024  # what is left of a first visit beside style, script and sign
GOLDEN = ROOT / "tests" / "golden" / "law-724.txt"


def test_every_conflict_and_every_choice_of_the_edital_has_a_reading() -> None:
    assert [one for one in READINGS if one.startswith("W")] == [f"W-{number:02}" for number in range(1, 23)]
    assert [one for one in READINGS if one.startswith("S")] == [f"S{number}" for number in range(1, 11)]


@pytest.mark.parametrize("reading", READINGS.values(), ids=READINGS.keys())
def test_a_reading_takes_one_of_its_options_and_stands_on_text_we_have(reading: Any) -> None:
    assert reading.taken in reading.options
    assert reading.meaning == reading.options[reading.taken]
    assert reading.doubt.endswith((".", "?"))
    assert reading.confirmed_by
    assert reading.source
    assert [str(one) for one in (reading.law, *reading.see) if not texts().exists(one)] == []
    assert reading in readings_of(reading.law)


def test_a_provision_without_doubt_has_no_reading() -> None:
    assert readings_of(MUN(14)) == ()


# --- the page --------------------------------------------------------------------------------------------------------


def page(statutes: Statutes, not_ours: Mapping[Citation, str], name: str = "law.html") -> str:
    """The page of the municipal law, or of the other statutes, inside a bare frame."""
    frame = "<!doctype html><title>{% block title %}{% endblock %}</title><main>{% block main %}{% endblock %}</main>"
    loader = ChoiceLoader([DictLoader({"_layout.html": frame}), FileSystemLoader(ROOT / "templates")])
    jinja = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    return jinja.get_template(name).render(
        municipal=statutes.by_slug[MUN.slug],
        others=[one for one in statutes if one.source != MUN],
        readings_of=readings_of,
        not_ours=not_ours,
    )


class Words(HTMLParser):
    """What a reader without a screen hears: one line a block, `[id]` in front where there is one to link to."""

    BLOCKS = frozenset({"h1", "h2", "h3", "p", "li", "dt", "dd", "div", "section", "tr", "th", "td", "nav", "title"})
    ALONE = frozenset({"br", "img", "meta", "link", "input", "hr"})

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.elsewhere: list[str] = []
        self.tags: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        self.tags.add(tag)
        assert "style" not in given
        assert not any(name.startswith("on") for name in given)
        if tag not in self.ALONE:
            self.open.append(tag)
        if tag in self.BLOCKS:
            self.lines.append("")
        if "id" in given:
            self.ids.append(given["id"])
            self.lines.append(f"[{given['id']}] ")
        if given.get("href", "").startswith("#"):
            self.links.append(given["href"][1:])
        elif given.get("href", "").startswith("/lei"):
            self.elsewhere.append(given["href"])

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        if tag in self.BLOCKS:
            self.lines.append("")

    def handle_data(self, data: str) -> None:
        self.lines[-1:] = ["".join([*self.lines[-1:], data])]


def heard(html: str) -> Words:
    words = Words()
    words.feed(html)
    words.close()
    assert words.open == []
    return words


def told() -> str:
    """The municipal part of the page as plain lines; what is left alone changes with each chapter and stays out."""
    lines = [" ".join(line.split()) for line in heard(page(texts(), {})).lines]
    return "\n".join(line for line in lines if line) + "\n"


def test_the_page_of_the_law_tells_the_golden_text() -> None:
    assert told() == GOLDEN.read_text("utf-8"), (
        "read the difference; then `python -m tests.test_readings` writes it anew"
    )


def test_every_provision_can_be_linked_to_and_every_link_leads_somewhere() -> None:
    municipal, federal = heard(page(texts(), NOT_OURS)), heard(page(texts(), NOT_OURS, "federal.html"))
    for words, statutes in (
        (municipal, [texts().by_slug[MUN.slug]]),
        (federal, [s for s in texts() if s.source != MUN]),
    ):
        assert len(words.ids) == len(set(words.ids))
        assert {node.citation.fragment for one in statutes for node in one.nodes()} <= set(words.ids)
        assert set(words.links) <= set(words.ids)
        assert {"art-4-p1-I", "lei-14133-2021"} & set(words.ids)
    there = {"/lei": municipal.ids, "/lei/federal": federal.ids}
    led = [link.split("#") for words in (municipal, federal) for link in words.elsewhere if "#" in link]
    assert led
    assert [link for link in led if link[1] not in there[link[0]]] == []
    assert MUN(4, "caput").fragment in municipal.ids


def test_the_page_of_the_municipal_law_is_light_enough_for_a_telephone() -> None:
    assert len(gzip.compress(page(texts(), NOT_OURS).encode(), 6)) < LIGHT_BYTES


def test_the_page_needs_no_script_and_warns_that_the_text_must_be_checked() -> None:
    html = page(texts(), NOT_OURS)
    assert heard(html).tags.isdisjoint({"script", "style", "iframe", "object"})
    assert "Texto de trabalho; confira no exemplar oficial." in html


def test_a_doubt_is_visible_beside_its_provision() -> None:
    html = page(texts(), NOT_OURS)
    place = html[html.index('<div id="art-4-p2-IX">') : html.index('<div id="art-4-p2-X">')]
    assert "Leitura duvidosa." in place
    assert "Como se lê (W-08)." in place
    assert "palavras da lei" in place


def test_what_is_left_alone_says_so_with_its_reason() -> None:
    html = page(texts(), NOT_OURS)
    place = html[html.index('<section id="art-19"') : html.index('<section id="art-20"')]
    assert f"Fora deste sistema: {NOT_OURS[MUN(19)]}." in place


def test_a_text_with_markup_in_it_is_shown_and_not_obeyed() -> None:
    node = {"at": "art-1", "text": "<b>x</b>", "doubt": "<script>", "transcription": "literal"}
    plain = {"statute": MUN.slug, "note": "<i>", "taken_from": "<u>", "whole": True, "articles": [node]}
    html = page(Statutes.from_plain(plain), {MUN(1): "<s>"})
    assert "&lt;b&gt;x&lt;/b&gt;" in html
    assert heard(html).tags.isdisjoint({"script", "i", "u", "s"})


if __name__ == "__main__":
    GOLDEN.write_text(told(), "utf-8")
