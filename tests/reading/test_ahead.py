"""Unpacking ahead: the same bytes, the same faults, and no thread left behind."""

from __future__ import annotations

import gzip
import json
import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.reading.helpers import read
from twinset.reading import open_inputs
from twinset.reading.ahead import Ahead, joined


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "twinset-ahead"]


def packed(folder: Path, count: int = 3000) -> Path:
    chance = random.Random(1)
    lines = [json.dumps({"id": i, "text": chance.randbytes(500).hex()}) for i in range(count)]
    path = folder / "x.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode(), 1))
    assert path.stat().st_size > 1 << 20
    return path


def test_pieces_come_in_order() -> None:
    pieces = [bytes([i % 256]) * (i * 300) for i in range(200)]
    assert b"".join(Ahead(joined(iter(pieces), 1 << 20), 4)) == b"".join(pieces)
    assert list(Ahead(iter([]), 1)) == []


def test_an_error_comes_after_what_was_before_it() -> None:
    def failing() -> Iterator[bytes]:
        yield b"x" * (2 << 20)
        raise ValueError("here")

    ahead = Ahead(joined(failing(), 1 << 20), 4)
    assert next(ahead) == b"x" * (2 << 20)
    with pytest.raises(ValueError, match="here"):
        next(ahead)


def test_reading_and_stopping_early_leave_no_thread(tmp_path: Path) -> None:
    path = packed(tmp_path)
    assert read(path).ids == [str(i) for i in range(3000)]
    assert threads() == []
    batches = open_inputs([path], batch_bytes=10_000).batches()
    next(batches)
    assert threads() == ["twinset-ahead"]
    batches.close()  # type: ignore[attr-defined]
    assert threads() == []


def test_damage_is_told_behind_the_last_document(tmp_path: Path) -> None:
    path = packed(tmp_path)
    path.write_bytes(path.read_bytes()[:-200_000])
    found = [read(path, batch_bytes=size) for size in (1000, 1 << 20, 1 << 25)]
    assert found[0] == found[1] == found[2]
    assert sorted(kind for _, kind in found[0].kinds) == ["syntax", "truncated"]
