"""What stays of documents that were read from files."""

from __future__ import annotations

from pathlib import Path

import pytest

import twinset
from twinset.errors import ReportError, TwinsetError

TEXTS = ["the heron waits in the reeds", "a train at night", "the heron waits in the reeds"]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "notes" / name for name in ("a.txt", "b.txt", "c.txt")]
    paths[0].parent.mkdir()
    for path, text in zip(paths, TEXTS, strict=True):
        path.write_text(text, "utf-8")
    return paths


@pytest.fixture
def records(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f'{{"text": "{text}"}}\n' for text in TEXTS), "utf-8")
    return path


def test_a_list_of_plain_files_gives_those_that_stay(files: list[Path]) -> None:
    empty = files[0].with_name("empty.txt")
    empty.touch()
    findings = twinset.dedup([*files, empty], keep="first")
    assert findings.kept == [files[0], files[1], empty]
    assert findings.removed == [files[2]]
    assert twinset.dedup(tuple(files), keep="first").kept == (files[0], files[1])


def test_of_a_path_it_is_where_the_documents_were_saved(records: Path, tmp_path: Path) -> None:
    for documents in ([records], twinset.read(records)):
        findings = twinset.dedup(documents)
        for name in ("kept", "removed"):
            with pytest.raises(TwinsetError, match=r"findings\.save\(folder\) first"):
                getattr(findings, name)
        folder = findings.save(tmp_path / "report", force=True)
        assert findings.kept == tmp_path / "report" / "kept.jsonl"
        assert findings.kept.read_text("utf-8").count("\n") == 2
        assert findings.removed.read_text("utf-8").count("\n") == 1
    assert findings.save(folder, force=True, no_split=True) == folder
    with pytest.raises(TwinsetError, match="kept documents were not written"):
        _ = findings.kept


def test_documents_in_memory_are_not_written_in_other_forms(tmp_path: Path) -> None:
    findings = twinset.dedup(TEXTS)
    with pytest.raises(ReportError, match=r"findings\.kept"):
        findings.save(tmp_path / "report", annotate=True)
    assert not (tmp_path / "report").exists()
    assert findings.save(tmp_path / "report").exists()
