"""What is noted of plain files: where they are, size, time of change, digest, equal contents."""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path

import pytest

import twinset
from twinset.model import FileFacts
from twinset.reading import open_inputs

PICTURE = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


def facts(folder: Path) -> dict[str, dict[str, object]]:
    documents = twinset.find(folder).documents
    names = ["id", "status", "file", "part", "bytes", "modified", "digest"]
    return {row["id"]: row for row in documents.select(names).to_pylist()}


def digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()


def test_every_plain_file_has_its_path_size_time_and_digest(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    text = b"the words of a letter, in full and twice"
    (tmp_path / "a.txt").write_bytes(text)
    (tmp_path / "sub" / "b.txt").write_bytes(text + b".")
    os.utime(tmp_path / "a.txt", ns=(1, 1_600_000_000_123_456_789))
    rows = facts(tmp_path)
    assert rows["a.txt"]["file"] == os.fsencode(tmp_path / "a.txt")
    assert rows["a.txt"]["bytes"] == len(text)
    assert rows["a.txt"]["modified"] == 1_600_000_000_123_456_789
    assert rows["a.txt"]["digest"] == digest(text)
    assert rows["a.txt"]["part"] is None
    assert rows["sub/b.txt"]["digest"] == digest(text + b".")


def test_a_path_that_is_no_utf8_comes_back_as_it_is(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/l\xe9tter.txt"
    try:
        with open(name, "wb") as file:
            file.write(b"words of a letter")
    except OSError:
        pytest.skip("this file system takes names in UTF-8 only")
    (row,) = facts(tmp_path).values()
    assert row["file"] == name


def test_a_report_gives_the_columns_back(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "old.txt").write_text("words of a letter")
    os.utime(tmp_path / "in" / "old.txt", ns=(0, -86_400_000_000_000))
    findings = twinset.find(tmp_path / "in")
    documents = twinset.open_report(findings.save(tmp_path / "out")).documents
    assert documents.equals(findings.documents)
    assert documents["modified"].to_pylist() == [-86_400_000_000_000]


def test_contents_lead_to_the_first_file_with_the_same_bytes(tmp_path: Path) -> None:
    contents = {"a": b"one two", "b": b"", "c": b"one two", "d": PICTURE, "e": b"", "f": PICTURE}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    batches = list(open_inputs(tmp_path).batches())
    noted = FileFacts.joined(
        [len(batch) if batch.files is None else batch.files for batch in batches]
    )
    assert noted is not None
    assert noted.contents().tolist() == [0, 1, 0, 3, 4, 3]


def test_with_each_file_every_file_is_a_document(tmp_path: Path) -> None:
    """Files of records, lists of documents and hard links among them."""
    (tmp_path / "table.csv").write_text("id,text\n1,some words\n2,other words\n")
    (tmp_path / "list.csv").write_text("left,right\na,b\n")
    (tmp_path / "rows.jsonl").write_text('{"id": 1, "text": "some words"}\n')
    (tmp_path / "a.txt").write_text("words of a letter")
    os.link(tmp_path / "a.txt", tmp_path / "b.txt")
    findings = twinset.find(tmp_path, each_file=True)
    names = ["a.txt", "b.txt", "list.csv", "rows.jsonl", "table.csv"]
    assert findings.documents["id"].to_pylist() == names
    assert findings.manifest["plan"]["read"]["each_file"] is True
    assert findings.pairs["left"].to_pylist() == ["a.txt"]
    named = twinset.find(tmp_path / "table.csv", each_file=True)
    assert named.documents["id"].to_pylist() == ["table.csv"]
    assert twinset.find(tmp_path).manifest["counts"]["hard_links"] == 1
