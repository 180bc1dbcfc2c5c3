"""Experiments in the laboratory: chosen, run, shown, and their best plan searched with."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import COLLECTION, jobs_in
from tests.web.test_laboratory import cells, ended
from twinset.web.searches import plan_of
from twinset.web.settings import Settings

SWEEP = """
title = "Two thresholds"

[plan]
method = "exact"

[sweep]
threshold = [0.6, 0.9]
"""


@pytest.fixture
def own(settings: Settings) -> dict[str, str]:
    """The form of an experiment of one's own over the Russian part of the example."""
    folder = settings.roots[1]
    (folder / "sweep.toml").write_text(SWEEP)
    shutil.copy(COLLECTION.parent / "clusters.csv", folder / "truth.csv")
    documents = str(COLLECTION / "russian")
    return {"experiment": "own", "file": str(folder / "sweep.toml"), "documents": documents}


def test_an_experiment_is_run_shown_and_its_best_plan_used(
    client: TestClient, settings: Settings, own: dict[str, str]
) -> None:
    job, page = ended(client, settings, "experiment", **own)
    assert list(job.command)[2:4] == [own["file"], own["documents"]]
    names = [cell for cell in cells(page) if "threshold" in cell]
    assert len(names) == 2
    for file in Path(job.out).glob("experiment.*"):  # the tables and the page
        assert f"/job/{job.name}/file/{file.name}" in page
    plan = (Path(job.out) / "best.toml").read_text()
    answer = client.post(f"/job/{job.name}/search")
    (search,) = jobs_in(settings).all("find")
    assert answer.url.path == f"/search/{search.name}/image"
    assert search.paths == (own["documents"],)
    threshold = float(re.findall(r"^threshold = (\S+)", plan, re.M)[0])
    assert plan_of(search).threshold == threshold
    assert search.options["method"] == "exact"


FOREIGN = [
    '[plan]\nstatistics = "/etc/passwd"\n[sweep]\nthreshold = [0.6]\n',
    '[sweep]\nmethod = ["minhash", "learned:model=/etc/passwd"]\n',
    '[sweep]\nthreshold = [0.6]\n[compare]\nignore = "/etc/passwd"\n',
]


@pytest.mark.parametrize("text", FOREIGN)
def test_an_experiment_reads_no_file_outside_the_bounds(
    client: TestClient, own: dict[str, str], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app: Any = client.app
    monkeypatch.setattr(app.state.jobs, "start", lambda *command, **facts: None)
    Path(own["file"]).write_text(text)
    answer = client.post("/laboratory/experiment", data=own)
    assert answer.status_code == 403
    assert "lies outside the folders" in answer.text
