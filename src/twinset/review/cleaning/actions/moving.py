"""The ways in which a file goes and comes back: moves and the trash.

A move is a rename, so that a file is whole at every moment; no name that is taken is overwritten.
The trash is that of the FreeDesktop.org Trash specification 1.0: a file is moved to ``files/NAME``
in the home trash, or in that of its own file system, and ``info/NAME.trashinfo`` says where it was.
"""

from __future__ import annotations

import itertools
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from twinset.errors import PlanError
from twinset.review.cleaning.actions.checks import HeldFile, RefusalError
from twinset.review.cleaning.actions.operations import StepRecord
from twinset.system.files import sync_folder
from twinset.system.renames import rename_to_free

MOST_BYTES = 255
"""Of a name, on nearly all file systems."""


def free_place(path: Path, root: Path, target: Path) -> Path:
    """A place in ``target`` that nobody has; ``name (2).txt`` where ``name.txt`` is taken."""
    is_inside = root in path.parents
    wanted = target / (path.relative_to(root) if is_inside else Path(*path.parts[1:]))

    numbered = (shortened(wanted, f" ({number}){path.suffix}") for number in itertools.count(2))
    places = itertools.chain([wanted], numbered)
    return next(place for place in places if not os.path.lexists(place))


def shortened(path: Path, ending: str) -> Path:
    """The path with another ending of its name, which is cut where it gets too long."""
    stem = os.fsencode(path.stem)[: MOST_BYTES - len(os.fsencode(ending))]
    return path.with_name(os.fsdecode(stem) + ending)


def folder_beside(root: Path) -> Path:
    """A folder beside the user's own, not there yet, to move files to: ``papers removed``."""
    folder = root.parent / f"{root.name or 'files'} removed"
    numbered = (folder.with_name(f"{folder.name} ({number})") for number in itertools.count(2))
    names = itertools.chain([folder], numbered)
    return next(name for name in names if not os.path.lexists(name))


def move_away(file: HeldFile, record: StepRecord) -> None:
    """Move a file to the place of its record; raises `FileExistsError` where that is taken."""
    record.to.parent.mkdir(parents=True, exist_ok=True)
    rename_to_free(file.path, record.to)
    if not file.is_at(record.to):
        rename_to_free(record.to, file.path)
        raise RefusalError("refused_changed")
    sync_folder(record.to.parent)
    sync_folder(file.path.parent)


def forget(path: Path) -> None:
    """Remove a name, where there is one."""
    with suppress(FileNotFoundError):
        os.unlink(path)


def ensure_trash() -> None:
    """Refuse a trash with books of its own, out of which no file could be brought back."""
    if sys.platform == "darwin":
        raise PlanError(
            ["out of the trash of macOS nothing comes back by --undo: name a folder by --move"]
        )


def trash_of(path: Path) -> Path:
    """The trash that a file goes to, made where there is none yet."""
    device = os.lstat(path).st_dev
    for trash, _ in trash_folders(path):
        with suppress(OSError):
            for folder in (trash, trash / "files", trash / "info"):
                folder.mkdir(mode=0o700, parents=folder == trash, exist_ok=True)
            status = os.lstat(trash)
            if status.st_dev == device and status.st_uid == os.getuid():
                return trash
    raise RefusalError("refused_no_trash")


def trash_folders(path: Path) -> Iterator[tuple[Path, Path | None]]:
    """Where a file may go, with the folder that paths are relative to: the root of its disk."""
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share").expanduser()
    yield data / "Trash", None
    top = Path(os.path.realpath(path.parent))
    while not (top.is_dir() and os.path.ismount(top)) and top != top.parent:
        top = top.parent
    user = os.getuid()
    with suppress(OSError):
        mode = os.lstat(top / ".Trash").st_mode
        if stat.S_ISDIR(mode) and mode & stat.S_ISVTX:
            yield top / ".Trash" / str(user), top
    yield top / f".Trash-{user}", top


def write_info(record: StepRecord) -> None:
    """Say in the trash where a file comes from, before it goes there."""
    tops = dict(trash_folders(record.path))
    top, path = tops[record.to.parent.parent], os.path.realpath(record.path.parent)
    origin = os.path.join(path, record.path.name)
    named = quote(os.fsencode(origin if top is None else os.path.relpath(origin, top)))
    deleted = time.strftime("%Y-%m-%dT%H:%M:%S")
    with record.info.open("x", encoding="ascii") as file:
        file.write(f"[Trash Info]\nPath={named}\nDeletionDate={deleted}\n")
