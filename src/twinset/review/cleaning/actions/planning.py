"""The plan of an action: what will happen if a person says yes, and what will not.

The files are looked at here, but not yet read; `carry_out` reads every byte before each step. A
plan can also be written as a table.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from twinset.errors import PlanError
from twinset.model.spreadsheet import Writer
from twinset.review.cleaning.actions import checks
from twinset.review.cleaning.cleaning import FolderCleaning
from twinset.review.cleaning.model import FileRow, GroupQuery, Reason
from twinset.system.bounded import lies_within

DigestOf = Callable[[FileRow], bytes | None]


def plan_actions(
    cleaning: FolderCleaning,
    how: checks.How,
    target: Path | None = None,
    *,
    query: GroupQuery | None = None,
) -> checks.ActionPlan:
    """What will happen with the files that are marked to go, and what is refused and why.

    With a ``query`` only files of its groups go. A ``target`` is the folder of a move.
    """
    files = cleaning.files
    inputs = cleaning.index.manifest.get("inputs", [])
    return plan_rows(
        _with_keepers(cleaning, cleaning.selected(query)),
        how,
        home=cleaning.home,
        root=files.root,
        searched=[Path(entry["path"]) for entry in inputs if entry.get("path")],
        target=target,
        digest=lambda row: files.digest[row.document].as_py(),
        report=str(cleaning.index.report.folder),
    )


def _with_keepers(
    cleaning: FolderCleaning, rows: list[FileRow]
) -> Iterator[tuple[FileRow, FileRow | None]]:
    """Each file with the one that stays in its place."""
    known = sorted({row.keeper for row in rows if row.keeper is not None})
    by_number = dict(zip(known, cleaning.files_of(known), strict=True))
    for row in rows:
        yield row, None if row.keeper is None else by_number[row.keeper]


def plan_rows(
    pairs: Iterable[tuple[FileRow, FileRow | None]],
    how: checks.How,
    *,
    home: Path,
    root: Path,
    searched: Sequence[Path] = (),
    target: Path | None = None,
    digest: DigestOf = lambda row: None,
    report: str = "",
) -> checks.ActionPlan:
    """A plan for files that are to go, each with the one that stays in its place, if there is one.

    ``root`` is the folder that holds all files, ``target`` that of a move. ``searched`` are the
    inputs of the search, the root if none are named.
    """
    if how not in checks.HOWS:
        raise PlanError([f"there is no action '{how}'; choose {', '.join(checks.HOWS)}"])
    target = _checked_target(how, target, root)
    planner = _Planner(digest, tuple(searched) or (root,), target)
    steps: dict[Path, checks.FileStep] = {}
    refused: dict[Path, checks.Refusal] = {}
    for row, keeper in pairs:
        try:
            steps[row.path] = planner.step(row, keeper)
        except checks.RefusalError as refusal:
            refused.setdefault(row.path, checks.Refusal(row.path, refusal.reason))
    going = [step for path, step in steps.items() if path not in refused]
    paths = {step.file.path for step in going}
    for step in going:
        if step.keeper.path in paths:
            fault = checks.RefusalError("refused_keeper_goes", keeper=str(step.keeper.path))
            refused[step.file.path] = checks.Refusal(step.file.path, fault.reason)
    chosen = tuple(step for step in going if step.file.path not in refused)
    return checks.ActionPlan(how, chosen, tuple(refused.values()), home, root, target, report)


@dataclass
class _Planner:
    digest: DigestOf
    searched: tuple[Path, ...]
    target: Path | None

    def step(self, row: FileRow, keeper: FileRow | None) -> checks.FileStep:
        """The removal of a file, unless it is refused."""
        if row.protected:
            raise checks.RefusalError("refused_protected")
        if keeper is None:
            raise checks.RefusalError("refused_every_copy")
        step = checks.FileStep(self._known(row), self._known(keeper), row.kind, row.reason)
        self._look(step)
        return step

    def _known(self, row: FileRow) -> checks.KnownFile:
        root = self._root(row.path)
        return checks.KnownFile(row.path, root, row.bytes, row.modified, self.digest(row))

    def _root(self, path: Path) -> Path:
        """The innermost searched folder that holds a file."""
        above = [folder for folder in self.searched if folder in path.parents]
        return max(above, key=lambda folder: len(folder.parts), default=path.parent)

    def _look(self, step: checks.FileStep) -> None:
        file, keeper = step.file, step.keeper
        status = _seen(file)
        try:
            kept = _seen(keeper)
        except checks.RefusalError as refusal:
            raise refusal.of_keeper(keeper.path) from None
        if os.path.samestat(status, kept):
            raise checks.RefusalError("refused_same_file", keeper=str(keeper.path))
        if self.target is not None and _device(file.path.parent) != _device(_nearest(self.target)):
            raise checks.RefusalError("refused_other_file_system", folder=str(self.target))
        if not _is_writable(file.path.parent):
            raise checks.RefusalError("refused_read_only", folder=str(file.path.parent))


def _seen(known: checks.KnownFile) -> os.stat_result:
    """The status of a file that looks as the search has seen it."""
    with checks.hold(known.path, known.root) as file:
        known.ensure_seen(file.status)
        return file.status


def _checked_target(how: checks.How, target: Path | None, root: Path) -> Path | None:
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


def _device(folder: Path) -> int:
    return os.stat(folder).st_dev


def _is_writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK | os.X_OK)


def _nearest(folder: Path) -> Path:
    """The folder, or the innermost one above it that is there."""
    return next(place for place in (folder, *folder.parents) if place.exists())


Words = Callable[[Reason], str]
COLUMNS = ("path", "action", "keeper", "kind", "reason", "bytes", "modified")


def as_csv(plan: checks.ActionPlan, words: Words = lambda reason: reason.name) -> bytes:
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
