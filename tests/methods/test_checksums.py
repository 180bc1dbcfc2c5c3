"""Checksums of words, of texts and of bytes: which differences they overlook, and their values."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import twinset
from tests.reading.test_office import docx, paragraph
from twinset.finding.candidates.base import Goal
from twinset.finding.verify.measures import Jaccard
from twinset.plan import Resources, spec

TEXTS = {
    "a": "The house stands near Zürich, by the river.",
    "b": "The house stands near Zürich, by the river.",
    "case": "the house stands near zürich, by the river.",
    "blank": "The house stands near Zürich, by the  river.",
    "end": "The house stands near Zürich, by the river.\n",
}


def pairs(method: str) -> set[tuple[str, str]]:
    rows = twinset.find(TEXTS, method=method).pairs.to_pylist()
    return {(row["left"], row["right"]) for row in rows}


@pytest.mark.parametrize("digest", ["md5", "sha1", "crc32", "sum"])
def test_a_checksum_of_the_text_sees_every_byte(digest: str) -> None:
    assert pairs(f"md5:of=text,digest={digest}") == {("a", "b")}
    assert len(pairs(f"md5:digest={digest}")) == 10


def test_keys_are_the_digests_of_the_bytes() -> None:
    texts = pa.array(["Zürich!", None, "...", "", "漢字 b"], pa.large_string())
    digests = {
        "md5": lambda raw: int(hashlib.md5(raw).hexdigest()[:16], 16),
        "sha1": lambda raw: int(hashlib.sha1(raw).hexdigest()[:16], 16),
        "crc32": zlib.crc32,
        "sum": sum,
    }
    for name, digest in digests.items():
        method = spec.make("method", f"md5:of=text,digest={name}")
        search = method.search(Goal(Jaccard(), 0.8, 0.9, 1), Resources.make(threads=1))
        keys, words = search.extract(texts, 1)
        assert [row.tolist() for row in keys] == [
            [digest("Zürich!".encode())],
            [],
            [],
            [],
            [digest("漢字 b".encode())],
        ]
        assert words.tolist() == [1, 0, 0, 0, 3]


def test_files_of_the_same_bytes_are_found_with_their_markup(tmp_path: Path) -> None:
    page = b"<html><body><p>One page</p></body></html>"
    for name, raw in (("a", page), ("b", page), ("c", page.replace(b"<p>", b"<p id=1>"))):
        (tmp_path / f"{name}.html").write_bytes(raw)
    as_files = twinset.find(tmp_path, method="md5:of=text", html="no").pairs.to_pylist()
    assert [(row["left"], row["right"]) for row in as_files] == [("a.html", "b.html")]
    assert len(twinset.find(tmp_path, method="md5:of=text").pairs) == 3


def found(*documents: Any, **options: Any) -> list[tuple[str, str]]:
    rows = twinset.find(*documents, method="md5:of=bytes", **options).pairs.to_pylist()
    return [(row["left"], row["right"]) for row in rows]


def test_files_of_the_same_bytes_are_found_whatever_is_read_of_them(tmp_path: Path) -> None:
    page = b"<html><body><p>One page</p></body></html>"
    letter, other = docx(paragraph("A letter")), docx(paragraph("A letter"), "<!-- x -->")
    files = {
        "a.html": page,
        "b.htm": page,
        "c.html": page.replace(b"<p>", b"<p id=1>"),
        "d.docx": letter,
        "e.docx": letter,
        "f.docx": other,
        "g.html": b"<html><script>1</script></html>",  # no words
        "h.html": b"<html><script>1</script></html>",
        "i.txt": b"",
        "j.txt": b"",
        "k.html.gz": gzip.compress(page),
    }
    for name, raw in files.items():
        (tmp_path / name).write_bytes(raw)
    copies = {("a.html", "b.htm"), ("d.docx", "e.docx"), ("g.html", "h.html")}
    packed = {("a.html", "k.html.gz"), ("b.htm", "k.html.gz")}
    for options in ({}, {"html": "no"}, {"html": "yes"}, {"page_text": "whole"}):
        assert set(found(tmp_path, **options)) == copies | packed
    words = twinset.find(tmp_path, method="md5").pairs.to_pylist()
    assert {("a.html", "c.html"), ("d.docx", "f.docx")} < {(r["left"], r["right"]) for r in words}


def test_records_are_compared_by_the_bytes_of_their_field() -> None:
    page = "<html><body>One page</body></html>"
    pages = {"a": page, "b": page, "c": page.replace("<body>", "<body id=1>")}
    assert found(pages) == [("a", "b")]
    assert found(pages, html="no") == [("a", "b")]
    assert found(pages, forms="none", clusters="closed:k=1") == [("a", "b")]
    assert len(twinset.find(pages, method="md5:of=text").pairs) == 3


def test_an_experiment_has_no_bytes_and_says_so() -> None:
    pages = {"a": "One page of words", "b": "One page of words"}
    with pytest.raises(twinset.PlanError, match="let md5 take words or text"):
        twinset.compare(pages, ["md5", "md5:of=bytes"])
