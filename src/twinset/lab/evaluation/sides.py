"""The two sides of an evaluation: what was found and what is true, over numbered documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from twinset.lab.evaluation.list_files import Listed, PairList, SetList
from twinset.lab.evaluation.pair_set import Bools, Relation
from twinset.model import Floats, Ints
from twinset.model.columns import numbers


class Ids:
    """All ids that are named, numbered as they come or, if ``ordered``, in alphabetical order."""

    def __init__(self, arrays: Iterable[pa.Array], ordered: bool = False) -> None:
        parts = [array.cast(pa.large_string()) for array in arrays]
        together = pa.concat_arrays(parts) if parts else pa.array([], pa.large_string())
        names = together.unique()
        self.names: pa.Array = names.take(pc.sort_indices(names)) if ordered else names

    def __len__(self) -> int:
        return len(self.names)

    def numbers(self, ids: pa.Array | pa.ChunkedArray) -> Ints:
        """The number of each id."""
        found = pc.index_in(ids.cast(pa.large_string()), value_set=self.names)
        return np.asarray(numbers(found, missing=-1), np.int64)

    def named(self, ids: Iterable[pa.Array]) -> Bools:
        """Which documents these arrays name."""
        there = np.zeros(len(self), bool)
        for array in ids:
            there[self.numbers(array)] = True
        return there


@dataclass(frozen=True)
class Listing:
    """Pairs written out, ``left < right``, sorted, each once, with a number for each if known."""

    left: Ints
    right: Ints
    value: Floats | None = None

    def __len__(self) -> int:
        return len(self.left)

    def where(self, rows: Bools) -> Listing:
        """Some of the pairs."""
        value = None if self.value is None else self.value[rows]
        return Listing(self.left[rows], self.right[rows], value)


@dataclass(frozen=True)
class Side:
    """One side: its pairs, the cluster of each document, which documents it speaks of.

    ``listing`` is there where the pairs were written out: with their scores on the side of what
    was found, and with their grades, the low ones included, on the side of the truth.
    """

    pairs: Relation
    clusters: Ints
    named: Bools
    listing: Listing | None = None
    notes: tuple[str, ...] = ()


def listing_of(
    listed: PairList, value: Floats | None, ids: Ids, name: str
) -> tuple[Listing, list[str]]:
    """The pairs in order, each once with its highest value, and what was not as it should be."""
    one, other = ids.numbers(listed.left), ids.numbers(listed.right)
    low, high = np.minimum(one, other), np.maximum(one, other)
    real = np.flatnonzero(low != high)
    keys = low[real] * max(len(ids), 1) + high[real]
    score = np.zeros(len(real)) if value is None else np.nan_to_num(value[real], nan=-np.inf)
    order = np.lexsort((-score, keys))
    first = order[np.unique(keys[order], return_index=True)[1]] if len(order) else order
    rows = real[first]
    listing = Listing(low[rows], high[rows], None if value is None else value[rows])
    told = {
        "pairs of a document with itself, left out": len(one) - len(real),
        "pairs listed again or reversed, counted once": len(real) - len(rows),
    }
    return listing, [f"{name}: {what}: {count:,}" for what, count in told.items() if count]


def side_of_pairs(listing: Listing, ids: Ids, named: Bools, notes: Iterable[str] = ()) -> Side:
    """A side that is a list of pairs; its clusters are the connected components."""
    pairs = Relation.of_pairs(listing.left, listing.right, len(ids))
    return Side(pairs, pairs.components(), named, listing, tuple(notes))


def side_of_sets(listed: SetList, ids: Ids, name: str) -> Side:
    """A side that is sets of documents; where they overlap its clusters are the components."""
    member = ids.numbers(listed.member)
    rows = np.unique(np.stack([member, listed.number]), axis=1)
    named = ids.named(listed.ids)
    if len(np.unique(rows[0])) == rows.shape[1]:
        labels = np.full(len(ids), -1, np.int64)
        labels[rows[0]] = rows[1]
        return Side(Relation.of_labels(labels), labels, named, None, listed.notes)
    pairs = Relation.of_sets(rows[1], rows[0], len(ids))
    return Side(pairs, pairs.components(), named, None, (*listed.notes, overlapping(name)))


def overlapping(name: str) -> str:
    """What overlapping sets mean for the measures of clusterings, as a note."""
    return f"{name}: sets overlap, so that B³ and the adjusted Rand index take their components"


def only(side: Side, allowed: Bools) -> Side:
    """Without the documents that are not allowed."""
    listing = side.listing
    if listing is not None:
        listing = listing.where(allowed[listing.left] & allowed[listing.right])
    clusters = np.where(allowed, side.clusters, -1)
    return replace(
        side,
        pairs=side.pairs.restricted(allowed),
        clusters=clusters,
        named=side.named & allowed,
        listing=listing,
    )


def taken(listed: Listed, ids: Ids, name: str) -> Side:
    """A side from a list as it is, scores kept."""
    if isinstance(listed, SetList):
        return side_of_sets(listed, ids, name)
    listing, notes = listing_of(listed, listed.score, ids, name)
    return side_of_pairs(listing, ids, ids.named(listed.ids), [*listed.notes, *notes])
