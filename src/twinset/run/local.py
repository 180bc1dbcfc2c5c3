"""The local engine: runs a plan over documents, stage by stage."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset.finding.clusters.base import ClustersOfImages, ImageClusters
from twinset.finding.methods.base import Evidence, Search
from twinset.model import HEAD, Documents, Judge, Pairs
from twinset.model.flow import NOT_ASKED, Codes
from twinset.plan import Plan, Resources
from twinset.plan.plan import amount_left
from twinset.result.folder import SMALL
from twinset.run.clustering import Clustered, cluster_pairs
from twinset.run.columns import give_back_memory
from twinset.run.copies import Classes, Copies
from twinset.run.documents import Collected, Preference, preference, with_policies
from twinset.run.findings import Export, Findings
from twinset.run.footprint import say_if_too_large, writers
from twinset.run.manifest import manifest
from twinset.run.pairing import Paired, expand, pair
from twinset.run.progress import Clock, Progress, Silent
from twinset.run.searching import begin, judge_of
from twinset.run.streaming import Collector, collect, survey, watched
from twinset.run.tables import (
    clusters_table,
    documents_table,
    evidence_of,
    groups_table,
    pairs_table,
    with_kept_as,
)
from twinset.system.threads import in_order
from twinset.text.arrow import arrow_text
from twinset.text.wording import rewriter_of, spelt_wording

if TYPE_CHECKING:
    from twinset.finding.clusters.closed_sets import Context
    from twinset.run.images import ImageKeeper
    from twinset.run.kinds import KindTexts, PairKinds
    from twinset.run.parts import PartsFolder
    from twinset.run.removing import Removal
    from twinset.run.resuming import KeptRun


LARGE = 32 << 20
"""Arrays of so many bytes get memory of their own after the pass, so that it can go back."""


@dataclass(frozen=True)
class Local:
    """Runs on this machine: all its processors, within the memory that it may use."""


class _Read(NamedTuple):
    """All documents as they were collected, and the searches that have seen every one."""

    judge: Judge | None
    search: Search
    images: ImageKeeper | None
    kind_texts: KindTexts | None
    collected: Collected


class _Compared(NamedTuple):
    """Which documents stand for which others, and the pairs of those that stand for some.

    ``target`` says which threshold was taken for the plan's target.
    """

    preferred: Preference
    copies: Copies
    classes: Classes
    paired: Paired
    kinds: PairKinds | None
    target: dict[str, Any] | None = None


class _Grouped(NamedTuple):
    """The clusters, the pairs that are listed and what the method says of these.

    ``images`` are the clusters that were found in the images of ``context``.
    """

    clustered: Clustered
    listed: Pairs
    implied: int
    evidence: Evidence
    images: ImageClusters | None
    context: Context | None


class _Decided(NamedTuple):
    """The kinds of pairs and clusters, and which documents are removed for which."""

    of_pairs: Codes
    of_clusters: Codes
    removal: Removal | None


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
    stages = Stages(
        documents, plan, dedup, resources or Resources.make(), progress or Silent(), parts
    )
    read = stages.read()
    compared = stages.compare(read, preference(read.collected, stages.plan, dedup))
    grouped = stages.group(read, compared)
    more = stages.tables_of_features(read)
    read.collected.release_features()  # what follows asks nobody for features
    give_back_memory()
    decided = stages.decide(read, compared, grouped)
    return stages.findings(read, compared, grouped, decided, more)


class Stages:
    """The stages of a run; each is told what those before have made.

    ``head`` is how many bytes of each document are kept to be shown.
    """

    def __init__(
        self,
        documents: Documents,
        plan: Plan,
        dedup: bool,
        resources: Resources,
        progress: Progress,
        parts: PartsFolder | None = None,
        head: int = HEAD,
    ) -> None:
        self._documents, self.plan, self._dedup = documents, plan, dedup
        self._resources, self._progress, self._parts = resources, progress, parts
        self._head = head
        self.clock = Clock()
        self._kept: KeptRun | None = None
        if parts is not None:
            from twinset.run.resuming import KeptRun

            self._kept = KeptRun(parts, documents, plan, dedup)

    def read(self) -> _Read:
        """The passes over the documents, which settle what the plan left to them."""
        read = self._read()
        _kernels.keep_arrays_apart(LARGE)
        self.clock.lap("read and sketch")
        collected, kept_values = read.collected, 0 if read.images is None else read.images.count
        say_if_too_large(len(collected), collected.ids.nbytes, kept_values, self._resources)
        self.plan = with_policies(self.plan, collected, self._dedup)
        return read

    def _read(self) -> _Read:
        plan, resources, kept = self.plan, self._resources, self._kept
        judge = judge_of(plan, resources)
        search = begin(plan, resources, None if kept is None else kept.statistics())
        images, kind_texts = None, None
        if isinstance(plan.clusters, ClustersOfImages):
            from twinset.run.images import image_keeper

            images = image_keeper(plan, search)
        if _asks_kinds(plan, self._documents):
            from twinset.run.kinds import KindTexts

            kind_texts = KindTexts(plan.kinds, resources, plan.read.vectors is not None)
        rewriter = rewriter_of(plan)
        survey(self._documents, search.surveys(), self._progress, rewriter, resources.threads)
        if kept is not None:
            kept.keep_statistics(search)
        if search.statistics is not None:
            self.clock.lap("count words")
        collector = Collector(
            search,
            resources,
            judge,
            images,
            rewriter=rewriter,
            kind_texts=kind_texts,
            ordered=plan.read.order is not None,
            head=self._head,
        )
        if kept is None:
            collected = collect(self._documents, collector, self._progress)
        else:
            collected = kept.collect(collector, self._progress)
        return _Read(judge, search, images, kind_texts, collected)

    def compare(self, read: _Read, preferred: Preference) -> _Compared:
        """Equal documents, and the pairs of those that differ."""
        collected, search, resources = read.collected, read.search, self._resources
        copies = Copies.of(collected, search, read.judge)
        classes = Classes.of(copies, preferred, collected.reference)
        search.identify(collected.ids, classes.leader)
        self._progress.stage("comparing", None)
        # a search that keeps more than features may be asked about what it has found itself
        kept = self._kept if search.side_by_side else None
        before = None if kept is None else kept.compared()
        paired = pair(collected, search, classes, copies, preferred, read.judge, resources, before)
        if kept is not None:
            kept.keep_compared(paired)
        give_back_memory()
        self.clock.lap("compare")
        texts = read.kind_texts
        kinds = None if texts is None else texts.finish(collected, self._progress)
        compared = _Compared(preferred, copies, classes, paired, kinds)
        is_aimed = self._dedup and self.plan.target is not None
        return self._at_target(read, compared) if is_aimed else compared

    def _at_target(self, read: _Read, compared: _Compared) -> _Compared:
        """The same at the highest threshold that leaves no more than the plan's target."""
        from twinset.run.removing import at_target

        weight = (~read.collected.reference).astype(np.int64)
        if amount_left(self.plan.target or "")[1] == "bytes":
            again = watched(self._documents, "measuring", self._progress, self._resources.threads)
            sizes = [np.diff(arrow_text(batch.texts)[1]) for batch in again if len(batch)]
            weight *= np.concatenate([np.empty(0, np.int64), *sizes])
        preferred, _, classes, paired, kinds, _ = compared
        paired, facts = at_target(self.plan, weight, paired, classes, preferred, kinds)
        self.plan = dataclasses.replace(self.plan, threshold=facts["threshold"])
        self.clock.lap("find threshold")
        return compared._replace(paired=paired, target=facts)

    def group(self, read: _Read, compared: _Compared) -> _Grouped:
        """Clusters out of the pairs or the images, and the pairs that are listed."""
        plan, threads = self.plan, self._resources.threads
        paired, classes = compared.paired, compared.classes
        self._progress.stage("clustering", None)
        images, context = None, None
        if read.images is not None:
            from twinset.run.images import cluster_images

            context = read.images.context()
            images = plan.clusters.find_clusters(context, threads)
            clustered = cluster_images(images, paired, classes)
        else:
            clustered = cluster_pairs(plan.clusters, paired, classes)
        listed, implied = expand(paired, classes, read.collected, plan.max_pairs, threads)
        evidence = evidence_of(read.search, listed, classes)
        self.clock.lap("cluster")
        return _Grouped(clustered, listed, implied, evidence, images, context)

    def tables_of_features(self, read: _Read) -> dict[str, pa.Table]:
        """The groups of documents that share a key, where the method decides by keys alone."""
        if not read.search.keyed or read.judge is not None:
            return {}
        return {"groups": groups_table(read.collected, self._resources)}

    def decide(self, read: _Read, compared: _Compared, grouped: _Grouped) -> _Decided:
        """The kinds of pairs and clusters, and the documents that go."""
        kinds, removal, preferred = compared.kinds, None, compared.preferred
        listed, clusters = grouped.listed, grouped.clustered.clusters
        of_pairs, of_clusters = (np.full(len(x), NOT_ASKED, np.int8) for x in (listed, clusters))
        if kinds is not None:
            from twinset.run.kinds import kinds_of_clusters

            of_pairs = kinds.of(listed.left, listed.right, listed.score)
            of_clusters = kinds_of_clusters(kinds, clusters, preferred)
        if self._dedup:
            from twinset.run.removing import remove

            removal = remove(compared.paired, compared.classes, preferred, kinds, self.plan.kind)
        if kinds is not None:
            self.clock.lap("kinds")
        return _Decided(of_pairs, of_clusters, removal)

    def findings(
        self,
        read: _Read,
        compared: _Compared,
        grouped: _Grouped,
        decided: _Decided,
        more: dict[str, pa.Table],
    ) -> Findings:
        """All of it as tables, ``more`` among them."""
        collected, resources, removal = read.collected, self._resources, decided.removal
        clusters, listed = grouped.clustered.clusters, grouped.listed
        keep = None if removal is None else removal.keep
        rows = self._rows(collected, compared, decided)
        making: list[Callable[[], Any]] = [
            lambda: clusters_table(collected, clusters, keep, decided.of_clusters),
            lambda: pairs_table(collected, listed, grouped.evidence, decided.of_pairs),
            partial(self._manifest, read, compared, grouped, decided),
        ]
        at_a_time = min(resources.threads, len(making)) if len(rows) + len(listed) > SMALL else 1
        clusters_made, pairs, facts = in_order(lambda make: make(), making, at_a_time)
        self.clock.lap("tables")
        exports: dict[str, Export] = {}
        if grouped.context is not None:
            exports["shingles.txt.out"] = partial(grouped.context.inverted_lines, least=2)
        return Findings(
            rows,
            pairs,
            clusters_made,
            facts,
            keep,
            collected.heads.read,
            self._documents,
            more | self._more_tables(read, grouped, decided),
            exports,
            grouped.images,
            parts=self._parts,
            writers=writers(len(collected), collected.ids.nbytes, resources),
        )

    def _rows(self, collected: Collected, compared: _Compared, decided: _Decided) -> pa.Table:
        """The table of documents, with what became of them where that was decided."""
        rows, removal = (
            documents_table(collected, compared.classes, compared.copies),
            decided.removal,
        )
        if removal is None:
            return rows
        from twinset.run.removing import with_kept_because

        rows = with_kept_as(rows, removal.target, removal.score)
        return with_kept_because(rows, removal, collected, self.plan, compared.kinds)

    def _manifest(
        self, read: _Read, compared: _Compared, grouped: _Grouped, decided: _Decided
    ) -> dict[str, Any]:
        plan, removal = self.plan, decided.removal
        facts, counts = None, None
        if read.images is not None and grouped.images is not None:
            facts = plan.clusters.facts(grouped.images.figures(), read.images.name)
        if compared.kinds is not None:
            from twinset.run.removing import kind_counts

            counts = kind_counts(decided.of_pairs, read.collected.contents, removal)
        return manifest(
            plan=plan,
            search=read.search,
            judge=read.judge,
            documents=self._documents,
            collected=read.collected,
            classes=compared.classes,
            paired=compared.paired,
            listed=grouped.listed,
            implied=grouped.implied,
            clustered=grouped.clustered,
            image_facts=facts,
            keep=None if removal is None else removal.keep,
            kinds=counts,
            target=compared.target,
            timings=self.clock.seconds,
            threads=self._resources.threads,
        )

    def _more_tables(
        self, read: _Read, grouped: _Grouped, decided: _Decided
    ) -> dict[str, pa.Table]:
        """The tables that only some runs make."""
        more, removal = {}, decided.removal
        if read.search.statistics is not None:
            wording = spelt_wording(self.plan)
            more["statistics"] = dataclasses.replace(
                read.search.statistics, wording=wording
            ).table()
        if (repetition := getattr(self._documents, "repetition", None)) is not None:
            more |= {"repeated": repetition.table, "boilerplate": repetition.paragraphs}
        if removal is not None and removal.apart is not None:
            from twinset.run.removing import kept_apart_table

            more["kept_apart"] = kept_apart_table(read.collected, removal.apart)
        if grouped.images is not None:
            more |= grouped.images.tables(read.collected.ids)
        return {name: table for name, table in more.items() if table is not None}


def _asks_kinds(plan: Plan, documents: Documents) -> bool:
    """Whether kinds of pairs are asked for: of all documents, or of plain files among them."""
    sources = getattr(documents, "sources", ())
    are_files = any(source.reader == "files" for source in sources)
    return plan.kinds == "yes" or (plan.kinds == "auto" and are_files)
