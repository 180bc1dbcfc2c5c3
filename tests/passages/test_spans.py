"""Spans are what their definition says, whatever the threads, the memory and the text."""

from __future__ import annotations

import json
import unicodedata
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twinset
from tests.kernels.examples import examples
from tests.kernels.text_strategies import SAME_UNICODE
from tests.passages.twins import is_joined, repeated_starts, rows_by_definition, units_of
from twinset.plan import Plan, Resources
from twinset.run.opening import open_documents
from twinset.run.passages.options import SpanOptions
from twinset.run.passages.spans import find_spans

COLLECTION = Path(__file__).parents[2] / "examples" / "collection"
CORPUS = Path(__file__).parents[2] / ".bench" / "c20k.jsonl"
words = st.lists(st.sampled_from(["One", "one", "two", "ÉTÉ", "e\u0301te\u0301"]), max_size=20)
clusters = st.text(
    "a\u0301\r\n가각\u1100\u1161\u11a8🇩🇪🇫👩👧\u200d❤\ufe0f🏽\u0600x\u200b", max_size=25
)
unit = st.sampled_from(["word", "char", "byte"])


def found(texts: list[str], least: int, unit: Any) -> list[list[Any]]:
    """The rows of each span: document, start, end, units."""
    findings = twinset.spans({str(n): text for n, text in enumerate(texts)}, least, unit=unit)
    return rows_of(findings)


def rows_of(findings: Any) -> list[list[Any]]:
    spans: dict[int, list[Any]] = defaultdict(list)
    for row in findings.spans.to_pylist():
        spans[row["span"]].append((int(row["id"]), row["start"], row["end"], row["units"]))
    assert list(spans) == list(range(len(spans)))
    return list(spans.values())


@examples(100)
@given(st.lists(words, min_size=1, max_size=4), st.integers(1, 5), st.data())
def test_words_as_find_compares_them(
    texts: list[list[str]], least: int, data: st.DataObject
) -> None:
    between = st.sampled_from([" ", "\r\n", ", ", " -- ", "\u00ad "])
    joined = ["".join(word + data.draw(between) for word in text) for text in texts]
    assert found(joined, least, "word") == rows_by_definition(joined, least, "word")


@pytest.mark.skipif(not SAME_UNICODE, reason="another version of Unicode")
@examples(400)
@given(st.lists(clusters, min_size=1, max_size=3), st.integers(1, 5), st.data())
def test_grapheme_clusters_are_never_cut(texts: list[str], least: int, data: st.DataObject) -> None:
    unit = data.draw(st.sampled_from(["char", "byte"]))
    texts += [data.draw(clusters) + text for text in texts]  # so that something repeats
    rows = found(texts, least, unit)
    assert rows == rows_by_definition(texts, least, unit)
    for span in rows:
        assert len({texts[number][start:end] for number, start, end, _ in span}) == 1
        assert not any(
            is_joined(texts[n], at) for n, start, end, _ in span for at in (start, end)
        ), "a cluster is cut"


@examples(40)
@given(st.lists(st.text("abc ", max_size=60), min_size=1, max_size=6), st.integers(1, 5), unit)
def test_little_memory_and_many_threads_change_nothing(
    texts: list[str], least: int, unit: Any
) -> None:
    options = SpanOptions(least, unit)
    named = {str(number): text for number, text in enumerate(texts)}

    def spans(threads: int, memory: int) -> list[list[Any]]:
        resources = Resources(threads, memory, "/tmp")
        documents, _ = open_documents(named, Plan.make(), resources)
        return rows_of(find_spans(documents, options, resources))

    plenty = spans(1, 1 << 30)
    assert spans(4, 1 << 30) == plenty
    assert spans(1, 1 << 14) == plenty  # a part of the counts at a time
    assert spans(3, 0) == plenty


def test_many_rounds_and_samples_in_a_file(tmp_path: Path) -> None:
    text = "".join(chr(97 + (i * i // 7 + i) % 13) for i in range(30_000))
    file = tmp_path / "texts.jsonl"
    file.write_text("".join(json.dumps({"id": str(n), "text": text[n:]}) + "\n" for n in range(3)))
    expected = twinset.spans(file, 8, unit="char").spans
    resources = Resources(2, 1 << 16, str(tmp_path))
    documents, _ = open_documents(file, Plan.make(html="no"), Resources(2))
    findings = find_spans(documents, SpanOptions(8, "char"), resources)
    assert findings.spans == expected
    assert len(expected) > 0


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_places_are_those_of_the_text_as_it_is(form: str) -> None:
    text = unicodedata.normalize(form, "Été à la\r\nplage, où")
    other = "puis ÉTÉ À LA PLAGE OÙ"
    [span] = found([text, other], 5, "word")
    assert [(n, [text, other][n][start:end]) for n, start, end, _ in span] == [
        (0, text),
        (1, "ÉTÉ À LA PLAGE OÙ"),
    ]


@pytest.mark.parametrize("text", ["🇩🇪" * 50_000, "a" + "\u0301" * 100_000])
def test_long_clusters_are_not_passed_again_for_every_run(text: str) -> None:
    spans = twinset.spans({"0": text}, 5, unit="char").spans
    assert {row["start"] % 2 for row in spans.to_pylist()} <= {0}  # or this takes hours


def test_one_document_a_hundred_thousand_times() -> None:
    [span] = found(["ten words that stand together in every one of them"] * 100_000, 5, "word")
    assert [row[0] for row in span] == list(range(100_000))
    assert {row[1:] for row in span} == {(0, 50, 10)}


@pytest.mark.parametrize("unit", ["word", "char", "byte"])
@pytest.mark.parametrize("least", [10, 50, 200])
def test_the_examples_against_a_suffix_array(least: int, unit: str) -> None:
    pytest.importorskip("pydivsufsort")
    files = sorted(path for path in COLLECTION.rglob("*.txt"))[:40]
    texts = [path.read_bytes().decode("utf-8", "replace") for path in files]
    if unit == "byte":  # all characters of one byte, of which none is cut
        texts = [text.encode("ascii", "replace").decode() for text in texts]
    compare_with_suffix_array(texts, least, unit)


@pytest.mark.long
@pytest.mark.parametrize("least", [10, 50, 200])
@pytest.mark.skipif(not CORPUS.exists(), reason="benchmarks/run.py makes c20k there")
def test_twenty_megabytes_against_a_suffix_array(least: int) -> None:
    pytest.importorskip("pydivsufsort")
    texts, size = [], 0
    with CORPUS.open(encoding="utf-8") as lines:
        while size < 20_000_000:
            texts.append(json.loads(next(lines))["text"])
            size += len(texts[-1])
    compare_with_suffix_array(texts, least, "word")
    ascii_texts = [text.encode("ascii", "replace").decode() for text in texts[: len(texts) // 10]]
    compare_with_suffix_array(ascii_texts, least, "byte")


def compare_with_suffix_array(texts: list[str], least: int, unit: str) -> None:
    """Every place holds the units of its span, and there are as many starts as must be."""
    starts = 0
    begun = set()
    for span in found(texts, least, unit):
        number, start, end, units = span[0]
        first = texts[number][start:end]
        assert len(units_of(first, unit)) == units >= least
        for number, start, end, units in span:
            assert (number, start) not in begun
            begun.add((number, start))
            here = texts[number][start:end]
            assert here == first or units_of(here, unit) == units_of(first, unit)
            starts += units - least + 1
    assert starts == repeated_starts([units_of(text, unit) for text in texts], least)
