"""Members of archives as documents, and archives meant to do harm."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twinset
from tests.kernels.examples import examples
from tests.reading.helpers import read
from tests.reading.test_mail import LEASE, letter
from twinset.documents import archive
from twinset.documents.archive import tar_members, zip_members
from twinset.reading import open_inputs
from twinset.reading.reread import fetch

LETTER = bytes(letter("Rent", "See below", lease_docx=LEASE))
MEMBERS = {
    "note.txt": b"words of a note",
    "deep/er/lease.docx": LEASE,
    "deep/rent.eml": LETTER,
    "photo.png": b"\x89PNG\r\n\x1a\n\0",
}
PARTS = [
    *("note.txt", "deep/er/lease.docx", "deep/rent.eml", "deep/rent.eml/lease.docx"),
    "photo.png",
]


def zipped(members: dict[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", packing) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return out.getvalue()


def tarred(members: dict[str, bytes], format: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format) as packed:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            packed.addfile(info, io.BytesIO(content))
    return out.getvalue()


def gnu(members: dict[str, bytes]) -> bytes:
    return tarred(members, tarfile.GNU_FORMAT)


FORMS: dict[str, Callable[[dict[str, bytes]], bytes]] = {
    "a.zip": zipped,
    "stored.zip": lambda members: zipped(members, zipfile.ZIP_STORED),
    "a.tar": tarred,
    "gnu.tar": gnu,
    "a.tar.gz": lambda members: gzip.compress(tarred(members)),
    "a.tgz": lambda members: gzip.compress(gnu(members)),
    "a.tar.bz2": lambda members: bz2.compress(tarred(members)),
    "a.txz": lambda members: lzma.compress(tarred(members)),
}


@pytest.mark.parametrize("name", FORMS)
def test_members_are_documents_and_are_read_again_by_their_places(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "0.txt").write_text("first words")
    (tmp_path / name).write_bytes(FORMS[name](MEMBERS))
    found = read(tmp_path)
    assert found.faults == []
    assert found.ids == ["0.txt", name, *(f"{name}/{part}" for part in PARTS)]
    lease = "The lease of the flat in the second storey\n"
    assert found.texts[1:4] == [None, "words of a note", lease]
    assert (found.texts[4] or "").startswith("Rent\nSee below\n+ lease.docx (")
    assert found.texts[5:] == [lease, None]
    inputs = open_inputs(tmp_path)
    (again,) = fetch(inputs, inputs.sources[0], [found.places[5]])
    assert again.text == lease
    alone = read(tmp_path / name)  # as the only input it is a folder of its own
    assert (alone.texts, alone.faults) == (found.texts[1:], [])


def test_names_lead_nowhere_and_what_is_hidden_is_passed_over(tmp_path: Path) -> None:
    names = ["../../etc/passwd", "/etc/a.txt", "a\\b.txt", "a/b.txt", f"{'n' * 300}/x.txt"]
    hidden = [".bashrc", "a/.git/config", "__MACOSX/._a.pdf", "./", ".."]
    parts = ["etc/passwd", "etc/a.txt", "a/b.txt", "a/b (2).txt", f"{'n' * 120}/x.txt"]
    for name, pack in FORMS.items():
        (tmp_path / name).write_bytes(pack(dict.fromkeys(names + hidden, b"some words")))
        ids = read(tmp_path / name).ids
        assert ids == [name, *(f"{name}/{part}" for part in parts)]
        assert not any(".." in str(id) for id in ids)
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == []


def encrypted(raw: bytes) -> bytes:
    """The archive with the mark of encryption on every member, at both places."""
    out = bytearray(raw)
    for magic, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = -1
        while (place := raw.find(magic, place + 1)) >= 0:
            out[place + at] |= 1
    return bytes(out)


def faults(folder: Path, name: str, raw: bytes, **options: int) -> tuple[list[str], list[str]]:
    """The kinds of faults, and the documents with text."""
    (folder / name).write_bytes(raw)
    found = read(folder, **options)
    texts = [str(id) for id, text in zip(found.ids, found.texts, strict=True) if text is not None]
    return [fault.kind for fault in found.faults], texts


def test_what_cannot_be_unpacked_is_a_fault_of_the_member(tmp_path: Path) -> None:
    two = {"a.txt": b"words of one", "b.txt": b"words of two"}
    assert faults(tmp_path, "a.zip", encrypted(zipped(two))) == (["damaged"] * 2, [])
    by_lzma = zipped(two, zipfile.ZIP_LZMA)
    assert faults(tmp_path, "a.zip", by_lzma) == (["format"] * 2, [])
    broken = zipped(two, zipfile.ZIP_STORED).replace(b"words of one", b"WORDS of one", 1)
    assert faults(tmp_path, "a.zip", broken) == (["damaged"], ["a.zip/b.txt"])
    inner = zipped({"in.zip": zipped(two), "c.txt": b"words"})
    assert faults(tmp_path, "a.zip", inner) == ([], ["a.zip/c.txt"])
    assert read(tmp_path).ids == ["a.zip", "a.zip/in.zip", "a.zip/c.txt"]
    (tmp_path / "a.zip").unlink()
    many = tarred({"a.txt": b"words of one", "b.txt": bytes(4000), "c.txt": b"words"})
    kinds, texts = faults(tmp_path, "a.tar", many[: 512 * 9])
    assert (kinds, texts) == (["damaged"] * 2, ["a.tar/a.txt"])
    headless = many[: 512 * 2] + b"x" * 512 + many[512 * 3 :]
    assert faults(tmp_path, "a.tar", headless) == (["damaged"], ["a.tar/a.txt"])
    (tmp_path / "a.tar").unlink()
    cut_short = zipped(two)[:-30]  # a download that broke off is compared by its bytes, as before
    assert faults(tmp_path, "a.zip", cut_short) == ([], [])


def overlapping(kernel: bytes, members: int) -> bytes:
    """Members that are all the same packed bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a0.txt", kernel)
        first = packed.infolist()[0]
        for _ in range(1, members):
            info = zipfile.ZipInfo(first.filename, first.date_time)
            for name in ("compress_type", "CRC", "compress_size", "file_size", "header_offset"):
                setattr(info, name, getattr(first, name))
            packed.filelist.append(info)
    return out.getvalue()


def test_bombs_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit = {"max_document_bytes": 1 << 20}
    zeros, large = bytes(1 << 20), bytes(8 << 20)
    begun = time.process_time()
    # one member that is too long, and members that are too much together
    for name, pack in (("a.zip", zipped), ("a.tgz", FORMS["a.tgz"])):
        assert set(faults(tmp_path, name, pack({"a": large}), **limit)[0]) == {"too-long"}
        (tmp_path / name).unlink()
    many = {f"{number}.bin": zeros for number in range(20)}
    for name, raw in (("a.zip", overlapping(zeros, 500)), ("a.tgz", FORMS["a.tgz"](many))):
        assert faults(tmp_path, name, raw, **limit)[0] == ["too-long"]
        assert len(read(tmp_path, **limit).ids) < 20
        (tmp_path / name).unlink()
    # a member whose list entry states less than it holds
    lied = zipped({"a.txt": large}).replace(struct.pack("<I", len(large)), struct.pack("<I", 9))
    assert faults(tmp_path, "a.zip", lied, **limit)[0] == ["damaged"]
    # members without end, and a list without end
    monkeypatch.setattr(archive, "MOST_MEMBERS", 10)
    crowd = {f"{number}.txt": b"words" for number in range(40)}
    kinds, texts = faults(tmp_path, "a.zip", zipped(crowd))
    assert (kinds, len(texts)) == (["too-long"], 10)
    monkeypatch.setattr(archive, "MOST_LISTED", 100)
    assert faults(tmp_path, "a.zip", zipped(crowd)) == (["too-long"], [])
    (tmp_path / "a.zip").unlink()
    kinds, texts = faults(tmp_path, "a.tar", tarred(crowd))
    assert (kinds, len(texts)) == (["too-long"], 10)
    # a header that says that the next one is as long as a disk
    endless = tarfile.TarInfo("x")
    endless.type, endless.size = tarfile.XHDTYPE, 1 << 33
    assert faults(tmp_path, "a.tar", endless.tobuf() + zeros)[0] == ["damaged"]
    assert time.process_time() - begun < 20


@given(st.binary(max_size=60), st.integers(0, 1500), st.booleans())
@examples(60)
def test_damage_is_no_crash(noise: bytes, at: int, is_zip: bool) -> None:
    members = {"a.txt": b"words of one", "b.eml": LETTER[:300]}
    whole = zipped(members) if is_zip else tarred(members)
    raw = whole[:at] + noise + whole[at + len(noise) :]
    file = io.BytesIO(raw)
    chunks = iter(lambda: file.read(700), b"")
    found = zip_members(file, len(raw), 10_000) if is_zip else tar_members(chunks, len(raw), 10_000)
    parts = [document.part for document in found]
    assert parts[0] is None
    assert len(set(parts)) == len(parts)


def test_a_member_never_goes_and_no_file_goes_for_one(tmp_path: Path) -> None:
    content = (
        b"the lease of the flat in the second storey is agreed for nine years, clause by clause"
    )
    raw = zipped({"lease.txt": content, "again.txt": content})
    (tmp_path / "a.zip").write_bytes(raw)
    (tmp_path / "copy of a.zip").write_bytes(raw)
    (tmp_path / "saved.txt").write_bytes(content)
    cleaned = twinset.dedup(tmp_path, method="exact", shingle=1)
    kept = dict(zip(cleaned.documents["id"].to_pylist(), cleaned.keep.tolist(), strict=True))
    assert [id for id, stays in kept.items() if not stays] == ["copy of a.zip"]
    listed = set(zip(*(cleaned.pairs[side].to_pylist() for side in ("left", "right")), strict=True))
    assert ("a.zip/lease.txt", "saved.txt") in listed
