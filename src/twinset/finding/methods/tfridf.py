"""TF·RIDF: the heaviest words by residual inverse document frequency (A3).

Zelenkov, Segalovich 2007, section 4.4; RIDF is of Church, Gale: Poisson mixtures (1995).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twinset.finding.methods.base import About
from twinset.finding.methods.heaviest import HeaviestWords
from twinset.model import Floats
from twinset.text.statistics import Statistics
from twinset.text.terms import augmented_tf, residual_idf
from twinset.text.tokens import Distinct


@dataclass(frozen=True, slots=True)
class TFRIDF(HeaviestWords):
    """A3: the six words with the most surprising distribution over documents."""

    counts: ClassVar[bool] = True
    about: ClassVar[About] = About(
        paper="Zelenkov, Segalovich 2007, A3",
        named="TF*RIDF",
        needs="collection statistics (df, cf)",
        cost="linear, two passes",
        use="if topical words matter: those that are concentrated in few documents, not just rare",
        avoid="small collections, where cf says little",
        published="ROMIP: recall .59, precision .95, F .73",
    )

    def weights(self, words: Distinct, statistics: Statistics) -> Floats:
        """(0.5+0.5 tf/tf_max) · (-log(df/N) + log(1-exp(-cf/N)))."""
        df, cf = statistics.counts(words.hashes, words.tokens.threads)
        return augmented_tf(words.tf, words.tf_max) * residual_idf(df, cf, statistics.documents)
