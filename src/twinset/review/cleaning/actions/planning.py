"""The plan of an action: what will happen if a person says yes, and what will not.

The files are looked at here, but not yet read; `carry_out` reads every byte before each step.

A plan can also be written as a script to read and run later, or as a table. The script checks
before each removal that file and keeper are there, as they were seen, and two files; equal ones are
compared byte by byte. Names stand in it as data alone, whatever they are.
"""

from __future__ import annotations

import io
import os
import shlex
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

import numpy as np

from twinset.errors import PlanError
from twinset.model.spreadsheet import Writer
from twinset.review.cleaning.actions.checks import (
    HOWS,
    LINKS,
    ActionPlan,
    FileStep,
    How,
    KnownFile,
    Refusal,
    RefusalError,
    hold,
)
from twinset.review.cleaning.cleaning import FolderCleaning
from twinset.review.cleaning.model import FileRow, GroupQuery, Reason
from twinset.system.bounded import lies_within

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
    planner = _Planner(how, digest, tuple(searched) or (root,))
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

    def step(self, row: FileRow, keeper: FileRow | None) -> FileStep:
        """The removal of a file, unless it is refused."""
        if row.protected:
            raise RefusalError("refused_protected")
        if keeper is None:
            raise RefusalError("refused_every_copy")
        step = FileStep(self._known(row), self._known(keeper), row.kind, row.reason)
        self._look(step)
        return step

    def _known(self, row: FileRow) -> KnownFile:
        root = self._root(row.path)
        return KnownFile(row.path, root, row.bytes, row.modified, self.digest(row))

    def _root(self, path: Path) -> Path:
        """The innermost searched folder that holds a file."""
        above = [folder for folder in self.searched if folder in path.parents]
        return max(above, key=lambda folder: len(folder.parts), default=path.parent)

    def _look(self, step: FileStep) -> None:
        file, keeper = step.file, step.keeper
        status = _seen(file)
        try:
            kept = _seen(keeper)
        except RefusalError as refusal:
            raise refusal.of_keeper(keeper.path) from None
        if os.path.samestat(status, kept):
            raise RefusalError("refused_same_file", keeper=str(keeper.path))
        if self.how in LINKS and file.digest != keeper.digest:
            raise RefusalError("refused_other_bytes", keeper=str(keeper.path))
        if self.how == "hard-link" and status.st_dev != kept.st_dev:
            raise RefusalError("refused_other_file_system", keeper=str(keeper.path))
        if not _is_writable(file.path.parent):
            raise RefusalError("refused_read_only", folder=str(file.path.parent))


def _seen(known: KnownFile) -> os.stat_result:
    """The status of a file that looks as the search has seen it."""
    with hold(known.path, known.root) as file:
        known.ensure_seen(file.status)
        return file.status


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
    if not _is_writable(_nearest(target)):
        raise PlanError([f"nothing can be written to {target}; choose a folder of your own"])
    return target


def _ensure_space(steps: tuple[FileStep, ...], target: Path | None) -> None:
    """Refuse a move to another file system that cannot hold the files."""
    if target is None:
        return
    place = _nearest(target)
    device, free = os.stat(place).st_dev, shutil.disk_usage(place).free
    copied = sum(s.file.bytes for s in steps if os.lstat(s.file.path).st_dev != device)
    if copied > free:
        raise PlanError(
            [f"{target} has room for {free:,} bytes, and {copied:,} would go there; free some"]
        )


def _is_writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK | os.X_OK)


def _nearest(folder: Path) -> Path:
    """The folder, or the innermost one above it that is there."""
    return next(place for place in (folder, *folder.parents) if place.exists())


Words = Callable[[Reason], str]
COLUMNS = ("path", "action", "keeper", "kind", "reason", "bytes", "modified")

_SHELL = r"""#!/bin/sh
# Removes copies of files; written by twinset. Read it, then run it: sh FILE
# A file goes only if the one to keep is there, neither has changed, and no link leads to them;
# without b2sum, which macOS lacks, a change is seen by the size alone.
set -u
removed=0 kept=0

# To use the desktop's trash instead, write: gio trash -- "$1"
drop() { rm -f -- "$1"; }

# is_other FILE BYTES DIGEST
is_other() {
    [ "$(wc -c < "$1" | tr -d ' \t')" = "$2" ] || return 0
    [ "$3" != - ] && command -v b2sum > /dev/null 2>&1 || return 1
    [ "$(b2sum -l 128 < "$1" | cut -c 1-32)" != "$3" ]
}

# Whether a link leads to the folder of a file; the x keeps a line break at the end of its name.
is_linked() {
    [ "$(cd -P -- "${1%/*}/" 2> /dev/null && pwd -P; echo x)" != "${1%/*}
x" ]
}

# remove FILE BYTES DIGEST KEEPER BYTES DIGEST equal|other
remove() {
    if [ -L "$1" ] || [ ! -f "$1" ]; then why='it is not there'
    elif [ -L "$4" ] || [ ! -f "$4" ]; then why='the file to keep is not there'
    elif is_linked "$1" || is_linked "$4"; then why='a link leads to its folder now'
    elif [ "$1" -ef "$4" ]; then why='both names are one file'
    elif is_other "$1" "$2" "$3"; then why='it has changed'
    elif is_other "$4" "$5" "$6"; then why='the file to keep has changed'
    elif [ "$7" = equal ] && ! cmp -s -- "$1" "$4"; then why='the two files differ'
    elif drop "$1"; then removed=$((removed + 1)); return
    else why='it could not be removed'
    fi
    kept=$((kept + 1))
    printf 'kept: %s (%s)\n' "$1" "$why" >&2
}

"""
_SHELL_END = r"""
printf '%s removed, %s kept\n' "$removed" "$kept"
[ "$kept" -eq 0 ]
"""


def as_script(plan: ActionPlan) -> bytes:
    """A script for any POSIX shell; names that are no UTF-8 stay as they are."""
    lines = [
        f"remove {_facts(step.file)} {_facts(step.keeper)} {_likeness(step)}\n"
        for step in plan.steps
    ]
    return os.fsencode(_SHELL + "".join(lines) + _SHELL_END)


def as_csv(plan: ActionPlan, words: Words = lambda reason: reason.name) -> bytes:
    """One row per file: those to remove with their keepers, then those that stay and why."""
    out = io.StringIO()
    writer = Writer(out)
    writer.writerow(COLUMNS)
    for step in plan.steps:
        file = step.file
        changed = datetime.fromtimestamp(file.modified / 1e9, timezone.utc).isoformat(
            timespec="seconds"
        )
        kind, reason = words(Reason(step.kind)) if step.kind else "", words(step.why)
        writer.writerow(
            [str(file.path), "remove", str(step.keeper.path), kind, reason, file.bytes, changed]
        )
    for refusal in plan.refused:
        writer.writerow([str(refusal.path), "keep", "", "", words(refusal.reason), "", ""])
    return out.getvalue().encode("utf-8", "surrogateescape")


def _likeness(step: FileStep) -> str:
    return "equal" if step.kind == "equal-bytes" else "other"


def _facts(file: KnownFile) -> str:
    digest = "-" if file.digest is None else file.digest.hex()
    return f"{_quoted(file.path)} {file.bytes} {digest}"


def _quoted(path: os.PathLike[str]) -> str:
    return shlex.quote(_real(path))


def _real(path: os.PathLike[str]) -> str:
    """A path to which no link leads: so the script knows one that was put there since."""
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(folder), name)
