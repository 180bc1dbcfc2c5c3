"""The plan of an action: what will happen if a person says yes, and what will not.

The files are looked at here, but not yet read; `carry_out` reads every byte before each step.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from twinset.errors import PlanError
from twinset.review.cleaning.actions.checks import (
    HOWS,
    LINKS,
    ActionPlan,
    FileStep,
    How,
    KnownFile,
    Refusal,
    RefusalError,
    way_to,
)
from twinset.review.cleaning.cleaning import FolderCleaning
from twinset.review.cleaning.model import FileRow, GroupQuery
from twinset.system.bounded import lies_within
from twinset.system.mounts import place_of, read_mounts

DigestOf = Callable[[FileRow], bytes | None]


def plan_actions(
    cleaning: FolderCleaning,
    how: How,
    target: Path | None = None,
    *,
    query: GroupQuery | None = None,
) -> ActionPlan:
    """What will happen with the files that are marked to go, and what is refused and why.

    With a ``query`` only files of its groups go. A ``target`` is the folder of a move.
    """
    files = cleaning.files
    inputs = cleaning.index.manifest.get("inputs", [])
    return plan_rows(
        _with_keepers(cleaning, cleaning.selected(query), how),
        how,
        home=cleaning.home,
        root=files.root,
        searched=[Path(entry["path"]) for entry in inputs if entry.get("path")],
        target=target,
        digest=lambda row: files.digest[row.document].as_py(),
        report=str(cleaning.index.report.folder),
    )


def _with_keepers(
    cleaning: FolderCleaning, rows: list[FileRow], how: How
) -> Iterator[tuple[FileRow, FileRow | None]]:
    """Each file with the one that stays in its place; for a link, one with the same bytes."""
    content, keepers = cleaning.files.content, [row.keeper for row in rows]
    if how in LINKS:
        equal = _equal(cleaning)
        best = [equal.get(int(content[row.document]), row.document) for row in rows]
        keepers = [
            row.keeper if b == row.document else b for b, row in zip(best, rows, strict=True)
        ]
    known = sorted({keeper for keeper in keepers if keeper is not None})
    by_number = dict(zip(known, cleaning.files_of(known), strict=True))
    for row, keeper in zip(rows, keepers, strict=True):
        yield row, None if keeper is None else by_number[keeper]


def _equal(cleaning: FolderCleaning) -> dict[int, int]:
    """For each content the file that links lead to: one that stays, or else the preferred one.

    That one stays, too: its own copy in other words cannot take its place by a link.
    """
    state = cleaning.state
    there = np.flatnonzero(state.files.whole & state.disk.present)
    order = np.lexsort((state.ranking.place[there], state.goes[there]))
    there = there[order[::-1]]  # the best one last, which replaces the others
    return dict(zip(state.files.content[there].tolist(), there.tolist(), strict=True))


def plan_rows(
    pairs: Iterable[tuple[FileRow, FileRow | None]],
    how: How,
    *,
    home: Path,
    root: Path,
    searched: Sequence[Path] = (),
    target: Path | None = None,
    digest: DigestOf = lambda row: None,
    report: str = "",
) -> ActionPlan:
    """A plan for files that are to go, each with the one that stays in its place, if there is one.

    ``root`` is the folder that holds all files, ``target`` that of a move. ``searched`` are the
    inputs of the search, the root if none are named.
    """
    if how not in HOWS:
        raise PlanError([f"there is no action '{how}'; choose {', '.join(HOWS)}"])
    target = _checked_target(how, target, root)
    mounts = read_mounts()
    read_only = cache(lambda folder: place_of(folder, mounts).read_only)
    planner = _Planner(how, digest, tuple(searched) or (root,), read_only)
    steps: dict[Path, FileStep] = {}
    refused: dict[Path, Refusal] = {}
    for row, keeper in pairs:
        try:
            steps[row.path] = planner.step(row, keeper)
        except RefusalError as refusal:
            refused.setdefault(row.path, Refusal(row.path, refusal.reason))
    going = [step for path, step in steps.items() if path not in refused]
    paths = {step.file.path for step in going}
    for step in going:
        if step.keeper.path in paths:
            fault = RefusalError("refused_keeper_goes", keeper=str(step.keeper.path))
            refused[step.file.path] = Refusal(step.file.path, fault.reason)
    chosen = tuple(step for step in going if step.file.path not in refused)
    _ensure_space(chosen, target)
    return ActionPlan(how, chosen, tuple(refused.values()), home, root, target, report)


@dataclass
class _Planner:
    how: How
    digest: DigestOf
    searched: tuple[Path, ...]
    read_only: Callable[[Path], bool | None]

    def step(self, row: FileRow, keeper: FileRow | None) -> FileStep:
        """The removal of a file, unless it is refused."""
        if row.protected:
            raise RefusalError("refused_inside" if row.part else "refused_protected")
        if keeper is None:
            raise RefusalError("refused_every_copy")
        if keeper.path == row.path:
            raise RefusalError("refused_inside")
        self._look(row, keeper)
        return FileStep(self._known(row), self._known(keeper), row.kind, row.reason)

    def _known(self, row: FileRow) -> KnownFile:
        root = self._root(row.path)
        return KnownFile(row.path, root, row.bytes, row.modified, self.digest(row))

    def _root(self, path: Path) -> Path:
        """The innermost searched folder that holds a file."""
        above = [folder for folder in self.searched if folder in path.parents]
        return max(above, key=lambda folder: len(folder.parts), default=path.parent)

    def _look(self, row: FileRow, keeper: FileRow) -> None:
        status = _status(row, self._root(row.path))
        try:
            kept = _status(keeper, self._root(keeper.path))
        except RefusalError as refusal:
            raise refusal.of_keeper(keeper.path) from None
        if os.path.samestat(status, kept):
            raise RefusalError("refused_same_file", keeper=str(keeper.path))
        if self.how in LINKS and self.digest(row) != self.digest(keeper):
            raise RefusalError("refused_other_bytes", keeper=str(keeper.path))
        if self.how == "hard-link" and status.st_dev != kept.st_dev:
            raise RefusalError("refused_other_file_system", keeper=str(keeper.path))
        if self.read_only(row.path.parent):
            raise RefusalError("refused_read_only", folder=str(row.path.parent))


def _status(row: FileRow, root: Path) -> os.stat_result:
    """The status of a file that looks as the search has seen it."""
    try:
        with way_to(row.path, root) as (name, folder):
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        raise RefusalError("refused_missing") from None
    except OSError as fault:
        raise RefusalError("refused_unreadable", fault=fault.strerror) from None
    if not stat.S_ISREG(status.st_mode):
        raise RefusalError("refused_special")
    if (status.st_size, status.st_mtime_ns) != (row.bytes, row.modified):
        raise RefusalError("refused_changed")
    return status


def _checked_target(how: How, target: Path | None, root: Path) -> Path | None:
    if how != "move":
        return None
    if target is None:
        raise PlanError(["a move needs a folder: name one beside the folder that was searched"])
    target = Path(os.path.abspath(target))
    if lies_within(Path(os.path.realpath(target)), [root]):
        raise PlanError(
            [
                f"{target} lies in the folder that was searched, where its files would be found "
                f"again; choose one beside {root}"
            ]
        )
    if os.path.lexists(target) and not target.is_dir():
        raise PlanError([f"{target} is not a folder; name another one"])
    if place_of(target).read_only:
        raise PlanError([f"nothing can be written to {target}; choose a folder of your own"])
    return target


def _ensure_space(steps: tuple[FileStep, ...], target: Path | None) -> None:
    """Refuse a move to another file system that cannot hold the files."""
    if target is None:
        return
    place = target
    while not place.exists():
        place = place.parent
    device, free = os.stat(place).st_dev, place_of(place).free_bytes
    copied = sum(s.file.bytes for s in steps if os.lstat(s.file.path).st_dev != device)
    if free is not None and copied > free:
        raise PlanError(
            [f"{target} has room for {free:,} bytes, and {copied:,} would go there; free some"]
        )
