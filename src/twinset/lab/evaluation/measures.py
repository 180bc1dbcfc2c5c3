"""The measures: five numbers of pairs, their curve over the threshold, scores of clusterings.

B³: Bagga, Baldwin 1998 (LREC). Adjusted Rand index: Hubert, Arabie 1985.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from twinset.lab.evaluation.pair_set import Bools, PairSet, count_common, number_labels
from twinset.lab.evaluation.sides import NumberedPairs, Side
from twinset.model import Ints
from twinset.model.columns import column

CURVE_POINTS = 200
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
        """Missed pairs."""
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
        """The harmonic mean of both."""
        return f1(self.precision, self.recall)


@dataclass(frozen=True)
class PairAgreement:
    """Found pairs against true ones, where some may count neither way.

    ``ignored`` pairs do not count; where there are ``judged`` pairs, no others do.
    """

    reference: Side
    found: Side
    ignored: PairSet | None = None
    judged: NumberedPairs | None = None

    @cached_property
    def numbers(self) -> FiveNumbers:
        """The counts, without writing out pairs that are not written out already."""
        true_pairs, found_pairs = self.reference.pairs, self.found.pairs
        if self.judged is not None:
            rows = self.judged.where(self.counts(self.judged.left, self.judged.right))
            return _five_numbers_among(rows, true_pairs, found_pairs)
        common = count_common(true_pairs, found_pairs)
        numbers = FiveNumbers(true_pairs.count(), found_pairs.count(), common)
        if self.ignored is None:
            return numbers
        ignored = _five_numbers_among(
            NumberedPairs(self.ignored.first, self.ignored.second), true_pairs, found_pairs
        )
        return FiveNumbers(
            numbers.reference - ignored.reference,
            numbers.found - ignored.found,
            numbers.common - ignored.common,
        )

    def counts(self, left: Ints, right: Ints) -> Bools:
        """Whether each of these pairs is not ignored."""
        if self.ignored is None:
            return np.ones(len(left), bool)
        return ~self.ignored.contains(left, right)

    def missed(self) -> Iterator[NumberedPairs]:
        """The true pairs that were not found, a chunk at a time."""
        yield from self._unique(self.reference, self.found)

    def extra(self) -> Iterator[NumberedPairs]:
        """The found pairs that are not true, a chunk at a time, with any scores."""
        yield from self._unique(self.found, self.reference)

    def curve(self) -> pa.Table | None:
        """Precision and recall if the threshold were raised to each score; None without scores.

        Of many distinct scores `CURVE_POINTS` are shown, the lowest and the highest among them.
        """
        pairs = self._scored_pairs()
        if pairs is None or pairs.value is None or not len(pairs):
            return None
        order = np.argsort(-pairs.value, kind="stable")
        score = pairs.value[order]
        true = self.reference.pairs.contains(pairs.left[order], pairs.right[order])
        last = np.flatnonzero(np.append(score[1:] != score[:-1], True))
        shown = last[np.unique(np.linspace(0, len(last) - 1, CURVE_POINTS).round().astype(int))]
        shown = shown[::-1]
        found_count, common = shown + 1, np.cumsum(true)[shown]
        precision = common / found_count
        reference = self.numbers.reference
        recall = common / reference if reference else np.ones(len(shown))
        both = precision + recall
        f1 = np.divide(2 * precision * recall, both, out=np.zeros(len(both)), where=both > 0)
        return pa.table(
            {
                "threshold": column(score[shown]),
                "found": column(found_count.astype(np.int64)),
                "common": column(common.astype(np.int64)),
                "precision": column(precision),
                "recall": column(recall),
                "f1": column(f1),
            }
        )

    def _scored_pairs(self) -> NumberedPairs | None:
        """The found pairs that count and have a score."""
        listing = self.found.listing
        if listing is None or listing.value is None:
            return None
        counts = self.counts(listing.left, listing.right) & ~np.isnan(listing.value)
        if self.judged is not None:
            counts &= self._judged_set().contains(listing.left, listing.right)
        return listing.where(counts)

    def _unique(self, side: Side, other: Side) -> Iterator[NumberedPairs]:
        if self.judged is not None:
            side = replace(side, listing=self._judged_listing(side))
        for pairs in _chunks(side):
            left, right = pairs.left, pairs.right
            rows = side.pairs.contains(left, right) & ~other.pairs.contains(left, right)
            rows &= self.counts(left, right)
            if rows.any():
                yield pairs.where(rows)

    def _judged_listing(self, side: Side) -> NumberedPairs | None:
        """The judged pairs, with the values of the side where it has any."""
        listing = side.listing
        if listing is None:
            return self.judged
        return listing.where(self._judged_set().contains(listing.left, listing.right))

    def _judged_set(self) -> PairSet:
        assert self.judged is not None
        return PairSet.of_pairs(self.judged.left, self.judged.right, self.found.pairs.documents)


def _five_numbers_among(
    rows: NumberedPairs, true_pairs: PairSet, found_pairs: PairSet
) -> FiveNumbers:
    """The numbers of some pairs, looked up one by one."""
    is_true = true_pairs.contains(rows.left, rows.right)
    is_found = found_pairs.contains(rows.left, rows.right)
    return FiveNumbers(int(is_true.sum()), int(is_found.sum()), int((is_true & is_found).sum()))


def _chunks(side: Side) -> Iterator[NumberedPairs]:
    if side.listing is not None:
        yield side.listing
        return
    for left, right in side.pairs.chunks():
        yield NumberedPairs(left, right)


def best_of(curve: pa.Table) -> tuple[float, float]:
    """The threshold of a curve with the highest F1, the highest of several; and that F1."""
    f1, threshold = max(zip(curve["f1"].to_pylist(), curve["threshold"].to_pylist(), strict=True))
    return threshold, f1


@dataclass(frozen=True)
class ClusterScores:
    """How two clusterings agree; 1 is best."""

    b3_precision: float
    b3_recall: float
    b3_f1: float
    adjusted_rand: float


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
