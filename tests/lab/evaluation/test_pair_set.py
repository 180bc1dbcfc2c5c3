"""PairSets against sets of pairs that are written out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset.lab import pairs as module
from twinset.lab.pairs import PairSet, count_common

N = 12
Pair = tuple[int, int]
Drawn = tuple[PairSet, set[Pair]]


def ints(values: list[int]) -> np.ndarray:
    return np.array(values, np.int64)


def closed(groups: list[list[int]]) -> set[Pair]:
    return {pair for group in groups for pair in itertools.combinations(sorted(set(group)), 2)}


documents = st.integers(0, N - 1)


@st.composite
def explicit(draw: st.DrawFn) -> Drawn:
    pairs = draw(st.lists(st.tuples(documents, documents), max_size=20))
    made = PairSet.of_pairs(ints([a for a, _ in pairs]), ints([b for _, b in pairs]), N)
    return made, {(min(p), max(p)) for p in pairs if p[0] != p[1]}


@st.composite
def partitions(draw: st.DrawFn) -> Drawn:
    labels = draw(st.lists(st.integers(-1, 4), min_size=N, max_size=N))
    groups = [[i for i in range(N) if labels[i] == label] for label in range(5)]
    return PairSet.of_labels(ints(labels)), closed(groups)


@st.composite
def overlapping(draw: st.DrawFn) -> Drawn:
    groups = draw(st.lists(st.lists(documents, max_size=7), max_size=5))
    number = [row for row, group in enumerate(groups) for _ in group]
    made = PairSet.of_clusters(ints(number), ints([i for g in groups for i in g]), N)
    return made, closed(groups)


@st.composite
def compact(draw: st.DrawFn) -> Drawn:
    leader = draw(st.lists(documents, min_size=N, max_size=N))
    pairs = draw(st.lists(st.tuples(documents, documents), max_size=8))
    made = PairSet.of_classes(
        ints(leader), ints([a for a, _ in pairs]), ints([b for _, b in pairs])
    )
    joined = {frozenset((leader[a], leader[b])) for a, b in pairs}
    every = itertools.combinations(range(N), 2)
    together = {p for p in every if leader[p[0]] == leader[p[1]]
                or frozenset((leader[p[0]], leader[p[1]])) in joined}  # fmt: skip
    return made, together


relations = st.one_of(explicit(), partitions(), overlapping(), compact())


@examples(150)
@given(relations)
def test_counting_containing_and_writing_out_agree(drawn: Drawn) -> None:
    made, pairs = drawn
    left, right = np.triu_indices(N, 1)
    there = made.contains(left, right)
    assert {(int(a), int(b)) for a, b in zip(left[there], right[there], strict=True)} == pairs
    assert made.contains(right, left).tolist() == there.tolist()
    assert made.count() == len(pairs)
    written = [(int(a), int(b)) for x, y in made.chunks() for a, b in zip(x, y, strict=True)]
    assert sorted(written) == sorted(pairs)
    assert not made.contains(np.arange(N), np.arange(N)).any()


@examples(200)
@given(relations, relations)
def test_common_pairs_are_those_of_both_sets(one: Drawn, other: Drawn) -> None:
    assert count_common(one[0], other[0]) == len(one[1] & other[1])


@examples(100)
@given(relations, relations, st.sets(documents))
def test_a_restricted_relation_has_only_pairs_of_allowed_documents(
    one: Drawn, other: Drawn, allowed: set[int]
) -> None:
    mask = np.array([i in allowed for i in range(N)])
    inside = {pair for pair in one[1] if set(pair) <= allowed}
    assert one[0].restricted(mask).count() == len(inside)
    assert count_common(one[0].restricted(mask), other[0]) == len(inside & other[1])


def test_chunks_leave_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK", 3)
    made = PairSet.of_labels(ints([0] * 7 + [1] * 4 + [-1]))
    parts = list(made.chunks())
    assert len(parts) > 3
    assert sum(len(left) for left, _ in parts) == made.count() == 27


def test_a_million_documents_in_one_cluster_are_counted_at_once() -> None:
    big = PairSet.of_labels(np.zeros(1_000_000, np.int64))
    halves = PairSet.of_labels(np.arange(1_000_000) % 2)
    assert big.count() == 1_000_000 * 999_999 // 2
    assert count_common(big, halves) == halves.count() == 500_000 * 499_999
