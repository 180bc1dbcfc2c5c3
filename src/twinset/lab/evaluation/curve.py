"""Precision and recall over the threshold, where the found pairs have scores."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from twinset.lab.evaluation.measures import Contest
from twinset.lab.evaluation.pair_set import Relation
from twinset.model.columns import column

POINTS = 200


def curve(contest: Contest, reference: int) -> pa.Table | None:
    """What raising the threshold to each score would give; None where there are no scores.

    Of many distinct scores `POINTS` are shown, the lowest and the highest among them.
    """
    listing = contest.found.listing
    if listing is None or listing.value is None or not len(listing):
        return None
    counts = contest.counts(listing.left, listing.right) & ~np.isnan(listing.value)
    if contest.judged is not None:
        judged = contest.judged
        everyone = Relation.of_pairs(judged.left, judged.right, contest.found.pairs.documents)
        counts &= everyone.contains(listing.left, listing.right)
    rows = listing.where(counts)
    if rows.value is None or not len(rows):
        return None
    order = np.argsort(-rows.value, kind="stable")
    score = rows.value[order]
    true = contest.reference.pairs.contains(rows.left[order], rows.right[order])
    last = np.flatnonzero(np.append(score[1:] != score[:-1], True))
    shown = last[np.unique(np.linspace(0, len(last) - 1, POINTS).round().astype(int))][::-1]
    found, common = shown + 1, np.cumsum(true)[shown]
    precision = common / found
    recall = common / reference if reference else np.ones(len(found))
    both = precision + recall
    f1 = np.divide(2 * precision * recall, both, out=np.zeros(len(both)), where=both > 0)
    return pa.table(
        {
            "threshold": column(score[shown]),
            "found": column(found.astype(np.int64)),
            "common": column(common.astype(np.int64)),
            "precision": column(precision),
            "recall": column(recall),
            "f1": column(f1),
        }
    )
