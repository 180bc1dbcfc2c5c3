"""A report at an address: the same tables as here, and whole or recognisably unfinished."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import twinset
from tests.report import synthetic
from twinset.errors import MissingReportError, ReportError
from twinset.result import ReportPlaces, ensure_free, write
from twinset.result.sending import UNFINISHED
from twinset.run import Findings
from twinset.system.remote import RemotePath

TABLES = ("documents", "pairs", "clusters")


@pytest.fixture(params=["memory", "file"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> RemotePath:
    """A folder of a system without folders, and one of a system with them."""
    if request.param == "file":
        return RemotePath.of(f"file://{tmp_path}/elsewhere/report")
    return RemotePath.of(f"memory://{uuid4().hex}/report")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Documents of which every second one is a copy."""
    texts = (f"a few words that are said once or twice {number // 2}" for number in range(20))
    rows = [{"id": str(number), "text": text} for number, text in enumerate(texts)]
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def names(folder: RemotePath) -> set[str]:
    paths = folder.system.find(folder.path)
    return {str(RemotePath(folder.scheme, p, folder.system).relative_to(folder)) for p in paths}


def tables(folder: Path | RemotePath) -> dict[str, pa.Table]:
    return {
        name: pq.read_table(pa.BufferReader((folder / f"{name}.parquet").read_bytes()))
        for name in TABLES
    }


def stable(manifest: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in manifest.items() if key not in ("seconds", "written")}


def test_the_files_are_those_of_a_local_report(
    target: RemotePath, corpus: Path, tmp_path: Path
) -> None:
    findings = twinset.dedup(corpus)
    assert findings.save(str(target)) == target
    findings.save(tmp_path / "here")
    assert names(target) == {path.name for path in (tmp_path / "here").iterdir()}
    assert tables(target) == tables(tmp_path / "here")
    for name in ("kept.jsonl", "removed.jsonl", "duplicates.txt", "removals.csv"):
        assert (target / name).read_bytes() == (tmp_path / "here" / name).read_bytes()


def test_a_report_is_read_where_it_lies(target: RemotePath, corpus: Path) -> None:
    findings = twinset.dedup(corpus)
    report = twinset.open_report(findings.save(target))
    assert [getattr(report, name) for name in TABLES] == [getattr(findings, n) for n in TABLES]
    assert stable(report.manifest) == stable(findings.manifest)
    assert {path.name for path in report.folder.iterdir()}.isdisjoint(
        {"kept.jsonl", "removed.jsonl"}
    )
    folder = report.folder
    del report
    gc.collect()
    assert not folder.exists()


def test_another_report_is_replaced_only_when_asked(target: RemotePath) -> None:
    write(synthetic.make(groups=1, singles=1), target)
    (target / "decisions.jsonl").write_bytes(b"{}\n")
    with pytest.raises(ReportError, match="exists already; choose another folder or replace it"):
        write(synthetic.make(groups=2), target)
    write(synthetic.make(groups=2), target, force=True)
    assert twinset.open_report(target).clusters.num_rows > 2
    assert (target / "decisions.jsonl").read_bytes() == b"{}\n"


class Order:
    """Notes what a run does at its target, and ends it at a step."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, target: RemotePath, fatal: int) -> None:
        self.steps: list[str] = []
        self._fatal = fatal
        for name in ("open", "rm", "copy"):
            monkeypatch.setattr(target.system, name, self._noting(getattr(target.system, name)))

    def _noting(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def noted(path: Any, *args: Any, **options: Any) -> Any:
            if work.__name__ != "open" or "wb" in args:
                name = "" if isinstance(path, list) else path.rpartition("/")[2]
                self.steps.append(f"{work.__name__} {name}")
                if len(self.steps) == self._fatal:
                    raise KeyboardInterrupt
            return work(path, *args, **options)

        return noted


def test_a_replacement_that_ends_early_leaves_the_old_or_the_new_report_whole(
    target: RemotePath, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    findings = twinset.dedup(corpus)
    write(synthetic.make(groups=1, singles=1), target)
    (target / "decisions.jsonl").write_bytes(b"{}\n")
    old, found, is_done = twinset.open_report(target).documents.num_rows, [], False
    while not is_done:
        with monkeypatch.context() as patched, suppress(KeyboardInterrupt):
            Order(patched, target, fatal=len(found) + 1)
            findings.save(target, force=True)
            is_done = True
        report = twinset.open_report(target)
        found.append(report.documents.num_rows)
        assert report.manifest["counts"]["documents"] == found[-1]
        assert (report.folder / "decisions.jsonl").is_file()
        if found[-1] != old:
            write(synthetic.make(groups=1, singles=1), target, force=True)
    assert found == sorted(found, key=[old, 20].index)
    assert found.count(20) > 3  # after the manifest comes what tidies up
    findings.save(target, force=True)
    assert "kept.jsonl" in names(target)
    assert not {name for name in names(target) if "run-" in name or name == UNFINISHED}


def test_an_interrupted_run_leaves_nothing_whenever_it_ends(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    findings = twinset.dedup(corpus)

    def steps(fatal: int) -> tuple[list[str], set[str]]:
        target = RemotePath.of(f"memory://{uuid4().hex}/report")
        with monkeypatch.context() as patched:
            order = Order(patched, target, fatal)
            if fatal:
                with pytest.raises(KeyboardInterrupt):
                    findings.save(target)
            else:
                findings.save(target)
        return order.steps, names(target)

    whole, files = steps(0)
    assert len(whole) == len(files) + 2
    for fatal in range(1, len(whole) + 1):
        before, left = steps(fatal)
        assert before[:fatal] == whole[:fatal]
        assert not left, before


def unfinished(target: RemotePath, findings: Findings) -> None:
    """What a killed run leaves just before the manifest."""
    write(findings, target)
    (target / UNFINISHED).write_bytes(b'{"run": "1", "begun": "2020-02-02 12:00 UTC"}')
    target.system.rm((target / "manifest.json").path)


def test_what_a_killed_run_left_is_no_report(target: RemotePath) -> None:
    unfinished(target, synthetic.make(groups=1, singles=1))
    with pytest.raises(ReportError, match=r"began 2020-02-02 12:00 UTC into .* has not finished"):
        twinset.open_report(target)
    with pytest.raises(ReportError, match="has not finished; if it is not running any more"):
        ensure_free(target)
    ensure_free(target, force=True)
    write(synthetic.make(groups=2), target, force=True)
    assert twinset.open_report(target).clusters.num_rows > 2
    assert UNFINISHED not in names(target)


def test_the_files_of_others_stay(target: RemotePath) -> None:
    (target / "kept").mkdir()
    (target / "mine.jsonl").write_bytes(b"{}\n")
    for force in (False, True):
        with pytest.raises(ReportError, match="holds files and no report"):
            ensure_free(target, force=force)
    assert names(target) == {"mine.jsonl"}


def test_an_input_in_the_folder_is_not_removed(target: RemotePath) -> None:
    write(synthetic.make(groups=1, singles=1), target)
    with pytest.raises(ReportError, match=r"the input .* lies in"):
        ensure_free(target, True, [str(target / "kept.jsonl")])
    ensure_free(target, True, [str(target) + "-2/corpus.jsonl", "corpus.jsonl"])


def test_another_run_is_noticed_before_the_manifest(target: RemotePath) -> None:
    def also(places: ReportPlaces) -> None:
        (target / UNFINISHED).write_bytes(b'{"run": "of another"}')

    with pytest.raises(ReportError, match="another run has begun to write"):
        write(synthetic.make(groups=1, singles=1), target, also=also)
    assert UNFINISHED in names(target)
    assert "manifest.json" not in names(target)


def test_no_folder_and_no_report() -> None:
    with pytest.raises(MissingReportError, match="there is no report folder memory://nothing"):
        twinset.open_report("memory://nothing")
    with pytest.raises(ReportError, match="names no folder"):
        ensure_free("memory://")
    with pytest.raises(ReportError, match="can only be read"):
        ensure_free("https://example.org/report")
