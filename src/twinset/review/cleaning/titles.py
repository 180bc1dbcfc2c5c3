"""What a group is called: what the names of its files have in common, or a first line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

LEAST = 4
"""Letters and digits that a common name must have."""
LINE = 80
"""Characters of a first line."""
_ENDS = " \t-_.,(["
_SAYS_NOTHING = re.compile(
    r"(?:\W|\d|_)*(?:(?:document|scan|img|image|dsc|file|untitled|new|tmp|copy|документ|скан|файл"
    r"|копия|безымянный|новый)(?:\W|\d|_)*)*",
    re.IGNORECASE,
)
_HEXADECIMAL = re.compile(r"[0-9a-f-]{12,}", re.IGNORECASE)


def common_name(paths: Sequence[Path]) -> str:
    """The beginning that all names share, whole words only; empty where there is none."""
    stems = [path.stem for path in paths]
    length = 0
    for letters in zip(*stems, strict=False):
        if len({letter.lower() for letter in letters}) > 1:
            break
        length += 1
    name = stems[0][:length]
    if any(len(stem) > len(name) and stem[len(name)].isalnum() for stem in stems):
        name = re.sub(r"\w+$", "", name)
    name = name.rstrip(_ENDS)
    return name if sum(map(str.isalnum, name)) >= LEAST else ""


def says_nothing(name: str) -> bool:
    """Whether a name was given by a machine: scan0001, IMG 2034, a digest."""
    return bool(_SAYS_NOTHING.fullmatch(name) or _HEXADECIMAL.fullmatch(name))


def first_line(text: str) -> str:
    """The first line of a text that has a word in it."""
    for line in text[:4096].splitlines():
        if any(map(str.isalpha, line)):
            words = " ".join(line.split())
            return words if len(words) <= LINE else words[: LINE - 1].rstrip() + "…"
    return ""
