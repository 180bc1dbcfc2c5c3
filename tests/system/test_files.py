"""Small files are written whole or not at all, and one that is damaged is read as none."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.disks import disk_of
from twinset.system.files import fresh_file, read_object, write_file, write_json


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


def test_a_disk_that_is_full_only_when_it_is_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_json(tmp_path / "state.json", {"old": 1})

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("twinset.system.files.os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_json(tmp_path / "state.json", {"new": 1})
    assert read_object(tmp_path / "state.json") == {"old": 1}
    assert os.listdir(tmp_path) == ["state.json"]


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


def test_rights_are_those_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("")
    write_file(tmp_path / "ours", "")
    assert stat.S_IMODE((tmp_path / "ours").stat().st_mode) == stat.S_IMODE(
        (tmp_path / "usual").stat().st_mode
    )


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "3", "\x00" * 100, "[" * 100_000])
def test_what_is_no_object_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "state.json").write_text(text)
    assert read_object(tmp_path / "state.json") is None


def test_an_object_is_read_as_it_was_written(tmp_path: Path) -> None:
    value: dict[str, Any] = {"name": "тест \u2028", "numbers": [1, 2.5, None]}
    write_json(tmp_path / "state.json", value, indent=1)
    assert read_object(tmp_path / "state.json") == value
    assert read_object(tmp_path / "nothing.json") is None


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_bytes)
        write_file(pipe, "text")
        assert read.result() == b"text"
    assert pipe.is_fifo()
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]
