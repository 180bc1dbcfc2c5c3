"""Shared passages against their definition, written out; in any text, and quickly."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset.finding.verify import passages
from twinset.finding.verify.passages import runs_of, shared_runs, shared_stretches
from twinset.finding.verify.shingled_text import Place, Shingler
from twinset.text.segments import words

Row = list[int]
UNITS = ["word", "char", "sentence"]


class Passage(NamedTuple):
    """``units`` units that all texts have; ``places[n]`` are characters of the n-th text."""

    places: tuple[Place, ...]
    units: int


def shared_passages(texts: Sequence[str], shingler: Shingler) -> list[Passage]:
    """The passages that all texts share, in the order of the first."""
    cut = [shingler.cut(text) for text in texts]
    passages = []
    for places, size in runs_of(cut):
        ranges = [text.units_of(place, size) for text, place in zip(cut, places, strict=True)]
        spans = (
            (text.places[a][0], text.places[b - 1][1])
            for text, (a, b) in zip(cut, ranges, strict=True)
        )
        passages.append(Passage(tuple(spans), ranges[0][1] - ranges[0][0]))
    return passages


def plain_runs(first: Row, others: list[Row]) -> list[tuple[tuple[int, ...], int]]:
    """The definition: from left to right, as far as the run stands in all the others."""
    runs, at = [], 0
    while at < len(first):
        size = 0
        while at + size < len(first) and all(
            first_place(first[at : at + size + 1], other) is not None for other in others
        ):
            size += 1
        if size:
            run = first[at : at + size]
            runs.append(((at, *(first_place(run, other) or 0 for other in others)), size))
        at += max(1, size)
    return runs


def first_place(run: Row, row: Row) -> int | None:
    places = (at for at in range(len(row)) if row[at : at + len(run)] == run)
    return next(places, None)


rows = st.lists(st.integers(0, 2), max_size=40)


@given(rows, st.lists(rows, max_size=3), st.sampled_from([0, 1, 8]), st.sampled_from([1, 2, 12]))
@examples(400)
def test_runs_are_those_of_the_definition(
    first: Row, others: list[Row], few: int, levels: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passages, "FEW", few)
        patch.setattr(passages, "LEVELS", levels)
        runs = list(shared_runs(np.array(first, "u8"), [np.array(row, "u8") for row in others]))
    assert runs == plain_runs(first, others)


def shingles(row: list[str], length: int) -> list[tuple[str, ...]]:
    return [tuple(row[at : at + length]) for at in range(max(1, len(row) - length + 1))]


MARKS = "ab \n.,-'ßİıἈΣςé\u0301Я漢字한\u200d😀𝔄ﬁ\u00a0\x1c"
any_text = st.text(st.sampled_from(MARKS), max_size=40)
plain_text = st.lists(st.sampled_from(["a", "B", "c,", "d-e"]), max_size=30).map(" ".join)


@given(st.lists(plain_text, min_size=2, max_size=3), st.integers(1, 4))
@examples(200)
def test_passages_are_places_of_the_same_words_in_every_text(texts: list[str], length: int) -> None:
    found = shared_passages(texts, Shingler(length))
    spelt = [
        words([text[a:b] for text, (a, b) in zip(texts, p.places, strict=True)]) for p in found
    ]
    assert all(row == rows_[0] for rows_ in spelt for row in rows_)
    assert [len(rows_[0]) for rows_ in spelt] == [p.units for p in found]
    cut = [set(shingles(row, length)) - {()} for row in words(texts)]
    shared = set.intersection(*cut)
    assert {one for rows_ in spelt for one in shingles(rows_[0], length)} - {()} == shared
    starts = [p.places[0][0] for p in found]
    assert starts == sorted(set(starts))


@given(any_text, any_text, st.integers(1, 5), st.sampled_from(UNITS), st.integers(1, 3))
@examples(300)
def test_places_lie_within_texts_of_any_script(
    left: str, right: str, length: int, unit: Any, step: int
) -> None:
    shingler = Shingler(length, step, unit)
    for text in (left, right):
        cut = shingler.cut(text)
        assert len(cut.places) == cut.units
        assert all(0 <= a <= b <= len(text) for a, b in cut.places)
        assert all(a <= c for (a, _), (c, _) in pairwise(cut.places))
    for passage in shared_passages([left, right], shingler):
        for text, (start, end) in zip((left, right), passage.places, strict=True):
            # Empty for the joint of two words that no blank parts, which counts as a character.
            assert 0 <= start <= end <= len(text)
            assert start < end or unit == "char"
    for stretch in shared_stretches([left, right], shingler):
        assert 0 <= stretch.start <= stretch.end <= len(left)


@given(any_text, st.integers(1, 4), st.sampled_from(UNITS))
@examples(200)
def test_identical_texts_are_one_passage(text: str, length: int, unit: Any) -> None:
    cut = Shingler(length, unit=unit).cut(text)
    found = shared_passages([text, text], Shingler(length, unit=unit))
    assert [p.units for p in found] == [cut.units] * bool(cut.units)
    assert all(p.places[0] == p.places[1] for p in found)


@pytest.mark.parametrize("texts", [["", ""], ["a b c", ""], ["", "a b c"], ["a b c", "d e f"]])
def test_texts_with_nothing_in_common_share_no_passage(texts: list[str]) -> None:
    assert shared_passages(texts, Shingler(1)) == []
    assert shared_stretches(texts, Shingler(1)) == []


def test_a_run_that_stands_nowhere_as_a_whole_is_cut_where_the_other_text_goes_on() -> None:
    found = shared_passages(["a b c d e", "c d e . . x a b c"], Shingler(2))
    assert [(p.places, p.units) for p in found] == [
        (((0, 5), (12, 17)), 3),
        (((4, 9), (0, 5)), 3),
    ]


def test_characters_are_spelt_as_in_the_text() -> None:
    text = "«Große Äpfel»"
    cut = Shingler(3, unit="char").cut(text)
    assert cut.spelling(0, cut.units) == "Große Äpfel"
    assert cut.spelling(3, 8) == "ße Äp"


def test_sentences_are_spelt_as_in_the_text() -> None:
    text = "Great apples fall.  A (second) one…\n\nAnd 3.14!"
    cut = Shingler(2, unit="sentence").cut(text)
    assert [cut.spelling(n, n + 1) for n in range(3)] == [
        "Great apples fall.",
        "A (second) one…",
        "And 3.14!",
    ]
    assert cut.spelling(0, 2) == "Great apples fall. A (second) one…"


def test_stretches_count_the_texts_that_have_them() -> None:
    common = " ".join(f"c{n}" for n in range(30))
    two = " ".join(f"t{n}" for n in range(12))
    texts = [f"own start {common} {two} end", f"other {common} x", f"{two} and {common}"]
    found = shared_stretches(texts, Shingler(5))
    assert [(s.units, s.texts) for s in found] == [(30, 3), (12, 2)]
    assert texts[0][found[0].start : found[0].end] == common
    assert shared_stretches(texts[:1], Shingler(5)) == []


@given(st.lists(plain_text, min_size=2, max_size=4), st.integers(1, 4))
@examples(200)
def test_a_stretch_stands_as_a_whole_in_as_many_texts_as_it_says(
    texts: list[str], length: int
) -> None:
    rows_ = words(texts)
    for stretch in shared_stretches(texts, Shingler(length)):
        row = words([texts[0][stretch.start : stretch.end]])[0]
        assert len(row) == stretch.units
        holding = [row in [other[i : i + len(row)] for i in range(len(other))] for other in rows_]
        assert sum(holding) >= stretch.texts


HOSTILE = {
    "one word": ("a " * 50_000, "a " * 49_999 + "b"),
    "two words at random": tuple(
        " ".join(np.random.default_rng(seed).choice(["a", "b"], 50_000)) for seed in (1, 2)
    ),
    "a period": ("a b c d e f g " * 7_000, "a b c d e f g " * 3_000 + "x " + "a b c d " * 7_000),
    "copies": tuple(
        " ".join(f"w{n}" for n in np.random.default_rng(3).integers(0, 5_000, 18_000) + k)
        for k in (0, 0)
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("unit", UNITS)
def test_texts_of_100_kilobytes_are_quick(name: str, unit: Any) -> None:
    start = time.process_time()
    shared_stretches(HOSTILE[name], Shingler(5, unit=unit))
    assert time.process_time() - start < 15
