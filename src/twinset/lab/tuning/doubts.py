"""Reasons to doubt that similar documents are the same one: filled-in forms look alike too.

Two signs tell a form from a copy. Numbers: copies agree in their numbers as much as in their words,
forms do not. Crowds: a document with scores of look-alikes is more often an instance of a form, or
of boilerplate, than one of scores of copies.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from twinset.lab.tuning.views import Neighbours
from twinset.model import Floats, Ints

BAND = 0.1
MOST_PAIRS = 300  # looked at in each band of similarity
FEWEST_NUMBERS = 3
CROWD = 30  # look-alikes at which half of the trust is gone
WEIGHT_OF_NUMBERS = 2.5
LEEWAY = 0.05  # by which numbers may agree less than words do
STILL = 5  # pairs' worth of belief that numbers agree
DISTANCE = 0.5  # of the trust that is gone at no similarity at all
WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Doubts:
    """For each band of similarity, how far pairs there are to be trusted, and why."""

    lows: Floats
    numbers: Floats
    crowds: Floats

    def trust(self, similarity: Floats) -> Floats:
        """The chance that a pair of this similarity is a near-duplicate if it is no accident."""
        distance = 1 - DISTANCE * (1 - similarity)
        if not len(self.lows):
            return distance
        band = np.clip(np.searchsorted(self.lows, similarity, "right") - 1, 0, len(self.lows) - 1)
        trust: Floats = self.numbers[band] * self.crowds[band] * distance
        return trust


def doubts(near: Neighbours, begins: float, texts: list[str], seed: int) -> Doubts:
    """Look at pairs of each band above the background."""
    draw = np.random.default_rng(seed)
    crowd = _look_alikes(near, begins, len(texts))
    vocabulary: dict[int, tuple[set[str], set[str]]] = {}
    lows, numbers, crowds = [], [], []
    for low in np.arange(0, 1, BAND):
        top = low + BAND if low + BAND < 0.999 else 1.1
        inside = (near.score >= low) & (near.score < top) & (near.score >= begins)
        rows = np.flatnonzero(inside)
        if len(rows) < 3:
            continue
        if len(rows) > MOST_PAIRS:
            rows = np.sort(draw.choice(rows, MOST_PAIRS, replace=False))
        left, right = near.left[rows], near.right[rows]
        lows.append(low)
        numbers.append(_by_numbers(left, right, texts, vocabulary))
        crowds.append(1 / (1 + float((crowd[left] + crowd[right]).mean()) / 2 / CROWD))
    return Doubts(np.array(lows), np.array(numbers), np.array(crowds))


def _look_alikes(near: Neighbours, begins: float, documents: int) -> Ints:
    alike = near.score >= begins
    ends = np.concatenate([near.left[alike], near.right[alike]])
    return np.bincount(ends, minlength=documents)


def _by_numbers(
    left: Ints, right: Ints, texts: list[str], vocabulary: dict[int, tuple[set[str], set[str]]]
) -> float:
    gaps = []
    for a, b in zip(left.tolist(), right.tolist(), strict=True):
        (words, digits), (others, numbers) = (_parts(d, texts, vocabulary) for d in (a, b))
        if min(len(digits), len(numbers)) >= FEWEST_NUMBERS:
            gaps.append(_contained(digits, numbers) - _contained(words, others))
    with_numbers = len(gaps) / len(left)
    gap = sum(gaps) / (len(gaps) + STILL)
    trust = min(1.0, max(0.0, 1 + WEIGHT_OF_NUMBERS * min(0.0, gap + LEEWAY)))
    return 1 - with_numbers + with_numbers * trust


def _parts(
    document: int, texts: list[str], vocabulary: dict[int, tuple[set[str], set[str]]]
) -> tuple[set[str], set[str]]:
    if document not in vocabulary:
        words = set(WORD.findall(texts[document].lower()))
        digits = {word for word in words if word.isdigit()}
        vocabulary[document] = ({word for word in words if word.isalpha()}, digits)
    return vocabulary[document]


def _contained(a: set[str], b: set[str]) -> float:
    return len(a & b) / max(min(len(a), len(b)), 1)
