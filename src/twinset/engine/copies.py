"""Documents with equal feature sets are one class: compared once, written out for all.

Equal sets are a pair like any other: they have the measure's own value for (n, n, n), which need
not be 1, and where that does not reach the threshold they are no pair and no class.

Files that nothing but their bytes can be compared by (pictures, archives, damaged documents) are a
class where these are equal, with a similarity of 1: a million copies cost a million digests.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from twinset.engine.documents import Collected, Preference
from twinset.methods.base import Search
from twinset.model import Floats, Ints, Judge, Ragged


@dataclass(frozen=True)
class Copies:
    """What exact copies are to each other.

    ``first`` is, for each document, the first one that it is a copy of and a pair with; ``score``
    is the similarity of each document with an exact copy of it. ``by_bytes`` are documents that are
    copies by the bytes of their files alone.
    """

    first: Ints
    score: Floats
    by_bytes: NDArray[np.bool_]

    @classmethod
    def of(cls, collected: Collected, search: Search, judge: Judge | None) -> Copies:
        """By what decides on pairs: the judge, the goal's measure, or the method itself."""
        size, goal = collected.store.sizes, search.goal
        if judge is not None:
            score, least = judge.copy_scores(), judge.threshold
        elif search.measured:
            score, least = goal.measure.score(size, size, size), goal.threshold
        else:
            score, least = np.ones(len(collected)), 0.0
        first = np.where(score >= least, collected.alike, np.arange(len(collected)))
        first, by_bytes = _equal_by_bytes(collected, first)
        return cls(first, np.where(by_bytes, 1.0, score), by_bytes)


def _equal_by_bytes(collected: Collected, first: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """``first`` with files that are equal by their bytes alone, and which documents these are.

    A file with features, or one that is a copy by its text already, is not among them.
    """
    if collected.files is None:
        return first, np.zeros(len(first), bool)
    is_alone = np.bincount(first, minlength=len(first))[first] == 1
    bare = (collected.status != 0) | (collected.store.sizes == 0)
    rows = np.flatnonzero(bare & is_alone)
    _, begins, code, count = np.unique(
        collected.contents[rows], return_index=True, return_inverse=True, return_counts=True
    )
    code = code.ravel()  # NumPy 2.0.0 gives it the shape of the input
    several = count[code] > 1
    by_bytes = np.zeros(len(first), bool)
    by_bytes[rows[several]] = True
    new = first.copy()
    new[rows[several]] = rows[begins[code[several]]]
    return new, by_bytes


@dataclass(frozen=True)
class Classes:
    """``leader`` names the preferred document of each document's class.

    ``by_bytes`` are the documents of classes of equal files that nothing else was compared of;
    ``reference`` those that make no pair with each other, None where there are none.
    """

    leader: Ints
    by_bytes: NDArray[np.bool_]
    reference: NDArray[np.bool_] | None = None

    @classmethod
    def of(
        cls,
        copies: Copies,
        preferred: Preference,
        reference: NDArray[np.bool_] | None = None,
    ) -> Classes:
        """From the first document of each class in reading order to the preferred one."""
        first = copies.first
        place = np.empty(len(first), np.int64)
        place[preferred.order] = np.arange(len(first))
        best = np.full(len(first), len(first))
        np.minimum.at(best, first, place)
        leader = preferred.order[best[first]] if len(first) else first
        known = reference is not None and bool(reference.any())
        return cls(leader, copies.by_bytes, reference if known else None)

    @cached_property
    def size(self) -> Ints:
        """How many documents each leader stands for; 0 for the others."""
        return np.bincount(self.leader, minlength=len(self.leader))

    @cached_property
    def _members(self) -> Ragged[np.int64]:
        return Ragged.from_lengths(np.argsort(self.leader, kind="stable"), self.size)

    def leaders(self, status: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Leaders of classes that have features."""
        leads: NDArray[np.bool_] = self.leader == np.arange(len(self.leader))
        leads &= status == 0
        return leads

    def members(self, leaders: Ints) -> tuple[Ints, Ints]:
        """All documents of these classes, and for each the row of ``leaders`` it came from."""
        members = self._members.take(leaders)
        return members.values, members.owners()

    def pairs_implied(self, left: Ints, right: Ints) -> int:
        """How many pairs of documents these pairs and the classes themselves stand for."""
        between = int((self.size[left] * self.size[right]).sum())
        total = between + int((self.size * (self.size - 1) // 2).sum())
        inside = self.references
        if inside is None:
            return total
        total -= int((inside[left] * inside[right]).sum())
        return total - int((inside * (inside - 1) // 2).sum())

    @cached_property
    def references(self) -> Ints | None:
        """How many documents of references each leader stands for; None where there are none."""
        if self.reference is None:
            return None
        return np.bincount(self.leader[self.reference], minlength=len(self.leader))

    def only_references(self, leaders: Ints) -> NDArray[np.bool_]:
        """Whether these leaders stand for documents of references alone."""
        if self.references is None:
            return np.zeros(len(leaders), bool)
        alone: NDArray[np.bool_] = self.references[leaders] == self.size[leaders]
        return alone

    def cross(self, left: Ints, right: Ints) -> tuple[Ints, Ints, Ints]:
        """Every pair of documents of these pairs of classes, with the row it came from."""
        a, row = self.members(left)
        b, inner = self.members(right[row])
        return a[inner], b, row[inner]

    def within(self) -> tuple[Ints, Ints]:
        """Every pair of documents inside one class."""
        shared = np.flatnonzero(self.size > 1)
        a, row = self.members(shared)
        b, inner = self.members(shared[row])
        left, right = a[inner], b
        once = left < right
        return left[once], right[once]
