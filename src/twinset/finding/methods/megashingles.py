"""Mega-shingles: pairs of super-shingles (A6).

Zelenkov, Segalovich 2007, section 4.7, after Fetterly, Manasse, Najork (WWW 2003).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from twinset import _kernels
from twinset.finding.methods.base import About
from twinset.finding.methods.supershingles import SuperShingles, rows_of
from twinset.model import FeatureLists
from twinset.plan.spec import option
from twinset.text.statistics import Statistics
from twinset.text.tokens import Tokens


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
