"""The logarithmic sample of the features: the image whose size follows that of the document.

Zelenkov, Segalovich 2007, section 4.9, who make one key of it (A8, the method ``logshingles``);
Kuznetsov et al. name it beside images of fixed and of proportional size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twinset import _kernels
from twinset.finding.images.base import Permutations, permuted
from twinset.model import FeatureLists, Ragged
from twinset.plan import shared

HALVINGS = 7
"""How often a document of 256 features is halved, less one: the last halves may be empty."""


@dataclass(frozen=True, slots=True)
class Logarithmic:
    """Set of the smallest permuted features divisible by 1, 2, 4, ...: about log2(n)/2 + 1 of n."""

    seed: int = shared.seed()
    permutations: Permutations = permuted()
    shape: ClassVar[str] = "set"
    most_promised: ClassVar[int] = 1
    most_values: ClassVar[int] = 64  # one for each power of two below 2**64

    def image(self, features: FeatureLists, threads: int) -> FeatureLists:
        """A sorted list of values for each feature list."""
        chosen = (self.seed, self.permutations == "matrix", threads)
        return Ragged(*_kernels.logarithmic(features.values, features.offsets, *chosen))

    def chance(self, common: int, similarity: float) -> float:
        """That one value is common, for documents of 256 features or more; two are not promised.

        The least feature of the union is in its sample, and with each halving a new one is as
        likely as not. Each is common with a chance of the similarity, and is then in both images.
        """
        if common > 1:
            return 0.0
        return 1.0 - (1.0 - similarity) * (1.0 - similarity / 2) ** HALVINGS
