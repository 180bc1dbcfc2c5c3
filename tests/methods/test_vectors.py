"""Vectors that a column brings: against brute force, in whatever blocks, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Container
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twinset
from tests.kernels.examples import examples
from twinset.errors import PlanError, ReadError, TwinsetError
from twinset.finding.candidates import vectors as joining
from twinset.finding.candidates.vectors import VectorJoin, Vectors
from twinset.plan import Plan
from twinset.result.words import summary
from twinset.spark.checks import refusals

METHOD = "vectors:field=embedding"


def near(rows: int, width: int, seed: int = 1, groups: int = 9) -> Vectors:
    """Vectors around a few centres, most of which lie in few directions, of all lengths."""
    dice = np.random.default_rng(seed)
    scale = (1 + np.arange(width)) ** -0.5
    centres = dice.standard_normal((groups, width)) * scale
    noise = dice.standard_normal((rows, width)) * scale * dice.uniform(0, 0.8, (rows, 1))
    made = centres[dice.integers(0, groups, rows)] + noise
    return (made * 10 ** dice.uniform(-3, 3, (rows, 1))).astype(np.float32)


def by_definition(vectors: Vectors, threshold: float) -> dict[tuple[int, int], float]:
    """Every pair, by sums without any rounding on the way."""
    rows = vectors.astype(float).tolist()
    lengths = [math.sqrt(math.fsum(x * x for x in row)) for row in rows]
    pairs = {}
    for right, row in enumerate(rows):
        for left in range(right):
            product = math.fsum(x * y for x, y in zip(rows[left], row, strict=True))
            score = min(round(product / (lengths[left] * lengths[right]), 6), 1.0)
            if score >= threshold:
                pairs[left, right] = score
    return pairs


def joined(vectors: Vectors, threshold: float, threads: int = 2) -> dict[tuple[int, int], float]:
    found = VectorJoin(vectors, threshold, threads).pairs(np.zeros(len(vectors), bool), 10**9)
    left, right, score = (column.tolist() for column in found.pairs)
    assert found.compared == len(vectors) * (len(vectors) - 1) // 2
    assert list(zip(right, left, strict=True)) == sorted(zip(right, left, strict=True))
    return dict(zip(zip(left, right, strict=True), score, strict=True))


@examples(40)
@given(st.data())
def test_the_pairs_are_those_of_brute_force(data: st.DataObject) -> None:
    rows, width = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 9))
    numbers = st.one_of(st.integers(-4, 4), st.floats(-2, 2, width=32))
    column = data.draw(st.lists(numbers, min_size=rows * width, max_size=rows * width))
    vectors = np.array(column, np.float32).reshape(rows, width)
    vectors = vectors[np.abs(vectors).max(axis=1) > 1e-12]
    threshold = data.draw(st.sampled_from([0.3, 0.6, 0.8, 1.0]))
    assert joined(vectors, threshold) == by_definition(vectors, threshold)


def test_the_threshold_is_inclusive() -> None:
    vectors = np.array([[1, 0], [3, 4], [4, 3]], np.float32)
    assert joined(vectors, 0.8) == {(0, 2): 0.8, (1, 2): 0.96}
    assert joined(vectors, 0.800001) == {(1, 2): 0.96}
    crowded = near(30, 64, groups=2)
    for pair, score in by_definition(crowded, 0.7).items():  # half of them are rounded up
        assert pair in joined(crowded, score)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small samples, chunks and blocks, so that a few hundred vectors fill many."""
    sizes = {"SAMPLE": 40, "WIDTHS": (2, 4, 8), "CHUNK": 32, "TILE": 24, "PIECE": 5, "COST": 5}
    for name, value in sizes.items():
        monkeypatch.setattr(joining, name, value)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("threshold", [0.5, 0.8, 0.97])
def test_few_directions_lose_no_pair(threshold: float) -> None:
    vectors = near(260, 48)
    assert VectorJoin(vectors, threshold, 2).directions is not None
    assert joined(vectors, threshold) == by_definition(vectors, threshold)


@pytest.mark.usefixtures("small")
def test_blocks_and_threads_play_no_part(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, kept = near(300, 32, groups=3), np.arange(300) < 4

    def answer(threads: int, cost: int) -> tuple[Any, ...]:
        with monkeypatch.context() as costly:  # whole products where the first ones leave much
            join = VectorJoin(vectors, 0.9, threads)
            assert join.directions is not None
            costly.setattr(joining, "COST", cost)
            pairs, *figures = join.pairs(kept, 5)
        return tuple(column.tobytes() for column in pairs), figures

    first = answer(1, 5)
    assert first[1][1] > 0
    for name, value in {"TILE": 7, "PIECE": 64, "WIDTHS": (3,)}.items():
        monkeypatch.setattr(joining, name, value)
        assert answer(3, 10**6) == first


def by_rule(
    pairs: Container[tuple[int, int]], kept: list[bool], dense: int
) -> tuple[set[tuple[int, int]], int]:
    """The pairs that are found in crowds, row by row, and how many rows are absorbed."""
    anchor, degree = [False] * len(kept), [0] * len(kept)
    absorbed, found = set[int](), set[tuple[int, int]]()
    for first in range(0, len(kept), joining.CHUNK):
        rows = range(first, min(first + joining.CHUNK, len(kept)))
        full = [e for e in range(first) if anchor[e] and degree[e] >= dense]
        absorbed |= {r for r in rows if not kept[r] and any((e, r) in pairs for e in full)}
        for row in rows:
            others = [e for e in range(row) if e not in absorbed]
            if row in absorbed:
                others = [e for e in range(first) if anchor[e]]
            near = [e for e in others if (e, row) in pairs]
            found |= {(e, row) for e in near}
            anchor[row] = kept[row] or not any(anchor[e] for e in near)
            for e in near:
                degree[e] += 1
    return found, len(absorbed)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("dense", [3, 9])
def test_crowds_are_held_against_their_anchors(dense: int) -> None:
    vectors, kept = near(300, 8, groups=4), np.arange(300) < 45
    found = VectorJoin(vectors, 0.9, 2).pairs(kept, dense)
    pairs = set(zip(found.pairs.left.tolist(), found.pairs.right.tolist(), strict=True))
    assert (pairs, found.absorbed) == by_rule(by_definition(vectors, 0.9), kept.tolist(), dense)
    assert found.absorbed > 30
    assert found.compared < 300 * 299 // 2


TEXTS = [
    "the heron stands in the reeds and waits",
    "a grey bird is motionless by the water, hunting",
    "trains cross the long bridge at night",
    "nobody knows who painted the door of the mill",
]


def table(vectors: Vectors | list[Any], kind: pa.DataType | None = None) -> pa.Table:
    lists = vectors.tolist() if isinstance(vectors, np.ndarray) else vectors
    texts = [f"{TEXTS[row % len(TEXTS)]} {row}" for row in range(len(lists))]
    ids = [f"d{row:03}" for row in range(len(lists))]
    column = pa.array(lists, kind or pa.list_(pa.float32()))
    return pa.table({"id": ids, "text": texts, "embedding": column})


def pairs_of(findings: Any) -> dict[tuple[int, int], float]:
    columns = (findings.pairs[name].to_pylist() for name in ("left", "right", "score"))
    return {(int(a[1:]), int(b[1:])): s for a, b, s in zip(*columns, strict=True)}


KINDS = {
    "lists": pa.list_(pa.float32()),
    "large lists of doubles": pa.large_list(pa.float64()),
    "lists of one length": pa.list_(pa.float32(), 24),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("frame", ["arrow", "pandas", "polars", "parquet"])
def test_every_column_of_lists_is_read(frame: str, kind: str, tmp_path: Path) -> None:
    vectors = near(90, 24)
    data: Any = table(vectors, KINDS[kind])
    if frame == "parquet":
        pq.write_table(data, tmp_path / "in.parquet", row_group_size=13)
        data = tmp_path / "in.parquet"
    elif frame != "arrow":
        data = (
            data.to_pandas()
            if frame == "pandas"
            else pytest.importorskip("polars").from_arrow(data)
        )
    found = twinset.find(data, 0.8, method=METHOD)
    assert pairs_of(found) == by_definition(vectors, 0.8)
    assert "The search was exact" in " ".join(summary(found.manifest, "en"))


@pytest.mark.usefixtures("small")
def test_threads_memory_and_files_play_no_part(tmp_path: Path) -> None:
    data, path = table(near(400, 24)), tmp_path / "in.parquet"
    pq.write_table(data, path)
    first = twinset.dedup(path, 0.9, method=METHOD, threads=1, dense=6)
    pq.write_table(data, path, row_group_size=17)
    again = twinset.dedup(path, 0.9, method=METHOD, threads=3, memory="200MB", dense=6)
    assert first.manifest["not_enumerated_pairs"] > 0
    for name in ("pairs", "clusters", "documents"):
        assert getattr(again, name).equals(getattr(first, name))


def test_what_goes_is_near_what_stays() -> None:
    angles = np.radians(np.arange(0, 90, 15))  # each a near-duplicate of the next one alone
    vectors = np.stack([np.cos(angles), np.sin(angles)], 1).astype(np.float32)
    found = twinset.dedup(table(vectors), 0.96, method=METHOD)
    gone = {
        r["id"]: (r["kept_as"], r["kept_score"])
        for r in found.documents.to_pylist()
        if r["kept_as"]
    }
    cosine = round(math.cos(math.radians(15)), 6)
    assert gone == {"d001": ("d000", cosine), "d003": ("d002", cosine), "d005": ("d004", cosine)}


def test_equal_vectors_of_other_texts_are_pairs_and_equal_texts_of_other_vectors_are_none() -> None:
    data = pa.table(
        {
            "id": ["d0", "d1", "d2", "d3"],
            "text": [TEXTS[0], TEXTS[1], TEXTS[0], TEXTS[0]],
            "embedding": [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]],
        }
    )
    found = twinset.find(data, 0.9, method=METHOD, kinds="yes")
    assert pairs_of(found) == {(0, 1): 1.0, (0, 3): 1.0, (1, 3): 1.0}
    assert found.pairs["kind"].to_pylist() == ["same-meaning", "equal-words", "same-meaning"]
    assert found.pairs["shared"].to_pylist() == [1, 7, 1]
    kept = twinset.dedup(data, 0.9, method=METHOD, kinds="yes").kept
    assert kept["id"].to_pylist() == ["d0", "d1", "d2"]


BAD = {
    1: (None, "is null"),
    2: ([0.0, 0.0, 0.0], "holds nothing but 0"),
    3: ([1.0, 2.0], "has 2 numbers, where the first one has 3"),
    4: ([1.0, math.nan, 0.0], "holds what is no number"),
    5: ([1.0, None, 0.0], "holds what is no number"),
    6: ([1.0, 1e300, 0.0], "holds what is no number"),
    7: ([], "has 0 numbers, where the first one has 3"),
}


def test_a_vector_that_cannot_be_compared_is_a_fault_and_its_document_stays() -> None:
    rows: list[Any] = [[1.0, 2.0, 3.0]] * 9
    for row, (vector, _) in BAD.items():
        rows[row] = vector
    data = table(rows, pa.list_(pa.float64()))
    found = twinset.dedup(data, 0.9, method=METHOD)
    said = [(f["line"], f["kind"], f["detail"]) for f in found.manifest["first_faults"]]
    assert said == [(row + 1, "vector", f"the vector {detail}") for row, (_, detail) in BAD.items()]
    assert found.manifest["faults"] == {"vector": 7}
    assert found.documents["status"].to_pylist() == ["ok", *["bad"] * 7, "ok"]
    assert pairs_of(found) == {(0, 8): 1.0}
    assert found.kept.num_rows == 8
    with pytest.raises(ReadError, match="the vector is null; make it by the model that made"):
        twinset.find(data, method=METHOD, on_error="stop")


def test_what_has_no_vectors_is_refused(tmp_path: Path) -> None:
    data = table(near(9, 4))
    (tmp_path / "in.jsonl").write_text('{"id": "a", "text": "x", "embedding": [1, 2]}\n')
    for source, method in (
        (data, "vectors:field=other"),
        (data, "vectors:field=text"),
        (tmp_path / "in.jsonl", METHOD),
        (TEXTS, METHOD),
    ):
        with pytest.raises(ReadError, match=r"there is no column .* of vectors: name one of lists"):
            twinset.find(source, method=method)
    with pytest.raises(PlanError, match="write vectors:field=embedding"):
        Plan.make(method="vectors")
    with pytest.raises(PlanError, match="an index keeps no vectors"):
        twinset.find(data, method=METHOD, against=data)
    with pytest.raises(PlanError, match="the method vectors is for documents"):
        twinset.find(data, method=METHOD, level="paragraph")
    with pytest.raises(TwinsetError, match="no raw bytes or vectors"):
        twinset.compare(TEXTS, ["minhash", METHOD])
    [fault] = refusals(Plan.make(method=METHOD))
    assert fault.endswith("joined in the memory of one machine; run with --engine local")
