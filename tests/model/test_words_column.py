"""A column of a few words, of which long runs share their memory."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import twinset
from twinset.model import columns
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


def test_evidence_of_many_pairs_may_be_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long runs of one rule are one piece again and again, in the table of pairs too."""
    monkeypatch.setattr(columns, "PIECE", 8)
    texts = ["one two three four five six seven eight nine ten"] * 2 + [
        f"one two three four five six seven eight nine ten eleven{number}" for number in range(12)
    ]
    found = twinset.find(texts, 0.3, method="tfidfcosine:contained=.9,least_terms=1")
    assert len(found.pairs) > 50
    assert set(found.pairs["rule"].to_pylist()) <= {"cosine", "contained"}
