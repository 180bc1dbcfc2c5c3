"""The background: where near-duplicates begin to rise above it, and how sure that is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twinset.lab.tuning.background import excess, smoothed


def falling(number, rate, seed):
    """Similarities that fall off exponentially from 0.08 on."""
    draw = np.random.default_rng(seed)
    scores = 0.08 + draw.exponential(1 / rate, number)
    return scores[scores < 1]


@pytest.mark.parametrize("rate", [14, 20, 30])
@pytest.mark.parametrize("seed", range(3))
def test_a_pure_background_has_no_excess(rate, seed):
    scores = falling(200_000, rate, seed)
    found = excess(scores, np.ones(len(scores)), 0.08, 2000)
    assert (found.pairs * found.share).sum() < 0.001 * len(scores)


@pytest.mark.parametrize("low", [0.5, 0.65, 0.8])
@pytest.mark.parametrize("seed", range(3))
def test_what_rises_above_is_counted(low, seed):
    draw = np.random.default_rng(seed)
    real = draw.uniform(low, 1, 400)
    scores = np.concatenate([falling(200_000, 20, seed), real])
    found = excess(scores, np.ones(len(scores)), 0.08, 2000)
    assert 0.25 < found.begins < low + 0.02
    assert (found.pairs * found.share).sum() == pytest.approx(400, rel=0.15)


def test_weights_count_as_so_many_pairs():
    scores = np.concatenate([falling(50_000, 20, 1), np.linspace(0.7, 1, 100)])
    plain = excess(np.repeat(scores, 3), np.ones(3 * len(scores)), 0.08, 3000)
    weighted = excess(scores, np.full(len(scores), 3.0), 0.08, 3000)
    assert weighted.pairs.sum() == plain.pairs.sum()
    assert weighted.sampled.sum() == plain.sampled.sum() / 3 == len(scores)
    assert weighted.begins == pytest.approx(plain.begins, abs=0.06)


@given(st.lists(st.floats(0, 1), max_size=200), st.integers(1, 5000))
@settings(max_examples=60, deadline=None)
def test_any_scores_will_do(values, documents):
    scores = np.array(values)
    found = excess(scores, np.ones(len(scores)), 0.08, documents)
    assert found.pairs.sum() == (scores >= found.edges[0]).sum()
    assert ((found.share >= 0) & (found.share <= 1)).all()
    assert 0.08 <= found.begins <= 1


@given(st.lists(st.integers(0, 50), min_size=1, max_size=60), st.floats(0.5, 8))
@settings(max_examples=60, deadline=None)
def test_smoothing_keeps_a_level(counts, width):
    level = smoothed(np.full(40, 7.0), width)
    assert level == pytest.approx(np.full(40, 7.0))
    spread = smoothed(np.array(counts, float), width)
    assert len(spread) == len(counts)
    assert min(counts) - 1e-9 <= spread.min() <= spread.max() <= max(counts) + 1e-9
