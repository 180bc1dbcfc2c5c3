"""Images against their twins, and their estimates against exact Jaccard."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels import twins, word_twins
from tests.kernels.examples import examples
from twinset import _kernels
from twinset.finding.images import Logarithmic

FEATURES = st.lists(st.integers(0, twins.MASK), max_size=60, unique=True).map(sorted)
FEATURE = st.integers(0, twins.MASK)
FAMILIES = {False: twins.Fast, True: twins.Matrix}


@given(
    st.lists(FEATURES, min_size=1, max_size=4), st.integers(1, 70), st.integers(0, 9), st.booleans()
)
@examples(60)
def test_oph_equals_its_twin(rows, size, seed, rounds):
    for matrix, family in FAMILIES.items():
        got = _kernels.oph(*twins.lists(rows), size, seed, matrix, rounds, 2)
        want = [twins.oph(r, size, seed, family, rounds) for r in rows]
        assert got.tolist() == want


@given(st.lists(FEATURES, min_size=1, max_size=4), st.integers(1, 40), st.integers(0, 9))
@examples(30)
def test_minwise_equals_its_twin(rows, size, seed):
    for matrix, family in FAMILIES.items():
        got = _kernels.minwise(*twins.lists(rows), size, seed, matrix, 2)
        assert got.tolist() == [twins.minwise(r, size, seed, family) for r in rows]


@given(st.lists(FEATURES, min_size=1, max_size=4), st.integers(1, 40), st.integers(0, 9))
@examples(60)
def test_bottom_and_mod_equal_their_twins(rows, size, seed):
    for matrix, family in FAMILIES.items():
        permute = family(twins.Stream(seed))
        values, offsets = _kernels.bottom(*twins.lists(rows), size, seed, matrix, 2)
        parts = np.split(values, offsets[1:-1])
        assert [p.tolist() for p in parts] == [sorted(map(permute, r))[:size] for r in rows]
        values, offsets = _kernels.mod(*twins.lists(rows), size, seed, matrix, 2)
        parts = np.split(values, offsets[1:-1])
        want = [sorted(h for h in map(permute, r) if h % size == 0) for r in rows]
        assert [p.tolist() for p in parts] == want


@given(st.lists(FEATURES, min_size=1, max_size=4), st.integers(0, 9))
@examples(60)
def test_logarithmic_samples_equal_their_twin(rows, seed):
    for matrix, family in FAMILIES.items():
        permute = family(twins.Stream(seed))
        values, offsets = _kernels.logarithmic(*twins.lists(rows), seed, matrix, 2)
        parts = np.split(values, offsets[1:-1])
        assert [p.tolist() for p in parts] == [
            sorted(word_twins.logarithmic([*map(permute, row)])) for row in rows
        ]


@given(
    st.lists(
        st.one_of(st.integers(0, 40), st.integers(0, 20).map(lambda n: 1 << (n + 43)), FEATURE)
    )
)
@examples(100)
def test_a_key_is_that_of_the_logarithmic_sample(row):
    """The method hashes what the image keeps: a set and its sample have the same key."""
    sample = sorted(word_twins.logarithmic(row))
    keys, _ = _kernels.logarithmic_keys(*twins.lists([row, sample]), 1)
    assert len(set(keys.tolist())) == min(1, len(row))


@pytest.mark.statistics
@pytest.mark.parametrize("matrix", [False, True])
@pytest.mark.parametrize("jaccard", [0.5, 0.8])
def test_logarithmic_samples_meet_as_often_as_is_promised(matrix, jaccard):
    rng, pairs, total = np.random.default_rng(5), 2000, 256
    common = round(total * jaccard)
    rows = [r for _ in range(pairs) for r in overlapping(rng, common, (total - common) // 2)]
    lists = twins.lists([r.tolist() for r in rows])
    met = 0
    for seed in range(4):
        values, at = _kernels.logarithmic(*lists, seed, matrix, 2)
        parts = np.split(values, at[1:-1])
        met += sum(bool(np.isin(a, b).any()) for a, b in zip(parts[::2], parts[1::2], strict=True))
    exact = common / (common + 2 * ((total - common) // 2))
    promised = Logarithmic().chance(1, exact)
    assert promised < met / (4 * pairs) < promised + 0.03


def test_band_keys_tell_bands_and_values_apart():
    sketch = np.arange(24, dtype=np.uint64).reshape(2, 12)
    keys = _kernels.band_keys(sketch, 3, 4)
    assert keys.shape == (2, 3)
    assert len(set(keys.ravel().tolist())) == 6
    same = _kernels.band_keys(np.zeros((1, 8), np.uint64), 2, 4)
    assert same[0, 0] != same[0, 1]
    changed = sketch.copy()
    changed[0, 11] = 99  # the last row of the last band
    again = _kernels.band_keys(changed, 3, 4)
    assert (again != keys).tolist() == [[False, False, True], [False, False, False]]
    with pytest.raises(ValueError, match="exceed"):
        _kernels.band_keys(sketch, 4, 4)


def overlapping(rng, common, each):
    """Two sets with ``common`` shared and ``each`` private features."""
    values = rng.integers(0, 1 << 64, common + 2 * each, dtype=np.uint64)
    return np.sort(values[: common + each]), np.sort(
        np.concatenate([values[:common], values[common + each :]])
    )


def estimates(kind, matrix, rows, size, seed):
    values, offsets = np.concatenate(rows), np.cumsum([0, *map(len, rows)])
    if kind == "bottom":
        image, at = _kernels.bottom(values, offsets, size, seed, matrix, 2)
        parts = np.split(image, at[1:-1])
        found = []
        for a, b in zip(parts[::2], parts[1::2], strict=True):
            _, sides = np.unique(np.concatenate([a, b]), return_counts=True)
            found.append((sides[:size] == 2).mean())
        return np.array(found)
    sketch = (
        _kernels.oph(values, offsets, size, seed, matrix, kind == "oph", 2)
        if kind.startswith("oph")
        else _kernels.minwise(values, offsets, size, seed, matrix, 2)
    )
    return (sketch[::2] == sketch[1::2]).mean(axis=1)


@pytest.mark.statistics
@pytest.mark.parametrize("matrix", [False, True])
@pytest.mark.parametrize("kind", ["oph", "oph-optimal", "minwise", "bottom"])
@pytest.mark.parametrize("total", [600, 2000])
def test_estimate_error_is_what_theory_says(kind, matrix, total):
    rng, size, pairs, jaccard = np.random.default_rng(7), 128, 600, 0.6
    common = int(total * jaccard)
    exact = common / (common + 2 * ((total - common) // 2))
    errors = []
    for seed in range(2):
        rows = [r for _ in range(pairs) for r in overlapping(rng, common, (total - common) // 2)]
        errors.append(estimates(kind, matrix, rows, size, seed) - exact)
    error = np.concatenate(errors)
    theory = np.sqrt(exact * (1 - exact) / size)
    # without replacement (the n least of a union, bins of one permutation) less is left to chance
    sampled = theory if kind == "minwise" else theory * np.sqrt(1 - size * exact / common)
    assert abs(error.mean()) < 4 * theory / np.sqrt(len(error))
    rmse = np.sqrt((error**2).mean())
    assert 0.9 * sampled < rmse < 1.1 * theory


@pytest.mark.statistics
@pytest.mark.parametrize("matrix", [False, True])
def test_short_documents_are_estimated_as_well_as_long_ones(matrix):
    rng, size = np.random.default_rng(3), 128
    rows = [r for _ in range(3000) for r in overlapping(rng, 8, 1)]
    error = estimates("oph", matrix, rows, size, 5) - 0.8
    theory = np.sqrt(0.8 * 0.2 / size)
    assert abs(error.mean()) < 0.01
    assert np.sqrt((error**2).mean()) < 1.1 * theory
