"""Checksums of words and of texts: which differences they overlook, and their values."""

from __future__ import annotations

import hashlib
import zlib
from pathlib import Path

import pyarrow as pa
import pytest

import twinset
from twinset import spec
from twinset.candidates.base import Goal
from twinset.plan import Resources
from twinset.verify.measures import Jaccard

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


@pytest.mark.parametrize("digest", ["md5", "sha1", "crc32"])
def test_a_checksum_of_the_text_sees_every_byte(digest: str) -> None:
    assert pairs(f"md5:of=text,digest={digest}") == {("a", "b")}
    assert len(pairs(f"md5:digest={digest}")) == 10


def test_keys_are_the_digests_of_the_bytes() -> None:
    texts = pa.array(["Zürich!", None, "...", "", "漢字 b"], pa.large_string())
    digests = {
        "md5": lambda raw: int(hashlib.md5(raw).hexdigest()[:16], 16),
        "sha1": lambda raw: int(hashlib.sha1(raw).hexdigest()[:16], 16),
        "crc32": zlib.crc32,
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
