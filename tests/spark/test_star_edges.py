"""Edges out of keys that travel in blobs, without Spark: the two tasks by themselves."""

from __future__ import annotations

import random

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest

from twinset.spark import linking


def edges_of(keys: dict[int, list[int]], at_once: int, pieces: int) -> list[tuple[int, int]]:
    """What the tasks make of documents with these keys, which come in batches of ``at_once``."""
    rows = [
        {"number": number, "links": np.array(some, np.int64).tobytes()}
        for number, some in keys.items()
    ]
    schema = pa.schema({"number": pa.int64(), "links": pa.binary()})
    batches = [
        pa.RecordBatch.from_pylist(rows[at : at + at_once], schema)
        for at in range(0, len(rows), at_once)
    ]
    packed = pa.Table.from_batches(
        batch for one in batches for batch in linking._packed(pieces, iter([one]))
    )
    found = list[tuple[int, int]]()
    for part in range(2):
        mine = packed.filter(np.asarray(packed["piece"]) % 2 == part).sort_by("piece")
        for batch in linking._stars(iter(mine.to_batches(max_chunksize=3))):
            found += zip(batch["number"].to_pylist(), batch["first"].to_pylist(), strict=True)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_edges_connect_what_shares_a_key(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking, "ROWS_OF_BLOBS", 3)
    monkeypatch.setattr(linking, "AT_ONCE", 20)
    rng = random.Random(seed)
    numbers = rng.sample(range(1000), 120)
    keys = {number: rng.sample(range(-90, 90), rng.randrange(3)) for number in numbers}
    wanted, graph = nx.Graph(), nx.Graph()
    for number, some in keys.items():
        wanted.add_edges_from((number, f"key{key}") for key in some)
    graph.add_edges_from(edges_of(keys, 11, 16))
    of_numbers = (
        {n for n in part if isinstance(n, int)} for part in nx.connected_components(wanted)
    )
    assert sorted(map(sorted, nx.connected_components(graph))) == sorted(
        sorted(part) for part in of_numbers if len(part) > 1
    )


def test_a_key_of_all_documents_is_a_star_with_an_entry_for_each_task() -> None:
    keys = {number: [7] for number in range(1000, 0, -1)}
    edges = edges_of(keys, 100, 16)
    assert len(edges) <= 1000 + 10
    roots = dict(edges)
    assert 1 not in roots
    for number in range(2, 1001):
        while number in roots:
            assert roots[number] < number
            number = roots[number]
        assert number == 1
