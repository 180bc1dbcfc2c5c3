"""The published weights, each by hand for one term."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest

from twinset.text.terms import (
    Frequencies,
    TermCounts,
    augmented_tf,
    idf,
    residual_idf,
    saturated_tf,
    terms_of,
)
from twinset.text.tokens import WHOLE
from twinset.text.vectors import tfidf_vectors

DF, N = np.array([2]), 8


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        ("smooth", log(9 / 3) + 1),
        ("plain", log(8 / 2)),
        ("probabilistic", log(6.5 / 2.5)),
        ("normalised", log(4) / log(8)),
    ],
)
def test_idf_is_that_of_its_paper(variant, expected):
    assert idf(DF, N, variant) == pytest.approx([expected])


@pytest.mark.parametrize("variant", ["smooth", "plain", "probabilistic"])
def test_a_df_from_elsewhere_is_at_most_all_documents(variant):
    assert idf(np.array([20]), N, variant) == idf(np.array([8]), N, variant)
    assert np.isfinite(idf(np.array([1]), 0, variant)).all()


def test_the_weights_of_single_methods():
    assert residual_idf(DF, np.array([4]), N) == pytest.approx([log(4) + log(1 - exp(-4 / 8))])
    tf, most = np.array([2], np.int32), np.array([4], np.int32)
    assert augmented_tf(tf, most).tolist() == [0.75]
    assert saturated_tf(tf, np.array([2.0]), 2, 0.75) == pytest.approx([2 / (2 * 1.75 + 2)])


def test_a_term_that_is_not_listed_counts_as_rare():
    known = Frequencies(np.array([3, 9], np.uint64), np.array([5, 1]), N, rare=2)
    assert known.of(np.array([9, 3, 4], np.uint64)).tolist() == [2, 5, 2]
    assert known.places(np.array([9, 3, 4], np.uint64)).tolist() == [1, 0, -1]
    nothing = Frequencies(np.empty(0, np.uint64), np.empty(0, np.int64), N, rare=0)
    assert nothing.of(np.array([4], np.uint64)).tolist() == [0]


def test_vectors_have_length_one_and_numbered_terms():
    tokens = WHOLE.tokens(["a b a", "", "b c"], 1)
    counts = TermCounts.of(terms_of(tokens, "word"), 1)
    assert counts.tf.tolist() == [2, 1, 1, 1]
    vectors, dimensions = tfidf_vectors(counts)
    assert dimensions == 3
    assert vectors.terms.lengths.tolist() == [2, 0, 2]
    assert all((np.diff(row.astype(int)) > 0).all() for row in vectors.terms)
    assert vectors.sums(power=2) == pytest.approx([1, 0, 1])
    # idf of a and c (df 1 of 2) is log(3/2)+1, of b (df 2) it is 1
    twice = 2 * (log(3 / 2) + 1)
    length = (twice**2 + 1) ** 0.5
    weights = vectors.terms.like(vectors.weights)[0].tolist()
    assert sorted(weights) == pytest.approx([1 / length, twice / length])
