"""Which documents have to do with each other: connected by a chain of shared keys.

Of the documents that share a key each is joined to the first one by an edge, a star. The components
of all edges are found in one task as long as the edges fit into its memory; beyond that by large
stars and small stars in turn [Kiveris et al. 2014], which moves every edge at most a logarithmic
number of times and gathers no neighbours of a document in one place.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.engine.searching import begin
from twinset.engine.spark.schemas import from_lists
from twinset.engine.spark.sketching import task_resources
from twinset.engine.spark.work import WorkFolder
from twinset.plan import Plan

ONE_TASK = 8_000_000
"""Edges up to which one task finds the components: 128 MB as pairs of numbers."""
EDGES = "number bigint, first bigint"
ROOTS = "number bigint, root bigint"


def star_edges(lists: Any) -> Any:
    """Edges (number, first) out of rows (number, links): every document to the first with its key.

    Documents of one batch that share a key are joined before the shuffle, so that a key of a
    million documents has no more rows there than there are batches.
    """
    some = lists.mapInArrow(_first_of_batch, "key bigint, number bigint, first bigint")
    by_key = some.repartition("key").sortWithinPartitions("key", "number")
    return by_key.mapInArrow(_stars, EDGES)


def _first_of_batch(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """For each key of a batch its first document, and as edges (first) the others."""
    for batch in batches:
        lists = from_lists(batch["links"])
        number = np.asarray(batch["number"])[lists.owners()]
        key = lists.flat.view(np.int64)
        order = np.lexsort((number, key))
        key, number = key[order], number[order]
        is_new = np.diff(key, prepend=key[:1] - 1) != 0
        first = number[np.flatnonzero(is_new)[np.cumsum(is_new) - 1]]
        yield pa.RecordBatch.from_arrays(
            [pa.array(key), pa.array(number), pa.array(first, mask=is_new)],
            ["key", "number", "first"],
        )


def _stars(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The edges out of rows that are sorted by key, beside those that are edges already."""
    for rows in _whole_keys(batches):
        is_edge = np.asarray(rows["first"].is_valid())
        known = rows.filter(pa.array(is_edge))
        key, number = (np.asarray(rows[name])[~is_edge] for name in ("key", "number"))
        is_new = np.diff(key, prepend=key[:1] - 1) != 0
        first = number[np.flatnonzero(is_new)[np.cumsum(is_new) - 1]]
        ends = np.concatenate(
            [
                np.stack([number, first])[:, ~is_new],
                np.stack([np.asarray(known["number"]), np.asarray(known["first"])]),
            ],
            axis=1,
        )
        yield _edges(*np.unique(ends, axis=1))


def _edges(number: Any, first: Any) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array(number), pa.array(first)], ["number", "first"])


def near_edges(compared: Any, plan: Plan) -> Any:
    """Edges out of rows (number, links, print): of documents with a common key those that are near.

    Of equal prints the first stands for all, so that no key has more documents than it has prints.
    """
    from pyspark.sql import functions as f

    known = compared.where(f.size("links") > 0).select("number", "links", "print")
    firsts = known.groupBy("print").agg(f.min("number").alias("first"))
    same = known.select("number", "print").join(firsts, "print").where("number <> first")
    alone = known.join(firsts.select(f.col("first").alias("number")), "number")
    keyed = alone.select(f.explode("links").alias("key"), "number", "print")
    sorted_by_key = keyed.repartition("key").sortWithinPartitions("key", "number")
    near = sorted_by_key.mapInArrow(partial(_near, plan), EDGES)
    return same.select("number", "first").union(near)


def _near(plan: Plan, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Edges between near documents of one key, out of rows that are sorted by key."""
    search = begin(plan, task_resources())
    for rows in _whole_keys(batches):
        key, number, prints = (np.asarray(rows[name]) for name in ("key", "number", "print"))
        cuts = [0, *(np.flatnonzero(key[1:] != key[:-1]) + 1).tolist(), len(key)]
        left, right = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for first, end in pairwise(cuts):
            if end - first > 1:
                a, b = search.near(prints[first:end].view(np.uint64), 1)
                left.append(number[first:end][a])
                right.append(number[first:end][b])
        ends = np.concatenate(left), np.concatenate(right)
        yield _edges(np.maximum(*ends), np.minimum(*ends))


def _whole_keys(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same rows, cut only where another key begins."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        if not batch.num_rows:
            continue
        key = np.asarray(batch["key"])
        last = int(np.searchsorted(key, key[-1]))  # rows of the last key may go on
        if last:
            yield pa.concat_batches([*waiting, batch.slice(0, last)])
            waiting = []
        elif waiting and waiting[0]["key"][0].as_py() != key[0]:
            yield pa.concat_batches(waiting)
            waiting = []
        waiting.append(batch.slice(last))
    if waiting:
        yield pa.concat_batches(waiting)


def components(edges: Any, work: WorkFolder, *, one_task: int = ONE_TASK) -> Any:
    """Rows (number, root) of all documents that have an edge; the root is the lowest number."""
    from pyspark.sql import functions as f

    edges, count = work.kept_with("edges", edges, f.count("*"))
    if count <= one_task:
        return edges.coalesce(1).mapInArrow(_joined, ROOTS)
    return _by_stars(edges, work)


def _joined(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The components of all edges that come, by the kernel."""
    from twinset import _kernels

    parts = [(batch["number"].to_numpy(), batch["first"].to_numpy()) for batch in batches]
    if not parts:
        return
    ends = [np.concatenate(side) for side in zip(*parts, strict=True)]
    numbers, place = np.unique(np.concatenate(ends), return_inverse=True)
    left, right = np.split(place.reshape(-1).astype(np.uint32), 2)
    first = _kernels.component_roots(len(numbers), np.minimum(left, right), np.maximum(left, right))
    roots = numbers[first]
    step = 1 << 20
    for at in range(0, len(numbers), step):
        some = slice(at, at + step)
        yield pa.RecordBatch.from_arrays(
            [pa.array(numbers[some]), pa.array(roots[some])], ["number", "root"]
        )


def _by_stars(edges: Any, work: WorkFolder) -> Any:
    """Large and small stars in turn until nothing moves.

    What is left is a star for each component, with its lowest number in the middle.
    """
    from pyspark.sql import functions as f

    here = edges.select(f.col("number").alias("a"), f.col("first").alias("b"))
    before, turn = None, 0
    while True:
        turn += 1
        here = work.kept(f"large-stars-{turn}", _star(here, large=True))
        here = work.kept(f"small-stars-{turn}", _star(here, large=False))
        # Sums of numbers modulo 2^64 stand for the edges: equal ones have come to rest.
        mixed = f.sum(f.xxhash64("a", "b").cast("decimal(38,0)"))
        now = here.agg(mixed, f.count("*")).collect()[0]
        if before == now:
            break
        before = now
    members = here.select(f.col("a").alias("number"), f.col("b").alias("root"))
    roots = here.select(f.col("b").alias("number"), f.col("b").alias("root")).distinct()
    return members.union(roots)


def _star(edges: Any, *, large: bool) -> Any:
    """One step: neighbours of a document are joined to the lowest of them and itself.

    Of the large star these are the higher neighbours, of the small one the lower, and itself.
    """
    from pyspark.sql import functions as f

    low, high = f.least("a", "b"), f.greatest("a", "b")
    pairs = edges.select(low.alias("low"), high.alias("high")).where("low <> high")
    if large:
        forth = pairs.select(f.col("low").alias("centre"), f.col("high").alias("beside"))
        back = pairs.select(f.col("high").alias("centre"), f.col("low").alias("beside"))
        around = forth.union(back)
    else:
        around = pairs.select(f.col("high").alias("centre"), f.col("low").alias("beside"))
    lowest = around.groupBy("centre").agg(f.min("beside").alias("lowest"))
    lowest = lowest.select("centre", f.least("centre", "lowest").alias("lowest"))
    joined = around.join(lowest, "centre")
    if large:
        chosen = joined.where("beside > centre").select(
            f.col("beside").alias("a"), f.col("lowest").alias("b")
        )
    else:
        others = joined.where("beside <> lowest")
        chosen = others.select(f.col("beside").alias("a"), f.col("lowest").alias("b")).union(
            lowest.select(f.col("centre").alias("a"), f.col("lowest").alias("b"))
        )
    return chosen.where("a <> b").distinct()
