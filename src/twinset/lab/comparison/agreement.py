"""How methods agree: the Dice matrix, and what two or three of them cover together."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twinset.lab.comparison.pool import Bits
from twinset.lab.evaluation.common import count_common
from twinset.lab.evaluation.pair_set import Relation
from twinset.model import Floats

SHOWN = 10  # combinations of each size that are kept


def dice_matrix(methods: Sequence[Relation]) -> Floats:
    """2|A∩B|/(|A|+|B|) of every two methods; 1 where both found nothing."""
    count = [method.count() for method in methods]
    matrix = np.ones((len(methods), len(methods)))
    for a, b in itertools.combinations(range(len(methods)), 2):
        both = count[a] + count[b]
        common = count_common(methods[a], methods[b]) if count[a] and count[b] else 0
        matrix[a, b] = matrix[b, a] = 2 * common / both if both else 1.0
    return matrix


@dataclass(frozen=True)
class Combination:
    """Methods together and the share of the good pairs that at least one of them found."""

    methods: tuple[int, ...]
    coverage: float


def best_combinations(found_by: Bits, weight: Floats, methods: int) -> list[Combination]:
    """The best single methods, pairs and triples, the best first; ties in the order of methods.

    ``found_by`` and ``weight`` are of the good pairs alone.
    """
    kinds, place = np.unique(found_by, return_inverse=True)
    mass = np.bincount(place.reshape(-1), weight, len(kinds)).astype(float)
    total = mass.sum()
    found: list[Combination] = []
    for size in (1, 2, 3):
        some = [
            Combination(group, _covered(kinds, mass, group) / total if total else 1.0)
            for group in itertools.combinations(range(methods), size)
        ]
        found += sorted(some, key=lambda one: (-one.coverage, one.methods))[:SHOWN]
    return found


def _covered(kinds: Bits, mass: Floats, group: Sequence[int]) -> float:
    wanted = np.uint64(sum(1 << bit for bit in group))
    return float(mass[kinds & wanted != 0].sum())
