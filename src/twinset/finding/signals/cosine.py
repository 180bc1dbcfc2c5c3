"""Cosines of tf-idf vectors with 1+log tf [Salton, Buckley 1988]."""

from __future__ import annotations

from functools import partial

import numpy as np

from twinset.finding.signals.base import ProfiledPairs, Signal
from twinset.finding.signals.profiles import View
from twinset.model import Floats
from twinset.text.shared_terms import UNIT


def cosine(view: View, pairs: ProfiledPairs) -> Floats:
    """f1·f2 of vectors of length one."""
    product = pairs.shared(view).product
    return np.minimum(product / float(UNIT) ** 2, 1.0)


SIGNALS = (
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
