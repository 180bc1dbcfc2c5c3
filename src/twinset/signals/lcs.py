"""The longest common subsequence of the words: the order of the words counts.

Of each document the first `CAP` words are compared.
"""

from __future__ import annotations

import numpy as np

from twinset import _kernels
from twinset.model import Floats, Ints
from twinset.signals.base import ProfiledPairs, Signal, share
from twinset.signals.profiles import CAP


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
