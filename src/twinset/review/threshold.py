"""Clusters at a higher threshold, from the pairs of the report and without a new run.

A pair above the higher threshold is above the run's own, so what a new run would find is already
listed, as far as the run listed its pairs; `caveats` says where it did not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twinset.clusters.base import Graph, Membership
from twinset.clusters.keep import Traits
from twinset.engine.clustering import weakest_pairs
from twinset.engine.copies import Classes
from twinset.engine.documents import Preference, never_removed, parts_last, preferred
from twinset.errors import PlanError, ReportError
from twinset.lazy_dataclass import dataclass
from twinset.model import Floats, Ints
from twinset.model.columns import numbers
from twinset.model.kinds import KINDS, STAY
from twinset.report import facts, words
from twinset.report.manifest import explained, image_facts, plan_of
from twinset.review.grouping import Grouping, Inside, Numbers, begins
from twinset.review.index import ReportIndex
from twinset.spec import make, name_in


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
    if image_facts(index.manifest) is not None or threshold == own:
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
    if stated is not None and facts.decided(index.manifest)["by"] != "method":
        return stated
    given = float(index.sorted_scores[0]) if len(index.sorted_scores) else 1.0
    # A method may let pairs pass below its threshold, such as one document inside another.
    return given if stated is None else min(stated, given)


def stated_threshold(index: ReportIndex) -> float | None:
    """What a score had to reach by the run's plan; None where its method goes by other options."""
    manifest = index.manifest
    if facts.decided(manifest)["by"] == "method":
        uses = getattr(plan_of(manifest).method, "uses", ())
        return facts.threshold(manifest) if "threshold" in uses else None
    return facts.threshold(manifest)


def _option(index: ReportIndex, threshold: float) -> str:
    """What a new run needs for this threshold: an option of what has decided on pairs."""
    decision = facts.decided(index.manifest)
    if decision["by"] == "judge":
        return f"--verify {decision['judge']}:{threshold:g}"
    if stated_threshold(index) is None:
        return f"other options of the method {name_in(index.manifest['plan']['method'])}"
    return f"--threshold {threshold:g}"


def caveats(index: ReportIndex) -> tuple[str, ...]:
    """Why clusters at a higher threshold may differ from those of a new run, in sentences."""
    manifest, sentences = index.manifest, []
    if explanation := explained(manifest):
        sentences.append(
            f"{explanation.noun.capitalize()} are made of shared features and do not change with "
            f"the similarity; give a new run {explanation.stricter}."
        )
    if not facts.is_listed_whole(manifest):
        sentences.append(
            f"{words.not_listed(manifest)}; there, a new run may form larger clusters."
        )
    if plan_of(manifest).fields_of_keep():
        sentences.append(
            "The field that decides which copy is preferred is not in the report: anchors of the "
            "run come first, then the order of reading."
        )
    decision = facts.decided(manifest)["by"]
    candidates = manifest["plan"].get("candidates", {})
    kind = candidates.get("kind")
    if decision == "method" and candidates.get("contained"):
        sentences.append(
            "A higher similarity is asked of pairs that are one document contained in another, too."
        )
    if decision == "measure" and kind not in ("join", None):
        sentences.append("Pairs that the run has missed are missing here, too.")
    return tuple(sentences)


def _kept_apart(index: ReportIndex) -> NDArray[np.bool_]:
    """Pairs of kinds that stay, and those without one where a run could not decide on all."""
    staying = [place for place, name in enumerate(KINDS) if name in STAY]
    if (index.manifest.get("kinds") or {}).get("left_out"):
        staying.append(-1)
    apart: NDArray[np.bool_] = np.isin(index.pairs.kind, staying)
    return apart


@dataclass(frozen=True)
class Links:
    """Pairs of leaders as slots in the order of preference, sorted by slots.

    ``copies`` is the similarity of the documents of each slot's class to each other. None of our
    measures finds another set more similar than an equal one: where copies are below a threshold,
    every pair of theirs is, too. ``apart`` marks pairs whose kind is no ground for removing one.
    """

    kept: NDArray[np.uint8]
    leaders: Ints
    classes: Classes
    earlier: NDArray[np.uint32]
    later: NDArray[np.uint32]
    score: Floats
    copies: Floats
    apart: NDArray[np.bool_]

    @classmethod
    def of(cls, index: ReportIndex) -> Links:
        """From the report, made once."""
        links: Links | None = index.kept_by_name.get("links")
        if links is None:
            links = index.kept_by_name["links"] = cls._make(index)
        return links

    @classmethod
    def _make(cls, index: ReportIndex) -> Links:
        leader = index.leader
        ranking = preference(index, removing=index.removed is not None)
        order, kept = ranking.order, ranking.kept
        leaders = order[leader[order] == order]
        slot = np.zeros(len(index), np.uint32)
        slot[leaders] = np.arange(len(leaders), dtype=np.uint32)
        pairs = index.pairs
        # A pair of leaders stands for those of their classes, listed or not.
        own = (leader[pairs.left] == pairs.left) & (leader[pairs.right] == pairs.right)
        columns = pairs.left, pairs.right, pairs.score, _kept_apart(index)
        left, right, score, apart = (
            columns if own.all() else tuple(values[own] for values in columns)
        )
        ends = slot[left], slot[right]
        earlier, later = np.minimum(*ends), np.maximum(*ends)
        if (earlier[1:] < earlier[:-1]).any():  # neighbours in memory are quick to join
            order = np.lexsort((later, earlier))
            earlier, later, score = earlier[order], later[order], score[order]
            apart = apart[order]
        classes = Classes(leader.astype(np.int64), np.zeros(len(leader), bool))
        flags, copies = kept[leaders].astype(np.uint8), index.copies[leaders]
        return cls(flags, leaders, classes, earlier, later, score, copies, apart)

    def graph(self, threshold: float) -> Graph:
        """The graph of the pairs that reach a threshold."""
        good = self.score >= threshold
        edges = self.earlier[good], self.later[good], self.score[good]
        return Graph(self.kept, *edges, self.copies)

    def scores(self, left: Ints, right: Ints) -> Floats:
        """The scores of pairs of leaders, NaN where a pair is not listed; with itself, a copy's."""
        slot = np.zeros(len(self.classes.leader), np.int64)
        slot[self.leaders] = np.arange(len(self.leaders))
        ends = slot[left], slot[right]
        listed = self.earlier.astype(np.int64) * len(self.leaders) + self.later
        order = np.argsort(listed, kind="stable")
        asked = np.minimum(*ends) * len(self.leaders) + np.maximum(*ends)
        found = np.full(len(asked), np.nan)
        if len(listed):
            at = order.take(np.searchsorted(listed, asked, sorter=order), mode="clip")
            found = np.where(listed[at] == asked, self.score[at], np.nan)
        return np.where(ends[0] == ends[1], self.copies[ends[0]], found)


def traits_of(index: ReportIndex) -> Traits:
    """What keep policies look at, as far as a report holds it; made once."""
    traits: Traits | None = index.kept_by_name.get("traits")
    if traits is None:
        files = index.report.columns("documents", ["file", "modified"])
        traits = Traits(index.units)
        if files.num_columns == 2:
            path, modified = (files[name].combine_chunks() for name in ("file", "modified"))
            traits = Traits(index.units, None, path, numbers(modified))
        index.kept_by_name["traits"] = traits
    return traits


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
    membership: Membership = plan_of(index.manifest).clusters.clusters(links.graph(threshold))
    number, slot, anchor, score = _with_classes(links, membership, threshold)
    member, row = links.classes.members(links.leaders[slot])
    if not _rises(number[row], member):
        order = np.lexsort((member, number[row]))
        member, row = member[order], row[order]
    first = begins(number[row])
    held = anchor[row]
    starts, document = np.append(first, len(row)), member.astype(np.int32)
    return Grouping(
        number[row][first],
        starts,
        document,
        np.where(held >= 0, links.leaders[np.maximum(held, 0)], -1).astype(np.int32)
        if len(row)
        else held.astype(np.int32),
        score[row],
        lambda: _inside(links, threshold, starts, document),
    )


def _rises(number: Ints, member: Ints) -> bool:
    step = np.diff(number)
    return not (step < 0).any() and not ((step == 0) & (np.diff(member) < 0)).any()


def _with_classes(
    links: Links, membership: Membership, threshold: float
) -> tuple[Ints, Ints, Ints, Floats]:
    """The rows of a membership, and the classes of equal documents that are clusters alone."""
    alone = (links.classes.size[links.leaders] > 1) & (links.copies >= threshold)
    alone[membership.slot] = False
    lone = np.flatnonzero(alone)
    if not len(lone):
        return membership.cluster, membership.slot, membership.anchor, membership.score
    first = int(membership.cluster[-1]) + 1 if len(membership.cluster) else 0
    anchored = membership.anchored
    return (
        np.concatenate([membership.cluster, first + np.arange(len(lone))]),
        np.concatenate([membership.slot, lone]),
        np.concatenate([membership.anchor, lone if anchored else np.full(len(lone), -1)]),
        np.concatenate(
            [membership.score, links.copies[lone] if anchored else np.full(len(lone), np.nan)]
        ),
    )


def _inside(links: Links, threshold: float, starts: Ints, document: Numbers) -> Inside:
    """The lowest score inside each cluster, and whether a pair inside is below the threshold.

    Leaders are counted alone: the documents of their classes are equal to them. Every listed pair
    counts, also one that does not reach the threshold and lies inside through others; where a pair
    inside is not listed, the lowest score is not known. Clusters that overlap, of whatever kind,
    are looked at as a run does it: the largest by their first member alone.
    """
    count = len(starts) - 1
    leads = links.classes.leader[document] == document
    sizes = np.add.reduceat(leads, starts[:-1], dtype=np.int64) if count else np.empty(0, np.int64)
    copies = np.full(len(links.classes.leader), np.nan)
    copies[links.leaders] = links.copies
    alone = copies[links.classes.leader[document[starts[:-1]]]]
    weakest, chained = np.where(sizes > 1, np.nan, alone), np.zeros(count, bool)
    if not count:
        return Inside(weakest, chained)
    if np.bincount(document).max() > 1:
        cluster = np.repeat(np.arange(count), np.diff(starts))
        return Inside(*weakest_pairs(cluster[leads], document[leads], links.scores, threshold))
    label = np.full(len(links.classes.leader), -1, np.int32)
    label[document] = np.repeat(np.arange(count, dtype=np.int32), np.diff(starts))
    label = label[links.leaders]
    owner = label.take(links.earlier, mode="clip")
    inside = owner == label.take(links.later, mode="clip")
    inside &= owner >= 0
    owner, score = owner[inside], links.score[inside]
    np.fmin.at(weakest, owner, score)
    possible = sizes * (sizes - 1) // 2
    weakest[np.bincount(owner, minlength=count) < possible] = np.nan
    chained = np.bincount(owner[score >= threshold], minlength=count) < possible
    return Inside(weakest, chained)


def _pairs(index: ReportIndex, threshold: float) -> int:
    """How many of the listed pairs reach the threshold."""
    scores = index.sorted_scores
    return len(scores) - int(np.searchsorted(scores, threshold, "left"))
