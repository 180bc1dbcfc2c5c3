"""The plan of an action over the list of what can go: the files that are marked, and who stays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from twinset.review.cleaning.actions.model import LINKS, ActionPlan, How, Refusal
from twinset.review.cleaning.actions.planning import plan_rows
from twinset.review.cleaning.cleaning import FolderCleaning
from twinset.review.cleaning.copies import GROUNDS
from twinset.review.cleaning.files import FolderFiles
from twinset.review.cleaning.model import FileRow, Reason
from twinset.review.cleaning.standing import Standing

Pairs = list[tuple[FileRow, FileRow | None]]


def plan_actions(
    cleaning: FolderCleaning,
    how: How,
    target: Path | None = None,
    *,
    insist: bool = False,
) -> ActionPlan:
    """What will happen with the files that are marked to go, and what is refused and why.

    Where every copy of something is marked, none of them goes; if the user insists, all but one. A
    ``target`` is the folder of a move.
    """
    files = cleaning.files
    pairs = list(_with_keepers(cleaning, cleaning.selected(), how))
    last: list[Refusal] = []
    if insist:
        pairs, last = _but_one(cleaning, pairs)
    plan = plan_rows(
        pairs,
        how,
        home=cleaning.home,
        root=files.root,
        target=target,
        digest=lambda row: files.digest[row.document].as_py(),
        report=str(cleaning.index.report.folder),
    )
    return replace(plan, refused=(*plan.refused, *last))


def _with_keepers(
    cleaning: FolderCleaning, rows: list[FileRow], how: How
) -> Iterator[tuple[FileRow, FileRow | None]]:
    """Each file with the one that stays in its place; for a link, one with the same bytes."""
    equal = _equal(cleaning.standing) if how in LINKS else {}
    keepers = [_equal_or_keeper(equal, cleaning.files, row) for row in rows]
    known = sorted({keeper for keeper in keepers if keeper is not None})
    by_number = dict(zip(known, cleaning.files_of(known), strict=True))
    for row, keeper in zip(rows, keepers, strict=True):
        yield row, None if keeper is None else by_number[keeper]


def _equal(standing: Standing) -> dict[int, int]:
    """For each content the file that links lead to: one that stays, or else the preferred one.

    That one stays, too: its own copy in other words cannot take its place by a link.
    """
    there = np.flatnonzero(standing.files.whole & standing.disk.present)
    order = np.lexsort((standing.ranking.place[there], standing.goes[there]))
    there = there[order[::-1]]  # the best one last, which replaces the others
    return dict(zip(standing.files.content[there].tolist(), there.tolist(), strict=True))


def _equal_or_keeper(equal: dict[int, int], files: FolderFiles, row: FileRow) -> int | None:
    best = equal.get(int(files.content[row.document]), row.document)
    return row.keeper if best == row.document else best


def _but_one(cleaning: FolderCleaning, pairs: Pairs) -> tuple[Pairs, list[Refusal]]:
    """Let the preferred one of files that all are to go stay in the place of its copies."""
    place, graph = cleaning.standing.ranking.place, cleaning.standing.graph
    left = [row for row, keeper in pairs if keeper is None]
    left.sort(key=lambda row: int(place[row.document]))
    staying: list[FileRow] = []
    keepers: dict[int, FileRow] = {}
    for row in left:
        documents = np.array([keeper.document for keeper in staying], np.int64)
        kind, _ = graph.between(np.full(len(documents), row.document), documents)
        grounds = np.flatnonzero(GROUNDS[kind])
        if len(grounds):
            keepers[row.document] = staying[int(grounds[0])]
        else:
            staying.append(row)
    kept = {row.document for row in staying}
    last = [Refusal(row.path, Reason("refused_last_copy")) for row in staying]
    others = [
        (row, keepers.get(row.document, keeper))
        for row, keeper in pairs
        if row.document not in kept
    ]
    return others, last
