"""Decompressing: the same documents and faults wherever a block ends, and no thread left behind."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import random
import threading
import time
from pathlib import Path

import pytest
import zstandard

from tests.reading.helpers import read
from twinset.reading import open_inputs


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "twinset-background"]


def all_ended() -> bool:
    """Whether no thread is left, or only one that is on its way out."""
    deadline = time.monotonic() + 10
    while threads() and time.monotonic() < deadline:
        time.sleep(0.01)
    return threads() == []


def some_lines(count: int = 3000) -> bytes:
    chance = random.Random(1)
    lines = [json.dumps({"id": i, "text": chance.randbytes(500).hex()}) for i in range(count)]
    return "\n".join(lines).encode()


def test_reading_and_stopping_early_leave_no_thread(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.xz"
    path.write_bytes(lzma.compress(some_lines(), preset=0))
    assert path.stat().st_size > 1 << 20
    assert read(path).ids == [str(i) for i in range(3000)]
    assert all_ended()
    batches = open_inputs([path], batch_bytes=10_000).batches()
    next(batches)
    assert threads() == ["twinset-background"]
    batches.close()  # type: ignore[attr-defined]
    assert all_ended()


PACKED = {
    "gz": lambda data: gzip.compress(data, 1),
    "bz2": bz2.compress,
    "zst": lambda data: zstandard.ZstdCompressor(write_checksum=True).compress(data),
}


@pytest.mark.parametrize("kind", PACKED)
@pytest.mark.parametrize("damage", ["none", "members", "zeroes", "others", "cut", "byte"])
def test_damage_gives_the_same_wherever_a_block_ends(
    tmp_path: Path, kind: str, damage: str
) -> None:
    data, pack = some_lines(400) + b"\n", PACKED[kind]
    content = pack(data)
    middle = len(content) // 2
    damaged = {
        "none": content,
        "members": content + pack(b'{"id": "last", "text": "of another member"}\n'),
        "zeroes": content + bytes(2000),
        "others": content + b"and now something else",
        "cut": content[: len(content) * 2 // 3],
        "byte": content[:middle] + bytes([content[middle] ^ 0xFF]) + content[middle + 1 :],
    }
    path = tmp_path / f"x.jsonl.{kind}"
    path.write_bytes(damaged[damage])
    small, large = (read(path, batch_bytes=size) for size in (3000, 1 << 20))
    assert small == large
    assert len(small.ids) > 100 or kind == "bz2"
    expected = damage not in ("none", "members", "zeroes")
    assert sum(fault.kind == "truncated" for fault in small.faults) == expected


def test_frames_of_zstd_without_data_are_skipped(tmp_path: Path) -> None:
    """As pzstd writes them before every frame, and seekable files at their end."""
    pack = zstandard.ZstdCompressor().compress
    empty = b"\x50\x2a\x4d\x18\x04\x00\x00\x00size"
    lines = [json.dumps({"id": i, "text": f"text {i}"}).encode() + b"\n" for i in range(3)]
    for name in ("x.jsonl.zst", "without-suffix"):
        path = tmp_path / name
        path.write_bytes(b"".join(empty + pack(line) for line in lines) + empty)
        batches = list(open_inputs(path).batches())
        assert [id for batch in batches for id in batch.ids.to_pylist()] == ["0", "1", "2"]
        assert not [fault for batch in batches for fault in batch.faults]
