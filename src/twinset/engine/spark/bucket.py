"""The local rooms over the documents of one task, which nothing outside of it is linked with.

A document comes with its number, its place in the order of preference, and how many equal ones it
stands for; so what is found is what the whole collection would have given.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property, partial
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.candidates.base import Counts
from twinset.clusters.base import ClustersOfImages, ImageClusters
from twinset.engine.clustering import Clustered, cluster_images, cluster_pairs, removal
from twinset.engine.copies import Classes, Copies
from twinset.engine.documents import Collected, Preference
from twinset.engine.pairing import Paired, pair
from twinset.engine.spark.figures import task_figures
from twinset.engine.spark.schemas import spelt
from twinset.engine.spark.sending import sent_array
from twinset.engine.spark.sketching import Rooms, as_batch, task_resources
from twinset.engine.spark.tasks import mapped
from twinset.engine.tables import evidence_of
from twinset.lazy_dataclass import dataclass
from twinset.methods.base import Evidence
from twinset.model import HEAD, Ints, Pairs
from twinset.model import compute as pc
from twinset.model.columns import column, flags, numbers, text
from twinset.plan import Plan, Resources
from twinset.report.page import CALLS

FOUND = {
    "sort": pa.int32(),
    "left": pa.int64(),
    "right": pa.int64(),
    "shared": pa.int64(),
    "score": pa.float64(),
    "section": pa.int32(),
    "first": pa.int64(),
    "index": pa.int64(),
    "weakest": pa.float64(),
    "chained": pa.bool_(),
    "quality": pa.float64(),
    "head": pa.string(),
    "detail": pa.string(),
}
"""What a task gives, besides the evidence of a method: rows of several sorts in one table."""
PAIR, COPIES, MEMBER, GOES, FIGURES, SET_ROW, TEXT = range(7)
"""A pair; what a document is to its copies; a member of a cluster; who goes for whom; figures; a
row of another table that a kind of clusters makes; the text of a document of a close call."""


class GivenClasses(Classes):
    """Every document stands for itself and for equal ones that are elsewhere."""

    @cached_property
    def size(self) -> Any:
        """How many documents each one stands for, as it was given."""
        return self.__dict__["times"]

    def members(self, leaders: Ints) -> tuple[Ints, Ints]:
        """The leaders alone."""
        return leaders, np.arange(len(leaders))


@dataclass(frozen=True)
class Bucket:
    """The documents of a task by their numbers, rising."""

    number: Ints
    position: Ints
    stays: Any
    times: Ints
    rows: pa.RecordBatch

    @classmethod
    def of(cls, batches: Iterator[pa.RecordBatch]) -> Bucket | None:
        """All that come; None where nothing does."""
        some = [batch for batch in batches if batch.num_rows]
        if not some:
            return None
        table = pa.Table.from_batches(some).sort_by("number").combine_chunks()
        rows = table.to_batches()[0]
        return cls(
            numbers(rows["number"]),
            numbers(rows["position"]),
            flags(rows["stays"]),
            numbers(rows["times"]),
            rows,
        )


@dataclass(frozen=True)
class BucketAnswer:
    """What the local rooms have made of a bucket."""

    collected: Collected
    classes: Classes
    paired: Paired
    clustered: Clustered
    sets: ImageClusters | None
    chains: int
    pair_evidence: Evidence
    copy_evidence: Evidence
    copied: Ints

    @classmethod
    def of(
        cls, bucket: Bucket, plan: Plan, resources: Resources, counts: Counts | None = None
    ) -> BucketAnswer:
        """Run the rooms one after the other; ``counts`` are those of the whole collection."""
        rooms = Rooms.of(plan, resources)
        search, judge, collector = rooms.search, rooms.judge, rooms.collector
        if counts is not None:
            search.count_by(counts)
        collector.take(collector.work(as_batch(bucket.rows)))
        collected = collector.finish()
        count = len(collected)
        copies = Copies.of(collected, search, judge)
        preferred = Preference(np.argsort(bucket.position), bucket.stays, positions=bucket.position)
        images = collector.images
        if images is None:
            classes: Classes = GivenClasses(np.arange(count), np.zeros(count, bool))
            classes.__dict__["times"] = bucket.times.astype(np.uint32)
        else:  # all documents are here
            classes = Classes.of(copies, preferred)
        search.identify(collected.ids, classes.leader)
        paired = pair(collected, search, classes, copies, preferred, judge, resources)
        sets = None
        if images is not None and isinstance(plan.clusters, ClustersOfImages):
            sets = plan.clusters.find_clusters(images.context(), 1)
            clustered = cluster_images(sets, paired, classes)
        else:
            clustered = cluster_pairs(plan.clusters, paired, classes)
        copied = np.flatnonzero(classes.leads & (classes.size > 1))
        alike = Pairs(copied, copied, collected.sizes[copied], paired.score(copied, copied))
        return cls(
            collected,
            classes,
            paired,
            clustered,
            sets,
            search.describe().get("chains", 0),
            evidence_of(search, paired.pairs, classes),
            evidence_of(search, alike, classes),
            copied,
        )


def found(linked: Any, plan: Plan, dedup: bool, counts: str | None) -> Any:
    """What the tasks find in the linked documents, one task for each partition.

    ``counts`` names the file of features counted over the whole collection, where there is one.
    """
    schema = found_schema(plan)
    return mapped(linked, partial(_work, plan, dedup, counts, schema), spelt(schema))


def found_schema(plan: Plan) -> pa.Schema:
    """The columns that tasks give, with the evidence of the plan's method."""
    evidence = found_nowhere(plan).pair_evidence
    fields = [(name, _arrow(values).type) for name, values in evidence.items()]
    return pa.schema([*FOUND.items(), *fields])


def found_nowhere(plan: Plan) -> BucketAnswer:
    """What is found in no documents: it has the columns of what is found elsewhere."""
    nothing = pa.RecordBatch.from_pydict(
        {
            "number": pa.array([], pa.int64()),
            "position": pa.array([], pa.int64()),
            "stays": pa.array([], pa.bool_()),
            "times": pa.array([], pa.int64()),
            "text": pa.array([], pa.string()),
        }
    )
    empty = np.empty(0, np.int64)
    bucket = Bucket(empty, empty, np.empty(0, bool), empty, nothing)
    return BucketAnswer.of(bucket, plan, task_resources())


def _arrow(values: Any) -> pa.Array:
    array = column(values) if isinstance(values, np.ndarray) else values
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _work(
    plan: Plan,
    dedup: bool,
    counts: str | None,
    schema: pa.Schema,
    batches: Iterator[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    bucket = Bucket.of(batches)
    if bucket is None:
        return
    known = None if counts is None else sent_array(counts)
    compared = BucketAnswer.of(bucket, plan, task_resources(), known)
    yield from _rows(compared, bucket, schema, dedup)


def _rows(
    compared: BucketAnswer, bucket: Bucket, schema: pa.Schema, dedup: bool
) -> Iterator[pa.RecordBatch]:
    """All that was found, with the numbers of the whole collection."""
    number, pairs, paired = bucket.number, compared.paired.pairs, compared.paired
    left, right = number[pairs.left], number[pairs.right]
    yield from _filled(
        schema,
        PAIR,
        {"left": left, "right": right, "shared": pairs.shared, "score": pairs.score},
        compared.pair_evidence,
    )
    copied = compared.copied
    yield from _filled(
        schema,
        COPIES,
        {
            "left": number[copied],
            "shared": compared.collected.sizes[copied].astype(np.int64),
            "score": paired.score(copied, copied),
        },
        compared.copy_evidence,
    )
    sets = compared.sets
    yield from _filled(schema, MEMBER, _members(compared, bucket))
    if dedup:
        leaders = paired.leaders
        target, score = removal(paired.graph, leaders, compared.classes, bucket.stays)
        rows = leaders
        yield from _filled(
            schema,
            GOES,
            {"left": number[rows], "right": number[target[rows]], "score": score[rows]},
        )
    figures = task_figures(compared.classes, paired, compared.clustered, sets, compared.chains)
    yield from _filled(
        schema,
        FIGURES,
        {"left": np.zeros(1, np.int64), "detail": text([json.dumps(figures)])},
    )
    lowest = np.argsort(pairs.score, kind="stable")[:CALLS]
    shown = np.unique(np.concatenate([pairs.left[lowest], pairs.right[lowest]]))
    texts = bucket.rows["text"].take(column(shown))
    yield from _filled(schema, TEXT, {"left": number[shown], "head": texts})
    if sets is not None:
        yield from _rows_of_sets(sets, number, schema)


def _members(compared: BucketAnswer, bucket: Bucket) -> dict[str, Any]:
    """Rows of clusters; those of equal documents alone come behind all others.

    ``first`` and ``index``, the place among those of the task, are what clusters are numbered by.
    """
    clustered, clusters = compared.clustered, compared.clustered.clusters
    of_images = compared.sets is not None
    first = (bucket.number if of_images else bucket.position)[clustered.first]
    section = np.zeros(len(clusters), np.int32)
    section[len(clusters) - clustered.alone :] = 1
    anchor = clusters.anchor
    rows: dict[str, Any] = {
        "section": section[clusters.cluster],
        "first": first[clusters.cluster],
        "index": clusters.cluster,
        "left": bucket.number[clusters.member],
        "right": np.where(anchor >= 0, bucket.number[np.maximum(anchor, 0)], -1),
        "score": clusters.score,
        "weakest": clusters.weakest[clusters.cluster],
        "chained": clusters.chained[clusters.cluster],
    }
    heads = pc.utf8_slice_codeunits(bucket.rows["text"], 0, HEAD)
    rows["head"] = heads.take(column(clusters.member))
    if clusters.shared is not None:
        rows["shared"] = clusters.shared[clusters.cluster]
    if clusters.quality is not None:
        rows["quality"] = clusters.quality[clusters.cluster]
    return rows


def _rows_of_sets(sets: ImageClusters, number: Ints, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The rows of the tables that a kind of clusters adds, as JSON, with numbers for ids."""
    firsts = sets.firsts()
    for name, table in sets.tables(column(number.astype(np.uint64))).items():
        count = len(table)
        yield from _filled(
            schema,
            SET_ROW,
            {
                "left": np.zeros(count, np.int64),
                "head": pa.array([name] * count, pa.string()),
                "first": number[firsts[name]],
                "index": np.arange(count),
                "detail": pa.array([json.dumps(row) for row in table.to_pylist()], pa.string()),
            },
        )


def _filled(
    schema: pa.Schema, sort: int, columns: dict[str, Any], evidence: Evidence | None = None
) -> Iterator[pa.RecordBatch]:
    """Rows of one sort, null in the columns of the others."""
    count = len(columns["left"])
    if not count:
        return
    made = {name: _arrow(values) for name, values in columns.items()}
    made |= {name: _arrow(values) for name, values in (evidence or {}).items()}
    made["sort"] = column(np.full(count, sort, np.int32))
    arrays = [
        made[field.name].cast(field.type) if field.name in made else pa.nulls(count, field.type)
        for field in schema
    ]
    yield pa.RecordBatch.from_arrays(arrays, schema=schema)
