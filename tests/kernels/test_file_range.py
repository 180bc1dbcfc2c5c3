"""Ranges of files, read by several threads."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from twinset import _kernels

SIZE = 2_300_017


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_a_range_is_what_the_file_holds(tmp_path: Path, threads: int) -> None:
    data = np.random.default_rng(1).integers(0, 256, SIZE).astype(np.uint8)
    path = tmp_path / "data"
    path.write_bytes(data.tobytes())
    with path.open("rb", buffering=0) as file:
        for at in (0, 17, 1 << 20, SIZE - 1, SIZE, SIZE + 5):
            for size in (0, 1, 1 << 20, 1_500_000, 4_000_000):
                out = np.zeros(size, np.uint8)
                count = _kernels.read_range(file.fileno(), at, out, threads)
                expected = data[at : at + size]
                assert count == len(expected)
                assert np.array_equal(out[:count], expected)


def test_a_closed_file_is_an_error_of_the_system(tmp_path: Path) -> None:
    number = os.open(tmp_path, os.O_RDONLY)
    os.close(number)
    with pytest.raises(OSError, match="Bad file descriptor"):
        _kernels.read_range(number, 0, np.zeros(5, np.uint8), 2)
