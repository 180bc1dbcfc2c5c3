"""What to expect of a plan without labels, and only where there is evidence for it.

*Precision.* A wrong pair contradicts others as soon as one of its documents has a true copy. So the
precision is about the cohesion; a tenth of the pairs may be wrong that no third document
contradicts. Nothing follows where pairs contradict each other, since copies that drift apart do so
as well, nor where similar documents differ in their numbers, which are wrong pairs that agree.

*Recall.* Down to the lowest threshold that is looked at, pairs that agree are gained. If they agree
all the way down, those at the threshold are compared with those there; a fifth of the copies may be
further apart still. If they do not, nobody knows where copies end, and nothing is said.
"""

from __future__ import annotations

from twinset.lab.evaluation.measures import wilson
from twinset.lab.tuning.decision import LIMITS
from twinset.lab.tuning.estimate import Estimate
from twinset.lab.tuning.relation import PairLevel

UNSEEN = 0.1  # of the pairs may be wrong without being contradicted, or right in spite of it
FARTHER = 0.2  # of the copies may be further apart than anything that is looked at


def expected_precision(level: PairLevel, *, numbers: bool) -> Estimate | None:
    """From the cohesion of the pairs; None where it tells nothing."""
    if numbers or level.sampled < LIMITS.fewest_pairs or level.cohesion < LIMITS.cohesive:
        return None
    low, _ = wilson(level.cohesion - UNSEEN, level.sampled)
    _, high = wilson(min(level.cohesion + UNSEEN, 1.0), level.sampled)
    return Estimate(level.cohesion, low, high)


def expected_recall(level: PairLevel, lowest: PairLevel) -> Estimate | None:
    """From the pairs at the lowest threshold; None where these contradict each other."""
    if lowest.sampled < LIMITS.fewest_pairs or lowest.cohesion < LIMITS.cohesive:
        return None
    value = min(level.pairs / max(lowest.pairs, 1e-9), 1.0)
    low, _ = wilson(value, lowest.sampled)
    return Estimate(value, (1 - FARTHER) * low, 1.0)
