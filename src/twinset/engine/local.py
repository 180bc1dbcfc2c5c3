"""The local engine: runs a plan over documents, stage by stage."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from twinset import _kernels
from twinset.engine.clock import Clock
from twinset.engine.clustering import cluster_images, cluster_pairs
from twinset.engine.columns import give_back_memory
from twinset.engine.copies import Classes, Copies
from twinset.engine.documents import Collected, preference, with_policies
from twinset.engine.findings import Export, Findings
from twinset.engine.footprint import is_small, say_if_too_large, writers
from twinset.engine.images import ImageKeeper, image_keeper
from twinset.engine.kinds import KindTexts, kinds_of_clusters, kinds_of_pairs
from twinset.engine.manifest import manifest
from twinset.engine.pairing import expand, pair
from twinset.engine.progress import Progress, Silent
from twinset.engine.searching import begin, judge_of
from twinset.engine.streaming import Collector, collect, survey
from twinset.engine.tables import (
    clusters_table,
    documents_table,
    evidence_of,
    groups_table,
    kept_apart_table,
    kind_counts,
    pairs_table,
    with_kept_as,
)
from twinset.lazy_dataclass import dataclass
from twinset.methods.base import Search
from twinset.model import Documents, Judge
from twinset.plan import Plan, Resources
from twinset.reading.repeated import let_few_pages_through
from twinset.report.folder import SMALL
from twinset.report.numbered import KnownNumbers
from twinset.system.background import BackgroundResult
from twinset.system.pool import in_order
from twinset.text.wording import rewriter_of, spelt_wording

if TYPE_CHECKING:
    from twinset.engine.parts import PartsFolder
    from twinset.engine.parts.runs import KeptRun


LARGE = 32 << 20
"""Bytes of arrays that get memory of their own after the pass, where few are made and soon go."""


@dataclass(frozen=True)
class Local:
    """Runs on this machine: all its processors, within the memory that it may use."""


class _Read(NamedTuple):
    """All documents as they were collected, with those who have seen every one."""

    judge: Judge | None
    search: Search
    images: ImageKeeper | None
    kind_texts: KindTexts | None
    collected: Collected


def _read(
    documents: Documents,
    plan: Plan,
    resources: Resources,
    progress: Progress,
    clock: Clock,
    kept: KeptRun | None,
) -> _Read:
    """The passes over the documents."""
    judge = judge_of(plan, resources)
    search = begin(plan, resources, None if kept is None else kept.statistics())
    images = image_keeper(plan, search)
    rewriter = rewriter_of(plan)
    survey(documents, search, progress, rewriter, resources.threads)
    if kept is not None:
        kept.keep_statistics(search)
    if search.statistics is not None:
        clock.lap("count words")
    kind_texts = None if plan.kinds == "no" else KindTexts(plan.kinds, resources)
    collector = Collector(
        search,
        resources,
        judge,
        images,
        rewriter=rewriter,
        kind_texts=kind_texts,
        ordered=plan.read.order is not None,
    )
    if kept is None:
        collected = collect(documents, collector, progress)
    else:
        collected = kept.collect(collector, progress)
    return _Read(judge, search, images, kind_texts, collected)


def run(
    documents: Documents,
    plan: Plan,
    *,
    dedup: bool = False,
    resources: Resources | None = None,
    progress: Progress | None = None,
    parts: PartsFolder | None = None,
) -> Findings:
    """Find near-duplicates in the documents; with ``dedup`` also decide which ones go.

    What is finished is kept among the ``parts``, and what is there already is not done again.
    """
    resources = resources or Resources.make()
    progress = progress or Silent()
    clock = Clock()
    kept = None
    if parts is not None:
        from twinset.engine.parts.runs import KeptRun  # few runs need it

        kept = KeptRun(parts, documents, plan, dedup)
    read = partial(_read, documents, plan, resources, progress, clock, kept)
    # parts that are kept are those of one pass
    judge, search, images, kind_texts, collected = (
        let_few_pages_through(documents, read) if kept is None else read()
    )
    _kernels.keep_arrays_apart(LARGE)
    clock.lap("read and sketch")
    kept_values = 0 if images is None else images.count
    say_if_too_large(len(collected), collected.ids.nbytes, kept_values, resources)
    plan = with_policies(plan, collected, dedup)
    preferred = preference(collected, plan)
    copies = Copies.of(collected, search, judge)
    classes = Classes.of(copies, preferred, collected.reference)
    search.identify(collected.ids, classes.leader)
    make_rows = partial(documents_table, collected, classes, copies)
    # Rows need nothing of what follows, which leaves cores free now and then, but memory.
    overlap = is_small(len(collected), collected.ids.nbytes, resources)
    ahead = BackgroundResult(make_rows, resources.threads) if overlap else None
    progress.stage("comparing", None)
    # a search that keeps more than features may be asked about what it has found itself
    kept_pairs = kept if search.side_by_side else None
    paired = pair(collected, search, classes, copies, preferred, judge, resources, kept_pairs)
    if not overlap:
        give_back_memory()
    clock.lap("compare")
    progress.stage("clustering", None)
    image_clusters = None
    if images is not None:
        context = images.context()
        image_clusters = plan.clusters.find_clusters(context, resources.threads)
        clustered = cluster_images(image_clusters, paired, classes)
    else:
        clustered = cluster_pairs(plan.clusters, paired, classes)
    listed, implied = expand(paired, classes, collected, plan.max_pairs, resources.threads)
    clock.lap("cluster")
    kinds = kind_texts.finish(collected, progress) if kind_texts is not None else None
    pair_kinds = kinds_of_pairs(kinds, listed)
    cluster_kinds = kinds_of_clusters(kinds, clustered.clusters, preferred)
    more = {}
    if search.keyed and judge is None:
        more["groups"] = groups_table(collected, resources)
    evidence = evidence_of(search, listed, classes)
    released = BackgroundResult(partial(_release, collected), 2 if overlap else 1)
    rows = make_rows() if ahead is None else ahead.result()
    keep, removed = None, None
    if dedup:
        from twinset.engine.reasons import with_kept_because
        from twinset.engine.removing import remove

        removed = remove(paired, classes, preferred, kinds)
        keep = removed.keep
        rows = with_kept_as(rows, removed.target, removed.score)
        rows = with_kept_because(rows, removed, collected, plan, kinds)
    if kinds is not None:
        clock.lap("kinds")
    describe = partial(
        manifest,
        plan=plan,
        search=search,
        judge=judge,
        documents=documents,
        collected=collected,
        classes=classes,
        paired=paired,
        listed=listed,
        implied=implied,
        clustered=clustered,
        image_facts=plan.clusters.facts(image_clusters.figures(), images.name)
        if images and image_clusters
        else None,
        keep=keep,
        kinds=None if kinds is None else kind_counts(pair_kinds, removed),
        timings=clock.seconds,
        threads=resources.threads,
    )
    making: list[Callable[[], Any]] = [
        lambda: clusters_table(collected, clustered.clusters, keep, cluster_kinds),
        lambda: pairs_table(collected, listed, evidence, pair_kinds),
        describe,
    ]
    at_a_time = min(resources.threads, len(making)) if len(rows) + len(listed) > SMALL else 1
    clusters, pairs, facts = in_order(lambda make: make(), making, at_a_time)
    clock.lap("tables")
    if search.statistics is not None:
        counted = dataclasses.replace(search.statistics, wording=spelt_wording(plan))
        more["statistics"] = counted.table()
    repetition = getattr(documents, "repetition", None)
    if repetition is not None:
        tables = {"repeated": repetition.table, "boilerplate": repetition.paragraphs}
        more |= {name: table for name, table in tables.items() if table is not None}
    if removed is not None and removed.apart is not None:
        more["kept_apart"] = kept_apart_table(collected, removed.apart)
    exports: dict[str, Export] = {}
    if image_clusters is not None:
        more |= image_clusters.tables(collected.ids)
        exports["shingles.txt.out"] = partial(context.inverted_lines, least=2)
    if not overlap:
        released.result()
        give_back_memory()
    return Findings(
        rows,
        pairs,
        clusters,
        facts,
        keep,
        collected.heads.read,
        documents,
        more,
        exports,
        image_clusters,
        parts=parts,
        writers=writers(len(collected), collected.ids.nbytes, resources),
        row_numbers=KnownNumbers(
            classes.leader,
            clustered.clusters.member,
            clustered.clusters.anchor,
            listed.left,
            listed.right,
            None if removed is None else removed.target,
        ),
    )


def _release(collected: Collected) -> None:
    """Give the features back to the system, which only pairs are made of."""
    collected.release_features()
    give_back_memory()
