"""What rows are measured by: a truth, or the pairs of all rows judged by edit similarity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from twinset.engine.progress import Progress
from twinset.errors import ReportError
from twinset.lab.comparison.judge import PoolJudge
from twinset.lab.comparison.options import Yardstick
from twinset.lab.evaluation.pair_set import PairSet
from twinset.lab.evaluation.sides import DocumentIds, NumberedPairs, side_of_pairs
from twinset.lab.evaluation.truth import Truth
from twinset.lab.runs.documents import Collection
from twinset.lab.runs.runner import Outcome


@dataclass(frozen=True)
class Reference:
    """The pairs that count as true; ``judged`` is how many of the rows' pairs were judged."""

    truth: Truth
    judged: int | None = None


def reference_of(
    truth: Truth | None,
    judge: PoolJudge | None,
    outcomes: Mapping[int, Outcome],
    collection: Collection,
    yardstick: Yardstick,
    progress: Progress,
) -> Reference:
    """The truth or, with a ``judge`` instead, the good pairs of all outcomes."""
    if truth is not None or judge is None:
        assert truth is not None
        return Reference(truth)
    pairs = [outcome.pairs for outcome in outcomes.values() if outcome.fault is None]
    return judged_pool(pairs, collection, yardstick, judge, progress)


def judged_pool(
    rows: Sequence[PairSet],
    collection: Collection,
    yardstick: Yardstick,
    judge: PoolJudge,
    progress: Progress,
) -> Reference:
    """All pairs that any row found and whose texts are similar enough."""
    keys = np.empty(0, np.int64)
    documents = max(len(collection), 1)
    for pairs in rows:
        for left, right in pairs.chunks():
            keys = np.union1d(keys, left * documents + right)
            if len(keys) > yardstick.most_judged:
                raise ReportError(
                    f"the rows found more than {yardstick.most_judged:,} pairs together, too many "
                    "to judge: give a --truth, or a larger most_judged in [compare] (the rows are "
                    "kept)"
                )
    left, right = keys // documents, keys % documents
    similarity = judge.scores(left, right, progress)
    good = similarity >= yardstick.least
    listing = NumberedPairs(left[good], right[good], similarity[good])
    ids = DocumentIds([collection.ids])
    side = side_of_pairs(listing, ids, np.ones(len(ids), bool))
    return Reference(Truth(side, ids, None, None, None, ()), len(keys))
