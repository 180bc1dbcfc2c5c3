"""The proposal: what is a copy of what, which files belong together, who stays and what can go.

Files with the same bytes are one content. A listed pair of two files holds for every file of the
same two contents, so that pairs the run left out as implied count too. Nothing goes by a chain: a
file joins the group of a preferred one that it is a listed pair with (or an equal copy of a file
that is), by the same greedy way as anchored clusters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twinset.finding.clusters.base import Graph
from twinset.finding.clusters.of_pairs import anchors
from twinset.model import Floats, Ints, Ragged, offsets_of
from twinset.model.flow import KINDS
from twinset.plan import CopyKind
from twinset.review.cleaning.files import FolderFiles, Marks
from twinset.review.cleaning.ranking import Ranking
from twinset.review.index import ReportIndex

EQUAL = KINDS.index("equal-bytes")


@dataclass(frozen=True)
class CopyGraph:
    """Contents that are listed pairs: ``left`` < ``right``, sorted, each pair once.

    ``content`` is, for each document, the first one of the same content. What is as close as
    ``least``, or closer, is a ground for removal.
    """

    content: Ints
    left: Ints
    right: Ints
    kind: NDArray[np.int8]
    score: Floats
    _key: Ints
    least: CopyKind

    @classmethod
    def of(
        cls,
        index: ReportIndex,
        files: FolderFiles,
        taking_part: Marks,
        least: CopyKind,
        only_grounds: bool = False,
    ) -> CopyGraph:
        """From the pairs of a report; ``only_grounds`` leaves out what is no ground for removal."""
        pairs = index.pairs
        rows = np.flatnonzero(
            taking_part[pairs.left] & taking_part[pairs.right] & (pairs.kind >= 0)
        )
        left, right = pairs.left[rows].astype(np.int64), pairs.right[rows].astype(np.int64)
        kind, score = pairs.kind[rows], pairs.score[rows]
        content = files.content
        if files.holders:
            safe = _whole_mails(index, files, left, right, least)
            left, right, kind, score = left[safe], right[safe], kind[safe], score[safe]
        ends = content[left], content[right]
        low, high = np.minimum(*ends), np.maximum(*ends)
        key = low * len(files) + high
        order = np.lexsort((-score, kind, key))
        order = order[low[order] != high[order]]
        first = np.ones(len(order), bool)
        first[1:] = key[order][1:] != key[order][:-1]
        order = order[first]
        if only_grounds:
            order = order[is_ground(kind[order], least)]
        return cls(content, low[order], high[order], kind[order], score[order], key[order], least)

    def between(self, left: Ints, right: Ints) -> tuple[NDArray[np.int8], Floats]:
        """Kinds and scores of pairs of documents; -1 and NaN where a pair is not listed."""
        ends = self.content[left], self.content[right]
        key = np.minimum(*ends) * len(self.content) + np.maximum(*ends)
        same = ends[0] == ends[1]
        kind, score = np.full(len(key), -1, np.int8), np.full(len(key), np.nan)
        if len(self._key):
            at = np.minimum(np.searchsorted(self._key, key), len(self._key) - 1)
            listed = self._key[at] == key
            kind[listed], score[listed] = self.kind[at][listed], self.score[at][listed]
        kind[same], score[same] = EQUAL, 1.0
        return kind, score


def is_ground(kind: NDArray[np.int8], least: CopyKind) -> Marks:
    """Which kinds are grounds for removal, where copies may be as unlike as ``least``."""
    marks: Marks = (kind >= 0) & (kind <= KINDS.index(least))
    return marks


def _whole_mails(
    index: ReportIndex, files: FolderFiles, left: Ints, right: Ints, least: CopyKind
) -> Marks:
    """Pairs of which neither file holds a part, such as an attachment, that the other lacks."""
    held = files.holders
    is_holder = np.zeros(len(files), bool)
    is_holder[list(held)] = True
    concerned = (is_holder[left] | is_holder[right]) & (files.content[left] != files.content[right])
    safe = np.ones(len(left), bool)
    if not concerned.any():
        return safe
    pairs = index.pairs
    inside = ~files.whole[pairs.left] & ~files.whole[pairs.right] & is_ground(pairs.kind, least)
    ends = pairs.left[inside].tolist(), pairs.right[inside].tolist()
    alike = set(zip(*ends, strict=True)) | set(zip(*reversed(ends), strict=True))
    for row in np.flatnonzero(concerned).tolist():
        parts = [held.get(int(side[row]), []) for side in (left, right)]
        safe[row] = all(
            any((part, other) in alike for other in others)
            for own, others in (parts, parts[::-1])
            for part in own
        )
    return safe


REVISION, PART, SAME_FORM = (KINDS.index(kind) for kind in ("revision", "part", "same-form"))
SORTS = (-1, PART, SAME_FORM, REVISION)
"""Groups of copies, and those of one other kind; numbers of groups in journals go by this order."""


@dataclass(frozen=True)
class Proposal:
    """Groups of documents, the one that stays first, the others by closeness and preference.

    ``number`` names a group and stays the same while its first document does; ``kind`` is the
    least close kind of its files. ``kinds`` and ``scores`` run beside the rows: what each document
    is to the first one, -1 and NaN for that itself. ``goes`` marks the documents that can go.
    """

    number: Ints
    kind: NDArray[np.int8]
    rows: Ragged[np.int64]
    kinds: NDArray[np.int8]
    scores: Floats
    goes: Marks

    def __len__(self) -> int:
        return len(self.number)

    @property
    def keepers(self) -> Ints:
        """The document of each group that stays."""
        return self.rows.values[self.rows.offsets[:-1]]

    @property
    def is_ground(self) -> Marks:
        """For each group, whether its files are copies that can go."""
        marks: Marks = self.number % len(SORTS) == 0
        return marks

    @classmethod
    def of(
        cls,
        index: ReportIndex,
        files: FolderFiles,
        graph: CopyGraph,
        ranking: Ranking,
        taking_part: Marks,
    ) -> Proposal:
        """Groups of copies, then of versions, parts and forms among the files that stay."""
        best = _best(graph, ranking, taking_part)
        ground = is_ground(graph.kind, graph.least)
        target = _targets(graph, ground, best, ranking.place, ranking.kept)
        documents = np.flatnonzero(taking_part)
        keeper = np.arange(len(files))
        keeper[documents] = target[graph.content[documents]]
        movable = taking_part & ~ranking.kept
        groups = [_groups(documents, keeper[documents], movable, 0)]
        stays = keeper == np.arange(len(files))
        for sort, kind in enumerate(SORTS[1:], 1):
            chosen = (
                (graph.kind == kind) & ~ground & stays[best[graph.left]] & stays[best[graph.right]]
            )
            # The whole comes before its part, whatever is preferred else.
            place = _longest_first(index, ranking) if kind == PART else ranking.place
            nobody = np.zeros(len(files), bool)
            held = _targets(graph, chosen, best, place, nobody)
            reps = best[np.unique(np.concatenate([graph.left[chosen], graph.right[chosen]]))]
            groups.append(_groups(reps, held[graph.content[reps]], movable, sort))
        return cls._joined(graph, ranking, groups)

    @classmethod
    def _joined(
        cls, graph: CopyGraph, ranking: Ranking, groups: list[tuple[Ints, Ints, Ints]]
    ) -> Proposal:
        number, keeper, member = (np.concatenate(column) for column in zip(*groups, strict=True))
        kind, score = graph.between(keeper, member)
        kind[keeper == member], score[keeper == member] = -1, np.nan
        order = np.lexsort((ranking.place[member], kind, keeper != member, number))
        number, member, kind, score = number[order], member[order], kind[order], score[order]
        names, counts = np.unique(number, return_counts=True)
        offsets = offsets_of(counts)
        least = np.maximum.reduceat(kind, offsets[:-1]) if len(names) else np.empty(0, np.int8)
        goes = np.zeros(len(ranking.place), bool)
        goes[member[(kind >= 0) & (number % len(SORTS) == 0)]] = True
        goes &= ~ranking.kept
        return cls(names, least, Ragged(member, offsets), kind, score, goes)


def _best(graph: CopyGraph, ranking: Ranking, taking_part: Marks) -> Ints:
    """The preferred document of each content, by its first one."""
    place = np.where(taking_part, ranking.place, len(taking_part))
    order = np.lexsort((place, graph.content))
    content = graph.content[order]
    first = np.ones(len(order), bool)
    first[1:] = content[1:] != content[:-1]
    best = np.arange(len(taking_part))
    best[content[first]] = order[first]
    return best


def _targets(graph: CopyGraph, chosen: Marks, best: Ints, place: Ints, kept: Marks) -> Ints:
    """For each content the document that stays in its place, by the chosen pairs."""
    left, right = graph.left[chosen], graph.right[chosen]
    contents = np.unique(np.concatenate([left, right]))
    contents = contents[np.lexsort((place[best[contents]], ~kept[best[contents]]))]
    slot = np.zeros(len(best), np.uint32)
    slot[contents] = np.arange(len(contents), dtype=np.uint32)
    ends = slot[left], slot[right]
    closeness = _closeness(graph.kind[chosen], graph.score[chosen])
    flags = kept[best[contents]].astype(np.uint8)
    anchor, _ = anchors(
        Graph(flags, np.minimum(*ends), np.maximum(*ends), closeness, np.ones(len(contents)))
    )
    target: Ints = best.copy()
    target[contents] = best[contents[anchor]]
    return target


def _closeness(kind: NDArray[np.int8], score: Floats) -> Floats:
    """Closer kinds first, then higher scores, as one number that is equal for equals."""
    _, rank = np.unique(score, return_inverse=True)
    closeness: Floats = -kind.astype(np.float64) * (len(score) + 1) + rank
    return closeness


def _groups(documents: Ints, keeper: Ints, movable: Marks, sort: int) -> tuple[Ints, Ints, Ints]:
    """Rows (number of the group, its keeper, member) of groups of which a file can move."""
    others = documents != keeper
    has_movable = np.zeros(len(movable), bool)
    has_movable[keeper[others & movable[documents]]] = True
    rows = has_movable[keeper]
    return keeper[rows] * len(SORTS) + sort, keeper[rows], documents[rows]


def _longest_first(index: ReportIndex, ranking: Ranking) -> Ints:
    place = np.empty(len(index), np.int64)
    place[np.lexsort((ranking.place, -index.units))] = np.arange(len(index))
    return place
