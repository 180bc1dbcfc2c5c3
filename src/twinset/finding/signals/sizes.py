"""Lengths and numbers: what tells a form filled in twice from a copy."""

from __future__ import annotations

import numpy as np

from twinset.finding.signals.base import ProfiledPairs, Signal, share
from twinset.model import Floats


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


SIGNALS = (
    Signal("length_ratio", "Words of the shorter one, of those of the longer", False, length_ratio),
    Signal("numbers", "Jaccard similarity of the words that hold a digit", False, numbers),
)
