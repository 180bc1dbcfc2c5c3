"""Row groups of Parquet files in units that are read at a time, several of them side by side.

Units and the batches that they are cut into depend on the file and the size of a batch alone, so
that a run can be resumed with another number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

from twinset.model import Batch
from twinset.reading.batches import column_batch
from twinset.reading.source import ReadJob
from twinset.system.pool import in_order


def units_of(job: ReadJob, metadata: Any) -> list[range]:
    """Row groups that are read together: one, or as many small ones as a batch has room for."""
    units, size = list[range](), 0
    for group in range(metadata.num_row_groups):
        more = metadata.row_group(group).total_byte_size
        size += more
        if units and size <= job.batch_bytes:
            units[-1] = range(units[-1].start, group + 1)
        else:
            units.append(range(group, group + 1))
            size = more
    return units


def rows_of_batch(job: ReadJob, metadata: Any, unit: range) -> int:
    """Rows of about the requested size, as far as the row groups give their sizes."""
    groups = [metadata.row_group(group) for group in unit]
    rows: int = sum(group.num_rows for group in groups)
    batches = max(1, round(sum(group.total_byte_size for group in groups) / job.batch_bytes))
    size: int = -(-rows // batches)
    return max(1, min(1 << 20, size))


def rows_before(metadata: Any, group: int) -> int:
    """The rows of all row groups before this one."""
    return sum(metadata.row_group(number).num_rows for number in range(group))


def largest_group(metadata: Any) -> int:
    """The bytes of the largest row group, unpacked."""
    groups = range(metadata.num_row_groups)
    return max((metadata.row_group(group).total_byte_size for group in groups), default=0)


def units_at_a_time(job: ReadJob, metadata: Any) -> int:
    """How many units are decoded beside each other: each is in memory as a whole."""
    if job.threads < 2 or metadata.num_row_groups < 2 or job.source.compression:
        return 1
    if not isinstance(job.source.path, Path):
        return 1
    largest = max(largest_group(metadata), job.batch_bytes)
    return min(job.threads, job.ahead_bytes // largest)


def decoded_units(
    job: ReadJob, metadata: Any, columns: list[str], open_again: Callable[[], Any]
) -> Generator[tuple[range, list[Batch]], None, None]:
    """The documents of each unit, by several threads, each of which opens the file once more."""
    sizes = (metadata.row_group(group).num_rows for group in range(metadata.num_row_groups))
    firsts = list(accumulate(sizes, initial=1))
    idle: list[Any] = []  # no two threads may read from one at a time

    def decoded(unit: range) -> tuple[range, list[Batch]]:
        try:
            file = idle.pop()
        except IndexError:
            file = open_again()
        table = file.read_row_groups(list(unit), columns=columns, use_threads=False)
        idle.append(file)
        row, batches = firsts[unit.start], []
        for part in table.combine_chunks().to_batches(rows_of_batch(job, metadata, unit)):
            batches.append(column_batch(job.apart(), part, row))
            row += part.num_rows
        return unit, batches

    most = units_at_a_time(job, metadata)
    try:
        yield from in_order(decoded, units_of(job, metadata), most, ahead=partial(job.ahead, most))
    finally:
        for file in idle:
            file.close()
