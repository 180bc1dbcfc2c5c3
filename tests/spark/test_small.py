"""A small collection: queries cost more than what they do, so that there must be few."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import twinset
from twinset.engine.spark.engine import OpenedSpark

MOST = {"find": 13, "dedup": 22}
"""Jobs of Spark for each command, of which kept and removed documents take some."""


@pytest.mark.parametrize("command", MOST)
def test_few_jobs_do(spark: Any, tmp_path: Path, command: str) -> None:
    file = tmp_path / "in.jsonl"
    texts = (f"the same words stand here again and again {number // 2}" for number in range(40))
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    context = spark.sparkContext
    context.setJobGroup(str(tmp_path), command)
    engine = OpenedSpark(work=str(tmp_path / "work"), session=spark)
    try:
        getattr(twinset, command)([file], engine=engine).save(str(tmp_path / "out"))
        jobs = context.statusTracker().getJobIdsForGroup(str(tmp_path))
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)
    assert 0 < len(jobs) <= MOST[command]


def test_no_documents_at_all(spark: Any, tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    file.write_bytes(b"\n")
    engine = OpenedSpark(work=str(tmp_path / "work"), session=spark)
    findings = twinset.find([file], engine=engine)
    assert findings.documents.count() == findings.pairs.count() == findings.clusters.count() == 0
    assert findings.manifest["counts"]["documents"] == 0
