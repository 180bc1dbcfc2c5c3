"""The local engine: runs a plan over documents, stage by stage."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from twinset import _kernels, registry
from twinset.candidates.base import Candidates, Goal
from twinset.clusters.base import Graph
from twinset.model import Documents, Ints, Measure, Pairs
from twinset.pipeline.classes import Classes
from twinset.pipeline.clustering import cluster, removal
from twinset.pipeline.collect import Collected, Collector, collect
from twinset.pipeline.findings import Findings
from twinset.pipeline.manifest import manifest
from twinset.pipeline.preference import Preference, preference
from twinset.pipeline.progress import Progress, Silent
from twinset.pipeline.tables import clusters_table, documents_table, pairs_table, with_kept_as
from twinset.plan import Plan, Resources


@dataclass
class Clock:
    """Wall seconds of each stage."""

    seconds: dict[str, float] = field(default_factory=dict)
    _last: float = field(default_factory=time.perf_counter)

    def lap(self, stage: str) -> None:
        """The time since the last lap belongs to this stage."""
        now = time.perf_counter()
        self.seconds[stage] = round(now - self._last, 4)
        self._last = now


@dataclass(frozen=True)
class Paired:
    """Verified pairs of leaders, and what it took to find them."""

    pairs: Pairs
    graph: Graph
    leaders: Ints
    compared: int
    absorbed: int
    not_enumerated: int


def run(
    documents: Documents,
    plan: Plan,
    *,
    dedup: bool = False,
    resources: Resources | None = None,
    progress: Progress | None = None,
) -> Findings:
    """Find near-duplicates in the documents; with ``dedup`` also decide which ones go."""
    resources = resources or Resources.make()
    progress = progress or Silent()
    clock = Clock()
    method = registry.make(
        "method",
        plan.method,
        shingle=plan.shingle,
        offset=plan.offset,
        unit=plan.unit,
        image=plan.image,
        seed=plan.seed,
    )
    measure: Measure = registry.make("measure", plan.measure)
    kind = registry.make("clusters", plan.clusters)
    goal = Goal(measure, plan.threshold, plan.recall, plan.dense)
    candidates: Candidates = method.candidates(goal, resources)
    collector = Collector(method.features(), candidates, resources)
    found = collect(documents, collector, plan.read.order is not None, progress)
    clock.lap("read and sketch")
    preferred = preference(found, plan)
    classes = Classes.of(found.store.classes, preferred)
    progress.stage("comparing", None)
    paired = pair(found, candidates, classes, preferred, goal, resources)
    clock.lap("compare")
    progress.stage("clustering", None)
    clustered = cluster(
        kind,
        paired.graph,
        paired.leaders,
        classes,
        found,
        measure,
        plan.threshold,
        resources.threads,
    )
    listed, implied = expand(paired.pairs, classes, found, measure, plan.max_pairs)
    keep = None
    rows = documents_table(found, classes)
    if dedup:
        target, score = removal(paired.graph, paired.leaders, classes, preferred.kept)
        keep = target == np.arange(len(found))
        rows = with_kept_as(rows, target, score)
    clock.lap("cluster")
    tables = (
        rows,
        pairs_table(found, listed),
        clusters_table(found, clustered.clusters, keep),
    )
    clock.lap("tables")
    facts = manifest(
        plan=plan,
        method=registry.spell("method", method),
        candidates=candidates,
        documents=documents,
        found=found,
        classes=classes,
        paired=paired,
        listed=listed,
        implied=implied,
        clustered=clustered,
        keep=keep,
        timings=clock.seconds,
        threads=resources.threads,
    )
    return Findings(*tables, facts, keep, found.head, documents)


def pair(
    found: Collected,
    candidates: Candidates,
    classes: Classes,
    preferred: Preference,
    goal: Goal,
    resources: Resources,
) -> Paired:
    """Candidates of the class leaders, verified; in order of preference, see ``pairing.hpp``."""
    leads = classes.leaders(found.status)
    leaders = preferred.order[leads[preferred.order]]
    groups = candidates.groups(found.store, leads.astype(np.uint8))
    kept = preferred.kept[leaders].astype(np.uint8)
    left, right, shared, compared, absorbed, missing = _kernels.verified_pairs(
        found.store,
        leaders.astype(np.uint32),
        kept,
        groups.alone_of(leaders),
        groups.offsets,
        groups.documents,
        goal.measure.number,
        goal.threshold,
        goal.dense,
        groups.crowd,
        resources.threads,
    )
    order = np.lexsort((right, left))
    a, b, shared = left[order].astype(np.int64), right[order].astype(np.int64), shared[order]
    size = found.store.sizes
    pairs = Pairs(a, b, shared, goal.measure.score(shared, size[a], size[b]))
    slot = np.zeros(len(found), np.uint32)
    slot[leaders] = np.arange(len(leaders), dtype=np.uint32)
    ends = np.sort(np.stack([slot[a], slot[b]]), axis=0)
    graph = Graph(kept, np.ascontiguousarray(ends[0]), np.ascontiguousarray(ends[1]), pairs.score)
    return Paired(pairs, graph, leaders, compared, absorbed, missing)


def expand(
    pairs: Pairs, classes: Classes, found: Collected, measure: Measure, most: int
) -> tuple[Pairs, int]:
    """Pairs of all documents up to ``most``; else of leaders, and how many they imply."""
    total = classes.pairs_implied(pairs.left, pairs.right)
    if total == len(pairs) or total > most:
        return pairs, total - len(pairs)
    a, b, row = classes.cross(pairs.left, pairs.right)
    c, d = classes.within()
    left, right = np.concatenate([np.minimum(a, b), c]), np.concatenate([np.maximum(a, b), d])
    size = found.store.sizes
    shared = np.concatenate([pairs.shared[row], size[c]])
    order = np.lexsort((right, left))
    left, right, shared = left[order], right[order], shared[order]
    return Pairs(left, right, shared, measure.score(shared, size[left], size[right])), 0
