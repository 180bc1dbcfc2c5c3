"""Chains: documents that share a key, ordered by length and cut where lengths jump.

Zelenkov, Segalovich 2007, section 6: the size of a document separates well, and lists of documents
with the same features repeat, so that few short chains remain to be looked through.
"""

from __future__ import annotations

from dataclasses import dataclass

from twinset import _kernels
from twinset.candidates.base import Groups, Numbers
from twinset.model import Ints, Ragged


@dataclass(frozen=True, slots=True)
class Chains:
    """Chains without repeats and without those inside others, and what they were made by."""

    groups: Groups
    lengths: Ints
    ratio: float

    @classmethod
    def of(cls, groups: Groups, lengths: Ints, ratio: float) -> Chains:
        """Chains in which no document is more than ``ratio`` times as long as the one before."""
        members = groups.members
        offsets, documents = _kernels.chains(members.offsets, members.values, lengths, ratio)
        return cls(Groups(Ragged(documents, offsets)), lengths, ratio)

    def pairs(self) -> tuple[Numbers, Numbers]:
        """Pairs in a chain whose lengths are within the ratio, left < right, each once."""
        members = self.groups.members
        return _kernels.chain_pairs(members.offsets, members.values, self.lengths, self.ratio)
