"""Spot signatures: a stop word with the words after it [Theobald, Siddharth, Paepcke 2008]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset.model import Features, Ints
from twinset.text.stopwords import hashes_of
from twinset.text.tokens import Cleaning


@dataclass(frozen=True, slots=True)
class SpotSignatures:
    """Each antecedent with ``chain`` words after it that are no stop words, ``distance`` apart."""

    cleaning: Cleaning
    antecedents: tuple[str, ...] = ()
    chain: int = 2
    distance: int = 1

    def extract(self, texts: pa.Array, threads: int) -> tuple[Features, Ints, Ints]:
        """Sorted signatures, offsets of each document into them, and words per document."""
        tokens = self.cleaning.tokens(texts, threads, keep_stopped=True)
        antecedent = tokens.stopped
        if self.antecedents:
            wanted = np.isin(tokens.hashes, hashes_of(sorted(self.antecedents)))
            antecedent = (wanted & (tokens.stopped > 0)).astype(np.uint8)
        values, offsets = _kernels.spot_signatures(
            tokens.hashes,
            antecedent,
            tokens.stopped,
            tokens.offsets,
            self.chain,
            self.distance,
            threads,
        )
        return values, offsets, tokens.lengths
