"""A set of pairs of documents that is not written out: blocks, and edges between blocks.

Documents 0..n-1 lie in blocks. Two documents are a pair if they share a block that holds all its
pairs (``within``), or if an edge joins their blocks. A list of pairs has blocks of one document
each; clusters are blocks without edges; overlapping clusters, and reports that list pairs of
leaders only, have both. So a cluster of a million documents costs a million numbers, not 5·10^11.

`count_common` counts the pairs that two sets share, also on blocks and never on pairs. A `Side` is
what was found, or what is true, over documents that `DocumentIds` numbers. Then the
measures: five numbers of pairs, and scores of clusterings (B³: Bagga, Baldwin 1998, LREC; adjusted
Rand index: Hubert, Arabie 1985).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.lab.lists import ClusterList, DuplicateList, PairList
from twinset.model import Floats, Ints, offsets_of, spread
from twinset.model import compute as pc
from twinset.model.columns import numbers

Bools = NDArray[np.bool_]
CHUNK = 1 << 21  # pairs that are in memory at a time


@dataclass(frozen=True)
class PairSet:
    """``first < second`` are the blocks of each edge, sorted, each once; ``within`` is by block.

    A block that does not hold its own pairs has one document.
    """

    block: Ints
    within: Bools
    first: Ints
    second: Ints

    @classmethod
    def of_pairs(cls, left: Ints, right: Ints, documents: int) -> PairSet:
        """From pairs in any order, repeated or not; a document with itself is no pair."""
        return cls._joined(
            np.arange(documents, dtype=np.int64), np.zeros(documents, bool), left, right
        )

    @classmethod
    def of_labels(cls, labels: Ints) -> PairSet:
        """From one cluster for each document; -1 is none."""
        block = number_labels(labels)
        within = np.zeros(int(block.max(initial=-1)) + 1, bool)
        within[block[labels >= 0]] = True
        nothing = np.empty(0, np.int64)
        return cls(block, within, nothing, nothing)

    @classmethod
    def of_clusters(cls, number: Ints, member: Ints, documents: int) -> PairSet:
        """From clusters that may overlap: ``member`` i lies in the cluster ``number`` i."""
        rows = np.unique(np.stack([member, number]), axis=1)
        atom = _atoms(rows[0], rows[1], documents)
        within = np.zeros(int(atom.max(initial=-1)) + 1, bool)
        within[atom[rows[0]]] = True
        # The atoms of each cluster, every two of them joined.
        cell = np.unique(np.stack([rows[1], atom[rows[0]]]), axis=1)
        size = np.bincount(cell[0]) if cell.size else np.empty(0, np.int64)
        start = offsets_of(size)[:-1]
        place = np.arange(cell.shape[1]) - start[cell[0]]
        keys = np.empty(0, np.int64)
        # Clusters that overlap much repeat their edges: only distinct ones are kept in memory.
        for row, step in spread_in_chunks(size[cell[0]] - 1 - place):
            low, high = cell[1][row], cell[1][row + 1 + step]
            keys = np.union1d(keys, low * len(within) + high)
        return cls(atom, within, keys // max(len(within), 1), keys % max(len(within), 1))

    @classmethod
    def of_classes(cls, classes: Ints, left: Ints, right: Ints) -> PairSet:
        """From classes of equal documents (a label each) and pairs of documents between them."""
        block = number_labels(classes)
        within = np.ones(int(block.max(initial=-1)) + 1, bool)
        return cls._joined(block, within, block[left], block[right])

    @classmethod
    def _joined(cls, block: Ints, within: Bools, left: Ints, right: Ints) -> PairSet:
        blocks = len(within)
        low, high = np.minimum(left, right), np.maximum(left, right)
        keys = np.unique((low * blocks + high)[low != high])
        return cls(block, within, keys // max(blocks, 1), keys % max(blocks, 1))

    @property
    def documents(self) -> int:
        return len(self.block)

    @cached_property
    def size(self) -> Ints:
        return np.bincount(self.block, minlength=len(self.within))

    @cached_property
    def keys(self) -> Ints:
        """The edges as one number each, sorted."""
        return self.first * len(self.within) + self.second

    def count(self) -> int:
        inside = self.size * (self.size - 1) // 2
        between = self.size[self.first] * self.size[self.second]
        return int(inside[self.within].sum() + between.sum())

    def contains(self, left: Ints, right: Ints) -> Bools:
        """Whether each of these pairs is in the set."""
        first, second = self.block[left], self.block[right]
        same = (first == second) & (left != right)
        is_pair: Bools = (same & self.within[first]) | self.has_edge(first, second)
        return is_pair

    def has_edge(self, first: Ints, second: Ints) -> Bools:
        edges = np.minimum(first, second) * len(self.within) + np.maximum(first, second)
        place = np.searchsorted(self.keys, edges)
        exists: Bools = np.append(self.keys, -1)[place] == edges
        return exists

    def restricted(self, allowed: Bools) -> PairSet:
        """Only the pairs whose documents are both allowed."""
        outside = np.flatnonzero(~allowed)
        block = self.block.copy()
        block[outside] = len(self.within) + np.arange(len(outside))
        within = np.concatenate([self.within, np.zeros(len(outside), bool)])
        return PairSet(block, within, self.first, self.second)

    def extended(self, more: int) -> PairSet:
        """The same pairs among more documents, which are in no pair."""
        block = np.concatenate([self.block, len(self.within) + np.arange(more)])
        within = np.concatenate([self.within, np.zeros(more, bool)])
        return PairSet(block, within, self.first, self.second)

    def components(self) -> Ints:
        """The connected component of each document."""
        ends = (self.first.astype(np.uint32), self.second.astype(np.uint32))
        roots = _kernels.component_roots(len(self.within), *ends)
        return np.asarray(roots, np.int64)[self.block]

    def chunks(self) -> Iterator[tuple[Ints, Ints]]:
        """All pairs, a chunk at a time, the lower document number on the left."""
        order, start = self.members
        own = self.block[order]
        ahead = start[own] + self.size[own] - 1 - np.arange(len(order))
        for row, step in spread_in_chunks(np.where(self.within[own], ahead, 0)):
            yield order[row], order[row + 1 + step]
        yield from self.across()

    def across(self) -> Iterator[tuple[Ints, Ints]]:
        """The pairs of documents whose blocks an edge joins, a chunk at a time."""
        order, start = self.members
        edge, step = spread(self.size[self.first])
        members = start[self.first[edge]] + step
        for row, step in spread_in_chunks(self.size[self.second[edge]]):
            left, right = order[members[row]], order[start[self.second[edge[row]]] + step]
            yield np.minimum(left, right), np.maximum(left, right)

    @cached_property
    def members(self) -> tuple[Ints, Ints]:
        """The documents block by block, and where each block begins among them."""
        return np.argsort(self.block, kind="stable"), offsets_of(self.size)[:-1]


def number_labels(labels: Ints) -> Ints:
    """The labels as numbers from 0; a document without a label (-1) gets one of its own."""
    distinct = labels.astype(np.int64)
    unlabelled = distinct < 0
    distinct[unlabelled] = int(distinct.max(initial=-1)) + 1 + np.arange(int(unlabelled.sum()))
    numbered: Ints = np.unique(distinct, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return numbered


def spread_in_chunks(counts: Ints) -> Iterator[tuple[Ints, Ints]]:
    """`spread` in parts of about `CHUNK` rows."""
    ends = offsets_of(counts)[1:]
    total = int(ends[-1]) if len(ends) else 0
    cuts = np.unique(np.searchsorted(ends, np.arange(CHUNK, total + CHUNK, CHUNK), side="left") + 1)
    begin = 0
    for end in np.minimum(cuts, len(counts)).tolist():
        row, step = spread(counts[begin:end])
        if len(row):
            yield row + begin, step
        begin = end


def _atoms(member: Ints, number: Ints, documents: int) -> Ints:
    """Documents in the same clusters get the same number; rows are sorted by member."""
    known: dict[bytes, int] = {}
    atom = np.full(documents, -1, np.int64)
    starts = np.searchsorted(member, np.arange(documents + 1))
    for document in np.unique(member).tolist():
        clusters = number[starts[document] : starts[document + 1]].tobytes()
        atom[document] = known.setdefault(clusters, len(known))
    return number_labels(atom)


def count_common(first: PairSet, second: PairSet) -> int:
    """The number of pairs that are in both sets.

    Documents that neither set tells apart count as one of a size. Two such lie in one block of
    either set, or an edge of one set joins them.
    """
    blocks = first.block * len(second.within) + second.block
    _, some, size = np.unique(blocks, return_index=True, return_counts=True)
    one, other = (replace(pairs, block=pairs.block[some]) for pairs in (first, second))
    whole = size[one.within[one.block] & other.within[other.block]]
    total = int((whole * (whole - 1) // 2).sum())
    for left, right in one.across():
        common = other.contains(left, right)
        total += int((size[left] * size[right])[common].sum())
    for left, right in other.across():
        common = one.contains(left, right) & ~one.has_edge(one.block[left], one.block[right])
        total += int((size[left] * size[right])[common].sum())
    return total


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
    rows = np.unique(np.stack([ids.numbers(listed.member), listed.number]), axis=1)
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


Z = 1.959963984540054  # 95 % of a normal distribution lie within


def f1(precision: float, recall: float) -> float:
    """The harmonic mean; 0 where both are 0."""
    both = precision + recall
    return 2 * precision * recall / both if both else 0.0


def wilson(share: float, number: float) -> tuple[float, float]:
    """The 95 % confidence interval of a share of ``number`` cases (Wilson 1927)."""
    if number <= 0:
        return 0.0, 1.0
    spread = Z * Z / number
    middle = (share + spread / 2) / (1 + spread)
    half = Z * math.sqrt(share * (1 - share) / number + spread / (4 * number)) / (1 + spread)
    # Rounding must not exclude the share itself.
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))


@dataclass(frozen=True)
class FiveNumbers:
    """The papers' five numbers: how many pairs are true, found, common, missed and extra."""

    reference: int
    found: int
    common: int

    @property
    def only_in_reference(self) -> int:
        return self.reference - self.common

    @property
    def only_in_found(self) -> int:
        """Found pairs that are not true."""
        return self.found - self.common

    @property
    def precision(self) -> float:
        """The share of the found pairs that is true; 1 where nothing was found."""
        return self.common / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """The share of the true pairs that was found; 1 where there was nothing to find."""
        return self.common / self.reference if self.reference else 1.0

    @property
    def f1(self) -> float:
        return f1(self.precision, self.recall)


def five_numbers_among(
    rows: NumberedPairs, true_pairs: PairSet, found_pairs: PairSet
) -> FiveNumbers:
    """The numbers of some pairs, looked up one by one."""
    is_true = true_pairs.contains(rows.left, rows.right)
    is_found = found_pairs.contains(rows.left, rows.right)
    return FiveNumbers(int(is_true.sum()), int(is_found.sum()), int((is_true & is_found).sum()))


def best_of(curve: pa.Table) -> tuple[float, float]:
    """The threshold of a curve with the highest F1, the highest of several; and that F1."""
    f1, threshold = max(zip(curve["f1"].to_pylist(), curve["threshold"].to_pylist(), strict=True))
    return threshold, f1


@dataclass(frozen=True)
class ClusterScores:
    """How two clusterings agree; 1 is best."""

    b3_precision: float | None
    b3_recall: float | None
    b3_f1: float | None
    adjusted_rand: float | None


NO_SCORES = ClusterScores(None, None, None, None)


def compare_clusterings(reference: Ints, found: Ints) -> ClusterScores:
    """Scores of one cluster label per document on either side; -1 is a cluster of its own."""
    if not len(reference):
        return ClusterScores(1.0, 1.0, 1.0, 1.0)
    true_cluster, found_cluster = number_labels(reference), number_labels(found)
    true_sizes, found_sizes = np.bincount(true_cluster), np.bincount(found_cluster)
    cells, count = np.unique(true_cluster * len(found_sizes) + found_cluster, return_counts=True)
    square = count.astype(float) ** 2
    documents = len(true_cluster)
    precision = math.fsum(square / found_sizes[cells % len(found_sizes)]) / documents
    recall = math.fsum(square / true_sizes[cells // len(found_sizes)]) / documents
    rand = _adjusted_rand(
        _pairs_within(count),
        _pairs_within(true_sizes),
        _pairs_within(found_sizes),
        documents * (documents - 1) // 2,
    )
    return ClusterScores(precision, recall, f1(precision, recall), rand)


def _pairs_within(sizes: Ints) -> int:
    return sum(size * (size - 1) // 2 for size in sizes.tolist())


def _adjusted_rand(common: int, reference: int, found: int, all_pairs: int) -> float:
    """(common − expected) / (mean − expected); 1 where both sides hold the same pairs."""
    if common == reference == found:
        return 1.0
    expected = reference * found / all_pairs
    return (common - expected) / ((reference + found) / 2 - expected)
