"""Spot signatures: a stop word with the words after it [Theobald, Siddharth, Paepcke 2008]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset.model import FeatureLists, Ints, Ragged
from twinset.text.stopwords import hashes_of
from twinset.text.tokens import Cleaning


@dataclass(frozen=True, slots=True)
class SpotSignatures:
    """Each antecedent with ``chain`` words after it that are no stop words, ``distance`` apart."""

    cleaning: Cleaning
    antecedents: tuple[str, ...] = ()
    chain: int = 2
    distance: int = 1

    def extract(self, texts: pa.Array, threads: int) -> tuple[FeatureLists, Ints]:
        """Sorted signatures of each document, and its number of words."""
        tokens = self.cleaning.tokens(texts, threads, keep_stopped=True)
        antecedent = tokens.stopped
        if self.antecedents:
            listed = np.isin(tokens.hashes, hashes_of(sorted(self.antecedents)))
            antecedent = (listed & (tokens.stopped > 0)).astype(np.uint8)
        values, offsets = _kernels.spot_signatures(
            tokens.hashes,
            antecedent,
            tokens.stopped,
            tokens.offsets,
            self.chain,
            self.distance,
            threads,
        )
        return Ragged(values, offsets), tokens.lengths
