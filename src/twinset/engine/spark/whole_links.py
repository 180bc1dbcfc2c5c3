"""A small collection in one task: numbered, named and linked by functions of the local engine.

Every query costs Spark a second, whatever its size, and most of what `shuffled_links` asks for is
done in less time than that for all documents together. Texts are still worked on in many tasks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.clusters.base import ClustersOfImages
from twinset.clusters.keep import Traits
from twinset.engine.copies import Classes, Copies
from twinset.engine.documents import distinct_ids, ids_of, never_removed, preferred
from twinset.engine.searching import begin
from twinset.engine.spark.blocks import DOCUMENT, pieces
from twinset.engine.spark.copies import EqualDocuments
from twinset.engine.spark.linked import LinkedDocuments
from twinset.engine.spark.linking import roots_by_keys
from twinset.engine.spark.numbering import Blocks
from twinset.engine.spark.schemas import from_blobs, spelt
from twinset.engine.spark.sketching import task_resources
from twinset.engine.spark.tasks import mapped
from twinset.engine.spark.work import WorkFolder
from twinset.model import Batch, Ints
from twinset.model import compute as pc
from twinset.model.columns import column, narrow, numbers, valid, words
from twinset.plan import Plan

SKETCHED = (
    *(*DOCUMENT, "line", "id", "order", "status", "units", "features"),
    *("same_a", "same_b", "copy_score", "links"),
)
"""What the task is given of each document."""
LINKED = pa.schema(
    {
        "number": pa.int64(),
        "file": pa.int32(),
        "block": pa.int64(),
        "row": pa.int64(),
        "id": pa.string(),
        "source": pa.string(),
        "place": pa.int64(),
        "position": pa.int64(),
        "stays": pa.bool_(),
        "status": pa.int32(),
        "units": pa.int64(),
        "features": pa.int64(),
        "copy_score": pa.float64(),
        "repeats": pa.bool_(),
        "leader": pa.int64(),
        "times": pa.int64(),
        "root": pa.int64(),
    }
)
"""What is known afterwards.

``leader`` stands for the document and for all that are equal to it, ``times`` of them. ``repeats``
says that another document before had the same id. ``root`` is there where a document is compared.
"""

Places = Mapping[tuple[int, int], int]


def can_link_whole(plan: Plan) -> bool:
    """Whether keys alone link documents: neither counts, prints nor images are asked."""
    if isinstance(plan.clusters, ClustersOfImages):
        return False
    search = begin(plan, task_resources())
    nothing, _ = search.extract(pa.array([], pa.large_string()), 1)
    return search.counted(nothing, 1) is None and search.prints() is None


def whole_links(
    sketches: Any, blocks: Blocks, sources: list[str], plan: Plan, work: WorkFolder
) -> LinkedDocuments:
    """All documents, and those of them to be compared."""
    from pyspark.sql import functions as f

    rows = sketches.where("row is not null").select(*SKETCHED).coalesce(1)
    task = partial(_linked, blocks.firsts, blocks.lines, sources, plan)
    is_linked = "root is not null"
    documents, count, units, repeated = work.kept_with(
        "documents",
        mapped(rows, task, spelt(LINKED)),
        f.count("root"),
        f.sum(f.expr(f"if({is_linked}, units, 0)")),
        f.count_if("repeats"),
    )
    equal = EqualDocuments(documents.where("times > 1").select("number", "leader", "times"))
    linked = documents.where(is_linked)
    return LinkedDocuments(documents, equal, linked, count, units, repeated, is_whole=True)


def _linked(
    firsts: Places,
    lines: Places,
    sources: Sequence[str],
    plan: Plan,
    batches: Iterator[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    """All documents by number, with `LINKED`."""
    rows = _numbered(firsts, lines, batches)
    if rows is None:
        return
    given, status = _ids(rows, sources), numbers(rows["status"])
    ids, _ = distinct_ids(given)
    files = numbers(rows["file"])
    stays = never_removed(plan.never_remove, ids, sources, files)
    units = numbers(rows["units"])
    order = numbers(rows["order"]) if plan.read.order is not None else None
    preference = preferred(stays, plan.keep, Traits.of(units, order, None), ids)
    first, score = _first_equal(rows), numbers(rows["copy_score"])
    classes = Classes.of(Copies(first, score, np.zeros(len(first), bool)), preference)
    root = _roots(rows, classes, status)
    everyone = np.arange(rows.num_rows)
    made = {
        "id": narrow(ids),
        "source": words(files, list(sources)),
        "position": column(preference.positions_of(everyone).astype(np.int64)),
        "stays": column(stays),
        "repeats": pc.not_equal(ids, given),
        "leader": column(classes.leader.astype(np.int64)),
        "times": column(classes.size[classes.leader].astype(np.int64)),
        "root": column(root, missing=root < 0),
    }
    whole = pa.table(
        [made[field.name] if field.name in made else rows[field.name] for field in LINKED],
        schema=LINKED,
    )
    yield from whole.to_batches(max_chunksize=1 << 14)


def _numbered(
    firsts: Places, lines: Places, batches: Iterator[pa.RecordBatch]
) -> pa.RecordBatch | None:
    """All rows in the order of their numbers; None where there are none."""
    parts = []
    for piece in pieces(batches, ("file", "block")):
        block = piece["file"][0].as_py(), piece["block"][0].as_py()
        number = column(firsts[block] + numbers(piece["row"]))
        place = column(lines[block] + numbers(piece["line"]))
        parts.append(piece.append_column("number", number).append_column("place", place))
    if not parts:
        return None
    return pa.Table.from_batches(parts).sort_by("number").combine_chunks().to_batches()[0]


def _ids(rows: pa.RecordBatch, sources: Sequence[str]) -> pa.Array:
    """The ids as they were given, and names where there are none."""
    named = []
    for piece in pieces(iter([rows]), ("file",)):
        source, texts = sources[piece["file"][0].as_py()], piece["id"]
        named.append(ids_of(Batch(texts, texts, source, numbers(piece["place"]))))
    return pa.concat_arrays(named)


def _first_equal(rows: pa.RecordBatch) -> Ints:
    """For each document the first one with the same digest, itself where there is none."""
    first = np.arange(rows.num_rows)
    there = np.flatnonzero(valid(rows["same_a"]))
    digest = [numbers(rows[name])[there] for name in ("same_a", "same_b")]
    order = np.lexsort(digest)  # which leaves equal ones as they are
    begins = np.ones(len(there), bool)
    begins[1:] = np.any([np.diff(half[order]) != 0 for half in digest], axis=0)
    first[there[order]] = there[order][begins][np.cumsum(begins) - 1]
    return first


def _roots(rows: pa.RecordBatch, classes: Classes, status: Any) -> Ints:
    """The root of each document that is compared, -1 for the others.

    One that stands for equal ones is a cluster, though it may be linked with nobody.
    """
    leads = np.flatnonzero(classes.leaders(status))
    lists = from_blobs(rows["links"].take(column(leads)))
    root = np.where(classes.leads & (classes.size > 1), np.arange(len(status)), -1)
    linked, roots = roots_by_keys(leads[lists.owners()], lists.flat)
    root[linked] = roots
    return root
