"""Which documents have to do with each other: connected by a chain of shared keys.

Of the documents that share a key each is joined to the first one by an edge, a star. The components
of all edges are found in one task as long as the edges fit into its memory; beyond that by large
stars and small stars in turn [Kiveris et al. 2014], which moves every edge at most a logarithmic
number of times and gathers no neighbours of a document in one place.

Of methods whose keys are their rarest features, all features are counted first: in at most 2^27
counters, whatever the collection, which go to a file that all tasks map into memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as f

from twinset import _kernels
from twinset.finding.candidates.base import TOP, Counts, counters
from twinset.finding.methods.base import links_of
from twinset.model import Ragged
from twinset.model.columns import column
from twinset.plan import Plan
from twinset.run.searching import begin
from twinset.spark.columns import as_blobs, from_blobs, mapped, send_array, sent_array
from twinset.spark.sketching import GOLDEN, task_resources
from twinset.spark.work import WorkFolder

ONE_TASK = 4_000_000
"""Edges up to which one task finds the components: 64 MB as pairs of numbers, and 160 MB there."""
ROWS_OF_NUMBERS = 1 << 18
"""Rows of two numbers that go to Java at a time: 4 MB, which it holds outside of its heap."""
PIECES = 256
"""Pieces of the keys at least: Spark spreads them over partitions by chance."""
PIECE = 1 << 16
"""Counters of a piece."""
PACKED = "piece int, keys binary, numbers binary"
EDGES = "number bigint, first bigint"
ROOTS = "number bigint, root bigint"


def linked_roots(keys: Any, plan: Plan, work: WorkFolder) -> tuple[Any, str | None]:
    """Rows (number, root) of linked documents, and the file of counted features, if there is one.

    ``keys`` are rows (number, links, counted, print) of the documents to be compared.
    """
    search, counts = begin(plan, task_resources()), None
    nothing, _ = search.extract(pa.array([], pa.large_string()), 1)
    if links_of(search).counted(nothing, 1) is not None:
        counted = keys.select("number", f.col("counted").alias("links"))
        counts = _send_counts(counted, work.session)
        links = mapped(counted, partial(_linked, plan, counts), "number bigint, links binary")
        edges = star_edges(links)
    elif links_of(search).prints() is not None:
        edges = _near_edges(keys, plan)
    else:
        edges = star_edges(keys)
    return components(edges, work), counts


# ----------------------------------------------------------------- edges out of keys


def star_edges(lists: Any) -> Any:
    """Edges (number, first) out of rows (number, links): every document to the first with its key.

    Keys travel in blobs, so that Spark moves few rows and Python sorts.
    """
    pieces = max(PIECES, int(lists.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    packed = mapped(lists.select("number", "links"), partial(_packed, pieces), PACKED)
    return mapped(packed.repartition("piece").sortWithinPartitions("piece"), _stars, EDGES)


def _packed(pieces: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Keys with their documents, in pieces by the first bits of the keys."""
    for batch in batches:
        lists = from_blobs(batch["links"])
        key = lists.flat * GOLDEN  # so that those of neighbouring numbers lie apart
        number = np.asarray(batch["number"])[lists.owners()]
        piece = (key >> np.uint64(32)) * np.uint64(pieces) >> np.uint64(32)
        yield _in_pieces(piece, pieces, keys=key, numbers=number)


def _in_pieces(piece: Any, pieces: int, **columns: Any) -> pa.RecordBatch:
    """A row for each piece, with the values of each column that are in it."""
    order = np.argsort(piece, kind="stable")
    count = np.bincount(piece.astype(np.int64), minlength=pieces)
    lists = (Ragged.from_lengths(values[order], count) for values in columns.values())
    arrays = [column(np.arange(pieces, dtype=np.int32)), *map(as_blobs, lists)]
    return pa.RecordBatch.from_arrays(arrays, ["piece", *columns])


def _stars(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The edges out of the blobs of a partition, piece by piece."""
    for rows in _whole(batches, "piece"):
        keys, numbers = (from_blobs(rows[name]).flat for name in ("keys", "numbers"))
        order = np.lexsort((numbers, keys))
        key, number = keys[order], numbers[order].view(np.int64)
        begins = np.flatnonzero(np.diff(key, prepend=~key[:1]))
        first = np.repeat(number[begins], np.diff(begins, append=len(key)))
        others = number != first
        yield from _in_batches(number=number[others], first=first[others])


def _in_batches(**columns: Any) -> Iterator[pa.RecordBatch]:
    """Rows of numbers, a few megabytes at a time."""
    count = len(next(iter(columns.values())))
    for at in range(0, count, ROWS_OF_NUMBERS):
        some = [column(values[at : at + ROWS_OF_NUMBERS]) for values in columns.values()]
        yield pa.RecordBatch.from_arrays(some, list(columns))


def _whole(batches: Iterator[pa.RecordBatch], by: str) -> Iterator[pa.RecordBatch]:
    """The same rows, which are sorted by a column, cut only where another value of it begins."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        if not batch.num_rows:
            continue
        key = np.asarray(batch[by])
        last = int(np.searchsorted(key, key[-1]))  # rows of the last key may go on
        if waiting and (last or waiting[0][by][0].as_py() != key[0]):
            yield pa.concat_batches([*waiting, batch.slice(0, last)])
            waiting = []
        elif last:
            yield batch.slice(0, last)
        waiting.append(batch.slice(last))
    if waiting:
        yield pa.concat_batches(waiting)


# ----------------------------------------------------------------- methods with prints


def _near_edges(compared: Any, plan: Plan) -> Any:
    """Edges out of rows (number, links, print): of documents with a common key those that are near.

    Of equal prints the first stands for all, so that no key has more documents than it has prints.
    """
    known = compared.where(f.length("links") > 0).select("number", "links", "print")
    firsts = known.groupBy("print").agg(f.min("number").alias("first"))
    same = known.select("number", "print").join(firsts, "print").where("number <> first")
    alone = known.join(firsts.select(f.col("first").alias("number")), "number")
    keyed = mapped(
        alone.select("number", "links", "print"),
        _each_key,
        "key bigint, number bigint, print bigint",
    )
    sorted_by_key = keyed.repartition("key").sortWithinPartitions("key", "number")
    near = mapped(sorted_by_key, partial(_near, plan), EDGES)
    return same.select("number", "first").union(near)


def _each_key(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """A row for each key of a document."""
    for batch in batches:
        lists = from_blobs(batch["links"])
        owner = pa.array(lists.owners())
        columns = [pa.array(lists.flat.view(np.int64)), batch["number"].take(owner)]
        columns.append(batch["print"].take(owner))
        yield pa.RecordBatch.from_arrays(columns, ["key", "number", "print"])


def _near(plan: Plan, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Edges between near documents of one key, out of rows that are sorted by key."""
    search = links_of(begin(plan, task_resources()))
    for rows in _whole(batches, "key"):
        key, number, prints = (np.asarray(rows[name]) for name in ("key", "number", "print"))
        cuts = [0, *(np.flatnonzero(key[1:] != key[:-1]) + 1).tolist(), len(key)]
        for first, end in pairwise(cuts):
            if end - first > 1:
                a, b = search.near(prints[first:end].view(np.uint64), 1)
                here = number[first:end]
                yield from _in_batches(
                    number=np.maximum(here[a], here[b]), first=np.minimum(here[a], here[b])
                )


# ----------------------------------------------------------------- counted features


def _send_counts(lists: Any, session: Any) -> str:
    """Count the features of rows (links) and send the counts to all machines; their file's name."""
    total = lists.selectExpr("sum(length(links)) div 8").collect()[0][0] or 0
    size = counters(total)
    pieces = mapped(lists.select("links"), partial(_count, size), "piece int, places binary")
    sums = pieces.groupBy("piece").applyInArrow(_added, "piece int, counts binary")
    counts: Counts = np.zeros(size, np.uint16)
    for row in sums.toLocalIterator():
        counts[row.piece * PIECE : (row.piece + 1) * PIECE] = np.frombuffer(row.counts, np.uint16)
    return send_array(counts, session)


def _count(size: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The places of features among the counters, in pieces of these."""
    for batch in batches:
        places = from_blobs(batch["links"]).flat & np.uint64(size - 1)
        yield _in_pieces(places // PIECE, size // PIECE, places=places % PIECE)


def _added(rows: pa.Table) -> pa.Table:
    """All counts of a piece."""
    places = [from_blobs(blobs).flat for blobs in rows["places"].chunks]
    sums = np.bincount(np.concatenate(places).astype(np.int64), minlength=PIECE)
    whole = np.minimum(sums, TOP).astype(np.uint16).tobytes()
    return pa.table({"piece": rows["piece"].slice(0, 1), "counts": pa.array([whole], pa.binary())})


def _linked(plan: Plan, counts: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """In place of the features that were counted the keys that they give."""
    search = links_of(begin(plan, task_resources()))
    search.count_by(sent_array(counts))
    for batch in batches:
        keys = search.counted_links(from_blobs(batch["links"]), 1)
        yield pa.RecordBatch.from_arrays([batch["number"], as_blobs(keys)], ["number", "links"])


# ----------------------------------------------------------------- components


def components(edges: Any, work: WorkFolder, *, one_task: int = ONE_TASK) -> Any:
    """Rows (number, root) of all documents that have an edge; the root is the lowest number."""
    edges, count = work.kept_with("edges", edges.distinct(), f.count("*"))
    if count <= one_task:
        return mapped(edges.coalesce(1), _joined, ROOTS)
    return _by_stars(edges, work)


def _joined(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """All documents that have an edge, rising, and the lowest that each is connected with."""
    parts = [(np.asarray(batch["number"]), np.asarray(batch["first"])) for batch in batches]
    if parts:
        numbers = np.unique(np.concatenate([side for part in parts for side in part]))
        places = (np.searchsorted(numbers, part).astype(np.uint32) for part in parts)
        number, first = np.concatenate(list(places), axis=1)
        # an edge leads to a lower number
        roots = _kernels.component_roots(len(numbers), first, number)
        yield from _in_batches(number=numbers, root=numbers[roots])


def _by_stars(edges: Any, work: WorkFolder) -> Any:
    """Large and small stars in turn until nothing moves.

    What is left is a star for each component, with its lowest number in the middle.
    """
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
