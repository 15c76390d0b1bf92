"""The law as data: citations, the transcribed texts; no rule without its article, no article without a rule."""

from __future__ import annotations

import ast
import importlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tender import acts, law
from tender.law import CF, CTB, D10024, L8987, L12587, L14133, LC123, MUN, SOURCES, statute

from tender.law import Citation, Node, Source, Statute, Statutes, Transcription, roman_value  # isort: skip
from tender.readings import NOT_OURS, READINGS

ROOT = Path(__file__).parent.parent


@cache
def texts() -> Statutes:
    plain = [json.loads(path.read_text("utf-8")) for path in sorted((ROOT / "static" / "law").glob("*.json"))]
    return Statutes.from_plain(*plain)


@cache
def municipal() -> Statute:
    return texts().by_slug[MUN.slug]


# --- citations -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("citation", "printed", "key"),
    [
        (MUN(4, 1, "III"), "art. 4º, § 1º, III, da Lei nº 724/2008", "lei-724-2008#art-4-p1-III"),
        (MUN(24, "único"), "art. 24, parágrafo único, da Lei nº 724/2008", "lei-724-2008#art-24-punico"),
        (MUN(4, 3), "art. 4º, § 3º, da Lei nº 724/2008", "lei-724-2008#art-4-p3"),
        (MUN(9), "art. 9º da Lei nº 724/2008", "lei-724-2008#art-9"),
        (MUN(10), "art. 10 da Lei nº 724/2008", "lei-724-2008#art-10"),
        (MUN(4, "caput"), "art. 4º, caput, da Lei nº 724/2008", "lei-724-2008#art-4-caput"),
        (MUN(23, None, "XIV"), "art. 23, XIV, da Lei nº 724/2008", "lei-724-2008#art-23-XIV"),
        (L14133(165, 1, "I"), "art. 165, § 1º, I, da Lei nº 14.133/2021", "lei-14133-2021#art-165-p1-I"),
        (L14133(9, None, "I", "b"), 'art. 9º, I, "b", da Lei nº 14.133/2021', "lei-14133-2021#art-9-I-b"),
        (L12587("12-B", 2), "art. 12-B, § 2º, da Lei nº 12.587/2012", "lei-12587-2012#art-12b-p2"),
        (CTB("5-A", 10), "art. 5º-A, § 10, do Código de Trânsito Brasileiro", "lei-9503-1997#art-5a-p10"),
        (CF(37, None, "XXI"), "art. 37, XXI, da Constituição Federal", "cf-1988#art-37-XXI"),
        (D10024(32, 1), "art. 32, § 1º, do Decreto nº 10.024/2019", "decreto-10024-2019#art-32-p1"),
        (LC123(43, "1-A"), "art. 43, § 1º-A, da Lei Complementar nº 123/2006", "lei-complementar-123-2006#art-43-p1a"),
        (L8987(15, None, "II-A"), "art. 15, II-A, da Lei nº 8.987/1995", "lei-8987-1995#art-15-IIa"),
    ],
)
def test_a_citation_prints_as_statutes_are_cited_and_has_one_key(citation: Citation, printed: str, key: str) -> None:
    assert str(citation) == printed
    assert citation.key == key
    assert Citation.parse(key) == citation
    assert printed.startswith(citation.short)


numbers = st.one_of(
    st.integers(1, 2100), st.builds("{}-{}".format, st.integers(1, 250), st.sampled_from("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
)
numerals = "I II III IV V VI VII VIII IX X XI XIV XIX XX XXI XL XLIX XC C CD D CM M MCMXCIX"
items = st.builds(
    "{}{}".format, st.sampled_from(numerals.split(" ")), st.sampled_from(["", "-A", "-C", "-V", "-X", "-Z"])
)
citations = st.builds(
    Citation,
    st.sampled_from(sorted(SOURCES)),
    numbers,
    st.one_of(st.none(), st.just("único"), st.just("caput"), numbers),
    st.one_of(st.none(), items),
    st.one_of(st.none(), st.sampled_from("abcdeivxz")),
)


@given(citations)
def test_every_citation_is_read_back_from_its_key(citation: Citation) -> None:
    assert Citation.parse(citation.key) == citation


@given(citations, citations)
def test_two_citations_share_a_key_only_when_they_are_one(one: Citation, other: Citation) -> None:
    assert (one.key == other.key) == (one == other)
    assert (one.fragment == other.fragment) == (one == other)
    assert (hash(one) == hash(other)) or one != other


@given(citations, citations)
def test_citations_stand_in_one_order(one: Citation, other: Citation) -> None:
    assert (one < other) + (one == other) + (one > other) == 1
    assert (one <= other) == (not one > other)


@given(citations)
def test_what_contains_a_citation_comes_before_it(citation: Citation) -> None:
    above = list(citation.ancestors())
    assert all(one < citation for one in above)
    assert [one.article for one in above] == [citation.article] * len(above)


def test_the_order_is_that_of_the_statute() -> None:
    right = [
        MUN(4), MUN(4, "caput"), MUN(4, None, "I"), MUN(4, 1), MUN(4, 1, "II"), MUN(4, 1, "IX"), MUN(4, 1, "X"),
        MUN(4, 2), MUN(4, 10), MUN(4, "10-A"), MUN(9), MUN(10), MUN("10-A"), MUN(11),
    ]  # fmt: skip
    assert sorted(frozenset(right)) == right


def test_an_inciso_of_the_head_is_the_same_with_or_without_the_word_caput() -> None:
    assert MUN(9, "caput", "II") == MUN(9, None, "II")
    assert MUN(9, "caput") != MUN(9)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((0,), "artigo impossível"),
        ((-1,), "artigo impossível"),
        ((True,), "artigo impossível"),
        (("4º",), "artigo impossível"),
        (("4-a",), "artigo impossível"),
        (("04",), "artigo impossível"),
        ((4, 0), "parágrafo impossível"),
        ((4, "unico"), "parágrafo impossível"),
        ((4, "§ 1º"), "parágrafo impossível"),
        ((4, 1, "3"), "inciso impossível"),
        ((4, 1, "iii"), "inciso impossível"),
        ((4, 1, 3), "inciso impossível"),
        ((4, 1, ""), "inciso impossível"),
        ((4, 1, "IIII"), "algarismos romanos"),
        ((4, 1, "VX"), "algarismos romanos"),
        ((4, 1, "IC"), "algarismos romanos"),
        ((4, 1, "I", "A"), "alínea impossível"),
        ((4, 1, "I", "ab"), "alínea impossível"),
        ((4, 1, "I", "ç"), "alínea impossível"),
    ],
)
def test_an_impossible_citation_is_refused_with_what_is_wrong(arguments: tuple[Any, ...], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        MUN(*arguments)


@pytest.mark.parametrize(
    "key",
    ["", "lei-724-2008", "#art-4", "lei-724-2008#4", "lei-724-2008#art-0", "lei-724-2008#art-4-",
     "lei-724-2008#art-4-iii", "lei-724-2008#art-4-p1-IIII", "lei-1-1900#art-4", "lei-724-2008#art-4-p1-III x"],
)  # fmt: skip
def test_a_broken_key_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match=r"ilegível|desconhecida|romanos"):
        Citation.parse(key)


def test_roman_numerals_are_read_and_their_edges_refused() -> None:
    assert [roman_value(one) for one in ("I", "IV", "IX", "XIV", "XL", "XC", "CD", "MCMXCIX", "MMMCMXCIX")] == [
        1, 4, 9, 14, 40, 90, 400, 1999, 3999,
    ]  # fmt: skip
    for wrong in ("", "IIII", "MMMM", "VV", "IVI", "XM", "iv", "A"):
        with pytest.raises(ValueError, match="romanos"):
            roman_value(wrong)


def test_a_statute_is_named_once_and_needs_a_slug_when_its_title_gives_none() -> None:
    with pytest.raises(ValueError, match="repetida"):
        statute("Lei nº 724/2008")
    with pytest.raises(ValueError, match="slug="):
        statute("Código Civil")


# --- the texts -------------------------------------------------------------------------------------------------------


def test_lei_724_has_its_thirty_articles_and_every_item_of_them() -> None:
    whole = municipal()
    assert [one.citation for one in whole.articles] == [MUN(number) for number in range(1, 31)]
    assert whole.is_whole
    counted = {
        MUN(3): 2, MUN(4): 3, MUN(4, 1): 5, MUN(4, 2): 10, MUN(5): 2, MUN(7): 13, MUN(8): 3, MUN(9): 8, MUN(16): 5,
        MUN(18): 3, MUN(21): 4, MUN(22): 5, MUN(23): 23, MUN(24): 6, MUN(25): 4, MUN(26): 1,
    }  # fmt: skip
    assert {one: len(whole.node(one).children) for one in counted} == counted


def test_every_infraction_has_codes_of_the_table_and_the_table_has_all_eleven() -> None:
    table = dict(municipal().node(MUN(23, 1)).table)
    assert list(table) == ["Código", "A", "B-1", "B-2", "B-3", "B-4", "C-1", "C-2", "C-3", "C-4", "D", "E"]
    infractions = [one for one in municipal().node(MUN(23)).children if one.citation.item]
    assert all(one.codes and set(one.codes) <= table.keys() for one in infractions)
    assert municipal().node(MUN(23, None, "II")).codes == ("B-1", "C-2", "D")
    assert municipal().node(MUN(23, None, "XIV")).codes == ("B-3", "C-1")


@pytest.mark.parametrize(
    "citation", [MUN(4, 2, "IX"), MUN(4, 3), MUN(7, None, "X"), MUN(16, None, "II"), MUN(23, None, "VI"), MUN(23, 1)]
)
def test_what_the_scan_does_not_show_for_certain_is_said(citation: Citation) -> None:
    assert municipal().node(citation).doubt


def test_an_illegible_place_stays_illegible_in_the_text() -> None:
    assert "[ilegível" in municipal().node(MUN(4, 2, "IX")).text


def test_nothing_of_another_statute_is_passed_off_as_its_words() -> None:
    others = [one for one in texts() if one.source != MUN]
    assert others
    assert all(not one.is_whole for one in others)
    assert {node.transcription for one in others for node in one.nodes()} == {Transcription.PARAPHRASE}


def test_every_text_says_where_it_was_read_and_that_it_must_be_checked() -> None:
    for one in texts():
        assert one.taken_from
        assert "confira" in one.note or "modelo" in one.note, one.source.slug


def test_a_place_is_looked_up_by_its_citation() -> None:
    assert municipal().node(MUN(4, 1, "II")).text.startswith("possuir veículo próprio")
    assert municipal().node(MUN(4, "caput")) is municipal().node(MUN(4))
    assert texts().node(L14133(164)).citation == L14133(164)
    assert [one.label for one in municipal().node(MUN(9)).children] == [
        "I", "II", "III", "IV", "V", "VI", "VII", "Parágrafo único",
    ]  # fmt: skip
    assert texts().node(L14133(9, None, "I", "a")).label == "a)"


def test_a_place_that_is_not_there_is_said_not_to_be() -> None:
    assert not municipal().exists(MUN(31))
    assert not municipal().exists(MUN(4, 4))
    assert not municipal().exists(L14133(4))
    assert not texts().exists(MUN(4, 1, "VI"))
    with pytest.raises(KeyError, match=r"art\. 31"):
        municipal().node(MUN(31))
    with pytest.raises(KeyError, match=r"art\. 4º, § 1º, VI"):
        texts().node(MUN(4, 1, "VI"))


def _plain(**article: Any) -> dict[str, Any]:
    node = {"at": "art-1", "text": "Texto.", "transcription": "literal", **article}
    return {"statute": "lei-724-2008", "note": "n", "taken_from": "t", "whole": True, "articles": [node]}


def _child(at: str) -> dict[str, Any]:
    return {"at": at, "text": "Texto.", "transcription": "literal"}


@pytest.mark.parametrize(
    ("article", "reason"),
    [
        ({"at": "art-x"}, "ilegível"),
        ({"text": " "}, "sem texto"),
        ({"transcription": "quase"}, "quase"),
        ({"transcription": ""}, "is not a valid"),
        ({"colour": "white"}, "campo desconhecido"),
        ({"since": "ontem"}, "ontem"),
        ({"children": [_child("art-2-I")]}, "não está dentro de"),
        ({"children": [_child("art-1-I"), _child("art-1-I")]}, "repetido ou fora de ordem"),
        ({"children": [_child("art-1-p1"), _child("art-1-I")]}, "repetido ou fora de ordem"),
    ],
)
def test_a_faulty_text_is_refused_with_its_place(article: dict[str, Any], reason: str) -> None:
    assert Statute.from_plain(_plain()).exists(MUN(1))
    with pytest.raises(ValueError, match=reason):
        Statute.from_plain(_plain(**article))


def test_the_same_statute_twice_or_an_unknown_one_is_refused() -> None:
    with pytest.raises(ValueError, match="repetida"):
        Statutes.from_plain(_plain(), _plain())
    with pytest.raises(ValueError, match="norma desconhecida"):
        Statute.from_plain({**_plain(), "statute": "lei-1-1900"})


# --- no rule without its article, no article forgotten ---------------------------------------------------------------

NAMES = {name: value for name, value in vars(law).items() if isinstance(value, Source)}
WORDS = {name: value for name, value in vars(law).items() if isinstance(value, str) and name.isupper()}
KEY = re.compile(r"\b[a-z0-9-]+-\d{4}#art-[0-9A-Za-z-]+")
# These speak about the law; they do not put it into practice.
ABOUT = {"tender/law.py", "tender/readings.py"}


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Name) and node.id in WORDS:
        return WORDS[node.id]
    return ast.literal_eval(node)


def _written_in(source: str) -> Iterator[Citation]:
    """Citations spelled out in Python source: `MUN(4, 3)`, `law.MUN(4, 3)`, and keys in strings."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in NAMES:
                try:
                    arguments = [_value(one) for one in node.args]
                    named = {str(one.arg): _value(one.value) for one in node.keywords}
                except ValueError:
                    continue  # made from a variable: found among the values of the module
                yield NAMES[called](*arguments, **named)
    yield from map(Citation.parse, KEY.findall(source))


def _among(value: object, seen: set[int], depth: int = 0) -> Iterator[Citation]:
    """Citations inside a module's values: tables, dataclasses, the declarations of acts."""
    if isinstance(value, Citation):
        yield value
    elif depth < 8 and id(value) not in seen:
        seen.add(id(value))
        inside: list[object] = []
        if isinstance(value, Mapping):
            inside = [*value.keys(), *value.values()]
        elif isinstance(value, list | tuple | set | frozenset):
            inside = list(value)
        elif is_dataclass(value) and not isinstance(value, type):
            inside = [getattr(value, one.name) for one in fields(value)]
        for one in inside:
            yield from _among(one, seen, depth + 1)


def _modules() -> dict[str, str]:
    paths = sorted((ROOT / "tender").rglob("*.py"))
    names = {path.relative_to(ROOT).as_posix(): path for path in paths}
    return {name: path.read_text("utf-8") for name, path in names.items() if name not in ABOUT}


@cache
def cited() -> dict[Citation, str]:
    """Every citation that the product makes, and one place where it makes it."""
    found: dict[Citation, str] = {}
    for name, source in _modules().items():
        found |= dict.fromkeys(_written_in(source), name)
        if re.search(r"/(model|rules)(/\w+)?\.py$", name):
            dotted = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            found |= dict.fromkeys(_among(dict(vars(importlib.import_module(dotted))), set()), name)
    for kind in (*acts.COMMANDS.values(), *acts.FACTS.values()):
        if kind.__module__.startswith("tender."):
            found[kind.META.law] = kind.__module__
    for path in sorted((ROOT / "templates").rglob("*.*")):
        found |= dict.fromkeys(map(Citation.parse, KEY.findall(path.read_text("utf-8"))), path.name)
    return found


def _has_matter(node: Node) -> bool:
    """False for a line that only announces the items below it, such as "A pessoa física deverá:"."""
    return not (node.children and node.text.endswith(":") and ". " not in node.text)


def test_the_scan_finds_citations_however_they_are_written() -> None:
    source = 'MUN(4, 3)\nlaw.MUN(24, SOLE)\nMUN(article=5)\nMUN(x)\nf("lei-724-2008#art-9-II")\nother(1)\n'
    assert set(_written_in(source)) == {MUN(4, 3), MUN(24, "único"), MUN(5), MUN(9, None, "II")}
    table = {MUN(1): [{"a": (MUN(2), READINGS["W-03"])}]}
    assert {MUN(1), MUN(2), MUN(4, 1, "II"), L14133(9, None, "I", "a")} <= set(_among(table, set()))


def test_statutes_are_named_in_one_module() -> None:
    elsewhere = [name for name, source in _modules().items() if re.search(r"\bstatute\(|\bSource\(", source)]
    assert elsewhere == [], "name the statute in tender/law.py, with the others"


def test_every_citation_in_the_code_is_in_the_text_of_the_law() -> None:
    assert cited(), "the scan found no citation at all"
    missing = {str(one): place for one, place in sorted(cited().items()) if not texts().exists(one)}
    assert missing == {}, "add them to static/law/*.json or correct the citation"


def test_every_provision_of_lei_724_is_cited_or_left_alone_with_a_reason() -> None:
    due = [node.citation for node in municipal().nodes() if _has_matter(node)]
    forgotten = [one.anchor for one in due if one not in cited() and one not in NOT_OURS]
    assert forgotten == [], "cite them in the code, or give a reason in tender/readings.py (NOT_OURS)"


def test_nothing_is_both_cited_and_left_alone() -> None:
    both = {one.anchor: cited()[one] for one in NOT_OURS if one in cited()}
    assert both == {}, "the code cites these now: take them out of NOT_OURS in tender/readings.py"


def test_what_is_left_alone_exists_and_has_a_reason() -> None:
    assert [one.key for one in NOT_OURS if not municipal().exists(one)] == []
    assert [one.key for one in NOT_OURS if not _has_matter(municipal().node(one))] == []
    assert all(NOT_OURS.values())
