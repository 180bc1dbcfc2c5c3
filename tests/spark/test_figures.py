"""Figures of tasks, added up."""

from __future__ import annotations

import json

from twinset.spark.bucket import Figures


def task(pairs: int, weakest: list[float]) -> str:
    """The figures of a task with so many pairs."""
    most = 1.0 if pairs else 0.0
    sums = {"pairs": pairs, "clusters": 0}
    return json.dumps({"sums": sums, "weakest": weakest, "most": most, "sets": {}})


def test_a_task_without_clusters_adds_nothing() -> None:
    figures = Figures.of([task(3, [0.9]), task(0, []), task(2, [])])
    assert figures.sums["pairs"] == 5
    assert figures.sums["other"] == 0
    assert (figures.weakest, figures.most) == (0.9, 1.0)
