"""Entries of one batch, to hold its documents against each other before they are kept."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset.index.entries import Entries
from twinset.index.store import KeptDocuments, Numbers
from twinset.model import FeatureLists, Features, Ints


class MemoryView:
    """Documents are their rows."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries
        owners = np.repeat(np.arange(len(entries), dtype=np.uint32), entries.keys.lengths)
        self._keys, self._owners = _kernels.sorted_keys(entries.keys.flat, owners, 1)
        self._directory = _kernels.key_directory(self._keys, 0)

    def search(self, keys: FeatureLists) -> tuple[Ints, Numbers]:
        """Rows of ``keys`` and the documents that share a key with them, each pair once, sorted."""
        wanted = np.ascontiguousarray(keys.flat)
        rows, found = _kernels.found_keys(self._keys, self._owners, self._directory, 0, wanted)
        pairs = np.unique(np.stack([keys.owners()[rows], found.astype(np.int64)], axis=1), axis=0)
        return pairs[:, 0].copy(), pairs[:, 1].astype(np.uint32)

    def digests(self, numbers: Numbers) -> Features:
        """The digests of the texts."""
        return self._entries.digests[numbers]

    def fetch(self, numbers: Numbers, with_bodies: bool = True) -> KeptDocuments:
        """Documents by their rows."""
        some, rows = self._entries, numbers.astype(np.int64)
        ids = some.ids.take(pa.array(rows)).to_pylist()
        return KeptDocuments(ids, some.digests[rows], some.sizes[rows], some.bodies.take(rows))
