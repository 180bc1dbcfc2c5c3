"""Lists of keys and pieces of crowds travel as bytes, and come back whole."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.cores.corpora import texts
from tests.spark.test_equal import crowd
from twinset.model import Ragged
from twinset.plan import Plan
from twinset.spark import bucket
from twinset.spark.columns import as_blobs, from_blobs

LISTS = [[1, 2**64 - 1], [], [7], [5, 6, 2**63]]


def column() -> pa.Array:
    values = np.array([key for keys in LISTS for key in keys], np.uint64)
    return as_blobs(Ragged.from_lengths(values, np.array([len(keys) for keys in LISTS])))


def lists_of(blobs: pa.Array) -> list[list[int]]:
    lists = from_blobs(blobs)
    ends = lists.offsets.tolist()
    return [lists.values[begin:end].tolist() for begin, end in pairwise(ends)]


def test_lists_come_back() -> None:
    for begin, end in [(0, 4), (1, 4), (2, 3), (1, 2), (0, 0)]:
        assert lists_of(column()[begin:end]) == LISTS[begin:end]
    values = np.arange(6, dtype=np.uint64)
    assert lists_of(as_blobs(Ragged(values, np.array([2, 3, 5])))) == [[2], [3, 4]]
    mixed = pa.concat_arrays([column(), pa.nulls(2, pa.binary())])
    assert lists_of(mixed) == [*LISTS, [], []]


@pytest.mark.parametrize(
    "options", [{}, {"exact": True, "mask": ["numbers"]}, {"verify": "edit"}, {"method": "bottom"}]
)
def test_pieces_of_a_crowd_are_the_crowd(options: dict[str, Any]) -> None:
    plan = Plan.make(keep="first", threshold=0.3, dense=20, **options)
    given = list(dict.fromkeys(texts(1, 240) + crowd("template")))
    task, rows = bucket.Task.of(plan, True, None), np.arange(len(given))

    def found(piece: Any) -> list[pa.RecordBatch]:
        known = {"number": rows, "position": rows[::-1], "root": 0 * rows, "piece": piece}
        known |= {"stays": rows < 0, "times": 1 + 0 * rows, "text": pa.array(given)}
        batch = pa.RecordBatch.from_pydict({name: pa.array(known[name]) for name in known})
        return list(bucket._work(task, iter([batch])))

    packs = bucket._together(task, iter(found(rows // 100 + 1)))
    assert str(listed(bucket._rows_again(packs))) == str(listed(found(0 * rows)))


def listed(batches: Iterable[pa.RecordBatch]) -> list[dict[str, Any]]:
    return pa.Table.from_batches(batches).to_pylist()
