"""The local rooms over the documents of one task, which nothing outside of it is linked with.

A document comes with its number, its place in the order of preference, and how many equal ones it
stands for; so what is found is what the whole collection would have given.

No two tasks have a pair, a cluster or a document in common, so that sums over tasks are those of
the whole collection.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from twinset.finding.methods.base import links_of
from twinset.model import HEAD, Clusters, Ints, Pairs
from twinset.model import compute as pc
from twinset.model.columns import column, flags, numbers, one_array
from twinset.plan import Plan
from twinset.result.page import CALLS
from twinset.run.clustering import Clustered, cluster_pairs, removal
from twinset.run.copies import Classes, Copies
from twinset.run.documents import Preference
from twinset.run.pairing import Paired, pair
from twinset.run.parts import packed, unpacked
from twinset.run.streaming import PreparedBatch
from twinset.run.tables import evidence_of
from twinset.spark.columns import filled, mapped, sent_array, spelt
from twinset.spark.sketching import Rooms, as_batch, task_resources

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
    "head": pa.string(),
    "detail": pa.string(),
    "data": pa.binary(),
}
"""What a task gives, besides the evidence of a method: rows of several sorts in one table."""
PAIR, COPIES, MEMBER, GOES, FIGURES, TEXT, PIECE = range(7)
"""A pair; what a document is to its copies; a member of a cluster; who goes for whom; figures;
the text of a document of a close call; a piece of a crowd, ``left`` its root."""
GIVEN = {
    "number": pa.int64(),
    "position": pa.int64(),
    "stays": pa.bool_(),
    "times": pa.int64(),
    "text": pa.string(),
}
"""What a task is given of a document."""
PACK = 1 << 14
"""Rows of a crowd that are packed together."""
Given = tuple[pa.Table, PreparedBatch]
"""Rows of `GIVEN`, rising by number, and what was made of their texts."""
Rows = tuple[int, dict[str, Any]]
"""The columns of rows of one sort."""


@dataclass(frozen=True)
class Figures:
    """What all tasks have counted; ``sums`` by their names, which are 0 where no task had work."""

    sums: Counter[str]
    weakest: float | None
    most: float

    @classmethod
    def of(cls, rows: Iterable[str]) -> Figures:
        """From the rows of the tasks, as JSON."""
        tasks = [json.loads(row) for row in rows]
        sums = Counter[str]()
        for task in tasks:
            sums.update(task["sums"])
        weakest = [score for task in tasks for score in task["weakest"]]
        most = max((task["most"] for task in tasks), default=0.0)
        return cls(sums, min(weakest, default=None), most)


class GivenClasses(Classes):
    """Every document stands for itself and for equal ones that are elsewhere."""

    @cached_property
    def size(self) -> Any:
        """How many documents each one stands for, as it was given."""
        return self.__dict__["times"]

    def members(self, leaders: Ints) -> tuple[Ints, Ints]:
        """The leaders alone."""
        return leaders, np.arange(len(leaders))


class Task(NamedTuple):
    """What a task is told: ``counts`` names the file of features counted over the whole collection,
    where there is one, and ``schema`` has the columns of what is found."""

    plan: Plan
    dedup: bool
    counts: str | None
    schema: pa.Schema

    @classmethod
    def of(cls, plan: Plan, dedup: bool, counts: str | None) -> Task:
        """With the columns that this plan leads to."""
        nothing = pa.table({name: pa.array([], kind) for name, kind in GIVEN.items()})
        rooms = Rooms.of(plan, task_resources())
        pairs = dict(_found(plan, False, rooms, [_prepared(rooms, nothing)]))[PAIR]
        # Those of no documents have the columns of all others.
        evidence = {name: _arrow(pairs[name]).type for name in pairs if name not in FOUND}
        return cls(plan, dedup, counts, pa.schema(FOUND | evidence))

    def rooms(self) -> Rooms:
        """New rooms, with the counted features."""
        rooms = Rooms.of(self.plan, task_resources())
        if self.counts is not None:
            links_of(rooms.search).count_by(sent_array(self.counts))
        return rooms

    def rows(self, sorts: Iterable[Rows]) -> Iterator[pa.RecordBatch]:
        """Rows of several sorts in one table."""
        for sort, columns in sorts:
            made = {name: _arrow(values) for name, values in columns.items()}
            if count := len(made["left"]):
                made["sort"] = column(np.full(count, sort, np.int32))
                yield filled(self.schema, made)


def found(documents: Any, task: Task) -> Any:
    """What the tasks find in the linked documents, one task for each partition.

    Of crowds they make no more than pieces, see `of_crowds`.
    """
    return mapped(documents, partial(_work, task), spelt(task.schema))


def of_crowds(found: Any, task: Task, crowds: int, partitions: int) -> Any:
    """What is found in the crowds, ``crowds`` at most, whose pieces stand among what was found.

    Only to compare the documents of a crowd takes one task. Their features and keys are made in
    many before, and rows for Java in many afterwards: of near copies that is most of the work.
    """
    pieces = found.where(f"sort = {PIECE}").select("left", "right", "data")
    together = pieces.repartition(crowds, "left").sortWithinPartitions("left", "right")
    packs = mapped(together, partial(_together, task), "data binary")
    return mapped(packs.repartition(partitions), _rows_again, spelt(task.schema))


def _work(task: Task, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What is found in groups that are here, and the pieces of crowds."""
    some = [batch for batch in batches if batch.num_rows]
    if some:
        table = pa.Table.from_batches(some).sort_by("number")
        piece, roots, rooms = numbers(table["piece"]), numbers(table["root"]), task.rooms()
        if not piece.all():
            whole = table.filter(column(piece == 0))
            yield from task.rows(_found(task.plan, task.dedup, rooms, [_prepared(rooms, whole)]))
        for at in np.unique(piece[piece > 0]):
            for root in np.unique(roots[piece == at]):
                rows = table.filter(column((piece == at) & (roots == root)))
                data = pa.array([packed(_prepared(rooms, rows.select(list(GIVEN))))], pa.binary())
                piece_of = {"left": np.array([root]), "right": np.array([at]), "data": data}
                yield from task.rows([(PIECE, piece_of)])


def _together(task: Task, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What is found in each crowd out of its pieces, which follow each other, as packs of rows."""
    pieces = (piece for batch in batches for piece in batch.to_pylist())
    for _, crowd in groupby(pieces, itemgetter("left")):
        given = (unpacked(piece["data"]) for piece in crowd)
        for batch in task.rows(_found(task.plan, task.dedup, task.rooms(), given)):
            for at in range(0, batch.num_rows, PACK):
                pack = packed(pa.Table.from_batches([batch.slice(at, PACK)]))
                yield pa.RecordBatch.from_arrays([pa.array([pack], pa.binary())], ["data"])


def _rows_again(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows of packs."""
    for batch in batches:
        for pack in batch["data"]:
            yield from unpacked(pack.as_py()).to_batches()


def _arrow(values: Any) -> pa.Array:
    return column(values) if isinstance(values, np.ndarray) else one_array(values)


def _prepared(rooms: Rooms, rows: pa.Table) -> Given:
    return rows, rooms.collector.prepare(as_batch(rows))


def _found(plan: Plan, dedup: bool, rooms: Rooms, given: Iterable[Given]) -> Iterator[Rows]:
    """Run the rooms one after the other; what was found has the numbers of the collection."""
    resources, tables = task_resources(), []
    search, judge, collector = rooms.search, rooms.judge, rooms.collector
    for table, batch in given:
        collector.take(collector.stored(batch))
        tables.append(table)
    rows = pa.concat_tables(tables)
    number, position, stays = (
        numbers(rows["number"]),
        numbers(rows["position"]),
        flags(rows["stays"]),
    )
    collected = collector.finish()
    copies = Copies.of(collected, search, judge)
    preferred = Preference(np.argsort(position), stays, positions=position)
    classes = GivenClasses(np.arange(len(number)), np.zeros(len(number), bool))
    classes.__dict__["times"] = numbers(rows["times"]).astype(np.uint32)
    search.identify(collected.ids, classes.leader)
    paired = pair(collected, search, classes, copies, preferred, judge, resources)
    pairs, clustered = paired.pairs, cluster_pairs(plan.clusters, paired, classes)
    left, right = number[pairs.left], number[pairs.right]
    score = {"shared": pairs.shared, "score": pairs.score}
    yield PAIR, {"left": left, "right": right, **score, **evidence_of(search, pairs, classes)}

    copied = np.flatnonzero(classes.leads & (classes.size > 1))
    sizes = collected.sizes[copied].astype(np.int64)
    alike = Pairs(copied, copied, sizes, paired.score(copied, copied))
    score = {"shared": sizes, "score": alike.score}
    yield COPIES, {"left": number[copied], **score, **evidence_of(search, alike, classes)}

    firsts = position[clustered.first]
    texts = one_array(rows["text"])
    yield MEMBER, _members(clustered.clusters, firsts, clustered.alone, number, texts)

    if dedup:
        leaders = paired.leaders
        target, score_of = removal(paired.graph, leaders, classes, stays)
        goes = {"right": number[target[leaders]], "score": score_of[leaders]}
        yield GOES, {"left": number[leaders], **goes}

    figures = _figures(classes, paired, clustered) | {
        "most": float(np.concatenate([pairs.score, alike.score]).max(initial=0.0))
    }
    figures["sums"]["chains"] = search.describe().get("chains", 0)
    yield FIGURES, {"left": np.zeros(1, np.int64), "detail": pa.array([json.dumps(figures)])}

    lowest = np.argsort(pairs.score, kind="stable")[:CALLS]
    shown = np.unique(np.concatenate([pairs.left[lowest], pairs.right[lowest]]))
    yield TEXT, {"left": number[shown], "head": texts.take(column(shown))}


def _figures(classes: Classes, paired: Paired, clustered: Clustered) -> dict[str, Any]:
    """What is counted, as JSON has it."""
    pairs, clusters = paired.pairs, clustered.clusters
    size = classes.size.astype(np.int64)
    return {
        "sums": {
            "compared": paired.compared,
            "absorbed": paired.absorbed,
            "not_enumerated": paired.not_enumerated or 0,
            "not_counted": int(paired.not_enumerated is None),
            "incomplete": int(not clustered.complete),
            "same_as": int((size[classes.leads] - 1).sum()),
            "pairs": len(pairs),
            "implied": classes.pairs_implied(pairs.left, pairs.right),
            "clusters": len(clusters),
            "clustered": int(size[np.unique(clusters.member)].sum()),
            "chained": int(np.count_nonzero(clusters.chained)),
        },
        "weakest": _least(clusters),
    }


def _least(clusters: Clusters) -> list[float]:
    """The weakest of all clusters, if any is known."""
    known = clusters.weakest[~np.isnan(clusters.weakest)]
    return [float(known.min())] if len(known) else []


def _members(
    clusters: Clusters, firsts: Ints, alone: int, number: Ints, texts: pa.Array
) -> dict[str, Any]:
    """Rows of clusters; those of equal documents ``alone`` come behind all others.

    ``first`` and ``index``, the place among those of the task, are what clusters are numbered by.
    """
    section = np.zeros(len(clusters), np.int32)
    section[len(clusters) - alone :] = 1
    cluster, anchor = clusters.cluster, clusters.anchor
    heads = pc.utf8_slice_codeunits(texts, 0, HEAD)
    return {
        "section": section[cluster],
        "first": firsts[cluster],
        "index": cluster,
        "left": number[clusters.member],
        "right": np.where(anchor >= 0, number[np.maximum(anchor, 0)], -1),
        "score": clusters.score,
        "weakest": clusters.weakest[cluster],
        "chained": clusters.chained[cluster],
        "head": heads.take(column(clusters.member)),
    }
