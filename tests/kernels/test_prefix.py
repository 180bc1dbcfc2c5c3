"""Prefix keys under counts that are given, against their definition."""

from __future__ import annotations

from functools import cache

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels import twins
from tests.kernels.examples import examples
from tests.kernels.test_pairs import SETS, brute, spread
from twinset import _kernels
from twinset.finding.candidates.base import TOP
from twinset.model import Ragged

COUNTERS = 64


@cache
def needed_with_any(measure: int, threshold: float, size: int) -> int:
    """The least overlap by which a list of this size reaches the threshold with some partner."""
    return min(
        (
            common
            for partner in range(1, 400)
            for common in range(1, min(size, partner) + 1)
            if twins.score(measure, common, size, partner) >= threshold
        ),
        default=size + 1,
    )


def prefix(features: list[int], counts: np.ndarray, measure: int, threshold: float) -> set[int]:
    """Rare features first; those that no other list has are of no use."""
    count = {x: min(int(counts[x % len(counts)]), TOP) for x in features}
    several = sorted((x for x in features if count[x] > 1), key=lambda x: (count[x], x))
    if not features:
        return set()
    needed = needed_with_any(measure, threshold, len(features))
    return set(several[: max(len(several) - needed + 1, 0)])


def keys_of(rows, counts, measure, threshold, threads=2):
    keys = Ragged(*_kernels.prefix_keys(*twins.lists(rows), counts, measure, threshold, threads))
    return [row.tolist() for row in keys]


@given(
    SETS,
    st.lists(st.sampled_from([0, 1, 2, 3, 63, 64, 127, 128, 200, TOP, 65535]), min_size=1),
    st.integers(0, 4),
    st.sampled_from([0.3, 0.5, 2 / 3, 0.8, 1.0]),
)
@examples(200)
def test_a_prefix_is_the_rarest_features_of_a_list(rows, counts, measure, threshold):
    threshold = threshold if measure < 4 else max(1, round(threshold * 5))
    rows, counts = spread(rows), np.resize(np.array(counts, np.uint16), COUNTERS)
    keys = keys_of(rows, counts, measure, threshold)
    assert all(len(set(row)) == len(row) for row in keys)
    assert [set(row) for row in keys] == [prefix(row, counts, measure, threshold) for row in rows]


@given(SETS, st.integers(0, 4), st.sampled_from([0.3, 0.5, 0.8]), st.sampled_from([2, 64, 1 << 16]))
@examples(200)
def test_every_pair_shares_a_key(rows, measure, threshold, counters):
    """By whichever number of counters."""
    threshold = threshold if measure < 4 else max(1, round(threshold * 5))
    rows = spread(rows)
    counts = twins.count_features(Ragged(*twins.lists(rows)).flat, counters)
    keys = keys_of(rows, counts, measure, threshold)
    for left, right in brute(rows, measure, threshold):
        assert set(keys[left]) & set(keys[right])
