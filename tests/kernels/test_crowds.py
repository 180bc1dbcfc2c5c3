"""The exact join where thousands of pages share a template: filters must not lose a pair."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from tests.kernels.test_pairs import anchors, as_dict, brute, paired, spread, stored

TEMPLATE = 60


def pages(seed: int, count: int, most_own: int, pool: int) -> list[list[int]]:
    """Pages of two templates, of which each lacks a little and has something else instead.

    What they have instead comes out of a pool that is small enough for some to be shared; a few
    pages are far shorter or longer than the others, and a few are of no template.
    """
    draw = random.Random(seed)
    rows = []
    for _ in range(count):
        first = draw.choice([0, 0, 0, TEMPLATE // 2])
        left_out = draw.randint(0, most_own)
        body = range(first, first + TEMPLATE)
        kind = draw.random()
        if kind < 0.1:
            body = range(first, first + draw.randint(5, TEMPLATE))
        own = [1000 + draw.randrange(pool) for _ in range(left_out)]
        if kind > 0.95:
            body, own = range(0), [1000 + draw.randrange(pool) for _ in range(TEMPLATE)]
        gap = draw.choice([0, 0, 17])
        kept = [x for k, x in enumerate(body) if not gap <= k < gap + left_out]
        rows.append(sorted({*kept, *own}))
    return spread(rows)


@given(
    st.integers(0, 1 << 30),
    st.integers(0, 4),
    st.sampled_from([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 2 / 3, 0.7, 0.75, 0.8, 0.9]),
    st.sampled_from([3, 12, 30]),
    st.sampled_from([20, 200, 5000]),
)
@examples(60)
def test_crowds_at_the_border_lose_no_pair(seed, measure, threshold, most_own, pool):
    rows = pages(seed, 50, most_own, pool)
    threshold = threshold if measure < 4 else round(threshold * TEMPLATE)
    assert as_dict(paired(stored(rows), rows, measure, threshold)) == brute(
        rows, measure, threshold
    )


@pytest.mark.parametrize("threshold", [0.3, 0.6, 0.8, 0.9])
def test_every_pair_of_several_hundred_pages_is_there(threshold):
    rows = pages(5, 400, 14, 900)
    left, right, shared = paired(stored(rows), rows, 0, threshold)[:3]
    units = sorted({x for row in rows for x in row})
    table = np.zeros((len(rows), len(units)), np.int64)
    for row, features in zip(table, rows, strict=True):
        row[np.searchsorted(units, features)] = 1
    common, size = table @ table.T, table.sum(axis=1)
    union = size[:, None] + size[None, :] - common
    a, b = np.nonzero(np.triu(common >= threshold * union - 1e-9, 1))
    assert len(a) > 1000
    order = np.lexsort((right, left))
    assert left[order].tolist() == a.tolist()
    assert right[order].tolist() == b.tolist()
    assert shared[order].tolist() == common[a, b].tolist()


@given(st.integers(0, 1 << 30), st.sampled_from([0.5, 0.8]), st.integers(2, 9))
@examples(20)
def test_crowds_have_the_same_anchors_whatever_is_absorbed(seed, threshold, dense):
    rows = pages(seed, 80, 12, 200)
    store = stored(rows)
    every = paired(store, rows, 0, threshold)
    few = [paired(store, rows, 0, threshold, dense=dense, threads=n) for n in (1, 3)]
    assert as_dict(few[0]) == as_dict(few[1])
    assert as_dict(few[0]).items() <= as_dict(every).items()
    assert anchors(rows, every) == anchors(rows, few[0])
