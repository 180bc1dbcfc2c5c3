"""Jaccard similarities: what both have, of what either has."""

from __future__ import annotations

from functools import partial

from twinset.finding.signals.base import ProfiledPairs, Signal, share
from twinset.finding.signals.profiles import View
from twinset.model import Floats


def jaccard(view: View, pairs: ProfiledPairs) -> Floats:
    """|A∩B| / |A∪B|."""
    common = pairs.shared(view, rarity=view == "words1").terms  # as other signals ask for it
    left, right = pairs.both(pairs.view(view).sizes)
    return share(common, left + right - common)


def weighted_jaccard(view: View, pairs: ProfiledPairs) -> Floats:
    """The idf of common terms, of that of all terms of both."""
    common = pairs.shared(view, rarity=True).lesser
    left, right = pairs.both(pairs.view(view).rarity_sums)
    return share(common, left + right - common)


SIGNALS = (
    Signal("jaccard1", "Jaccard similarity of the words", True, partial(jaccard, "words1")),
    Signal("jaccard3", "Jaccard similarity of 3 words in a row", True, partial(jaccard, "words3")),
    Signal(
        "jaccard5c",
        "Jaccard similarity of 5 characters in a row, those that scanners confuse taken as one",
        True,
        partial(jaccard, "folded5"),
    ),
    Signal(
        "idfjaccard5",
        "Jaccard similarity of 5 words in a row, rare ones counting more",
        True,
        partial(weighted_jaccard, "words5"),
        "collection",
    ),
)
