"""Pools, samples and intervals against pairs that are written out."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset.lab import experiment as module
from twinset.lab.experiment import (
    best_combinations,
    dice_matrix,
    make_pool,
    methods_of_pairs,
    sample_pairs,
)
from twinset.lab.pairs import PairSet

N = 10
Pair = tuple[int, int]
EVERY = list(itertools.combinations(range(N), 2))
sets = st.lists(st.sets(st.sampled_from(EVERY), max_size=20), min_size=1, max_size=5)


def relation(pairs: set[Pair]) -> PairSet:
    left, right = (np.array([pair[i] for pair in sorted(pairs)], np.int64) for i in (0, 1))
    return PairSet.of_pairs(left, right, N)


def listed(pool: tuple[Any, Any]) -> list[Pair]:
    return [(int(a), int(b)) for a, b in zip(*pool, strict=True)]


@examples(80)
@given(sets, st.sets(st.sampled_from(EVERY)))
def test_dice_and_coverage_are_those_of_plain_sets(found: list[set[Pair]], good: set[Pair]) -> None:
    relations = [relation(pairs) for pairs in found]
    right = set().union(*found) & good
    matrix = dice_matrix(relations)
    for a, b in itertools.product(range(len(found)), repeat=2):
        both = len(found[a]) + len(found[b])
        expected = 2 * len(found[a] & found[b]) / both if both else 1
        assert matrix[a, b] == pytest.approx(expected if a != b else 1)
    ends = (np.array([pair[i] for pair in sorted(right)], np.int64) for i in (0, 1))
    for methods, coverage in best_combinations(methods_of_pairs(relations, *ends), len(found)):
        together = set().union(*(found[at] for at in methods)) & right
        assert coverage == pytest.approx(len(together) / len(right) if right else 1)


def compact() -> PairSet:
    """Blocks of 40, 30 and 5 documents; the first two are joined by an edge."""
    classes = np.array([0] * 40 + [1] * 30 + [2] * 5)
    return PairSet.of_classes(classes, np.array([0]), np.array([40]))


def test_a_sample_is_even_over_blocks_and_edges() -> None:
    pairs = compact()
    times = np.zeros((75, 75))
    for seed in range(400):
        left, right = sample_pairs(pairs, 200, np.random.default_rng(seed))
        assert pairs.contains(left, right).all()
        assert len(np.unique(left * 100 + right)) == len(left)
        times[left, right] += 1
    every = times[np.triu_indices(75, 1)]
    expected = every.sum() / pairs.count()
    across = times[:40, 40:70].mean()
    assert across == pytest.approx(expected, rel=0.05)
    assert times[70:, 70:].sum() / 10 == pytest.approx(expected, rel=0.2)


@pytest.mark.parametrize("written", [10**7, 0])
def test_a_sampled_pool_is_even_over_the_union(
    written: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the union is written out, or each row is drawn from on its own."""
    monkeypatch.setattr(module, "WHOLE", written)
    random = np.random.default_rng(5)
    left, right = np.triu_indices(100, 1)
    rows = [
        PairSet.of_pairs(left[there], right[there], 100)
        for there in (random.random(len(left)) < share for share in (0.5, 0.3, 0.02))
    ]
    first, second = make_pool(rows, 10**7, 1)
    union = len(np.unique(first * 100 + second))
    times = np.zeros((100, 100))
    for seed in range(300):
        drawn = make_pool(rows, 1000, seed)
        assert len(drawn[0]) <= 1000
        times[drawn] += 1
    found = methods_of_pairs(rows, left, right)
    assert times[left[found == 0], right[found == 0]].sum() == 0
    means = [times[left[found == bits], right[found == bits]].mean() for bits in (1, 2, 3)]
    assert means == pytest.approx([times.sum() / (found != 0).sum()] * 3, rel=0.05)
    assert union <= (found != 0).sum()
    assert listed(make_pool(rows, 1000, 7)) == listed(make_pool(rows, 1000, 7))
