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
