"""`tune`: that what it recommends finds the near-duplicates, and that its estimates hold."""

from __future__ import annotations

import csv
import itertools
import json
from pathlib import Path

import pytest

import twinset
from tests.lab.tuning.collections import collection
from twinset.lab.views import TermView


def f1(documents, truth, plan):
    pairs = twinset.find(documents, plan=plan).pairs
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
    assert recall > 0.9
    assert tuned.best.precision.holds(precision)
    assert tuned.best.precision.low > 0.7


NEVER_HARMED = {
    "light edits": {"change": 0.03},
    "medium edits": {},
    "heavy edits": {"change": 0.3},
    "short texts": {"length": 14, "change": 0.1},
    "a frame around short texts": {"length": 30, "frame": tuple(f"menu{i}" for i in range(60))},
    "few copies": {"copies": 12},
    "many copies": {"documents": 120, "copies": 110},
}


@pytest.mark.parametrize("name", NEVER_HARMED)
@pytest.mark.parametrize("seed", [5, 6])
def test_never_worse_than_the_default_and_the_preset(name, seed):
    documents, truth = collection(seed, **NEVER_HARMED[name])
    tuned = twinset.tune(documents)
    reached = f1(documents, truth, tuned.plan)[2]
    for other in (twinset.Plan(), twinset.Plan.make(preset="text")):
        assert reached >= f1(documents, truth, other)[2] - 0.02


def test_the_result_is_complete_and_round_trips(tmp_path, edited, tuned):
    path = tuned.save(tmp_path / "plan.toml")
    assert twinset.Plan.make(plan=path) == tuned.plan
    assert len(tuned.candidates) > 1
    told = json.loads(json.dumps(tuned.as_dict()))
    assert told["candidates"][0]["threshold"] == tuned.plan.threshold
    assert [row["strength"] for row in told["edits"]] == ["light", "medium", "rewritten"]
    assert told["rule"] == tuned.rule
    assert "<table" in tuned._repr_html_()


def test_the_same_answer_for_any_threads_and_order(edited, tuned):
    again = twinset.tune(edited[0], threads=1)
    assert again.plan == tuned.plan
    assert again.candidates == tuned.candidates


def test_pairs_are_counted_at_the_threshold_that_is_named():
    texts = {}
    for number in range(40):  # pairs at 23 / 29, which is .793, between the steps of .02
        words = [f"word{number}x{place}" for place in range(30)]
        texts[f"{number}"] = " ".join(words)
        texts[f"{number} edited"] = " ".join([*words[:27], "some", "other", "end"])
    tuned = twinset.tune(texts)
    shown = {each.name: each for each in tuned.candidates}
    assert shown["default"].threshold == 0.8
    found = twinset.find(texts, threshold=0.8, exact=True).pairs.num_rows
    assert shown["default"].found == found == 0


def test_labels_decide_where_there_are_some(edited):
    documents, truth = edited
    tuned = twinset.tune(documents, truth=truth)
    assert (tuned.rule, tuned.ask) == ("labels", False)
    assert "by the labels" in tuned.said()[2]
    assert "3 words, containment" in {candidate.view for candidate in tuned.candidates}
    precision, recall, score = f1(documents, truth, tuned.plan)
    assert tuned.labelled
    assert tuned.best.f1 == pytest.approx(score, abs=0.02)
    assert tuned.best.precision.holds(precision)
    assert tuned.best.recall.holds(recall)


def test_pairs_of_unnamed_documents_count_only_if_all_were_judged(edited):
    documents, truth = edited
    half = truth[: len(truth) // 2]
    measured = twinset.tune(documents, truth=half)
    named = twinset.tune(documents, truth=half, only_judged=True)
    clusters = {id: number for number, pair in enumerate(half) for id in pair}
    assert named.best.precision.value > measured.best.precision.value
    assert twinset.tune(documents, truth=clusters, only_judged=True).best == named.best


def test_a_collection_without_near_duplicates_keeps_the_preset_and_asks():
    documents, _ = collection(3, copies=0, documents=120)
    tuned = twinset.tune(documents)
    assert tuned.plan == twinset.Plan.make(preset="text")
    assert tuned.rule == "few"
    assert tuned.best.precision is None
    assert tuned.best.recall is None
    told = " ".join(tuned.said())
    assert "There is no evidence for the precision to expect." in told
    assert "twinset ask IN -o plan.toml" in told


def test_pairs_of_which_one_lies_in_the_other_are_counted_as_the_preset_counts_them():
    sources = [text for _, text in collection(8, copies=0, documents=120, length=300)[0]]
    documents = [(f"s{n}", text) for n, text in enumerate(sources)]
    documents += [(f"e{n}", " ".join(text.split()[:40])) for n, text in enumerate(sources[:50])]
    tuned = twinset.tune(documents)
    pairs = twinset.find(documents, preset="text").pairs
    preset = next(each for each in tuned.candidates if each.name == "preset")
    assert preset.found == len(pairs) >= 50


def test_containment_takes_part_where_there_are_labels():
    sources = [text for _, text in collection(8, copies=0, documents=150, length=300)[0]]
    documents = [(f"s{n}", text) for n, text in enumerate(sources)]
    documents += [
        (f"e{n}", " ".join(text.split()[: 40 + n])) for n, text in enumerate(sources[:60])
    ]
    tuned = twinset.tune(documents, truth=[(f"s{n}", f"e{n}") for n in range(60)])
    measured = {each.view: each for each in tuned.candidates}
    inside = measured["3 words, containment"]
    assert inside.f1 == 1
    options = TermView("word", 3, "containment").options(inside.threshold)
    assert len(twinset.find(documents, **options).pairs) == 60
    # A document of 40 words in one of 300 shares a seventh of the words of both.
    assert measured["5 words, Jaccard"].threshold < 0.3 < inside.threshold


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


def test_a_few_labels_that_all_agree_leave_doubt(edited):
    documents, truth = edited
    tuned = twinset.tune(documents, truth=truth[:8], only_judged=True)
    assert tuned.best.recall.value == 1
    assert tuned.best.recall.low < 0.7


def test_crowds_of_forms_call_for_caution():
    """Licences of one family look alike: what precision to expect is not invented."""
    root = Path(__file__).resolve().parents[3] / "examples"
    with (root / "clusters.csv").open(encoding="utf-8", newline="") as file:
        key = {row["id"]: row["cluster"] for row in csv.DictReader(file)}
    truth = [(a, b) for a, b in itertools.combinations(sorted(key), 2) if key[a] == key[b]]
    documents = root / "collection" / "licenses.jsonl"
    tuned = twinset.tune(documents)
    assert tuned.ask
    reached = f1(documents, truth, tuned.plan)[2]
    plain = twinset.Plan.make(method="tfidfcosine:length=2,sublinear=yes", threshold=0.54)
    assert reached > f1(documents, truth, plain)[2]
    assert reached >= f1(documents, truth, twinset.Plan())[2] - 0.02


@pytest.mark.shared
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("debian_guide_html", marks=pytest.mark.long),
        pytest.param("licenses", marks=pytest.mark.long),
        "bills_human",
    ],
)
def test_labelled_collections_are_never_harmed(name):
    folder = Path(__file__).resolve().parents[4] / "shared" / "data" / name
    if not folder.is_dir():
        pytest.skip(f"needs the corpus {name} in {folder}")
    documents = folder / "docs.jsonl.gz"
    ignored = _listed(folder / "dontcare.csv")
    judged = _listed(folder / "graded.csv") or None
    truth = _listed(folder / "truth.csv")

    def reached(plan):
        pairs = twinset.find(documents, plan=plan, max_pairs=10**7).pairs
        ends = zip(pairs["left"].to_pylist(), pairs["right"].to_pylist(), strict=True)
        found = {frozenset(pair) for pair in ends} - ignored
        found = found & judged if judged else found
        return 2 * len(found & truth) / (len(found) + len(truth))

    others = (twinset.Plan(), twinset.Plan.make(preset="text"))
    assert reached(twinset.tune(documents).plan) >= max(map(reached, others)) - 0.02


def _listed(path):
    if not path.is_file():
        return set()
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        next(rows)
        return {frozenset(row[:2]) for row in rows}
