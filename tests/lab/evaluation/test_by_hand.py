"""Five numbers, measures and files of cases that were worked out by hand."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import twinset
from twinset.lab.evaluate import FIGURES
from twinset.pages.language import say

# Truth: the triangle a, b, c and d~e. Found: a~b, c~d, d~e, and f~g, which nobody asked for.
TRUTH = [("a", "b"), ("a", "c"), ("c", "b"), ("d", "e")]
FOUND = [("a", "b", 0.9), ("c", "d", 0.6), ("d", "e", 0.8), ("f", "g", 0.7)]


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def rows(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def five(result: twinset.Evaluation) -> tuple[int, ...]:
    names = ("reference", "found", "only_in_reference", "only_in_found", "common")
    return tuple(getattr(result, name) for name in names)


def test_five_numbers_and_measures() -> None:
    result = twinset.evaluate(FOUND, TRUTH)
    assert five(result) == (4, 4, 2, 2, 2)
    assert (result.precision, result.recall, result.f1) == (0.5, 0.5, 0.5)
    # True clusters abc, de, f, g; found ones ab, cde, fg.
    assert result.documents == 7
    assert result.b3_precision == pytest.approx((1 + 1 + 1 / 3 + 2 / 3 + 2 / 3 + 0.5 + 0.5) / 7)
    assert result.b3_recall == pytest.approx((2 / 3 + 2 / 3 + 1 / 3 + 1 + 1 + 1 + 1) / 7)
    # Pairs in one cluster: 4 true, 5 found, 2 both, of 21: (2 - 20/21) / (4.5 - 20/21).
    assert result.adjusted_rand == pytest.approx((2 - 20 / 21) / (4.5 - 20 / 21))


def test_the_two_files_of_unique_pairs(tmp_path: Path) -> None:
    twinset.evaluate(FOUND, TRUTH).save(tmp_path / "out")
    assert rows(tmp_path / "out" / "only_in_reference.csv") == [
        ["left", "right"], ["a", "c"], ["b", "c"]]  # fmt: skip
    assert rows(tmp_path / "out" / "only_in_found.csv") == [
        ["left", "right", "score"], ["c", "d", "0.6"], ["f", "g", "0.7"]]  # fmt: skip


def test_the_log_has_the_five_lines_of_the_papers(tmp_path: Path) -> None:
    result = twinset.evaluate([*FOUND, ("a", "g", 0.5)], TRUTH)
    lines = ["reference: 4", "found: 5", "only in reference: 2", "only in found: 3", "common: 2"]
    assert result.comparator_log().splitlines() == lines
    result.save(tmp_path / "out", language="ru")
    written = (tmp_path / "out" / "comparator.txt").read_text(encoding="utf-8")
    assert written == result.comparator_log("ru")
    assert written.splitlines()[0] == "истина: 4"


def test_ids_with_commas_quotes_and_newlines_survive(tmp_path: Path) -> None:
    strange = [('a,"1"', "b\nc"), ("ü ", "日本")]
    twinset.evaluate([], strange).save(tmp_path / "out")
    found = rows(tmp_path / "out" / "only_in_reference.csv")[1:]
    assert [tuple(row) for row in found] == strange


def test_a_file_of_unique_pairs_is_bounded(tmp_path: Path) -> None:
    everyone = {str(number): "one" for number in range(100)}
    twinset.evaluate([], everyone).save(tmp_path / "out", max_pairs=50)
    assert len(rows(tmp_path / "out" / "only_in_reference.csv")) == 51


def test_ignored_pairs_count_neither_way() -> None:
    result = twinset.evaluate(FOUND, TRUTH, ignore=[("d", "c"), ("a", "c"), ("e", "d"), ("x", "y")])
    assert five(result) == (2, 2, 1, 1, 1)
    assert list(result.missed()) == [("b", "c")]
    assert list(result.extra()) == [("f", "g")]
    assert result.b3_f1 is result.adjusted_rand is None  # clusters hold the ignored pairs, too


def test_clusters_as_truth_are_all_their_pairs() -> None:
    clusters = {"a": 1, "b": 1, "c": 1, "d": "x", "e": "x", "h": 3}
    assert five(twinset.evaluate(FOUND, clusters)) == (4, 4, 2, 2, 2)


def test_only_documents_of_judged_clusters_count() -> None:
    clusters = {"a": 1, "b": 1, "c": 1, "d": "x", "e": "x"}
    result = twinset.evaluate(FOUND, clusters, only_judged=True)
    assert five(result) == (4, 3, 2, 1, 2)
    assert result.documents == 5
    assert result.b3_f1 is not None


GRADED = [("a", "b", 4), ("a", "c", 1), ("c", "d", 2), ("d", "e", 3), ("b", "e", 3)]


def test_only_judged_pairs() -> None:
    result = twinset.evaluate(FOUND, GRADED, grade=3, only_judged=True)
    assert five(result) == (3, 3, 1, 1, 2)
    assert result.b3_precision is result.b3_recall is None
    assert "B³ F1" not in [name for name, _, _ in result.rows()]
    assert list(result.extra()) == [("c", "d")]
    assert list(result.missed()) == [("b", "e")]


def test_pairs_of_documents_that_a_list_of_true_pairs_names_were_judged() -> None:
    found = [("a", "b"), ("a", "c"), ("a", "x"), ("x", "y")]
    result = twinset.evaluate(found, [("a", "b"), ("c", "d")], only_judged=True)
    assert five(result) == (2, 2, 1, 1, 1)
    assert list(result.extra()) == [("a", "c")]
    assert result.documents == 4


def test_the_curve_over_the_threshold() -> None:
    curve = twinset.evaluate(FOUND, TRUTH).curve
    assert curve is not None
    expected = [
        {"threshold": 0.6, "found": 4, "common": 2, "precision": 0.5, "recall": 0.5, "f1": 0.5},
        {"threshold": 0.7, "found": 3, "common": 2, "precision": 2 / 3, "recall": 0.5, "f1": 4 / 7},
        {"threshold": 0.8, "found": 2, "common": 2, "precision": 1.0, "recall": 0.5, "f1": 2 / 3},
        {"threshold": 0.9, "found": 1, "common": 1, "precision": 1.0, "recall": 0.25, "f1": 0.4},
    ]
    assert [pytest.approx(row) for row in expected] == curve.to_pylist()


def test_the_curve_leaves_out_what_does_not_count() -> None:
    judged = twinset.evaluate(FOUND, GRADED, grade=3, only_judged=True, ignore=[("d", "e")])
    assert judged.curve is not None
    assert judged.curve["threshold"].to_pylist() == [0.6, 0.9]
    assert judged.curve["common"].to_pylist() == [1, 1]


def test_the_folder_is_whole_and_the_page_needs_nothing_else(tmp_path: Path) -> None:
    folder = twinset.evaluate(FOUND, TRUTH).save(tmp_path / "out")
    page = (folder / "evaluation.html").read_text(encoding="utf-8")
    ET.fromstring((folder / "precision-recall.svg").read_text(encoding="utf-8"))
    assert "http" not in page.replace("http-equiv", "")
    assert "<script" not in page
    for name in FIGURES:
        assert say("en", f"evaluation.{name}") in page
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["evaluation"]["common"] == 2


@pytest.mark.parametrize("form", ["csv", "semicolons", "tsv", "parquet", "lines", "pairs of words"])
def test_every_form_of_file_says_the_same(form: str, tmp_path: Path) -> None:
    table = pa.table({"id1": [p[0] for p in TRUTH], "id2": [p[1] for p in TRUTH]})
    made = {
        "csv": "id_a,id_b\n" + "".join(f"{a},{b}\n" for a, b in TRUTH),
        "semicolons": "a;b\n" + "".join(f"{a};{b}\n" for a, b in TRUTH),
        "tsv": "doc1\tdoc2\n" + "".join(f"{a}\t{b}\n" for a, b in TRUTH),
        "lines": "a b c 17\nd e 3\n",
        "pairs of words": "".join(f"{a} {b}\n" for a, b in TRUTH),
    }
    path = tmp_path / f"truth.{form if form in ('csv', 'tsv', 'parquet') else 'txt'}"
    if form == "parquet":
        pq.write_table(table, path)
    else:
        write(path, made[form])
    assert five(twinset.evaluate(FOUND, path)) == (4, 4, 2, 2, 2)


def test_overlapping_lines_count_each_pair_once(tmp_path: Path) -> None:
    path = write(tmp_path / "found.txt", "a b c 5\nb c d 4\n")
    result = twinset.evaluate(path, TRUTH)
    assert five(result) == (4, 5, 1, 2, 3)
    assert any("overlap" in note for note in result.notes)


def nothing_found() -> Any:
    return twinset.evaluate([], TRUTH)


def test_nothing_found_is_precise_and_nothing_to_find_complete() -> None:
    assert (nothing_found().precision, nothing_found().recall, nothing_found().f1) == (1, 0, 0)
    assert twinset.evaluate(FOUND, []).recall == 1
