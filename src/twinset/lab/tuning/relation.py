"""How well the pairs of a collection agree with each other, at every threshold.

To be a copy is an equivalence: if A is a copy of B, and B of C, then A is one of C. So pairs
contradict each other where a chain of them joins two documents that are no pair. Documents that
are merely related, or share boilerplate, form such chains by the thousand; copies do not. The
*cohesion* at a threshold is the share of pairs among all twos of documents that chains join. The
*agreement* counts the pairs less the twos that chains join without their being pairs, which is what
correlation clustering maximises [Bansal, Blum, Chawla 2004]: as the threshold falls it grows while
more copies are reached, and collapses once chance or boilerplate joins what is unlike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twinset import _kernels
from twinset.lab.tuning.views import Neighbours
from twinset.model import Floats

STEP = 0.02
MOST_PER_DOCUMENT = 100  # pairs; beyond, everything is joined to everything
AS_GOOD = 0.95  # of the best agreement: of such thresholds the highest is the safest


@dataclass(frozen=True, slots=True)
class PairLevel:
    """The pairs that reach a threshold.

    ``pairs`` counts those of the whole collection and ``sampled`` those of the sample; ``crowd`` is
    the number of look-alikes of a document, averaged over the ends of all pairs.
    """

    threshold: float
    pairs: float
    sampled: int
    cohesion: float
    crowd: float

    @property
    def agreement(self) -> float:
        """Pairs less the contradictions among them."""
        return self.pairs * (2 - 1 / self.cohesion)


@dataclass(frozen=True)
class Relation:
    """The pairs of a view at every threshold, the lowest first."""

    levels: tuple[PairLevel, ...]

    def at(self, threshold: float) -> PairLevel:
        """The level of this threshold, or the nearest that was looked at."""
        return min(self.levels, key=lambda level: abs(level.threshold - threshold))

    def settled(self, low: float, high: float, most_crowd: float) -> PairLevel | None:
        """The highest threshold in this range where agreement is as good as the best of it."""
        levels = [
            level
            for level in self.levels
            if low <= level.threshold <= high and level.crowd < most_crowd
        ]
        best = max((level.agreement for level in levels), default=0.0)
        if best <= 0:
            return None
        return max(
            (level for level in levels if level.agreement >= AS_GOOD * best),
            key=lambda level: level.threshold,
        )


def relation(near: Neighbours, weights: Floats, documents: int, around: float) -> Relation:
    """The levels of a view, in steps that hit the threshold ``around``."""
    order = np.argsort(-near.score, kind="stable")
    left, right = (ends[order].astype(np.uint32) for ends in (near.left, near.right))
    score = near.score[order]
    pairs = np.concatenate([[0.0], np.cumsum(weights[order])])
    least = float(score[-1]) if len(score) else around
    levels: list[PairLevel] = []
    for threshold in _thresholds(around, least):
        number = int(np.searchsorted(-score, -(threshold - 1e-9), "right"))
        if number > MOST_PER_DOCUMENT * documents and levels:
            break
        ends = left[:number], right[:number]
        roots = _kernels.component_roots(documents, *ends)
        sizes = np.bincount(roots, minlength=1).astype(np.int64)
        joined = int((sizes * (sizes - 1) // 2).sum())
        degree = np.bincount(np.concatenate(ends), minlength=1).astype(np.int64)
        crowd = float((degree * degree).sum() / max(int(degree.sum()), 1))
        cohesion = number / joined if joined else 1.0
        levels.append(PairLevel(threshold, float(pairs[number]), number, cohesion, crowd))
    return Relation(tuple(reversed(levels)))


def _thresholds(around: float, least: float) -> list[float]:
    """From the highest down."""
    above = int((0.98 - around) / STEP)
    below = max(int((around - max(least, STEP)) / STEP), 0)
    return [round(around + STEP * step, 4) for step in range(above, -below - 1, -1)]
