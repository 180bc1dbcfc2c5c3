"""Where documents come from: folders of this machine that may be opened."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from twinset.system.bounded import lies_within
from twinset.web.render import GoneError
from twinset.web.settings import ForbiddenError, Settings, inside

MOST = 500  # entries of a folder that are shown
MOST_FILES = 1000  # files of a folder that are counted for its line
MOST_COUNTED = 50_000  # and those of a folder and all below
SECONDS = 1.0  # for counting these: a folder on a slow disk is named without its whole count


@dataclass(frozen=True, slots=True)
class Entry:
    """A folder or a file; ``bytes`` is None for a folder.

    Of a folder, ``files`` counts the plain files right in it, up to `MOST_FILES`.
    """

    name: str
    path: str
    bytes: int | None = None
    files: int = 0
    has_folders: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """A folder: the folders above it, its entries, and how many of them are not shown."""

    path: str
    above: list[tuple[str, str]]
    entries: list[Entry]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Content:
    """The files in a folder and all folders below; ``is_whole`` where all were counted."""

    files: int
    bytes: int
    is_whole: bool


def roots(settings: Settings) -> list[Entry]:
    """The folders that the page may open."""
    return [root for path in settings.folders if (root := _entry(settings, path, str(path)))]


def listing(settings: Settings, at: str = "", *, files: bool = True) -> Listing:
    """The folder ``at``, folders first; without it, the only allowed folder or a list of them."""
    if not at and len(settings.folders) > 1:
        return Listing("", [], roots(settings))
    path = inside(settings, at or settings.roots[0])
    path = path if path.is_dir() else path.parent
    try:
        names = sorted(os.listdir(path), key=str.casefold)
    except OSError as fault:
        raise GoneError(f"{path} cannot be opened: {fault.strerror}; choose another one") from None
    shown = (name for name in names if not name.startswith("."))
    entries = [entry for name in shown if (entry := _entry(settings, path / name, name))]
    entries = [entry for entry in entries if files or entry.bytes is None]
    entries.sort(key=lambda entry: entry.bytes is not None)
    above = [each for each in (path, *path.parents) if lies_within(each, settings.allowed)]
    way = [(each.name or str(each), str(each)) for each in reversed(above)]
    return Listing(str(path), way, entries[:MOST], max(0, len(entries) - MOST))


def _entry(settings: Settings, path: Path, name: str) -> Entry | None:
    """An entry; None for a link that leads out, and for a name that cannot stand in a page."""
    try:
        real = inside(settings, path)
        str(real).encode()
        if not real.is_dir():
            return Entry(name, str(real), real.stat().st_size)
    except (ForbiddenError, OSError, UnicodeEncodeError):
        return None
    files, has_folders = 0, False
    for entry in visible(real):
        has_folders = has_folders or entry.is_dir(follow_symlinks=False)
        files += entry.is_file(follow_symlinks=False)
        if files >= MOST_FILES and has_folders:
            break
    return Entry(name, str(real), None, min(files, MOST_FILES), has_folders)


def visible(path: str | Path) -> Iterator[os.DirEntry[str]]:
    """The entries of a folder that are not hidden; none where it cannot be opened."""
    try:
        with os.scandir(path) as entries:
            yield from (entry for entry in entries if not entry.name.startswith("."))
    except OSError:
        return


def content_of(folder: Path, seconds: float = SECONDS) -> Content:
    """Count the files that a search would read, for a while."""
    files = size = 0
    end = time.monotonic() + seconds
    waiting = [str(folder)]
    while waiting:
        for entry in visible(waiting.pop()):
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            elif entry.is_file(follow_symlinks=False):
                files += 1
                size += _size(entry)
            if files >= MOST_COUNTED or time.monotonic() > end:
                return Content(files, size, False)
    return Content(files, size, True)


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_size
    except OSError:
        return 0
