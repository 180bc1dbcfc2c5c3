"""Sorted keys and matches of lists, against dictionaries and sets."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset import _kernels
from twinset.plan import spec

KEYS = st.integers(0, 9) | st.integers(2**64 - 5, 2**64 - 1) | st.integers(0, 2**64 - 1)
ROWS = st.lists(st.tuples(KEYS, st.integers(0, 2**32 - 1)), max_size=60)
LISTS = st.lists(st.sets(st.integers(0, 12) | KEYS, max_size=9), min_size=1, max_size=5)


def arrays(rows: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    keys = np.array([key for key, _ in rows], np.uint64)
    return keys, np.array([number for _, number in rows], np.uint32)


@examples(80)
@given(ROWS, st.integers(1, 3))
def test_rows_are_sorted_and_each_is_there_once(rows: list[tuple[int, int]], threads: int) -> None:
    keys, numbers = _kernels.sorted_keys(*arrays(rows), threads)
    assert list(zip(keys.tolist(), numbers.tolist(), strict=True)) == sorted(set(rows))


def test_many_rows_are_sorted_alike_by_any_number_of_threads() -> None:
    chance = np.random.default_rng(3)
    keys = chance.integers(0, 2**64, 100_000, np.uint64)
    keys[::3] = keys[0]
    numbers = chance.integers(0, 2**32, 100_000, np.uint32)
    want = sorted(set(zip(keys.tolist(), numbers.tolist(), strict=True)))
    for threads in (1, 2, 5):
        found = _kernels.sorted_keys(keys, numbers, threads)
        assert list(zip(*(column.tolist() for column in found), strict=True)) == want


@examples(80)
@given(
    st.lists(ROWS, max_size=3),
    LISTS,
    st.sets(st.integers(0, 40)),
    st.integers(0, 9),
    st.integers(1, 4),
    st.integers(0, 4),
)
def test_those_who_share_keys_are_found(
    files, asked, gone: set[int], bits: int, dense: int, few: int
) -> None:
    asked += [{key for rows in files for key, _ in rows[:2]}]
    search = _kernels.KeySearch()
    for rows in files:
        keys, numbers = _kernels.sorted_keys(*arrays(rows), 1)
        search.add(keys, numbers, _kernels.key_directory(keys, bits), bits)
    offsets = np.cumsum([0, *map(len, asked)]).astype(np.int64)
    wanted = np.array([key for keys in asked for key in sorted(keys)], np.uint64)
    marks = np.zeros(max(gone, default=-1) + 1, np.uint8)
    marks[list(gone)] = 1
    *found, totals = search.find(wanted, offsets, marks, dense, few)
    want, counts = [], []
    for row, keys in enumerate(asked):
        times: Counter[int] = Counter()
        for rows in files:
            times.update(n for key, n in set(rows) if key in keys and n not in gone)
        nearest = sorted(times, key=lambda n: (-times[n], n))
        listed = nearest[:few] if len(times) > dense else nearest
        want += [(row, number, times[number]) for number in sorted(listed)]
        counts.append(len(times))
    assert list(zip(*(column.tolist() for column in found), strict=True)) == want
    assert totals.tolist() == counts


@examples(80)
@given(
    LISTS,
    LISTS,
    st.sampled_from(sorted(spec.names("measure"))),
    st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0]),
    st.integers(1, 3),
)
def test_lists_that_reach_the_threshold_match(
    first, second, name: str, threshold: float, threads: int
) -> None:
    left, right = (side.ravel() for side in np.indices((len(first), len(second))))
    laid = []
    for lists in (first, second):
        rows = [sorted(each) for each in lists]
        laid.append(np.array([value for row in rows for value in row], np.uint64))
        laid.append(np.cumsum([0, *map(len, rows)]).astype(np.int64))
    measure = spec.load("measure", name)()
    found = _kernels.matches_between(*laid, left, right, measure.number, threshold, threads)
    want = []
    for row, place in zip(left.tolist(), right.tolist(), strict=True):
        a, b = first[row], second[place]
        counts = (np.array([count]) for count in (len(a & b), len(a), len(b)))
        [score] = measure.score(*counts).tolist()
        if a and score >= threshold:
            want.append((row, place, score, len(a & b), len(a)))
    assert list(zip(*(column.tolist() for column in found), strict=True)) == want


def test_a_damaged_directory_leads_nowhere_else() -> None:
    keys, numbers = np.arange(4, dtype=np.uint64), np.arange(4, dtype=np.uint32)
    wrong = np.array([2**32 - 1, 0, 7], np.uint32)
    search = _kernels.KeySearch()
    search.add(keys, numbers, wrong, 1)
    search.find(np.array([1, 2**63], np.uint64), np.array([0, 2]), np.empty(0, np.uint8), 9, 9)


def test_crowds_are_found_once_and_in_order() -> None:
    chance = np.random.default_rng(5)
    search = _kernels.KeySearch()
    owners: list[dict[int, set[int]]] = [{}, {}]
    for each in owners:
        keys = chance.choice(np.array([1, 2, 3, 4], np.uint64), 20_000, p=[0.6, 0.3, 0.09, 0.01])
        numbers = chance.integers(0, 9000, len(keys), np.uint32)
        for key, number in zip(keys.tolist(), numbers.tolist(), strict=True):
            each.setdefault(key, set()).add(number)
        keys, numbers = _kernels.sorted_keys(keys, numbers, 1)
        search.add(keys, numbers, _kernels.key_directory(keys, 2), 2)
    gone = (np.arange(9000) % 7 == 0).astype(np.uint8)
    wanted = np.array([4, 1, 2, 3, 5, 3], np.uint64)
    ends = np.array([0, 4, 6])
    at, found, _, totals = search.find(wanted, ends, gone, 9000, 9)
    few, nearest, times, same = search.find(wanted, ends, gone, 5000, 9)
    assert totals.tolist() == same.tolist()
    for row, keys in enumerate(([4, 1, 2, 3], [5, 3])):
        every = (each.get(key, set()) for each in owners for key in keys)
        members = Counter(n for some in every for n in some if n % 7)
        assert found[at == row].tolist() == sorted(members)
        listed = sorted(members, key=lambda n: (-members[n], n))
        listed = sorted(listed[:9] if len(members) > 5000 else listed)
        assert nearest[few == row].tolist() == listed
        assert times[few == row].tolist() == [members[n] for n in listed]
