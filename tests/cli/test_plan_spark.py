"""`twinset plan --engine spark`, which needs no Spark."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Twinset
from twinset.engine.spark.planning import SparkSize, spark_cost


def test_the_command_shows_stages_and_memory(twinset: Twinset) -> None:
    asked = ["plan", "--engine", "spark", "--documents", "1e10", "--executors", "200"]
    shown = twinset(*asked).stdout
    assert "10,000,000,000 documents of 4.1 KB, 41.0 TB in all; 16 keys each" in shown
    assert "200 executors of 4 cores" in shown
    assert "\nread and sketch" in shown
    told = json.loads(twinset(*asked, "--cores", "8", "--json").stdout)["spark"]
    size = SparkSize(1e10, 4096, 16, 0.25, 200, 8, 100 << 20)
    assert told["size"]["cores"] == 8
    assert told["cost"]["cpu"] == pytest.approx(spark_cost(size).cpu)


def test_documents_are_counted_in_the_input(twinset: Twinset, tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text('{"text": "some words of a document"}\n' * 3)
    done = twinset("plan", f"{tmp_path}/c.jsonl", "--engine", "spark", "--json")
    told = json.loads(done.stdout)
    assert told["spark"]["size"]["documents"] == 3
    assert told["spark"]["size"]["document_bytes"] == pytest.approx(37)
    assert "cost" not in told


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--documents", "5"], "--documents is for clusters: give --engine spark too"),
        (["--engine", "local", "--executors", "5"], "--executors is for clusters"),
        (["--engine", "spark"], "name IN, or give --documents"),
        (["--engine", "spark", "--documents", "0.5"], "name IN, or give --documents"),
        (["--engine", "spark", "--documents", "9", "--linked", "2"], "linked must be from 0 to 1"),
        (["--engine", "spark", "--documents", "nan"], "name IN, or give --documents"),
    ],
)
def test_what_cannot_be_predicted_is_said(
    twinset: Twinset, options: list[str], message: str
) -> None:
    done = twinset("plan", *options)
    assert done.returncode == 2
    assert message in done.stderr
