"""One-permutation hashing: one hash per feature, a bin chosen by its top bits, the least wins.

Li, Owen, Zhang: One Permutation Hashing (NIPS 2012). Empty bins are filled by one of

* ``rounds``: every feature is thrown again until no bin is empty; Dahlgaard, Knudsen, Thorup: Fast
  Similarity Sketching (FOCS 2017). Short documents keep the accuracy of long ones.
* ``optimal``: an empty bin copies a filled one found by its own random probes; Shrivastava: Optimal
  Densification for Fast and Accurate Minwise Hashing (ICML 2017).

A document with many times ``size`` features has no empty bin, and both are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.images.base import Sized
from twinset.model import FeatureLists
from twinset.plan.spec import option


@dataclass(frozen=True, slots=True)
class OnePermutation(Sized):
    """Sketch of ``size`` bins from a single permutation: the default, fast and accurate."""

    densify: Literal["rounds", "optimal"] = option("rounds", "How to fill empty bins.")
    shape: ClassVar[str] = "sketch"

    def sketch(self, features: FeatureLists, threads: int) -> NDArray[np.uint64]:
        """One row of bins for each feature list."""
        rounds = self.densify == "rounds"
        return _kernels.oph(
            features.values,
            features.offsets,
            self.size,
            self.seed,
            self.matrix,
            rounds,
            threads,
        )
