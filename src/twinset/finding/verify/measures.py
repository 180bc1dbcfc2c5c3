"""Set similarities over (shared, size of left, size of right).

The kernels hold the same formulas (``measure.hpp``) under the same numbers, kept equal by a test.
Each class says how far its threshold bounds the Jaccard similarity from below, which is what bands
can be solved for; ``None`` means that it does not, and that only the exact join is safe.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from twinset.model import Floats, Ints


@dataclass(frozen=True, slots=True)
class Measure:
    """A formula with its number in the kernels and its largest value."""

    number: ClassVar[int]
    most: ClassVar[float] = 1.0

    def score(self, shared: Ints, left: Ints, right: Ints) -> Floats:
        """Similarity of each pair from its counts; empty sets are similar to nothing."""
        raise NotImplementedError

    def least_jaccard(self, threshold: float) -> float | None:
        """The lowest Jaccard similarity of a pair that reaches the threshold."""
        raise NotImplementedError


def _ratio(above: Floats, below: Floats) -> Floats:
    """Of counts: where there is nothing below, there is nothing above."""
    ratio: Floats = above / np.maximum(below, 1)
    return ratio


@dataclass(frozen=True, slots=True)
class Jaccard(Measure):
    """Shared features divided by all features of both documents: |A∩B| / |A∪B|."""

    number: ClassVar[int] = 0

    def score(self, shared: Ints, left: Ints, right: Ints) -> Floats:
        """|A∩B| / |A∪B|."""
        return _ratio(shared.astype(float), (left + right - shared).astype(float))

    def least_jaccard(self, threshold: float) -> float | None:
        """The threshold itself."""
        return threshold


@dataclass(frozen=True, slots=True)
class Containment(Measure):
    """Shared features divided by the smaller number of features: |A∩B| / min(|A|, |B|)."""

    number: ClassVar[int] = 1

    def score(self, shared: Ints, left: Ints, right: Ints) -> Floats:
        """|A∩B| / min(|A|, |B|)."""
        return _ratio(shared.astype(float), np.minimum(left, right).astype(float))

    def least_jaccard(self, threshold: float) -> float | None:
        """None: a sentence may be contained in a book."""
        return None


@dataclass(frozen=True, slots=True)
class Dice(Measure):
    """Shared features divided by the mean number of features: 2|A∩B| / (|A|+|B|)."""

    number: ClassVar[int] = 2

    def score(self, shared: Ints, left: Ints, right: Ints) -> Floats:
        """2|A∩B| / (|A|+|B|)."""
        return _ratio(2 * shared.astype(float), (left + right).astype(float))

    def least_jaccard(self, threshold: float) -> float | None:
        """D = 2J/(1+J), so J = D/(2-D)."""
        return threshold / (2 - threshold)


@dataclass(frozen=True, slots=True)
class Cosine(Measure):
    """Shared features divided by the geometric mean of their numbers: |A∩B| / sqrt(|A||B|)."""

    number: ClassVar[int] = 3

    def score(self, shared: Ints, left: Ints, right: Ints) -> Floats:
        """|A∩B| / sqrt(|A||B|), as the root of two ratios so that equal sets give exactly 1."""
        a = _ratio(shared.astype(float), left.astype(float))
        b = _ratio(shared.astype(float), right.astype(float))
        root: Floats = np.sqrt(a * b)
        return root

    def least_jaccard(self, threshold: float) -> float | None:
        """The worst case is a contained set, where J is the cosine squared."""
        return threshold * threshold


@dataclass(frozen=True, slots=True)
class Overlap(Measure):
    """Number of shared features: |A∩B|; the threshold is a count."""

    number: ClassVar[int] = 4
    most: ClassVar[float] = float("inf")

    def score(self, shared: Ints, left: Ints, right: Ints) -> Floats:
        """|A∩B|."""
        return shared.astype(float)

    def least_jaccard(self, threshold: float) -> float | None:
        """None: a count says nothing about the sizes."""
        return None
