"""What two weighted lists have in common, against a dictionary's answer."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset import _kernels

Lists = list[dict[int, float]]
FEATURES = st.integers(0, 12) | st.integers(2**64 - 4, 2**64 - 1)
WEIGHTS = st.floats(0, 8, width=16)
DOCUMENTS = st.lists(st.dictionaries(FEATURES, WEIGHTS, max_size=8), min_size=1, max_size=6)


def laid_out(documents: Lists) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows = [sorted(document.items()) for document in documents]
    features = np.array([f for row in rows for f, _ in row], np.uint64)
    weights = np.array([w for row in rows for _, w in row], float)
    return features, weights, np.cumsum([0, *map(len, rows)]).astype(np.int64)


def twin(a: dict[int, float], b: dict[int, float]) -> tuple[int, float, float]:
    common = sorted(a.keys() & b.keys())
    product = lesser = 0.0
    for feature in common:
        product += a[feature] * b[feature]
        lesser += min(a[feature], b[feature])
    return len(common), product, lesser


@examples(80)
@given(DOCUMENTS, st.integers(1, 3))
def test_equals_the_twin_for_every_pair(documents: Lists, threads: int) -> None:
    left, right = (
        side.ravel().astype(np.uint32) for side in np.indices((len(documents), len(documents)))
    )
    found = _kernels.overlaps(*laid_out(documents), left, right, threads)
    expected = [twin(documents[i], documents[j]) for i, j in zip(left, right, strict=True)]
    assert [tuple(row) for row in zip(*map(np.ndarray.tolist, found), strict=True)] == expected


def test_many_pairs_on_threads() -> None:
    chance = np.random.default_rng(5)
    documents = [{int(f): float(f % 7) for f in chance.integers(0, 50, 20)} for _ in range(40)]
    left, right = chance.integers(0, 40, (2, 3000)).astype(np.uint32)
    one = _kernels.overlaps(*laid_out(documents), left, right, 1)
    three = _kernels.overlaps(*laid_out(documents), left, right, 3)
    assert all((a == b).all() for a, b in zip(one, three, strict=True))
    rows = [tuple(column[2999] for column in one)]
    assert rows == [twin(documents[int(left[2999])], documents[int(right[2999])])]
