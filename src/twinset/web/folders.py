"""The folders of this machine that may be opened, one at a time."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from twinset.report.staging import is_report
from twinset.web.faults import GoneError
from twinset.web.settings import ForbiddenError, Settings, inside

MOST = 300


@dataclass(frozen=True, slots=True)
class Entry:
    """A folder or a file; ``bytes`` is None for a folder."""

    name: str
    path: str
    bytes: int | None
    is_report: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """A folder: the folders above it, its entries, and how many of them are not shown."""

    path: str
    above: list[tuple[str, str]]
    entries: list[Entry]
    more: int


def listing(settings: Settings, at: str = "") -> Listing:
    """The folder ``at``; without it, the only allowed folder or a list of them."""
    if not at and len(settings.roots) > 1:
        roots = [Entry(str(root), str(root), None) for root in settings.roots]
        return Listing("", [], roots, 0)
    path = inside(settings, at or settings.roots[0])
    path = path if path.is_dir() else path.parent
    try:
        names = sorted(os.listdir(path), key=str.casefold)
    except OSError as fault:
        raise GoneError(f"{path} cannot be opened: {fault.strerror}; choose another one") from None
    entries = [entry for name in names if (entry := _entry(settings, path, name))]
    entries.sort(key=lambda entry: entry.bytes is not None)
    return Listing(str(path), _above(settings, path), entries[:MOST], max(0, len(entries) - MOST))


def _entry(settings: Settings, folder: Path, name: str) -> Entry | None:
    """An entry; None for hidden ones and for links that lead out of the allowed folders."""
    if name.startswith("."):
        return None
    try:
        path = inside(settings, folder / name)
        status = path.stat()
    except (ForbiddenError, OSError):
        return None
    if path.is_dir():
        return Entry(name, str(path), None, is_report(path))
    return Entry(name, str(path), status.st_size)


def _above(settings: Settings, path: Path) -> list[tuple[str, str]]:
    """(name, path) from an allowed folder down to this one."""
    way = []
    for folder in (path, *path.parents):
        try:
            inside(settings, folder)
        except ForbiddenError:
            break
        way.append((folder.name or str(folder), str(folder)))
    return way[::-1]
