"""What Spark refuses is said before anything starts; everything else is left alone."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Twinset, corpus, twinset  # noqa: F401  (fixtures)
from twinset.plan import Plan
from twinset.plan.spec import TABLE
from twinset.spark.checks import refusals

STATISTICS = {"tfidf", "tfridf", "heavysent", "lexrand", "descrwords", "optfreq", "imatch"}
STATISTICS |= {"lexical", "tfidfcosine", "idfjaccard"}
NEEDS_MORE = {"learned", "asked", "vectors"}
METHODS = [name for name in TABLE["method"] if name[1:].isalpha() and name not in NEEDS_MORE]


def test_only_methods_with_statistics_are_refused() -> None:
    for method in METHODS:
        faults = refusals(Plan.make(method=method))
        assert bool(faults) == (method in STATISTICS)
        if faults:
            assert faults[0].startswith(f"the method {method} weighs terms by counts of the whole")
            assert "--statistics statistics.parquet" in faults[0]
    [fault] = refusals(Plan.make(method="asked:experts=1.0 lcs -4.0 3.0"))
    assert fault.endswith(
        "its model looks at signals of the whole collection; run with --engine local"
    )
    for clusters in ("anchored", "components", "cliques"):
        assert refusals(Plan.make(clusters=clusters, verify="edit:0.8")) == []


@pytest.mark.parametrize("preset", ["text", "files"])
def test_presets_that_need_them_are_refused_by_their_name(preset: str) -> None:
    faults = refusals(Plan.make(preset=preset))
    assert faults[0].startswith(f"the preset {preset} weighs terms by counts")
    assert "--statistics" not in faults[0]  # which are of single words
    assert "--engine local" in faults[0]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"clusters": "closed:k=3"}, "clusters closed come out of the images of the whole"),
        ({"kinds": "yes"}, "kinds yes compares the files of a person"),
        ({"ocr": "eng"}, "ocr eng reads pictures"),
        ({"each_file": True}, "each-file is for the files of one machine"),
        ({"within": ["/data"]}, "within /data bounds the folders of one machine"),
        ({"reference": ["/old"]}, "reference /old is for one machine"),
        ({"method": "md5:of=bytes"}, "not their raw bytes"),
    ],
)
def test_options_of_one_machine_are_refused(options: dict[str, Any], sentence: str) -> None:
    (fault,) = refusals(Plan.make(**options))
    assert sentence in fault
    assert "leave it out" in fault or "--engine local" in fault


def test_all_faults_are_said_together_and_nothing_is_started(
    twinset: Twinset,  # noqa: F811
    corpus: Path,  # noqa: F811
    tmp_path: Path,
) -> None:
    before = set(sys.modules)
    done = twinset(
        *("dedup", corpus, "-", "-o", "-", "--engine", "spark:master=local[2]", "--resume"),
        *("--threads", "4", "--memory", "1GB", "--method", "tfidf"),
    )
    assert done.returncode == 2
    assert done.stdout == ""
    faults = done.stderr.splitlines()
    assert [fault.split()[1] for fault in faults] == [
        *("the", "threads", "memory", "resume", "out", "Spark"),
    ]
    assert "spark:master=local[4]" in done.stderr
    assert "pyspark" not in set(sys.modules) - before
    assert [path.name for path in tmp_path.iterdir()] == ["corpus.jsonl"]


def test_places_of_this_machine_are_looked_at_before_spark_starts(
    twinset: Twinset,  # noqa: F811
    corpus: Path,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "no-java"))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("mine")
    on_spark = ("--engine", "spark:master=local[2]")
    for inputs, out, sentence in [
        ((corpus, tmp_path / "absent"), "report", "absent: there is no such file or folder"),
        ((corpus, f"{tmp_path}/absent*"), "report", "nothing matches this pattern"),
        ((corpus,), "full", "full exists already"),
    ]:
        done = twinset("dedup", *inputs, "-o", tmp_path / out, *on_spark)
        assert done.returncode != 0
        assert sentence in done.stderr
    assert "Java" in twinset("dedup", corpus, "-o", tmp_path / "report", *on_spark).stderr
