"""Shingle hashes against their twin."""

from __future__ import annotations

import numpy as np
import pytest
import text_twins as twins
from hypothesis import given
from hypothesis import strategies as st
from text_strategies import documents, pack, relaxed, split

from twinset import _kernels

UNITS = ["word", "char", "sentence"]
lengths = st.integers(1, 7)
steps = st.integers(1, 4)


@relaxed
@given(documents, lengths, steps, st.sampled_from(UNITS), st.sampled_from([b"", b"abc"]))
def test_shingles_equal_the_twin(
    texts: list[bytes], length: int, step: int, unit: str, around: bytes
) -> None:
    packed = pack(texts, around, around)
    values, offsets, units = _kernels.shingles(*packed, length, step, UNITS.index(unit), 1)
    expected = [twins.shingles(t, length, step, unit) for t in texts]
    assert split(values, offsets) == expected
    many = _kernels.shingles(*pack(texts * 20), length, step, UNITS.index(unit), 4)
    assert split(*many[:2]) == expected * 20
    assert units.tolist() == [len(twins.units(t, unit)) for t in texts]
    assert values.dtype == np.uint64
    assert offsets.dtype == units.dtype == np.int64


@pytest.mark.parametrize("unit", UNITS)
def test_long_texts_are_joined_from_pieces(unit: str) -> None:
    text = "".join(f"{n}-й{'. ' * (n % 7 == 0)} " for n in range(6_000)).encode()
    values, _, units = _kernels.shingles(*pack([text]), 3, 1, UNITS.index(unit), 1)
    assert values.tolist() == twins.shingles(text, 3, 1, unit)
    assert units.tolist() == [len(twins.units(text, unit))]


@relaxed
@given(st.integers(1, 40), st.integers(1, 60))
def test_long_words_hash_like_the_twin(size: int, more: int) -> None:
    text = b"x" * size + b" " + b"yz" * more + b" " + "щ".encode() * size
    values, _, _ = _kernels.shingles(*pack([text]), 1, 1, 0, 1)
    assert values.tolist() == twins.shingles(text, 1, 1)


@pytest.mark.parametrize("count", [2, 63, 300, 5_000, 60_000])
@pytest.mark.parametrize("variety", [1, 7, 1_000_000])
def test_large_sets_are_sorted_and_unique(count: int, variety: int) -> None:
    rng = np.random.default_rng(count + variety)
    numbers = rng.integers(0, variety, count)
    text = " ".join(map(str, numbers)).encode()
    values, _, units = _kernels.shingles(*pack([text]), 1, 1, 0, 1)
    expected = sorted({twins.shingle([twins.hash_word(str(n))]) for n in set(numbers.tolist())})
    assert values.tolist() == expected
    assert units.tolist() == [count]


spread = st.integers(0, 2**64 - 1)
crowded = st.integers(0, 40).map(lambda low: low + (0xABC << 52))
edges = st.sampled_from([0, 1, 2**63, 2**64 - 2, 2**64 - 1])


@relaxed
@given(st.lists(st.one_of(spread, crowded, edges), max_size=60))
def test_sorted_unique_equals_numpy(numbers: list[int]) -> None:
    values = np.array(numbers, dtype=np.uint64)
    assert np.array_equal(_kernels.sorted_unique(values), np.unique(values))


@pytest.mark.parametrize("count", [9, 1_000, 16_384, 16_385, 100_000])
@pytest.mark.parametrize("bits", [64, 50, 12, 3])
@pytest.mark.parametrize("order", ["random", "falling"])
def test_sorted_unique_of_uneven_values(count: int, bits: int, order: str) -> None:
    rng = np.random.default_rng(bits)
    values = rng.integers(0, 2**bits, count, dtype=np.uint64, endpoint=False)
    if order == "falling":
        values = np.sort(values)[::-1].copy()
    assert np.array_equal(_kernels.sorted_unique(values), np.unique(values))


def test_a_known_value_stays() -> None:
    values, _, _ = _kernels.shingles(*pack([b"One two, three four five."]), 5, 1, 0, 1)
    assert values.tolist() == [17007299167055665210]


def test_a_shingle_longer_than_any_text_is_the_whole_text() -> None:
    values, _, _ = _kernels.shingles(*pack([b"a b c"]), 2**62, 2**62, 0, 1)
    assert values.tolist() == twins.shingles(b"a b c", 100, 1)
