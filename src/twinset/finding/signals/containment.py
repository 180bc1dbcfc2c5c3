"""How far one document holds the other."""

from __future__ import annotations

import numpy as np

from twinset import _kernels
from twinset.finding.signals.base import ProfiledPairs, Signal, share
from twinset.model import Floats

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


SIGNALS = (
    Signal("containment3", "Share of the 3 words in a row of the shorter one", True, containment),
    Signal("covered3", "Share of the words that lie in common runs of 3 words", True, covered),
)
