"""Lists and keys that arrive in blocks made by several threads, with much memory and little."""

from __future__ import annotations

import itertools
import pickle
import random
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels import twins
from tests.kernels.examples import examples
from tests.kernels.test_pairs import FOLDER, SETS, SPREAD, spread
from twinset import _kernels

NONE = np.empty(0, np.uint8)


def blocks_of(store, rows, parts):
    """The blocks of all rows, made by three threads at a time before the first one is added."""
    cuts = np.array_split(np.arange(len(rows)), parts)
    with ThreadPoolExecutor(3) as pool:
        yield from pool.map(
            lambda cut: store.prepare(*twins.lists([rows[i] for i in cut]), 1), cuts
        )


@given(
    SETS,
    st.integers(1, 6),
    st.sampled_from([0, 300, 900, 1 << 20]),
    st.sampled_from([0, 500, 1 << 20]),
)
@examples(100)
def test_blocks_are_taken_in_order_whatever_was_written_to_a_file(rows, parts, memory, settled):
    rows = spread(rows)
    store = _kernels.FeatureStore(memory, FOLDER)
    for block in blocks_of(store, rows, parts):
        store.add(block)
    before = store.sizes
    store.settle(settled)
    assert store.sizes.tolist() == before.tolist() == [len(row) for row in rows]
    assert [store.features(i).tolist() for i in range(len(rows))] == rows
    first = {}
    assert store.classes.tolist() == [
        first.setdefault(tuple(r), i) if r else i for i, r in enumerate(rows)
    ]
    a, b = np.array(list(itertools.product(range(len(rows)), repeat=2)), np.uint32).T.copy()
    common = [twins.shared(set(rows[i]), set(rows[j])) for i, j in zip(a, b, strict=True)]
    assert store.shared(a, b, 2).tolist() == common


def test_what_is_held_goes_to_a_file_when_the_documents_need_the_memory():
    rows = spread([[*range(i, i + 20)] for i in range(0, 60000, 20)])
    store = _kernels.FeatureStore(1 << 19, FOLDER)  # 480 kB of features, as much of columns
    spilled = []
    for part in np.array_split(np.arange(len(rows)), 30):
        store.append(*twins.lists([rows[i] for i in part]), 1)
        spilled.append(store.spilled_bytes)
    assert spilled[2] == 0 < spilled[-1]
    draw = random.Random(1)
    for i in draw.sample(range(len(rows)), 200):
        assert store.features(i).tolist() == rows[i]


def test_a_settled_store_takes_no_more():
    store = _kernels.FeatureStore(1 << 20, FOLDER)
    store.append(*twins.lists([[1, 2], [3]]), 1)
    store.settle(1 << 20)
    sizes = store.sizes
    with pytest.raises(RuntimeError, match="after the last one"):
        store.append(*twins.lists([[4]]), 1)
    with pytest.raises(ValueError, match="read-only"):
        sizes[0] = 5
    del store
    assert sizes.tolist() == [2, 1]


@pytest.mark.parametrize("memory", [0, 1 << 20])
def test_released_lists_are_gone_and_their_sizes_stay(memory):
    rows = spread([[1, 2], [1, 2, 3], [1, 2]])
    store = _kernels.FeatureStore(memory, FOLDER)
    store.append(*twins.lists(rows), 1)
    store.settle(memory)
    store.release()
    assert store.sizes.tolist() == [2, 3, 2]
    assert store.classes.tolist() == [0, 1, 0]
    with pytest.raises(RuntimeError, match="gone"):
        store.features(0)


def test_a_block_is_added_once():
    store = _kernels.FeatureStore(1 << 20, FOLDER)
    block = store.prepare(*twins.lists([[1, 2]]), 1)
    assert len(block) == 1
    store.add(block)
    store.add(block)
    assert len(store) == 1
    grouper = _kernels.Grouper(1 << 20, FOLDER)
    keys = _kernels.KeyBlock(np.array([[5], [5]], np.uint64))
    grouper.add(keys, 0, 1)
    grouper.add(keys, 7, 1)
    assert grouper.finish(NONE, False, 1)[1].tolist() == [0, 1]


@given(
    st.lists(st.lists(st.integers(0, 12), min_size=2, max_size=2), max_size=60),
    st.integers(1, 5),
    st.sampled_from([0, 36, 100, 400, 1 << 20]),
    st.integers(1, 3),
    st.sets(st.integers(0, 59)),
)
@examples(200)
def test_groups_of_blocks_are_the_documents_of_each_key(rows, parts, memory, threads, left_out):
    grouper = _kernels.Grouper(memory, FOLDER)
    want = defaultdict(set)
    keys = np.array(rows, np.uint64).reshape(-1, 2) * np.uint64(SPREAD)
    for document, row in enumerate(keys.tolist()):
        for key in row if document not in left_out else ():
            want[key].add(document)
    for part in np.array_split(np.arange(len(rows)), parts):
        if len(part):
            block = pickle.loads(pickle.dumps(_kernels.KeyBlock(keys[part])))
            grouper.add(block, int(part[0]), threads)
    use = np.array([i not in left_out for i in range(60)], np.uint8) if left_out else NONE
    offsets, documents = grouper.finish(use, False, threads)
    got = [part.tolist() for part in np.split(documents, offsets[1:-1])] if len(offsets) > 1 else []
    assert got == [sorted(want[k]) for k in sorted(want) if len(want[k]) > 1]


def rows_of(groups):
    offsets, documents = groups
    return [tuple(row) for row in np.split(documents, offsets[1:-1])] if len(offsets) > 1 else []


@pytest.mark.parametrize("memory", [0, 1 << 16, 1 << 30])
@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("sets", [1, 50, 4000])
def test_groups_of_the_same_members_are_one(memory, threads, sets):
    """Of each set the first group stays, in the order of keys."""
    rng = np.random.default_rng(sets)
    members = rng.integers(0, 300, (sets, 3))
    chosen = rng.integers(0, sets, 20_000)
    keys = rng.integers(0, 1 << 63, 20_000, dtype=np.uint64)
    rows = np.stack([np.repeat(keys, 3), members[chosen].ravel().astype(np.uint64)], axis=1)
    rows = rows[np.argsort(rows[:, 1], kind="stable")]
    found = []
    for distinct in (False, True):
        grouper = _kernels.Grouper(memory, FOLDER)
        for document in range(300):
            own = rows[rows[:, 1] == document, :1]
            grouper.add(_kernels.KeyBlock(own.T.copy()), document, threads)
        found.append(rows_of(grouper.finish(NONE, distinct, threads)))
    everything, once = found
    first = list(dict.fromkeys(everything))
    assert set(once) == set(everything)
    assert len(first) <= len(once) <= 1.1 * len(first)
    assert list(dict.fromkeys(once)) == first


def groups_of_one_name():
    """Two groups of documents that the table of groups cannot tell apart but by looking at them."""
    begins = np.random.default_rng(0).integers(1, [1 << 20, 1 << 31], (400_000, 2), dtype=np.uint64)
    names = np.full(len(begins), 3, np.uint64)
    for members in begins.T:
        names = (names ^ (names >> np.uint64(29)) ^ members) * np.uint64(0xD6E8FEB86659FD95)
    names ^= names >> np.uint64(29)
    order = np.argsort(names)
    alike = np.flatnonzero(np.diff(names[order] >> np.uint64(32)) == 0)[0]
    one, other = order[alike], order[alike + 1]
    last = 1 << 31
    return (*begins[one].tolist(), last), (
        *begins[other].tolist(),
        int(names[one] ^ names[other]) ^ last,
    )


def test_groups_of_one_name_are_not_the_same():
    groups = groups_of_one_name()
    keys = [np.array([[key]], np.uint64) for key in range(2)]
    grouper = _kernels.Grouper(1 << 20, FOLDER)
    for key, group in zip(keys, groups, strict=True):
        for document in group:
            grouper.add(_kernels.KeyBlock(key), document, 1)
    assert rows_of(grouper.finish(NONE, True, 1)) == list(groups)


@pytest.mark.parametrize("memory", [0, 1 << 12, 1 << 15, 1 << 30])
@pytest.mark.parametrize("threads", [1, 3])
def test_partitions_that_are_too_large_are_cut_again(memory, threads):
    """All keys have their first bits in common, so that one partition has all rows."""
    rng = np.random.default_rng(3)
    keys = rng.integers(0, 1 << 52, (3000, 4), dtype=np.uint64)
    keys[rng.random((3000, 4)) < 0.5] >>= np.uint64(44)
    groupers = [_kernels.Grouper(limit, FOLDER) for limit in (memory, 1 << 30)]
    for grouper in groupers:
        for first in range(0, 3000, 500):
            grouper.add(_kernels.KeyBlock(keys[first : first + 500]), first, threads)
    small, large = (grouper.finish(NONE, False, threads) for grouper in groupers)
    assert small[0].tolist() == large[0].tolist()
    assert small[1].tolist() == large[1].tolist()
    assert len(small[0]) > 200


def test_equal_lists_are_known_when_the_table_has_grown():
    rows = np.concatenate([np.arange(5000), np.arange(0, 5000, 7)])
    store = _kernels.FeatureStore(1 << 20, FOLDER)
    features = (rows + 1).astype(np.uint64) * np.uint64(SPREAD)
    store.append(features, np.arange(len(rows) + 1), 1)
    assert store.classes.tolist() == rows.tolist()


@pytest.mark.parametrize("memory", [0, 1 << 30])
def test_long_runs_of_a_file_are_read_in_pieces(memory):
    count = 150_000
    grouper = _kernels.Grouper(memory, FOLDER)
    keys = np.arange(count, dtype=np.uint64)[:, None] // np.uint64(2)  # all in one partition
    grouper.add(_kernels.KeyBlock(keys), 0, 1)
    assert (grouper.spilled_bytes > 0) == (memory == 0)
    offsets, documents = grouper.finish(NONE, False, 2)
    assert np.array_equal(offsets, np.arange(0, count + 1, 2))
    assert np.array_equal(documents, np.arange(count))
