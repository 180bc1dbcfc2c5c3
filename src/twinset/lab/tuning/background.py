"""Near-duplicates as what rises above the background.

In any collection the number of pairs falls off steeply as similarity grows, nearly by the same
factor from step to step: unrelated documents. Near-duplicates are an excess over that fall, from
the place on where it flattens. Carrying the fall on past this place tells how many pairs would be
there by chance, and so the share of pairs that are not (Efron's local false discovery rate).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twinset.model import Floats

STEP = 0.005
AHEAD = 0.06  # how far the fall is watched for flattening
FLAT = 6.0  # a fall by less than this (in natural logarithms, per unit) is flat
GENTLEST = 8.0  # carried on, the background falls at least so fast
FIT = (0.14, 0.02)  # the fall is measured between these distances before the flattening
SMOOTH = 0.015  # width of smoothing with 3,000 pairs above the least similarity


@dataclass(frozen=True, slots=True)
class Excess:
    """Pairs by similarity and the share of them that the background does not explain.

    ``pairs`` counts those of the whole collection, ``sampled`` those of the sample.
    """

    edges: Floats
    pairs: Floats
    sampled: Floats
    share: Floats
    begins: float

    @property
    def middles(self) -> Floats:
        """The middle of every step."""
        middles: Floats = (self.edges[:-1] + self.edges[1:]) / 2
        return middles


def excess(score: Floats, weight: Floats, least: float, documents: int) -> Excess:
    """Where pairs begin to be more than background, and by how much."""
    edges = np.arange(round(least / STEP), round(1 / STEP) + 1).astype(np.float64) * STEP
    bins = np.minimum(((score - edges[0]) / STEP + 1e-9).astype(np.int64), len(edges) - 2)
    inside = score >= edges[0]
    pairs = np.bincount(bins[inside], weight[inside], len(edges) - 1).astype(np.float64)
    tail = max(int((score >= least + 0.1).sum()), 10)
    smooth = smoothed(pairs, float(np.clip(SMOOTH * (3000 / tail) ** 0.2, 0.012, 0.05)) / STEP)
    logs = np.log(smooth + 0.02)
    start = flattening(smooth, logs, documents)
    fall = min(_slope(logs, start), -GENTLEST)
    beyond = np.arange(len(pairs)) - start
    by_chance = np.where(beyond <= 0, smooth, smooth[start] * np.exp(fall * STEP * beyond))
    share = np.clip(1 - by_chance / np.maximum(smooth, 1e-9), 0, 1)
    sampled = np.bincount(bins[inside], minlength=len(edges) - 1).astype(np.float64)
    return Excess(edges, pairs, sampled, share, float(edges[start]))


def flattening(smooth: Floats, logs: Floats, documents: int) -> int:
    """The first step after which the fall is flat, where pairs are no more than documents."""
    ahead = round(AHEAD / STEP)
    falls = logs[ahead:] - logs[:-ahead]
    few = smooth[:-ahead] * (0.02 / STEP) < documents
    flat = np.flatnonzero(few & (falls > -FLAT * AHEAD))
    return max(int(flat[0]), 4) if len(flat) else len(smooth) - ahead - 1


def smoothed(counts: Floats, width: float) -> Floats:
    """Counts under a normal curve of this width in steps; the ends go on as they are."""
    reach = max(round(4 * width), 1)
    curve = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    spread: Floats = np.convolve(np.pad(counts, reach, "edge"), curve / curve.sum(), "valid")
    return spread


def _slope(logs: Floats, start: int) -> float:
    first, last = (max(0, start - round(part / STEP)) for part in FIT)
    if last - first < 4:
        return -GENTLEST
    return float(np.polyfit(np.arange(first, last) * STEP, logs[first:last], 1)[0])
