"""The two sides of an evaluation, what was found and what is true, over numbered documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from twinset.lab.evaluation.lists import ClusterList, DuplicateList, PairList
from twinset.lab.evaluation.pair_set import Bools, PairSet
from twinset.model import Floats, Ints
from twinset.model import compute as pc
from twinset.model.columns import numbers


class DocumentIds:
    """Every id that a side names, numbered as it comes or, if ``ordered``, alphabetically."""

    def __init__(self, arrays: Iterable[pa.Array], ordered: bool = False) -> None:
        parts = [array.cast(pa.large_string()) for array in arrays]
        together = pa.concat_arrays(parts) if parts else pa.array([], pa.large_string())
        names = together.unique()
        self.names: pa.Array = names.take(pc.sort_indices(names)) if ordered else names

    def __len__(self) -> int:
        return len(self.names)

    def numbers(self, ids: pa.Array | pa.ChunkedArray) -> Ints:
        """The number of each id, -1 for an unknown one."""
        positions = pc.index_in(ids.cast(pa.large_string()), value_set=self.names)
        return np.asarray(numbers(positions, missing=-1), np.int64)

    def named(self, arrays: Iterable[pa.Array]) -> Bools:
        """Which documents these arrays name."""
        is_named = np.zeros(len(self), bool)
        for ids in arrays:
            is_named[self.numbers(ids)] = True
        return is_named


@dataclass(frozen=True)
class NumberedPairs:
    """Pairs written out, ``left < right``, sorted, each once, with a value for each if known."""

    left: Ints
    right: Ints
    value: Floats | None = None

    def __len__(self) -> int:
        return len(self.left)

    def where(self, rows: Bools) -> NumberedPairs:
        """Some of the pairs."""
        value = None if self.value is None else self.value[rows]
        return NumberedPairs(self.left[rows], self.right[rows], value)


@dataclass(frozen=True)
class Side:
    """One side: its pairs, the cluster of each document, and which documents it names.

    ``listing`` is there where the pairs were written out: with their scores on the side of what
    was found, and with their grades, the low ones included, on the side of the truth.
    """

    pairs: PairSet
    clusters: Ints
    named: Bools
    listing: NumberedPairs | None = None
    notes: tuple[str, ...] = ()

    def restricted(self, allowed: Bools) -> Side:
        """Without the documents that are not allowed."""
        listing = self.listing
        if listing is not None:
            listing = listing.where(allowed[listing.left] & allowed[listing.right])
        return replace(
            self,
            pairs=self.pairs.restricted(allowed),
            clusters=np.where(allowed, self.clusters, -1),
            named=self.named & allowed,
            listing=listing,
        )


def side_of_list(listed: DuplicateList, ids: DocumentIds, name: str) -> Side:
    """A side from a list as it is, with its scores."""
    if isinstance(listed, ClusterList):
        return side_of_clusters(listed, ids, name)
    listing, notes = number_pairs(listed, listed.score, ids, name)
    return side_of_pairs(listing, ids, ids.named(listed.ids), [*listed.notes, *notes])


def side_of_pairs(
    listing: NumberedPairs, ids: DocumentIds, named: Bools, notes: Iterable[str] = ()
) -> Side:
    """A side that is a list of pairs; its clusters are the connected components."""
    pairs = PairSet.of_pairs(listing.left, listing.right, len(ids))
    return Side(pairs, pairs.components(), named, listing, tuple(notes))


def side_of_clusters(listed: ClusterList, ids: DocumentIds, name: str) -> Side:
    """A side of clusters; where they overlap, the components serve as clusters."""
    member = ids.numbers(listed.member)
    rows = np.unique(np.stack([member, listed.number]), axis=1)
    named = ids.named(listed.ids)
    if len(np.unique(rows[0])) == rows.shape[1]:
        labels = np.full(len(ids), -1, np.int64)
        labels[rows[0]] = rows[1]
        return Side(PairSet.of_labels(labels), labels, named, None, listed.notes)
    pairs = PairSet.of_clusters(rows[1], rows[0], len(ids))
    return Side(pairs, pairs.components(), named, None, (*listed.notes, note_on_overlap(name)))


def number_pairs(
    listed: PairList, value: Floats | None, ids: DocumentIds, name: str
) -> tuple[NumberedPairs, list[str]]:
    """The pairs in order, each once with its highest value, and notes on what was left out."""
    left, right = ids.numbers(listed.left), ids.numbers(listed.right)
    low, high = np.minimum(left, right), np.maximum(left, right)
    proper = np.flatnonzero(low != high)
    keys = low[proper] * max(len(ids), 1) + high[proper]
    score = np.zeros(len(proper)) if value is None else np.nan_to_num(value[proper], nan=-np.inf)
    order = np.lexsort((-score, keys))
    first = order[np.unique(keys[order], return_index=True)[1]] if len(order) else order
    rows = proper[first]
    listing = NumberedPairs(low[rows], high[rows], None if value is None else value[rows])
    left_out = {
        "pairs of a document with itself, left out": len(left) - len(proper),
        "pairs listed again or reversed, counted once": len(proper) - len(rows),
    }
    return listing, [f"{name}: {what}: {count:,}" for what, count in left_out.items() if count]


def note_on_overlap(name: str) -> str:
    """What overlapping clusters mean for the measures of clusterings."""
    return f"{name}: clusters overlap, so B³ and the adjusted Rand index use their components"
