"""Documents with equal feature sets are one class: compared once, written out for all.

Their similarity is the measure's value for (n, n, n), which is not always 1: below the threshold,
equal documents form no class.

Files without text (pictures, archives, damaged documents) are a class where their bytes are equal,
with a similarity of 1: a million copies cost a million digests.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.candidates.base import Goal
from twinset.finding.methods.base import Search
from twinset.model import Floats, Ints, Judge, Ragged
from twinset.run.documents import Collected, Preference


@dataclass(frozen=True)
class Copies:
    """For each document the ``first`` one that it is a copy of, and its ``score`` with a copy.

    ``by_bytes`` marks documents that are copies by the bytes of their files alone. Where every
    score is 1, ``score`` is one number broadcast (stride 0), which takes no memory.
    """

    first: Ints
    score: Floats
    by_bytes: NDArray[np.bool_]

    def score_of(self, documents: Ints) -> Floats:
        """The scores of some documents."""
        if self.score.strides == (0,):
            return np.broadcast_to(1.0, len(documents))
        return self.score[documents]

    @classmethod
    def of(cls, collected: Collected, search: Search, judge: Judge | None) -> Copies:
        """Copies as the judge, the measure or the method itself decides on pairs."""
        size = collected.sizes
        everywhere = np.broadcast_to(1.0, len(collected))
        if judge is not None:
            score = judge.copy_scores()
            apart = np.flatnonzero(~(score >= judge.threshold))
        elif search.measured:
            score, apart = copy_scores(search.goal, size, collected.files is None)
        else:
            score, apart = everywhere, np.empty(0, np.int64)
        first = collected.alike
        if (first[apart] != apart).any():
            first = first.copy()
            first[apart] = apart
        if collected.files is None:
            # the score of a document without features is never asked for: it has no copies
            if score.strides != (0,) and not (score[size > 0] != 1).any():
                score = everywhere
            return cls(first, score, np.zeros(len(first), bool))
        first, by_bytes = _equal_by_bytes(collected, first)
        return cls(first, np.where(by_bytes, 1.0, score), by_bytes)


def copy_scores(goal: Goal, size: Ints, empty_is_free: bool = False) -> tuple[Floats, Ints]:
    """The similarity of each document with a copy, and the documents that it is too low for.

    The score depends on the size alone. Where it is 1 for every size above 0, the result is one
    number broadcast if ``empty_is_free``: the score of documents without features is not needed.
    """
    sizes = np.arange(int(size.max(initial=0)) + 1)
    if len(sizes) > len(size):
        score = goal.measure.score(size, size, size)
        return score, np.flatnonzero(~(score >= goal.threshold))
    score = goal.measure.score(sizes, sizes, sizes)
    far = ~(score >= goal.threshold)
    apart = np.flatnonzero(far[size] if far[1:].any() else (size == 0) & far[0])
    if empty_is_free and (score[1:] == 1).all():
        return np.broadcast_to(1.0, len(size)), apart
    return score[size], apart


def _equal_by_bytes(collected: Collected, first: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """``first`` with files whose bytes are equal, and which documents these are.

    Files with features, and those that are copies by their text already, keep their ``first``.
    """
    is_alone = np.bincount(first, minlength=len(first))[first] == 1
    bare = (collected.status != 0) | (collected.sizes == 0)
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

    ``by_bytes`` marks the files that only their bytes were compared of; ``reference`` the documents
    that make no pair with each other, None where there are none.
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
        leader = first = copies.first
        if not preferred.as_read and (np.diff(preferred.order) < 0).any():
            backwards = preferred.order[::-1]
            best = np.empty_like(first)
            best[first[backwards]] = backwards  # of equal places the last one is written
            leader = best[first]
        known = reference is not None and bool(reference.any())
        return cls(leader, copies.by_bytes, reference if known else None)

    @cached_property
    def leads(self) -> NDArray[np.bool_]:
        """Which documents are leaders."""
        leads: NDArray[np.bool_] = self.leader == np.arange(len(self.leader))
        return leads

    @cached_property
    def size(self) -> NDArray[np.uint32]:
        """How many documents each leader stands for; 0 for the others."""
        size = self.leads.astype(np.uint32)
        np.add.at(size, self.leader[~self.leads], np.uint32(1))
        return size

    @cached_property
    def shared(self) -> Ints:
        """The leaders that stand for others as well, ascending."""
        return np.flatnonzero(self.size > 1)

    @cached_property
    def _members(self) -> Ragged[np.int64]:
        """The documents of each class in ``shared``."""
        inside = ~self.leads
        inside[self.shared] = True
        documents = np.flatnonzero(inside)
        leader = self.leader[documents].astype(np.uint32)
        order = _kernels.sorted_order(leader, documents.astype(np.uint32), 1)
        return Ragged.from_lengths(documents[order], self.size[self.shared])

    def leaders(self, status: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Leaders whose documents could be read and have features."""
        leads: NDArray[np.bool_] = self.leads & (status == 0)
        return leads

    def members(self, leaders: Ints) -> tuple[Ints, Ints]:
        """All documents of these classes, and for each the row of ``leaders`` it came from."""
        lengths = self.size[leaders]
        row = np.repeat(np.arange(len(leaders)), lengths)
        values = leaders[row]
        several = np.flatnonzero(lengths > 1)
        if len(several):
            members = self._members.take(np.searchsorted(self.shared, leaders[several]))
            values[lengths[row] > 1] = members.values
        return values, row

    def pairs_implied(self, left: Ints, right: Ints) -> int:
        """How many pairs of documents these pairs and the classes themselves stand for."""
        size = self.size[self.shared].astype(np.int64)
        between = int((self.size[left].astype(np.int64) * self.size[right]).sum())
        total = between + int((size * (size - 1) // 2).sum())
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
        a, row = self.members(self.shared)
        b, inner = self.members(self.shared[row])
        left, right = a[inner], b
        once = left < right
        return left[once], right[once]
