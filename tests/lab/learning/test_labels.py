"""Labels in all their forms, good and bad."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from twinset.errors import PlanError
from twinset.lab.learn import LabelError, groups_of, labelled
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


def test_grades_from_a_file(tmp_path):
    path = tmp_path / "graded.csv"
    path.write_text("id_a,id_b,label,split\nd0,d1,4,x\nd0,d2,3,x\nd0,d3,2,y\n")
    assert [row[2] for row in rows(read(path, grade=3))] == [True, True, False]
    assert [row[2] for row in rows(read(path, grade=4))] == [True, False, False]
    with pytest.raises(PlanError, match=r"grades from 2 to 4.*as --grade 3"):
        read(path)


def test_near_duplicates_alone_leave_the_list_open(tmp_path):
    path = tmp_path / "truth.csv"
    path.write_text("left,right\nd0,d1\nd5,d4\n")
    found = read(path)
    assert found.open
    assert rows(found) == [(0, 1, True), (4, 5, True)]
    with pytest.raises(PlanError, match="no column of grades; name it"):
        read(path, grade=2)


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


def test_unknown_ids_are_counted_and_the_first_ones_listed():
    data = [("d0", "d1", 1), ("d2", "d3", 0), *((f"x{i}", "d4", 1) for i in range(7))]
    found = read(data)
    assert len(found.left) == 2
    assert "ids that no document has: 7 (x0, x1, x2, x3, x4, ...)" in found.notes[0]
    assert "their pairs left out: 7" in found.notes[0]


def test_nothing_that_is_known_is_refused_with_the_remedy():
    with pytest.raises(LabelError, match=r"no pair of two documents.*x, y.*give the ids that"):
        read([("x", "y", 1), ("y", "x", 0)])
    with pytest.raises(LabelError, match="the list is empty"):
        read([])


def test_self_pairs_are_left_out_and_reported():
    found = read([("d0", "d0", 1), ("d0", "d1", 1), ("d2", "d3", 0)])
    assert len(found.left) == 2
    assert "pairs of a document with itself, left out: 1" in found.notes[0]


@pytest.mark.parametrize(("label", "kind"), [(1, "near-duplicates"), (0, "no near-duplicates")])
def test_one_class_alone_is_refused(label, kind):
    with pytest.raises(LabelError, match=rf"all 2 pairs of the labels are {kind}.*other class"):
        read([("d0", "d1", label), ("d2", "d3", label)])


def test_pairs_of_connected_documents_are_one_group():
    left, right = np.array([0, 1, 3, 4, 0]), np.array([1, 2, 4, 5, 5])
    group = groups_of(6, left, right, np.array([True, True, True, False, False]))
    assert group[0] == group[1] == group[4]
    assert group[2] == group[3]
    assert group[0] != group[2]
