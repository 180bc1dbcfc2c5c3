"""Clusters of graphs against networkx and against their definition."""

from __future__ import annotations

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset import _kernels

EDGES = st.sets(
    st.tuples(st.integers(0, 13), st.integers(0, 13)).filter(lambda e: e[0] < e[1]), max_size=50
)
N = 14


def arrays(edges):
    pairs = np.array(sorted(edges), np.uint32).reshape(-1, 2)
    return np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])


def graph(edges):
    made = nx.Graph(sorted(edges))
    made.add_nodes_from(range(N))
    return made


@given(EDGES)
@examples(200)
def test_cliques_equal_networkx(edges):
    offsets, members, complete = _kernels.maximal_cliques(N, *arrays(edges), 10**6, 10**9)
    got = sorted(tuple(p.tolist()) for p in np.split(members, offsets[1:-1]) if len(p))
    want = sorted(tuple(sorted(c)) for c in nx.find_cliques(graph(edges)) if len(c) > 1)
    assert complete
    assert got == want


def test_cliques_stop_at_their_limit_and_say_so():
    moon_moser = {(i, j) for i in range(12) for j in range(i + 1, 12) if i // 3 != j // 3}
    offsets, _, complete = _kernels.maximal_cliques(12, *arrays(moon_moser), 10, 10**9)
    assert not complete
    assert 10 <= len(offsets) - 1 <= 11
    assert not _kernels.maximal_cliques(12, *arrays(moon_moser), 10**6, 20)[2]


@given(EDGES)
@examples(200)
def test_components_equal_networkx(edges):
    root = _kernels.component_roots(N, *arrays(edges)).tolist()
    want = {min(c): c for c in nx.connected_components(graph(edges))}
    assert {r: {v for v in range(N) if root[v] == r} for r in set(root)} == want


@given(EDGES, st.sets(st.integers(0, 3)), st.randoms(use_true_random=False))
@examples(200)
def test_anchored_holds_every_member_to_a_near_anchor(edges, prefix, random):
    kept = np.zeros(N, np.uint8)
    kept[: len(prefix)] = 1
    a, b = arrays(edges)
    score = np.array([random.choice([0.8, 0.85, 0.9]) for _ in edges])
    edge = _kernels.anchored_edges(kept, a, b, score, 2).tolist()
    anchors = {v for v in range(N) if edge[v] < 0}
    near = graph(edges)
    weight = {frozenset(map(int, e)): s for *e, s in zip(a, b, score, strict=True)}
    assert set(np.flatnonzero(kept)) <= anchors
    for v in range(N):
        earlier = [w for w in near[v] if w < v and w in anchors]
        if kept[v] or not earlier:
            assert v in anchors
        else:
            best = max(earlier, key=lambda w: (weight[frozenset((v, w))], -w))
            assert (int(a[edge[v]]), int(b[edge[v]])) == (best, v)
