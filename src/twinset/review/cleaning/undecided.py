"""Copies between which no policy decides: a person says which of two folders keeps its files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from twinset.lazy_dataclass import dataclass
from twinset.model import Ints
from twinset.review.cleaning.files import Marks
from twinset.review.cleaning.rules import copies_in, marks_by_rank
from twinset.review.cleaning.standing import Standing


@dataclass(frozen=True, slots=True)
class FolderQuestion:
    """Which of two folders keeps its files? ``folders`` begins with the one that does so far.

    ``files`` and ``bytes`` are what an answer decides about.
    """

    folders: tuple[Path, Path]
    files: int
    bytes: int


def folder_questions(standing: Standing, most: int) -> list[FolderQuestion]:
    """Pairs of folders whose copies only the order of reading tells apart, the most bytes first."""
    rows, keepers, _ = _tied(standing)
    files, rank = standing.files, standing.files.folder_ranks
    key = rank[keepers] * len(files) + rank[rows]
    _, first, back = np.unique(key, return_index=True, return_inverse=True)
    counts = np.bincount(back, minlength=len(first))
    sizes = np.bincount(back, weights=files.bytes[rows], minlength=len(first))
    order = np.lexsort((first, -counts, -sizes))[:most].tolist()
    return [
        FolderQuestion(
            (
                files.path_of(int(keepers[first[place]])).parent,
                files.path_of(int(rows[first[place]])).parent,
            ),
            int(counts[place]),
            int(sizes[place]),
        )
        for place in order
    ]


def marks_of_folders(standing: Standing, stays: Path, other: Path) -> tuple[Marks, Ints]:
    """The marks where the files of one folder stay before those of the other, if nothing decides.

    With them come the documents that this decides on.
    """
    rows, keepers, groups = _tied(standing)
    codes = [_code(standing, rows, keepers, folder) for folder in (stays, other)]
    rank = standing.files.folder_ranks
    concerned = np.isin(rank[rows], codes) & np.isin(rank[keepers], codes)
    chosen = np.unique(groups[concerned])
    goes = marks_by_rank(standing, chosen, (rank != codes[0]).astype(np.int64))
    return goes, copies_in(standing, chosen)


def _tied(standing: Standing) -> tuple[Ints, Ints, Ints]:
    """Files that go, in other folders than their keepers, though no policy says so; the groups."""
    proposal, ranking = standing.proposal, standing.ranking
    rows, owner = proposal.rows.values, proposal.rows.owners()
    keepers = standing.keepers[owner]
    rank = standing.files.folder_ranks
    open_ones = standing.waits & standing.goes
    chosen = open_ones[rows] & proposal.is_ground[owner] & (rank[rows] != rank[keepers])
    chosen &= ~ranking.kept[keepers] & ranking.are_tied(rows, keepers)
    return rows[chosen], keepers[chosen], owner[chosen]


def _code(standing: Standing, rows: Ints, keepers: Ints, folder: Path) -> int:
    """The rank of a folder among those in question; -1 for another one."""
    rank = standing.files.folder_ranks
    documents = np.concatenate([rows, keepers])
    _, first = np.unique(rank[documents], return_index=True)
    for document in documents[first].tolist():
        if standing.files.path_of(document).parent == folder:
            return int(rank[document])
    return -1
