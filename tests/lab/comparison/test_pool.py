"""Pools, samples and intervals against pairs that are written out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset.lab.comparison import pool as module
from twinset.lab.comparison.pool import Pool, make_pool, methods_of_pairs, sample_pairs
from twinset.lab.comparison.scores import best_combinations, dice_matrix, scores_by_pool
from twinset.lab.evaluation.measures import wilson
from twinset.lab.evaluation.pair_set import PairSet

N = 10
Pair = tuple[int, int]
EVERY = list(itertools.combinations(range(N), 2))
sets = st.lists(st.sets(st.sampled_from(EVERY), max_size=20), min_size=1, max_size=5)


def relation(pairs: set[Pair]) -> PairSet:
    left, right = (np.array([pair[i] for pair in sorted(pairs)], np.int64) for i in (0, 1))
    return PairSet.of_pairs(left, right, N)


def listed(pool: Pool) -> list[Pair]:
    return [(int(a), int(b)) for a, b in zip(pool.left, pool.right, strict=True)]


@examples(80)
@given(sets)
def test_a_whole_pool_is_the_union_with_who_found_what(found: list[set[Pair]]) -> None:
    pool = make_pool([relation(pairs) for pairs in found], 1000, 1)
    assert pool.whole
    assert listed(pool) == sorted(set().union(*found))
    for bit, pairs in enumerate(found):
        there = pool.by(bit)
        assert {p for p, yes in zip(listed(pool), there, strict=True) if yes} == pairs
    alone = pool.alone().tolist()
    for pair, only in zip(listed(pool), alone, strict=True):
        who = [bit for bit, pairs in enumerate(found) if pair in pairs]
        assert only == (who[0] if len(who) == 1 else -1)


@examples(80)
@given(sets, st.sets(st.sampled_from(EVERY)))
def test_scores_dice_and_coverage_are_those_of_plain_sets(
    found: list[set[Pair]], good: set[Pair]
) -> None:
    relations = [relation(pairs) for pairs in found]
    pool = make_pool(relations, 1000, 1)
    fit = np.array([pair in good for pair in listed(pool)], bool)
    right = set().union(*found) & good
    for pairs, score in zip(found, scores_by_pool(pool, fit, len(found)), strict=True):
        assert score.recall == pytest.approx(len(pairs & right) / len(right) if right else 1)
        assert score.precision == pytest.approx(len(pairs & right) / len(pairs) if pairs else 1)
        assert score.recall_interval is None
    matrix = dice_matrix(relations)
    for a, b in itertools.product(range(len(found)), repeat=2):
        both = len(found[a]) + len(found[b])
        expected = 2 * len(found[a] & found[b]) / both if both else 1
        assert matrix[a, b] == pytest.approx(expected if a != b else 1)
    for one in best_combinations(pool.found_by[fit], pool.weight[fit], len(found)):
        together = set().union(*(found[at] for at in one.methods)) & right
        assert one.coverage == pytest.approx(len(together) / len(right) if right else 1)


def test_the_best_combination_comes_first() -> None:
    found = [{(0, 1), (0, 2), (0, 3)}, {(0, 1), (0, 2)}, {(0, 4)}]
    pool = make_pool([relation(pairs) for pairs in found], 1000, 1)
    best = best_combinations(pool.found_by, pool.weight, 3)
    assert [one.methods for one in best] == [(0,), (1,), (2,), (0, 2), (0, 1), (1, 2), (0, 1, 2)]


def compact() -> PairSet:
    """Blocks of 40, 30 and 5 documents; the first two are joined by an edge."""
    classes = np.array([0] * 40 + [1] * 30 + [2] * 5)
    return PairSet.of_classes(classes, np.array([0]), np.array([40]))


def test_a_sample_of_everything_is_every_pair_once() -> None:
    pairs = compact()
    left, right = sample_pairs(pairs, 10_000, np.random.default_rng(1))
    assert len(left) == pairs.count() == 40 * 39 // 2 + 30 * 29 // 2 + 10 + 1200
    assert len(np.unique(left * 100 + right)) == len(left)
    assert pairs.contains(left, right).all()


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


def test_sampled_scores_surround_the_real_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    n, methods = 400, []
    left, right = np.triu_indices(n, 1)
    fit = random.random(len(left)) < 0.4
    for share_good, share_bad in ((0.5, 0.02), (0.3, 0.1), (0.02, 0.0)):
        there = random.random(len(left)) < np.where(fit, share_good, share_bad)
        methods.append(PairSet.of_pairs(left[there], right[there], n))
    good = PairSet.of_pairs(left[fit], right[fit], n)
    whole = make_pool(methods, 10**9, 1)
    real = scores_by_pool(whole, good.contains(whole.left, whole.right), 3)
    monkeypatch.setattr(module, "WHOLE", 0)
    drawn = make_pool(methods, 6000, 1)
    assert not drawn.whole
    assert len(drawn) <= 6000
    assert drawn.weight.sum() == pytest.approx(len(whole), rel=0.05)
    estimated = scores_by_pool(drawn, good.contains(drawn.left, drawn.right), 3)
    for seen, true in zip(estimated, real, strict=True):
        assert seen.recall == pytest.approx(true.recall, abs=0.05)
        assert seen.precision == pytest.approx(true.precision, abs=0.05)
        assert seen.recall_interval is not None
        assert seen.recall_interval[0] - 0.01 <= true.recall <= seen.recall_interval[1] + 0.01
        if seen.precision_interval is None:
            assert seen.precision == true.precision
        else:
            assert seen.precision_interval[0] - 0.01 <= true.precision
            assert true.precision <= seen.precision_interval[1] + 0.01
    assert drawn.drawn == {0, 1}  # of the third there are too few to draw from
    again = make_pool(methods, 6000, 1)
    assert (again.left == drawn.left).all()


def test_intervals_of_shares_are_wilsons() -> None:
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson(0.5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    assert wilson(81 / 263, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)


def test_who_found_a_pair_is_a_bit_for_each_method() -> None:
    methods = [relation({(0, 1)}), relation({(0, 1), (2, 3)})]
    bits = methods_of_pairs(methods, np.array([0, 2, 4]), np.array([1, 3, 5]))
    assert bits.tolist() == [3, 2, 0]
