"""Chains: documents that share a key, ordered by length and cut where lengths jump.

Zelenkov, Segalovich 2007, section 6: the size of a document separates well, and lists of documents
with the same features repeat, so that few short chains remain to be looked through.
"""

from __future__ import annotations

from dataclasses import dataclass

from twinset import _kernels
from twinset.candidates.base import Groups, Numbers
from twinset.model import Ints


@dataclass(frozen=True, slots=True)
class Chains:
    """Chains without repeats and without those inside others, and what they were made by."""

    groups: Groups
    lengths: Ints
    ratio: float

    @classmethod
    def of(cls, groups: Groups, lengths: Ints, ratio: float) -> Chains:
        """Chains in which no document is more than ``ratio`` times as long as the one before."""
        made = _kernels.chains(groups.offsets, groups.documents, lengths, ratio)
        return cls(Groups(*made), lengths, ratio)

    def pairs(self) -> tuple[Numbers, Numbers]:
        """Pairs in a chain whose lengths are within the ratio, left < right, each once."""
        groups = self.groups
        return _kernels.chain_pairs(groups.offsets, groups.documents, self.lengths, self.ratio)
