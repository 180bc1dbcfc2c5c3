"""Shingles: runs of consecutive words, characters or sentences [Broder 1997]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import pyarrow as pa

from twinset import _kernels
from twinset.model import FeatureLists, Ints, Ragged
from twinset.plan import Unit
from twinset.text.arrow import arrow_text

UNITS = get_args(Unit)


@dataclass(frozen=True, slots=True)
class Shingles:
    """Runs of ``length`` units whose starts are ``offset`` apart; a shorter document is one run."""

    length: int = 5
    offset: int = 1
    unit: Unit = "word"

    def extract(self, texts: pa.Array, threads: int) -> tuple[FeatureLists, Ints]:
        """Sorted unique features of each document, and its number of units."""
        values, offsets, units = _kernels.shingles(
            *arrow_text(texts), self.length, self.offset, UNITS.index(self.unit), threads
        )
        return Ragged(values, offsets), units
