"""One answer on every engine: tables and manifests of Spark and of one machine, row by row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cores.corpora import lines
from tests.spark.equality import assert_same
from twinset.spark import run

SMALL = [
    {"threshold": 0.5, "dense": 8},
    {"exact": True, "threshold": 0.4, "dense": 8, "keep": "longest"},
    {"method": "simhash", "clusters": "components", "command": "find"},
    {"threshold": 0.5, "mask": ["numbers", r"\w*e\b"]},
]
"""A search by bands, one by counted features, one by prints, one that leaves text out."""
METHODS = [
    *("minhash", "exact", "bottom", "sketch:image=minwise", "sketch:image=bottom", "simhash"),
    *("md5", "tf", "longsent", "megashingles", "logshingles", "supershingles"),
    *("decomposition", "threefive", "spotsigs", "wordlists"),
]


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """Copies, edited copies, pages of one template, broken lines and repeated ids."""
    file = tmp_path / "in.jsonl"
    file.write_bytes(lines(1, 240))
    return file


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Groups of linked documents are crowds soon; the most that there may be, for each run."""
    of_crowds, runs = run.of_crowds, list[int]()

    def noted(*given: Any) -> Any:
        runs.append(given[-2])
        return of_crowds(*given)

    monkeypatch.setattr(run, "of_crowds", noted)
    monkeypatch.setattr(run, "WHOLE", 400)
    monkeypatch.setattr(run, "PIECE", 100)
    return runs


@pytest.mark.parametrize("options", SMALL, ids=str)
def test_spark_gives_the_answer_of_one_machine(
    spark: Any, collection: Path, tmp_path: Path, options: dict[str, Any], cut: list[int]
) -> None:
    counts = assert_same(spark, [collection], tmp_path, **options)["counts"]
    assert min(counts[name] for name in ("pairs", "clusters", "bad", "repeated_ids")) > 0
    assert bool(cut) == ("method" not in options)  # simhash keeps what it has seen


@pytest.mark.long
@pytest.mark.parametrize("kind", ["anchored", "components", "cliques"])
def test_every_kind_of_clusters(spark: Any, collection: Path, tmp_path: Path, kind: str) -> None:
    assert_same(spark, [collection], tmp_path, clusters=kind, threshold=0.6)


@pytest.mark.long
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.usefixtures("cut")
def test_every_method(spark: Any, collection: Path, tmp_path: Path, method: str) -> None:
    assert_same(spark, [collection], tmp_path, method=method)


@pytest.mark.long
@pytest.mark.parametrize("threshold", [0.3, 0.8])
@pytest.mark.parametrize("kind", ["equal", "template", "boilerplate"])
def test_crowds(spark: Any, tmp_path: Path, kind: str, threshold: float, cut: list[int]) -> None:
    file = tmp_path / "crowd.jsonl"
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in crowd(kind)))
    assert_same(spark, [file], tmp_path, threshold=threshold, dense=20, max_pairs=500)
    assert cut


def crowd(kind: str) -> list[str]:
    """400 documents that are equal, that fill in one template, or that end with the same words."""
    shared = " ".join(f"shared{word}" for word in range(60))
    texts = []
    for number in range(400):
        own = " ".join(f"own{number}x{word}" for word in range(8 if kind == "template" else 80))
        texts.append(shared if kind == "equal" and number % 9 else f"{own} {shared}")
    return texts
