"""Log Shingles: a logarithmic sample of the shingles as one key (A8).

Zelenkov, Segalovich 2007, section 4.9.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twinset import _kernels
from twinset.finding.methods.base import About
from twinset.finding.methods.keys import Shingled
from twinset.model import FeatureLists, Ragged
from twinset.text.statistics import Statistics
from twinset.text.tokens import Tokens


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
