"""With labels: what is true among the drawn documents, and the threshold that suits it best."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import PlanError
from twinset.lab.evaluation.measures import wilson
from twinset.lab.evaluation.pair_set import PairSet
from twinset.lab.evaluation.sides import NumberedPairs
from twinset.lab.evaluation.truth import (
    TruthOptions,
    judged_pairs,
    number_truth,
    without_unknown,
)
from twinset.lab.tuning.estimate import Estimate
from twinset.lab.tuning.sample import Sample
from twinset.lab.tuning.views import Neighbours, TermView
from twinset.model import Ints

DRAWS = 200
# What is measured here has to hold for other documents of the kind: their chance adds to ours (the
# root of 2), and the threshold was chosen by these labels.
ANOTHER_SAMPLE = 1.6
FEWEST = 5


@dataclass(frozen=True, slots=True)
class Labels:
    """True pairs of documents.

    Where only judged pairs count, ``judged`` are those with a grade or, where the truth has no
    grades, ``named`` are the documents whose pairs were judged.
    """

    left: Ints
    right: Ints
    keys: Ints
    ignored: Ints
    judged: Ints | None
    named: NDArray[np.bool_] | None
    cluster: Ints
    documents: int
    notes: tuple[str, ...] = ()

    def of(self, near: Neighbours) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """For each pair whether it counts, and whether it is true."""
        keys = near.left * self.documents + near.right
        counts = ~np.isin(keys, self.ignored)
        if self.judged is not None:
            counts &= np.isin(keys, self.judged)
        if self.named is not None:
            counts &= self.named[near.left] & self.named[near.right]
        return counts, np.isin(keys, self.keys)


def labels(
    truth: Any,
    sample: Sample,
    columns: tuple[str, ...] = (),
    *,
    ignore: Any = None,
    grade: float | None = None,
    judged: bool,
) -> Labels:
    """The labels of the drawn documents, from what `evaluate` takes as truth."""
    own = pa.array(sample.ids, pa.large_string())
    options = TruthOptions(truth, ignore, judged, grade, columns=columns)
    whole, ignored, ids = number_truth(options, own, graded=True)
    known = np.arange(len(ids)) < len(own)
    notes = list(whole.notes)
    if len(own) == sample.documents:  # otherwise an unknown id may be one that was not drawn
        side = without_unknown(whole, known, ids, options.name, notes, drop=True)
    else:
        side = whole.restricted(known)
    left, right = _ends(side.pairs)
    if len(left) < FEWEST:
        raise PlanError(
            [
                f"true pairs among the {len(own):,} documents looked at: {len(left)}, and {FEWEST} "
                f"are needed ({'; '.join(notes) or 'the truth lists no more of them'}): check its "
                "ids, look at more documents (--sample), or leave it out"
            ]
        )
    listing = judged_pairs(side) if judged else None
    number = len(own)
    return Labels(
        left,
        right,
        left * number + right,
        _keys(ignored, known, number),
        None if listing is None else _listed(listing, number),
        side.named[:number] if judged and listing is None else None,
        _kernels.component_roots(number, left.astype(np.uint32), right.astype(np.uint32)),
        number,
        tuple(notes),
    )


def _listed(listing: NumberedPairs, number: int) -> Ints:
    return listing.left * number + listing.right


def _keys(relation: PairSet | None, known: NDArray[np.bool_], number: int) -> Ints:
    if relation is None:
        return np.empty(0, np.int64)
    left, right = _ends(relation.restricted(known))
    return left * number + right


def _ends(pairs: PairSet) -> tuple[Ints, Ints]:
    """All pairs, the lesser number to the left."""
    parts = list(pairs.chunks())
    ends = [np.concatenate([np.empty(0, np.int64), *(part[i] for part in parts)]) for i in (0, 1)]
    return np.minimum(*ends), np.maximum(*ends)


@dataclass(frozen=True, slots=True)
class Measured:
    """A view at the threshold of its best F1, as the labels show it."""

    view: TermView
    threshold: float
    precision: Estimate
    recall: Estimate
    f1: float
    pairs_found: float

    @property
    def why(self) -> str:
        """What the labels showed."""
        return f"By the labels its F1 is {self.f1:.2f}, the highest of the views tried."


def measure(view: TermView, near: Neighbours, truth: Labels, seed: int) -> Measured | None:
    """The threshold of the best F1; None where no pair of the view is true."""
    counts, true = truth.of(near)
    rows = np.flatnonzero(counts)
    rows = rows[np.argsort(-near.score[rows], kind="stable")]
    score, right = near.score[rows], true[rows]
    if not right.any():
        return None
    common = np.cumsum(right)
    f1 = 2 * common / (np.arange(1, len(rows) + 1) + len(truth.keys))
    last = np.append(score[1:] < score[:-1], True)  # a threshold cannot part equal scores
    best = int(np.where(last, f1, 0).argmax())
    below = float(score[best + 1]) if best + 1 < len(score) else view.least
    threshold = _between(below, float(score[best]))
    precision, recall = _intervals(near, rows[: best + 1], right[: best + 1], truth, seed)
    return Measured(view, threshold, precision, recall, float(f1[best]), float(best + 1))


def _between(below: float, score: float) -> float:
    """A round number above the one and not above the other, if there is one of three digits."""
    middle = round((below + score) / 2, 2)
    return middle if below < middle <= score else math.floor(score * 1000) / 1000


def _intervals(
    near: Neighbours, rows: Ints, right: NDArray[np.bool_], truth: Labels, seed: int
) -> tuple[Estimate, Estimate]:
    """True clusters weighted at random, the Bayesian bootstrap: pairs of one go together."""
    draw = np.random.default_rng(seed)
    ends = near.left[rows], near.right[rows]
    # The product of two clusters' roots is smaller on average than one cluster's weight.
    evened = np.where(truth.cluster[ends[0]] == truth.cluster[ends[1]], 1, 4 / math.pi)
    shares: list[tuple[float, float]] = []
    for _ in range(DRAWS):
        weight = np.sqrt(draw.exponential(size=truth.documents))[truth.cluster]
        each = weight[ends[0]] * weight[ends[1]] * evened
        common = float(each[right].sum())
        true = float((weight[truth.left] * weight[truth.right]).sum())
        shares.append((common / max(float(each.sum()), 1e-9), common / max(true, 1e-9)))
    hits = float(right.sum())
    values = (hits / max(len(rows), 1), hits / len(truth.keys))
    spread = np.percentile(np.array(shares), [2.5, 97.5], axis=0)
    cases = (_groups(truth, *ends), _groups(truth, truth.left, truth.right))
    precision, recall = (
        _wider(value, float(low), float(high), number)
        for value, low, high, number in zip(values, spread[0], spread[1], cases, strict=True)
    )
    return precision, recall


def _groups(truth: Labels, left: Ints, right: Ints) -> int:
    """How many clusters, or twos of them, the pairs come from: as many cases were seen."""
    ends = truth.cluster[left].astype(np.int64), truth.cluster[right].astype(np.int64)
    return len(np.unique(np.minimum(*ends) * truth.documents + np.maximum(*ends)))


def _wider(value: float, low: float, high: float, cases: int) -> Estimate:
    """Bounds of the bootstrap, which is blind where all cases agree, and at least Wilson's."""
    least, most = wilson(value, cases)
    return Estimate(
        value,
        max(0.0, value - max(value - min(low, least), 0.005) * ANOTHER_SAMPLE),
        min(1.0, value + max(max(high, most) - value, 0.005) * ANOTHER_SAMPLE),
    )


def best_first(measured: list[Measured]) -> list[Measured]:
    """By F1; where it is the same, the earlier view, which is the simpler one."""
    return sorted(measured, key=lambda outcome: -outcome.f1)
