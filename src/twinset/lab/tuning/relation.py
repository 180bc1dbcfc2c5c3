"""How well the pairs of a collection agree with each other, at every threshold.

To be a copy is an equivalence: if A is a copy of B, and B of C, then A is one of C. So pairs
contradict each other where a chain of them joins two documents that are no pair. Documents that
are merely related, or share boilerplate, form such chains by the thousand; copies do not. The
*cohesion* at a threshold is the share of pairs among all twos of documents that chains join. The
*balance* is the pairs less the contradictions, each of which weighs as much as a few pairs: what
correlation clustering maximises [Bansal, Blum, Chawla 2004]. How *densely* pairs lie below and
above a threshold tells chance from copies: pairs by chance become ever fewer as similarity grows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from twinset import _kernels
from twinset.lab.tuning.views import Neighbours
from twinset.model import Floats

STEP = 0.02
MOST_PER_DOCUMENT = 100  # pairs; beyond, everything is joined to everything
NOTHING_ABOVE = 0.985  # similarities are not looked at in detail from here on


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

    def balance(self, weight: float) -> float:
        """Pairs less the contradictions among them, each of which counts ``weight`` pairs."""
        return self.pairs * (1 + weight - weight / self.cohesion)


@dataclass(frozen=True)
class Relation:
    """The pairs of a view at every threshold, the lowest first."""

    levels: tuple[PairLevel, ...]

    def at(self, threshold: float) -> PairLevel:
        """The level of this threshold, or the nearest that was looked at."""
        return min(self.levels, key=lambda level: abs(level.threshold - threshold))

    def between(self, low: float, high: float) -> list[PairLevel]:
        """The levels of a range, both ends included, the lowest first."""
        return [each for each in self.levels if low - 1e-9 <= each.threshold <= high + 1e-9]

    def thickens(self, threshold: float, width: float, deviations: float) -> bool:
        """Whether pairs lie more densely just above a threshold than further above it.

        Two ranges of this width are compared; a difference of less than so many standard
        deviations of such counts is chance.
        """
        below, middle, above = (self._sampled(threshold + n * width) for n in range(3))
        lower, upper = below - middle, middle - above
        return lower - upper > deviations * math.sqrt(lower + upper)

    def _sampled(self, threshold: float) -> int:
        return self.at(threshold).sampled if threshold < NOTHING_ABOVE else 0


def relation(
    near: Neighbours, weights: Floats, documents: int, around: float, *others: float
) -> Relation:
    """The levels of a view, in steps that hit the threshold ``around``, and those of ``others``."""
    order = np.argsort(-near.score, kind="stable")
    left, right = (ends[order].astype(np.uint32) for ends in (near.left, near.right))
    score = near.score[order]
    pairs = np.concatenate([[0.0], np.cumsum(weights[order])])
    least = float(score[-1]) if len(score) else around
    levels: list[PairLevel] = []
    for threshold in sorted({*_thresholds(around, least), *others}, reverse=True):
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
