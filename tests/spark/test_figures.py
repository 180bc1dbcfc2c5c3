"""Figures of tasks, added up."""

from __future__ import annotations

import json

from twinset.engine.spark.figures import BINS, Figures


def task(pairs: int, spans: list[int]) -> str:
    """The figures of a task with so many pairs, and with clusters of these sizes."""
    histogram = [0] * (BINS - 1) + [pairs]
    return json.dumps(
        {
            "sums": {"pairs": pairs, "clusters": sum(spans)},
            "weakest": 0.9 if pairs else None,
            "most": 1.0 if pairs else 0.0,
            "histogram": histogram,
            "implied_histogram": histogram,
            "spans": spans,
            "sets": {},
        }
    )


def test_a_task_without_clusters_adds_nothing() -> None:
    figures = Figures.of([task(3, [1, 1]), task(0, []), task(2, [2])])
    assert figures.spans == [3, 1]
    assert figures.sums == {"pairs": 5, "clusters": 4}
    assert figures.histogram[-1] == 5
    assert figures.weakest == 0.9
