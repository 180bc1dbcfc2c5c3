"""What a signal is, and pairs of documents as signals see them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.signals.profiles import Profiles, View
from twinset.model import Floats, Ints
from twinset.text.shared_terms import SharedTerms

Need = Literal["documents", "collection", "neighbours"]


@dataclass(frozen=True, slots=True)
class SharedSums:
    """Of each pair: the number of common terms, the product of weights, the sum of lesser ones."""

    terms: Ints
    product: Ints
    lesser: Ints

    def take(self, rows: Ints) -> SharedSums:
        """Those of some pairs."""
        return SharedSums(self.terms[rows], self.product[rows], self.lesser[rows])


@dataclass
class ProfiledPairs:
    """Pairs of documents; what several signals ask for is computed once."""

    profiles: Profiles
    left: Ints
    right: Ints
    threads: int
    _kept: dict[str, Any] = field(default_factory=dict)

    @property
    def ends(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Both documents of each pair, as kernels take them."""
        return self.left.astype(np.uint32), self.right.astype(np.uint32)

    def once(self, name: str, compute: Callable[[], Any]) -> Any:
        """What ``compute`` gives, computed at the first call of this name."""
        if name not in self._kept:
            self._kept[name] = compute()
        return self._kept[name]

    def shared(self, view: View, *, rarity: bool = False) -> SharedSums:
        """What pairs share in a view, by tf-idf weights or by the idf alone."""

        def compute() -> SharedSums:
            known = None if rarity else self.profiles.kept.get(f"shared {view}")
            if isinstance(known, SharedSums):
                rows = self.profiles.rows_of(self.left, self.right)
                if (rows >= 0).all():
                    return known.take(rows)
            terms = self.profiles.view(view)
            weights = terms.rarities if rarity else terms.weights
            lists = terms.terms.values, weights, terms.terms.offsets, len(terms.df)
            return SharedSums(*_kernels.shared_terms(*lists, *self.ends, self.threads))

        sums: SharedSums = self.once(f"shared {view} {rarity}", compute)
        return sums

    def both(self, values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """What documents have, of the left and of the right one."""
        return values[self.left], values[self.right]

    def view(self, view: View) -> SharedTerms:
        """All documents in a view."""
        return self.profiles.view(view)


@dataclass(frozen=True, slots=True)
class Signal:
    """A number that says something of a pair, the same whichever document comes first.

    ``logit``: it is a similarity from 0 to 1, which a model takes as a logit. ``needs``: whether it
    follows from the two documents alone, depends on how rare words are in the collection at hand,
    or on the neighbours that the documents have there.
    """

    name: str
    says: str
    logit: bool
    of: Callable[[ProfiledPairs], Floats]
    needs: Need = "documents"

    def column(self, profiles: Profiles, left: Ints, right: Ints, threads: int) -> Floats:
        """The signal of each pair."""
        return self.of(ProfiledPairs(profiles, left, right, threads))


def share(part: NDArray[Any], whole: NDArray[Any]) -> Floats:
    """A part of a whole; 0 of nothing."""
    ratio: Floats = part / np.maximum(whole, 1)
    return ratio
