"""The kernels behind signals, against definitions written out in plain Python."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset import _kernels

ALONE = 0xFFFFFFFF
Lists = list[list[int]]
NUMBERS = st.lists(st.integers(0, 9), max_size=40)
SEQUENCES = st.lists(NUMBERS | st.lists(st.integers(0, 200), max_size=200), min_size=1, max_size=6)
SETS = st.lists(st.sets(st.integers(0, 12), max_size=10), min_size=1, max_size=8)
THREADS = st.integers(1, 3)


def laid_out(lists: Lists, dtype: type = np.uint32) -> tuple[np.ndarray, np.ndarray]:
    values = np.array([value for row in lists for value in row], dtype)
    return values, np.cumsum([0, *map(len, lists)]).astype(np.int64)


def all_pairs(count: int) -> tuple[np.ndarray, np.ndarray]:
    left, right = (side.ravel().astype(np.uint32) for side in np.indices((count, count)))
    return left, right


def lcs_twin(a: list[int], b: list[int]) -> int:
    row = [0] * (len(b) + 1)
    for x in a:
        before = row
        row = [0]
        for j, y in enumerate(b):
            row.append(before[j] + 1 if x == y else max(before[j + 1], row[j]))
    return row[-1]


@examples(60)
@given(SEQUENCES, THREADS)
@example([[1, 2] * 32, [2, 1] * 33, list(range(64)), list(range(65))], 1)
def test_common_subsequences_equal_the_twin(lists: Lists, threads: int) -> None:
    left, right = all_pairs(len(lists))
    lengths = _kernels.common_subsequences(*laid_out(lists), 201, left, right, threads)
    expected = [lcs_twin(lists[i], lists[j]) for i, j in zip(left, right, strict=True)]
    assert lengths.tolist() == expected


@examples(60)
@given(SETS, THREADS)
def test_shared_terms_equal_the_twin(sets: list[set[int]], threads: int) -> None:
    lists = [sorted(terms) for terms in sets]
    values, offsets = laid_out(lists)
    weights = (values * 7 % 5 + np.arange(len(values)) % 3).astype(np.int32)
    left, right = all_pairs(len(lists))
    sums = _kernels.shared_terms(values, weights, offsets, 13, left, right, threads)
    rows = [
        dict(zip(row, weights[offsets[i] :].tolist(), strict=False)) for i, row in enumerate(lists)
    ]
    for i, j, *found in zip(left, right, *sums, strict=True):
        common = rows[i].keys() & rows[j].keys()
        product = sum(rows[i][t] * rows[j][t] for t in common)
        lesser = sum(min(rows[i][t], rows[j][t]) for t in common)
        assert found == [len(common), product, lesser]


def covered_twin(a: list[int], b: list[int], length: int) -> int:
    def runs(words: list[int]) -> list[tuple[int, ...]]:
        last = max(len(words) - length + 1, 1) if words else 0
        return [tuple(words[i : i + length]) for i in range(last)]

    def covered(words: list[int], other: list[int]) -> int:
        known = set(runs(other))
        marked = {
            at + step
            for at, run in enumerate(runs(words))
            if run in known
            for step in range(len(run))
        }
        return len(marked)

    return covered(a, b) + covered(b, a)


@examples(80)
@given(st.lists(st.lists(st.integers(0, 3), max_size=20), min_size=1, max_size=5), THREADS)
@example([[1, 2], [1, 2], [1, 2, 3]], 1)
def test_covered_words_equal_the_twin(lists: Lists, threads: int) -> None:
    length = 3
    units, ends = laid_out(lists, np.uint64)
    terms, tf, offsets, places = _kernels.counted_runs(units, ends, length, True, threads)
    runs = [max(len(row) - length + 1, 1) if row else 0 for row in lists]
    place_offsets = np.cumsum([0, *runs]).astype(np.int64)
    _, numbers = np.unique(terms, return_inverse=True)
    words = np.array([len(row) for row in lists])
    left, right = all_pairs(len(lists))
    covered = _kernels.covered_words(
        numbers.astype(np.uint32),
        offsets,
        len(terms),
        places,
        place_offsets,
        words,
        length,
        left,
        right,
        threads,
    )
    expected = [covered_twin(lists[i], lists[j], length) for i, j in zip(left, right, strict=True)]
    assert covered.tolist() == expected
    assert tf.sum() == sum(runs)


@examples(60)
@given(
    st.lists(
        st.lists(st.integers(0, 5) | st.integers(2**64 - 3, 2**64 - 1), max_size=40), max_size=5
    ),
    st.integers(1, 4),
    THREADS,
)
def test_counted_runs_are_the_sorted_distinct_ones(lists: Lists, length: int, threads: int) -> None:
    units, ends = laid_out(lists, np.uint64)
    terms, tf, offsets, places = _kernels.counted_runs(units, ends, length, True, threads)
    hashes, hash_ends = _kernels.unit_shingles(units, ends, length, False, False, threads)
    assert terms[_whole(places, hash_ends, offsets)].tolist() == hashes.tolist()
    for d in range(len(lists)):
        counts = Counter(hashes[hash_ends[d] : hash_ends[d + 1]].tolist())
        rows = slice(offsets[d], offsets[d + 1])
        assert dict(zip(terms[rows].tolist(), tf[rows].tolist(), strict=True)) == counts
        assert terms[rows].tolist() == sorted(counts)


def _whole(places: np.ndarray, place_ends: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    return places + np.repeat(offsets[:-1], np.diff(place_ends))


@examples(60)
@given(
    st.lists(st.text("rnvcl i0oéﬁшщ3😀", max_size=30).map(str.encode) | st.binary(max_size=20)),
    st.integers(1, 6),
    THREADS,
)
def test_counted_characters_are_those_of_the_folded_text(
    texts: list[bytes], length: int, threads: int
) -> None:
    lists = [list(text) for text in texts]
    given_bytes = laid_out(lists, np.uint8)
    terms, tf, offsets, _ = _kernels.counted_folded(*given_bytes, length, 0, threads)
    folded = _kernels.folded_text(*given_bytes, threads)
    runs = _kernels.counted_runs(*_kernels.characters(*folded, 1), length, False, 1)
    assert terms.tolist() == runs[0].tolist()
    assert tf.tolist() == runs[1].tolist()
    assert offsets.tolist() == runs[2].tolist()


def test_of_long_documents_the_runs_of_low_hashes_are_counted() -> None:
    draw = np.random.default_rng(1)
    lists = [draw.integers(97, 123, size).tolist() for size in (30, 400, 410, 3000)]
    given_bytes = laid_out(lists, np.uint8)
    whole = _kernels.counted_folded(*given_bytes, 5, 0, 1)
    some = _kernels.counted_folded(*given_bytes, 5, 100, 2)
    times = whole[1].sum() / len(whole[1])  # hardly any run comes twice
    assert times < 1.01
    for row in range(len(lists)):
        all_runs, runs = (set(k[0][k[2][row] : k[2][row + 1]].tolist()) for k in (whole, some))
        assert runs <= all_runs
        bits = 0 if len(all_runs) <= 100 else max(1, math.ceil(math.log2(len(all_runs) / 100)))
        assert len(runs) == pytest.approx(len(all_runs) / 2**bits, rel=0.35)
        assert max(run * 0x9E3779B97F4A7C15 % 2**64 for run in runs) < 2**64 >> bits


@examples(60)
@given(
    st.lists(st.sets(st.integers(0, 8) | st.integers(2**64 - 5, 2**64 - 1)), max_size=8), THREADS
)
def test_terms_of_two_documents_are_numbered_in_order(sets: list[set[int]], threads: int) -> None:
    lists = [sorted(terms) for terms in sets]
    numbers, df = _kernels.numbered_terms(*laid_out(lists, np.uint64), threads)
    counts = Counter(term for terms in sets for term in terms)
    shared = sorted(term for term, count in counts.items() if count > 1)
    assert df.tolist() == [counts[term] for term in shared]
    expected = [shared.index(term) if counts[term] > 1 else ALONE for row in lists for term in row]
    assert numbers.tolist() == expected


def test_a_count_stops_at_the_largest() -> None:
    units = np.full(70_000, 5, np.uint64)
    _, tf, _, _ = _kernels.counted_runs(units, np.array([0, 70_000]), 1, False, 1)
    assert tf.tolist() == [65_535]


@examples(40)
@given(SETS, THREADS)
def test_weights_are_scaled_with_the_terms_of_one_document(
    sets: list[set[int]], threads: int
) -> None:
    lists = [sorted(terms) for terms in sets]
    numbers, offsets = laid_out(lists)
    numbers[numbers > 9] = ALONE
    tf = (numbers % 4 + 1).astype(np.uint16)
    by_number, by_tf = np.arange(1.0, 11.0), np.sqrt(np.arange(65_536.0))
    weights = _kernels.scaled_weights(numbers, tf, offsets, by_number, 20.0, by_tf, 1000.0, threads)
    for d in range(len(lists)):
        rows = slice(offsets[d], offsets[d + 1])
        plain = [
            math.sqrt(t) * (20.0 if n == ALONE else n + 1.0)
            for n, t in zip(numbers[rows].tolist(), tf[rows].tolist(), strict=True)
        ]
        length = math.sqrt(sum(w * w for w in plain))
        assert weights[rows] == pytest.approx([1000 * w / length for w in plain], abs=0.51)


def nearest_twin(
    rows: list[dict[int, int]], sizes: list[int] | None, least: int, most: int, above: float
) -> list[list[tuple[int, float]]]:
    lists = []
    for i, row in enumerate(rows):
        ranked = []
        for j, other in enumerate(rows):
            total = sum(row[t] * other[t] for t in row.keys() & other.keys())
            if i != j and total:
                score = total / min(sizes[i], sizes[j]) if sizes else float(total)
                ranked.append((-score, -total, j))
        ranked.sort()
        lists.append(
            [
                (j, -score)
                for place, (score, _, j) in enumerate(ranked[:most])
                if place < least or -score >= above
            ]
        )
    return lists


@examples(80)
@given(
    st.lists(
        st.dictionaries(st.integers(0, 6), st.integers(1, 4), max_size=6), min_size=1, max_size=12
    ),
    st.booleans(),
    st.integers(1, 4),
    st.integers(0, 4),
    st.sampled_from([1.0, 3.0, 1e9]),
    THREADS,
)
def test_nearest_neighbours_equal_brute_force(
    rows: list[dict[int, int]], sized: bool, least: int, more: int, above: float, threads: int
) -> None:
    rows = [dict(sorted(row.items())) for row in rows]
    terms, offsets = laid_out([list(row) for row in rows])
    weights = np.array([w for row in rows for w in row.values()], np.uint16)
    sizes = [len(row) + i % 3 for i, row in enumerate(rows)] if sized else None
    numbers, scores, ends = _kernels.nearest_neighbours(
        terms,
        weights,
        offsets,
        np.array(sizes or [], np.int64),
        7,
        least,
        least + more,
        above,
        threads,
    )
    expected = nearest_twin(rows, sizes, least, least + more, above)
    assert np.diff(ends).tolist() == [len(row) for row in expected]
    pairs = list(zip(numbers.tolist(), scores.tolist(), strict=True))
    assert pairs == [pair for row in expected for pair in row]


@pytest.mark.parametrize(("least", "most", "above"), [(2, 2, np.inf), (2, 9, 12.0), (1, 40, 6.0)])
def test_lists_that_are_cut_again_and_again_keep_the_best(
    least: int, most: int, above: float
) -> None:
    chance = np.random.default_rng(least + most)
    rows = [
        {int(t): int(chance.integers(1, 4)) for t in np.unique(chance.integers(0, 30, 8))}
        for _ in range(150)
    ]
    terms, offsets = laid_out([list(row) for row in rows])
    weights = np.array([w for row in rows for w in row.values()], np.uint16)
    no_sizes = np.empty(0, np.int64)
    numbers, scores, _ = _kernels.nearest_neighbours(
        terms, weights, offsets, no_sizes, 30, least, most, above, 3
    )
    expected = nearest_twin(rows, None, least, most, above)
    pairs = list(zip(numbers.tolist(), scores.tolist(), strict=True))
    assert pairs == [pair for row in expected for pair in row]


def test_terms_that_look_alike_to_the_first_look_are_told_apart() -> None:
    lists = [[5, 70], [69, 134], [5, 6, 69, 70], [1029, 4101]]
    terms, offsets = laid_out(lists)
    left, right = (side.astype(np.uint32) for side in np.triu_indices(4, 1))
    ones = np.ones(len(terms), np.int32)
    common, _, _ = _kernels.shared_terms(terms, ones, offsets, 5000, left, right, 1)
    assert common.tolist() == [
        len(set(lists[a]) & set(lists[b]))
        for a, b in zip(left.tolist(), right.tolist(), strict=True)
    ]


def test_many_equal_scores_go_to_the_lower_numbers() -> None:
    documents = 6000
    terms, offsets = np.zeros(documents, np.uint32), np.arange(documents + 1)
    ones, no_sizes = np.ones(documents, np.uint16), np.empty(0, np.int64)
    numbers, _, ends = _kernels.nearest_neighbours(
        terms, ones, offsets, no_sizes, 1, 3, 3, np.inf, 2
    )
    assert numbers[ends[0] : ends[1]].tolist() == [1, 2, 3]
    assert numbers[ends[-2] : ends[-1]].tolist() == [0, 1, 2]
