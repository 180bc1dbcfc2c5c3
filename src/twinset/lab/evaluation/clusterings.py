"""Two clusterings of the same documents: B³ and the adjusted Rand index, from contingency counts.

B³: Bagga, Baldwin 1998 (LREC). Adjusted Rand index: Hubert, Arabie 1985.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from twinset.lab.evaluation.pair_set import own_block
from twinset.model import Ints


@dataclass(frozen=True)
class ClusterScores:
    """How two clusterings agree; 1 is best."""

    b3_precision: float
    b3_recall: float
    b3_f1: float
    adjusted_rand: float


def compare_clusterings(reference: Ints, found: Ints) -> ClusterScores:
    """Scores of one cluster label for each document on either side; -1 is a cluster of its own."""
    if not len(reference):
        return ClusterScores(1.0, 1.0, 1.0, 1.0)
    true, ours = own_block(reference), own_block(found)
    sizes, our_sizes = np.bincount(true), np.bincount(ours)
    cells, count = np.unique(true * len(our_sizes) + ours, return_counts=True)
    square = count.astype(float) ** 2
    precision = math.fsum(square / our_sizes[cells % len(our_sizes)]) / len(true)
    recall = math.fsum(square / sizes[cells // len(our_sizes)]) / len(true)
    rand = _adjusted_rand(_pairs(count), _pairs(sizes), _pairs(our_sizes), _pairs([len(true)]))
    return ClusterScores(precision, recall, f1(precision, recall), rand)


def f1(precision: float, recall: float) -> float:
    """The harmonic mean; 0 where both are."""
    both = precision + recall
    return 2 * precision * recall / both if both else 0.0


def _pairs(sizes: Ints | list[int]) -> int:
    return sum(size * (size - 1) // 2 for size in np.asarray(sizes).tolist())


def _adjusted_rand(common: int, reference: int, found: int, all_pairs: int) -> float:
    """(common − expected) / (mean − expected); 1 where both sides hold the same pairs."""
    if common == reference == found:
        return 1.0
    expected = reference * found / all_pairs
    return (common - expected) / ((reference + found) / 2 - expected)
