"""N-grams of units, as the kernels want them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from twinset.model import Ints

UNITS = {"word": 0, "char": 1, "byte": 2}
MOST_LEFT_OUT = 1 << 15
"""Units that a sample may be shorter than its N-gram: kernels keep a table of that size."""
Data = tuple[NDArray[np.uint8], Ints]
"""The bytes of some texts, and where each begins."""


class Grams(NamedTuple):
    """Which N-grams are looked at, as the kernels want it: of ``least`` units of a kind."""

    unit: int
    least: int
    sample: int

    @property
    def of_words(self) -> bool:
        """Whether the units are words."""
        return self.unit == UNITS["word"]

    @classmethod
    def of(cls, unit: str, least: int) -> Grams:
        """With a sample that is seldom repeated by chance, and of which there are few.

        Characters say less than words: of these a longer part is needed.
        """
        sample = 3 * least // 5 if unit == "word" else 3 * least // 4
        return cls(UNITS[unit], least, max(sample, least - MOST_LEFT_OUT, 1))
