"""How pairs agree with each other: cohesion and balance."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset.lab.views import Neighbours, relation


def neighbours(pairs):
    pairs = sorted(pairs)
    left, right = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    return Neighbours(left, right, np.array([pair[2] for pair in pairs], float))


def levels(pairs, documents, around=0.54):
    near = neighbours(pairs)
    return relation(near, np.ones(len(near.score)), documents, around)


SCORES = st.dictionaries(
    st.tuples(st.integers(0, 11), st.integers(0, 11)).filter(lambda pair: pair[0] < pair[1]),
    st.integers(20, 100).map(lambda score: score / 100),
    min_size=1,
)


@given(SCORES)
@examples(80)
def test_levels_against_networkx(scores):
    pairs = [(*pair, score) for pair, score in scores.items()]
    for level in levels(pairs, 12).levels:
        graph = networkx.Graph(pair[:2] for pair in pairs if pair[2] >= level.threshold - 1e-9)
        components = [len(each) for each in networkx.connected_components(graph)]
        joined = sum(size * (size - 1) // 2 for size in components)
        assert level.sampled == level.pairs == graph.number_of_edges()
        assert level.cohesion == pytest.approx(graph.number_of_edges() / joined if joined else 1)
        edges = graph.number_of_edges()
        assert level.balance(3) == pytest.approx(edges - 3 * (joined - edges))


def test_the_threshold_in_the_middle_is_hit_exactly():
    assert levels([(0, 1, 0.54)], 2).at(0.54).sampled == 1
    assert levels([(0, 1, 0.5399)], 2).at(0.54).sampled == 0
