"""What to expect of a plan without labels, and only where there is evidence for it.

*Precision.* A wrong pair contradicts others as soon as one of its documents has a true copy. So the
share of contradicted twos tells how many are wrong, and a tenth more may be wrong that no third
document contradicts; below the threshold of the preset that tenth grows. Nothing follows from
agreement where documents are forms, which are wrong pairs that agree.

*Recall.* As the threshold falls, pairs are gained that agree with those above until chance sets in.
The pairs at the threshold are compared with the pairs there. If there are many more there, it is
the owner who knows whether those are copies, and nothing is said.
"""

from __future__ import annotations

from twinset.lab.evaluation.measures import wilson
from twinset.lab.tuning.decision import CROWD, FEWEST_PAIRS
from twinset.lab.tuning.estimate import Estimate
from twinset.lab.tuning.relation import PairLevel

LEAST_COHESION = 0.6  # below, the pairs contradict each other too much to say anything
UNSEEN = 0.1  # of the pairs may be wrong without being contradicted,
MORE_UNSEEN = 0.7  # and so much times the distance below the threshold of the preset
AGREED = 0.75  # the cohesion of the pairs that recall is compared with
FEWEST_REACHED = 0.75  # of those pairs
BELOW = 0.85  # times the expected recall: where it lies at least


def expected_precision(level: PairLevel, *, forms: bool, below: float = 0.0) -> Estimate | None:
    """From the cohesion of the pairs; None where it tells nothing."""
    if forms or level.sampled < FEWEST_PAIRS or level.cohesion < LEAST_COHESION:
        return None
    if level.crowd >= CROWD:
        return None
    low, _ = wilson((1 - UNSEEN - MORE_UNSEEN * below) * level.cohesion, level.sampled)
    return Estimate((low + 1) / 2, low, 1.0)


def expected_recall(level: PairLevel, settled: PairLevel | None) -> Estimate | None:
    """From the pairs at the threshold where agreement is best; None where there is none."""
    if settled is None or settled.sampled < FEWEST_PAIRS or level.crowd >= CROWD:
        return None
    if settled.cohesion < AGREED:
        return None
    value = min(level.pairs / max(settled.pairs, level.pairs, 1e-9), 1.0)
    if value < FEWEST_REACHED:
        return None
    low, _ = wilson(value, settled.sampled)
    return Estimate(value, BELOW * low, 1.0)
