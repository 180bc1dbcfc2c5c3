"""The system's trash: files go there by send2trash, and come back out of freedesktop's folders.

The FreeDesktop.org Trash specification 1.0: the home trash, or that of the file's own file system,
holds ``files/NAME`` and ``info/NAME.trashinfo`` with the path and the time. Other systems keep
their own books; a person restores there by hand.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote_to_bytes

from twinset.errors import MissingExtraError
from twinset.review.cleaning.actions.checks import RefusalError, has_content
from twinset.review.cleaning.actions.operations import StepRecord
from twinset.system.bounded import read_regular

INFO_BYTES = 1 << 16
SLACK = 3602
"""Seconds by which a time of deletion may lie before ours: it is local, and clocks are set back."""
SUFFIX = ".trashinfo"
TRIED_NAMES = 32
_PATH = re.compile(rb"^Path=(.*?)\r?$", re.MULTILINE)
_DATE = re.compile(rb"^DeletionDate=(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class TrashedFile:
    """A file in the trash, and the file that says where it came from."""

    file: Path
    info: Path
    deleted: float


def ensure_trash() -> None:
    """Refuse before anything starts where the package is not installed."""
    try:
        import send2trash  # noqa: F401
    except ImportError:
        raise MissingExtraError("send2trash", "trash") from None


def send(path: Path) -> None:
    """Move a file to the trash of this user."""
    from send2trash import TrashPermissionError, send2trash

    try:
        send2trash(os.fspath(path))
    except TrashPermissionError:
        raise RefusalError("refused_no_trash") from None


def keeps_books() -> bool:
    """Whether this system's trash can be read: only then files come back by themselves."""
    return sys.platform != "darwin"


def find_in_trash(record: StepRecord) -> TrashedFile | None:
    """The file of a step in the trash: its path and time fit, and so does every byte."""
    folders = list(trash_folders(record.path))
    for trash, top in folders:  # the usual names first: a trash may hold many thousand files
        for trashed in _trashed(trash, top, record, _usual_names(record.path)):
            with suppress(OSError):
                if record.is_ours(os.lstat(trashed.file)):
                    return trashed
    for trashed in _by_time(record):
        if has_content(trashed.file, record.bytes, record.digest):
            return trashed
    return None


def lies_in_trash(record: StepRecord) -> bool:
    """Whether the place that the journal names is one of this user's trash folders."""
    folders = [trash for trash, _ in trash_folders(record.path)]
    return record.to is not None and record.to.parent.parent in folders


def last_from(record: StepRecord) -> TrashedFile | None:
    """Whatever came from the place of a step since it began, with other bytes than expected."""
    return next((t for t in _by_time(record) if t.deleted >= record.began // 10**9), None)


def _by_time(record: StepRecord) -> list[TrashedFile]:
    """All that came from the place of a step, the nearest in time first."""
    candidates = [
        trashed
        for trash, top in trash_folders(record.path)
        for trashed in _trashed(trash, top, record, _names_in(trash))
    ]
    began = record.began / 1e9
    return sorted(candidates, key=lambda trashed: abs(trashed.deleted - began))


def _usual_names(path: Path) -> Iterator[str]:
    """What programs call a file in the trash: by its name, with a number where that is taken."""
    head, _, tail = path.name.partition(".")
    yield path.name
    for number in range(1, TRIED_NAMES):
        yield f"{path.stem} {number}{path.suffix}"
        yield f"{head}.{number}.{tail}" if tail else f"{head}.{number}"


def _names_in(trash: Path) -> list[str]:
    try:
        names = os.listdir(trash / "info")
    except OSError:
        return []
    return [name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX)]


def trash_folders(path: Path) -> Iterator[tuple[Path, Path]]:
    """The trash folders where a file may lie, with the folder that relative paths begin at."""
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share").expanduser()
    yield data / "Trash", data
    top = _top_folder(path)
    user = str(os.getuid())
    shared = top / ".Trash"
    with suppress(OSError):
        mode = os.lstat(shared).st_mode
        if stat.S_ISDIR(mode) and mode & stat.S_ISVTX:
            yield shared / user, top
    yield top / f".Trash-{user}", top


def _top_folder(path: Path) -> Path:
    """The root of the file system that holds a path, or held it before its folder went."""
    folder = Path(os.path.realpath(path.parent))
    while not folder.is_dir():
        folder = folder.parent
    while not os.path.ismount(folder) and folder != folder.parent:
        folder = folder.parent
    return folder


def _trashed(
    trash: Path, top: Path, record: StepRecord, names: Iterable[str]
) -> Iterator[TrashedFile]:
    """Those of the named files that came from the place of a step at about its time."""
    origins = {os.fsencode(path) for path in _spellings(record.path)}
    for origin, trashed in _entries(trash, top, names, record.began / 1e9 - SLACK):
        if origins & {origin, _real(origin)}:
            yield trashed


def _entries(
    trash: Path, top: Path, names: Iterable[str], earliest: float
) -> Iterator[tuple[bytes, TrashedFile]]:
    """The named files that went there since then, with the paths that they had."""
    for name in names:
        info = trash / "info" / f"{name}{SUFFIX}"
        with suppress(OSError, ValueError):
            if os.lstat(info).st_mtime < earliest:
                continue
            text = read_regular(info, INFO_BYTES)
            named, date = _PATH.search(text), _DATE.search(text)
            if named is None or date is None:
                continue
            origin = os.path.join(os.fsencode(top), unquote_to_bytes(named[1]))
            deleted = time.mktime(time.strptime(date[1].decode(), "%Y-%m-%dT%H:%M:%S"))
            if deleted >= earliest:
                trashed = TrashedFile(trash / "files" / name, info, deleted)
                yield os.path.normpath(origin), trashed


def _spellings(path: Path) -> set[Path]:
    """A path as it was given, and with the links among its folders resolved."""
    return {Path(os.path.abspath(path)), Path(os.path.realpath(path.parent)) / path.name}


def _real(origin: bytes) -> bytes:
    folder, name = os.path.split(os.path.normpath(origin))
    return os.path.join(os.path.realpath(folder), name)
