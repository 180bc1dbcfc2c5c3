"""Plain texts that a kernel reads give what careful reading gives, in the order of the files."""

from __future__ import annotations

import gzip
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from tests.reading.test_threads import contents
from twinset.plan import ReadOptions
from twinset.reading import Inputs, file_groups, open_inputs, signatures
from twinset.reading.compression import MAGIC
from twinset.system import processes

LETTER = b"From: a@example.org\nTo: b@example.org\nMIME-Version: 1.0\nSubject: x\n\nA letter.\n"
PAGE = b"<html><body><p>The words of a page</p><p>and others</p></body></html>"
BEGINNINGS = [
    *(b" " * signature.offset + signature.magic for signature in signatures._SIGNATURES),
    *(magic for magic, _ in MAGIC),
    *(b"<svg >", b"<?xml version='1.0'?><office:document >", b"P*M\x18", b"MZ", b"{", b"WARC/"),
    *(b"HTTP/1.1 200 OK\n<html>", b"\xff\xfeA\0", b"\xef\xbb\xbf", b"\xfe\xff\0A", LETTER, PAGE),
]
PIECES = [
    *(b"plain words ", b"\n", b"</p>", b"<p>", b"<script>", b"\0", b"\x1b", b"\x0c", b"\x05", b""),
    *("Привет ", "\ufb01le", "\u2003", "\xa0", "é", "\ufeff", "日本"),
    *("Grüße".encode("latin-1"), "Слово ".encode("cp1251"), b"A\0B\0"),
]


def _bytes(piece: str | bytes) -> bytes:
    return piece if isinstance(piece, bytes) else piece.encode()


texts = st.builds(
    lambda begin, rest: begin + b"".join(rest),
    st.sampled_from([b"", b"", b" \n", *BEGINNINGS]),
    st.lists(st.sampled_from(PIECES).map(_bytes), max_size=6),
)
names = st.sampled_from([".txt", ".TXT", ".log", ".py", ".md", ".txt.gz", ".html", ".eml", ""])


def with_care(inputs: Inputs) -> dict[str, Any]:
    with mock.patch.object(file_groups, "_reads_all_with_care", return_value=True):
        return contents(inputs)


@given(st.lists(st.tuples(texts, names), max_size=8), st.sampled_from([50, 1 << 20]))
@examples(200)
def test_the_kernel_gives_what_careful_reading_gives(
    files: list[tuple[bytes, str]], batch_bytes: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for number, (text, suffix) in enumerate(files):
            Path(folder, f"{number}{suffix}").write_bytes(text)
        by_care = with_care(open_inputs([folder], batch_bytes=batch_bytes, threads=1))
        assert contents(open_inputs([folder], batch_bytes=batch_bytes, threads=1)) == by_care


@pytest.fixture
def mixed(tmp_path: Path) -> Iterator[Path]:
    """Texts and other files in turn, below the folder that one stands in."""
    for number in range(30):
        below = tmp_path / "in" / f"{number % 3}"
        below.mkdir(parents=True, exist_ok=True)
        text = f"the text number {number}"
        (below / f"{number}.txt").write_text(text)
        (below / f"{number}.html").write_text(f"<html><body><p>page: {text}</p></body></html>")
        (below / f"{number}.md").write_text(f"# Title\n{text}")
        (below / f"{number}.log.gz").write_bytes(gzip.compress(text.encode()))
        (below / f"{number}.eml").write_bytes(LETTER)
        (below / f"{number}-odd.txt").write_bytes(text.encode() + b" \xe9t\xe9 \xe0")
    before = os.getcwd()
    os.chdir(tmp_path)
    yield tmp_path / "in"
    os.chdir(before)


def cuts(inputs: Inputs) -> list[int]:
    return [len(batch) for batch in inputs.batches() if len(batch)]


@pytest.mark.parametrize("batch_bytes", [60, 1000, 1 << 20])
def test_batches_are_cut_alike_for_any_threads_and_processes(
    mixed: Path, batch_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "PAYS", 1)
    alone = cuts(open_inputs(mixed, batch_bytes=batch_bytes, threads=1))
    apart = open_inputs(mixed, batch_bytes=batch_bytes, threads=3, processes=2)
    assert cuts(apart) == alone
    assert sum(alone) == 180
    assert len(alone) > (batch_bytes == 60) * 60


@pytest.mark.parametrize("options", [{}, {"raw": True}, {"order": "x"}, {"html": "no"}])
def test_files_of_all_kinds_stay_in_their_order(mixed: Path, options: dict[str, Any]) -> None:
    read = ReadOptions(**options)
    for folder in ("in", ".", str(mixed), "in/../in"):
        whole = contents(open_inputs([folder], read))
        assert whole == with_care(open_inputs([folder], read))
        assert [row[3] for row in whole["rows"]] == list(range(1, 181))


def test_a_file_that_is_gone_when_it_is_read_is_a_fault(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        (tmp_path / name).write_text(f"the words of {name}")
    inputs = open_inputs([tmp_path])
    (tmp_path / "b.txt").unlink()
    (tmp_path / "c.txt").write_text("the words of c.txt and many more than there were")
    found = contents(inputs)
    assert [row[2] for row in found["rows"]] == [
        "the words of a.txt",
        None,
        "the words of c.txt and many more than there were",
    ]
    assert [(fault.kind, fault.source) for fault in found["faults"]] == [
        ("unreadable", str(tmp_path / "b.txt"))
    ]


def test_nothing_outside_the_bounds_is_read(tmp_path: Path) -> None:
    folder, outside = tmp_path / "in", tmp_path / "outside.txt"
    folder.mkdir()
    (folder / "a.txt").write_text("inside")
    inputs = open_inputs([folder], ReadOptions(within=(str(folder),)))
    outside.write_text("a secret")
    (folder / "a.txt").unlink()
    (folder / "a.txt").symlink_to(outside)
    assert [row[2] for row in contents(inputs)["rows"]] == [None]
