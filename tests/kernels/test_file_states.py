"""What the system says of many files at a time, beside ``os.stat``."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import numpy as np
import pytest

from twinset import _kernels

State = tuple[int, bool, int, int, int, int, int]


def twin(name: bytes) -> State:
    is_link = os.path.islink(name)
    try:
        status = os.stat(name)
    except OSError as fault:
        return fault.errno or 0, is_link, 0, 0, 0, 0, 0
    kind = 1 if stat.S_ISREG(status.st_mode) else 2 if stat.S_ISDIR(status.st_mode) else 0
    which = status.st_dev, status.st_ino
    return 0, is_link, kind, *which, status.st_size, status.st_mtime_ns


@pytest.mark.parametrize("threads", [1, 3])
def test_as_the_twin(tmp_path: Path, threads: int) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for number in range(400):
        (tmp_path / f"{number}").write_bytes(b"x" * number)
        os.utime(tmp_path / f"{number}", ns=(1, number * 1_000_000_007 - 5_000_000_000))
    os.link(tmp_path / "7", tmp_path / "same")
    for name, target in [("to", "7"), ("in", "folder"), ("nowhere", "gone"), ("self", "self")]:
        (tmp_path / name).symlink_to(target)
    names = [*sorted(os.listdir(os.fsencode(tmp_path))), b"gone", b"7/below", b"x" * 300]
    names = [os.path.join(os.fsencode(tmp_path), name) for name in names]
    joined = np.frombuffer(b"".join(name + b"\0" for name in names), np.uint8)
    columns = [column.tolist() for column in _kernels.file_states(joined, threads)]
    assert list(zip(*columns, strict=True)) == [twin(name) for name in names]


def test_no_names_and_names_without_an_end() -> None:
    none = np.empty(0, np.uint8)
    assert [len(column) for column in _kernels.file_states(none, 1)] == [0] * 7
    with pytest.raises(ValueError, match="end with a zero"):
        _kernels.file_states(np.frombuffer(b"a", np.uint8), 1)
