"""Files that are certainly plain text, read many at a time, beside a twin in plain Python."""

from __future__ import annotations

import os
import re
import tempfile
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset import _kernels

MARKS = (b"BZh", b"%PDF-")
HEAD, LEAST_CLOSED = 40, 2
PIECES = [
    *MARKS,
    *(b"words and words, ", b"<", b"</p>", b"\n", b" ", b"\t", b"\x0b", b"\x0c", b"\x1b", b"\0"),
    *(b"\x08", b"\x0e", b"\x1a", b"\x1c", b"\x7f", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\x80"),
    *("é", "строка ", "\ufeff", "\xa0", "\u3000", "\u2028", "\ufb01", "\ufb07", "\ufb13", "𝒳日"),
]
contents = st.lists(
    st.sampled_from(PIECES).map(lambda p: p if isinstance(p, bytes) else p.encode())
    | st.binary(max_size=200),
    max_size=8,
).map(b"".join)


def is_plain(raw: bytes) -> bool:
    """Nothing in it that another reader would take for more than text in UTF-8."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    begin = text.lstrip(" \t\n\r\x0b\x0c")[:1]
    return not (
        raw.startswith(MARKS)
        or re.search(rb"[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]", raw)
        or begin in ("<", "\ufeff")
        or begin.isspace()
        or raw[:HEAD].count(b"</") >= LEAST_CLOSED
        or re.search("[\ufb00-\ufb06]", text)
    )


def read(names: list[bytes], room: int, limit: int = 1 << 20) -> list[tuple[bytes, int, bytes]]:
    """Text and digests of each file, where it is plain text."""
    joined = np.frombuffer(b"".join(name + b"\0" for name in names), np.uint8)
    marks = np.frombuffer(b"".join(mark + b"\0" for mark in MARKS), np.uint8)
    data, offsets, plain, digests, content = _kernels.plain_files(
        joined, room, limit, marks, HEAD, LEAST_CLOSED
    )
    assert len(offsets) == len(names) + 1
    assert offsets[-1] == len(data)
    rows = []
    for at in range(len(names)):
        text = data[offsets[at] : offsets[at + 1]].tobytes()
        assert plain[at] or not text
        rows.append((text, int(digests[at]), content[at].tobytes()) if plain[at] else None)
    return rows


def expected(raw: bytes) -> tuple[bytes, int, bytes]:
    digest = _kernels.Digest()
    digest.update(np.frombuffer(raw, np.uint8))
    return raw, digest.value(), blake2b(raw, digest_size=16).digest()


@given(st.lists(contents, max_size=6))
@examples(200)
def test_as_the_twin(files: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        names = [os.fsencode(f"{folder}/{number}") for number in range(len(files))]
        for name, raw in zip(names, files, strict=True):
            Path(os.fsdecode(name)).write_bytes(raw)
        rows = read(names, sum(map(len, files)))
    assert rows == [expected(raw) if is_plain(raw) else None for raw in files]


@pytest.mark.parametrize("size", [0, 1, 127, 128, 129, 256, 4096, 70_001])
def test_digests_of_any_size(tmp_path: Path, size: int) -> None:
    raw = bytes(32 + number % 90 for number in range(size)).replace(b"<", b"x")
    (tmp_path / "a").write_bytes(raw)
    assert read([os.fsencode(tmp_path / "a")], size) == [expected(raw)]


def test_what_is_no_file_or_too_long_is_left_and_the_others_are_read(tmp_path: Path) -> None:
    for name, text in [("a", "first"), ("long", "x" * 11), ("z", "last")]:
        (tmp_path / name).write_text(text)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "linked").symlink_to("a")
    names = ["a", "folder", "pipe", "missing", "long", "linked", "z"]
    rows = read([os.fsencode(tmp_path / name) for name in names], 100, limit=10)
    texts = [row and row[0] for row in rows]
    assert texts == [b"first", None, None, None, None, b"first", b"last"]


def test_files_that_have_grown_beyond_the_room_are_left(tmp_path: Path) -> None:
    names = []
    for name, text in [("a", b"12345"), ("b", b"123456"), ("c", b"12345")]:
        (tmp_path / name).write_bytes(text)
        names.append(os.fsencode(tmp_path / name))
    assert [row and row[0] for row in read(names, 10)] == [b"12345", None, b"12345"]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs files without a size")
def test_a_file_that_holds_more_than_its_size_is_left() -> None:
    assert read([b"/proc/self/status"], 1 << 16) == [None]
