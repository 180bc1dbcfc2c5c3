"""What is counted of the answer: by every task of its own documents, added up in the driver.

No two tasks have a pair, a cluster or a document in common, so that sums over tasks are those of
the whole collection.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twinset.clusters.base import ImageClusters
from twinset.engine.clustering import Clustered
from twinset.engine.copies import Classes
from twinset.engine.pairing import Paired
from twinset.lazy_dataclass import dataclass
from twinset.report.select import spans

BINS = 100


def task_figures(
    classes: Classes,
    paired: Paired,
    clustered: Clustered,
    sets: ImageClusters | None,
    chains: int,
) -> dict[str, Any]:
    """The figures of a task, as JSON has them."""
    pairs, clusters = paired.pairs, clustered.clusters
    size = classes.size.astype(np.int64)
    copied = np.flatnonzero(classes.leads & (size > 1))
    counts = size if sets is None else np.ones(len(size), np.int64)
    totals = np.bincount(clusters.cluster, counts[clusters.member], len(clusters))
    own = paired.score(copied, copied)
    within = size[copied] * (size[copied] - 1) // 2
    scores = np.concatenate([pairs.score, own])
    times = np.concatenate([size[pairs.left] * size[pairs.right], within])
    return {
        "sums": {
            "leaders": len(paired.leaders),
            "compared": paired.compared,
            "absorbed": paired.absorbed,
            "chains": chains,
            "not_enumerated": paired.not_enumerated or 0,
            "not_counted": int(paired.not_enumerated is None),
            "incomplete": int(not clustered.complete),
            "same_as": int((size[copied] - 1).sum()),
            "pairs": len(pairs),
            "implied": classes.pairs_implied(pairs.left, pairs.right),
            "clusters": len(clusters),
            "clustered": int(counts[np.unique(clusters.member)].sum()),
            "chained": int(np.count_nonzero(clusters.chained)),
        },
        "weakest": _least(clusters.weakest),
        "most": float(scores.max(initial=0.0)),
        "histogram": _histogram(pairs.score, np.ones(len(pairs), np.int64)),
        "implied_histogram": _histogram(scores, times),
        "spans": [count for _, _, count in spans(totals)],
        "sets": {} if sets is None else sets.figures(),
    }


def _least(values: Any) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.min()) if len(known) else None


def _histogram(scores: Any, times: Any) -> list[int]:
    """How often scores from 0 to 1 are there."""
    counts, _ = np.histogram(scores, BINS, (0.0, 1.0), weights=times)
    return [int(count) for count in counts]


@dataclass(frozen=True)
class Figures:
    """Those of all tasks together; ``sums`` by their names, which are 0 where no task had work.

    ``spans`` says how many clusters have 2, 3 to 4, 5 to 8, ... documents. The histograms count
    pairs of leaders, and all pairs that these stand for.
    """

    sums: Counter[str]
    weakest: float | None
    most: float
    histogram: NDArray[np.int64]
    implied_histogram: NDArray[np.int64]
    spans: list[int]
    sets: dict[str, float]

    @classmethod
    def of(cls, rows: Iterable[str]) -> Figures:
        """From the rows of the tasks, as JSON."""
        tasks = [json.loads(row) for row in rows]
        sums, sets = Counter[str](), Counter[str]()
        for task in tasks:
            sums.update(task["sums"])
            sets.update(task["sets"])
        weakest = [task["weakest"] for task in tasks if task["weakest"] is not None]
        return cls(
            sums,
            min(weakest, default=None),
            max((task["most"] for task in tasks), default=0.0),
            _added([task["histogram"] for task in tasks], BINS),
            _added([task["implied_histogram"] for task in tasks], BINS),
            _added([task["spans"] for task in tasks]).tolist(),
            dict(sets),
        )


def _added(lists: list[list[int]], least: int = 0) -> NDArray[np.int64]:
    """The sum of lists of counts, of which some are shorter."""
    total = np.zeros(max([least, *map(len, lists)]), np.int64)
    for counts in lists:
        total[: len(counts)] += np.array(counts, np.int64)  # of no counts NumPy would make floats
    return total
