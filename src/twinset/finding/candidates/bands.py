"""Locality-sensitive hashing by bands [Indyk, Motwani 1998; Leskovec, Rajaraman, Ullman].

A sketch is cut into b bands of r rows; two documents are candidates if one band agrees, which for
similarity s happens with probability 1-(1-s^r)^b. `solve` chooses b and r for a wanted recall;
where both are given, the recall follows from them. Bands that `overlapping` draws have values in
common, as in Yang's lectures (2022): their chance is less than that, and computed exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import PlanError
from twinset.finding.candidates import base
from twinset.model import FeatureLists, Ragged, Sketch
from twinset.plan import Resources

AT_ONCE = 4096
"""Documents whose sketches are made at a time."""
OVERLAPPING = 16
"""Bands with values in common, or values: the exact chance has up to 2^16 terms."""
Choice = tuple[int, ...]
"""The places of a sketch that a band is made of."""


@dataclass(frozen=True, slots=True)
class Bands:
    """How a sketch is cut: ``bands`` bands of ``rows`` rows, side by side or as ``choices``."""

    bands: int
    rows: int
    choices: tuple[Choice, ...] = ()

    def probability(self, similarity: float) -> float:
        """The S-curve: the chance that at least one band agrees."""
        if not self.choices:
            return probability(similarity, self.bands, self.rows)
        none = math.fsum(sign * similarity**size for size, sign in _terms(self.choices))
        return min(max(1.0 - none, 0.0), 1.0)


def overlapping(bands: int, rows: int, size: int, seed: int) -> Bands:
    """Different bands, each of any ``rows`` of ``size`` values.

    There must be as many choices: the caller has checked it.
    """
    source = np.random.PCG64(seed)  # whose raw numbers no version of NumPy changes
    choices: dict[Choice, None] = {}
    while len(choices) < bands:
        drawn = np.argsort(source.random_raw(size), kind="stable")[:rows]
        choices[tuple(np.sort(drawn).tolist())] = None
    return Bands(bands, rows, tuple(choices))


@cache
def _terms(choices: tuple[Choice, ...]) -> list[tuple[int, int]]:
    """P(no band agrees) by inclusion and exclusion: sizes of unions of bands, with their signs."""
    signs = {0: 1}
    for choice in choices:
        mask = sum(1 << place for place in choice)
        for union, sign in list(signs.items()):
            signs[union | mask] = signs.get(union | mask, 0) - sign
    return [(union.bit_count(), sign) for union, sign in signs.items()]


def probability(similarity: float, bands: int, rows: int) -> float:
    """1-(1-s^r)^b, computed so that tiny values do not vanish."""
    agree = min(max(similarity, 0.0), 1.0) ** rows
    if agree >= 1.0:
        return 1.0
    return -math.expm1(bands * math.log1p(-agree))


def solve(threshold: float, recall: float, size: int, exact: str = "--exact") -> Bands:
    """The cheapest cut of a sketch of ``size`` that reaches the recall at the threshold.

    Verification is the costly step, so the cut with the most rows (the fewest false candidates)
    is taken, and of its bands as few as the recall needs. ``exact`` is what to give for an exact
    search, which the message advises where no cut reaches the recall.
    """
    for rows in range(size, 0, -1):
        bands = _bands_needed(threshold, recall, rows)
        if bands * rows <= size:
            return Bands(bands, rows)
    best = probability(threshold, size, 1)
    raise PlanError(
        [
            f"an image of size {size} reaches a recall of {best:.4f} at similarity {threshold:g}, "
            f"not {recall:g}: take a larger image ({_bands_needed(threshold, recall, 1)} or more), "
            f"a lower recall, or {exact}"
        ]
    )


def _bands_needed(threshold: float, recall: float, rows: int) -> int:
    agree = threshold**rows
    if agree >= 1.0:
        return 1
    guess = math.log1p(-recall) / math.log1p(-agree) if agree > 1e-12 else math.inf
    if guess > 1e9:  # more than any sketch has
        return 10**9
    bands = max(1, math.ceil(guess) - 1)
    while probability(threshold, bands, rows) < recall:
        bands += 1
    return bands


class BandGroups:
    """Sketches cut into bands; documents that agree in a band are a group.

    A group of more than ``dense`` documents is either one template or a shared boilerplate: its
    documents are to be joined exactly instead.
    """

    def __init__(self, cut: Bands, goal: base.Goal, resources: Resources) -> None:
        self.cut, self.goal, self.resources = cut, goal, resources
        self._grouper = _kernels.Grouper(resources.keys_bytes, resources.folder)

    @property
    def width(self) -> int:
        """As many values of a sketch as the bands need: no more have to be computed."""
        return max(map(max, self.cut.choices), default=self.cut.bands * self.cut.rows - 1) + 1

    def keys(self, sketches: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """A row of band keys for each sketch."""
        if self.cut.choices:
            sketches = np.ascontiguousarray(sketches[:, np.ravel(self.cut.choices)])
        return _kernels.band_keys(sketches, self.cut.bands, self.cut.rows)

    def add(self, keys: _kernels.KeyBlock, documents: base.Numbers) -> None:
        """Take in the band keys of these documents, whose numbers follow each other."""
        if len(documents):
            self._grouper.add(keys, int(documents[0]), self.resources.threads)

    def apart(self, use: NDArray[np.uint8]) -> tuple[base.Groups, Ragged[np.uint32]]:
        """Groups among the documents marked in ``use``, and the documents to be joined.

        The latter in a row for each set of documents that are linked by a chain of groups: what
        becomes of them is not to depend on others.
        """
        groups = base.finished(self._grouper, use, self.resources)
        members = groups.members
        large = members.lengths > self.goal.dense
        if not large.any():
            return groups, Ragged.from_rows([], np.uint32)
        others = np.bincount(members.take(large).values, minlength=len(use)) == 0
        crowded = np.flatnonzero(~others).astype(np.uint32)
        # among themselves the crowded documents are joined; bands serve where others take part
        mixed = np.logical_or.reduceat(others[members.values], members.offsets[:-1])
        return base.Groups(members.take(~large & mixed)), _linked(crowded, members, len(use))

    def describe(self) -> dict[str, Any]:
        """The cut."""
        shared = {"overlap": True} if self.cut.choices else {}
        return {"kind": "bands", "bands": self.cut.bands, "rows": self.cut.rows, **shared}

    def probability(self, similarity: float) -> float:
        """The S-curve."""
        return self.cut.probability(similarity)


def _linked(crowded: base.Numbers, members: Ragged[np.uint32], count: int) -> Ragged[np.uint32]:
    """These documents, ascending in a row for each connected component of the groups."""
    first = members.values[members.offsets[members.owners()]]
    root = _kernels.component_roots(count, first, members.values)[crowded]
    order = np.argsort(root, kind="stable")
    _, sizes = np.unique(root, return_counts=True)
    return Ragged.from_lengths(crowded[order], sizes)


class BandCandidates(BandGroups, base.Candidates):
    """Groups by band; documents of overlarge groups are handed to the prefix join.

    There boilerplate stops being a key because it is frequent.
    """

    def __init__(
        self, image: Sketch, goal: base.Goal, resources: Resources, cut: Bands | None = None
    ) -> None:
        solved = cut or solve(goal.least_jaccard(), goal.recall, image.size)
        super().__init__(solved, goal, resources)
        self.given = cut is not None
        self.image = image.narrowed(self.width)  # fewer bins are empty

    def prepare(self, features: FeatureLists, threads: int) -> _kernels.KeyBlock:
        """Sketch the documents and make their band keys."""
        return _kernels.KeyBlock(self._sketched(features, threads))

    def _sketched(self, features: FeatureLists, threads: int) -> NDArray[np.uint64]:
        """A row of band keys for each document, made for some thousands at a time.

        The sketches of short documents are several times as large as their texts.
        """
        if len(features) <= AT_ONCE:
            return self.keys(self.image.sketch(features, threads))
        keys = np.empty((len(features), self.cut.bands), np.uint64)
        for begin in range(0, len(features), AT_ONCE):
            some = Ragged(features.values, features.offsets[begin : begin + AT_ONCE + 1])
            keys[begin : begin + AT_ONCE] = self.keys(self.image.sketch(some, threads))
        return keys

    def links(self, features: FeatureLists, threads: int) -> FeatureLists:
        """The band keys of the documents that have features."""
        there = features.lengths > 0
        keys = self._sketched(features, threads)
        if np.count_nonzero(there) == len(keys):
            return Ragged(keys.reshape(-1), np.arange(0, keys.size + 1, self.cut.bands))
        return Ragged.from_lengths(keys[there].ravel(), np.where(there, self.cut.bands, 0))

    def groups(self, store: _kernels.FeatureStore, use: NDArray[np.uint8]) -> base.Groups:
        """Groups by band, and by prefix among the documents of overlarge bands."""
        groups, crowded = self.apart(use)
        if not len(crowded):
            return groups
        measure, threshold = self.goal.measure.number, self.goal.threshold
        joined = [
            base.prefix_groups(store, row, measure, threshold, self.resources) for row in crowded
        ]
        together = [groups.members, *(part.members for part in joined)]
        alone = np.concatenate([part.alone["count"] for part in joined])
        return base.Groups(
            Ragged.concatenate(together, np.uint32),
            {"document": crowded.values, "count": alone},
            self.goal.dense,
        )

    def describe(self) -> dict[str, Any]:
        """The cut, and whether it was given or solved for the recall."""
        return super().describe() | ({"given": True} if self.given else {})
