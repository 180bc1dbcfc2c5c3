"""The report of a run on Spark is read, shown and looked into as any other."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import twinset
from tests.cores.corpora import lines
from twinset.errors import ReportError
from twinset.spark.engine import OpenedSpark
from twinset.spark.saving import ensure_free
from twinset.spark.work import SparkFolder


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
    assert ids[0] in (report / "report.html").read_text("utf-8")


def test_kept_and_removed_are_the_lines_of_the_input(report: Path) -> None:
    written = twinset.open_report(report).manifest["written"]
    lines_in = (report.parent / "in é.jsonl").read_text("utf-8").splitlines()
    for name in ("kept", "removed"):
        parts = sorted((report / written[name]["path"]).glob("part-*"))
        rows = [line for part in parts for line in part.read_text("utf-8").splitlines()]
        assert len(rows) == written[name]["documents"]
        assert set(rows) <= set(lines_in)


def test_a_report_at_an_address_is_whole_whenever_its_replacement_is_killed(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The address is one of Hadoop, whose files are here."""
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    hadoop.set("fs.viewfs.mounttable.test.link./data", f"file://{tmp_path}")
    file, place, out = tmp_path / "in.jsonl", "viewfs://test/data/out", tmp_path / "out"
    file.write_bytes(lines(3, 30))
    engine = OpenedSpark(work=str(tmp_path / "work"), session=spark)
    found = twinset.dedup(file, engine=engine)

    def killed_at(step: int) -> bool:
        """Whether there was such a step: from it on nothing is done any more."""
        done = 0

        def counted(work: Any) -> Any:
            def act(*arguments: Any) -> None:
                nonlocal done
                done += 1
                if done >= step:
                    raise KeyboardInterrupt
                work(*arguments)

            return act

        with monkeypatch.context() as patched, suppress(KeyboardInterrupt):
            for name in ("write", "replace", "clear"):
                patched.setattr(SparkFolder, name, counted(getattr(SparkFolder, name)))
            found.save(place, force=True)
        return done >= step

    assert killed_at(4)
    with pytest.raises(ReportError, match=r"a run into .* has not finished; .* --force"):
        ensure_free(spark, place, force=False)
    ensure_free(spark, place, force=True)
    found.save(place, force=True)
    found.manifest["marked"] = "new"
    (out / "decisions.jsonl").write_text("{}\n")
    step, marks = 1, []
    while killed_at(step):
        report = twinset.open_report(out)
        assert len(report.documents) == 31
        marks.append(report.manifest.get("marked"))
        ensure_free(spark, place, force=True)
        step += 1
    assert marks[0] is None
    report = twinset.open_report(out)
    assert report.manifest["marked"] == "new"
    kept = out / report.manifest["written"]["kept"]["path"]
    assert len(list(kept.glob("part-*"))) == report.manifest["written"]["kept"]["files"]
    visible = {path.name for path in out.iterdir() if path.name[0] != "."}
    assert visible == {"manifest.json", "decisions.jsonl", report.manifest["folder"]}
