"""The figures of an experiment, what it writes, and what it keeps for the next run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest

import twinset
from tests.lab.experiment.collection import FIVE, SWEEP, TEXTS, TRUTH
from twinset.lab import runner

pytestmark = pytest.mark.usefixtures("runs_here")
CLOSED: dict[str, Any] = {
    "plan": {"method": "minhash", "image": "bottom:size=40", "clusters": "closed"},
    "sweep": {"k": [20, 33], "shingle": [1]},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment that ran to its end."""
    place = tmp_path_factory.mktemp("experiment") / "out"
    twinset.experiment(TEXTS, SWEEP, truth=TRUTH, folder=place)
    return place


@pytest.fixture
def out(folder: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    return Path(shutil.copytree(folder, tmp_path / "out"))


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The plans that were run."""
    plans: list[dict[str, Any]] = []
    real = runner.run_in_process

    def count(*job: Any) -> dict[str, Any]:
        plans.append(job[1].as_dict())
        return real(*job)

    monkeypatch.setattr(runner, "run_in_process", count)
    return plans


def is_time(column: str) -> bool:
    return column.startswith(("seconds", "cpu_seconds", "memory_mb"))


def lasting(table: Any) -> list[dict[str, Any]]:
    """The rows without what may differ from run to run."""
    return table.select([n for n in table.column_names if not is_time(n)]).to_pylist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("sweep", "by"),
    [(SWEEP, "auto"), (SWEEP, "clusters"), (CLOSED, "auto"), (CLOSED, "pairs")],
)
def test_every_row_has_the_numbers_of_an_evaluation_of_its_plan(
    sweep: dict[str, Any], by: Any
) -> None:
    result = twinset.experiment(TEXTS, sweep, truth=TRUTH, by=by)
    assert len(set(result.table["found"].to_pylist())) > 1 or by == "pairs"
    for row, figures in zip(result.rows, result.table.to_pylist(), strict=True):
        findings = twinset.find(TEXTS, plan=row.plan)
        expected = twinset.evaluate(findings, TRUTH, by=by)
        names = (*FIVE, "precision", "recall", "f1")
        assert [figures[name] for name in names] == [getattr(expected, name) for name in names]
        assert figures["cluster_count"] == findings.manifest["counts"]["clusters"]
        for named in (row, row.name, row.number):
            assert result.pairs(named).count() == expected.found


def test_the_folder_holds_the_table_the_page_and_the_best_plan(folder: Path) -> None:
    table = pq.read_table(folder / "experiment.parquet")
    assert table["image.size"].to_pylist() == [64, 128, 64, 128]
    assert csv.read_csv(folder / "experiment.csv").num_rows == table.num_rows == 4
    best = max(table.to_pylist(), key=lambda row: row["f1"])
    findings = twinset.find(TEXTS, plan=folder / "best.toml")
    expected = twinset.evaluate(findings, TRUTH)
    assert [best[name] for name in FIVE] == [getattr(expected, name) for name in FIVE]


def test_another_column_can_decide_what_is_best(out: Path) -> None:
    result = twinset.experiment(TEXTS, SWEEP, truth=TRUTH, best="only_in_found", folder=out)
    extra = result.table["only_in_found"].to_pylist()
    assert result.best == result.table["name"][extra.index(min(extra))].as_py()
    with pytest.raises(twinset.PlanError, match="no column 'presision'; did you mean 'precision'"):
        twinset.experiment(TEXTS, SWEEP, truth=TRUTH, best="presision")


@pytest.mark.parametrize("language", ["en", "ru"])
def test_the_page_has_the_table_and_the_charts(out: Path, language: str) -> None:
    result = twinset.experiment(TEXTS, SWEEP, truth=TRUTH, folder=out, language=language)
    page = (out / "experiment.html").read_text(encoding="utf-8")
    assert f'lang="{language}"' in page
    assert page.count('<svg class="chart"') == 4  # over shingle, over size, both, and the times
    assert 'class="curve"' in page
    assert page.count('class="cell"') == 4
    shown = f"{result.table['f1'][0].as_py():.4f}"
    assert (shown if language == "en" else shown.replace(".", ",")) in page
    assert result._repr_html_().count("<svg") == 4


def test_a_second_run_takes_every_row_from_the_first(
    folder: Path, out: Path, counted: list[dict[str, Any]]
) -> None:
    before = pq.read_table(folder / "experiment.parquet")
    again = twinset.experiment(TEXTS, SWEEP, truth=TRUTH, folder=out)
    assert counted == []
    assert again.manifest["reused"] == again.table["name"].to_pylist()
    assert lasting(again.table) == lasting(before)
    assert again.table["seconds"].to_pylist() == before["seconds"].to_pylist()


def test_other_documents_or_another_version_run_again(
    out: Path, counted: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = SWEEP | {"sweep": {"shingle": [3], "image.size": [128]}}
    changed = TEXTS | {"d0": TEXTS["d0"] + " more"}
    twinset.experiment(changed, sweep, truth=TRUTH, folder=out)
    assert len(counted) == 1
    monkeypatch.setattr(runner, "VERSION", "99.0")
    twinset.experiment(TEXTS, sweep, truth=TRUTH, folder=out)
    assert len(counted) == 2
    twinset.experiment(TEXTS, sweep, truth=TRUTH, folder=out)
    assert len(counted) == 2
    twinset.experiment(TEXTS, sweep, truth=TRUTH, folder=out, fresh=True)
    assert len(counted) == 3


def test_rows_in_processes_of_their_own_give_the_same_table(
    folder: Path, runs_here: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "run_in_process", runs_here)
    result = twinset.experiment(TEXTS, SWEEP, truth=TRUTH, threads=2)
    assert lasting(result.table) == lasting(pq.read_table(folder / "experiment.parquet"))


def test_a_row_that_fails_is_a_row_with_its_fault(counted: list[dict[str, Any]]) -> None:
    faulty = CLOSED | {"sweep": {"k": [20, 41], "shingle": [1]}}
    result = twinset.experiment(TEXTS, faulty, truth=TRUTH)
    good, bad = result.table.to_pylist()
    assert good["fault"] is None
    assert good["found"] > 0
    assert bad["fault"].startswith("k is 41, but an image has at most 40 values")
    assert bad["found"] is None
    assert result.best == good["name"]
    assert list(result.manifest["failed"]) == ["k=41, shingle=1"]
    assert "k is 41" in result._repr_html_()


def test_a_fault_is_not_kept(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep = SWEEP | {"sweep": {"shingle": [3, 4], "image.size": [64]}}
    real = runner.run_in_process

    def one_fails(*job: Any) -> dict[str, Any]:
        fails = "shingle=4" in job[1].as_dict()["method"]
        return {"fault": "out of memory"} if fails else real(*job)

    with monkeypatch.context() as patched:
        patched.setattr(runner, "run_in_process", one_fails)
        result = twinset.experiment(TEXTS, sweep, truth=TRUTH, folder=out)
        assert result.table["fault"].to_pylist() == [None, "out of memory"]
    whole = twinset.experiment(TEXTS, sweep, truth=TRUTH, folder=out)
    assert whole.table["fault"].to_pylist() == [None, None]
    assert len(whole.manifest["reused"]) == 1


def test_of_too_many_pairs_a_sample_is_judged() -> None:
    texts = ["the same words in all of these texts"] * 20
    result = twinset.experiment(texts, SWEEP, most_judged=100)
    assert result.manifest["sampled"]
    for row in result.table.to_pylist():
        assert (row["pairs"], row["found"], row["recall_high"]) == (190, 100, 1.0)


def test_a_folder_of_something_else_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(twinset.ReportError, match="is not an experiment"):
        twinset.experiment(TEXTS, SWEEP, truth=TRUTH, folder=tmp_path)


@pytest.mark.parametrize("has_truth", [True, False])
def test_parts_are_the_first_files_and_what_is_true_among_them(
    tmp_path: Path, has_truth: bool, counted: list[dict[str, Any]]
) -> None:
    """As if only these files were there: n1-1, n1-2; the part of 9 files is the whole of 3."""
    files = [tmp_path / f"narod.{number}.jsonl" for number in range(3)]
    for number, file in enumerate(files):
        some = list(TEXTS.items())[number * 5 : number * 5 + 5]
        file.write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in some))
    truth = {"truth": TRUTH} if has_truth else {}
    swept = {"plan": {"threshold": 0.6}, "sweep": {"shingle": [1], "parts": [1, 2, 3, 9]}}
    parts = twinset.experiment(files, swept, **truth)
    assert len(counted) == 3
    rows = parts.table.to_pylist()
    assert [(row["name"], row["parts"]) for row in rows] == [
        (f"shingle=1, parts={number}", number) for number in (1, 2, 3, 9)
    ]
    for row, count in zip(rows, (1, 2, 3, 3), strict=True):
        known = list(TEXTS)[: count * 5]
        only = {"truth": [pair for pair in TRUTH if set(pair) <= set(known)]} if has_truth else {}
        swept = {"plan": {"threshold": 0.6}, "sweep": {"shingle": [1]}}
        (alone,) = twinset.experiment(files[:count], swept, **only).table.to_pylist()
        assert {name: row[name] for name in FIVE} == {name: alone[name] for name in FIVE}
        assert row["cluster_count"] == alone["cluster_count"]
    assert rows[0]["found"] < rows[1]["found"] < rows[2]["found"]
    assert parts.manifest["notes"] == ["parts of more files than there are (3) are all documents"]
    with pytest.raises(twinset.PlanError, match="parts must be numbers of files"):
        twinset.experiment(files, {"sweep": {"parts": [0]}}, **truth)
