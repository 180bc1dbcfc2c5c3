"""Ranges of JSON lines that are parsed ahead, against the lines as Python cuts them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset import _kernels

NAMES = "id", "text", ""
LINES = st.lists(
    st.builds(
        lambda id, text: json.dumps({"id": id, "text": text}, ensure_ascii=False),
        st.none() | st.sampled_from(["a", "ж"]),
        st.text(alphabet='ab "\n\u00e9\U0001f600', max_size=30),
    )
    | st.sampled_from(["", " ", "{broken", "[1]", '{"id": 3}', "é" * 40]),
    min_size=1,
    max_size=20,
)


def found(path: Path, ranges: list[tuple[int, int]], behind: int, patience: int) -> list[Any]:
    """What was parsed of each range, by as many threads as ranges."""
    with path.open("rb") as file:
        ahead = _kernels.JsonlAhead(file.fileno(), *NAMES, 0, behind, ranges, len(ranges))
    time.sleep(patience / 1000)  # what has not begun when the first one is taken is left out
    return [ahead.take(*bounds) for bounds in ranges]


def twin(data: bytes, begin: int, end: int, behind: int) -> tuple[bytes, int] | None:
    """The bytes of a range up to the end of its last line, and where its lines start."""
    before = 1 if begin else 0
    piece = data[begin - before : end + behind]
    inside = before + end - begin
    start = piece.find(b"\n", 0, inside - 1) + 1 if before else 0
    if len(piece) < inside or (before and not start):
        return None
    stop = piece.find(b"\n", inside - 1) + 1
    if not stop and end + behind <= len(data):
        return None
    return piece[: stop or len(piece)], start


def until_all_began(path: Path, ranges: list[tuple[int, int]], behind: int) -> Iterator[Any]:
    """What was found, again and again, with more patience each time."""
    for patience in range(0, 200, 5):
        yield found(path, ranges, behind, patience)


@examples(60)
@given(LINES, st.booleans(), st.integers(1, 200), st.sampled_from([1, 16, 400]))
def test_ranges_hold_the_lines_that_begin_in_them(
    lines: list[str], last: bool, step: int, behind: int
) -> None:
    data = "\n".join(lines).encode() + (b"\n" if last else b"")
    ranges = [(at, min(at + step, len(data))) for at in range(0, len(data), step)][:24]
    if not ranges:
        return
    wanted = [twin(data, begin, end, behind) for begin, end in ranges]
    with TemporaryDirectory() as folder:
        path = Path(folder, "lines.jsonl")
        path.write_bytes(data)
        for taken in until_all_began(path, ranges, behind):
            if [item is None for item in taken] == [item is None for item in wanted]:
                break
        else:
            raise AssertionError(f"{taken} are not {wanted}")
    for item, expected in zip(taken, wanted, strict=True):
        if expected is None:
            continue
        piece, start, rows = item
        assert (piece.tobytes(), start) == expected
        again = _kernels.jsonl_rows(piece[start:].copy(), *NAMES, 1)
        assert rows.keys() == again.keys()
        for name, column in again.items():
            assert np.array_equal(rows[name], column, equal_nan=name == "order")


def test_a_range_is_taken_once_and_no_other_begins_then(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b'{"text": "a"}\n' * 4)
    ranges = [(0, 14), (14, 28), (28, 42)]
    with path.open("rb") as file:
        ahead = _kernels.JsonlAhead(file.fileno(), *NAMES, 0, 16, ranges, 0)
    assert [ahead.take(*bounds) for bounds in ranges] == [None] * 3  # nobody has begun
    for taken in until_all_began(path, ranges, 16):
        if None not in taken:
            break
    assert [item[0].tobytes() for item in taken] == [
        b'{"text": "a"}\n',
        *[b'\n{"text": "a"}\n'] * 2,
    ]
    with path.open("rb") as file:
        ahead = _kernels.JsonlAhead(file.fileno(), *NAMES, 0, 16, ranges, 1)
    while ahead.take(0, 14) is None:  # where it has not begun, it never will
        time.sleep(0.02)
        with path.open("rb") as file:
            ahead = _kernels.JsonlAhead(file.fileno(), *NAMES, 0, 16, ranges, 1)
        time.sleep(0.02)
    assert ahead.take(0, 14) is None


def test_ranges_that_are_cut_elsewhere_are_given_up(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b'{"text": "a"}\n' * 4)

    def left(asked: tuple[int, int], patience: int) -> bool:
        with path.open("rb") as file:
            ahead = _kernels.JsonlAhead(file.fileno(), *NAMES, 0, 16, [(0, 14), (14, 28)], 2)
        time.sleep(patience / 1000)
        assert ahead.take(*asked) is None
        return ahead.take(14, 28) is not None

    assert any(left((28, 42), patience) for patience in range(0, 200, 5))
    for asked in ((7, 9), (27, 30)):
        assert not any(left(asked, 50) for _ in range(3))


def test_bounds_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b"{}\n")
    with path.open("rb") as file:
        for bounds in ((3, 3), (2, 1), (0, 2)):
            with pytest.raises(ValueError, match="a range must hold something"):
                _kernels.JsonlAhead(file.fileno(), *NAMES, 1, 16, [bounds], 1)
    with pytest.raises(OSError, match="cannot hold a file"):
        _kernels.JsonlAhead(-1, *NAMES, 0, 16, [(0, 3)], 1)
