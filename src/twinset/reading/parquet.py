"""Parquet: only the columns that are needed, batch after batch, so that memory stays small."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from twinset.model import Batch
from twinset.reading.base import FileFormat, Rows
from twinset.reading.batches import check_schema, column_batch, needed
from twinset.reading.formats import PARQUET, SIGNS
from twinset.reading.source import ReadJob
from twinset.reading.stream import bounds_of, open_stream
from twinset.system.bounded import open_for_arrow
from twinset.system.fetching import RangedFile, ensure_unchanged, has_ranges
from twinset.system.places import open_place
from twinset.system.remote import Place, RemotePath, is_remote
from twinset.system.temporary import TemporaryFile
from twinset.system.threads import in_order


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


_DAMAGE = (pa.ArrowException, OSError, ValueError, MemoryError)
# A packed file may unpack to this many times its size on the disk.
_MOST_RATIO = 200
_HARMLESS = 16 << 20
# Bytes of a row group, unpacked, of which a column is held in memory as it is fetched.
_SMALL_GROUP = 256 << 20


@dataclass(frozen=True)
class Parquet(FileFormat):
    """Rows of a Parquet file."""

    has_fields: ClassVar[bool] = True

    suffixes: ClassVar[tuple[str, ...]] = SIGNS["parquet"].suffixes
    sniff = staticmethod(SIGNS["parquet"].sniff)

    def read(self, job: ReadJob) -> Iterator[Batch]:
        """Batches of rows with the id, the text and the order."""
        with _opened(job) as file:
            if file is None:
                return
            check_schema(job, file.schema_arrow)
            done, before = 0, job.meter.bytes_read
            with closing(_documents(job, file)) as batches:
                for batch in batches:
                    yield batch
                    done += len(batch)
                    share = done / max(file.metadata.num_rows, 1)
                    job.meter.bytes_read = before + int(share * (job.source.size or 0))

    def rows(self, job: ReadJob) -> Iterator[Rows]:
        """The rows with all their columns."""
        with _opened(job) as file:
            for batch in () if file is None else _batches(job, file, None):
                yield Rows(batch)

    def shape(self, job: ReadJob) -> str:
        """The columns with their types and whether they may be empty; nothing for a broken file."""
        schema = self.schema(job)
        return "" if schema is None else ", ".join(str(field) for field in schema)

    def schema(self, job: ReadJob) -> pa.Schema | None:
        """The columns of a file that may be broken."""
        with _opened(job.quiet()) as file:
            return None if file is None else file.schema_arrow

    def codec(self, job: ReadJob) -> str:
        """What its first column is packed by."""
        with _opened(job.quiet()) as file:
            return "snappy" if file is None else _codec(file)


def _documents(job: ReadJob, file: Any) -> Generator[Batch, None, None]:
    """Batches of documents, several row groups at a time where these are small enough."""
    columns = needed(file.schema_arrow.names, job.options)
    done = 0
    if columns and units_at_a_time(job, file.metadata) > 1:
        again = partial(_opened_again, job, file.metadata)
        with closing(decoded_units(job, file.metadata, columns, again)) as units:
            try:
                for unit, batches in units:
                    for batch in batches:  # with the faults of the schema before the first
                        yield replace(batch, faults=job.faults.take() + batch.faults)
                    done = unit.stop
            except _DAMAGE:
                pass  # the rest is read row by row, up to the damage
            else:
                return
    row = 1 + rows_before(file.metadata, done)
    for table in _batches(job, file, columns, done):
        yield column_batch(job, table, row)
        row += table.num_rows


def _opened_again(job: ReadJob, metadata: Any) -> Any:
    """The same file once more."""
    import pyarrow.parquet as pq

    opened = _for_arrow(job.source.path, bounds_of(job))
    return pq.ParquetFile(opened, metadata=metadata, pre_buffer=False)


@contextmanager
def _opened(job: ReadJob) -> Iterator[Any]:
    """The file, unpacked first if it is packed as a whole; None (and a fault) if it is broken."""
    import pyarrow.parquet as pq

    copy = _copied(job) if job.source.compression or _is_streamed(job) else None
    path: Place = job.source.path if copy is None else copy.path
    bounds = () if job.source.compression else bounds_of(job)
    try:
        try:
            opened = _for_arrow(path, bounds)
            file = pq.ParquetFile(opened, memory_map=False, pre_buffer=False, buffer_size=1 << 20)
            _ = file.schema_arrow  # parsed only here, so a broken schema raises here
            if isinstance(opened, RangedFile) and largest_group(file.metadata) <= _SMALL_GROUP:
                # Then Arrow asks for all of a column at once, and no byte more is fetched.
                file = pq.ParquetFile(opened, metadata=file.metadata, pre_buffer=False)
        except _DAMAGE as fault:
            if isinstance(fault, OSError) and fault.errno:
                raise
            job.faults.add(
                None, "damaged", _what_is_wrong(path, bounds), remedy="write or fetch it again"
            )
            yield None
            return
        with file:
            yield file
            if isinstance(opened, RangedFile):
                ensure_unchanged(opened.path)
    finally:
        if copy is not None:
            copy.close()


def _for_arrow(path: Place, bounds: tuple[str, ...]) -> Any:
    if isinstance(path, RemotePath):
        if bounds:
            raise PermissionError(errno.EACCES, "addresses are not read here", str(path))
        return RangedFile(path)
    return open_for_arrow(path, bounds) if bounds else path


def _is_streamed(job: ReadJob) -> bool:
    """Whether it cannot be read at any place: it is on a web server without ranges."""
    path = job.source.path
    return isinstance(path, RemotePath) and not bounds_of(job) and not has_ranges(path)


def _copied(job: ReadJob) -> TemporaryFile:
    """The unpacked bytes of the file, since Parquet is read from its end."""
    copy, begun = TemporaryFile(), job.meter.bytes_read
    stream, buffer = open_stream(job), bytearray(1 << 20)
    try:
        with open(copy.path, "wb") as file:
            while count := stream.readinto(memoryview(buffer)):
                file.write(memoryview(buffer)[:count])
                packed = job.source.size or job.meter.bytes_read - begun
                most = max(_HARMLESS, _MOST_RATIO * packed)
                if file.tell() > most:
                    detail = f"unpacks to more than {most:,} bytes, which looks like a trap"
                    job.faults.add(None, "too-long", detail)
                    break
    finally:
        stream.close()
    return copy


def _batches(
    job: ReadJob, file: Any, columns: list[str] | None, first: int = 0
) -> Iterator[pa.RecordBatch]:
    """Batches of about the requested size, from this row group on, with which a unit begins."""
    done = rows_before(file.metadata, first)
    # Threads of Arrow may still hold a Python file when Python ends, and would end it by an abort.
    with_threads = job.threads > 1 and isinstance(job.source.path, Path)
    try:
        for unit in units_of(job, file.metadata):
            if unit.start < first:
                continue
            for batch in file.iter_batches(
                batch_size=rows_of_batch(job, file.metadata, unit),
                row_groups=list(unit),
                columns=columns,
                use_threads=with_threads,
            ):
                yield batch
                done += batch.num_rows
    except _DAMAGE as fault:
        if isinstance(fault, OSError) and is_remote(fault.filename):
            raise  # not what is in the file, but the way to it
        for batch in _up_to_damage(file, columns, done):
            yield batch
            done += batch.num_rows
        detail = f"the Parquet file is damaged; rows after {done:,} are not read"
        job.faults.add(None, "truncated", detail)


def _up_to_damage(file: Any, columns: list[str] | None, done: int) -> Iterator[pa.RecordBatch]:
    """The rows between the last whole batch and the damage, so that no batch size decides."""
    first, groups = 0, list(range(file.metadata.num_row_groups))
    while groups and (last := first + file.metadata.row_group(groups[0]).num_rows) <= done:
        first, groups = last, groups[1:]
    with suppress(*_DAMAGE):
        for row, batch in enumerate(
            file.iter_batches(1, row_groups=groups, columns=columns, use_threads=False), first
        ):
            if row >= done:
                yield batch


def _codec(file: Any) -> str:
    metadata = file.metadata
    if not metadata.num_row_groups or not metadata.num_columns:
        return "snappy"
    # Asked for alone, damaged metadata of a column ends the process; reading the column raises.
    first = file.schema_arrow.names[:1]
    try:
        next(file.iter_batches(1, row_groups=[0], columns=first, use_threads=False), None)
    except _DAMAGE:
        return "snappy"
    codec: str = metadata.row_group(0).column(0).compression
    return "none" if codec == "UNCOMPRESSED" else codec


def _what_is_wrong(path: Place, bounds: tuple[str, ...]) -> str:
    """The fault of a file that cannot be opened, by the mark that begins and ends Parquet files."""
    with open_place(path, bounds) as file:
        begin = file.read(len(PARQUET))
        file.seek(-min(len(PARQUET), len(begin)), os.SEEK_END)
        end = file.read()
    if begin != PARQUET:
        return "this is not a Parquet file: it does not begin with the mark PAR1"
    if end != PARQUET:
        return "the Parquet file is cut off: it does not end with the mark PAR1"
    return "the Parquet file is damaged: its list of columns cannot be read"
