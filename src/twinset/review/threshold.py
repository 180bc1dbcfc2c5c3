"""Clusters at a higher threshold, from the pairs of the report and without a new run.

A pair above the higher threshold is above the run's own, so what a new run would find is already
listed, as far as the run listed its pairs; `caveats` says where it did not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twinset.errors import PlanError, ReportError
from twinset.finding.clusters.base import Graph
from twinset.finding.clusters.keep import Traits
from twinset.model import Clusters, Floats, Ints, Pairs
from twinset.model.columns import numbers
from twinset.model.flow import KINDS
from twinset.plan.spec import make, name_in
from twinset.result import words
from twinset.result.manifest import plan_of
from twinset.review.index import Grouping, Inside, ReportIndex, begins
from twinset.run.clustering import cluster_pairs
from twinset.run.copies import Classes
from twinset.run.documents import Preference, never_removed, parts_last, preferred
from twinset.run.pairing import Paired, Score


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


def clusters_at(index: ReportIndex, threshold: float | None) -> Regrouped:
    """The clusters at a threshold that a user has given, or those of the run."""
    if threshold is None:
        return Regrouped(lowest(index), index.manifest["counts"]["pairs"], index.clusters, ())
    # Scores that are counts, of shared keys or features, are above 1.
    if not 0 < threshold <= index.highest:
        bound = "1"
        if index.highest > 1:
            bound = f"{index.highest:g}, the greatest similarity in this report"
        raise PlanError([f"--threshold must lie above 0 and not above {bound}, not {threshold:g}"])
    return regroup(index, threshold)


def regroup(index: ReportIndex, threshold: float) -> Regrouped:
    """The clusters that a run with this threshold would give; it must reach the run's own."""
    own = lowest(index)
    kept: dict[float, Regrouped] = index.kept_by_name.setdefault("regrouped", {})
    known = kept.get(threshold)
    if known is not None:
        return known
    if threshold < own:
        raise ReportError(
            f"the run looked for pairs of {own:g} or more and knows none below; "
            f"for {threshold:g} run again with {_option(index, threshold)}"
        )
    if words.image_facts(index.manifest) is not None or threshold == own:
        clusters = index.clusters
    else:
        clusters = _clusters(index, Links.of(index), threshold)
    # Kept for the pages that follow: the run's own threshold and the one that a reader is at.
    regrouped = Regrouped(threshold, _pairs(index, threshold), clusters, caveats(index))
    kept[threshold] = regrouped
    for other in [other for other in list(kept) if other not in (own, threshold)]:
        kept.pop(other, None)
    return regrouped


def lowest(index: ReportIndex) -> float:
    """The least score that the run let pass: its threshold, or what its method gave."""
    stated = stated_threshold(index)
    if stated is not None and words.decided(index.manifest)["by"] != "method":
        return stated
    given = float(index.sorted_scores[0]) if len(index.sorted_scores) else 1.0
    # A method may let pairs pass below its threshold, such as one document inside another.
    return given if stated is None else min(stated, given)


def stated_threshold(index: ReportIndex) -> float | None:
    """What a score had to reach by the run's plan; None where its method goes by other options."""
    manifest = index.manifest
    if words.decided(manifest)["by"] == "method":
        uses = getattr(plan_of(manifest).method, "uses", ())
        return words.threshold(manifest) if "threshold" in uses else None
    return words.threshold(manifest)


def _option(index: ReportIndex, threshold: float) -> str:
    """What a new run needs for this threshold: an option of what has decided on pairs."""
    decision = words.decided(index.manifest)
    if decision["by"] == "judge":
        return f"--verify {decision['judge']}:{threshold:g}"
    if stated_threshold(index) is None:
        return f"other options of the method {name_in(index.manifest['plan']['method'])}"
    return f"--threshold {threshold:g}"


def caveats(index: ReportIndex) -> tuple[str, ...]:
    """Why clusters at a higher threshold may differ from those of a new run, in sentences."""
    manifest, sentences = index.manifest, []
    if explanation := words.explained(manifest):
        sentences.append(
            f"{explanation.noun.capitalize()} are made of shared features and do not change with "
            f"the similarity; give a new run {explanation.stricter}."
        )
    if not words.is_listed_whole(manifest):
        sentences.append(
            f"{words.not_listed(manifest)}; there, a new run may form larger clusters."
        )
    if plan_of(manifest).fields_of_keep():
        sentences.append(
            "The field that decides which copy is preferred is not in the report: anchors of the "
            "run come first, then the order of reading."
        )
    decision = words.decided(manifest)["by"]
    candidates = manifest["plan"].get("candidates", {})
    kind = candidates.get("kind")
    if decision == "method" and {"contained", "outstanding"} & candidates.keys():
        sentences.append(
            "A higher similarity is asked of pairs of which one document is contained in the other "
            "or that stand out, too."
        )
    if decision == "measure" and kind not in ("join", None):
        sentences.append("Pairs that the run has missed are missing here, too.")
    return tuple(sentences)


def _kept_apart(index: ReportIndex) -> NDArray[np.bool_]:
    """Pairs of kinds that stay, and those without one where a run could not decide on all."""
    apart: NDArray[np.bool_] = index.pairs.kind > KINDS.index(plan_of(index.manifest).kind)
    if (index.manifest.get("kinds") or {}).get("left_out"):
        apart |= index.pairs.kind < 0
    return apart


@dataclass(frozen=True)
class Links:
    """Pairs of leaders as slots in the order of preference, sorted by slots.

    ``leaders`` are the documents of the slots, ``kept`` marks those that stay, ``copies`` is the
    similarity of the documents of each class to each other. ``apart`` marks pairs whose kind is no
    ground for removing one.
    """

    kept: NDArray[np.uint8]
    leaders: Ints
    earlier: NDArray[np.uint32]
    later: NDArray[np.uint32]
    score: Floats
    copies: Floats
    apart: NDArray[np.bool_]

    @classmethod
    def of(cls, index: ReportIndex) -> Links:
        """From the report, made once."""
        return index.kept("links", lambda: cls._make(index))

    @classmethod
    def _make(cls, index: ReportIndex) -> Links:
        leader, pairs = index.leader, index.pairs
        ranking = preference(index, removing=index.removed is not None)
        leaders = ranking.order[leader[ranking.order] == ranking.order]
        slot = np.zeros(len(index), np.uint32)
        slot[leaders] = np.arange(len(leaders), dtype=np.uint32)
        # A pair of leaders stands for those of their classes, listed or not.
        own = (leader[pairs.left] == pairs.left) & (leader[pairs.right] == pairs.right)
        ends = slot[pairs.left[own]], slot[pairs.right[own]]
        earlier, later = np.minimum(*ends), np.maximum(*ends)
        score, apart = pairs.score[own], _kept_apart(index)[own]
        if (earlier[1:] < earlier[:-1]).any():  # neighbours in memory are quick to join
            order = np.lexsort((later, earlier))
            earlier, later, score, apart = (c[order] for c in (earlier, later, score, apart))
        kept, copies = ranking.kept[leaders].astype(np.uint8), index.copies[leaders]
        return cls(kept, leaders, earlier, later, score, copies, apart)

    def clusters(self, index: ReportIndex, threshold: float, score: Score) -> Clusters:
        """The clusters that a run makes of the pairs that reach a threshold.

        None of our measures finds another set more similar than an equal one: where copies are
        below the threshold, every pair of theirs is, too.
        """
        good = self.score >= threshold
        edges = self.earlier[good], self.later[good], self.score[good]
        number, nothing = np.arange(len(index)), np.empty(0, np.int64)
        leader = np.where(index.copies >= threshold, index.leader, number)
        pairs = Pairs(nothing, nothing, nothing, np.empty(0))
        graph = Graph(self.kept, *edges, self.copies)
        paired = Paired(pairs, graph, self.leaders, score, threshold, 0)
        kind: Any = plan_of(index.manifest).clusters
        return cluster_pairs(kind, paired, Classes(leader, np.zeros(len(index), bool))).clusters

    def scores(self, left: Ints, right: Ints) -> Floats:
        """The scores of pairs of leaders, NaN where a pair is not listed; with itself, a copy's."""
        count = len(self.leaders)
        slot = np.zeros(int(self.leaders.max(initial=0)) + 1, np.int64)
        slot[self.leaders] = np.arange(count)
        ends = slot[left], slot[right]
        listed = self.earlier.astype(np.int64) * count + self.later
        asked = np.minimum(*ends) * count + np.maximum(*ends)
        found = np.full(len(asked), np.nan)
        if len(listed):
            at = np.minimum(np.searchsorted(listed, asked), len(listed) - 1)
            found = np.where(listed[at] == asked, self.score[at], np.nan)
        return np.where(ends[0] == ends[1], self.copies[ends[0]], found)


def traits_of(index: ReportIndex) -> Traits:
    """What keep policies look at, as far as a report holds it; made once."""
    files = index.report.columns("documents", ["file", "modified"])
    if files.num_columns < 2:
        return Traits(index.units)
    path, modified = (files[name].combine_chunks() for name in ("file", "modified"))
    return Traits(index.units, None, path, numbers(modified))


def preference(index: ReportIndex, removing: bool) -> Preference:
    """The documents of a report as its plan prefers them, where some are removed or none."""
    plan = plan_of(index.manifest)
    codes, sources = index.source
    kept = never_removed(plan.never_remove, index.ids, sources, codes)
    inputs = index.manifest.get("inputs", [])
    references = {entry["source"] for entry in inputs if entry.get("reference")}
    kept |= np.array([source in references for source in sources], bool)[codes]
    if plan.fields_of_keep():
        # The report does not hold the field, but the anchors of clusters are what it has preferred.
        anchors = np.zeros(len(index), bool)
        held = index.clusters.anchor
        anchors[held[held >= 0]] = True
        order = Preference(np.lexsort((np.arange(len(index)), ~anchors, ~kept)), kept)
    else:
        policies = plan.keep or (make("keep", "first"),)
        order = preferred(kept, policies, traits_of(index), index.ids)
    parts = index.report.columns("documents", ["part"])
    return parts_last(order, parts["part"], removing) if parts.num_columns else order


def _clusters(index: ReportIndex, links: Links, threshold: float) -> Grouping:
    made = links.clusters(index, threshold, lambda left, right: np.full(len(left), np.nan))
    first = begins(made.cluster)

    def inside() -> Inside:
        compared = links.clusters(index, threshold, links.scores)
        return Inside(compared.weakest, compared.chained)

    document, anchor = made.member.astype(np.int32), made.anchor.astype(np.int32)
    starts = np.append(first, len(document))
    return Grouping(made.cluster[first], starts, document, anchor, made.score, inside)


def _pairs(index: ReportIndex, threshold: float) -> int:
    """How many of the listed pairs reach the threshold."""
    scores = index.sorted_scores
    return len(scores) - int(np.searchsorted(scores, threshold, "left"))
