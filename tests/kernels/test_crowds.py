"""The exact join where thousands of pages share a template: filters must not lose a pair."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from tests.kernels.test_pairs import anchors, as_dict, paired, spread, stored

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


def brute_force(rows: list[list[int]], measure: int, threshold: float) -> dict:
    """Every pair that reaches the threshold, by a product of matrices."""
    units = sorted({x for row in rows for x in row})
    table = np.zeros((len(rows), len(units)), np.int32)
    for row, features in zip(table, rows, strict=True):
        row[np.searchsorted(units, features)] = 1
    common, size = table @ table.T, table.sum(axis=1)
    a, b = size[:, None], size[None, :]
    formulas = [
        lambda: common / (a + b - common),
        lambda: common / np.minimum(a, b),
        lambda: 2 * common / (a + b),
        lambda: np.sqrt(common / a * (common / b)),
        lambda: common,
    ]
    left, right = np.nonzero(np.triu((common > 0) & (formulas[measure]() >= threshold), 1))
    pairs = zip(left.tolist(), right.tolist(), strict=True)
    return dict(zip(pairs, common[left, right].tolist(), strict=True))


@given(
    st.integers(0, 1 << 30),
    st.integers(0, 4),
    st.sampled_from([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 2 / 3, 0.7, 0.75, 0.8, 0.9]),
    st.sampled_from([3, 12, 30]),
    st.sampled_from([20, 200, 5000]),
    st.booleans(),
    st.sampled_from([220, 1 << 40]),
)
@examples(30)
def test_crowds_at_the_border_lose_no_pair(seed, measure, threshold, most_own, pool, prune, dense):
    """A bound that could be met but is not, and none, are ways of their own."""
    rows = pages(seed, 220, most_own, pool)  # features are frequent from 128 documents on
    threshold = threshold if measure < 4 else round(threshold * TEMPLATE)
    pairs = as_dict(paired(stored(rows), rows, measure, threshold, prune=prune, dense=dense))
    assert pairs == brute_force(rows, measure, threshold)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("memory", [1 << 12, 1 << 24])
def test_pruning_changes_no_answer_where_pages_are_absorbed(threads, memory):
    rows = pages(3, 1500, 14, 900)
    store = stored(rows, memory)
    options = {"dense": 40, "threads": threads, "memory": memory}
    answers = [paired(store, rows, 0, 0.8, prune=prune, **options) for prune in (False, True)]
    assert as_dict(answers[0]) == as_dict(answers[1])
    assert [int(x) for x in answers[0][4:]] == [int(x) for x in answers[1][4:]]
    assert answers[1][4] > 200
    assert answers[1][3] < answers[0][3]


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
