"""Folders that people go to first, and what a person should know of one before a search."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from twinset.system.bounded import lies_within, read_regular
from twinset.system.mounts import FolderPlace
from twinset.web.settings import Settings
from twinset.web.start.tree import visible

USUAL = {
    "documents": "Documents",
    "downloads": "Downloads",
    "desktop": "Desktop",
    "pictures": "Pictures",
}
"""The sentence of a place and the English name of its folder."""
KEYS = {
    "XDG_DOCUMENTS_DIR": "documents",
    "XDG_DOWNLOAD_DIR": "downloads",
    "XDG_DESKTOP_DIR": "desktop",
    "XDG_PICTURES_DIR": "pictures",
}
LINE = re.compile(r"""\s*(XDG_[A-Z]+_DIR)\s*=\s*"([^"]*)"\s*""")
CONFIGURATION_BYTES = 1 << 20
MOST_COUNTED = 50_000
SECONDS = 1.0  # for counting; a folder on a slow disk is named without its whole count


@dataclass(frozen=True, slots=True)
class UsualPlace:
    """A folder with the name of the sentence that says which one it is."""

    name: str
    path: str


@dataclass(frozen=True, slots=True)
class Content:
    """The files in a folder and all folders below; ``is_whole`` where all were counted."""

    files: int
    bytes: int
    is_whole: bool


def usual_places(
    settings: Settings, user: Path, environment: Mapping[str, str]
) -> list[UsualPlace]:
    """The user's own folders that exist and that the page may open, under their own names."""
    named = _named(user, environment)
    places = []
    for name, usual in USUAL.items():
        path = named.get(name, user / usual)
        real = path.resolve()
        is_own = real != user.resolve()  # which stands for a folder that was turned off
        if is_own and path.is_dir() and lies_within(real, settings.allowed):
            places.append(UsualPlace(name, str(real)))
    return places


def _named(user: Path, environment: Mapping[str, str]) -> dict[str, Path]:
    """The folders that ``user-dirs.dirs`` names, as in a system in another language."""
    configured = environment.get("XDG_CONFIG_HOME") or str(user / ".config")
    try:
        text = os.fsdecode(read_regular(Path(configured) / "user-dirs.dirs", CONFIGURATION_BYTES))
    except OSError:
        return {}
    lines = (match for line in text.splitlines() if (match := LINE.fullmatch(line)))
    return {
        KEYS[match[1]]: Path(match[2].replace("$HOME", str(user), 1))
        for match in lines
        if match[1] in KEYS
    }


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


def place_notices(place: FolderPlace) -> list[str]:
    """The names of the sentences that a person should read before anything starts there."""
    known = {"read_only": place.read_only, "network": place.network, "removable": place.removable}
    return [name for name, is_so in known.items() if is_so]


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_size
    except OSError:
        return 0
