"""A set of pairs as a Parquet file: the blocks of documents, and the edges between blocks.

So a cluster of a million documents costs a million numbers on the disk, too.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from twinset.lab.evaluation.pair_set import PairSet
from twinset.model import Ints
from twinset.model.columns import column, numbers
from twinset.report.tables import write_parquet

COLUMNS = ("block", "within", "first", "second")


def write_pairs(pairs: PairSet, path: Path) -> None:
    """One row of four lists."""
    table = {}
    for name in COLUMNS:
        values = np.asarray(getattr(pairs, name), np.int64)
        offsets = column(np.array([0, len(values)]))
        table[name] = pa.LargeListArray.from_arrays(offsets, column(values))
    write_parquet(pa.table(table), path)


def read_pairs(path: Path, documents: int) -> PairSet:
    """The pairs of so many documents; raises `ValueError` where the file is damaged."""
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
        block, within, first, second = (_list(table, name) for name in COLUMNS)
    except (OSError, KeyError, TypeError, AttributeError, pa.ArrowException) as fault:
        raise ValueError(f"{path} holds no pairs: {fault}") from None
    edges = np.concatenate([first, second])
    blocks = len(within)
    is_within = len(block) == documents and len(first) == len(second)
    is_within = is_within and _lies_below(block, blocks) and _lies_below(edges, blocks)
    if not is_within or not _lies_below(within, 2) or not (first < second).all():
        raise ValueError(f"{path} holds pairs of other documents")
    return PairSet(block, within.astype(bool), first, second)


def _list(table: pa.Table, name: str) -> Ints:
    return np.array(numbers(table[name].combine_chunks().flatten()), np.int64)


def _lies_below(values: Ints, most: int) -> bool:
    return not len(values) or bool(values.min() >= 0 and values.max() < most)
