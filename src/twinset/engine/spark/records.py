"""Documents as rows of a Spark table: read by Spark, cut and cleaned by the local readers.

A row is a document, a fault, or the end of a *block*: a part of a file that one task has read. Rows
name their file, their block and their place in it, whatever the partitions and their order; how
many documents and lines each block has is all that is needed to number them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial, reduce
from typing import Any

import pyarrow as pa

from twinset.engine.spark.blocks import SCHEMA
from twinset.engine.spark.parts import InputPart, parts_of
from twinset.engine.spark.sources import SparkSources
from twinset.engine.spark.tasks import Task, mapped
from twinset.lazy_dataclass import dataclass

_ROWS_AT_A_TIME = 1000


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
            mapped(part.frame, partial(_piped, part.parse, task), schema) for part in self.parts()
        ]
        if not frames:
            return self.sources.session.createDataFrame([], schema)
        return reduce(lambda one, other: one.unionAll(other), frames)

    def parts(self) -> Iterable[InputPart]:
        """The input as Spark reads it."""
        return parts_of(self.sources)


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
