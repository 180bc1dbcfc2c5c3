"""From what a search has found to pairs: verified, judged, and written out for equal documents."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.candidates.base import Groups, Near
from twinset.finding.clusters.base import Graph
from twinset.finding.methods.base import Search
from twinset.model import Floats, Ints, Judge, Pairs
from twinset.plan import Resources
from twinset.run.copies import Classes, Copies
from twinset.run.documents import Collected, Preference
from twinset.run.footprint import say_if_too_many

Score = Callable[[Ints, Ints], Floats]


@dataclass(frozen=True)
class Paired:
    """Verified pairs of leaders, and what it took to find them.

    ``score`` gives the similarity of any two leaders, NaN where it is not known, and that of the
    documents of one class for a leader with itself; ``threshold`` is what a pair had to reach.
    ``not_enumerated`` counts the pairs of documents near one anchor that were not compared, and is
    None where a crowd was worked through against leaders, so that nobody knows.
    """

    pairs: Pairs
    graph: Graph
    leaders: Ints
    score: Score
    threshold: float
    compared: int
    absorbed: int = 0
    not_enumerated: int | None = 0


@dataclass(frozen=True)
class VerifiedPairs:
    """What of `Paired` cannot be made again without comparing, to be kept for another run."""

    pairs: Pairs
    threshold: float
    compared: int
    absorbed: int
    not_enumerated: int | None


def pair(
    collected: Collected,
    search: Search,
    classes: Classes,
    copies: Copies,
    preferred: Preference,
    judge: Judge | None,
    resources: Resources,
    before: VerifiedPairs | None = None,
) -> Paired:
    """The pairs of class leaders that search and judge agree on, unless known from ``before``."""
    leads = classes.leaders(collected.status)
    leaders = preferred.among(leads)
    kept_slots = preferred.kept[leaders].astype(np.uint8)
    search.prefer(leaders, kept_slots, preferred.positions_of(leaders))
    if before is not None:
        by_measure = search.measured and judge is None
        score = _measured(collected, search, resources, before.pairs) if by_measure else None
        paired = _again(before, leaders, copies, preferred, score, resources)
    else:
        result = search.find(collected.store, leads.astype(np.uint8))
        if isinstance(result, Groups):
            paired = _verified(collected, result, search, leaders, copies, preferred, resources)
        else:
            paired = _decided(collected, result, leaders, copies, preferred, resources)
        if judge is not None:
            paired = _judged(paired, judge, copies)
    paired = _without_references(paired, classes)
    return _with_equal_files(paired, collected, classes, copies, preferred)


def _without_references(paired: Paired, classes: Classes) -> Paired:
    """Without the pairs of two classes that lie in references alone."""
    old = paired.pairs
    inside = classes.only_references(old.left) & classes.only_references(old.right)
    return _only(paired, ~inside, old.score) if inside.any() else paired


def reaching(paired: Paired, threshold: float) -> Paired:
    """Only the pairs that reach a higher threshold."""
    score = paired.pairs.score
    return dataclasses.replace(_only(paired, score >= threshold, score), threshold=threshold)


def _only(paired: Paired, good: NDArray[np.bool_], score: Floats) -> Paired:
    """The pairs that are good, with these scores."""
    old = paired.pairs
    pairs = Pairs(old.left[good], old.right[good], old.shared[good], score[good])
    return dataclasses.replace(paired, pairs=pairs, graph=paired.graph.among(good, pairs.score))


def _with_equal_files(
    paired: Paired,
    collected: Collected,
    classes: Classes,
    copies: Copies,
    preferred: Preference,
) -> Paired:
    """The leaders of equal files among the others, as slots without a pair."""
    if not classes.by_bytes.any():
        return paired
    leads = classes.by_bytes & (classes.leader == np.arange(len(collected)))
    leads[paired.leaders] = True
    leaders = preferred.among(leads)
    slot = np.zeros(len(collected), np.uint32)
    slot[leaders] = np.arange(len(leaders), dtype=np.uint32)
    graph, moved = paired.graph, slot[paired.leaders]

    def score(left: Ints, right: Ints) -> Floats:
        known = np.asarray(paired.score(left, right), np.float64)
        return np.where((left == right) & classes.by_bytes[left], 1.0, known)

    edges = Graph(
        preferred.kept[leaders].astype(np.uint8),
        moved[graph.earlier],
        moved[graph.later],
        graph.score,
        copies.score_of(leaders),
        graph.threads,
    )
    return dataclasses.replace(paired, graph=edges, leaders=leaders, score=score)


def _verified(
    collected: Collected,
    groups: Groups,
    search: Search,
    leaders: Ints,
    copies: Copies,
    preferred: Preference,
    resources: Resources,
) -> Paired:
    """Candidates verified by a set measure, in order of preference, see ``pairing.hpp``."""
    goal, keys = search.goal, groups.members
    say_if_too_many(len(keys.values), len(collected), collected.ids.nbytes, resources)
    left, right, shared, compared, absorbed, missing = _kernels.verified_pairs(
        collected.store,
        leaders.astype(np.uint32),
        preferred.kept[leaders].astype(np.uint8),
        preferred.positions_of(leaders),
        groups.alone_of(leaders) if groups.alone else np.empty(0, np.uint32),
        keys.offsets,
        keys.values,
        goal.measure.number,
        goal.threshold,
        goal.dense,
        groups.crowd,
        resources.keys_bytes,
        resources.threads,
    )
    a, b = left.astype(np.int64), right.astype(np.int64)
    size = collected.sizes
    pairs = Pairs(a, b, shared, goal.measure.score(shared, size[a], size[b]))
    score = _measured(collected, search, resources, pairs)
    graph = _graph(pairs, leaders, copies, preferred, resources.threads)
    threshold = goal.threshold
    not_enumerated = None if groups.crowded() else missing
    return Paired(pairs, graph, leaders, score, threshold, compared, absorbed, not_enumerated)


def _measured(collected: Collected, search: Search, resources: Resources, pairs: Pairs) -> Score:
    """The measure of any two documents; those of the verified ``pairs`` are not compared again."""
    measure, places = search.goal.measure, _places_in(pairs, resources.threads)

    def score(first: Ints, second: Ints) -> Floats:
        size = collected.sizes
        if first is second:  # nothing has to be compared
            return measure.score(size[first], size[first], size[first])
        place = places(first, second)
        missing = np.flatnonzero(place < 0)
        common = pairs.shared[place] if len(pairs) else place
        common[missing] = collected.store.shared(
            first[missing].astype(np.uint32), second[missing].astype(np.uint32), resources.threads
        )
        return measure.score(common, size[first], size[second])

    return score


def _again(
    before: VerifiedPairs,
    leaders: Ints,
    copies: Copies,
    preferred: Preference,
    score: Score | None,
    resources: Resources,
) -> Paired:
    """The pairs of an earlier run over the same documents."""
    pairs, figures = before.pairs, (before.compared, before.absorbed, before.not_enumerated)
    graph = _graph(pairs, leaders, copies, preferred, resources.threads)
    score = score or known(pairs, copies)
    return Paired(pairs, graph, leaders, score, before.threshold, *figures)


def _decided(
    collected: Collected,
    near: Near,
    leaders: Ints,
    copies: Copies,
    preferred: Preference,
    resources: Resources,
) -> Paired:
    """Pairs that the method has decided on."""
    order = _kernels.sorted_order(near.left, near.right, resources.threads)
    left, right = near.left[order], near.right[order]
    shared = collected.store.shared(left, right, resources.threads)
    pairs = Pairs(left.astype(np.int64), right.astype(np.int64), shared, near.score[order])
    lowest = float(pairs.score.min()) if len(pairs) else 1.0
    graph = _graph(pairs, leaders, copies, preferred, resources.threads)
    figures = near.compared, near.absorbed, near.not_enumerated
    return Paired(pairs, graph, leaders, known(pairs, copies), lowest, *figures)


def _judged(paired: Paired, judge: Judge, copies: Copies) -> Paired:
    """Only the pairs that reach the judge's threshold, with its scores."""
    old = paired.pairs
    score = judge.scores(old.left, old.right)
    judged = _only(paired, score >= judge.threshold, score)
    return dataclasses.replace(judged, score=known(judged.pairs, copies), threshold=judge.threshold)


def _graph(
    pairs: Pairs, leaders: Ints, copies: Copies, preferred: Preference, threads: int
) -> Graph:
    slot = np.zeros(len(preferred.order), np.uint32)
    slot[leaders] = np.arange(len(leaders), dtype=np.uint32)
    left, right = slot[pairs.left], slot[pairs.right]
    kept = preferred.kept[leaders].astype(np.uint8)
    ends = np.minimum(left, right), np.maximum(left, right)
    return Graph(kept, *ends, pairs.score, copies.score_of(leaders), threads)


def known(pairs: Pairs, copies: Copies) -> Score:
    """The scores of these pairs and of exact copies; NaN for a pair that is none."""
    places = _places_in(pairs)

    def score(first: Ints, second: Ints) -> Floats:
        place = places(first, second)
        listed = np.full(len(place), np.nan)
        there = place >= 0
        listed[there] = pairs.score[place[there]]
        return np.where(first == second, copies.score[first], listed)

    return score


def _places_in(pairs: Pairs, threads: int = 1) -> Callable[[Ints, Ints], Ints]:
    """Where any two documents stand among the pairs; -1 where they are none."""
    left, right = pairs.left.astype(np.uint32), pairs.right.astype(np.uint32)

    def places(first: Ints, second: Ints) -> Ints:
        ends = first.astype(np.uint32), second.astype(np.uint32)
        return _kernels.listed_pairs(left, right, *ends, threads)

    return places


def expand(
    paired: Paired, classes: Classes, collected: Collected, most: int, threads: int = 1
) -> tuple[Pairs, int]:
    """Pairs of all documents up to ``most``; else of leaders, and how many they imply."""
    pairs = paired.pairs
    total = classes.pairs_implied(pairs.left, pairs.right)
    if total == len(pairs) or total > most:
        return pairs, total - len(pairs)
    left, right, row, itself = implied_pairs(pairs.left, pairs.right, classes)
    within = left[len(row) :]
    shared = np.concatenate([pairs.shared[row], collected.sizes[within]])
    score = np.concatenate([pairs.score[row], paired.score(itself, itself)])
    if classes.reference is not None:
        good = ~(classes.reference[left] & classes.reference[right])
        left, right, shared, score = left[good], right[good], shared[good], score[good]
    order = _kernels.sorted_order(left.astype(np.uint32), right.astype(np.uint32), threads)
    return Pairs(left[order], right[order], shared[order], score[order]), 0


def implied_pairs(left: Ints, right: Ints, classes: Classes) -> tuple[Ints, Ints, Ints, Ints]:
    """All pairs of documents that pairs of leaders stand for, then those inside of a class.

    Of the former the row that each came from follows, and of the latter the leader.
    """
    a, b, row = classes.cross(left, right)
    c, d = classes.within()
    return (
        np.concatenate([np.minimum(a, b), c]),
        np.concatenate([np.maximum(a, b), d]),
        row,
        classes.leader[c],
    )
