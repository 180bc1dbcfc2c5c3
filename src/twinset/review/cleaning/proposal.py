"""The proposal: which files are copies of one thing, which of them stays, and which can go.

Nothing goes by a chain: a file joins the group of a preferred one that it is a listed pair with (or
an equal copy of a file that is), by the same greedy way as anchored clusters.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twinset.clusters.anchored import anchors
from twinset.clusters.base import Graph
from twinset.lazy_dataclass import dataclass
from twinset.model import Floats, Ints, Ragged, offsets_of
from twinset.model.kinds import KINDS
from twinset.review.cleaning.copies import GROUNDS, CopyGraph, listed
from twinset.review.cleaning.files import FolderFiles, Marks
from twinset.review.cleaning.ranking import Ranking
from twinset.review.index import ReportIndex

PART, SAME_FORM = KINDS.index("part"), KINDS.index("same-form")


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
        return GROUNDS[self.kind]

    @classmethod
    def of(
        cls,
        index: ReportIndex,
        files: FolderFiles,
        graph: CopyGraph,
        ranking: Ranking,
        taking_part: Marks,
    ) -> Proposal:
        """Groups of copies, then those of parts and of forms among the files that stay."""
        best = _best(graph, ranking, taking_part)
        ground = GROUNDS[graph.kind]
        target = _targets(graph, ground, best, ranking.place, ranking.kept)
        documents = np.flatnonzero(taking_part)
        keeper = np.arange(len(files))
        keeper[documents] = target[graph.content[documents]]
        movable = taking_part & ~ranking.kept
        groups = [_groups(documents, keeper[documents], movable, 0)]
        inside = _inside(index, files, keeper)
        groups[0] = _with_inside(groups[0], inside)
        stays = keeper == np.arange(len(files))
        for sort, kind in enumerate((PART, SAME_FORM), 1):
            chosen = (graph.kind == kind) & stays[best[graph.left]] & stays[best[graph.right]]
            # The whole comes before its part, whatever is preferred else.
            place = _longest_first(index, ranking) if kind == PART else ranking.place
            nobody = np.zeros(len(files), bool)
            held = _targets(graph, chosen, best, place, nobody)
            reps = best[np.unique(np.concatenate([graph.left[chosen], graph.right[chosen]]))]
            groups.append(_groups(reps, held[graph.content[reps]], movable, sort))
        return cls._joined(index, files, graph, ranking, groups)

    @classmethod
    def _joined(
        cls,
        index: ReportIndex,
        files: FolderFiles,
        graph: CopyGraph,
        ranking: Ranking,
        groups: list[tuple[Ints, Ints, Ints]],
    ) -> Proposal:
        number, keeper, member = (np.concatenate(column) for column in zip(*groups, strict=True))
        kind, score = graph.between(keeper, member)
        for row in np.flatnonzero(~files.whole[member]).tolist():
            kind[row], score[row] = listed(index, int(keeper[row]), int(member[row]))
        kind[keeper == member], score[keeper == member] = -1, np.nan
        if graph.kinds:  # files of one content are a group by themselves only where they are copies
            some = np.isin(number, number[(kind >= 0) & files.whole[member]])
            number, keeper, member = number[some], keeper[some], member[some]
            kind, score = kind[some], score[some]
        order = np.lexsort((ranking.place[member], kind, keeper != member, number))
        number, member, kind, score = number[order], member[order], kind[order], score[order]
        names, counts = np.unique(number, return_counts=True)
        offsets = offsets_of(counts)
        of_files = np.where(files.whole[member], kind, -1)
        least = np.maximum.reduceat(of_files, offsets[:-1]) if len(names) else np.empty(0, np.int8)
        goes = np.zeros(len(files), bool)
        goes[member[(kind >= 0) & (number % 3 == 0)]] = True
        goes &= ~ranking.kept & files.whole
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
    return keeper[rows] * 3 + sort, keeper[rows], documents[rows]


def _inside(index: ReportIndex, files: FolderFiles, keeper: Ints) -> list[Ints]:
    """Documents inside other files, such as attachments, that are copies of a file that stays."""
    pairs = index.pairs
    mixed = (files.whole[pairs.left] != files.whole[pairs.right]) & GROUNDS[pairs.kind]
    mixed &= files.named[pairs.left] & files.named[pairs.right]
    left, right = pairs.left[mixed].astype(np.int64), pairs.right[mixed].astype(np.int64)
    whole = np.where(files.whole[left], left, right)
    part = np.where(files.whole[left], right, left)
    stays = keeper[whole] == whole
    return [whole[stays], part[stays]]


def _with_inside(group: tuple[Ints, Ints, Ints], inside: list[Ints]) -> tuple[Ints, Ints, Ints]:
    keeper, part = inside
    known = np.isin(keeper, group[1])
    more = keeper[known] * 3, keeper[known], part[known]
    number, first, member = (np.concatenate(pair) for pair in zip(group, more, strict=True))
    return number, first, member


def _longest_first(index: ReportIndex, ranking: Ranking) -> Ints:
    place = np.empty(len(index), np.int64)
    place[np.lexsort((ranking.place, -index.units))] = np.arange(len(index))
    return place
