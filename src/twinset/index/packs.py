"""Packs: documents that were added together, as arrays in one file.

A pack holds for each document its number, the digest of its text, the number of its features, its
id and its body. It is never changed; documents that were removed go when packs are rewritten.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.index.entries import Bodies, Entries
from twinset.index.sections import SectionFile, SectionWriter
from twinset.index.store import KeptDocuments
from twinset.model import Features, Ints, Ragged, offsets_of
from twinset.text import arrow_text

Numbers = NDArray[np.uint32]


class PackWriter:
    """Writes a pack as entries come."""

    def __init__(self, path: Path) -> None:
        self._writer = SectionWriter(path)
        self._writer.begin("bodies", np.uint8)
        self._columns: dict[str, list[NDArray[Any]]] = {}
        self._lengths: list[Ints] = []
        self.documents = 0

    def add(self, entries: Entries, numbers: Numbers) -> None:
        """Documents with their numbers, which rise."""
        data, offsets = arrow_text(entries.ids)
        self._writer.append("bodies", entries.bodies.flat)
        self._lengths.append(entries.bodies.lengths)
        ids = data[offsets[0] : offsets[-1]]
        columns: dict[str, NDArray[Any]] = {
            "numbers": numbers,
            "digests": entries.digests,
            "sizes": entries.sizes,
            "ids": ids,
            "id_lengths": np.diff(offsets),
        }
        for name, values in columns.items():
            self._columns.setdefault(name, []).append(values)
        self.documents += len(entries)

    def finish(self) -> None:
        """Write what was gathered; the pack is on the disk afterwards."""
        whole = {name: np.concatenate(parts) for name, parts in self._columns.items()}
        lengths = np.concatenate([np.empty(0, np.int64), *self._lengths])
        whole["id_offsets"] = offsets_of(whole.pop("id_lengths", np.empty(0, np.int64)))
        whole["body_offsets"] = offsets_of(lengths)
        for name, values in whole.items():
            self._writer.add(name, values)
        self._writer.finish(kind="pack", documents=self.documents)

    def abandon(self) -> None:
        """Remove what was written."""
        self._writer.abandon()


class Pack:
    """A pack that is read."""

    def __init__(self, path: Path) -> None:
        self.file = SectionFile(path)
        self.numbers: Numbers = self.file["numbers"]
        self.last = int(self.numbers[-1]) if len(self.numbers) else -1
        self._digests: Features = self.file["digests"]
        self._sizes: NDArray[np.uint32] = self.file["sizes"]
        self._ids, self._id_offsets = self.file["ids"], self.file["id_offsets"]
        self._bodies = Ragged(self.file["bodies"], self.file["body_offsets"])
        self._held = self.file.held()

    def __len__(self) -> int:
        return len(self.numbers)

    def add_to(self, documents: _kernels.PackedDocuments) -> None:
        """Let these documents be read together with those of other packs."""
        documents.add(
            self.numbers,
            self._digests,
            self._sizes,
            self._ids,
            self._id_offsets,
            self._held,
            self.file.begin_of("bodies"),
            len(self._bodies.values),
            self._bodies.offsets,
        )

    def entries(
        self, first: int, last: int
    ) -> tuple[pa.Array, Features, NDArray[np.uint32], Bodies]:
        """The columns of a stretch of documents."""
        ends = self._id_offsets[first : last + 1]
        ids = pa.LargeStringArray.from_buffers(
            last - first,
            pa.py_buffer(np.ascontiguousarray(ends - ends[0])),
            pa.py_buffer(np.ascontiguousarray(self._ids[ends[0] : ends[-1]])),
        )
        bodies = Ragged(self._bodies.values, self._bodies.offsets[first : last + 1])
        return ids, self._digests[first:last], self._sizes[first:last], bodies


def fetch_packed(
    documents: _kernels.PackedDocuments, numbers: Numbers, with_bodies: bool = True
) -> KeptDocuments:
    """Documents of packs by their numbers; `ValueError` where a pack or a key is damaged."""
    ids, ends, digests, sizes, bodies, body_ends = documents.fetch(numbers, with_bodies)
    data = ids.tobytes()
    names = [data[begin:end].decode() for begin, end in pairwise(ends.tolist())]
    return KeptDocuments(names, digests, sizes, Ragged(bodies, body_ends))
