"""The first pass: what is kept of each document, made of this document alone.

Rows come as ``records`` gives them and go on without their texts: with the number of units and
features, a digest by which equal documents meet, and the keys that link a document to others.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.engine.copies import copy_scores
from twinset.engine.images import image_keeper
from twinset.engine.searching import begin, judge_of
from twinset.engine.spark.records import SparkRecords
from twinset.engine.spark.schemas import as_blobs, spelt
from twinset.engine.spark.tallies import FileTallies
from twinset.engine.streaming import Collector, PreparedBatch
from twinset.lazy_dataclass import dataclass
from twinset.methods.base import Search
from twinset.model import Batch, FeatureLists, Floats, Judge, Ragged
from twinset.model.columns import column, numbers, text, valid, wide
from twinset.plan import Plan, Resources
from twinset.text.wording import rewriter_of

SKETCH = pa.schema(
    {
        "file": pa.int32(),
        "block": pa.int64(),
        "row": pa.int64(),
        "line": pa.int64(),
        "id": pa.string(),
        "order": pa.float64(),
        "status": pa.int32(),
        "units": pa.int64(),
        "features": pa.int64(),
        "same_a": pa.int64(),
        "same_b": pa.int64(),
        "copy_score": pa.float64(),
        "links": pa.binary(),
        "images": pa.binary(),
        "counted": pa.binary(),
        "print": pa.int64(),
        "fault_line": pa.int64(),
        "fault_kind": pa.string(),
        "fault_detail": pa.string(),
        "fault_source": pa.string(),
        "block_lines": pa.int64(),
        "block_documents": pa.int64(),
        "block_counts": pa.string(),
        "file_facts": pa.string(),
    }
)
"""A row of a document has no fault and no end of a block, and a row of these no document.

``file_facts`` is what a task has counted of a file (`FileTally`), in a row of its own.

``images`` are the values of images, which link documents as ``links`` do. ``counted`` are features
that must be counted over all documents before they give links, and ``print`` is what documents of
equal links are compared by. Each is there for plans that need it.
"""


@dataclass(frozen=True)
class Rooms:
    """What a task sets up to work on texts: a search by the plan and all that goes with it."""

    search: Search
    judge: Judge | None
    collector: Collector

    @classmethod
    def of(cls, plan: Plan, resources: Resources) -> Rooms:
        """New ones, which have seen no document."""
        search, judge = begin(plan, resources), judge_of(plan, resources)
        collector = Collector(
            search,
            resources,
            judge,
            image_keeper(plan, search),
            rewriter=rewriter_of(plan),
            ordered=plan.read.order is not None,
        )
        return cls(search, judge, collector)


def task_resources() -> Resources:
    """One core and little memory: a cluster runs as many tasks at a time as it has cores."""
    return Resources.make(threads=1, memory=400 << 20)


def sketched(records: SparkRecords, plan: Plan) -> Any:
    """The records without their texts, as rows of `SKETCH`."""
    return records.through(partial(_sketch_all, plan), spelt(SKETCH))


def _sketch_all(plan: Plan, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    resources = task_resources()
    rooms = Rooms.of(plan, resources)
    tallies = FileTallies()
    for batch in batches:
        if batch.num_rows:
            rows = _sketch(rooms, batch)
            tallies.add(rows)
            yield rows
            if rooms.judge is not None or not rooms.search.side_by_side:  # they keep documents
                rooms = Rooms.of(plan, resources)
    yield tallies.rows(SKETCH)


def _sketch(rooms: Rooms, rows: pa.RecordBatch) -> pa.RecordBatch:
    """One row for each row."""
    is_document = valid(rows["row"])
    documents = rows.filter(column(is_document))
    prepared = rooms.collector.prepare(as_batch(documents), searched=False)
    same_a, same_b, alone, score = _identities(rooms, prepared)
    made = {
        "status": column(prepared.status.astype(np.int32)),
        "units": column(prepared.units.astype(np.int64)),
        "features": column(prepared.features.lengths.astype(np.int64)),
        "same_a": column(same_a, missing=alone),
        "same_b": column(same_b, missing=alone),
        "copy_score": column(np.ascontiguousarray(score)),
        **_links(rooms, prepared),
    }
    place = column(np.cumsum(is_document) - 1, missing=~is_document)
    for name, values in made.items():
        rows = rows.append_column(name, values.take(place))
    rows = rows.append_column("file_facts", pa.nulls(rows.num_rows, pa.string()))
    return pa.RecordBatch.from_arrays([rows[field.name] for field in SKETCH], schema=SKETCH)


def as_batch(rows: pa.RecordBatch) -> Batch:
    """Rows as a batch of the local engine; what only tables name, ids and sources, stays behind."""
    count = rows.num_rows
    order = None
    if "order" in rows.schema.names and rows["order"].null_count < count:
        order = numbers(rows["order"])
    return Batch(
        wide(text([""] * count)),
        rows["text"].cast(pa.large_string()),
        "",
        np.zeros(count, np.int64),
        order,
    )


def _identities(rooms: Rooms, batch: PreparedBatch) -> tuple[Any, Any, Any, Floats]:
    """What equal documents have in common, who has nobody like it, and the score of copies."""
    sizes = batch.features.lengths
    if batch.digests is not None:
        first, second = batch.digests, np.zeros(len(batch), np.uint64)
        alone = batch.status != 0
    else:
        first, second = list_digests(batch.features)
        alone = (batch.status != 0) | (sizes == 0)
    if rooms.judge is not None:
        rooms.judge.add(batch.compared)
        score = rooms.judge.copy_scores()
        alone |= ~(score >= rooms.judge.threshold)
    elif rooms.search.measured:
        score, apart = copy_scores(rooms.search.goal, sizes)
        alone[apart] = True
    else:
        score = np.ones(len(batch))
    return first.view(np.int64), second.view(np.int64), alone, score


GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def list_digests(lists: FeatureLists) -> tuple[Any, Any]:
    """128 bits for each list: features are hashes already, so sums of them will do."""
    values, lengths = lists.flat, lists.lengths
    first = lengths.astype(np.uint64) * GOLDEN
    second = np.zeros(len(lists), np.uint64)
    there = np.flatnonzero(lengths)
    if len(there):
        begins = lists.offsets[there] - lists.offsets[0]
        mixed = (values ^ (values >> np.uint64(29))) * (values | np.uint64(1))
        first[there] += np.add.reduceat(values, begins)
        second[there] = np.add.reduceat(mixed, begins)
    return first, second


def _links(rooms: Rooms, batch: PreparedBatch) -> dict[str, pa.Array]:
    """The keys by which a document meets others, or the features that these will be made of."""
    search, nothing = rooms.search, pa.nulls(len(batch), pa.binary())
    counted, prints = search.counted(batch.features, 1), search.prints()
    lists = Ragged.from_lengths(np.empty(0, np.uint64), np.zeros(len(batch), np.int64))
    if counted is None:
        lists = search.links(batch.features, 1)
    return {
        "links": as_blobs(lists),
        "images": nothing if batch.images is None else as_blobs(batch.images),
        "counted": nothing if counted is None else as_blobs(counted),
        "print": pa.nulls(len(batch), pa.int64())
        if prints is None
        else column(prints.view(np.int64)),
    }
