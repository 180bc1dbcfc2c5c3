"""Documents as rows of a Spark table: read by Spark, cut and cleaned by the local readers.

A row is a document, a fault, or the end of a *block*: a part of a file that one task has read. Rows
name their file, their block and their place in it, whatever the partitions and their order; how
many documents and lines each block has is all that is needed to number them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial, reduce
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.engine.spark.sources import SparkSources
from twinset.lazy_dataclass import dataclass
from twinset.model import Batch, Fault
from twinset.model import compute as pc
from twinset.plan import ReadOptions
from twinset.reading.faults import Faults
from twinset.reading.jsonl import lines_batch
from twinset.reading.records import RecordBlock
from twinset.reading.source import ReadJob, Source

SCHEMA = (
    "file int, block bigint, row bigint, line bigint, id string, text string, order double, "
    "fault_line bigint, fault_kind string, fault_detail string, fault_source string, "
    "block_lines bigint, block_documents bigint, block_counts string"
)
"""The columns of the records. ``block_counts`` is JSON: what was done on the way that is no fault;
``fault_source`` is null where it is the name of the file."""
_TYPES = {"int": pa.int32(), "bigint": pa.int64(), "string": pa.string(), "double": pa.float64()}
_ARROW = pa.schema([(name, _TYPES[kind]) for name, kind in map(str.split, SCHEMA.split(", "))])
_ROWS_AT_A_TIME = 1000

Task = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


@dataclass(frozen=True)
class SparkRecords:
    """The documents of some sources; every frame of them has the same rows."""

    sources: SparkSources

    @property
    def frame(self) -> Any:
        """A DataFrame with the columns of `SCHEMA`."""
        return self.through(_same, SCHEMA)

    def through(self, task: Task, schema: str) -> Any:
        """What a task makes of the records, in the process that reads them."""
        frames = [
            frame.mapInArrow(partial(_piped, parse, task), schema) for frame, parse in self._parts()
        ]
        return reduce(lambda one, other: one.unionAll(other), frames)

    def _parts(self) -> Iterator[tuple[Any, Task]]:
        """Frames as Spark reads them, each with the task that makes records of its rows."""
        options = self.sources.options
        yield self.sources.lines(), LineParser(self.sources.numbers, self.sources.sources, options)


def _same(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return batches


def _piped(parse: Task, task: Task, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return task(_joined(parse(batches)))


def _joined(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same rows with those of small batches in one."""
    waiting: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        waiting.append(batch)
        count += batch.num_rows
        if count >= _ROWS_AT_A_TIME:
            yield pa.concat_batches(waiting)
            waiting, count = [], 0
    if waiting:
        yield pa.concat_batches(waiting)


def read_job(source: Source, options: ReadOptions) -> ReadJob:
    """The job of reading a part of a source in a task, which has one core.

    Faults never stop a task, which would be tried again: whoever gathers them does.
    """
    return ReadJob(source, options, Faults(source.name, "skip"), threads=1)


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
                row=pa.array(np.arange(self.documents, self.documents + count)),
                line=pa.array(batch.places),
                id=batch.ids.cast(pa.string()),
                text=batch.texts.cast(pa.string()),
                order=None if batch.order is None else pa.array(batch.order, from_pandas=True),
            )
        if batch.faults:
            yield self._faults(batch.faults, batch.source)
        self.documents += count
        self.counts.update(batch.counts)

    def end(self) -> pa.RecordBatch:
        """The row that ends the block."""
        counts = json.dumps(self.counts, sort_keys=True) if self.counts else None
        return self._filled(
            1,
            block_lines=pa.array([self.lines]),
            block_documents=pa.array([self.documents]),
            block_counts=pa.array([counts], pa.string()),
        )

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
            "file": pa.array(np.full(count, self.file, np.int32)),
            "block": pa.array(np.full(count, self.begin, np.int64)),
        }
        given = {name: values for name, values in columns.items() if values is not None} | place
        return pa.RecordBatch.from_arrays(
            [
                given[each.name] if each.name in given else pa.nulls(count, each.type)
                for each in _ARROW
            ],
            schema=_ARROW,
        )


@dataclass(frozen=True)
class LineParser:
    """A task: JSON lines as Spark reads them (``path``, ``block``, ``value``) to records."""

    numbers: Mapping[str, int]
    sources: Sequence[Source]
    options: ReadOptions

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The records of a partition, which holds blocks one after the other."""
        block: InputBlock | None = None
        for batch in batches:
            for piece in _pieces(batch):
                file = self.numbers[piece["path"][0].as_py()]
                begin = piece["block"][0].as_py()
                if block is None or (block.file, block.begin) != (file, begin):
                    if block is not None:
                        yield block.end()
                    block = InputBlock(file, begin)
                job = read_job(self.sources[file], self.options)
                yield from block.rows(
                    lines_batch(job, RecordBlock(_bytes_of(piece["value"])), block.lines)
                )
                block.lines += piece.num_rows
        if block is not None:
            yield block.end()


def _pieces(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """A batch, cut where another block begins."""
    count = batch.num_rows
    if not count:
        return
    changes = np.zeros(count - 1, bool)
    for name in ("path", "block"):
        values = batch[name]
        changes |= np.asarray(pc.not_equal(values[1:], values[:-1]))
    cuts = [0, *(np.flatnonzero(changes) + 1).tolist(), count]
    for begin, end in pairwise(cuts):
        yield batch.slice(begin, end - begin)


def _bytes_of(lines: pa.Array) -> Any:
    """The lines with their ends again, one behind the other."""
    ended = pc.binary_join_element_wise(
        lines.cast(pa.large_binary()),
        pa.scalar(b"\n", pa.large_binary()),
        pa.scalar(b"", pa.large_binary()),
    )
    offsets = np.frombuffer(ended.buffers()[1], np.int64)[
        ended.offset : ended.offset + len(ended) + 1
    ]
    return np.frombuffer(ended.buffers()[2], np.uint8)[offsets[0] : offsets[-1]]
