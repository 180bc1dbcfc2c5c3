"""What will happen if a person says yes, and what will not: the plan of an action.

The files are looked at here, but not yet read; `carry_out` reads every byte before each step.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from dataclasses import field
from pathlib import Path

from twinset.errors import PlanError
from twinset.lazy_dataclass import dataclass
from twinset.review.cleaning.actions.model import (
    HOWS,
    LINKS,
    ActionPlan,
    FileStep,
    How,
    KnownFile,
    Refusal,
    RefusalError,
)
from twinset.review.cleaning.model import FileRow
from twinset.system.bounded import lies_within
from twinset.system.mounts import FolderPlace, place_of, read_mounts

DigestOf = Callable[[FileRow], bytes | None]


def plan_rows(
    pairs: Iterable[tuple[FileRow, FileRow | None]],
    how: How,
    *,
    home: Path,
    root: Path,
    target: Path | None = None,
    digest: DigestOf = lambda row: None,
    report: str = "",
) -> ActionPlan:
    """A plan for files that are to go, each with the one that stays in its place, if there is one.

    ``root`` is the folder that was searched, ``target`` that of a move.
    """
    if how not in HOWS:
        raise PlanError([f"there is no action '{how}'; choose {', '.join(HOWS)}"])
    target = _checked_target(how, target, root)
    planner = _Planner(how, digest)
    for row, keeper in pairs:
        planner.add(row, keeper)
    steps, refused = planner.outcome()
    _ensure_space(steps, target)
    places = [(folder, place) for folder, place in planner.places.items() if _is_special(place)]
    return ActionPlan(how, steps, refused, home, root, target, report, tuple(places))


@dataclass
class _Planner:
    how: How
    digest: DigestOf
    places: dict[Path, FolderPlace] = field(default_factory=dict)
    _steps: dict[Path, FileStep] = field(default_factory=dict)
    _refused: dict[Path, Refusal] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._mounts = read_mounts()

    def add(self, row: FileRow, keeper: FileRow | None) -> None:
        """Plan the removal of a file, or refuse it."""
        try:
            if row.protected:
                raise RefusalError("refused_inside" if row.part else "refused_protected")
            if keeper is None:
                raise RefusalError("refused_every_copy")
            if keeper.path == row.path:
                raise RefusalError("refused_inside")
            self._look(row, keeper)
            step = FileStep(self._known(row), self._known(keeper), row.kind, row.reason)
            self._steps[row.path] = step
        except RefusalError as refusal:
            self._refuse(row.path, refusal)

    def outcome(self) -> tuple[tuple[FileStep, ...], tuple[Refusal, ...]]:
        """Steps whose keeper stays, and all refusals."""
        for path in [path for path in self._steps if path in self._refused]:
            del self._steps[path]
        for path, step in self._steps.items():
            if step.keeper.path in self._steps:
                keeper = str(step.keeper.path)
                self._refuse(path, RefusalError("refused_keeper_goes", keeper=keeper))
        steps = [step for path, step in self._steps.items() if path not in self._refused]
        return tuple(steps), tuple(self._refused.values())

    def _refuse(self, path: Path, refusal: RefusalError) -> None:
        self._refused.setdefault(path, Refusal(path, refusal.reason))

    def _known(self, row: FileRow) -> KnownFile:
        return KnownFile(row.path, row.bytes, row.modified, self.digest(row))

    def _look(self, row: FileRow, keeper: FileRow) -> None:
        status = _status(row)
        try:
            kept = _status(keeper)
        except RefusalError as refusal:
            word = refusal.reason.name.removeprefix("refused_")
            raise RefusalError(f"refused_keeper_{word}", keeper=str(keeper.path)) from None
        if os.path.samestat(status, kept):
            raise RefusalError("refused_same_file", keeper=str(keeper.path))
        if self.how in LINKS and self.digest(row) != self.digest(keeper):
            raise RefusalError("refused_other_bytes", keeper=str(keeper.path))
        if self.how == "hard-link" and status.st_dev != kept.st_dev:
            raise RefusalError("refused_other_file_system", keeper=str(keeper.path))
        folder = row.path.parent
        if folder not in self.places:
            self.places[folder] = place_of(folder, self._mounts)
        if self.places[folder].read_only:
            raise RefusalError("refused_read_only", folder=str(folder))


def _status(row: FileRow) -> os.stat_result:
    """The status of a file that looks as the search has seen it."""
    try:
        status = os.lstat(row.path)
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
    if target is None or not steps:
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


def _is_special(place: FolderPlace) -> bool:
    return bool(place.read_only or place.network or place.removable)
