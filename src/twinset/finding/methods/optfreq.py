"""Opt Freq: the heaviest words by closeness to an optimal frequency (A10).

Zelenkov, Segalovich 2007, section 4.11; the method is M. Maslov's (Yandex).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from twinset.finding.methods.base import About
from twinset.finding.methods.heaviest import HeaviestWords
from twinset.model import Floats
from twinset.plan.spec import option
from twinset.text.statistics import Statistics
from twinset.text.terms import augmented_tf
from twinset.text.tokens import Distinct


@dataclass(frozen=True, slots=True)
class OptFreq(HeaviestWords):
    """A10: the six words closest to the best frequency for a search: 10 in a million documents.

    ``optimal`` is the inverse document frequency, as a natural logarithm, with the largest weight.
    """

    optimal: float = option(
        11.5, "Inverse document frequency with the largest weight, as a natural logarithm.", above=0
    )
    counts: ClassVar[bool] = True
    about: ClassVar[About] = About(
        paper="Zelenkov, Segalovich 2007, A10",
        named="Opt Freq",
        needs="collection statistics (df)",
        cost="linear, two passes",
        use="large collections, where very rare words are typing errors",
        avoid="collections far below a million documents: no word is as rare as the optimum",
        published="ROMIP: recall .59, precision .94, F .73",
    )

    def weights(self, words: Distinct, statistics: Statistics) -> Floats:
        """(0.5+0.5 tf/tf_max) · IDF_opt: sqrt(IDF/11.5) below the optimum, 11.5/IDF above it."""
        idf = statistics.frequencies.idf(words.hashes, words.tokens.threads, "plain")
        below = np.sqrt(idf / self.optimal)
        above = self.optimal / np.maximum(idf, self.optimal)
        return augmented_tf(words.tf, words.tf_max) * np.where(idf < self.optimal, below, above)
