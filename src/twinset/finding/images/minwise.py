"""Minimal elements in n permutations [Broder 1997; Kuznetsov et al.]: n functions, n minima."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.images.base import Sized
from twinset.model import FeatureLists


@dataclass(frozen=True, slots=True)
class MinWise(Sized):
    """Sketch of the smallest value under each of ``size`` permutations."""

    shape: ClassVar[str] = "sketch"

    def sketch(self, features: FeatureLists, threads: int) -> NDArray[np.uint64]:
        """One row of minima for each feature list."""
        return _kernels.minwise(
            features.values, features.offsets, self.size, self.seed, self.matrix, threads
        )
