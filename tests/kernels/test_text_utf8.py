"""UTF-8 validity and heads against their twins."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import text_twins as twins
from hypothesis import given
from hypothesis import strategies as st
from text_strategies import documents, pack, relaxed

from twinset import _kernels


@relaxed
@given(documents)
def test_validity_equals_the_twin(texts: list[bytes]) -> None:
    expected = [twins.is_valid(text) for text in texts]
    assert _kernels.valid_utf8(*pack(texts, b"\xff", b"\xff"), 1).astype(bool).tolist() == expected
    assert _kernels.valid_utf8(*pack(texts * 20), 4).astype(bool).tolist() == expected * 20


def test_every_start_of_a_character_is_judged_like_the_twin() -> None:
    edges = [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
    texts = [bytes(rest) for rest in itertools.product(range(256), edges)]
    texts += [bytes(rest) for rest in itertools.product(range(0xDF, 256), edges, edges)]
    texts += [bytes(rest) for rest in itertools.product(range(0xEF, 256), edges, edges, edges)]
    expected = [twins.is_valid(text) for text in texts]
    assert _kernels.valid_utf8(*pack(texts), 1).astype(bool).tolist() == expected


@relaxed
@given(documents, st.integers(0, 20))
def test_heads_equal_the_twin(texts: list[bytes], width: int) -> None:
    got = _kernels.heads(*pack(texts, b"ab", b"cd"), width)
    assert got.shape == (len(texts), width)
    assert [row.tobytes() for row in got] == [twins.head(text, width) for text in texts]


@pytest.mark.parametrize("width", [-1, 2**62])
def test_bad_widths_are_refused(width: int) -> None:
    with pytest.raises((ValueError, MemoryError)):
        _kernels.heads(*pack([b"abc"] * 8), width)


def test_no_documents() -> None:
    nothing = (np.zeros(0, dtype=np.uint8), np.zeros(1, dtype=np.int64))
    assert _kernels.heads(*nothing, 4).shape == (0, 4)
    assert _kernels.valid_utf8(*nothing, 2).tolist() == []
    assert [one.tolist() for one in _kernels.shingles(*nothing, 5, 1, False, 2)] == [[], [0], []]
    assert [one.tolist() for one in _kernels.words(*nothing, 2)] == [[], [0], [0]]
