"""Each measure against its formula over plain vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset.finding.methods.profiles import (
    MEASURES,
    ViewedDocuments,
    ViewProfiles,
    Views,
)
from twinset.model import Ragged
from twinset.text.vectors import WeightedTerms

VECTOR = st.lists(st.integers(0, 3), min_size=5, max_size=5)


def common(a: list[int], b: list[int]):
    rows = [[(i, w) for i, w in enumerate(row) if w] for row in (a, b)]
    terms = Ragged.from_rows([[i for i, _ in row] for row in rows], np.uint64)
    weights = np.array([w for row in rows for _, w in row], float)
    one, other = np.array([0], np.uint32), np.array([1], np.uint32)
    return ViewedDocuments.of(WeightedTerms(terms, weights)).common(one, other, 1)


def over(above: float, below: float) -> float:
    return above / below if below else 0.0


@examples(60)
@given(VECTOR, VECTOR)
def test_the_papers_formulas(first, second):
    f1, f2 = np.array(first, float), np.array(second, float)
    a, b = {i for i in range(5) if first[i]}, {i for i in range(5) if second[i]}
    expected = {
        "jaccard": over(len(a & b), len(a | b)),
        "containment": over(len(a & b), min(len(a), len(b))),
        "difference": over(len(a ^ b), len(a | b)),
        "cosine": over(f1 @ f2, np.linalg.norm(f1) * np.linalg.norm(f2)),
        "euclidean": np.linalg.norm(f1 - f2),
        "extended": over(f1 @ f2, f1 @ f1 + f2 @ f2 - f1 @ f2),
        "dice": over(2 * (f1 @ f2), f1 @ f1 + f2 @ f2),
        "ratio": over(np.minimum(f1, f2).sum(), np.maximum(f1, f2).sum()),
    }
    found = common(first, second)
    assert {name: measure(found)[0] for name, measure in MEASURES.items()} == pytest.approx(
        expected, abs=1e-12
    )


def _no_frequencies():
    from twinset.text.terms import Frequencies

    return Frequencies(np.empty(0, np.uint64), np.empty(0, np.int64), 10)


def test_near_finds_what_nearness_says():
    views = Views(("words",))
    profiles = ViewProfiles(views, {"word": _no_frequencies()})
    words = [f"w{i}" for i in range(12)]
    chance = np.random.default_rng(3)
    profiles.add([" ".join(chance.choice(words, 6)) for _ in range(25)], 1)
    left, right = (side.astype(np.uint32) for side in np.triu_indices(25, 1))
    near = profiles.nearness(left, right, 1)
    found = profiles.near(0.6, np.arange(25, dtype=np.uint32), 1)
    expected = {(a, b) for a, b, s in zip(left, right, near, strict=True) if s >= 0.6}
    assert set(zip(*map(np.ndarray.tolist, found), strict=True)) == expected
    assert 0 < len(expected) < len(left)
