"""Clusters at a higher threshold, from the pairs of the report and without a new run.

A pair above the higher threshold is above the run's own, so what a new run would find is already
listed, as far as the run listed its pairs; `caveats` says where it did not.
"""

from __future__ import annotations

import fnmatch
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from twinset import registry
from twinset.clusters.base import Graph, Membership
from twinset.columns import numbers
from twinset.errors import ReportError
from twinset.model import Floats, Ints
from twinset.pipeline.classes import Classes
from twinset.report import words
from twinset.review.grouping import Grouping, grouped
from twinset.review.index import Index

KEPT = 3
"""Thresholds whose clusters are kept: those a reader goes to and fro between."""


@dataclass(frozen=True)
class Regrouped:
    """Clusters at a threshold, how many pairs reach it, and what limits the answer."""

    threshold: float
    pairs: int
    clusters: Grouping
    caveats: tuple[str, ...]

    @property
    def clustered_documents(self) -> int:
        """How many documents are in a cluster."""
        return self.clusters.documents


def regroup(index: Index, threshold: float) -> Regrouped:
    """The clusters that a run with this threshold would give; it must reach the run's own."""
    own = lowest(index)
    kept: OrderedDict[float, Regrouped] = index.kept_by_name.setdefault("regrouped", OrderedDict())
    if threshold in kept:
        return kept[threshold]
    if threshold < own:
        raise ReportError(
            f"the run looked for pairs of {own:g} or more and knows none below; "
            f"for {threshold:g} run again with --threshold {threshold:g}"
        )
    if "closed" in index.manifest or threshold == own:
        clusters = index.clusters
    else:
        clusters = _clusters(index, Links.of(index), threshold)
    made = Regrouped(threshold, _pairs(index, threshold), clusters, caveats(index))
    kept[threshold] = made
    while len(kept) > KEPT:
        kept.popitem(last=False)
    return made


def lowest(index: Index) -> float:
    """The least score that the run let pass: its threshold, or what its method gave."""
    if words.decided(index.manifest)["by"] == "method":
        return float(index.sorted_scores[0]) if len(index.sorted_scores) else 1.0
    return words.threshold(index.manifest)


def caveats(index: Index) -> tuple[str, ...]:
    """Why clusters at a higher threshold may differ from those of a new run, in sentences."""
    manifest, found = index.manifest, []
    if "closed" in manifest:
        found.append(
            "Closed sets are made of shared features and do not change with the similarity; "
            "give a new run a larger k or t."
        )
    missing = manifest.get("not_enumerated_pairs") or 0
    if missing:
        found.append(
            f"Inside dense groups {words.number(missing, 'pair')} were not enumerated: there, a "
            "new run may form larger clusters."
        )
    if ":" in str(manifest["plan"].get("keep", "first")):
        found.append(
            "The field that decides which copy is preferred is not in the report: anchors of the "
            "run come first, then the order of reading."
        )
    decision = words.decided(manifest)["by"]
    kind = manifest["plan"].get("candidates", {}).get("kind")
    if decision == "measure" and kind not in ("join", None):
        found.append("Pairs that the run has missed are missing here, too.")
    return tuple(found)


@dataclass(frozen=True)
class Links:
    """Pairs of leaders as slots in the order of preference, sorted by slots."""

    kept: NDArray[np.uint8]
    leaders: Ints
    classes: Classes
    earlier: NDArray[np.uint32]
    later: NDArray[np.uint32]
    score: Floats

    @classmethod
    def of(cls, index: Index) -> Links:
        """From the report, made once."""
        made: Links | None = index.kept_by_name.get("links")
        if made is None:
            made = index.kept_by_name["links"] = cls._make(index)
        return made

    @classmethod
    def _make(cls, index: Index) -> Links:
        leader = index.leader
        order, kept = preference(index)
        leaders = order[leader[order] == order]
        slot = np.zeros(len(index), np.uint32)
        slot[leaders] = np.arange(len(leaders), dtype=np.uint32)
        pairs = index.pairs
        # A pair of leaders stands for those of their classes, listed or not.
        own = (leader[pairs.left] == pairs.left) & (leader[pairs.right] == pairs.right)
        left, right, score = (
            (pairs.left, pairs.right, pairs.score)
            if own.all()
            else (pairs.left[own], pairs.right[own], pairs.score[own])
        )
        ends = slot[left], slot[right]
        earlier, later = np.minimum(*ends), np.maximum(*ends)
        if (np.diff(earlier.astype(np.int64)) < 0).any():  # neighbours in memory are quick to join
            order = np.lexsort((later, earlier))
            earlier, later, score = earlier[order], later[order], score[order]
        classes = Classes(leader.astype(np.int64))
        return cls(kept[leaders].astype(np.uint8), leaders, classes, earlier, later, score)

    def graph(self, threshold: float) -> Graph:
        """The graph of the pairs that reach a threshold."""
        good = self.score >= threshold
        return Graph(self.kept, self.earlier[good], self.later[good], self.score[good])


def preference(index: Index) -> tuple[Ints, NDArray[np.bool_]]:
    """Documents, most preferred first as the plan says, and those that must stay."""
    plan = index.manifest["plan"]
    kept = _never_removed(index, plan.get("never_remove"))
    policy = plan.get("keep", "first")
    number = np.arange(len(index))
    if policy in ("longest", "shortest"):
        by_id = np.empty(len(index), np.int64)
        by_id[numbers(pc.sort_indices(index.ids)).astype(np.int64)] = number
        units = index.units.astype(np.float64)
        return np.lexsort((by_id, -units if policy == "longest" else units, ~kept)), kept
    if ":" in policy:
        anchors = np.zeros(len(index), bool)
        held = index.clusters.anchor
        anchors[held[held >= 0]] = True
        return np.lexsort((number, ~anchors, ~kept)), kept
    return np.argsort(~kept, kind="stable"), kept


def _never_removed(index: Index, pattern: str | None) -> NDArray[np.bool_]:
    if pattern is None:
        return np.zeros(len(index), bool)
    codes, sources = index.source
    by_source = np.array([fnmatch.fnmatch(name, pattern) for name in sources], bool)
    by_id = np.array([fnmatch.fnmatch(id, pattern) for id in index.ids.to_pylist()], bool)
    found: NDArray[np.bool_] = by_id | by_source[codes]
    return found


def _clusters(index: Index, links: Links, threshold: float) -> Grouping:
    kind = registry.make("clusters", index.manifest["plan"]["clusters"])
    graph = links.graph(threshold)
    found: Membership = kind.clusters(graph)
    disjoint = np.bincount(found.slot, minlength=1).max() <= 1
    weakest, whole = _inside(graph, found) if disjoint else _unknown(found)
    return _written_out(links, found, weakest, whole)


def _written_out(
    links: Links, found: Membership, weakest: Floats, whole: NDArray[np.bool_]
) -> Grouping:
    """Clusters of slots as clusters of documents, with the classes that are clusters alone."""
    classes, leaders = links.classes, links.leaders
    alone = classes.size[leaders] > 1
    alone[found.slot] = False
    lone = np.flatnonzero(alone)
    first = int(found.cluster[-1]) + 1 if len(found.cluster) else 0
    number = np.concatenate([found.cluster, first + np.arange(len(lone))])
    slot = np.concatenate([found.slot, lone])
    anchored = bool((found.anchor >= 0).any()) or not len(found.slot)
    anchor = np.concatenate([found.anchor, lone if anchored else np.full(len(lone), -1)])
    score = np.concatenate([found.score, np.full(len(lone), 1.0 if anchored else np.nan)])
    weakest = np.concatenate([weakest, np.ones(len(lone))])
    whole = np.concatenate([whole, np.ones(len(lone), bool)])
    member, row = classes.members(leaders[slot])
    order = np.lexsort((member, number[row]))
    row = row[order]
    held = anchor[row]
    return grouped(
        number[row],
        member[order].astype(np.int32),
        np.where(held >= 0, leaders[np.maximum(held, 0)], -1).astype(np.int32)
        if len(row)
        else held.astype(np.int32),
        score[row],
        weakest[number[row]],
        ~whole[number[row]],
    )


def _inside(graph: Graph, found: Membership) -> tuple[Floats, NDArray[np.bool_]]:
    """For each cluster the lowest listed score inside, and whether all its pairs are listed."""
    count = int(found.cluster[-1]) + 1 if len(found.cluster) else 0
    label = np.full(graph.count, -1, np.int32)
    label[found.slot] = found.cluster
    owner = label.take(graph.earlier, mode="clip")
    inside = owner == label.take(graph.later, mode="clip")
    inside &= owner >= 0
    owner = owner[inside]
    lowest = np.full(count, np.nan)
    if np.isnan(found.score).any():  # an anchored cluster is as weak as its weakest member
        np.fmin.at(lowest, owner, graph.score[inside])
    sizes = np.bincount(found.cluster, minlength=count)
    whole = np.bincount(owner, minlength=count) == sizes * (sizes - 1) // 2
    return lowest, whole


def _unknown(found: Membership) -> tuple[Floats, NDArray[np.bool_]]:
    """Clusters that overlap are cliques: every pair reaches the threshold."""
    count = int(found.cluster[-1]) + 1 if len(found.cluster) else 0
    return np.full(count, np.nan), np.ones(count, bool)


def _pairs(index: Index, threshold: float) -> int:
    """How many of the listed pairs reach the threshold."""
    scores = index.sorted_scores
    return len(scores) - int(np.searchsorted(scores, threshold, "left"))
