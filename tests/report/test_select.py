"""What a page has room for, whether the rows are few or many."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from twinset.model import columns
from twinset.result import select
from twinset.result.select import closest_calls, largest_clusters, one_cluster


@pytest.mark.parametrize("few", [0, 1000])
@pytest.mark.parametrize("count", [1, 3, 7, 50])
def test_the_closest_calls_are_sorted_by_score_and_ids(
    few: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(select, "FEW", few)
    random = np.random.default_rng(3)
    rows = [
        {"left": f"{left}", "right": f"{right}", "score": float(score), "shared": 1}
        for left, right, score in zip(
            random.integers(0, 99, 40),
            random.integers(100, 199, 40),
            random.choice([0.5, 0.6, 1.0], 40),
            strict=True,
        )
    ]
    wanted = sorted((row["score"], row["left"], row["right"]) for row in rows)[:count]
    calls = closest_calls(pa.Table.from_pylist(rows), count)
    assert [(call.score, call.left, call.right) for call in calls] == wanted


@pytest.mark.parametrize("count", [1, 2, 3])
def test_pairs_without_a_score_are_no_closest_calls(count: int) -> None:
    scores = pa.array([0.7, None, 0.5], pa.float64())
    pairs = pa.table({"left": ["a", "b", "c"], "right": ["d", "e", "f"], "score": scores})
    assert [call.score for call in closest_calls(pairs, count)] == [0.5, 0.7][:count]
    assert closest_calls(pairs.slice(1, 1), count) == []


def test_no_pairs_have_no_closest_calls() -> None:
    assert closest_calls(pa.table({"left": [], "right": [], "score": []}), 5) == []


ROWS = [
    {"cluster": 1, "id": "a", "role": "member", "anchor": "b", "score": 0.9},
    {"cluster": 1, "id": "b", "role": "member", "anchor": "b", "score": None},
    {"cluster": 2, "id": "c", "role": "removed", "anchor": "e", "score": 0.8},
    {"cluster": 1, "id": "d", "role": "member", "anchor": "b", "score": 0.7},
    {"cluster": 2, "id": "e", "role": "kept", "anchor": None, "score": None},
    {"cluster": 3, "id": "f", "role": "member", "anchor": None, "score": None},
]


@pytest.mark.parametrize("few", [0, 1000])
def test_a_cluster_shows_its_anchor_first(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "FEW", few)
    table = pa.Table.from_pylist(ROWS)
    first = one_cluster(table, 1)
    assert [member.id for member in first.members] == ["b", "a", "d"]
    assert (first.size, first.weakest, first.kind) == (3, 0.7, None)
    assert [member.id for member in one_cluster(table, 1, 2).members] == ["b", "a"]
    assert [member.id for member in one_cluster(table, 2).members] == ["e", "c"]
    assert one_cluster(table, 3).weakest is None
    assert one_cluster(table, 4).size == 0
    assert [cluster.number for cluster in largest_clusters(table, 2, 1)] == [1, 2]


def test_a_cluster_without_anchor_has_the_least_similarity_inside() -> None:
    rows = [row | {"weakest": 0.6, "kind": "copy"} for row in ROWS]
    found = one_cluster(pa.Table.from_pylist(rows), 3)
    assert (found.weakest, found.kind) == (0.6, "copy")
