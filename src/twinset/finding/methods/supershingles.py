"""Super-shingles: groups of min-wise values; one group in common is enough.

Broder, Glassman, Manasse, Zweig: Syntactic clustering of the Web (WWW 1997); Fetterly, Manasse,
Najork: A large-scale study of the evolution of web pages (WWW 2003).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from twinset import _kernels
from twinset.finding.candidates.bands import probability
from twinset.finding.methods.base import About
from twinset.finding.methods.keys import Shingled
from twinset.model import FeatureLists, Features, Ragged
from twinset.plan.spec import option
from twinset.text.statistics import Statistics
from twinset.text.tokens import Tokens


@dataclass(frozen=True, slots=True)
class SuperShingles(Shingled):
    """At least one super-shingle in common: P = 1-(1-s^r)^g for g ``groups`` of r ``rows``."""

    groups: int = option(
        6, "Number of super-shingles per document; one in common is enough.", least=1, most=1000
    )
    rows: int = option(14, "Number of min-wise values in a super-shingle.", least=1, most=1000)
    about: ClassVar[About] = About(
        paper="Broder et al. 1997; Fetterly et al. 2003; Zelenkov, Segalovich 2007",
        cost="linear, one pass",
        use="a fixed number of keys per document, and a known curve",
        avoid="documents that differ in more than a few words per hundred",
        published="by the formula P = .98 at similarity .95 and .24 at .80",
    )

    def supers(self, tokens: Tokens) -> Features:
        """One row of super-shingles for each document."""
        shingles, size = tokens.shingles(self.shingle), self.groups * self.rows
        sketch = _kernels.minwise(
            shingles.values, shingles.offsets, size, self.seed, False, tokens.threads
        )
        return _kernels.band_keys(sketch, self.groups, self.rows)

    def keys(self, tokens: Tokens, statistics: Statistics) -> FeatureLists:
        """``groups`` keys for each document that has words."""
        return rows_of(self.supers(tokens), tokens)

    def probability(self, similarity: float) -> float | None:
        """1-(1-s^r)^g."""
        return probability(similarity, self.groups, self.rows)


def rows_of(keys: Features, tokens: Tokens) -> FeatureLists:
    """The rows of a matrix of keys, without those of documents that have no words."""
    there = tokens.lengths > 0
    lengths = np.where(there, keys.shape[1], 0)
    return Ragged.from_lengths(np.ascontiguousarray(keys[there]).reshape(-1), lengths)
