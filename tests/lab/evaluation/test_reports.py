"""What counts as found in a report, and the log of a generated collection."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

import twinset

WORDS = " ".join(f"word{number}" for number in range(60))
TEXTS = {
    **{f"same-{number}": WORDS for number in range(4)},
    "near-1": WORDS.replace("word3 ", "other "),
    "near-2": WORDS.replace("word3 ", "other "),
    "apart": " ".join(f"term{number}" for number in range(60)),
}
TRUE = {id: "one" if id != "apart" else "two" for id in TEXTS}


def test_implied_pairs_of_a_compact_report_are_found() -> None:
    full = twinset.find(TEXTS, exact=True)
    compact = twinset.find(TEXTS, exact=True, max_pairs=1)
    assert full.manifest["pairs"] == "all"
    assert compact.manifest["pairs"] == "compact"
    assert compact.pairs.num_rows == 1
    ours, theirs = (twinset.evaluate(found, TRUE).as_dict() for found in (full, compact))
    best = {"best_f1", "best_threshold"}  # implied pairs have no scores
    assert {name: ours[name] for name in ours.keys() - best} == theirs
    assert ours["found"] == ours["common"] == 15


def test_a_saved_report_says_what_the_run_said(tmp_path: Path) -> None:
    found = twinset.find(TEXTS, exact=True)
    folder = found.save(tmp_path / "report")
    saved = twinset.evaluate(folder, TRUE)
    assert saved.as_dict() == twinset.evaluate(found, TRUE).as_dict()
    assert twinset.evaluate(folder / "pairs.parquet", TRUE).found == 15
    assert twinset.evaluate(folder / "duplicates.txt", TRUE).found == 15
    assert twinset.evaluate(folder / "clusters.parquet", TRUE).found == 15


CHAIN = {
    f"link-{first}": " ".join(f"word{number}" for number in range(first, first + 20))
    for first in (0, 2, 4, 6, 30, 31)
} | {"again": " ".join(f"word{number}" for number in range(20))}


def inside_sets(report: Any) -> set[frozenset[str]]:
    """Two documents that one set holds, by the plainest of ways."""
    sets: dict[int, set[str]] = {}
    for row in report.clusters.to_pylist():
        sets.setdefault(row["cluster"], set()).add(row["id"])
    pairs = (itertools.combinations(sorted(members), 2) for members in sets.values())
    return {frozenset(pair) for pair in itertools.chain.from_iterable(pairs)}


def test_closed_sets_are_what_their_report_has_decided(tmp_path: Path) -> None:
    found = twinset.find(
        CHAIN, clusters="closed", k=16, image="full", shingle=1, threshold=0.9, exact=True
    )
    together = inside_sets(found)
    listed = {frozenset((row["left"], row["right"])) for row in found.pairs.to_pylist()}
    assert together - listed
    truth = [("again", "link-0"), ("link-0", "link-4"), ("link-0", "link-30")]
    true = {frozenset(pair) for pair in truth}
    for source in (found, found.save(tmp_path / "report")):
        result = twinset.evaluate(source, truth)
        assert result.found == len(together)
        assert result.common == len(together & true) == 2
        assert {frozenset(pair) for pair in result.missed()} == true - together
        assert {frozenset(pair) for pair in result.extra()} == together - true
        assert any("closed sets" in note and "--by pairs" in note for note in result.notes)
        by_similarity = twinset.evaluate(source, truth, by="pairs")
        assert by_similarity.found == len(listed)
        assert by_similarity.common == len(listed & true) == 1


def test_pairs_that_a_cut_search_may_lack_are_reported() -> None:
    texts = {
        str(number): " ".join(f"w{i}" for i in range(30) if i != number) for number in range(20)
    }
    options = {"image": "full", "shingle": 1, "exact": True}
    whole = twinset.find(texts, clusters="closed:k=25,max_sets=100000", **options)
    cut = twinset.find(texts, clusters="closed:k=25,max_sets=10", **options)
    together = dict.fromkeys(texts, "one")
    for found in (whole, cut):
        assert twinset.evaluate(found, together).found == len(inside_sets(found))
    assert not any("cover" in note for note in twinset.evaluate(whole, together).notes)
    assert any("20 documents" in note for note in twinset.evaluate(cut, together).notes)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Four made documents; same-1 and same-2 are found, the other two are not."""
    small, large = ({"name": "delete-words", "strength": share} for share in (0.05, 0.5))
    noise = {"name": "noise", "parameters": {"kind": "ocr"}, "strength": None}
    entries = [
        {"id": "same-1", "source": "same-0", "operations": [small], "similarity": 1.0},
        {"id": "same-2", "source": "same-0", "operations": [small, noise]},
        {"id": "apart", "source": "same-0", "operations": [large]},
        {"id": "gone", "source": "same-0", "operations": [small]},
    ]
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return path


def test_recall_by_operation_and_strength(log: Path) -> None:
    result = twinset.evaluate(twinset.find(TEXTS), TRUE, log=log)
    seen = [
        (one.operation, one.strength, one.made, one.found, one.alone_made, one.alone_found)
        for one in result.operations
    ]
    assert seen == [
        ("delete-words", 0.05, 3, 2, 2, 1),
        ("delete-words", 0.5, 1, 0, 1, 0),
        ("noise", None, 1, 1, 0, 0),
    ]
    assert result.operations[0].recall == pytest.approx(2 / 3)
    assert result.as_dict()["operations"][1]["recall"] == 0


def test_the_log_beside_the_truth_is_taken_by_itself(log: Path) -> None:
    truth = log.with_name("truth.csv")
    truth.write_text("left,right\nsame-0,same-1\n", encoding="utf-8")
    assert len(twinset.evaluate(twinset.find(TEXTS), truth).operations) == 3
