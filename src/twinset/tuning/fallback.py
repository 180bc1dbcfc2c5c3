"""Where a collection has no near-duplicates to learn from: the edits alone decide."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from twinset.evaluation.intervals import wilson
from twinset.model import Floats
from twinset.tuning.intervals import Estimate
from twinset.tuning.labels import Measured
from twinset.tuning.views import View

FOUND = 0.9  # of the edited documents
HIGHEST = 0.8  # what is found without looking must not be missed


def fallback(view: View, scores: Sequence[Floats]) -> Measured:
    """The highest threshold, up to the usual one, that finds most of the edited documents."""
    values = np.concatenate(list(scores))
    threshold = min(HIGHEST, float(np.floor(np.quantile(values, 1 - FOUND) * 100) / 100))
    threshold = max(threshold, view.least)
    share = float((values >= threshold).mean())
    recall = Estimate(share, *wilson(share, len(values)))
    return Measured(view, threshold, Estimate(1.0, 0.0, 1.0), recall, share, 0.0)
