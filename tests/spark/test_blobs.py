"""Lists of keys travel as bytes, and come back whole from slices and nulls."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa

from twinset.model import Ragged
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
