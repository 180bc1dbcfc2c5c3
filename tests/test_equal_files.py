"""Files whose text nobody reads are compared byte for byte, whatever method and clusters."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twinset
from tests.kernels.examples import examples
from twinset.reading import ledger
from twinset.review.index import opened

PICTURE = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
TEXT = "the landlord lets the flat in the old street to the tenant from the first of May on"


def damaged_document() -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as packed:
        packed.writestr(zipfile.ZipInfo("word/document.xml"), "<w:p>no end")
    return raw.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two equal ones of every status, and of each one that differs in its last byte."""
    home = tmp_path / "files"
    home.mkdir()
    contents = {
        "picture.png": PICTURE,
        "data.bin": bytes(range(256)),
        "damaged.docx": damaged_document(),
        "blank.txt": b" \n\t ",
        "short.txt": b"Hi",
        "letter.txt": TEXT.encode(),
        "nothing.txt": b"",
    }
    for name, content in contents.items():
        stem, suffix = name.split(".")
        for number in (1, 2):
            (home / f"{stem}{number}.{suffix}").write_bytes(content)
        if name in ("picture.png", "data.bin"):
            (home / f"{stem}3.{suffix}").write_bytes(content[:-1] + b"\x07")
    return home


def listed(findings: Any) -> dict[tuple[str, str], float]:
    rows = findings.pairs.select(["left", "right", "score"]).to_pylist()
    return {(row["left"], row["right"]): row["score"] for row in rows}


def column(findings: Any, name: str) -> dict[str, Any]:
    documents = findings.documents
    return dict(zip(documents["id"].to_pylist(), documents[name].to_pylist(), strict=True))


EQUAL = ["blank", "damaged", "data", "letter", "picture", "short"]


@pytest.mark.parametrize("method", ["minhash", "exact", "md5", "simhash", "tfidf", "longsent"])
def test_equal_files_of_every_status_are_pairs(folder: Path, method: str) -> None:
    findings = twinset.find(folder, method=method)
    pairs = listed(findings)
    assert sorted(left.rpartition("1.")[0] for left, _ in pairs) == EQUAL
    assert set(pairs.values()) == {1.0}
    status = column(findings, "status")
    assert (status["picture1.png"], status["data1.bin"]) == ("bytes", "bytes")
    assert (status["damaged1.docx"], status["nothing1.txt"]) == ("bad", "empty")
    assert findings.manifest["without_reader"] == {"pictures": 3, "other_files": 3}
    assert set(findings.manifest["faults"]) == {"damaged"}


@pytest.mark.parametrize("clusters", ["anchored", "components", "cliques", "closed:k=2"])
def test_they_are_clusters_of_every_kind(folder: Path, clusters: str) -> None:
    findings = twinset.find(folder, clusters=clusters)
    members: dict[int, list[str]] = {}
    for row in findings.clusters.to_pylist():
        members.setdefault(row["cluster"], []).append(row["id"])
        assert row["weakest"] == 1.0
        assert not row["chained"]
    assert ["picture1.png", "picture2.png"] in members.values()
    assert ["damaged1.docx", "damaged2.docx"] in members.values()
    assert len(members) == len(EQUAL)


def test_dedup_keeps_one_of_each(folder: Path, tmp_path: Path) -> None:
    findings = twinset.dedup(folder)
    kept = np.array(findings.documents["id"].to_pylist())[findings.keep].tolist()
    assert [name for name in kept if "2." in name] == ["nothing2.txt"]
    findings.save(tmp_path / "out")
    removed = sorted(os.listdir(tmp_path / "out" / "removed"))
    assert [name.rpartition("2.")[0] for name in removed] == EQUAL
    index = opened(tmp_path / "out")
    assert index.leader[index.number("picture2.png")] == index.number("picture1.png")


def test_a_crowd_of_equal_pictures_makes_no_crowd_of_pairs(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number:03}.png").write_bytes(PICTURE)
    findings = twinset.find(tmp_path, max_pairs=1000)
    assert findings.pairs.num_rows == 0
    assert findings.manifest["implied_pairs"] == 300 * 299 // 2
    assert findings.clusters.num_rows == 300
    assert findings.manifest["counts"]["clusters"] == 1


def test_what_no_reader_takes_is_read_only_where_two_have_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long file is looked at where it begins and ends, which tells archives from documents."""
    names = ["one.mp4", "two.mp4", "three.mp4"]
    for name, size in zip(names, (3 << 20, 4 << 20, 4 << 20), strict=True):
        with open(tmp_path / name, "wb") as file:
            file.write(b"\0\0\0\x20ftypisom")
            file.truncate(size)
    with zipfile.ZipFile(tmp_path / "photos.cbz", "w") as archive:
        archive.writestr("a.png", os.urandom(2 << 20))
    hashed = []
    whole = ledger.FileLedger.digest
    monkeypatch.setattr(
        ledger.FileLedger,
        "digest",
        lambda self, path, within=(): hashed.append(path.name) or whole(self, path, within),
    )
    monkeypatch.setattr("twinset.reading.content.open_stream", None)  # nothing is read as a whole
    findings = twinset.find(tmp_path, threads=1)  # other processes would read out of sight
    assert sorted(hashed) == ["three.mp4", "two.mp4"]
    assert listed(findings) == {("three.mp4", "two.mp4"): 1.0}
    assert findings.manifest["without_reader"] == {"films": 3, "archives": 1}
    rows = column(findings, "digest")
    assert rows["one.mp4"] is None
    assert rows["photos.cbz"] is None


def test_a_named_picture_takes_part_with_a_sentence(folder: Path) -> None:
    findings = twinset.find([folder / "picture1.png", folder / "picture2.png"])
    assert list(listed(findings).values()) == [1.0]
    assert findings.manifest["faults"] == {"format": 2}
    detail = findings.manifest["first_faults"][0]["detail"]
    assert (
        detail == "the file is a PNG image, which is not read: it is compared byte for byte alone"
    )


@given(st.lists(st.sampled_from([b"\0a", b"\0b", b"\0cc", b"", b"words here", b"-"]), max_size=12))
@examples(30)
def test_pairs_by_bytes_are_those_of_brute_force(
    tmp_path_factory: pytest.TempPathFactory, contents: list[bytes]
) -> None:
    home = tmp_path_factory.mktemp("files")
    (home / "zz.txt").write_text(TEXT)
    for number, content in enumerate(contents):
        (home / f"{number:02}").write_bytes(content)
    expected = {
        (f"{a:02}", f"{b:02}")
        for a in range(len(contents))
        for b in range(a + 1, len(contents))
        if contents[a] == contents[b] and contents[a]
    }
    assert set(listed(twinset.find(home, method="exact"))) == expected
