"""Counts of features over the whole collection, for methods whose keys are the rarest ones.

There are at most 2^27 counters, whatever the collection: 256 MB. Every task counts its own
documents, pieces of the counters are added up by Spark, and the whole goes to a file that all tasks
map into memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.candidates.base import TOP, Counts, counters
from twinset.engine.searching import begin
from twinset.engine.spark.schemas import as_blobs, from_blobs
from twinset.engine.spark.sending import send_array, sent_array
from twinset.engine.spark.sketching import task_resources
from twinset.engine.spark.tasks import mapped
from twinset.plan import Plan

PIECE = 1 << 16
"""Counters of a piece."""


def send_counts(lists: Any, session: Any) -> str:
    """Count the features of rows (links) and send the counts to all machines; their file's name."""
    total = lists.selectExpr("sum(length(links)) div 8").collect()[0][0] or 0
    size = counters(total)
    counted = "piece int, places array<int>, counts array<int>"
    pieces = mapped(lists.select("links"), partial(_count, size), counted)
    sums = pieces.groupBy("piece").applyInArrow(_added, "piece int, counts binary")
    counts: Counts = np.zeros(size, np.uint16)
    for row in sums.toLocalIterator():
        counts[row.piece * PIECE : (row.piece + 1) * PIECE] = np.frombuffer(row.counts, np.uint16)
    return send_array(counts, session)


def _count(size: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        values = from_blobs(batch["links"]).flat & np.uint64(size - 1)
        places, counts = np.unique(values, return_counts=True)
        piece = (places // PIECE).astype(np.int32)
        begins = np.flatnonzero(np.diff(piece, prepend=-1)).astype(np.int32)
        offsets = pa.array(np.append(begins, np.int32(len(piece))))
        inside = pa.array((places % PIECE).astype(np.int32))
        yield pa.RecordBatch.from_arrays(
            [
                pa.array(piece[begins]),
                pa.ListArray.from_arrays(offsets, inside),
                pa.ListArray.from_arrays(offsets, pa.array(counts.astype(np.int32))),
            ],
            ["piece", "places", "counts"],
        )


def _added(rows: pa.Table) -> pa.Table:
    """All counts of a piece."""
    sums = np.zeros(PIECE, np.int64)
    for chunk in rows.to_batches():
        places, counts = (np.asarray(chunk[name].flatten()) for name in ("places", "counts"))
        sums += np.bincount(places, counts, minlength=PIECE).astype(np.int64)
    whole = np.minimum(sums, TOP).astype(np.uint16).tobytes()
    return pa.table({"piece": rows["piece"].slice(0, 1), "counts": pa.array([whole], pa.binary())})


def counted_links(lists: Any, plan: Plan, counts: str) -> Any:
    """Rows (number, links): in place of the features that were counted the keys that they give."""
    return mapped(lists, partial(_linked, plan, counts), "number bigint, links binary")


def _linked(plan: Plan, counts: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    search = begin(plan, task_resources())
    search.count_by(sent_array(counts))
    for batch in batches:
        keys = search.counted_links(from_blobs(batch["links"]), 1)
        yield pa.RecordBatch.from_arrays([batch["number"], as_blobs(keys)], ["number", "links"])
