"""Places inside the text of a document, across its runs, and what lies around them."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from twinset.lab.generation.sheet import Sheet
from twinset.lab.generation.units import Bounds, kinds, sentence_starts, word_spans


class Place(NamedTuple):
    """A stretch of the text of a run."""

    run: int
    start: int
    stop: int


class Places:
    """What was found in the texts of a document, by its number in reading order."""

    def __init__(self, sheet: Sheet, find: Callable[[str], list[Bounds]]) -> None:
        self._found = [find(text) for text in sheet.texts]
        self._before = list(itertools.accumulate(map(len, self._found), initial=0))

    def __len__(self) -> int:
        return self._before[-1]

    def __getitem__(self, number: int) -> Place:
        run = bisect_right(self._before, number) - 1
        return Place(run, *self._found[run][number - self._before[run]])


def put(sheet: Sheet, new: Iterable[tuple[Place, str]], *, apart: bool = False) -> str:
    """The source with new text at some places; ``apart`` keeps new words from growing together."""
    by_run: dict[int, list[tuple[Place, str]]] = {}
    for place, text in new:
        by_run.setdefault(place.run, []).append((place, text))
    return sheet.with_texts(
        {run: _spliced(sheet.texts[run], edits, apart) for run, edits in by_run.items()}
    )


def touched(sheet: Sheet, chosen: Iterable[Place]) -> dict[str, int]:
    """In how many words and sentences the places lie."""
    by_run: dict[int, list[Place]] = {}
    for place in chosen:
        by_run.setdefault(place.run, []).append(place)
    runs = sorted(by_run)
    counted = {"words": 0, "sentences": 0}
    for run, starts in zip(runs, sentence_starts([sheet.texts[r] for r in runs]), strict=True):
        spans = word_spans(sheet.texts[run])
        numbers = {number for place in by_run[run] for number in _words_at(spans, place)}
        counted["words"] += len(numbers)
        sentences = np.searchsorted(starts, sorted(numbers), side="right")
        counted["sentences"] += len(np.unique(sentences))
    return counted


def _words_at(spans: list[Bounds], place: Place) -> range:
    first = bisect_right(spans, place.start, key=lambda span: span[1])
    last = first
    while last < len(spans) and spans[last][0] < place.stop:
        last += 1
    return range(first, last)


def _spliced(text: str, edits: list[tuple[Place, str]], apart: bool) -> str:
    out = ""
    parts: list[str] = []
    at = 0
    for place, new in edits:
        for part in (text[at : place.start], new):
            if part:
                parts += [" ", part] if apart and _would_merge(out, part) else [part]
                out = part
        at = place.stop
    rest = text[at:]
    parts += [" ", rest] if apart and _would_merge(out, rest) else [rest]
    return "".join(parts)


def _would_merge(before: str, after: str) -> bool:
    """Whether the last word of the one and the first of the other would be one word together."""
    if not before or not after or kinds(after[0]) != "w":
        return False
    tail = kinds(before).rstrip("m")
    return tail.endswith("w")
