"""Similarities computed again, by the search that made a report.

A report's plan says how documents were cut up and compared, and its word counts are kept beside
it; so the numbers are those of the run, for pairs that the run did not list as well.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset.engine.judging import judge_of
from twinset.engine.local import begin
from twinset.model import Floats, Ints
from twinset.plan import Plan, Resources
from twinset.text.statistics import Statistics


def similarities(plan: Plan, texts: Sequence[str], counts: pa.Table | None = None) -> Floats | None:
    """All similarities of some texts as a square; None where only the whole run can tell them.

    That is so where the score is not that of a set measure, or needs word counts that are not at
    hand.
    ``counts`` is the table of word counts that the report holds.
    """
    resources = Resources.make(threads=1)
    left, right = np.triu_indices(len(texts))
    column = pa.array(texts, pa.large_string())
    judge = judge_of(plan, resources, 0.0)  # the edit similarity is 0 below a threshold
    if judge is not None:
        judge.add(column)
        scores = judge.scores(left, right)
    else:
        known = None if counts is None else Statistics.of_table(counts)
        search = begin(plan, resources, known)
        if not search.measured or next(search.surveys(), None) is not None:
            return None
        values, offsets, _ = search.extract(column, 1)
        store = _kernels.FeatureStore(1 << 24, resources.folder)
        store.append(values, offsets, 1)
        shared = store.shared(left.astype(np.uint32), right.astype(np.uint32), 1)
        sizes: Ints = store.sizes
        scores = search.goal.measure.score(shared, sizes[left], sizes[right])
    square = np.zeros((len(texts), len(texts)))
    square[left, right] = square[right, left] = scores
    return square
