"""Spans by their definition, and by a suffix array; nothing shared with the library."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from tests.kernels.text_twins import canonical
from tests.kernels.text_twins import spans as words_in

Place = tuple[int, int]
Row = tuple[int, int, int, int]
"""A document, the characters where a place begins and ends, and its units."""
CLUSTERS = {
    "Extend": "[\u200c\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]",
    "ZWJ": "\u200d",
    "CR": "\r",
    "LF": "\n",
    "Control": "[\0-\x1f\x7f-\x9f\xad\u200b\u2028\u2029\ufeff]",
    "Prepend": "[\u0600-\u0605\u06dd]",
    "L": "[\u1100-\u115f]",
    "V": "[\u1160-\u11a7]",
    "T": "[\u11a8-\u11ff]",
    "RI": "[\U0001f1e6-\U0001f1ff]",
    "Picture": "[©®\u2600-\u2605\u2764\U0001f400-\U0001f53d\U0001f600-\U0001f64f]",
}
"""What a character is to its neighbours (UAX #29); marks and Hangul syllables are computed."""


def units_of(text: str, unit: str) -> list[Hashable]:
    """The units of a text, comparable."""
    if unit == "word":
        return [canonical(text[begin:end]) for begin, end in words_in(text)]
    return list(text) if unit == "char" else list(text.encode())


def spans_by_definition(
    documents: Sequence[Sequence[Hashable]], least: int
) -> list[list[tuple[int, int, int]]]:
    """All places (document, first unit, unit behind the last) of each span, in order."""
    same: dict[Hashable, set[Place]] = defaultdict(set)
    for number, units in enumerate(documents):
        for start in range(len(units) - least + 1):
            same[tuple(units[start : start + least])].add((number, start))
    grams = {place: places for places in same.values() if len(places) > 1 for place in places}

    def goes_on(place: Place) -> bool:
        moved = {(number, start + 1) for number, start in grams[place]}
        return grams.get((place[0], place[1] + 1)) == moved

    spans: dict[frozenset[Place], list[tuple[int, int, int]]] = {}
    for number, start in sorted(grams):
        before = (number, start - 1)
        if before in grams and goes_on(before):
            continue
        last = start
        while goes_on((number, last)):
            last += 1
        key = frozenset(grams[number, start])
        spans.setdefault(key, []).append((number, start, last + least))
    return list(spans.values())


def cluster_class(char: str) -> str:
    if "가" <= char <= "힣":
        return "LVT" if (ord(char) - ord("가")) % 28 else "LV"
    named = (name for name, chars in CLUSTERS.items() if re.fullmatch(chars, char))
    return next(named, "Extend" if unicodedata.category(char)[0] == "M" else "Other")


def is_joined(text: str, at: int) -> bool:
    """Whether no grapheme cluster begins at a place: GB3 to GB13, one after the other."""
    kinds = [cluster_class(char) for char in text[:at]]
    if not kinds or at >= len(text):
        return False
    last, kind = kinds[-1], cluster_class(text[at])
    if (last, kind) == ("CR", "LF"):
        return True
    if {last, kind} & {"Control", "CR", "LF"}:
        return False
    if last == "L" and kind in ("L", "V", "LV", "LVT"):
        return True
    if last in ("LV", "V") and kind in ("V", "T"):
        return True
    if last in ("LVT", "T") and kind == "T":
        return True
    if kind in ("Extend", "ZWJ") or last == "Prepend":
        return True
    line = " ".join(kinds)
    if kind == "Picture":
        return bool(re.search(r"\bPicture( Extend)* ZWJ$", line))
    flags = re.search(r"(RI ?)*$", line)
    return kind == "RI" and flags is not None and flags[0].count("RI") % 2 == 1


def rows_by_definition(texts: Sequence[str], least: int, unit: str) -> list[list[Row]]:
    """The same as characters of the texts, in whole grapheme clusters."""
    spans = spans_by_definition([units_of(text, unit) for text in texts], least)
    rows = [_places(texts, span, unit) for span in spans]
    return [span for span in rows if span[0][3] >= least]


def _places(texts: Sequence[str], span: list[tuple[int, int, int]], unit: str) -> list[Row]:
    if unit == "word":
        words = [words_in(texts[number]) for number, _, _ in span]
        return [
            (number, own[begin][0], own[past - 1][1], past - begin)
            for own, (number, begin, past) in zip(words, span, strict=True)
        ]
    shrunk = [_shrunk(texts[number], begin, past, unit) for number, begin, past in span]
    lead = max(lead for _, lead, _ in shrunk)
    length = min(length for _, _, length in shrunk)
    rows = []
    for (number, _, _), (begin, _, _) in zip(span, shrunk, strict=True):
        inside = texts[number][begin + lead : begin + length]
        units = len(inside.encode() if unit == "byte" else inside)
        rows.append((number, begin + lead, begin + lead + len(inside), units))
    return rows


def _shrunk(text: str, begin: int, past: int, unit: str) -> tuple[int, int, int]:
    """Where whole characters begin, how many of them lead into a cluster, and how many end one."""
    if unit == "byte":
        edges = np.cumsum([0, *(len(char.encode()) for char in text)]).tolist()
        begin = next(at for at, edge in enumerate(edges) if edge >= begin)
        past = max(at for at, edge in enumerate(edges) if edge <= past)
    first = begin
    while is_joined(text, first):
        in_flags = cluster_class(text[first]) == "RI"
        first += 1
        while in_flags and first < len(text) and cluster_class(text[first]) == "RI":
            first += 1
    while past > first and is_joined(text, past):
        past -= 1
    return begin, first - begin, past - begin


def repeated_starts(documents: Sequence[Sequence[Any]], least: int) -> int:
    """How many places begin with units that begin another one, too; by a suffix array."""
    import pydivsufsort

    numbers: dict[Any, int] = {}
    text: list[int] = []
    ends = []
    for units in documents:
        text += [numbers.setdefault(unit, len(numbers)) for unit in units]
        ends.append(len(text))
        text.append(-1)
    array = np.array(text, np.int64)
    array[ends] = len(numbers) + np.arange(len(ends))  # no end is like another
    suffixes = pydivsufsort.divsufsort(array)
    common = pydivsufsort.kasai(array, suffixes)
    long = common >= least
    long[-1] = False  # the last suffix has none behind it
    return int((long | np.roll(long, 1)).sum())
