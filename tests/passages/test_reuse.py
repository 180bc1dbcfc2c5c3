"""Reused passages: planted ones are found where they are, and nothing below the threshold."""

from __future__ import annotations

import json
import random
import unicodedata
from pathlib import Path
from typing import Any, Literal

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Indel

import twinset
from tests.kernels.examples import examples
from tests.kernels.text_strategies import SAME_UNICODE
from tests.kernels.text_twins import canonical, spans
from twinset.plan import Plan, Resources
from twinset.run.opening import open_documents
from twinset.run.passages.options import ReuseOptions
from twinset.run.passages.reuse import ReuseSearch, find_reuse

WORDS = [f"{a}{b}{c}" for a in "bdkmst" for b in "aeiou" for c in ["ra", "lo", "nik", "sten", "v"]]


def text_of(seed: int, words: int, mark: str = "") -> list[str]:
    """Chosen words; those with another ``mark`` are others."""
    chosen = random.Random(seed)
    return [mark + chosen.choice(WORDS) + str(chosen.randrange(20)) for _ in range(words)]


def words_of(text: str) -> list[str]:
    return [canonical(text[begin:end]) for begin, end in spans(text)]


def similarity(a: str, b: str) -> float:
    """Edit similarity of texts as words joined by single spaces."""
    return float(Indel.normalized_similarity(" ".join(words_of(a)), " ".join(words_of(b))))


def rows(findings: Any) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in findings.passages.to_pylist()]


@examples(40)
@given(st.integers(0, 10**6), st.integers(25, 80), st.floats(0, 0.12), st.data())
def test_an_edited_copy_is_found_where_it_is(
    seed: int, size: int, edits: float, data: st.DataObject
) -> None:
    passage, chosen = text_of(seed, size), random.Random(seed + 1)
    copy = list(passage)
    for place in range(8, size - 8):  # its ends stay, so that its places are known
        if chosen.random() < edits:
            copy[place] = chosen.choice(["", "other", "two words"])
    before = data.draw(st.integers(0, 40)), data.draw(st.integers(0, 40))
    left = [*text_of(2, before[0], "l"), *passage, *text_of(3, 30, "l")]
    right = [*text_of(4, before[1], "r"), *copy, *text_of(5, 30, "r")]
    texts = " ".join(left), ", ".join(filter(None, right))
    places = (
        sum(len(word) + 1 for word in left[: before[0]]),
        sum(len(word) + 2 for word in right[: before[1]]),
    )
    findings = twinset.reuse({"a": texts[0]}, {"b": texts[1]})
    [(_, _, start, end, other_start, other_end, score, exact)] = rows(findings)
    assert (start, other_start) == places
    assert (
        texts[0][start:end].split()[-1] == texts[1][other_start:other_end].split()[-1] == copy[-1]
    )
    assert exact == (words_of(texts[0][start:end]) == words_of(texts[1][other_start:other_end]))
    assert score == pytest.approx(similarity(texts[0][start:end], texts[1][other_start:other_end]))
    [pair] = findings.pairs.to_pylist()
    assert pair["containment_left"] == pytest.approx(size / len(left))
    covered = len(words_of(texts[1][other_start:other_end]))
    total = len(words_of(texts[1]))
    assert pair["containment_right"] == pytest.approx(covered / total)
    score *= (size + covered) / (len(left) + total)
    assert pair["passage_score"] == pytest.approx(score)


def sides() -> st.SearchStrategy[list[str]]:
    """Documents of few pieces, so that sides share them in many ways."""
    pieces = [" ".join(text_of(seed, 12)) for seed in range(4)]
    broken = [
        " ".join([*text_of(seed, 12)[:5], "new", *text_of(seed, 12)[6:]]) for seed in range(4)
    ]
    odd = st.sampled_from(["x", "y z", "one, two. three", ""])
    document = st.lists(st.sampled_from(pieces + broken) | odd, max_size=6).map(" ".join)
    return st.lists(document, min_size=1, max_size=3)


@examples(60)
@given(sides(), sides(), st.sampled_from([0.5, 0.8, 0.95, 1.0]), st.integers(5, 25))
def test_what_is_reported_keeps_its_promises(
    left: list[str], right: list[str], threshold: float, least: int
) -> None:
    options: Any = {"threshold": threshold, "least": least, "gap": 8}
    ours, theirs = dict(zip("abc", left, strict=False)), dict(zip("xyz", right, strict=False))
    findings = twinset.reuse(ours, theirs, **options)
    taken: dict[tuple[str, str, str], set[int]] = {}
    for a, b, start, end, other_start, other_end, score, exact in rows(findings):
        here, there = ours[a][start:end], theirs[b][other_start:other_end]
        assert score >= threshold
        assert score == pytest.approx(similarity(here, there))
        assert exact == (words_of(here) == words_of(there))
        shortest = min(len(words_of(ours[a])), len(words_of(theirs[b])))
        need = max(5, min(least, shortest))
        assert min(len(words_of(here)), len(words_of(there))) >= need
        for side, places in ((a, range(start, end)), (b, range(other_start, other_end))):
            known = taken.setdefault((a, b, side), set())
            assert known.isdisjoint(places)  # passages of a pair do not overlap
            known.update(places)
    mirrored = [
        (a, b, *left_place, *right_place, score, exact)
        for b, a, *places, score, exact in rows(twinset.reuse(theirs, ours, **options))
        for left_place, right_place in [(places[2:], places[:2])]
    ]
    assert sorted(mirrored) == sorted(rows(findings))


def test_many_batches_and_the_larger_side_first(tmp_path: Path) -> None:
    shared = " ".join(text_of(1, 40))
    texts = [" ".join([*text_of(seed, 200), shared]) for seed in range(2, 400)]
    large, small = tmp_path / "large.jsonl", tmp_path / "small.jsonl"
    lines = [json.dumps({"id": str(n), "text": text}) for n, text in enumerate(texts)]
    large.write_text("\n".join(lines))
    small.write_text(json.dumps({"id": "q", "text": f"Is it this: {shared}?"}))
    plan = Plan.make(html="no")

    def found(memory: int, *paths: Path) -> Any:
        resources = Resources(2, memory, str(tmp_path))
        opened = [open_documents(path, plan, Resources(2))[0] for path in paths]
        return find_reuse(opened[0], opened[1], ReuseOptions.make(), resources)

    findings = found(0, small, large)
    assert len(findings.passages) == len(texts)
    assert {row[6] for row in rows(findings)} == {1.0}
    assert findings.passages["right"].to_pylist() == [str(n) for n in range(len(texts))]
    turned = found(1 << 30, large, small)
    assert turned.passages["left_start"].equals(findings.passages["right_start"])
    assert turned.passages["right_end"].equals(findings.passages["left_end"])
    assert findings.documents.slice(0, 1).to_pylist()[0]["reused"] == 40


@pytest.mark.parametrize("kinds", ["file file", "file memory", "memory file", "memory memory"])
@pytest.mark.parametrize("is_turned", [False, True])
def test_the_smaller_side_is_held_wherever_it_comes_from(
    kinds: str, is_turned: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = " ".join(text_of(1, 40))
    sides: list[Any] = [{"q": shared}, {str(n): f"{shared} {n}" for n in range(50)}]
    if is_turned:
        sides.reverse()
    counts = [len(side) for side in sides]
    for number, kind in enumerate(kinds.split()):
        if kind == "file":
            file = tmp_path / f"{number}.jsonl"
            lines = [json.dumps({"id": id, "text": text}) for id, text in sides[number].items()]
            file.write_text("\n".join(lines))
            sides[number] = file
    indexed: list[int] = []
    index = ReuseSearch.index

    def noting(search: ReuseSearch, documents: Any) -> None:
        indexed.append(sum(len(batch) for batch in documents.batches()))
        index(search, documents)

    monkeypatch.setattr(ReuseSearch, "index", noting)
    findings = twinset.reuse(*sides)
    assert indexed == [1]
    assert findings.manifest["totals"]["documents"] == counts
    assert len(findings.passages) == 50


def test_frequent_shingles_begin_no_passage_and_are_counted() -> None:
    shared = " ".join(text_of(1, 30))
    ours = {f"a{n}": f"{shared} {' '.join(text_of(n, 30))}" for n in range(3)}
    theirs = {f"b{n}": f"{shared} {' '.join(text_of(n + 9, 30))}" for n in range(3)}
    assert len(twinset.reuse(ours, theirs, frequent=3).passages) == 9
    findings = twinset.reuse(ours, theirs, frequent=2)
    assert len(findings.passages) == 0
    assert findings.manifest["totals"]["frequent_seeds"] == 26
    ours.pop("a2")  # frequent on one side only
    assert len(twinset.reuse(ours, theirs, frequent=2).passages) == 6


@pytest.mark.skipif(not SAME_UNICODE, reason="another version of Unicode")
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_places_are_those_of_the_text_as_it_is(form: Literal["NFC", "NFD"]) -> None:
    text = unicodedata.normalize(form, "Voilà: l’été à la\r\nplage, où brûlé\u0301")
    other = "PUIS L’ÉTÉ À LA PLAGE OÙ BRÛLÉ\u0301 ICI"
    [row] = rows(twinset.reuse({"a": text}, {"b": other}, least=6, shingle=3))
    start = text.index("l’")
    assert text[row[2] : row[3]] == text[start:]
    assert other[row[4] : row[5]] == other[5:-4]
    assert row[6:] == (1.0, True)


def test_long_documents_are_one_passage() -> None:
    words = text_of(1, 200_000)
    edited = list(words)
    edited[100_000] = "changed"
    findings = twinset.reuse({"a": " ".join(words)}, {"b": " ".join(edited), "c": " ".join(words)})
    assert [row[6:] for row in rows(findings)][1] == (1.0, True)
    assert [(row[2], row[3]) for row in rows(findings)] == [(0, len(" ".join(words)))] * 2


def test_empty_documents_and_sides() -> None:
    assert len(twinset.reuse({}, {}).passages) == 0
    assert len(twinset.reuse({"a": ""}, {"b": "", "c": "some words"}).passages) == 0
    findings = twinset.reuse([], {"b": "some words"})
    assert findings.documents.to_pylist()[0]["words"] == 2
    assert "No passage" in repr(findings)


def test_a_document_shorter_than_the_least_has_to_stand_there_whole() -> None:
    question = "which of these rivers flows into the northern sea"
    page = f"Quiz. {question.title()}? Answer below."
    assert len(twinset.reuse({"q": question}, {"p": page}).passages) == 1
    assert len(twinset.reuse({"q": question + " today"}, {"p": page}).passages) == 0
    words = {str(count): " ".join(text_of(1, count)) for count in (0, 1, 7, 8, 9)}
    found = twinset.reuse(words, {"p": page}, shingle=8)
    assert found.manifest["totals"]["short_documents"] == [2, 0]


def test_swapped_paragraphs_are_two_passages() -> None:
    first, second = " ".join(text_of(1, 30)), " ".join(text_of(2, 30))
    findings = twinset.reuse({"a": f"{first}\n{second}"}, {"b": f"{second}\n{first}"})
    assert [row[2:6] for row in rows(findings)] == [
        (0, len(first), len(second) + 1, len(first) + len(second) + 1),
        (len(first) + 1, len(first) + len(second) + 1, 0, len(second)),
    ]


def test_the_report_folder(tmp_path: Path) -> None:
    shared = " ".join(text_of(1, 30))
    left, right = {"a<b": f"{shared} {' '.join(text_of(2, 9))}"}, {"c": f"new {shared}"}
    folder = Path(str(twinset.reuse(left, right).save(tmp_path / "out")))
    assert pq.read_schema(folder / "reuse.parquet").names == [
        "left",
        "right",
        "left_start",
        "left_end",
        "right_start",
        "right_end",
        "score",
        "exact",
    ]
    assert pq.read_schema(folder / "pairs.parquet").names[2:] == [
        "containment_left",
        "containment_right",
        "passage_score",
        "passages",
    ]
    page = (folder / "report.html").read_text("utf-8")
    assert "a&lt;b" in page
    assert shared[:40] in page
    with pytest.raises(twinset.ReportError):
        twinset.reuse(left, right).save(tmp_path / "out")
