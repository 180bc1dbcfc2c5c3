"""Where moved files go: relative paths are kept, and every file gets a name of its own."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

MOST_BYTES = 255
"""Of a name, on nearly all file systems."""


def free_place(path: Path, root: Path, target: Path) -> Path:
    """A place in ``target`` that nobody has; ``name (2).txt`` where ``name.txt`` is taken."""
    try:
        inside = path.relative_to(root)
    except ValueError:  # elsewhere: from its own root on
        inside = Path(*path.parts[1:])
    wanted_place = target / inside
    for number in itertools.count(1):
        place = wanted_place if number == 1 else _numbered(wanted_place, number)
        if not os.path.lexists(place):
            return place
    raise AssertionError("numbers do not end")


def _numbered(path: Path, number: int) -> Path:
    ending = f" ({number}){path.suffix}"
    stem = os.fsencode(path.stem)[: MOST_BYTES - len(os.fsencode(ending))]
    return path.with_name(os.fsdecode(stem) + ending)


def folder_beside(root: Path, word: str = "removed") -> Path:
    """A folder beside the user's own, not there yet, to move files to: ``papers removed``."""
    name = root.name or "files"
    for number in itertools.count(1):
        ending = "" if number == 1 else f" ({number})"
        folder = root.parent / f"{name} {word}{ending}"
        if not os.path.lexists(folder):
            return folder
    raise AssertionError("numbers do not end")
