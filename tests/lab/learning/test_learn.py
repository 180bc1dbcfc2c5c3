"""Learning end to end: from labels of each kind, or from generated near-duplicates."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

import twinset
from tests.contracts.collection import collection
from tests.contracts.models import edited, labelled_collection
from twinset.errors import PlanError
from twinset.lab.learn import FLOOR, PAPER

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
TEXTS, LABELS = labelled_collection()
QUICK = {"features": "paper", "c": 10.0, "gamma": 0.1}


def templates(
    families: int = 14, members: int = 4, share: float = 0.04
) -> tuple[dict[str, str], dict[str, str]]:
    """Documents that share a half with all others, and their families."""
    rng = random.Random(5)
    base = list(collection(families + 1, seed=3).values())
    texts, family = {}, {}
    for number in range(families):
        whole = f"{base[number]} {base[-1]}"
        for member in range(members):
            id = f"f{number:02}-{member}"
            texts[id], family[id] = edited(whole, share, rng), str(number)
    return texts, family


def test_labels_teach_and_the_figures_tell():
    model = twinset.learn(TEXTS, LABELS, **QUICK)
    facts = model.training
    positive = sum(label for *_, label in LABELS)
    assert (facts["positive"], facts["negative"]) == (positive, len(LABELS) - positive)
    assert facts["documents"] == len(TEXTS)
    assert not facts["sought"]
    assert (facts["c"], facts["gamma"], facts["kernel"]) == (10.0, 0.1, "rbf")
    held = facts["held_out"]
    assert held["model"]["f1"] > 0.85
    counts = ("true_positive", "false_positive", "false_negative", "true_negative")
    for decision in (held["model"], held["baseline"]):
        assert sum(decision[name] for name in counts) == held["pairs"]
    assert held["baseline"]["feature"] in PAPER
    assert [row["feature"] for row in held["learnt"]["features"]] != []
    assert json.loads(json.dumps(facts)) == facts
    assert "F1 0.9" in repr(model)


@pytest.mark.parametrize("kernel", ["linear", "poly", "sigmoid"])
def test_every_kernel_is_trained_saved_and_used(kernel, tmp_path):
    model = twinset.learn(TEXTS, LABELS, features="paper", kernel=kernel, c=1.0, gamma=0.1)
    path = model.save(tmp_path / "model.json")
    found = twinset.find(TEXTS, method=f"learned:model={path}")
    ids = zip(found.pairs["left"].to_pylist(), found.pairs["right"].to_pylist(), strict=True)
    assert {("a00", "a00-0.0"), ("a03", "a03-0.0")} <= {tuple(sorted(pair)) for pair in ids}


def test_the_same_answer_with_any_number_of_threads(tmp_path):
    digests = set()
    lines = "".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in TEXTS.items())
    (tmp_path / "in.jsonl").write_text(lines)
    for documents, threads in ((TEXTS, 1), (TEXTS, 3), (tmp_path / "in.jsonl", 2)):
        model = twinset.learn(documents, LABELS, threads=threads, **QUICK)
        digests.add(model.similarity.digest())
    assert len(digests) == 1
    other = twinset.learn(TEXTS, LABELS, features="paper", c=9.0, gamma=0.1)
    assert other.similarity.digest() not in digests


def test_clusters_get_others_from_the_candidates():
    texts, family = templates()
    model = twinset.learn(texts, family, features="paper,shingles.jaccard", c=10.0, gamma=0.1)
    facts = model.training
    assert facts["sought"]
    assert facts["positive"] == 14 * 6
    assert 4 * facts["positive"] < facts["negative"] <= 5 * facts["positive"]
    assert facts["held_out"]["model"]["f1"] > 0.9


def test_candidates_let_the_wanted_share_of_near_duplicates_through():
    texts, family = templates()
    every = twinset.learn(texts, family, candidate_recall=1.0, **QUICK).similarity.level
    half = twinset.learn(texts, family, candidate_recall=0.5, **QUICK).similarity.level
    assert every.kept == 1.0
    assert 0.5 <= half.kept < 0.75
    assert FLOOR <= every.least < half.least


def test_generated_near_duplicates_teach():
    texts, _ = templates(14, 1)
    model = twinset.learn(
        texts, ops=["replace-words:10%"], variants=2, features="paper", c=10.0, gamma=0.1
    )
    facts = model.training
    assert facts["generated"]
    assert facts["positive"] == 14 * 3
    assert facts["negative"] > 10
    assert facts["held_out"]["model"]["f1"] > 0.8
    few = twinset.learn(texts, ops=["replace-words:10%"], limit=12, variants=1, **QUICK)
    assert few.training["positive"] == 12


def test_alike_originals_are_no_negative_examples():
    texts, _ = templates(3, 8, 0.01)  # eight of each family: near-duplicates that no list knows
    given = {"ops": ["replace-words:1%"], "features": "shingles.jaccard", "c": 1.0}
    facts = twinset.learn(texts, **given).training
    assert facts["positive"] == 24
    assert facts["candidates"] == 0  # whatever is alike is of one family
    assert facts["negative"] == 5 * 24
    assert facts["held_out"]["model"]["f1"] == 1.0


def test_either_labels_or_operations():
    for given in ({}, {"labels": LABELS, "ops": ["replace-words:5%"]}):
        with pytest.raises(PlanError, match=r"either labels .* or operations"):
            twinset.learn(TEXTS, **given)


def test_too_few_pairs_for_the_folds():
    with pytest.raises(PlanError, match=r"too few for cross-validation in 5 folds: label at least"):
        twinset.learn(TEXTS, LABELS[:4] + LABELS[-6:], **QUICK)
    assert twinset.learn(TEXTS, LABELS[:10] + LABELS[-12:], folds=2, **QUICK)


@pytest.mark.shared
@pytest.mark.skipif(not (DATA / "bills_human").is_dir(), reason=f"there is no {DATA}/bills_human")
def test_graded_bills_are_judged_better_than_by_one_similarity(tmp_path):
    folder = DATA / "bills_human"
    model = twinset.learn(
        folder / "docs.jsonl.gz", folder / "graded.csv", grade=3, kernel="linear", c=1.0
    )
    held = model.training["held_out"]
    assert model.training["positive"] == 397
    assert held["model"]["f1"] > 0.9
    assert held["model"]["f1"] > held["baseline"]["f1"]
    path = model.save(tmp_path / "model.json")
    found = twinset.find(folder / "docs.jsonl.gz", method=f"learned:model={path}")
    with gzip.open(folder / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts = {row["id"]: row["text"] for row in map(json.loads, lines)}
    same = [row for row in found.pairs.to_pylist() if texts[row["left"]] == texts[row["right"]]]
    assert {row["score"] for row in same} == {1.0}
    assert len(found.pairs) > len(same) > 100
