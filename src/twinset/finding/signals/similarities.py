"""Signals by what two documents have in common: similarities, lengths, numbers, rare words.

Cosines are of tf-idf vectors with 1+log tf [Salton, Buckley 1988]. Lengths and numbers tell a form
that was filled in twice from a copy; of the words that only one document has, a name weighs more
than an article. In the longest common subsequence the order of the words counts, of the first `CAP`
words of each document; what is said to people is true of the whole texts, or says how many words it
is about: `common_order`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from twinset import _kernels
from twinset.finding.signals.base import CAP, ProfiledPairs, Signal, View, share
from twinset.model import Features, Floats, Ints, Ragged
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
    return np.minimum(pairs.shared(view).product / float(UNIT) ** 2, 1.0)


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


UNKNOWN = 0.5  # neither the same codes nor others


def codes(pairs: ProfiledPairs) -> Floats:
    """The idf of common codes, of that of the document that has less; `UNKNOWN` without any."""
    left, right = pairs.both(pairs.view("codes").rarity_sums)
    fewer = np.minimum(left, right)
    common = share(pairs.shared("codes", rarity=True).lesser, fewer)
    return np.where(fewer > 0, common, UNKNOWN)


def idf_of_differences(pairs: ProfiledPairs) -> Floats:
    """The mean idf of the words that one has and the other has not; 0 where there are none."""
    view, common = pairs.view("words1"), pairs.shared("words1", rarity=True)
    left, right = pairs.both(view.sizes)
    rarity, other_rarity = pairs.both(view.rarity_sums)
    differing = left + right - 2 * common.terms
    return share(rarity + other_rarity - 2 * common.lesser, differing) / STEPS


SAID = 20_000
"""Words of a document whose order is compared for a sentence: a few hundredths of a second."""


@dataclass(frozen=True, slots=True)
class CommonOrder:
    """Words that two documents have in the same order, of as many of their ``words``.

    ``whole``: these are all words of both, and not the first `SAID` of each.
    """

    common: int
    words: tuple[int, int]
    whole: bool

    @property
    def share(self) -> float:
        """2 LCS / (|A| + |B|)."""
        return 2 * self.common / max(sum(self.words), 1)


def common_order(left: Features, right: Features) -> CommonOrder:
    """The longest common subsequence of two lists of words."""
    lists = Ragged.from_rows([left[:SAID], right[:SAID]], np.uint64)
    names, numbers = np.unique(lists.values, return_inverse=True)
    common = _kernels.common_subsequences(
        numbers.astype(np.uint32),
        lists.offsets,
        len(names),
        np.array([0], np.uint32),
        np.array([1], np.uint32),
        1,
    )
    words = int(lists.lengths[0]), int(lists.lengths[1])
    return CommonOrder(int(common[0]), words, words == (len(left), len(right)))


def lcs_length(pairs: ProfiledPairs) -> Ints:
    """Words in the longest common subsequence."""

    def compute() -> Ints:
        lists = pairs.profiles.sequences
        dimensions = len(pairs.view("words1").df)
        return _kernels.common_subsequences(
            lists.values, lists.offsets, dimensions, *pairs.ends, pairs.threads
        )

    common: Ints = pairs.once("lcs", compute)
    return common


def lcs_ratio(pairs: ProfiledPairs) -> Floats:
    """2 LCS / (|A| + |B|)."""
    left, right = pairs.both(np.minimum(pairs.profiles.words.lengths, CAP))
    return share(2 * lcs_length(pairs), left + right)


def lcs_short(pairs: ProfiledPairs) -> Floats:
    """LCS / min(|A|, |B|)."""
    left, right = pairs.both(np.minimum(pairs.profiles.words.lengths, CAP))
    return share(lcs_length(pairs), np.minimum(left, right))


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
    Signal("lcs", "Share of the words that both have in the same order", True, lcs_ratio),
    Signal("lcs_short", "The same, of the words of the shorter one", True, lcs_short),
)
DIFFERENCES = (
    Signal("length_ratio", "Words of the shorter one, of those of the longer", False, length_ratio),
    Signal("numbers", "Jaccard similarity of the words that hold a digit", False, numbers),
    Signal(
        "codes",
        "Share of the words of letters and digits, as model numbers, that both have",
        True,
        codes,
        "collection",
    ),
    Signal(
        "idf_of_differences",
        "Mean idf of the words that only one of the two has",
        False,
        idf_of_differences,
        "collection",
    ),
)
