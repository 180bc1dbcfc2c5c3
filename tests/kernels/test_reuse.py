"""The kernels of reused passages against their definition."""

from __future__ import annotations

import threading
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twinset
from tests.kernels import text_twins
from tests.kernels.examples import examples
from tests.kernels.text_strategies import SAME_UNICODE, pack
from tests.passages.reuse_twins import Passage, Run, passages, shingles
from twinset import _kernels

PLENTY = 1 << 30
few = st.lists(st.integers(0, 2), max_size=40)
many = st.lists(st.integers(0, 300), max_size=60)
sides = st.lists(few, min_size=1, max_size=3)


def lists(documents: list[list[int]]) -> tuple[Any, Any]:
    words = np.array([word for document in documents for word in document], np.uint64)
    ends = np.cumsum([0, *map(len, documents)]).astype(np.int64)
    return words, ends


def search(
    left: list[list[int]],
    right: list[list[int]],
    seed: int,
    least: int,
    gap: int,
    most: int = PLENTY,
    threads: int = 1,
) -> dict[tuple[int, int], list[Passage]]:
    index = _kernels.ReuseIndex(*lists(left), seed, most, threads)
    if index.needs_count:
        index.count(*lists(right))
    *rows, ends, run_left, run_right, size = index.search(*lists(right), least, gap)
    runs = list(map(Run, run_left.tolist(), run_right.tolist(), size.tolist()))
    pairs: dict[tuple[int, int], list[Passage]] = {}
    for row, (begin, end) in zip(
        zip(*(column.tolist() for column in rows), strict=True),
        pairwise([0, *ends.tolist()]),
        strict=True,
    ):
        a, b, left_begin, left_end, right_begin, right_end = row
        part = Passage(left_begin, left_end, right_begin, right_end, runs[begin:end])
        pairs.setdefault((a, b), []).append(part)
    return pairs


def expected(
    left: list[list[int]],
    right: list[list[int]],
    seed: int,
    least: int,
    gap: int,
    dropped: set[Any] = frozenset(),  # type: ignore[assignment]
) -> dict[tuple[int, int], list[Passage]]:
    return {
        (a, b): both
        for b, theirs in enumerate(right)
        for a, ours in enumerate(left)
        if (both := passages(ours, theirs, seed, least, gap, dropped))
    }


@examples(150)
@given(sides, sides, st.integers(1, 4), st.integers(1, 12), st.integers(0, 5))
def test_few_words(
    left: list[list[int]], right: list[list[int]], seed: int, least: int, gap: int
) -> None:
    assert search(left, right, seed, least, gap) == expected(left, right, seed, least, gap)


@examples(80)
@given(many, many, many, st.data())
def test_a_copy_among_other_words(
    left: list[int], right: list[int], copied: list[int], data: st.DataObject
) -> None:
    edited = list(copied)
    for place in data.draw(st.lists(st.integers(0, 59), max_size=6)):
        edited[place : place + 1] = data.draw(st.sampled_from([[], [1], [7, 7], [9, 8, 7]]))
    at, to = len(left) // 2, len(right) // 3
    ours, theirs = left[:at] + copied + left[at:], right[:to] + edited + right[to:]
    assert search([ours], [theirs], 3, 10, 6) == expected([ours], [theirs], 3, 10, 6)


@examples(80)
@given(few, few, st.lists(st.integers(0, 4), min_size=1, max_size=4), st.data())
def test_what_repeats_within_documents(
    left: list[int], right: list[int], period: list[int], data: st.DataObject
) -> None:
    times = st.integers(6, 11)
    ours = left[:20] + period * data.draw(times) + left[20:]
    theirs = right[:5] + period * data.draw(times) + right[5:]
    assert search([ours], [theirs], 3, 8, 2) == expected([ours], [theirs], 3, 8, 2)


@examples(60)
@given(sides, sides, st.integers(1, 3), st.integers(1, 2))
def test_frequent_runs_are_dropped(
    left: list[list[int]], right: list[list[int]], seed: int, most: int
) -> None:
    def frequent(documents: list[list[int]]) -> set[Any]:
        known = [set(shingles(words, seed)) for words in documents]
        return {run for run in set().union(*known) if sum(run in one for one in known) > most}

    dropped = frequent(left) & frequent(right)
    assert search(left, right, seed, 5, 4, most) == expected(left, right, seed, 5, 4, dropped)
    index = _kernels.ReuseIndex(*lists(left), seed, most, 1)
    assert index.needs_count == bool(frequent(left))
    index.count(*lists(right))
    assert index.dropped == len(dropped)


@examples(60)
@given(sides, sides)
def test_threads_change_nothing_and_sides_can_be_exchanged(
    left: list[list[int]], right: list[list[int]]
) -> None:
    plain = search(left, right, 2, 4, 3)
    assert search(left, right, 2, 4, 3, threads=4) == plain
    turned = search(right, left, 2, 4, 3)
    places = {(a, b): sorted(p[:4] for p in both) for (a, b), both in plain.items()}
    assert places == {
        (a, b): sorted((p.right, p.right_end, p.left, p.left_end) for p in both)
        for (b, a), both in turned.items()
    }


@pytest.mark.skipif(not SAME_UNICODE, reason="another version of Unicode")
@examples(60)
@given(st.lists(st.text("aé́ \u00ad漢👩\u200d,", max_size=30), min_size=1, max_size=3))
def test_places_of_words(texts: list[str]) -> None:
    spans = [text_twins.spans(text) for text in texts]
    names = [(d, w) for d, known in enumerate(spans) for w in range(len(known))]
    document, word = (np.array([name[i] for name in names], np.int64) for i in (0, 1))
    start, end = _kernels.word_places(*pack([text.encode() for text in texts]), document, word)
    assert list(zip(start.tolist(), end.tolist(), strict=True)) == [spans[d][w] for d, w in names]


def test_a_search_can_be_stopped() -> None:
    flag = _kernels.StopFlag()
    words, ends = lists([[number % 5 for number in range(200_000)]])
    index = _kernels.ReuseIndex(words, ends, 3, 1, 1)
    threading.Timer(0.05, flag.set).start()

    def search_on() -> None:
        while True:
            index.search(words, ends, 3, 3)

    with flag, pytest.raises(twinset.Stopped):
        search_on()
