"""Parquet: only the columns that are needed, batch after batch, so that memory stays small."""

from __future__ import annotations

import errno
import os
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from twinset.model import Batch
from twinset.model import compute as pc
from twinset.plan import ReadOptions
from twinset.reading.batches import check_schema, column_batch, pick
from twinset.reading.faults import Faults
from twinset.reading.output.records import Outputs
from twinset.reading.output.routes import Wrap
from twinset.reading.output.rows import annotated_schema, send_rows
from twinset.reading.row_groups import (
    decoded_units,
    largest_group,
    rows_before,
    rows_of_batch,
    units_at_a_time,
    units_of,
)
from twinset.reading.rows.block import FieldRows, RowBlock, TableRows
from twinset.reading.rows.kinds import FieldKinds
from twinset.reading.rows.record import distinct
from twinset.reading.rows.tables import ParquetRows, groups_at_a_time
from twinset.reading.signs import PARQUET, SIGNS
from twinset.reading.source import FileShape, ReadJob
from twinset.reading.stream import bounds_of, chunks, open_stream
from twinset.system.bounded import open_for_arrow
from twinset.system.fetching import has_ranges, open_place
from twinset.system.pieces import ScatteredFile
from twinset.system.remote import Place, RemotePath, is_remote
from twinset.system.temporary import TemporaryFile

_FEW = 100
_DAMAGE = (pa.ArrowException, OSError, ValueError, MemoryError)
# A packed file may unpack to this many times its size on the disk.
_MOST_RATIO = 200
_HARMLESS = 16 << 20
# Bytes of a row group, unpacked, of which a column is held in memory as it is fetched.
_SMALL_GROUP = 256 << 20
# Bytes of a row group that is written: up to three of them are held, and memory may be scarce.
_GROUP = 16 << 20


@dataclass(frozen=True)
class Parquet:
    """Rows of a Parquet file."""

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

    def records(self, job: ReadJob) -> Iterator[dict[str, Any]]:
        """The first rows with all their columns."""
        with _opened(job) as file:
            if file is not None:
                for batch in file.iter_batches(batch_size=_FEW):
                    yield from batch.to_pylist()

    def rows(self, job: ReadJob) -> Iterator[RowBlock]:
        """The rows with all their columns; of a damaged file its bytes, too."""
        quiet = _quiet(job)
        texts = frozenset((job.options.id, job.options.text))
        count = 0
        with _opened(quiet) as file:
            if file is not None:
                for batch in _batches(quiet, file, None):
                    count += batch.num_rows
                    yield TableRows(batch, texts)
        if quiet.faults:
            # Damage in a column that was not read before may have come earlier than it did there.
            documents = sum(len(batch) for batch in self.read(quiet))
            yield FieldRows([None] * max(0, documents - count))
            stream = open_stream(job)
            try:
                yield from (FieldRows([], more=piece) for piece in chunks(stream))
            finally:
                stream.close()

    def row_kinds(self, job: ReadJob) -> FieldKinds:
        """The columns with their types."""
        quiet = _quiet(job)
        with _opened(quiet) as file:
            if file is None:
                return FieldKinds()
            schema = file.schema_arrow
            return FieldKinds.of_schema(schema, distinct(schema.names), _bounds(quiet, file))

    def shape(self, job: ReadJob) -> FileShape | None:
        """The columns with their types and whether they may be empty; None for a broken file."""
        schema = parquet_schema(ReadJob(job.source, job.options, Faults(job.source.name, "skip")))
        return None if schema is None else FileShape(", ".join(str(field) for field in schema))

    def write(self, job: ReadJob, outputs: Outputs) -> None:
        """Rows with all their columns into files of the same schema.

        A damaged file is copied whole beside the kept rows, since it cannot be divided.
        """
        with _opened(job) as file:
            if file is None:
                _copy_broken(job, outputs, "")
                return
            before = outputs.decisions.used
            threads = groups_at_a_time(job)
            schema = file.schema_arrow
            noted = annotated_schema(schema) if outputs.decisions.outcomes.cuts is None else schema
            with outputs.begun(partial(_wrap, schema, noted, _codec(file), threads)) as routes:
                quiet = _quiet(job)
                for batch in _batches(quiet, file, None):
                    outcomes = outputs.decisions.take(batch.num_rows)
                    send_rows(routes, batch, outcomes, job.options.text)
        if quiet.faults:
            # Damage in a column that was not read before may have come earlier than it did there.
            documents = sum(len(batch) for batch in self.read(quiet))
            outputs.decisions.take(max(0, documents - (outputs.decisions.used - before)))
            _copy_broken(job, outputs, ".damaged")


def parquet_schema(job: ReadJob) -> pa.Schema | None:
    """The columns of the file with their types; None, and a fault, for a broken one."""
    with _opened(job) as file:
        return None if file is None else file.schema_arrow


def _documents(job: ReadJob, file: Any) -> Generator[Batch, None, None]:
    """Batches of documents, several row groups at a time where these are small enough."""
    columns = _needed(job, file.schema_arrow)
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


def _quiet(job: ReadJob) -> ReadJob:
    """The same job once more; its faults were reported before."""
    quiet = ReadJob(job.source, job.options, Faults(job.source.name, "skip"))
    quiet.batch_bytes, quiet.threads = job.batch_bytes, job.threads
    return quiet


def _wrap(schema: pa.Schema, noted: pa.Schema, codec: str, threads: int, name: str) -> Wrap:
    own = noted if name == "annotated" else schema
    return lambda file: ParquetRows(file, own, codec, _GROUP, threads)


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
            if isinstance(opened, ScatteredFile) and largest_group(file.metadata) <= _SMALL_GROUP:
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
            if isinstance(opened, ScatteredFile):
                opened.ensure_unchanged()
    finally:
        if copy is not None:
            copy.close()


def _for_arrow(path: Place, bounds: tuple[str, ...]) -> Any:
    if isinstance(path, RemotePath):
        if bounds:
            raise PermissionError(errno.EACCES, "addresses are not read here", str(path))
        return ScatteredFile(path)
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


def parquet_columns(options: ReadOptions, schema: pa.Schema) -> list[str]:
    """The fields that documents are made of, as far as there are any: their dotted names."""
    empty = pa.RecordBatch.from_arrays([pa.nulls(0, kind) for kind in schema.types], schema=schema)
    names = _asked(options)
    return [name for name in dict.fromkeys(names) if pick(empty, name) is not None]


def _asked(options: ReadOptions) -> list[str]:
    return [name for name in (options.id, options.text, options.order) if name]


def _needed(job: ReadJob, schema: pa.Schema) -> list[str]:
    """The columns to read: a name with dots in it, or the top of a nested one."""
    names = _asked(job.options)
    tops = [name if name in schema.names else name.split(".")[0] for name in names]
    return [name for name in dict.fromkeys(tops) if name in schema.names]


def _bounds(job: ReadJob, file: Any) -> dict[str, tuple[int, int]]:
    """The least and the greatest number of columns that may hold more than a double does."""
    wide = (pa.int64(), pa.uint64())
    every = file.schema_arrow.names
    names = [c.name for c in file.schema_arrow if c.type in wide and every.count(c.name) == 1]
    bounds: dict[str, tuple[int, int]] = dict.fromkeys(names, (0, 0))
    for batch in _batches(job, file, names) if names else ():
        for name in names:
            ends = pc.min_max(batch.column(name)).as_py()
            if ends["min"] is not None:
                least, greatest = bounds[name]
                bounds[name] = min(least, ends["min"]), max(greatest, ends["max"])
    return bounds


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


def _copy_broken(job: ReadJob, outputs: Outputs, ending: str) -> None:
    """Copy a file that could not be read as it is."""
    for name in ("kept", "annotated"):
        if name in outputs.routes:
            outputs.routes[name].copy(job.source, ending)


def _what_is_wrong(path: Place, bounds: tuple[str, ...]) -> str:
    """The fault of a file that cannot be opened, by the mark that begins and ends Parquet files."""
    with open_place(path, bounds) as file:
        begin = file.read(len(PARQUET))
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - len(PARQUET)))
        end = file.read()
    if size == 0:
        return "the file is empty and not a Parquet file"
    if begin != PARQUET:
        return "this is not a Parquet file: it does not begin with the mark PAR1"
    if end != PARQUET:
        return "the Parquet file is cut off: it does not end with the mark PAR1"
    return "the Parquet file is damaged: its list of columns cannot be read"
