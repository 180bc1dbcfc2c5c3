"""Small files are written whole or not at all, and one that is damaged is read as none."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.disks import disk_of
from twinset.system.files import fresh_file, read_object, write_file


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 kB."""
    with disk_of("64k", tmp_path) as place:
        yield place


def test_a_full_disk_leaves_the_old_file(small_disk: Path) -> None:
    write_file(small_disk / "state.json", "old")
    with pytest.raises(OSError, match="No space"):
        write_file(small_disk / "state.json", b"x" * (1 << 20))
    assert (small_disk / "state.json").read_text() == "old"
    assert os.listdir(small_disk) == ["state.json"]


def test_a_fault_of_the_writer_leaves_the_old_file(tmp_path: Path) -> None:
    write_file(tmp_path / "page", "old")

    def write() -> None:
        with fresh_file(tmp_path / "page") as draft:
            draft.write_text("half")
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        write()
    assert (tmp_path / "page").read_text() == "old"
    assert os.listdir(tmp_path) == ["page"]


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "3", "\x00" * 100, "[" * 100_000])
def test_what_is_no_object_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "state.json").write_text(text)
    assert read_object(tmp_path / "state.json") is None


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_bytes)
        write_file(pipe, "text")
        assert read.result() == b"text"
    assert pipe.is_fifo()
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]
