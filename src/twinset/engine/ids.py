"""Ids at the edges: every document gets one, and no two are the same."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from twinset.model import Batch, spread
from twinset.model.columns import column, text


def named(batch: Batch) -> pa.Array:
    """The ids of a batch, ``source:place`` where the input names none."""
    ids = batch.ids.cast(pa.large_string())
    if ids.null_count == 0:
        return ids
    missing = np.flatnonzero(pc.is_null(ids).to_numpy(zero_copy_only=False))
    names = [f"{batch.source}:{batch.places[i]}" for i in missing]
    mask = pc.is_null(ids)
    return pc.replace_with_mask(ids, mask, text(names).cast(pa.large_string()))


def told_apart(ids: pa.Array) -> tuple[pa.Array, int]:
    """Repeated ids made distinct: the second ``x`` becomes ``x#2``; and how many there were."""
    coded = ids.dictionary_encode()
    if len(coded.dictionary) == len(ids):
        return ids, 0
    codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], np.diff(codes[order]) != 0]))
    nth = np.empty(len(codes), np.int64)
    sizes = np.diff(np.append(starts, len(codes)))
    nth[order] = spread(sizes)[1] + 1
    again = nth > 1
    taken = set(coded.dictionary.to_pylist())
    names = [_free(f"{ids[int(i)].as_py()}#{nth[i]}", taken) for i in np.flatnonzero(again)]
    apart = pc.replace_with_mask(ids, column(again), text(names).cast(pa.large_string()))
    return apart, int(again.sum())


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "'"
    taken.add(name)
    return name
