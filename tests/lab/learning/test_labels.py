"""Labels in all their forms, good and bad."""

from __future__ import annotations

import pyarrow as pa
import pytest

from twinset.errors import PlanError
from twinset.lab.learn import LabelError, labelled
from twinset.lab.truth import TruthOptions

IDS = pa.array([f"d{i}" for i in range(12)], pa.large_string())


def read(data, grade=None):
    return labelled(TruthOptions(data, grade=grade, name="the labels"), IDS, seed=1)


def rows(found) -> list[tuple[int, int, bool]]:
    return list(
        zip(found.left.tolist(), found.right.tolist(), found.positive.tolist(), strict=True)
    )


def test_pairs_with_labels_each_once_whatever_their_order():
    found = read([("d3", "d1", 1), ("d1", "d3", 0), ("d0", "d2", 0), ("d4", "d5", -1)])
    assert rows(found) == [(0, 2, False), (1, 3, True), (4, 5, False)]
    assert not found.open
    assert found.true.count() == 1
    assert "listed again or reversed, counted once: 1" in found.notes[0]


def test_clusters_give_their_pairs():
    found = read({"d0": "x", "d1": "x", "d2": "x", "d3": "y", "d4": "z"})
    assert found.open
    assert rows(found) == [(0, 1, True), (0, 2, True), (1, 2, True)]
    with pytest.raises(PlanError, match="holds clusters: leave it out"):
        read({"d0": "x", "d1": "x"}, grade=1)
    with pytest.raises(LabelError, match="no pair of two documents"):
        read({"d0": "x", "d1": "y"})


def test_of_a_large_cluster_some_pairs_are_drawn(monkeypatch):
    monkeypatch.setattr("twinset.lab.learn.PER_CLUSTER", 5)
    found = read({f"d{i}": "all" for i in range(8)})
    assert len(found.left) == 5
    assert found.true.count() == 28
    assert "of 28 pairs in clusters 5 were drawn" in found.notes[0]
    assert rows(read({f"d{i}": "all" for i in range(8)})) == rows(found)


def test_nothing_that_is_known_is_refused_with_the_remedy():
    with pytest.raises(LabelError, match=r"no pair of two documents.*x, y.*give the ids that"):
        read([("x", "y", 1), ("y", "x", 0)])
    with pytest.raises(LabelError, match="the list is empty"):
        read([])


@pytest.mark.parametrize(("label", "kind"), [(1, "near-duplicates"), (0, "no near-duplicates")])
def test_one_class_alone_is_refused(label, kind):
    with pytest.raises(LabelError, match=rf"all 2 pairs of the labels are {kind}.*other class"):
        read([("d0", "d1", label), ("d2", "d3", label)])
