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
JOINED = re.compile("[\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]")


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


def combines(char: str) -> bool:
    """Whether a character belongs to the one before it."""
    return unicodedata.category(char).startswith("M") or bool(JOINED.match(char))


def rows_by_definition(texts: Sequence[str], least: int, unit: str) -> list[list[Row]]:
    """The same as characters of the texts, whole ones with what combines with them."""
    spans = spans_by_definition([units_of(text, unit) for text in texts], least)
    rows = [[_shrunk(texts[n], n, begin, past, unit) for n, begin, past in span] for span in spans]
    if unit != "word":
        rows = [_alike(span) for span in rows]
    return [span for span in rows if span[0][3] >= least]


def _shrunk(text: str, number: int, begin: int, past: int, unit: str) -> Row:
    if unit == "word":
        words = words_in(text)
        return number, words[begin][0], words[past - 1][1], past - begin
    if unit == "byte":
        edges = np.cumsum([0, *(len(char.encode()) for char in text)]).tolist()
        begin = next(at for at, edge in enumerate(edges) if edge >= begin)
        past = max(at for at, edge in enumerate(edges) if edge <= past)
    while begin < len(text) and combines(text[begin]):
        begin += 1
    while past > begin and past < len(text) and combines(text[past]):
        past -= 1
    inside = text[begin : max(begin, past)]
    return number, begin, begin + len(inside), len(inside.encode() if unit == "byte" else inside)


def _alike(span: list[Row]) -> list[Row]:
    """All as short as the shortest of them."""
    length = min(end - start for _, start, end, _ in span)
    units = min(units for *_, units in span)
    return [(number, start, start + length, units) for number, start, _, _ in span]


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
