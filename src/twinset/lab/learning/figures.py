"""How well a decision does on labelled pairs, and what a single similarity does beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twinset.model import Floats
from twinset.verify.vector import rises

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Confusion:
    """Pairs by what they are and what they were taken for."""

    true_positive: int
    false_positive: int
    false_negative: int
    true_negative: int

    @classmethod
    def of(cls, truth: Bools, said: Bools) -> Confusion:
        """Count."""
        return cls(
            int((truth & said).sum()),
            int((~truth & said).sum()),
            int((truth & ~said).sum()),
            int((~truth & ~said).sum()),
        )

    @property
    def precision(self) -> float:
        """The share of what was found that is right."""
        reported = self.true_positive + self.false_positive
        return self.true_positive / reported if reported else 0.0

    @property
    def recall(self) -> float:
        """The share of what is right that was found."""
        there = self.true_positive + self.false_negative
        return self.true_positive / there if there else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        twice = 2 * self.true_positive
        both = twice + self.false_positive + self.false_negative
        return twice / both if both else 0.0

    def as_dict(self) -> dict[str, float]:
        """Counts and measures as plain values."""
        counts = {name: getattr(self, name) for name in self.__slots__}
        return counts | {"precision": self.precision, "recall": self.recall, "f1": self.f1}


@dataclass(frozen=True, slots=True)
class Threshold:
    """One similarity with the threshold that divides the training pairs best."""

    feature: str
    threshold: float
    f1: float

    def accepts(self, values: Floats) -> Bools:
        """Which pairs it takes for near-duplicates; the threshold is inclusive."""
        good: Bools = values >= self.threshold if self.rises else values <= self.threshold
        return good

    @property
    def rises(self) -> bool:
        """Whether greater is more alike."""
        return rises(self.feature)


def best_cut(values: Floats, truth: Bools) -> tuple[float, float]:
    """The least value to accept for the greatest F1, midway between two values, and that F1."""
    order = np.argsort(-values, kind="stable")
    falling, right = values[order], truth[order]
    hits = np.cumsum(right)
    f1 = 2 * hits / (np.arange(1, len(values) + 1) + max(int(right.sum()), 1))
    last = np.append(falling[1:] < falling[:-1], True)  # equal values are accepted together
    f1[~last] = -1.0
    best = int(np.argmax(f1))
    if best + 1 == len(falling):
        return float(falling[best]), float(f1[best])
    middle = (falling[best] + falling[best + 1]) / 2
    # the middle of two neighbouring floats may be the lower one, which is not to be accepted
    cut = middle if middle > falling[best + 1] else falling[best]
    return float(cut), float(f1[best])


def best_threshold(features: Sequence[str], x: Floats, truth: Bools) -> Threshold:
    """The single similarity that divides the pairs best; of equal ones the first."""
    best: Threshold | None = None
    for column, feature in enumerate(features):
        sign = 1.0 if rises(feature) else -1.0
        cut, f1 = best_cut(sign * x[:, column], truth)
        if best is None or f1 > best.f1:
            best = Threshold(feature, sign * cut, f1)
    assert best is not None, "there are features"
    return best
