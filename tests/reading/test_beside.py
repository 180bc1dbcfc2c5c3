"""What lies beside documents in a folder and is none: lists, reports, truths and logs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import twinset
from twinset.result.words import summary

TEXTS = {f"t{number}.txt": f"some words of the text number {number} " * 9 for number in range(4)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of four documents."""
    place = tmp_path / "documents"
    place.mkdir()
    for name, text in TEXTS.items():
        (place / name).write_text(text, encoding="utf-8")
    return place


def ids(*inputs: Path, **options: str) -> list[str]:
    return sorted(twinset.find(list(inputs), **options).documents["id"].to_pylist())


@pytest.mark.parametrize(
    "head",
    [
        "left,right",
        "left,right,jaccard,edit",
        "id,cluster",
        '"removed","kept","score","reason"',
        "\ufeffLeft;Right;Grade",
        "id1\tid2",
    ],
)
def test_lists_in_a_folder_are_no_documents(folder: Path, head: str) -> None:
    (folder / "list.csv").write_text(f"{head}\na,b\n", encoding="utf-8")
    found = twinset.find(folder)
    assert sorted(found.documents["id"].to_pylist()) == sorted(TEXTS)
    assert found.manifest["faults"] == {}
    assert found.manifest["counts"]["lists_of_documents"] == 1
    assert "1 list of documents" in " ".join(summary(found.manifest))
    assert ids(folder, on_error="stop") == sorted(TEXTS)


@pytest.mark.parametrize("head", ["id,cluster,text", "id,text", "left,right,note"])
def test_tables_that_may_hold_texts_are_read(folder: Path, head: str) -> None:
    row = ",".join(["a"] * head.count(",") + ["of words"])
    (folder / "table.csv").write_text(f"{head}\n{row}\n", encoding="utf-8")
    assert len(ids(folder)) == len(TEXTS) + 1


def test_a_list_that_is_named_is_read(folder: Path) -> None:
    (folder / "list.csv").write_text("left,right\na,b\n", encoding="utf-8")
    assert len(ids(folder / "list.csv", folder)) == len(TEXTS) + 1


def test_of_a_generated_collection_only_its_documents_are_read(folder: Path) -> None:
    place = twinset.generate(folder, folder.parent / "made", ops=["replace-words:10%"]).folder
    assert (place / "truth.csv").is_file()
    assert (place / "log.jsonl").is_file()
    assert len(ids(place)) == 2 * len(TEXTS)


def test_a_report_among_the_documents_is_not_read(folder: Path) -> None:
    twinset.find(folder).save(folder / "report")
    assert ids(folder) == sorted(TEXTS)


@pytest.mark.parametrize("form", [{}, {"to": "jsonl"}, {"to": "parquet", "shards": 2}])
def test_what_dedup_wrote_below_a_searched_folder_is_not_read(
    folder: Path, form: dict[str, Any]
) -> None:
    clean = twinset.dedup(folder, threshold=1.0).save(folder / "sub" / "clean", **form)
    assert any(entry.name.startswith("kept") for entry in clean.iterdir())
    findings = twinset.find(folder)
    assert sorted(findings.documents["id"].to_pylist()) == sorted(TEXTS)
    # a folder counts once, as other folders do that are passed over
    assert findings.manifest["counts"]["own_files"] == len(list(clean.iterdir()))


def test_what_is_named_of_a_report_is_read_wherever_it_lies(folder: Path) -> None:
    clean = twinset.dedup(folder, threshold=1.0).save(folder / "clean")
    for named in (clean, clean / "kept"):
        assert sorted(Path(id).name for id in ids(named)) == sorted(TEXTS)
    assert len(ids(clean / "kept" / "t1.txt")) == 1
    assert len(ids(folder, clean / "kept")) == 2 * len(TEXTS)
    assert len(ids(folder / "*" / "kept")) == len(TEXTS)


def test_a_manifest_of_another_program_hides_nothing(folder: Path) -> None:
    (folder / "manifest.json").write_text('{"twinset": 1, "name": "x"}', encoding="utf-8")
    assert set(ids(folder)) > set(TEXTS)


def test_a_report_as_an_input_is_refused_by_what_it_is(folder: Path, tmp_path: Path) -> None:
    report = tmp_path / "report"
    twinset.find(folder).save(report)
    with pytest.raises(twinset.ReadError, match=r"this is a report of twinset.*'twinset show "):
        twinset.find(report)
    # among other files it is passed over
    (tmp_path / "a.txt").write_text("words")
    assert "a.txt" in ids(tmp_path)
    assert "a.txt" in ids(tmp_path / "*")
