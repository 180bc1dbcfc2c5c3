"""Linked documents: edges out of shared keys, components out of edges, in one task and in many."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from twinset.spark.linking import components, star_edges
from twinset.spark.work import WorkFolder


@pytest.mark.parametrize("one_task", [10_000, 0], ids=["kernel", "stars"])
def test_components_are_those_of_a_graph(spark: Any, tmp_path: Path, one_task: int) -> None:
    rng = random.Random(5)
    keys = {number: rng.sample(range(220), rng.randrange(3)) for number in range(150)}
    graph: Any = nx.Graph()
    for number, some in keys.items():
        graph.add_node(number)
        graph.add_edges_from((number, f"key{key}") for key in some)
    parts = [
        sorted(n for n in part if isinstance(n, int)) for part in nx.connected_components(graph)
    ]
    expected = {number: part[0] for part in parts if len(part) > 1 for number in part}
    rows = [(number, np.array(some, np.int64).tobytes()) for number, some in keys.items()]
    lists = spark.createDataFrame(rows, "number bigint, links binary")
    work = WorkFolder(spark, str(tmp_path / "work"))
    found = components(star_edges(lists.repartition(4)), work, one_task=one_task).collect()
    assert len(found) == len(expected)
    assert {row.number: row.root for row in found} == expected
