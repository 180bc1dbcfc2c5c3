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
from typing import Any

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
}
"""What a task gives, besides the evidence of a method: rows of several sorts in one table."""
PAIR, COPIES, MEMBER, GOES, FIGURES, TEXT = range(6)
"""A pair; what a document is to its copies; a member of a cluster; who goes for whom; figures;
the text of a document of a close call."""
GIVEN = {
    "number": pa.int64(),
    "position": pa.int64(),
    "stays": pa.bool_(),
    "times": pa.int64(),
    "text": pa.string(),
}
"""What a task is given of a document."""
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


def found(documents: Any, plan: Plan, dedup: bool, counts: str | None) -> Any:
    """What the tasks find in the linked documents, one task for each partition.

    ``counts`` names the file of features counted over the whole collection, where there is one.
    """
    nothing = {name: pa.array([], kind) for name, kind in GIVEN.items()}
    sorts = dict(_found(plan, False, None, pa.RecordBatch.from_pydict(nothing)))
    pairs = sorts[PAIR]  # of no documents: they have the columns of all others
    evidence = {name: _arrow(pairs[name]).type for name in pairs if name not in FOUND}
    schema = pa.schema(FOUND | evidence)
    return mapped(documents, partial(_work, plan, dedup, counts, schema), spelt(schema))


def _work(
    plan: Plan,
    dedup: bool,
    counts: str | None,
    schema: pa.Schema,
    batches: Iterator[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    some = [batch for batch in batches if batch.num_rows]
    if some:
        table = pa.Table.from_batches(some).sort_by("number").combine_chunks()
        for sort, columns in _found(plan, dedup, counts, table.to_batches()[0]):
            made = {name: _arrow(values) for name, values in columns.items()}
            if count := len(made["left"]):
                made["sort"] = column(np.full(count, sort, np.int32))
                yield filled(schema, made)


def _arrow(values: Any) -> pa.Array:
    return column(values) if isinstance(values, np.ndarray) else one_array(values)


def _found(plan: Plan, dedup: bool, counts: str | None, rows: pa.RecordBatch) -> Iterator[Rows]:
    """Run the rooms one after the other; what was found has the numbers of the collection."""
    resources = task_resources()
    rooms = Rooms.of(plan, resources)
    search, judge, collector = rooms.search, rooms.judge, rooms.collector
    if counts is not None:
        links_of(search).count_by(sent_array(counts))
    number, position, stays = (
        numbers(rows["number"]),
        numbers(rows["position"]),
        flags(rows["stays"]),
    )
    collector.take(collector.work(as_batch(rows)))
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

    clusters = clustered.clusters
    firsts = position[clustered.first]
    yield MEMBER, _members(clusters, firsts, clustered.alone, number, rows["text"])

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
    yield TEXT, {"left": number[shown], "head": rows["text"].take(column(shown))}


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
