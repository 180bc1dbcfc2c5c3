"""The first pass: what is kept of each document, made of this document alone.

Rows come as Spark reads them and go on without their texts: with the number of units and
features, a digest by which equal documents meet, and the keys that link a document to others.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.finding.methods.base import Search, links_of
from twinset.model import Batch, FeatureLists, Floats, Ints, Judge, Ragged
from twinset.model.columns import column, numbers, one_array, wide
from twinset.plan import Plan, Resources
from twinset.run.copies import copy_scores
from twinset.run.searching import begin, judge_of
from twinset.run.streaming import Collector, PreparedBatch
from twinset.spark.columns import as_blobs, filled, spelt
from twinset.spark.reading import KEYS, Parse, SparkInput
from twinset.text.wording import rewriter_of

SKETCH = pa.schema(
    {
        "at": pa.int64(),
        "file": pa.int32(),
        "block": pa.int64(),
        "row": pa.int64(),
        "id": pa.string(),
        "order": pa.float64(),
        "status": pa.int32(),
        "units": pa.int64(),
        "features": pa.int64(),
        "same_a": pa.int64(),
        "same_b": pa.int64(),
        "copy_score": pa.float64(),
        "links": pa.binary(),
        "counted": pa.binary(),
        "print": pa.int64(),
        "faults": pa.string(),
        "counts": pa.string(),
    }
)
"""A row of the input; one that is no document, as a blank line, has no ``row`` and no ``status``.

``row`` counts documents from the beginning of the block. ``counted`` are features that must be
counted over all documents before they give links, and ``print`` is what documents of equal links
are compared by. Each is there for plans that need it. ``faults`` is a list of kinds and details as
JSON, and ``counts`` what was done to some rows that is no fault, by names.
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
            rewriter=rewriter_of(plan),
            ordered=plan.read.order is not None,
            head=0,
        )
        return cls(search, judge, collector)


def task_resources() -> Resources:
    """One core and little memory: a cluster runs as many tasks at a time as it has cores."""
    return Resources.make(threads=1, memory=400 << 20)


def sketched(documents: SparkInput, plan: Plan) -> Any:
    """The rows of the input without their texts, as rows of `SKETCH`."""
    return documents.through(partial(_sketch_all, plan), spelt(SKETCH))


def _sketch_all(
    plan: Plan, parse: Parse, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    resources = task_resources()
    rooms, counter = Rooms.of(plan, resources), RowCounter()
    for rows in batches:
        if rows.num_rows:
            yield _sketch(rooms, counter, rows, parse(rows))
            if rooms.judge is not None or not rooms.search.side_by_side:  # they keep documents
                rooms = Rooms.of(plan, resources)


class RowCounter:
    """Counts the documents of each block of a file; its rows come in their order."""

    def __init__(self) -> None:
        self._block, self._count = tuple[int, ...](), 0

    def numbers(self, rows: pa.RecordBatch, is_document: Any) -> Ints:
        """For each row how many documents of its block come before it."""
        places = np.stack([numbers(rows["file"]), numbers(rows["block"])])
        firsts = np.flatnonzero((np.diff(places, prepend=-1) != 0).any(axis=0))
        before: Ints = np.cumsum(is_document) - is_document
        for first, end in pairwise([*firsts.tolist(), rows.num_rows]):
            block = tuple(places[:, first].tolist())
            self._count *= block == self._block
            self._block = block
            before[first:end] += self._count - before[first]
            self._count += int(np.count_nonzero(is_document[first:end]))
        return before


def _sketch(
    rooms: Rooms, counter: RowCounter, rows: pa.RecordBatch, batch: Batch
) -> pa.RecordBatch:
    """One row for each row."""
    prepared = rooms.collector.prepare(batch, searched=False)
    same_a, same_b, alone, score = _identities(rooms, prepared)
    order = batch.order
    made = {
        "id": batch.ids.cast(pa.string()),
        "order": pa.nulls(len(batch), pa.float64())
        if order is None
        else column(order, missing=np.isnan(order)),
        "status": column(prepared.status.astype(np.int32)),
        "units": column(prepared.units.astype(np.int64)),
        "features": column(prepared.features.lengths.astype(np.int64)),
        "same_a": column(same_a, missing=alone),
        "same_b": column(same_b, missing=alone),
        "copy_score": column(np.ascontiguousarray(score)),
        **_links(rooms, prepared),
    }
    count = rows.num_rows
    document = np.full(count, -1)
    document[batch.places - 1] = np.arange(len(batch))
    nobody = document < 0
    counts = json.dumps(dict(prepared.counts)) if prepared.counts else None
    place = column(document, missing=nobody)
    return filled(
        SKETCH,
        {name: rows[name] for name in KEYS}
        | {name: values.take(place) for name, values in made.items()}
        | {
            "row": column(counter.numbers(rows, ~nobody), missing=nobody),
            "faults": _faults(batch, count),
            "counts": pa.array([counts] + [None] * (count - 1), pa.string()),
        },
    )


def _faults(batch: Batch, count: int) -> pa.Array:
    """The faults of each row as JSON; null where there are none."""
    rows: dict[int, list[dict[str, str]]] = {}
    for fault in batch.faults:
        here = rows.setdefault((fault.line or 1) - 1, [])
        here.append({"kind": fault.kind, "detail": fault.detail})
    return pa.array([json.dumps(rows[n]) if n in rows else None for n in range(count)], pa.string())


def as_batch(rows: pa.Table) -> Batch:
    """Texts as a batch of the local engine; what only tables name stays behind."""
    ids, texts = (one_array(rows[name]) for name in ("number", "text"))
    places = np.arange(1, rows.num_rows + 1)
    return Batch(ids.cast(pa.large_string()), wide(texts), "", places)


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
    search, nothing = links_of(rooms.search), pa.nulls(len(batch), pa.binary())
    counted, prints = search.counted(batch.features, 1), search.prints()
    lists = Ragged.from_lengths(np.empty(0, np.uint64), np.zeros(len(batch), np.int64))
    if counted is None:
        lists = search.links(batch.features, 1)
    return {
        "links": as_blobs(lists),
        "counted": nothing if counted is None else as_blobs(counted),
        "print": pa.nulls(len(batch), pa.int64())
        if prints is None
        else column(prints.view(np.int64)),
    }
