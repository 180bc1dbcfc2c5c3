"""Passages that texts share: the one definition for reports, commands and pages.

A text is a row of units (words or characters, as a method compares them), and a shingle a run of
``length`` of them; a text with fewer units is one shingle. A shingle of the first text is *shared*
if every other text has it. A **passage** is a longest run of neighbouring shared shingles that
stands in every other text as a whole, in this order. Passages are taken from left to right: each
reaches as far as it can, and the next begins with the shingle after it. So

- every shared shingle lies in exactly one passage, and nothing else does;
- a passage is what it says: text that all of them have;
- two passages overlap by fewer than ``length`` units, where the texts go on differently;
- in the other texts, a passage is at the first place where it stands; two passages may be at one
  place there, and may be in another order.

Passages begin and end with units and are given as characters of the original texts.
The time is near-linear in the texts, whatever they repeat.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from twinset.finding.verify.shingled_text import Place, ShingledText, Shingler
from twinset.model import Features, Ints

FEW = 8
"""Places up to which each is tried; more are narrowed down together."""
LEVELS = 12
"""Blocks are compared up to 2**12 features at once: a bound on memory."""


class SharedRun(NamedTuple):
    """``size`` consecutive features, from ``places[n]`` on in the n-th text."""

    places: tuple[int, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """Characters of the first text that lie in passages shared with the same others.

    ``texts`` counts the texts that have it, the first one included.
    """

    start: int
    end: int
    units: int
    texts: int


def shared_stretches(texts: Sequence[str], shingler: Shingler) -> list[Stretch]:
    """What the first text shares with each of the others, put together; the most shared first.

    A stretch lies in one passage with each of the texts that have it. Where two passages with the
    same text overlap, the units go to the earlier one; what is left of a passage and is shorter
    than a shingle is dropped.

    >>> texts = "A quick brown fox runs.", "Look: the QUICK brown fox!"
    >>> [stretch] = shared_stretches(texts, Shingler(2))
    >>> texts[0][stretch.start : stretch.end]
    'quick brown fox'
    """
    if len(texts) < 2:
        return []
    first, *others = (shingler.cut(text) for text in texts)
    holders = np.zeros((len(others), first.units), np.int32)
    for row, other in enumerate(others):
        for number, (places, size) in enumerate(runs_of([first, other]), 1):
            begin, end = first.units_of(places[0], size)
            covered = holders[row, begin:end]
            covered[covered == 0] = number
    stretches = [
        Stretch(first.places[begin][0], first.places[end - 1][1], end - begin, count)
        for begin, end in _equal_columns(holders)
        if (count := 1 + int(np.count_nonzero(holders[:, begin]))) > 1
        and end - begin >= min(shingler.length, first.units)
    ]
    return sorted(stretches, key=lambda stretch: (-stretch.texts, -stretch.units, stretch.start))


def runs_of(texts: Sequence[ShingledText]) -> Iterator[SharedRun]:
    """The passages of texts that are cut up, as runs of their features."""
    first, *others = texts
    return shared_runs(first.features, [other.features for other in others], first.touching)


def shared_runs(
    first: Features, others: Sequence[Features], touching: bool = True
) -> Iterator[SharedRun]:
    """Longest runs of features of the first row that stand as a whole in all the others.

    Features that do not touch are taken one by one.
    """
    finders = [_Finder(first, other) for other in others]
    shared = np.ones(len(first), bool)
    for finder in finders:
        shared &= finder.known
    places = np.flatnonzero(shared)
    apart = np.diff(places) != 1 if touching else np.ones(max(0, len(places) - 1), bool)
    for neighbours in np.split(places, np.flatnonzero(apart) + 1):
        at, left = int(neighbours[0]) if len(neighbours) else 0, len(neighbours)
        while left:
            size = left
            for finder in finders:
                size = finder.longest(at, size)
            yield SharedRun((at, *(finder.place(at, size) for finder in finders)), size)
            at, left = at + size, left - size


class _Finder:
    """Finds where runs of one row of features stand in another."""

    def __init__(self, first: Features, other: Features) -> None:
        self.first, self.other = first, other
        self.order = np.argsort(other, kind="stable")
        ordered = other[self.order]
        self.low = np.searchsorted(ordered, first, "left")
        self.high = np.searchsorted(ordered, first, "right")
        self._last: tuple[int, int, Ints] = (-1, 0, self.order)

    @property
    def known(self) -> NDArray[np.bool_]:
        """For each feature of the first row whether the other one has it."""
        return self.low < self.high

    def longest(self, at: int, size: int) -> int:
        """How many of ``size`` features stand together somewhere; the one at ``at`` does."""
        places = self.order[self.low[at] : self.high[at]]
        best = 0
        for place in self._tried(places):
            best = max(best, self._agreeing(at, place, size))
            if best == size:
                return size
        return best if len(places) <= FEW else self._narrowed(places, at, size)[0]

    def place(self, at: int, size: int) -> int:
        """The first place where these features stand together, as they do somewhere."""
        places = self.order[self.low[at] : self.high[at]]
        for place in self._tried(places):
            if self._agreeing(at, place, size) == size:
                return place
        return int(self._narrowed(places, at, size)[1][0])

    @staticmethod
    def _tried(places: Ints) -> list[int]:
        """A few places one by one; of many the first, where copies mostly go on."""
        tried: list[int] = places[: FEW if len(places) <= FEW else 1].tolist()
        return tried

    def _agreeing(self, at: int, place: int, size: int) -> int:
        """How many features agree from two places on; looked at in steps, for most differ soon."""
        end = min(size, len(self.other) - place)
        done, step = 0, 32
        while done < end:
            until = min(done + step, end)
            ours = self.first[at + done : at + until]
            differ = np.flatnonzero(ours != self.other[place + done : place + until])
            if len(differ):
                return done + int(differ[0])
            done, step = until, 4 * step
        return end

    def _narrowed(self, places: Ints, at: int, size: int) -> tuple[int, Ints]:
        """The longest run from ``at`` on, up to ``size``, and all places where it stands.

        The places are narrowed down to those that go on with the same block: larger and larger
        blocks as long as there are such places, then smaller and smaller ones.
        """
        if self._last[:2] == (at, size):  # the place of a run is asked for after its length
            return self._last[1], self._last[2]
        reached, level, rises = 0, min(3, len(self._blocks) - 1), True
        while True:
            width = 1 << level
            going_on = places[:0]
            if reached + width <= size:
                room = len(self.other) - reached - width
                inside = places[: np.searchsorted(places, room, "right")]
                blocks = self._blocks[level]
                after = blocks[len(self.first) + inside + reached]
                going_on = inside[after == blocks[at + reached]]
            if len(going_on):
                places, reached = going_on, reached + width
                level = min(level + 1, len(self._blocks) - 1) if rises else level
            elif level:
                rises, level = False, level - 1
            else:
                self._last = at, reached, places
                return reached, places

    @cached_property
    def _blocks(self) -> list[Ints]:
        """At each level, for each place of both rows, the number of its block of 2**level features.

        Equal blocks have equal numbers. Blocks that reach from one row into the other are numbered,
        too, and never asked for.
        """
        blocks = [_numbered(np.concatenate([self.first, self.other]))]
        most = min(len(self.first), len(self.other))
        while len(blocks) <= LEVELS and 1 << len(blocks) <= most:
            half = 1 << (len(blocks) - 1)
            last = blocks[-1]
            blocks.append(_numbered(last[:-half] * np.int64(len(blocks[0])) + last[half:]))
        return blocks


def _numbered(values: Features | Ints) -> Ints:
    """Small numbers in the place of values."""
    return np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _equal_columns(table: NDArray[np.int32]) -> Iterator[Place]:
    """Ranges of neighbouring columns that are equal."""
    count = table.shape[1]
    changes = np.flatnonzero((table[:, 1:] != table[:, :-1]).any(axis=0)) + 1
    bounds = [0, *changes.tolist(), count] if count else []
    return pairwise(bounds)
