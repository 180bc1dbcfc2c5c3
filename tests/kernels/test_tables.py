"""What follows the pass: repeated texts and orders, against plain Python."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset import _kernels
from twinset.finding.clusters.keep import Longest, Traits
from twinset.run.documents import distinct_ids, preferred
from twinset.text.arrow import arrow_text

WORDS = st.lists(st.text("ab#2'é", max_size=3), max_size=60)


def repeated(words, threads):
    rows, firsts = _kernels.repeated_texts(*arrow_text(pa.array(words, pa.large_string())), threads)
    return list(zip(rows.tolist(), firsts.tolist(), strict=True))


@given(WORDS, st.integers(1, 3))
@examples(200)
def test_repeated_texts_name_the_first_of_each(words, threads):
    first: dict[str, int] = {}
    expected = [
        (row, first[word]) for row, word in enumerate(words) if first.setdefault(word, row) != row
    ]
    assert repeated(words, threads) == expected


def test_rising_texts_are_distinct_and_long_lists_are_dealt():
    words = [f"{number:06}" for number in range(50_000)]
    assert repeated(words, 2) == []
    assert repeated(words[::-1], 2) == []
    assert repeated([*words, words[70], words[7]], 3) == [(50_000, 70), (50_001, 7)]
    assert repeated(["same"] * 40_000, 3) == [(row, 0) for row in range(1, 40_000)]


@given(WORDS)
@examples(200)
def test_distinct_ids_number_the_repeated_ones(words):
    used, times, expected = set(words), {}, []
    for word in words:
        times[word] = times.get(word, 0) + 1
        name = word if times[word] == 1 else f"{word}#{times[word]}"
        while times[word] > 1 and name in used:
            name += "'"
        used.add(name)
        expected.append(name)
    ids, count = distinct_ids(pa.array(words, pa.large_string()))
    assert ids.to_pylist() == expected
    assert count == len(words) - len(set(words))


@given(st.lists(st.tuples(st.text("abc", max_size=2), st.integers(1, 3)), unique_by=lambda r: r[0]))
@examples(100)
def test_equals_are_preferred_by_their_ids(rows):
    for documents in (rows, sorted(rows)):
        units = np.array([count for _, count in documents], np.int64)
        ids = pa.array([id for id, _ in documents], pa.large_string())
        order = preferred(np.zeros(len(ids), bool), [Longest()], Traits(units), ids).order
        ranked = sorted(range(len(ids)), key=lambda i: (-documents[i][1], documents[i][0]))
        assert order.tolist() == ranked


@given(
    st.lists(st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 5)), max_size=40),
    st.integers(1, 3),
)
@examples(100)
def test_sorted_order_is_that_of_lexsort(rows, threads):
    first, second = np.array(rows, np.uint32).reshape(-1, 2).T.copy()
    order = _kernels.sorted_order(first, second, threads)
    assert order.tolist() == np.lexsort((second, first)).tolist()


PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=30)


@given(PAIRS, PAIRS, st.integers(1, 3))
@examples(200)
def test_pairs_are_found_in_a_sorted_list(known, asked, threads):
    listed = sorted({(min(pair), max(pair)) for pair in known})
    expected = [
        listed.index(pair) if (pair := (min(ends), max(ends))) in listed else -1 for ends in asked
    ]
    columns = (np.array(rows, np.uint32).reshape(-1, 2).T.copy() for rows in (listed, asked))
    (left, right), (first, second) = columns
    assert _kernels.listed_pairs(left, right, first, second, threads).tolist() == expected


def test_long_arrays_are_sorted_by_any_number_of_threads():
    draw = np.random.default_rng(3)
    for most in (50, 2**20, 2**32):
        first, second = draw.integers(0, most, (2, 100_000), dtype=np.uint32)
        second %= 7
        expected = np.lexsort((second, first))
        for threads in (1, 2, 3):
            assert np.array_equal(_kernels.sorted_order(first, second, threads), expected)
