"""What counts as found in a report, and the log of a generated collection."""

from __future__ import annotations

import json
from pathlib import Path

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
    assert ours == theirs
    assert ours["found"] == ours["common"] == 15


def test_a_saved_report_says_what_the_run_said(tmp_path: Path) -> None:
    found = twinset.find(TEXTS, exact=True)
    folder = found.save(tmp_path / "report")
    saved = twinset.evaluate(folder, TRUE)
    assert saved.as_dict() == twinset.evaluate(found, TRUE).as_dict()
    assert twinset.evaluate(folder / "pairs.parquet", TRUE).found == 15
    assert twinset.evaluate(folder / "duplicates.txt", TRUE).found == 15
    assert twinset.evaluate(folder / "clusters.parquet", TRUE).found == 15


def test_all_pairs_inside_clusters_if_asked_for() -> None:
    chain = {
        "left": WORDS,
        "middle": WORDS.replace("word9 ", "x "),
        "right": WORDS.replace("word9 ", "x ").replace("word40", "y"),
    }
    found = twinset.find(chain, threshold=0.8, exact=True, clusters="components")
    everyone = dict.fromkeys(chain, "one")
    assert twinset.evaluate(found, everyone).found == 2
    assert twinset.evaluate(found, everyone, by="clusters").found == 3


def test_documents_that_no_pair_names_are_clusters_of_their_own() -> None:
    assert twinset.evaluate(twinset.find(TEXTS), [("same-0", "same-1")]).documents == len(TEXTS)


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


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"id": "a"}', '{"id":"a","source":"b","operations":3}']
)
def test_a_log_that_is_none(line: str, log: Path) -> None:
    log.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(twinset.ReadError, match="twinset generate"):
        twinset.evaluate([], [("a", "b")], log=log)
