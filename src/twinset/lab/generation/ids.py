"""Ids of a generated collection: unique where the input repeats one, and new for variants."""

from __future__ import annotations

import os
import re
from collections import Counter

from twinset.lab.generation.draw import key_of

PLAIN = (".txt", ".md", ".text", ".markdown", ".rst")
HTML = (".html", ".htm", ".xhtml", ".shtml")
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"\\|?*]')
_LONGEST = 150  # bytes of a component of a path
_SUFFIX = re.compile(f"(?:{'|'.join(map(re.escape, PLAIN + HTML))})$", re.IGNORECASE)
# Only ids that end like this can equal an id that is made here.
_LIKE_MADE = re.compile(r"[#~]\d+'*(?:\.\w+)?$")


class IdCounts:
    """Counts how often each id occurs; keeps a hash of eight bytes instead of the id."""

    def __init__(self) -> None:
        self._times: Counter[int] = Counter()

    def next(self, id: str) -> int:
        """1 for the first document of this id, 2 for the second."""
        key = key_of(id)
        self._times[key] += 1
        return self._times[key]


class UniqueIds:
    """Gives every document an id that no other document of the collection has."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def learn(self, id: str) -> None:
        """Remember an id of the input."""
        if _LIKE_MADE.search(id):
            self._used.add(id)

    def original(self, id: str, nth: int) -> str:
        """The id itself the first time, ``id#2`` the second."""
        return id if nth == 1 else self._free(id, f"#{nth}")

    def variant(self, id: str, number: int) -> str:
        """``id~1``, before the suffix of a file name: ``page~1.html``."""
        return self._free(id, f"~{number}")

    def _free(self, id: str, addition: str) -> str:
        suffix = _SUFFIX.search(id)
        cut = suffix.start() if suffix else len(id)
        while (name := id[:cut] + addition + id[cut:]) in self._used:
            addition += "'"
        self._used.add(name)
        return name


def is_html_name(id: str) -> bool:
    """Whether an id ends as the name of an HTML file does."""
    return id.lower().endswith(HTML)


def file_name(id: str, is_html: bool) -> str:
    """A path for an id that stays below its folder and is a name on every system."""
    parts = [_UNSAFE.sub("_", part).strip(" ") for part in id.split("/")]
    parts = [part if part.strip(".") else "_" * max(1, len(part)) for part in parts]
    name = "/".join(_shortened(part) for part in parts)
    suffixes = HTML if is_html else PLAIN
    return name if name.lower().endswith(suffixes) else name + suffixes[0]


def _shortened(part: str) -> str:
    """A component no longer than systems allow; a hash stands for what is cut."""
    if len(part.encode()) <= _LONGEST:
        return part
    head = part.encode()[: _LONGEST - 40].decode(errors="ignore")
    return f"{head}-{key_of(part):016x}{os.path.splitext(part)[1][:10]}"
