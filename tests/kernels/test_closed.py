"""The closed-set kernels against brute force, pyfim, FPmax* and AddIntent."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.closed_twins import Images, brute_force, contexts
from tests.kernels.examples import examples
from twinset.finding.clusters.closed import Closed, ClosedSets
from twinset.finding.clusters.closed_sets import Context
from twinset.finding.clusters.mine import ALGORITHMS
from twinset.finding.clusters.mine.miners import MinedSets, Transactions, mine
from twinset.finding.clusters.mine.plain import MINERS

KINDS = ("maximal", "closed")
BORGELT = [name for name, miner in ALGORITHMS.items() if miner.needs_pyfim]


def found_sets(images: Images, options: Closed, threads: int = 1) -> set:
    found = options.find(Context.of(images), threads)
    assert not found.components.truncated.any()
    sets = list(found)
    assert len(sets) == len(set(sets))
    return set(sets)


@examples(500)
@given(contexts(), st.data())
def test_equal_to_independent_miners(images: Images, data: st.DataObject) -> None:
    pytest.importorskip("fim")
    largest = max(map(len, images))
    support = data.draw(st.integers(1, max(1, largest)))
    other = data.draw(st.sampled_from(BORGELT))
    context = Context.of(images)
    for kind in KINDS:
        ours = mine("search", context, support, kind)
        assert ours == mine(other, context, support, kind)
        assert ours == mine("addintent", context, support, kind)
    assert mine("search", context, support) == mine("fpmax", context, support)


@examples(300)
@given(contexts(), st.integers(1, 12))
def test_plain_miners_find_the_same_sets(images: Images, support: int) -> None:
    table = Transactions.of(Context.of(images))
    for kind, (name, plain) in itertools.product(KINDS, MINERS.items()):
        sets = MinedSets.of(plain(table.lines, table.items, support, kind)).in_order()
        assert sets == mine("search", table, support, kind, 1), name


@examples(300)
@given(contexts(documents=7, features=12), st.integers(1, 13), st.sampled_from(KINDS))
def test_equal_to_brute_force(images: Images, k: int, kind: str) -> None:
    for options, least in (
        (Closed(k=k, kind=kind, short="drop"), lambda size: k),
        (Closed(k=k, kind=kind, short="equal"), lambda size: max(1, min(k, size))),
        (Closed(share=k / 13, kind=kind), lambda size: max(1, math.ceil(k * size / 13))),
    ):
        wanted = brute_force(images, [least(len(image)) for image in images], kind)
        assert found_sets(images, options) == wanted


@examples(60)
@given(contexts(documents=30, features=300), st.integers(1, 150), st.sampled_from(KINDS))
def test_images_of_many_words_and_threads(images: Images, k: int, kind: str) -> None:
    context = Context.of(images)
    one, four = (Closed(k=k, kind=kind).find(context, threads) for threads in (1, 4))
    assert list(one) == list(four)
    assert list(one) == sorted(one, key=lambda found: one.component_of[found[0][0]])
    if kind == "maximal":
        assert sorted(one) == list(mine("fpmax", context, k))


def is_maximal(images: Images, documents: tuple[int, ...], support: int, k: int) -> bool:
    shared = frozenset.intersection(*(images[d] for d in documents))
    others = (image for d, image in enumerate(images) if d not in documents)
    return len(shared) == support >= k and all(len(shared & other) < k for other in others)


def check_cover(images: Images, k: int, found: ClosedSets) -> None:
    sets = list(found)
    assert all(is_maximal(images, documents, support, k) for documents, support in sets)
    covered = {d for i in found.shown() for d in found.documents(i)}
    for d, image in enumerate(images):
        neighbour = any(len(image & o) >= k for i, o in enumerate(images) if i != d)
        assert (d in covered) == neighbour


@examples(300)
@given(contexts(documents=14), st.integers(1, 20), st.integers(1, 3))
def test_cover_of_a_cut_component(images: Images, k: int, max_sets: int) -> None:
    found = Closed(k=k, max_sets=max_sets).find(Context.of(images))
    check_cover(images, k, found)


@examples(150)
@given(contexts(documents=14), st.integers(1, 20), st.booleans())
def test_cover_without_any_search(images: Images, k: int, pairs: bool) -> None:
    found = Closed(k=k, max_work=1, pair_cover=pairs).find(Context.of(images))
    check_cover(images, k, found)
    assert all("cut before the search" in note for note in found.bounds())
    if pairs:
        together = {(a, b) for documents, _ in found for a in documents for b in documents}
        for a, x in enumerate(images):
            for b, y in enumerate(images):
                assert a == b or len(x & y) < k or (a, b) in together


@examples(150)
@given(contexts(documents=12), st.integers(1, 10), st.integers(1, 3))
def test_relative_cover(images: Images, part: int, max_sets: int) -> None:
    found = Closed(share=part / 10, max_sets=max_sets).find(Context.of(images))
    least = [max(1, math.ceil(part * len(image) / 10)) for image in images]
    whole = brute_force(images, least, "maximal")
    assert set(found) <= whole
    covered = {d for documents, _ in found for d in documents}
    assert covered == {d for documents, _ in whole for d in documents}


def one_lost_each(documents: int, size: int) -> Images:
    base = frozenset(range(size))
    return [base - {d} for d in range(documents)]


def test_component_of_millions_of_sets_answers_within_its_bound() -> None:
    images = one_lost_each(26, 100)
    found = Closed(k=90).find(Context.of(images))
    assert found.components.truncated.tolist() == [1]
    assert 10_000 <= len(found) <= 10_100
    assert found.components.work[0] <= 200_000_000
    check_cover(images, 90, found)
    assert len(found.shown()) == math.ceil(26 / 10)
    assert "26 documents was cut" in found.notes()[0]


def test_counts_that_are_known() -> None:
    found = Closed(k=96).find(Context.of(one_lost_each(12, 100)))
    assert len(found) == math.comb(12, 4)
    closed = Closed(k=96, kind="closed").find(Context.of(one_lost_each(12, 100)))
    assert len(closed) == sum(math.comb(12, size) for size in (2, 3, 4))


def test_bound_on_members_is_shared_out() -> None:
    images = one_lost_each(12, 100)
    images += [frozenset(f + 1000 for f in image) for image in images]
    found = Closed(k=96, max_members=400).find(Context.of(images))
    assert found.components.truncated.tolist() == [1, 1]
    assert len(found.members.values) <= 400 + 2 * 12
    check_cover(images, 96, found)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("images", "k", "expected"),
    [
        ([], 1, set()),
        ([{1, 2}], 1, set()),
        ([set(), set()], 1, set()),
        ([{1, 2}] * 4, 2, {((0, 1, 2, 3), 2)}),
        ([{1, 2}] * 4, 3, set()),
        ([{1, 2}, {1, 2}, {1, 2, 3}, {1, 2, 3}], 3, {((2, 3), 3)}),
        ([{1, 2}, {3, 4}, {1, 2, 9}], 2, {((0, 2), 2)}),
    ],
)
def test_edges(images: list[set[int]], k: int, expected: set, kind: str) -> None:
    assert found_sets([frozenset(i) for i in images], Closed(k=k, kind=kind)) == expected


def test_more_documents_than_a_block() -> None:
    rng = np.random.default_rng(3)
    base = rng.choice(10**6, (400, 40), replace=False)
    images = [frozenset(base[d % 400][: 30 + d // 400 % 10].tolist()) for d in range(3000)]
    context = Context.of(images)
    one, four = (Closed(k=28).find(context, threads) for threads in (1, 4))
    assert list(one) == list(four)
    assert sorted(one) == list(mine("fpgrowth", context, 28))
