"""The longest common subsequence of the words: the order of the words counts.

Of each document the first `CAP` words are compared. What is said to people of two documents is true
of the whole texts, or says how many words it is about: `common_order`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twinset import _kernels
from twinset.finding.signals.base import CAP, ProfiledPairs, Signal, share
from twinset.model import Features, Floats, Ints, Ragged

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


def length(pairs: ProfiledPairs) -> Ints:
    """Words in the longest common subsequence."""

    def compute() -> Ints:
        lists = pairs.profiles.sequences
        dimensions = len(pairs.view("words1").df)
        return _kernels.common_subsequences(
            lists.values, lists.offsets, dimensions, *pairs.ends, pairs.threads
        )

    common: Ints = pairs.once("lcs", compute)
    return common


def ratio(pairs: ProfiledPairs) -> Floats:
    """2 LCS / (|A| + |B|)."""
    left, right = pairs.both(np.minimum(pairs.profiles.words.lengths, CAP))
    return share(2 * length(pairs), left + right)


def short(pairs: ProfiledPairs) -> Floats:
    """LCS / min(|A|, |B|)."""
    left, right = pairs.both(np.minimum(pairs.profiles.words.lengths, CAP))
    return share(length(pairs), np.minimum(left, right))


SIGNALS = (
    Signal("lcs", "Share of the words that both have in the same order", True, ratio),
    Signal("lcs_short", "The same, of the words of the shorter one", True, short),
)
