"""Storing, grouping, joining and pairing against brute force."""

from __future__ import annotations

import itertools
import random
import tempfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels import twins
from tests.kernels.examples import examples
from twinset import _kernels

FOLDER = tempfile.gettempdir()
SETS = st.lists(st.sets(st.integers(0, 40), max_size=12).map(sorted), min_size=1, max_size=24)
UNCOUNTED = np.empty(0, np.uint16)
SPREAD = 0x9E3779B97F4A7C15  # small numbers spread over 64 bits, as hashes are


def spread(rows):
    return [sorted(x * SPREAD % 2**64 for x in row) for row in rows]


def stored(rows, memory=1 << 20, parts=1):
    store = _kernels.FeatureStore(memory, FOLDER)
    for part in np.array_split(np.arange(len(rows)), parts):
        store.append(*twins.lists([rows[i] for i in part]), 2)
    return store


def paired(
    store,
    rows,
    measure,
    threshold,
    *,
    dense=1 << 40,
    crowd=1 << 40,
    threads=2,
    memory=1 << 20,
    prune=True,
    counting=1 << 20,
    distinct=True,
    comparing=1 << 20,
):
    """Verified pairs by the exact join; all documents with features, in reading order."""
    order = np.array([i for i, r in enumerate(rows) if r], np.uint32)
    grouper = _kernels.Grouper(memory, FOLDER)
    alone = grouper.add_prefixes(
        store, order, measure, threshold, 1 << 16, UNCOUNTED, counting, FOLDER, prune, threads
    )
    offsets, documents = grouper.finish(np.empty(0, np.uint8), distinct, threads)
    kept = np.zeros(len(order), np.uint8)
    groups, bounds = (alone, offsets, documents), (measure, threshold, dense, crowd)
    return _kernels.verified_pairs(
        store, order, kept, order.astype(np.uint64), *groups, *bounds, comparing, threads
    )


def brute(rows, measure, threshold):
    found = {}
    for i, j in itertools.combinations(range(len(rows)), 2):
        common = twins.shared(set(rows[i]), set(rows[j]))
        if common and twins.score(measure, common, len(rows[i]), len(rows[j])) >= threshold:
            found[i, j] = common
    return found


def as_dict(result):
    left, right, shared = (part.tolist() for part in result[:3])
    assert len(set(zip(left, right, strict=True))) == len(left)
    return {(a, b): s for a, b, s in zip(left, right, shared, strict=True)}


@pytest.mark.parametrize("prune", [True, False])
def test_the_memory_for_counting_decides_nothing(prune):
    """Groups and their order, not pairs alone: in a crowd they decide who meets whom."""
    rng = random.Random(5)
    rows = [
        sorted(set(rng.choices(range(1, 1 << 40, 12345677), k=rng.randrange(60))))
        for _ in range(300)
    ]
    rows += [sorted({*row[:-1], rng.randrange(1 << 60)}) for row in rows]
    store, order = stored(rows), np.arange(len(rows), dtype=np.uint32)
    results = []
    for memory in (1 << 20, 1 << 16, 1):  # all counters at once, half of them, some at a time
        grouper = _kernels.Grouper(1 << 20, FOLDER)
        asked = 0, 0.5, 1 << 16, UNCOUNTED
        alone = grouper.add_prefixes(store, order, *asked, memory, FOLDER, prune, 2)
        results.append(
            [part.tolist() for part in (alone, *grouper.finish(np.empty(0, np.uint8), False, 2))]
        )
    assert results[0] == results[1] == results[2]
    assert sum(results[0][0]) > 0


@pytest.mark.parametrize("threshold", [0.5, 0.7, 0.9])
def test_the_join_finds_pairs_of_features_that_many_have(threshold):
    """Nothing but frequent features, from 65 to 100 documents each."""
    draw = random.Random(7)
    rows = [draw.sample(range(25), draw.randint(18, 24)) for _ in range(100)]
    rows = spread(rows)
    assert as_dict(paired(stored(rows), rows, 0, threshold)) == brute(rows, 0, threshold)


@given(SETS, st.integers(0, 4), st.sampled_from([0.1, 0.3, 0.5, 2 / 3, 0.8, 1.0]))
@examples(300)
def test_the_join_misses_nothing_and_adds_nothing(rows, measure, threshold):
    threshold = threshold if measure < 4 else max(1, round(threshold * 5))
    rows = spread(rows)
    assert as_dict(paired(stored(rows), rows, measure, threshold)) == brute(
        rows, measure, threshold
    )


def test_little_memory_spills():
    rows = spread([[*range(i, i + 50)] for i in range(100)])
    assert stored(rows, 800).spilled_bytes > 0
    assert stored(rows, 1 << 20).spilled_bytes == 0


@given(
    SETS,
    st.sampled_from([0.1, 0.3, 0.6]),
    st.integers(1, 40),
    st.sampled_from([0, 1, 100, 1 << 20]),
    st.integers(1, 3),
)
@examples(200)
def test_repeated_groups_and_the_memory_for_comparing_decide_nothing(
    rows, threshold, dense, comparing, threads
):
    """Bounds are met by different documents alone, however many groups two of them share."""
    rows = spread(rows)
    store = stored(rows)
    wanted = paired(store, rows, 0, threshold, dense=dense, distinct=False)
    found = paired(store, rows, 0, threshold, dense=dense, comparing=comparing, threads=threads)
    assert [part.tolist() for part in found[:3]] == [part.tolist() for part in wanted[:3]]
    assert found[3:] == wanted[3:]


def test_near_copies_of_many_features_are_compared_in_parts():
    """Forty thousand places of documents in groups, sixteen at a time."""
    draw = random.Random(11)
    rows = []
    for cluster in range(40):
        first = [cluster * 1000 + feature for feature in range(200)]
        rows += [sorted(draw.sample(first, draw.randint(190, 199))) for _ in range(5)]
    rows = spread(rows)
    store = stored(rows)
    small, large = (paired(store, rows, 0, 0.3, comparing=size) for size in (128, 1 << 30))
    assert as_dict(small) == as_dict(large) == brute(rows, 0, 0.3)
    assert small[3:] == large[3:]


def anchors(rows, result):
    n = len(rows)
    left, right, shared = result[:3]
    size = np.array([len(r) for r in rows])
    score = shared / (size[left] + size[right] - shared)
    edge = _kernels.anchored_edges(np.zeros(n, np.uint8), left, right, score, 1)
    return {v for v in range(n) if edge[v] < 0}


def test_a_template_costs_one_comparison_a_page():
    rng = np.random.default_rng(1)
    template = rng.integers(0, 1 << 64, 90, dtype=np.uint64)
    rows = [
        np.sort(np.concatenate([template, rng.integers(0, 1 << 64, 5, dtype=np.uint64)])).tolist()
        for _ in range(6000)
    ]
    store = stored(rows)
    left, right, _, compared, absorbed, missing = paired(store, rows, 0, 0.8, dense=50)
    # documents of the chunk in which the anchor saturates are still compared with each other
    assert compared < 6000 + 600**2
    assert absorbed > 5000
    assert missing > 5000 * 50
    assert set(right.tolist()) == set(range(1, 6000))
    assert (left == 0).sum() == 5999


def test_needed_overlap_agrees_with_the_formula():
    sizes = np.arange(1, 40)
    a, b = (x.ravel().astype(np.int64) for x in np.meshgrid(sizes, sizes))
    for measure, threshold in itertools.product(range(4), (0.05, 0.5, 2 / 3, 0.8, 0.9, 1.0)):
        need = _kernels.needed_overlap(a, b, measure, threshold)
        for x, y, s in zip(a.tolist(), b.tolist(), need.tolist(), strict=True):
            reached = [
                k for k in range(min(x, y) + 1) if twins.score(measure, k, x, y) >= threshold
            ]
            assert s == (reached[0] if reached else min(x, y) + 1)


def test_a_bound_is_met_by_the_documents_around_it_alone():
    """One template in the midst of pairs that have nothing to do with it."""
    draw = random.Random(5)
    rows = []
    for number in range(900):
        if number % 3 == 0:
            rows.append([*range(30), 100 + draw.randrange(40)])
        else:
            rows.append([1000 * (number // 3) + k for k in range(200, 220 + number % 3)])
    rows = spread(rows)
    pairs = paired(stored(rows), rows, 0, 0.8, dense=5, crowd=20, threads=1)
    expected = brute(rows, 0, 0.8)
    outside = {pair: shared for pair, shared in expected.items() if pair[0] % 3 and pair[1] % 3}
    got = as_dict(pairs)
    assert {pair: shared for pair, shared in got.items() if pair[0] % 3} == outside
    assert got.items() <= expected.items()
    assert len(got) < len(expected)
    assert pairs[4] > 0  # absorbed
    assert list(got) == sorted(got)
    for threads in (2, 3):
        again = paired(stored(rows), rows, 0, 0.8, dense=5, crowd=20, threads=threads)
        assert all(np.array_equal(a, b) for a, b in zip(pairs, again, strict=True))
