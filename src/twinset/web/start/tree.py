"""The folders that the page may open as a tree, one level at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from twinset.web.faults import GoneError
from twinset.web.settings import ForbiddenError, Settings, inside

MOST_FOLDERS = 500
MOST_FILES = 1000  # files of a folder that are counted for its line


@dataclass(frozen=True, slots=True)
class Branch:
    """A folder; ``files`` counts the plain files right in it, up to `MOST_FILES`."""

    name: str
    path: str
    files: int
    has_folders: bool


@dataclass(frozen=True, slots=True)
class Branches:
    """The folders right in one, by name, and how many of them are not shown."""

    folders: list[Branch]
    more: int = 0


def branches(settings: Settings, at: str) -> Branches:
    """The folders in the folder ``at``, without hidden ones and links that lead out."""
    path = inside(settings, at)
    try:
        names = sorted(os.listdir(path), key=str.casefold)
    except OSError as fault:
        raise GoneError(f"{path} cannot be opened: {fault.strerror}; choose another one") from None
    folders = [folder for name in names if (folder := branch(settings, path / name))]
    return Branches(folders[:MOST_FOLDERS], max(0, len(folders) - MOST_FOLDERS))


def branch(settings: Settings, path: Path, *, hidden: bool = False) -> Branch | None:
    """A folder as a line of the tree; None for what is none, is hidden or leads out.

    With ``hidden`` a hidden one is a line, too. A name that is not UTF-8 cannot stand in a page:
    its files belong to the folder above.
    """
    try:
        if (path.name.startswith(".") and not hidden) or not path.is_dir():
            return None
        real = inside(settings, path)
        str(real).encode()
    except (ForbiddenError, OSError, UnicodeEncodeError):
        return None
    files, has_folders = _held(settings, real)
    return Branch(path.name or str(path), str(real), files, has_folders)


def _held(settings: Settings, path: Path) -> tuple[int, bool]:
    """The number of plain files in a folder, and whether there are folders to open in it."""
    files, has_folders = 0, False
    for entry in visible(path):
        if entry.is_dir(follow_symlinks=False):
            has_folders = True
        elif entry.is_symlink():
            has_folders = has_folders or _leads_to_a_folder(settings, entry)
        elif entry.is_file():
            files += 1
        if files >= MOST_FILES and has_folders:
            break
    return min(files, MOST_FILES), has_folders


def _leads_to_a_folder(settings: Settings, link: os.DirEntry[str]) -> bool:
    """Whether a link leads to a folder that the page may open."""
    try:
        return inside(settings, link.path).is_dir()
    except (ForbiddenError, OSError):
        return False


def visible(path: str | Path) -> Iterator[os.DirEntry[str]]:
    """The entries of a folder that are not hidden; none where it cannot be opened."""
    try:
        with os.scandir(path) as entries:
            yield from (entry for entry in entries if not entry.name.startswith("."))
    except OSError:
        return
