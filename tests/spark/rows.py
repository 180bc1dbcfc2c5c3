"""Documents as Spark and as the local readers give them, as plain lists to compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from twinset.engine.spark.records import SparkRecords
from twinset.engine.spark.sources import open_sources
from twinset.plan import ReadOptions
from twinset.reading.inputs import open_inputs
from twinset.reading.memory.documents import from_memory

Document = tuple[str, int, str | None, str | None, float | None]
FaultRow = tuple[str, int | None, str, str]


class Read(NamedTuple):
    """(source, place, id, text, order) in reading order, faults sorted, counts of all."""

    documents: list[Document]
    faults: list[FaultRow]
    counts: dict[str, int]


def read_here(inputs: Any, options: ReadOptions | None = None) -> Read:
    """By the local readers, of files or of data in memory."""
    documents: list[Document] = []
    faults: list[FaultRow] = []
    counts: dict[str, int] = {}
    is_table = isinstance(inputs, pa.Table)
    opened = from_memory(inputs, options) if is_table else open_inputs(inputs, options)
    for batch in opened.batches():
        orders = [None] * len(batch) if batch.order is None else batch.order.tolist()
        orders = [None if order != order else order for order in orders]
        columns = batch.places.tolist(), batch.ids.to_pylist(), batch.texts.to_pylist(), orders
        documents += [(batch.source, *row) for row in zip(*columns, strict=True)]
        faults += [(f.source, f.line, f.kind, f.detail) for f in batch.faults]
        for name, count in batch.counts.items():
            counts[name] = counts.get(name, 0) + count
    return Read(documents, sorted(faults, key=str), counts)


def read_by_spark(
    spark: Any, inputs: Any, options: ReadOptions | None = None, **settings: Any
) -> Read:
    """By Spark, numbered as the engine does."""
    records = SparkRecords(open_sources(spark, inputs, options, **settings))
    read = in_order(records.frame.collect(), records.sources.names)
    before = [(f.source, f.line, f.kind, f.detail) for _, f in records.sources.faults]
    counts = Counter(read.counts) + Counter(f.reason for f in records.sources.passed_over)
    return Read(read.documents, sorted([*read.faults, *before], key=str), dict(counts))


def in_order(rows: Sequence[Any], names: Sequence[str]) -> Read:
    """Rows of records in reading order."""
    import json

    ends = sorted((r for r in rows if r.block_lines is not None), key=lambda r: (r.file, r.block))
    assert len({(r.file, r.block) for r in ends}) == len(ends)
    before: dict[tuple[int, int], int] = {}
    lines: dict[int, int] = {}
    counts: dict[str, int] = {}
    for end in ends:
        before[end.file, end.block] = lines.get(end.file, 0)
        lines[end.file] = lines.get(end.file, 0) + end.block_lines
    for row in rows:
        for name, count in json.loads(row.block_counts or "{}").items():
            counts[name] = counts.get(name, 0) + count
    found = sorted((r for r in rows if r.row is not None), key=lambda r: (r.file, r.block, r.row))
    numbers = [(r.file, r.block, r.row) for r in found]
    wanted = [(e.file, e.block, row) for e in ends for row in range(e.block_documents)]
    assert numbers == wanted
    documents = [
        (names[r.file], before[r.file, r.block] + r.line, r.id, r.text, r.order) for r in found
    ]
    faults = [
        (
            r.fault_source or names[r.file],
            None if r.fault_line is None else before[r.file, r.block] + r.fault_line,
            r.fault_kind,
            r.fault_detail,
        )
        for r in rows
        if r.fault_kind is not None
    ]
    return Read(documents, sorted(faults, key=str), counts)
