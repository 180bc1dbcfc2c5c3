"""Which documents have to do with each other: connected by a chain of shared keys.

Of the documents that share a key each is joined to the first one by an edge, a star. The components
of all edges are found in one task as long as the edges fit into its memory; beyond that by large
stars and small stars in turn [Kiveris et al. 2014], which moves every edge at most a logarithmic
number of times and gathers no neighbours of a document in one place.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice, pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.engine.searching import begin
from twinset.engine.spark.schemas import from_blobs, spelt
from twinset.engine.spark.sketching import GOLDEN, task_resources
from twinset.engine.spark.tasks import mapped, numbers_in_batches
from twinset.engine.spark.work import WorkFolder
from twinset.model import Ints
from twinset.model import compute as pc
from twinset.plan import Plan

Keys = NDArray[np.uint64]

ONE_TASK = 4_000_000
"""Edges up to which one task finds the components: 64 MB as pairs of numbers, and 160 MB there."""
PIECES = 8
"""Pieces of the keys for each partition: Spark spreads them evenly enough, and one at a time is
sorted in memory."""
BLOB = 2048
"""Keys or edges of a row: 32 KB."""
AT_ONCE = 1 << 19
"""Keys or edges that are sorted at once: 8 MB, and some copies of these."""
PACKED_ROWS = 128
"""Rows of keys that go to Java at a time: 4 MB, which it holds outside of its heap."""
_PACKED = pa.schema(
    {"piece": pa.int32(), "keys": pa.binary(), "numbers": pa.binary(), "firsts": pa.binary()}
)
_KEYED = pa.schema({"key": pa.int64(), "number": pa.int64(), "print": pa.int64()})
EDGES = "number bigint, first bigint"
ROOTS = "number bigint, root bigint"


def star_edges(lists: Any) -> Any:
    """Edges (number, first) out of rows (number, links): every document to the first with its key.

    Keys travel in blobs, so that Spark moves few rows and Python sorts. Documents of one task that
    share a key are joined before the shuffle: a key of a million documents has no more entries
    there than there are tasks.
    """
    pieces = PIECES * int(lists.sparkSession.conf.get("spark.sql.shuffle.partitions"))
    packed = mapped(lists.select("number", "links"), partial(_packed, pieces), spelt(_PACKED))
    by_piece = packed.repartition("piece").sortWithinPartitions("piece")
    return mapped(by_piece, _stars, EDGES)


def _packed(pieces: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The keys of a task with the first document of each, and edges to it from the others."""
    for numbers, keys in _gathered(_keys(batch) for batch in batches):
        number, key, others = _firsts(numbers, keys)
        piece = ((key >> np.uint64(32)) * np.uint64(pieces) >> np.uint64(32)).astype(np.int32)
        cuts = [0, *(np.flatnonzero(np.diff(piece)) + 1).tolist(), len(key)]
        yield from _blobs(
            (int(piece[begin]), key[begin:end], number[begin:end], None)
            for first, last in pairwise(cuts)
            for begin, end in _steps(first, last)
        )
        number, first_number = _distinct(*others)
        yield from _blobs(
            (begin // BLOB % pieces, None, number[begin:end], first_number[begin:end])
            for begin, end in _steps(0, len(number))
        )


def _keys(batch: pa.RecordBatch) -> tuple[Ints, Keys]:
    """Documents and their keys, mixed so that those of neighbouring numbers lie apart."""
    lists = from_blobs(batch["links"])
    return np.asarray(batch["number"])[lists.owners()], lists.flat * GOLDEN


def _gathered(parts: Iterator[tuple[Ints, Keys]]) -> Iterator[tuple[Ints, Keys]]:
    """Several batches in one, as many as memory has room for."""
    waiting: list[tuple[Ints, Keys]] = []
    count = 0
    for part in parts:
        waiting.append(part)
        count += len(part[0])
        if count >= AT_ONCE:
            yield _together(waiting)
            waiting, count = [], 0
    if count:
        yield _together(waiting)


def _together(parts: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    first, second = (np.concatenate(side) for side in zip(*parts, strict=True))
    return first, second


def _firsts(number: Ints, key: Keys) -> tuple[Ints, Keys, tuple[Ints, Ints]]:
    """For each key, rising, its first document, and edges to that from its other documents."""
    order = np.argsort(key)
    key, number = key[order], number[order]
    begins = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
    firsts = np.minimum.reduceat(number, begins)
    first = np.repeat(firsts, np.diff(np.append(begins, len(key))))
    is_other = number != first
    return firsts, key[begins], (number[is_other], first[is_other])


def _distinct(number: Ints, first: Ints) -> tuple[Ints, Ints]:
    """The edges, each of them once."""
    order = np.lexsort((first, number))
    number, first = number[order], first[order]
    is_new = np.ones(len(number), bool)
    is_new[1:] = (np.diff(number) != 0) | (np.diff(first) != 0)
    return number[is_new], first[is_new]


def _steps(first: int, last: int) -> Iterator[tuple[int, int]]:
    return ((at, min(at + BLOB, last)) for at in range(first, last, BLOB))


def _blobs(
    rows: Iterator[tuple[int, Keys | None, Ints, Ints | None]],
) -> Iterator[pa.RecordBatch]:
    """Rows of keys with their first documents, or of edges."""
    while some := list(islice(rows, PACKED_ROWS)):
        packed = [(piece, *(v if v is None else v.tobytes() for v in row)) for piece, *row in some]
        columns = zip(*packed, strict=True)
        yield pa.RecordBatch.from_arrays(
            [pa.array(values, each.type) for values, each in zip(columns, _PACKED, strict=True)],
            schema=_PACKED,
        )


def _stars(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The edges out of the blobs of a partition, piece by piece."""
    edges: list[tuple[Ints, Ints]] = []
    count = 0
    for rows in _whole(batches, "piece"):
        has_keys = rows["keys"].is_valid()
        known = rows.filter(pc.invert(has_keys))
        edges.append((_values(known["numbers"]), _values(known["firsts"])))
        keyed = rows.filter(has_keys)
        if keyed.num_rows:
            keys = _values(keyed["keys"]).view(np.uint64)
            edges.append(_firsts(_values(keyed["numbers"]), keys)[2])
        count += sum(len(number) for number, _ in edges[-2:])
        if count >= AT_ONCE:
            yield from _edges(*_distinct(*_together(edges)))
            edges, count = [], 0
    if edges:
        yield from _edges(*_distinct(*_together(edges)))


def _values(blobs: pa.Array) -> Ints:
    return np.frombuffer(b"".join(blobs.to_pylist()), np.int64)


def _edges(number: Any, first: Any) -> Iterator[pa.RecordBatch]:
    return numbers_in_batches(number=number, first=first)


def near_edges(compared: Any, plan: Plan) -> Any:
    """Edges out of rows (number, links, print): of documents with a common key those that are near.

    Of equal prints the first stands for all, so that no key has more documents than it has prints.
    """
    from pyspark.sql import functions as f

    known = compared.where(f.length("links") > 0).select("number", "links", "print")
    firsts = known.groupBy("print").agg(f.min("number").alias("first"))
    same = known.select("number", "print").join(firsts, "print").where("number <> first")
    alone = known.join(firsts.select(f.col("first").alias("number")), "number")
    keyed = mapped(alone.select("number", "links", "print"), _each_key, spelt(_KEYED))
    sorted_by_key = keyed.repartition("key").sortWithinPartitions("key", "number")
    near = mapped(sorted_by_key, partial(_near, plan), EDGES)
    return same.select("number", "first").union(near)


def _each_key(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """A row for each key of a document."""
    for batch in batches:
        lists = from_blobs(batch["links"])
        owner = pa.array(lists.owners())
        columns = [pa.array(lists.flat.view(np.int64)), batch["number"].take(owner)]
        yield pa.RecordBatch.from_arrays([*columns, batch["print"].take(owner)], schema=_KEYED)


def _near(plan: Plan, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Edges between near documents of one key, out of rows that are sorted by key."""
    search = begin(plan, task_resources())
    for rows in _whole(batches):
        key, number, prints = (np.asarray(rows[name]) for name in ("key", "number", "print"))
        cuts = [0, *(np.flatnonzero(key[1:] != key[:-1]) + 1).tolist(), len(key)]
        left, right = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for first, end in pairwise(cuts):
            if end - first > 1:
                a, b = search.near(prints[first:end].view(np.uint64), 1)
                left.append(number[first:end][a])
                right.append(number[first:end][b])
        ends = np.concatenate(left), np.concatenate(right)
        yield from _edges(np.maximum(*ends), np.minimum(*ends))


def _whole(batches: Iterator[pa.RecordBatch], by: str = "key") -> Iterator[pa.RecordBatch]:
    """The same rows, which are sorted by a column, cut only where another value of it begins."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        if not batch.num_rows:
            continue
        key = np.asarray(batch[by])
        last = int(np.searchsorted(key, key[-1]))  # rows of the last key may go on
        if last:
            yield pa.concat_batches([*waiting, batch.slice(0, last)])
            waiting = []
        elif waiting and waiting[0][by][0].as_py() != key[0]:
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
        return mapped(edges.coalesce(1), _joined, ROOTS)
    return _by_stars(edges, work)


def _joined(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The components of all edges that come."""
    edges = [(np.asarray(batch["number"]), np.asarray(batch["first"])) for batch in batches]
    if edges:
        number, root = _roots(edges)
        yield from numbers_in_batches(number=number, root=root)


def roots_by_keys(number: Ints, key: Keys) -> tuple[Ints, Ints]:
    """Documents that share a key with another one and their roots; documents come with each key."""
    edges = _firsts(number, key)[2] if len(key) else (number, number)
    return _roots([edges])


def _roots(edges: list[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
    """All documents that have an edge, rising, and the lowest that each is connected with."""
    from twinset import _kernels

    numbers = np.unique(np.concatenate([side for part in edges for side in part]))
    places = (np.searchsorted(numbers, part).astype(np.uint32) for part in edges)
    number, first = np.concatenate(list(places), axis=1)
    # an edge leads to a lower number
    return numbers, numbers[_kernels.component_roots(len(numbers), first, number)]


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
