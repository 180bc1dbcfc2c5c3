"""Entries of one batch, to hold its documents against each other before they are kept."""

from __future__ import annotations

import numpy as np

from twinset import _kernels
from twinset.index.entries import Entries
from twinset.index.store import KeptDocuments, Numbers
from twinset.model import FeatureLists, Ints


class MemoryView:
    """Documents are their rows."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries
        owners = np.repeat(np.arange(len(entries), dtype=np.uint32), entries.keys.lengths)
        keys, numbers = _kernels.sorted_keys(entries.keys.flat, owners, 1)
        self._search = _kernels.KeySearch()
        self._search.add(keys, numbers, _kernels.key_directory(keys, 0), 0)

    def search(self, keys: FeatureLists) -> tuple[Ints, Numbers]:
        """Rows of ``keys`` and the documents that share a key with them, each pair once, sorted."""
        return self._search.find(keys.values, keys.offsets, np.empty(0, np.uint8))

    def fetch(self, numbers: Numbers, with_bodies: bool = True) -> KeptDocuments:
        """Documents by their rows, which are their ids as well: ids may repeat."""
        some, rows = self._entries, numbers.astype(np.int64)
        return KeptDocuments(
            [str(row) for row in rows.tolist()],
            some.digests[rows],
            some.sizes[rows],
            some.bodies.take(rows),
        )
