"""Weighted min-wise samples against their definition, and against the exact weighted Jaccard."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.kernels import twins
from tests.kernels.examples import examples
from twinset import _kernels

PLACES = 40
MOST_WEIGHT = (1 << 17) - 1


@cache
def logarithms() -> list[int]:
    """log2 of 1, 1 + 1/1024, ... 2, cut after 40 binary places."""
    with localcontext() as exact:
        exact.prec = 60
        two = Decimal(2)
        shares = (1 + Decimal(part) / 1024 for part in range(1024))
        return [*(int(x.ln() / two.ln() * 2**PLACES) for x in shares), 2**PLACES]


def minus_log2(h: int) -> int:
    """-log2(1 - h/2^64) with 40 binary places, by straight lines between the points."""
    rest = (twins.MASK - h) | 1
    exponent = rest.bit_length() - 1
    fraction = (rest << 63 - exponent) - (1 << 63)  # of 2^63
    part, within = divmod(fraction, 1 << 53)
    low, high = logarithms()[part : part + 2]
    return (64 - exponent << PLACES) - low - ((high - low) * (within >> 21) >> 32)


def weighted_minwise(weights: dict[int, int], size: int, seed: int) -> list[int]:
    """The feature of least -log2(u)/weight under each function, or all bits where there is none."""
    stream = twins.Stream(seed)
    functions = [twins.Fast(stream) for _ in range(size)]
    if not weights:
        return [twins.MASK] * size

    def order(function: twins.Fast, x: int) -> tuple[Fraction, int]:
        h = function(x)
        return Fraction(minus_log2(h), weights[x]), h

    return [min(weights, key=lambda x, f=f: order(f, x)) for f in functions]


def sketched(rows: list[dict[int, int]], size: int, seed: int, threads: int = 2) -> np.ndarray:
    values, offsets = twins.lists([list(row) for row in rows])
    weights = np.array([w for row in rows for w in row.values()], np.uint32)
    return _kernels.weighted_minwise(values, weights, offsets, size, seed, threads)


WEIGHTS = st.one_of(st.integers(1, 3), st.integers(1, MOST_WEIGHT), st.just(MOST_WEIGHT))
ROWS = st.lists(
    st.dictionaries(st.integers(0, twins.MASK), WEIGHTS, max_size=40), min_size=1, max_size=4
)


@given(ROWS, st.integers(1, 40), st.integers(0, 9))
@example([{7: MOST_WEIGHT, 8: 1}, {}, {0: 1}], 300, 1)
@examples(60)
def test_weighted_minwise_equals_its_twin(rows, size, seed):
    want = [weighted_minwise(row, size, seed) for row in rows]
    assert sketched(rows, size, seed).tolist() == want


@given(st.integers(0, twins.MASK))
@example(0)
@example(1)
@example(twins.MASK)
@example(twins.MASK - 1)
@example(1 << 63)
@examples(300)
def test_the_logarithm_of_the_definition_is_one(h):
    exact = -math.log2(((twins.MASK - h) | 1) / 2.0**64) * 2**PLACES
    assert minus_log2(h) == pytest.approx(exact, rel=1e-3, abs=2)
    assert 1 <= minus_log2(h) <= 64 << PLACES
    assert minus_log2(h) >= h >> 24


def test_threads_and_the_place_in_a_list_play_no_part():
    rng = np.random.default_rng(1)
    rows = [
        {
            int(x): int(w)
            for x, w in zip(rng.integers(0, 1 << 60, 50), rng.integers(1, 99, 50), strict=True)
        }
        for _ in range(300)
    ]
    once = sketched(rows, 32, 3, 1)
    backwards = [dict(reversed(row.items())) for row in rows]
    assert np.array_equal(once, sketched(rows, 32, 3, 3))
    assert np.array_equal(once, sketched(backwards, 32, 3, 2))
    assert not np.array_equal(once, sketched(rows, 32, 4, 1))


def test_samples_of_a_heavier_feature_are_its_own():
    """With one more feature, samples stay or become that one: they are consistent."""
    row = {x * 977: 1 + x for x in range(40)}
    before, after = sketched([row, row | {5: 100}], 500, 2)
    assert set(after[before != after].tolist()) == {5}


@pytest.mark.statistics
def test_a_feature_is_sampled_in_proportion_to_its_weight():
    weights = {11: 1, 12: 10, 13: 100, 14: 1000, 15: 3000}
    draws = 200_000
    (samples,) = sketched([weights], draws, 5)
    total = sum(weights.values())
    for x, weight in weights.items():
        p = weight / total
        assert abs((samples == x).mean() - p) < 4 * math.sqrt(p * (1 - p) / draws)


@pytest.mark.statistics
@pytest.mark.parametrize("features", [6, 60, 3000])
def test_two_lists_agree_with_the_probability_of_their_weighted_jaccard(features):
    """Over many pairs the mean error is 0 and the squared error that of independent draws."""
    rng, size = np.random.default_rng(features), 256
    errors, expected = [], []
    for _ in range(max(24, 3000 // features)):
        names = rng.choice(1 << 48, features, replace=False).tolist()
        # as idf does: few heavy features, many light ones; each has one weight in both lists
        weight = dict(
            zip(
                names,
                np.rint(1024 * rng.gamma(1.5, 3, features) + 1).astype(int).tolist(),
                strict=True,
            )
        )
        sides = rng.choice(3, features, p=[0.6, 0.2, 0.2])
        rows = [
            {x: weight[x] for x, s in zip(names, sides, strict=True) if s != other}
            for other in (1, 2)
        ]
        if not all(rows):
            continue
        common, every = (
            sum(weight[x] for x in some) for some in (rows[0].keys() & rows[1].keys(), names)
        )
        exact = common / every
        first, second = sketched(rows, size, len(errors))
        errors.append((first == second).mean() - exact)
        expected.append(exact * (1 - exact) / size)
    error, variance = np.array(errors), np.array(expected)
    assert abs(error.sum()) < 4 * np.sqrt(variance.sum())
    ratio = (error**2).sum() / variance.sum()
    assert abs(ratio - 1) < 4 * math.sqrt(2 / len(error))
