"""The report of a run on Spark is read, shown and looked into as any other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import twinset
from tests.cores.corpora import lines
from twinset.engine.spark.engine import OpenedSpark


@pytest.fixture(scope="module")
def report(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report [1]")  # brackets, for which Spark has a use
    file = folder / "in é.jsonl"
    file.write_bytes(lines(3, 90))
    engine = OpenedSpark(work=str(folder / "work"), session=spark)
    found = twinset.dedup([file], threshold=0.5, engine=engine)
    place = folder / "out"
    found.save(str(place))
    assert found.place == str(place)
    assert found.kept.count() + found.removed.count() == found.documents.count()
    assert " pairs, " in repr(found)
    found.close()
    assert not list((folder / "work").iterdir())
    return place


def test_a_report_of_parts_opens_in_reading_order(report: Path) -> None:
    opened = twinset.open_report(report)
    assert opened.documents["number"].to_pylist() == list(range(len(opened.documents)))
    assert opened.manifest["engine"]["name"] == "spark"
    assert len(opened.pairs) == opened.manifest["counts"]["pairs"] > 0
    ids = opened.clusters["id"].to_pylist()[:2]
    assert set(opened.texts(ids)) == set(ids)


def test_kept_and_removed_are_the_lines_of_the_input(report: Path) -> None:
    written = twinset.open_report(report).manifest["written"]
    lines_in = (report.parent / "in é.jsonl").read_text("utf-8").splitlines()
    for name in ("kept", "removed"):
        parts = sorted((report / written[name]["path"]).glob("part-*"))
        rows = [line for part in parts for line in part.read_text("utf-8").splitlines()]
        assert len(rows) == written[name]["documents"]
        assert set(rows) <= set(lines_in)


def test_the_page_shows_clusters_and_the_closest_pairs(report: Path) -> None:
    page = (report / "report.html").read_text("utf-8")
    first = twinset.open_report(report).clusters["id"][0].as_py()
    assert first in page


def test_find_decides_on_no_document(spark: Any, tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    file.write_bytes(lines(3, 30))
    engine = OpenedSpark(work=str(tmp_path / "work"), session=spark)
    found = twinset.find([file], engine=engine)
    with pytest.raises(twinset.TwinsetError, match="run dedup"):
        found.kept.count()
