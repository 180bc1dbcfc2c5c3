"""How a pair stands among the neighbours of its documents.

Documents of one site or one form are all alike; a copy is more alike than they are. The others of a
document are its neighbours among the candidate pairs (`Profiles.pairs`), without the one that it
is compared with. Of the two ends of a pair the larger value counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.signals.base import ProfiledPairs, Profiles, Signal, View
from twinset.finding.signals.experts import sigmoid
from twinset.finding.signals.similarities import containment, cosine, lcs_ratio, lcs_short
from twinset.model import Floats, Ints, Ragged

SLACK = 0.03
"""Added to the deviation, so that a few equal neighbours do not make everything stand out."""
NEAREST = 10
"""Neighbours whose mean cosine is the density around a document."""


@dataclass(frozen=True, slots=True)
class OtherNeighbours:
    """Of one end of each pair the other neighbours: how many, and figures of their cosines."""

    count: Ints
    mean: Floats
    deviation: Floats
    best: Floats
    density: Floats


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The neighbours of all documents with their cosines in a view.

    ``keys`` are document << 32 | neighbour, ascending; ``counts``, ``sums`` and ``squares`` belong
    to the cosines of each document. ``heads`` are its `NEAREST` + 1 best ones, falling.
    """

    keys: Ints
    counts: Ints
    sums: Floats
    squares: Floats
    heads: Floats

    @classmethod
    def of(cls, profiles: Profiles, view: View) -> Neighbourhood:
        """Among the candidate pairs of these documents; kept with them."""
        name = f"neighbourhood {view}"
        if name not in profiles.kept:
            left, right = profiles.pairs
            pairs = ProfiledPairs(profiles, left, right, profiles.threads)
            # Other signals ask for them as well.
            profiles.kept[f"shared {view}"] = pairs.shared(view)
            cosines = cosine(view, pairs)
            profiles.kept[name] = cls.of_pairs(
                left, right, cosines, len(profiles), profiles.threads
            )
        known = profiles.kept[name]
        assert isinstance(known, cls)
        return known

    @classmethod
    def of_pairs(
        cls, left: Ints, right: Ints, scores: Floats, documents: int, threads: int
    ) -> Neighbourhood:
        """Among these pairs of so many documents, each once."""
        owner, other = np.concatenate([left, right]), np.concatenate([right, left])
        order = _sorted(owner, other, threads)
        keys, cosines = (owner << 32 | other)[order], np.concatenate([scores, scores])[order]
        lists = Ragged.from_lengths(cosines, np.bincount(owner, minlength=documents))
        squares = lists.like(cosines**2).sums()
        return cls(keys, lists.lengths, lists.sums(), squares, _heads(lists, threads))

    def others(self, document: Ints, partner: Ints, cosines: Floats) -> OtherNeighbours:
        """The neighbours of each document without the partner, which has this cosine."""
        member = self._holds(document << 32 | partner)
        count = self.counts[document] - member
        there = np.maximum(count, 1)
        own = np.where(member, cosines, 0.0)
        mean = (self.sums[document] - own) / there
        square = (self.squares[document] - own**2) / there - mean**2
        heads = self.heads[document]
        ahead = member & (cosines >= heads[:, 0])
        within = member & (cosines >= heads[:, NEAREST])
        nearest = np.where(within, heads.sum(1) - cosines, heads[:, :NEAREST].sum(1))
        return OtherNeighbours(
            count,
            np.where(count > 0, mean, 0.0),
            np.sqrt(np.where(count > 0, np.maximum(square, 0.0), 0.0)),
            np.where(ahead, heads[:, 1], heads[:, 0]),
            nearest / NEAREST,
        )

    def _holds(self, keys: Ints) -> NDArray[np.bool_]:
        if not len(self.keys):
            return np.zeros(len(keys), bool)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        holds: NDArray[np.bool_] = self.keys[place] == keys
        return holds


def _sorted(first: NDArray[Any], second: NDArray[Any], threads: int) -> NDArray[np.uint32]:
    return _kernels.sorted_order(first.astype(np.uint32), second.astype(np.uint32), threads)


def _heads(lists: Ragged[np.float64], threads: int) -> Floats:
    """The best cosines of each list, falling; 0 where there are fewer."""
    owner = lists.owners()
    falling = ~lists.values.view(np.uint64)  # of numbers that are not negative, in whole ones
    rank = np.empty(len(owner), np.uint32)
    rank[_sorted(falling >> np.uint64(32), falling, threads)] = np.arange(len(owner))
    best_first = lists.values[_sorted(owner, rank, threads)]
    place = np.arange(len(owner)) - lists.offsets[:-1][owner]
    near = place <= NEAREST
    heads = np.zeros((len(lists), NEAREST + 1))
    heads[owner[near], place[near]] = best_first[near]
    return heads


def others_of(pairs: ProfiledPairs, view: View) -> tuple[Floats, OtherNeighbours, OtherNeighbours]:
    """The cosine of each pair, and the other neighbours of its left and its right document."""

    def compute() -> tuple[Floats, OtherNeighbours, OtherNeighbours]:
        near, cosines = Neighbourhood.of(pairs.profiles, view), cosine(view, pairs)
        left, right = pairs.left, pairs.right
        return cosines, near.others(left, right, cosines), near.others(right, left, cosines)

    known: tuple[Floats, OtherNeighbours, OtherNeighbours] = pairs.once(f"others {view}", compute)
    return known


def z(pairs: ProfiledPairs) -> Floats:
    """(cosine - mean of the others) / (their deviation + `SLACK`)."""
    cosines, *ends = others_of(pairs, "folded5")
    left, right = ((cosines - end.mean) / (end.deviation + SLACK) for end in ends)
    return np.maximum(left, right)


def gap(pairs: ProfiledPairs) -> Floats:
    """The cosine less that of the best of the others."""
    cosines, left, right = others_of(pairs, "words2")
    return cosines - np.minimum(left.best, right.best)


def density(pairs: ProfiledPairs) -> Floats:
    """The mean cosine of the `NEAREST` best of the others, as 0 where there are fewer."""
    _, left, right = others_of(pairs, "words2")
    return np.maximum(left.density, right.density)


CROWD = 10  # look-alikes of a document: as many as `Neighbourhood.heads` can tell
RULE = {"cosine2": 0.54, "containment3": 0.95, "lcs": 0.9, "z5c": 3.0, "lcs_short": 0.55}
"""The numbers of the preset for texts, see `twinset.finding.methods.bending`."""
LEAST, ALIKE = 0.1, 0.5  # cosines of folded characters of a pair that stands out
SURE = 2.0  # the logit of a pair that another one holds


def by_rule(pairs: ProfiledPairs) -> Floats:
    """About the rule of the preset for texts, by other signals: it holds from .5 on.

    What decides is the cosine of words; the order of words in a crowd; and how far a pair stands
    out, where nothing else speaks for it.
    """
    near = Neighbourhood.of(pairs.profiles, "words2")
    likest = np.minimum(*(near.heads[ends, CROWD - 1] for ends in (pairs.left, pairs.right)))
    margin = _logit(cosine("words2", pairs)) - _logit(RULE["cosine2"])
    held = np.where(containment(pairs) >= RULE["containment3"], SURE, margin)
    margin = np.maximum(margin, held)
    in_order = _logit(lcs_ratio(pairs)) - _logit(RULE["lcs"])
    margin = np.where(likest >= RULE["cosine2"], np.minimum(margin, in_order), margin)
    folded, deviations = cosine("folded5", pairs), z(pairs)
    stands = (deviations >= RULE["z5c"]) & (folded >= LEAST)
    stands &= (lcs_short(pairs) >= RULE["lcs_short"]) | (folded >= ALIKE)
    stands &= likest < RULE["cosine2"]
    calm = np.minimum(deviations / RULE["z5c"], SURE)
    return sigmoid(np.where(stands, np.maximum(margin, calm), margin))


def _logit(share: Any) -> Any:
    inside = np.clip(share, 0.01, 0.99)
    return np.log(inside / (1 - inside))


SIGNALS = (
    Signal(
        "preset",
        "About how far the rule of the preset for texts holds, from 0.5 on",
        False,
        by_rule,
        "neighbours",
    ),
    Signal(
        "z5c",
        "Deviations by which the pair stands out from the other neighbours",
        False,
        z,
        "neighbours",
    ),
    Signal("gap2", "Cosine of the pair less that of the next neighbour", False, gap, "neighbours"),
    Signal("density", "Mean cosine of the other neighbours", False, density, "neighbours"),
)
