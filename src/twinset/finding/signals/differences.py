"""How rare the words are that only one of two documents has: a name weighs more than an article."""

from __future__ import annotations

from twinset.finding.signals.base import ProfiledPairs, Signal, share
from twinset.model import Floats
from twinset.text.shared_terms import STEPS


def idf_of_differences(pairs: ProfiledPairs) -> Floats:
    """The mean idf of the words that one has and the other has not; 0 where there are none."""
    view, common = pairs.view("words1"), pairs.shared("words1", rarity=True)
    left, right = pairs.both(view.sizes)
    rarity, other_rarity = pairs.both(view.rarity_sums)
    differing = left + right - 2 * common.terms
    return share(rarity + other_rarity - 2 * common.lesser, differing) / STEPS


SIGNALS = (
    Signal(
        "idf_of_differences",
        "Mean idf of the words that only one of the two has",
        False,
        idf_of_differences,
        "collection",
    ),
)
