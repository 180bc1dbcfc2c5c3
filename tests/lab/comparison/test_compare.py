"""The comparison as a whole, against runs of each method by itself and a judge of our own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rapidfuzz.distance import Indel

import twinset
from twinset.lab import runner
from twinset.plan.spec import name_in
from twinset.text.segments import words

METHODS = ["md5", "tfidf", "longsent", "minhash", "lexical"]
EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
Pair = tuple[str, str]


def collection() -> dict[str, str]:
    """The licences, an empty document, and one that is no friend of web pages."""
    with (EXAMPLES / "collection" / "licenses.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    texts = {row["id"]: row["text"] for row in rows}
    evil = "<script>alert(1)</script> " + " ".join(f"evil{number}" for number in range(40))
    return {**texts, "empty": "", "<b>evil</b>": evil, "evil too": evil + " too"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("comparison") / "out"


@pytest.fixture(scope="module")
def compared(folder: Path) -> twinset.ExperimentResult:
    return twinset.compare(collection(), METHODS, folder=folder, threads=2)


@pytest.fixture(scope="module")
def direct() -> dict[str, set[Pair]]:
    """What each method finds in a run of its own."""
    found = {}
    for method in METHODS:
        pairs = twinset.find(collection(), method=method).pairs
        columns = (pairs[side].to_pylist() for side in ("left", "right"))
        found[method] = {tuple(sorted(pair)) for pair in zip(*columns, strict=True)}
    return found


@pytest.fixture(scope="module")
def good(direct: dict[str, set[Pair]]) -> set[Pair]:
    """The pairs of the pool that a plain computation calls good."""
    texts = collection()
    plain = dict(zip(texts, (" ".join(some) for some in words(list(texts.values()))), strict=True))
    pool = set().union(*direct.values())
    return {
        pair for pair in pool if Indel.normalized_similarity(plain[pair[0]], plain[pair[1]]) >= 0.8
    }


def test_the_table_agrees_with_a_direct_computation(
    compared: twinset.ExperimentResult, direct: dict[str, set[Pair]], good: set[Pair]
) -> None:
    rows = {row["name"]: row for row in compared.table.to_pylist()}
    assert rows.keys() == direct.keys()
    assert len(good) > 20
    for method, pairs in direct.items():
        row = rows[method]
        assert row["pairs"] == len(pairs)
        assert row["recall"] == pytest.approx(len(pairs & good) / len(good))
        assert row["precision"] == pytest.approx(len(pairs & good) / len(pairs))
        assert row["seconds"] > 0
        assert row["memory_mb"] >= 0
    found = [row["f1"] for row in compared.table.to_pylist()]
    assert found == sorted(found, reverse=True)
    assert compared.manifest["judged"] == len(set().union(*direct.values()))


def test_pairs_of_one_method_alone_have_their_texts(
    compared: twinset.ExperimentResult, direct: dict[str, set[Pair]], good: set[Pair]
) -> None:
    texts = collection()
    rows = compared.derived["alone"].to_pylist()
    assert rows
    for row in rows:
        pair = tuple(sorted((row["left"], row["right"])))
        assert [name for name in METHODS if pair in direct[name]] == [row["name"]]
        assert texts[row["left"]].startswith(row["left_text"])
        assert row["right_text"] in texts[row["right"]]
        assert row["true"] == (pair in good)


def test_a_second_run_uses_the_first(
    compared: twinset.ExperimentResult, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*job: Any) -> Any:
        raise AssertionError("nothing is run again")

    monkeypatch.setattr(runner, "run_in_process", never)
    again = twinset.compare(collection(), METHODS[:4], folder=folder)
    assert sorted(again.manifest["reused"]) == sorted(METHODS[:4])
    before = {row["name"]: row["pairs"] for row in compared.table.to_pylist()}
    after = {row["name"]: row["pairs"] for row in again.table.to_pylist()}
    assert after.items() <= before.items()
    with pytest.raises(AssertionError, match="run again"):
        twinset.compare({**collection(), "more": "text"}, METHODS, folder=folder)
    with pytest.raises(AssertionError, match="run again"):
        twinset.compare(collection(), METHODS, folder=folder, threshold=0.7)


def test_a_method_that_fails_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    real = runner.run_in_process

    def some(*job: Any) -> Any:
        fails = name_in(job[1].as_dict()["method"]) == "tf"
        return {"fault": "it broke"} if fails else real(*job)

    monkeypatch.setattr(runner, "run_in_process", some)
    result = twinset.compare(collection(), ["tf", "md5"])
    assert result.manifest["failed"] == {"tf": "it broke"}
    assert result.best == "md5"
    assert [row["fault"] for row in result.table.to_pylist()] == [None, "it broke"]
    assert "it broke" in result._repr_html_() or "failed" in result._repr_html_()
    with pytest.raises(twinset.ReportError, match="no row finished; tf: it broke"):
        twinset.compare(collection(), ["tf"])


@pytest.mark.parametrize("graded", [False, True])
def test_only_judged_pairs_count_as_evaluate_counts_them(
    folder: Path, direct: Any, graded: bool
) -> None:
    listed = sorted(direct["minhash"])[::3]
    truth = [(*pair, number % 2) for number, pair in enumerate(listed)] if graded else listed
    whole = twinset.compare(collection(), METHODS, truth=truth, folder=folder)
    judged = twinset.compare(collection(), METHODS, truth=truth, folder=folder, only_judged=True)
    precision = {row["name"]: row["precision"] for row in whole.table.to_pylist()}
    named = {id for pair in listed for id in pair}
    for row in judged.table.to_pylist():
        found = twinset.find(collection(), method=row["name"])
        alone = twinset.evaluate(found, truth, only_judged=True)
        assert (row["recall"], row["precision"]) == (alone.recall, alone.precision)
        pairs = direct[row["name"]]
        counted = pairs & set(listed) if graded else {p for p in pairs if named >= set(p)}
        true = {pair[:2] for pair in truth if not graded or pair[2]}
        expected = len(counted & true) / len(counted) if counted else 1
        assert row["precision"] == pytest.approx(expected)
    assert judged.table["precision"].to_pylist() != [
        precision[name] for name in judged.table["name"].to_pylist()
    ]
    for row in judged.derived["alone"].to_pylist():
        pair = tuple(sorted((row["left"], row["right"])))
        assert pair in listed if graded else named >= set(pair)


def test_a_large_pool_is_sampled_and_says_so(folder: Path) -> None:
    result = twinset.compare(collection(), METHODS, most_judged=100, folder=folder)
    assert result.manifest["sampled"]
    assert result.manifest["judged"] <= 100
    for row in result.table.to_pylist():
        assert row["recall_low"] <= row["recall"] <= row["recall_high"]
        assert row["precision_low"] <= row["precision"] <= row["precision_high"]
        assert row["found"] <= row["pairs"]


@pytest.mark.parametrize(
    ("methods", "options", "told"),
    [
        ("minhush,tf:size=3", {}, "minhush.*'tf' has no option 'size'"),
        ("", {}, "at least one method"),
        ("tf", {"judge": 2.0}, "threshold must be above 0"),
        ("tf", {"most_judged": 1}, "at least 100"),
        ("tf", {"ignore": [("a", "b")]}, "belong to a truth"),
        ("tf", {"only_judged": True}, "belong to a truth"),
    ],
)
def test_wrong_options_are_reported_before_the_work(methods: str, options: Any, told: str) -> None:
    with pytest.raises(twinset.PlanError, match=told):
        twinset.compare(collection(), methods, **options)
