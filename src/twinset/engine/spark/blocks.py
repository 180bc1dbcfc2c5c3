"""Rows of records: documents, faults, and the end of each block of input."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import pairwise

import numpy as np
import pyarrow as pa

from twinset.lazy_dataclass import dataclass
from twinset.model import Batch, Fault
from twinset.model import compute as pc
from twinset.model.columns import column, flags, text

SCHEMA = (
    "file int, block bigint, row bigint, line bigint, id string, text string, order double, "
    "fault_line bigint, fault_kind string, fault_detail string, fault_source string, "
    "block_lines bigint, block_documents bigint, block_counts string"
)
"""The columns of the records. ``block_counts`` is JSON: what was done on the way that is no fault,
in the row that ends a block or in one of its own; ``fault_source`` is null where it is the name of
the file."""
_TYPES = {"int": pa.int32(), "bigint": pa.int64(), "string": pa.string(), "double": pa.float64()}
_ARROW = pa.schema([(name, _TYPES[kind]) for name, kind in map(str.split, SCHEMA.split(", "))])

DOCUMENT = ("file", "block", "row")
"""The columns by which a document of the input is known."""


@dataclass
class InputBlock:
    """A block of a file while it is read: makes rows of batches and counts them."""

    file: int
    begin: int
    lines: int = 0
    documents: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    def rows(self, batch: Batch) -> Iterator[pa.RecordBatch]:
        """The rows of a batch, whose places are counted from the beginning of the block."""
        count = len(batch)
        if count:
            yield self._filled(
                count,
                row=column(np.arange(self.documents, self.documents + count)),
                line=column(batch.places.astype(np.int64, copy=False)),
                id=batch.ids.cast(pa.string()),
                text=batch.texts.cast(pa.string()),
                order=None
                if batch.order is None
                else column(batch.order, missing=np.isnan(batch.order)),
            )
        if batch.faults:
            yield self._faults(batch.faults, batch.source)
        self.documents += count
        self.counts.update(batch.counts)

    def counted(self) -> Iterator[pa.RecordBatch]:
        """A row of what was counted, for a block that others work on as well."""
        if self.counts:
            yield self._filled(1, block_counts=self._counts)

    def end(self) -> pa.RecordBatch:
        """The row that ends the block."""
        return self._filled(
            1,
            block_lines=column(np.array([self.lines])),
            block_documents=column(np.array([self.documents])),
            block_counts=self._counts,
        )

    @property
    def _counts(self) -> pa.Array | None:
        return text([json.dumps(self.counts, sort_keys=True)]) if self.counts else None

    def _faults(self, faults: Sequence[Fault], source: str) -> pa.RecordBatch:
        where = [None if fault.source == source else fault.source for fault in faults]
        return self._filled(
            len(faults),
            fault_line=pa.array([fault.line for fault in faults], pa.int64()),
            fault_kind=pa.array([fault.kind for fault in faults], pa.string()),
            fault_detail=pa.array([fault.detail for fault in faults], pa.string()),
            fault_source=pa.array(where, pa.string()),
        )

    def _filled(self, count: int, **columns: pa.Array | None) -> pa.RecordBatch:
        place = {
            "file": column(np.full(count, self.file, np.int32)),
            "block": column(np.full(count, self.begin, np.int64)),
        }
        given = {name: values for name, values in columns.items() if values is not None} | place
        return pa.RecordBatch.from_arrays(
            [
                given[each.name] if each.name in given else pa.nulls(count, each.type)
                for each in _ARROW
            ],
            schema=_ARROW,
        )


def pieces(batches: Iterator[pa.RecordBatch], columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Batches, cut where the values of these columns change."""
    for batch in batches:
        count = batch.num_rows
        if not count:
            continue
        changes = np.zeros(count - 1, bool)
        for name in columns:
            values = batch[name]
            changes |= flags(pc.not_equal(values[1:], values[:-1]))
        cuts = [0, *(np.flatnonzero(changes) + 1).tolist(), count]
        for begin, end in pairwise(cuts):
            yield batch.slice(begin, end - begin)
