"""The digest does not depend on how the bytes are cut, and tells different bytes apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.text_twins import GOLDEN, MASK, SHINGLE, mix
from tests.kernels.word_twins import WORD_B
from twinset import _kernels


def digest(*pieces: bytes) -> int:
    made = _kernels.Digest()
    for piece in pieces:
        made.update(np.frombuffer(piece, dtype=np.uint8))
    return int(made.value())


WORD_A = 0xA0761D6478BD642F


def twin(data: bytes) -> int:
    lanes = [1, 2, 3, 4]
    padded = data + bytes(64 - len(data) % 64)
    for at in range(0, len(padded), 64):
        for lane in range(4):
            low = int.from_bytes(padded[at + 16 * lane : at + 16 * lane + 8], "little")
            high = int.from_bytes(padded[at + 16 * lane + 8 : at + 16 * lane + 16], "little")
            product = (low ^ WORD_A ^ (lanes[lane] + GOLDEN & MASK)) * (high ^ WORD_B)
            lanes[lane] = (product & MASK) ^ (product >> 64)
    h = len(data) * GOLDEN & MASK
    for lane in lanes:
        h = mix(h ^ lane) * SHINGLE & MASK
    return mix(h)


@given(st.lists(st.binary(max_size=100), max_size=6))
def test_agrees_with_its_twin_however_cut(pieces: list[bytes]) -> None:
    assert digest(*pieces) == twin(b"".join(pieces))


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_goes_on_from_its_state(before: bytes, behind: bytes) -> None:
    first = _kernels.Digest()
    first.update(np.frombuffer(before, dtype=np.uint8))
    later = _kernels.Digest.of_state(first.state())
    later.update(np.frombuffer(behind, dtype=np.uint8))
    assert later.value() == twin(before + behind)
    assert first.value() == twin(before)


@given(st.binary(max_size=110))
def test_refuses_what_is_no_state(state: bytes) -> None:
    """The length that a state names must fit the bytes that follow it."""
    length = int.from_bytes(state[32:40], "little")
    if len(state) >= 40 and length % 64 == len(state) - 40:
        return
    with pytest.raises(ValueError, match="no state"):
        _kernels.Digest.of_state(np.frombuffer(state, dtype=np.uint8))


@given(st.lists(st.binary(max_size=150), max_size=7), st.integers(0, 5), st.integers(1, 3))
def test_digests_of_texts_agree_with_the_twin(
    texts: list[bytes], before: int, threads: int
) -> None:
    """Documents are slices of the data, which may begin before the first of them."""
    data = np.frombuffer(bytes(before) + b"".join(texts), dtype=np.uint8)
    offsets = before + np.cumsum([0, *map(len, texts)]).astype(np.int64)
    assert _kernels.text_digests(data, offsets, threads).tolist() == [twin(text) for text in texts]
