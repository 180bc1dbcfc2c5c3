"""Which documents are removed, by a person's decisions and optionally by the report for the rest.

As in `dedup` nothing goes by a chain: a document is removed for one that stays and that it is a
listed pair with, or that a person has called its copy.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations, product
from typing import Literal

import numpy as np

from twinset.clusters.anchored import anchors
from twinset.clusters.base import Graph
from twinset.errors import ReportError
from twinset.lazy_dataclass import dataclass
from twinset.model import Floats, Ints
from twinset.report.facts import older
from twinset.review.decisions import Decision, Decisions, pairs_of
from twinset.review.index import ReportIndex
from twinset.review.threshold import Links, preference

Undecided = Literal["keep", "remove"]
DECIDED = math.inf
"""A person's word stands above any similarity, which may be a count."""
Edge = tuple[int, int, float]


@dataclass(frozen=True)
class Settled:
    """For each document the one it goes for (itself when it stays), their score, and why.

    ``decided`` marks those that go by a person's word; ``unknown`` counts documents that decisions
    name and the report does not have.
    """

    target: Ints
    score: Floats
    decided: np.ndarray[tuple[int], np.dtype[np.bool_]]
    unknown: int


def settle(index: ReportIndex, decisions: Decisions, undecided: Undecided = "keep") -> Settled:
    """Work the decisions out; ``undecided`` says what happens to near-duplicates without one."""
    if older(index.manifest) is not None:
        raise ReportError(
            "there is nothing to decide: these documents were held against older ones, which stay; "
            "'twinset dedup NEW --against OLD' writes what is new"
        )
    ids = {id for decision in decisions.standing for id in decision.ids}
    known = index.numbers_of(sorted(ids))
    verdicts = _Verdicts(decisions, known)
    edges = list(verdicts.edges())
    if undecided == "remove":
        links = Links.of(index)
        extra = _by_leader(index, verdicts.touched)
        some, listed = _listed(links, extra)
        listed += [
            (a, b, float(index.copies[leader]))
            for leader, reps in extra.items()
            for a, b in combinations(sorted(reps), 2)
        ]
        edges += [edge for edge in listed if verdicts.on(edge[0], edge[1]) is None]
        graph, slots = _graph(index, verdicts, edges, (links, some))
    else:
        graph, slots = _graph(index, verdicts, edges, None)
    anchor, score = anchors(graph)
    return _targets(index, slots, anchor, score, verdicts, undecided, len(ids) - len(known))


class _Verdicts:
    """What was decided on two documents: the latest decision that names both."""

    def __init__(self, decisions: Decisions, known: dict[str, int]) -> None:
        self.by_line = {d.line: d for d in decisions.standing}
        self.known = known
        self.lines: dict[int, set[int]] = defaultdict(set)
        self.chosen: set[int] = set()
        for decision in sorted(decisions.standing, key=lambda decision: decision.line):
            members = [known[id] for id in decision.ids if id in known]
            for document in members:
                self.lines[document].add(decision.line)
            if decision.keep in known:
                self.chosen.difference_update(members)
                self.chosen.add(known[decision.keep])
        self.touched = sorted(self.lines)

    def on(self, left: int, right: int) -> str | None:
        """The verdict on two documents."""
        common = self.lines.get(left, set()) & self.lines.get(right, set())
        return self.by_line[max(common)].verdict if common else None

    def edges(self) -> Iterator[Edge]:
        """The pairs that were called copies, and by no later word something else."""
        for decision in self.by_line.values():
            if decision.verdict == "duplicate":
                yield from self._of(decision)

    def _of(self, decision: Decision) -> Iterator[Edge]:
        for left, right in pairs_of(decision):
            if left in self.known and right in self.known:
                first, second = self.known[left], self.known[right]
                if self.on(first, second) == "duplicate":
                    yield first, second, DECIDED


def _by_leader(index: ReportIndex, touched: Iterable[int]) -> dict[int, set[int]]:
    """Leaders of documents that decisions name, each with these documents and itself."""
    classes: dict[int, set[int]] = {}
    for document in touched:
        leader = int(index.leader[document])
        classes.setdefault(leader, {leader}).add(document)
    return classes


def _listed(
    links: Links, extra: dict[int, set[int]]
) -> tuple[np.ndarray[tuple[int], np.dtype[np.bool_]], list[Edge]]:
    """Pairs of leaders that decisions do not touch, as flags; and the others, written out."""
    special = np.zeros(len(links.classes.leader), bool)
    special[list(extra)] = True
    ends = links.leaders[links.earlier], links.leaders[links.later]
    touched = special[ends[0]] | special[ends[1]]
    edges = []
    for row in np.flatnonzero(touched & ~links.apart).tolist():
        first, second = int(ends[0][row]), int(ends[1][row])
        for pair in product(extra.get(first, {first}), extra.get(second, {second})):
            edges.append((*pair, float(links.score[row])))
    return ~(touched | links.apart), edges


def _graph(
    index: ReportIndex,
    verdicts: _Verdicts,
    edges: list[Edge],
    rest: tuple[Links, np.ndarray[tuple[int], np.dtype[np.bool_]]] | None,
) -> tuple[Graph, Ints]:
    """The graph of all that may join documents, and the documents of its slots by preference."""
    preferred = preference(index, removing=True)
    order, kept = preferred.order, preferred.kept.copy()
    chosen = np.zeros(len(index), bool)
    chosen[list(verdicts.chosen)] = True
    kept |= chosen
    taking_part = np.zeros(len(index), bool)
    taking_part[list(verdicts.touched)] = True
    ends = np.array([edge[:2] for edge in edges], np.int64).reshape(-1, 2).T
    score = np.array([edge[2] for edge in edges], np.float64)
    if rest is not None:
        links, some = rest
        taking_part[links.leaders] = True
        more = np.stack([links.leaders[links.earlier[some]], links.leaders[links.later[some]]])
        ends = np.concatenate([ends, more], axis=1)
        score = np.concatenate([score, links.score[some]])
    slots = order[taking_part[order]]
    # Others that stay are in their places: parts of files stay, too, but no file goes for one.
    slots = slots[np.argsort(~chosen[slots], kind="stable")]
    slot = np.zeros(len(index), np.uint32)
    slot[slots] = np.arange(len(slots), dtype=np.uint32)
    low, high = np.sort(slot[ends], axis=0)
    flags = kept[slots].astype(np.uint8)
    edges_of = np.ascontiguousarray(low), np.ascontiguousarray(high), score
    return Graph(flags, *edges_of, index.copies[slots]), slots


def _targets(
    index: ReportIndex,
    slots: Ints,
    anchor: Ints,
    score: Floats,
    verdicts: _Verdicts,
    undecided: Undecided,
    unknown: int,
) -> Settled:
    number = np.arange(len(index))
    target, similarity = number.copy(), np.ones(len(index))
    target[slots], similarity[slots] = slots[anchor], score
    if undecided == "remove":
        # Documents that no decision names go where the one that stands for them goes.
        others = np.ones(len(index), bool)
        others[slots] = False
        target[others] = target[index.leader[others]]
        similarity[others] = similarity[index.leader[others]]
        kept = preference(index, removing=True).kept
        target[kept] = number[kept]
        same = (index.leader[target] == index.leader) & (similarity < DECIDED)
        similarity[same] = index.copies[same]
    decided = (similarity >= DECIDED) & (target != number)
    for document in np.flatnonzero(decided).tolist():
        similarity[document] = _known_score(index, document, int(target[document]))
    return Settled(target, similarity, decided, unknown)


def _known_score(index: ReportIndex, first: int, second: int) -> float:
    """The similarity of two documents as listed; NaN where it is not."""
    left, right = sorted((int(index.leader[first]), int(index.leader[second])))
    if left == right:
        return float(index.copies[left])
    return float(index.pairs.scores(left, np.array([right], np.int32))[0])


def counts(settled: Settled) -> dict[str, int]:
    """How many documents stay, go, and go by decision."""
    goes = settled.target != np.arange(len(settled.target))
    return {
        "kept": int((~goes).sum()),
        "removed": int(goes.sum()),
        "by_decision": int(settled.decided.sum()),
    }
