"""B³ and the adjusted Rand index against brute force and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from tests.kernels.examples import examples
from twinset.lab.pairs import compare_clusterings

labels = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=40)


def b_cubed(true: list[int], found: list[int]) -> tuple[float, float]:
    """By the definition, document by document."""
    precision = recall = 0.0
    for i in range(len(true)):
        ours = [j for j in range(len(true)) if found[j] == found[i]]
        theirs = [j for j in range(len(true)) if true[j] == true[i]]
        both = len(set(ours) & set(theirs))
        precision += both / len(ours)
        recall += both / len(theirs)
    return precision / len(true), recall / len(true)


@examples(150)
@given(labels)
def test_both_equal_their_references(drawn: list[tuple[int, int]]) -> None:
    true, found = [a for a, _ in drawn], [b for _, b in drawn]
    scores = compare_clusterings(np.array(true), np.array(found))
    assert (scores.b3_precision, scores.b3_recall) == pytest.approx(b_cubed(true, found))
    assert scores.adjusted_rand == pytest.approx(adjusted_rand_score(true, found))


def test_documents_without_a_cluster_are_alone() -> None:
    apart = compare_clusterings(np.array([-1, -1, 0, 0]), np.array([3, 4, 1, 1]))
    assert apart.b3_f1 == apart.adjusted_rand == 1.0
