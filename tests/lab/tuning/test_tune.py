"""`tune`: that what it recommends finds the near-duplicates, and that its estimates hold."""

from __future__ import annotations

import csv
import itertools
import json
from pathlib import Path

import pytest

import twinset
from tests.lab.tuning.collections import collection
from twinset.lab.tuning.result import sentences


def f1(documents, truth, plan):
    options = {"method": plan.method, "threshold": plan.threshold}
    pairs = twinset.find(documents, **options).pairs
    ends = zip(pairs["left"].to_pylist(), pairs["right"].to_pylist(), strict=True)
    found = {frozenset(pair) for pair in ends}
    true = {frozenset(pair) for pair in truth}
    common = len(found & true)
    return common / max(len(found), 1), common / len(true), 2 * common / (len(found) + len(true))


@pytest.fixture(scope="module")
def edited():
    return collection()


@pytest.fixture(scope="module")
def tuned(edited):
    return twinset.tune(edited[0])


def test_it_finds_what_the_default_misses(edited, tuned):
    documents, truth = edited
    precision, recall, score = f1(documents, truth, tuned.plan)
    assert score > 0.95
    assert score > f1(documents, truth, twinset.Plan())[2] + 0.1
    assert tuned.best.precision.holds(precision)
    assert tuned.best.recall.holds(recall)


def test_boilerplate_calls_for_weights():
    frame = tuple(f"menu{i}" for i in range(60))
    documents, truth = collection(2, length=40, frame=frame)
    tuned = twinset.tune(documents)
    assert "tf-idf" in tuned.best.view
    assert f1(documents, truth, tuned.plan)[2] > 0.8


def test_the_result_is_complete_and_round_trips(tmp_path, edited, tuned):
    path = tuned.save(tmp_path / "plan.toml")
    assert twinset.Plan.make(plan=path) == tuned.plan
    assert tuned.runner_up is not None
    told = json.loads(json.dumps(tuned.as_dict()))
    assert told["candidates"][0]["threshold"] == tuned.plan.threshold
    assert len(told["edits"]) == 7
    assert sum(told["nearest"]["documents"]) == 360
    assert "<svg" in tuned._repr_html_()


def test_the_same_answer_for_any_threads_and_order(edited, tuned):
    again = twinset.tune(edited[0], threads=1)
    assert again.plan == tuned.plan
    assert [one.as_dict() for one in again.candidates] == [
        one.as_dict() for one in tuned.candidates
    ]


def test_labels_decide_where_there_are_some(edited):
    documents, truth = edited
    tuned = twinset.tune(documents, truth=truth)
    assert not tuned.by_edits
    assert "Expect precision" in sentences(tuned)[1]
    precision, recall, score = f1(documents, truth, tuned.plan)
    assert tuned.labelled
    assert tuned.best.f1 == pytest.approx(score, abs=0.02)
    assert tuned.best.precision.holds(precision)
    assert tuned.best.recall.holds(recall)


def test_judged_pairs_alone(edited):
    documents, truth = edited
    judged = [(*pair, 1) for pair in truth] + [("d1", "d2", 0), ("d3", "d4", 0)]
    tuned = twinset.tune(documents, truth=judged, only_judged=True)
    assert tuned.best.precision.value == 1.0


def test_pairs_of_unnamed_documents_count_only_if_all_were_judged(edited):
    documents, truth = edited
    half = truth[: len(truth) // 2]
    measured = twinset.tune(documents, truth=half)
    named = twinset.tune(documents, truth=half, only_judged=True)
    clusters = {id: number for number, pair in enumerate(half) for id in pair}
    assert named.best.precision.value > measured.best.precision.value
    assert twinset.tune(documents, truth=clusters, only_judged=True).best == named.best


def test_a_collection_without_near_duplicates_falls_back_on_edits():
    documents, _ = collection(3, copies=0, documents=120)
    tuned = twinset.tune(documents)
    assert tuned.by_edits
    assert "edited on purpose" in tuned.why
    assert 0 < tuned.plan.threshold <= 0.8
    assert all(one.recall.value > 0.5 for one in tuned.edits)


def test_a_sample_keeps_near_duplicates_together():
    documents, truth = collection(4, documents=600, copies=300, change=0.03)
    tuned = twinset.tune(documents, sample=300)
    assert tuned.sampled <= 300
    # A plain sample of a third would keep a ninth of the 300 pairs, and know no better.
    assert tuned.best.found == pytest.approx(300, rel=0.4)
    assert f1(documents, truth, tuned.plan)[2] > 0.9


@pytest.mark.parametrize("texts", [[], ["one"], ["", " ", "!"], ["only one", ""]])
def test_too_few_documents(texts):
    with pytest.raises(twinset.TwinsetError, match="at least two documents"):
        twinset.tune(texts)


@pytest.mark.parametrize(
    "texts",
    [
        ["a b c", "a b c"],
        ["same words in every one of them"] * 40,
        ["x"] * 3,
        [f"{i}" for i in range(30)],
        ["数据库 在 这里 有 很多 文档"] * 2 + [f"第{i}篇 文章 完全 不同" for i in range(20)],
    ],
)
def test_odd_collections_get_an_answer(texts):
    tuned = twinset.tune(texts)
    assert 0 < tuned.plan.threshold <= 1
    twinset.find(texts, method=tuned.plan.method, threshold=tuned.plan.threshold)


def test_truth_of_other_documents_is_reported(edited):
    with pytest.raises(twinset.TwinsetError, match="check its ids"):
        twinset.tune(edited[0], truth=[("x", "y"), ("y", "z")])


def test_a_sample_too_small_to_show_anything_is_refused(edited):
    with pytest.raises(twinset.PlanError, match="sample must be at least 100 documents, not -5"):
        twinset.tune(edited[0], sample=-5)


def test_what_of_the_truth_is_left_out_is_reported(edited):
    documents, truth = edited
    tuned = twinset.tune(documents, truth=[*truth, ("d0", "nobody"), ("d1", "d1")])
    told = " | ".join(tuned.notes)
    assert "ids that no document has: 1 (nobody)" in told
    assert "with itself, left out: 1" in told


def test_a_few_labels_that_all_agree_leave_doubt(edited):
    documents, truth = edited
    tuned = twinset.tune(documents, truth=truth[:8], only_judged=True)
    assert tuned.best.recall.value == 1
    assert tuned.best.recall.low < 0.7


def test_columns_of_the_truth_may_be_named(tmp_path, edited):
    documents, truth = edited
    path = tmp_path / "truth.csv"
    path.write_text("foo,bar\n" + "".join(f"{a},{b}\n" for a, b in truth), encoding="utf-8")
    with pytest.raises(twinset.TwinsetError, match="--truth-columns foo,bar"):
        twinset.tune(documents, truth=path)
    assert twinset.tune(documents, truth=path, truth_columns="foo,bar").labelled


def test_crowds_of_forms_call_for_caution():
    """Licences of one family look alike: a threshold by their similarities alone is far too low."""
    root = Path(__file__).resolve().parents[3] / "examples"
    with (root / "clusters.csv").open(encoding="utf-8", newline="") as file:
        key = {row["id"]: row["cluster"] for row in csv.DictReader(file)}
    truth = [(a, b) for a, b in itertools.combinations(sorted(key), 2) if key[a] == key[b]]
    documents = root / "collection" / "licenses.jsonl"
    tuned = twinset.tune(documents)
    assert "edited on purpose reach" in tuned.why
    # A guess that is not trusted is not printed as what to expect.
    told = " ".join(sentences(tuned))
    assert tuned.by_edits
    assert "Expect precision" not in told
    assert "cannot be told without labels" in told
    assert f"{tuned.best.precision.value:.2f} (" not in told
    assert f1(documents, truth, tuned.plan)[2] > 0.7
