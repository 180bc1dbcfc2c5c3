"""Signals by what two documents have in common: similarities, lengths, numbers, rare words.

Cosines are of tf-idf vectors with 1+log tf [Salton, Buckley 1988]. Lengths and numbers tell a form
that was filled in twice from a copy; of the words that only one document has, a name weighs more
than an article.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from twinset import _kernels
from twinset.finding.signals.base import ProfiledPairs, Signal, View, share
from twinset.model import Floats
from twinset.text.shared_terms import STEPS, UNIT


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


RUN = 3


def containment(pairs: ProfiledPairs) -> Floats:
    """|A∩B| / min(|A|, |B|)."""
    left, right = pairs.both(pairs.view("words3").sizes)
    return share(pairs.shared("words3").terms, np.minimum(left, right))


def covered(pairs: ProfiledPairs) -> Floats:
    """Words of both documents that lie in a run that both have, of all words of both."""
    view, words = pairs.view("words3"), pairs.profiles.words.lengths
    places = view.places
    assert places is not None
    count = _kernels.covered_words(
        view.terms.values,
        view.terms.offsets,
        len(view.df),
        places.values,
        places.offsets,
        words,
        RUN,
        *pairs.ends,
        pairs.threads,
    )
    left, right = pairs.both(words)
    return share(count, left + right)


def cosine(view: View, pairs: ProfiledPairs) -> Floats:
    """f1·f2 of vectors of length one."""
    product = pairs.shared(view).product
    return np.minimum(product / float(UNIT) ** 2, 1.0)


def length_ratio(pairs: ProfiledPairs) -> Floats:
    """Words of the shorter one, of those of the longer one; 1 where both have none."""
    left, right = pairs.both(pairs.profiles.words.lengths)
    ratio = share(np.minimum(left, right), np.maximum(left, right))
    return np.where(left == right, 1.0, ratio)


def numbers(pairs: ProfiledPairs) -> Floats:
    """Jaccard similarity of the words that hold a digit; 1 where there are none."""
    common = pairs.shared("numbers").terms
    left, right = pairs.both(pairs.view("numbers").sizes)
    either = left + right - common
    return np.where(either == 0, 1.0, share(common, either))


def idf_of_differences(pairs: ProfiledPairs) -> Floats:
    """The mean idf of the words that one has and the other has not; 0 where there are none."""
    view, common = pairs.view("words1"), pairs.shared("words1", rarity=True)
    left, right = pairs.both(view.sizes)
    rarity, other_rarity = pairs.both(view.rarity_sums)
    differing = left + right - 2 * common.terms
    return share(rarity + other_rarity - 2 * common.lesser, differing) / STEPS


SIMILARITIES = (
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
    Signal("containment3", "Share of the 3 words in a row of the shorter one", True, containment),
    Signal("covered3", "Share of the words that lie in common runs of 3 words", True, covered),
    Signal(
        "cosine2",
        "tf-idf cosine of 2 words in a row",
        True,
        partial(cosine, "words2"),
        "collection",
    ),
    Signal(
        "cosine5c",
        "tf-idf cosine of 5 characters in a row, those that scanners confuse taken as one",
        True,
        partial(cosine, "folded5"),
        "collection",
    ),
)
DIFFERENCES = (
    Signal("length_ratio", "Words of the shorter one, of those of the longer", False, length_ratio),
    Signal("numbers", "Jaccard similarity of the words that hold a digit", False, numbers),
    Signal(
        "idf_of_differences",
        "Mean idf of the words that only one of the two has",
        False,
        idf_of_differences,
        "collection",
    ),
)
