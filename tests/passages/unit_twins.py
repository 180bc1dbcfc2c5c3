"""Units of texts by their definition, and what repeats of them; nothing shared with the library."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from tests.kernels.text_twins import BLANK, FIRM, LOOSE, canonical, letter_of
from tests.kernels.text_twins import spans as words_in

BREAK = re.compile("\r\n|[\n\r\x0c\x85\u2028\u2029]")
EMPTY = re.compile(f"(?:{BLANK}|{BREAK.pattern})+")
OPENING = "([{¡«¿‘‚“„‹〈《「『【〔〖〘〚〝（［｛"
Unit = tuple[int, int, tuple[str, ...]]
"""The characters where a unit begins and ends, and its words."""


def is_blank(char: str) -> bool:
    return bool(EMPTY.fullmatch(char))


def hard_cuts(text: str, level: str) -> list[int]:
    """Where lines or paragraphs begin, whatever they hold."""
    if level == "window":
        return []
    if level == "line":
        return [found.end() for found in BREAK.finditer(text)]
    cuts = []
    for found in EMPTY.finditer(text):
        breaks = list(BREAK.finditer(found[0]))
        if len(breaks) > 1 or any(each[0] in "\x0c\u2029" for each in breaks):
            cuts.append(found.start() + breaks[-1].end())
    return cuts


def place_in(text: str, gap: tuple[int, int], level: str) -> int | None:
    """Where a sentence or window begins that may end between two words."""
    place = None
    for at in range(gap[0], gap[1] + 1):
        if is_blank(text[at]) or letter_of(text[at]) in "md":
            continue
        before = [char for char in text[gap[0] : at] if letter_of(char) not in "md"]
        ended = any(a in LOOSE and b not in LOOSE for a, b in itertools.pairwise(before))
        firm = any(char in FIRM for char in before)
        after_blank = bool(before) and is_blank(before[-1])
        starts = at == gap[1]
        if level == "window":
            may = after_blank or starts
        else:
            may = (ended or firm) if after_blank else firm and (starts or text[at] in OPENING)
        if may and (after_blank or place is None):
            place = at
    return place


def units(text: str, level: str, size: int = 0) -> list[Unit]:
    """The units of a text that hold a word."""
    places, cuts = words_in(text), set(hard_cuts(text, level))
    words = 0
    for (begin, before), (start, _) in itertools.pairwise(places):
        words += 1
        if any(before <= cut <= start for cut in cuts):
            words = 0
            continue
        touching = before == start and letter_of(text[begin]) == "w"
        if level == "sentence" or (level == "window" and words >= size and not touching):
            place = place_in(text, (before, start), level)
            if place is not None:
                cuts.add(place)
                words = 0
    bounds = [0, *sorted(cuts), len(text)]
    cut = [
        (begin, end, tuple(canonical(text[a:b]) for a, b in places if begin <= a < end))
        for begin, end in itertools.pairwise(bounds)
    ]
    return [unit for unit in cut if unit[2]]


def repeated(
    texts: Sequence[str], level: str, size: int = 0, inside: bool = False
) -> list[tuple[int, int, int, int | None]]:
    """Every unit as document, start, end and the number of the unit it is the same as."""
    first: dict[tuple[str, ...], tuple[int, int]] = {}
    rows: list[tuple[int, int, int, int | None]] = []
    for document, text in enumerate(texts):
        for start, end, words in units(text, level, size):
            number, home = first.setdefault(words, (len(rows), document))
            same = number != len(rows) and (inside or home != document)
            rows.append((document, start, end, number if same else None))
    return rows
