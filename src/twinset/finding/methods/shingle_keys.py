"""Methods whose keys are made of shingles: super-shingles, mega-shingles, log shingles.

Broder, Glassman, Manasse, Zweig: Syntactic clustering of the Web (WWW 1997); Fetterly, Manasse,
Najork: A large-scale study of the evolution of web pages (WWW 2003); Zelenkov, Segalovich 2007,
sections 4.7 (mega-shingles, A6) and 4.9 (log shingles, A8).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
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


@dataclass(frozen=True, slots=True)
class MegaShingles(SuperShingles):
    """A6: at least two of six super-shingles in common; each of their 15 pairs is a key.

    ``groups`` groups of ``rows`` min-wise functions make the super-shingles: 6 of 6 here, 6 of 14
    in Fetterly's original.
    """

    groups: int = option(
        6, "Number of super-shingles per document; two must be in common.", least=2, most=50
    )
    rows: int = option(6, "Number of min-wise values in a super-shingle.", least=1, most=1000)
    about: ClassVar[About] = About(
        paper="Zelenkov, Segalovich 2007, A6; Fetterly, Manasse, Najork 2003",
        named="Megashingles",
        cost="linear, one pass",
        use="a fixed number of keys per document, and a known curve",
        avoid="recall at similarity .8 and below: P = .495 at .80, .291 at .75",
        published="ROMIP: recall .36, precision .91, F .51; 6 of 14: P = .879 at .95, .026 at .80",
    )

    def keys(self, tokens: Tokens, statistics: Statistics) -> FeatureLists:
        """A key for each pair of super-shingles."""
        supers = self.supers(tokens)
        pairs = np.array(list(combinations(range(self.groups), 2)))
        megas = _kernels.band_keys(
            np.ascontiguousarray(supers[:, pairs.reshape(-1)]), len(pairs), 2
        )
        return rows_of(megas, tokens)

    def probability(self, similarity: float) -> float | None:
        """1-(1-p)^g-g·p·(1-p)^(g-1) with p = s^r: at least two of g super-shingles agree."""
        p, g = similarity**self.rows, self.groups
        return float(1 - (1 - p) ** g - g * p * (1 - p) ** (g - 1))


@dataclass(frozen=True, slots=True)
class LogShingles(Shingled):
    """A8: the key is made of the smallest shingle hashes divisible by 1, 2, 4, ...

    A shingle has ``shingle`` words; the end of the document continues at its beginning. ``seed``
    has no effect.
    """

    about: ClassVar[About] = About(
        paper="Zelenkov, Segalovich 2007, A8",
        named="Log Shingles",
        cost="linear, one pass",
        use="nearly exact copies of long documents: precision like md5, a little more recall",
        avoid="documents with more than a changed word or two",
        published="ROMIP: recall .39, precision .97, F .56",
    )

    def keys(self, tokens: Tokens, statistics: Statistics) -> FeatureLists:
        """One key for each document that has words."""
        shingles = tokens.shingles(self.shingle, wrap=True)
        return Ragged(*_kernels.logarithmic_keys(shingles.values, shingles.offsets, tokens.threads))
