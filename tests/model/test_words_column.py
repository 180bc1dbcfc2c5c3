"""A column of a few words, of which long runs share their memory."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from twinset.model.columns import PIECE, words

VOCABULARY = ["one", "", "drei €"]


@pytest.mark.parametrize(
    "runs",
    [
        [],
        [(0, 5)],
        [(0, PIECE), (2, 1), (1, 7)],
        [(2, 2 * PIECE + 1)],
        [(0, PIECE + 3), (1, PIECE), (2, 1), (0, 9)],
    ],
)
def test_words_are_those_of_the_codes(runs):
    codes = np.repeat([code for code, _ in runs], [count for _, count in runs]).astype(np.uint8)
    column = words(codes, VOCABULARY)
    assert column.type == pa.string()
    assert column.to_pylist() == [VOCABULARY[code] for code in codes]


def test_long_runs_take_no_memory():
    column = words(np.broadcast_to(np.int64(1), 100 * PIECE), ["short", "a long name" * 100])
    assert len(column) == 100 * PIECE
    assert len({chunk.buffers()[2].address for chunk in column.chunks}) == 1
