"""Where the collection itself does not tell: documents edited on purpose decide.

Either it has no near-duplicates to learn from, or it is so full of forms that copies cannot be told
from them; then a near-duplicate has to be as near as an edited document is to its original.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from twinset.lab.evaluation.measures import wilson
from twinset.lab.tuning.guess import Guess, raised
from twinset.lab.tuning.intervals import Estimate
from twinset.lab.tuning.labels import Measured
from twinset.lab.tuning.views import View
from twinset.model import Floats

FOUND = 0.9  # of the edited documents
TELLS = 0.6  # the expected F1 below which copies cannot be told from forms
HIGHEST = 0.8  # what is found without looking must not be missed


def fallback(view: View, scores: Sequence[Floats]) -> Measured:
    """The highest threshold, up to the usual one, that finds most of the edited documents."""
    values = np.concatenate(list(scores))
    threshold = max(min(HIGHEST, as_near_as_edits(scores)), view.least)
    share = float((values >= threshold).mean())
    recall = Estimate(share, *wilson(share, len(values)))
    return Measured(view, threshold, Estimate(1.0, 0.0, 1.0), recall, share, 0.0)


def cautious(best: Guess, scores: Sequence[Floats]) -> Guess:
    """A guess that can be told, or the same view at what the edited documents ask for."""
    nearness = as_near_as_edits(scores)
    if best.f1 >= TELLS or nearness <= best.threshold:
        return best
    return raised(best, nearness)


def as_near_as_edits(scores: Sequence[Floats]) -> float:
    """The similarity that most of the edited documents reach."""
    return float(np.floor(np.quantile(np.concatenate(list(scores)), 1 - FOUND) * 100) / 100)
