"""An experiment that is killed goes on where it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import twinset
from tests.lab.experiment.collection import write_collection
from tests.test_kills import TWINSET, kill, start, wait_for
from twinset.lab import runner

pytestmark = pytest.mark.usefixtures("runs_here")
TIMES = ("seconds", "cpu_seconds", "memory_mb")
RUN = [
    *TWINSET,
    "lab",
    "experiment",
    "sweep.toml",
    "corpus.jsonl",
    "--truth",
    "truth.csv",
    "-o",
    "out",
]


def test_only_the_missing_rows_run_after_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_collection(tmp_path)
    (tmp_path / "temporary").mkdir()
    finished = (tmp_path / "out" / "rows").glob
    run = start([*RUN, "-q"], tmp_path)
    wait_for(lambda: len(list(finished("*.json"))) >= 1)
    kill(run)
    kept = len(list(finished("*.json")))
    assert 1 <= kept < 4, "the kill must come in the middle"
    assert not (tmp_path / "out" / "manifest.json").exists()
    runs: list[Any] = []
    real = runner.run_in_process

    def count(*job: Any) -> dict[str, Any]:
        runs.append(job)
        return real(*job)

    monkeypatch.setattr(runner, "run_in_process", count)
    monkeypatch.chdir(tmp_path)
    options: dict[str, Any] = {"truth": "truth.csv"}
    resumed = twinset.experiment("corpus.jsonl", "sweep.toml", folder="out", **options)
    assert len(runs) == 4 - kept
    assert len(resumed.manifest["reused"]) == kept
    assert list((tmp_path / "out" / "rows").glob(".*")) == []
    whole = twinset.experiment("corpus.jsonl", "sweep.toml", **options)
    assert len(runs) == 4 - kept + 4
    lasting = [name for name in whole.table.column_names if not name.startswith(TIMES)]
    assert resumed.table.select(lasting) == whole.table.select(lasting)
