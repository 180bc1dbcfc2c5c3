"""Pieces put together against Python's own slices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset import _kernels

Tails = list[bytes]


@st.composite
def cases(draw: st.DrawFn) -> tuple[bytes, list[tuple[int, int]], Tails, list[int]]:
    block = draw(st.binary(max_size=40))
    place = st.integers(0, len(block))
    pieces = draw(st.lists(st.tuples(place, place).map(sorted).map(tuple), max_size=8))
    tails = draw(st.lists(st.binary(max_size=5), max_size=3))
    of = [draw(st.integers(0, len(tails) - 1)) for _ in pieces] if tails else []
    return block, pieces, tails, of


def spliced(
    block: bytes, pieces: list[tuple[int, int]], tails: Tails, of: list[int], room: int
) -> bytes:
    out = np.empty(room, np.uint8)
    written = _kernels.spliced(
        np.frombuffer(block, np.uint8),
        np.array([begin for begin, _ in pieces], np.int64),
        np.array([end for _, end in pieces], np.int64),
        np.frombuffer(b"".join(tails), np.uint8),
        np.cumsum([0, *map(len, tails)]).astype(np.int64),
        np.array(of, np.int64),
        out,
    )
    return out[:written].tobytes()


@given(cases(), st.integers(0, 3))
@examples(200)
def test_pieces_stand_one_after_the_other_with_their_tails(
    case: tuple[bytes, list[tuple[int, int]], Tails, list[int]], spare: int
) -> None:
    block, pieces, tails, of = case
    plain = b"".join(
        block[begin:end] + (tails[of[i]] if tails else b"") for i, (begin, end) in enumerate(pieces)
    )
    assert spliced(*case, len(plain) + spare) == plain
    if plain:
        with pytest.raises(ValueError, match="no room"):
            spliced(*case, len(plain) - 1)


@pytest.mark.parametrize("piece", [(-1, 2), (2, 1), (0, 5)])
def test_a_piece_outside_the_block_is_refused(piece: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="not in the block"):
        spliced(b"abcd", [piece], [], [], 8)


@pytest.mark.parametrize("tail", [-1, 1])
def test_a_tail_that_is_not_there_is_refused(tail: int) -> None:
    with pytest.raises(ValueError, match="no such tail"):
        spliced(b"abcd", [(0, 1)], [b"x"], [tail], 8)


def test_beginnings_ends_and_tails_are_as_many() -> None:
    nothing, few, block = np.empty(0, np.int64), np.zeros(1, np.int64), np.zeros(4, np.uint8)
    offsets = np.zeros(2, np.int64)
    with pytest.raises(ValueError, match="as many ends"):
        _kernels.spliced(block, few, nothing, block, few, nothing, block.copy())
    with pytest.raises(ValueError, match="a tail for every piece"):
        _kernels.spliced(block, few, few, block, offsets, offsets, block.copy())
