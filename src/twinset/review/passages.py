"""Passages that the members of a cluster share, as places in the first of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LENGTH = 8
"""Words that must follow each other in two texts to count as shared."""
SHORTEST = 5
"""Words of a passage that is worth showing."""
MOST_WORDS = 50_000
MOST_TEXTS = 40


@dataclass(frozen=True, slots=True)
class Passage:
    """Characters of the first text that so many of the texts have, itself counted."""

    start: int
    end: int
    words: int
    texts: int


def shared_passages(texts: Sequence[str], most: int = 20) -> list[Passage]:
    """The longest passages that the first text shares, those in most texts first.

    A passage is a run of words that the same number of other texts have; the first ``MOST_TEXTS``
    texts are looked at, and so many words of each.
    """
    texts = texts[:MOST_TEXTS]
    if len(texts) < 2:
        return []
    spans = [m.span() for m, _ in zip(re.finditer(r"\S+", texts[0]), range(MOST_WORDS))]  # noqa: B905
    first = [texts[0][a:b].casefold() for a, b in spans]
    length = min(LENGTH, max(1, min(len(_words(text)) for text in texts)))
    counts = np.ones(len(first), np.int64)
    grams = _grams(first, length)
    for text in texts[1:]:
        known = set(_grams(_words(text), length))
        counts += _covered([gram in known for gram in grams], len(first), length)
    found = _runs(counts, spans)
    found.sort(key=lambda passage: (-passage.texts, -passage.words, passage.start))
    return found[:most]


def _words(text: str) -> list[str]:
    return [m.group().casefold() for m, _ in zip(re.finditer(r"\S+", text), range(MOST_WORDS))]  # noqa: B905


def _grams(words: list[str], length: int) -> list[tuple[str, ...]]:
    return list(zip(*(words[shift:] for shift in range(length)), strict=False))


def _covered(
    hits: list[bool], words: int, length: int
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """For each word whether a shared run of this length covers it."""
    change = np.zeros(words + 1, np.int64)
    at = np.flatnonzero(np.array(hits, bool))
    np.add.at(change, at, 1)
    np.add.at(change, np.minimum(at + length, words), -1)
    return (np.cumsum(change[:-1]) > 0).astype(np.int64)


def _runs(
    counts: np.ndarray[tuple[int], np.dtype[np.int64]], spans: list[tuple[int, int]]
) -> list[Passage]:
    edges = np.flatnonzero(np.diff(counts)) + 1
    starts = [0, *edges.tolist()] if len(counts) else []
    ends = [*edges.tolist(), len(counts)]
    return [
        Passage(spans[start][0], spans[end - 1][1], end - start, int(counts[start]))
        for start, end in zip(starts, ends, strict=False)
        if counts[start] > 1 and end - start >= min(SHORTEST, len(counts))
    ]
