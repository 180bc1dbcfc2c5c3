"""Parquet: only the columns that are needed, batch after batch, so that memory stays small."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from twinset.errors import ReadError
from twinset.model import Batch
from twinset.read.columns import check_schema, column_batch
from twinset.read.fork import Fork
from twinset.read.opening import open_stream
from twinset.read.source import Job

# A name of a column that is not UTF-8 is met by Python and not by Arrow.
_DAMAGED = (pa.ArrowInvalid, pa.ArrowNotImplementedError, UnicodeDecodeError, OSError)


@dataclass(frozen=True)
class Parquet:
    """Rows of a Parquet file."""

    suffixes: ClassVar[tuple[str, ...]] = (".parquet", ".pq")

    @staticmethod
    def sniff(head: bytes) -> bool:
        """Whether the file begins with the format's mark."""
        return head.startswith(b"PAR1")

    def read(self, job: Job) -> Iterator[Batch]:
        """Batches of rows with the id, the text and the order."""
        with _opened(job) as file:
            if file is None:
                return
            check_schema(job, file.schema_arrow)
            row = 1
            before = job.meter.bytes_read
            for batch in _batches(job, file, _needed(job, file.schema_arrow)):
                yield column_batch(job, batch, row)
                row += batch.num_rows
                done = (row - 1) / max(file.metadata.num_rows, 1)
                job.meter.bytes_read = before + int(done * job.source.size)

    def split(self, job: Job, fork: Fork) -> None:
        """Rows with all their columns into two files of the same schema."""
        import pyarrow.parquet as pq

        with _opened(job) as file:
            if file is None:
                _copy_broken(job, fork)
                return
            schema, codec = file.schema_arrow, _codec(file)
            with (
                fork.handles() as (kept_file, removed_file),
                pq.ParquetWriter(kept_file, schema, compression=codec) as kept,
                pq.ParquetWriter(removed_file, schema, compression=codec) as removed,
            ):
                for batch in _batches(job, file, None):
                    keep = fork.decisions.take(batch.num_rows)
                    for writer, mask in ((kept, keep), (removed, ~keep)):
                        if mask.any():
                            writer.write_batch(batch.filter(pa.array(mask)))


@contextmanager
def _opened(job: Job) -> Iterator[Any]:
    """The file, unpacked first if it is packed as a whole; None (and a fault) if it is broken."""
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory(prefix="twinset-") as folder:
        path = job.source.path
        if job.source.compression:
            path = _unpacked(job, Path(folder))
        try:
            file = pq.ParquetFile(path, memory_map=False, pre_buffer=False, buffer_size=1 << 20)
        except _DAMAGED as fault:
            if isinstance(fault, OSError) and fault.errno:
                raise
            job.faults.add(None, "syntax", f"this is not a Parquet file ({_first_line(fault)})")
            yield None
            return
        with file:
            yield file


def _unpacked(job: Job, folder: Path) -> Path:
    path = folder / "unpacked.parquet"
    stream, buffer = open_stream(job), bytearray(1 << 20)
    with open(path, "wb") as file:
        while got := stream.readinto(memoryview(buffer)):
            file.write(memoryview(buffer)[:got])
    stream.close()
    return path


def _batches(job: Job, file: Any, columns: list[str] | None) -> Iterator[pa.RecordBatch]:
    """Batches of about the size that was asked for, as far as the row groups tell their sizes."""
    metadata = file.metadata
    size = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    rows = max(1, min(1 << 20, job.batch_bytes * metadata.num_rows // max(size, 1)))
    try:
        yield from file.iter_batches(batch_size=rows, columns=columns, use_threads=job.threads > 1)
    except _DAMAGED as fault:
        raise ReadError(
            job.source.name, None, f"the file is damaged ({_first_line(fault)}); fetch it again"
        ) from None


def _needed(job: Job, schema: pa.Schema) -> list[str]:
    """The columns to read: a name with dots in it, or the top of a nested one."""
    options = job.options
    wanted = [name for name in (options.id, options.text, options.order) if name]
    tops = [name if name in schema.names else name.split(".")[0] for name in wanted]
    return [name for name in dict.fromkeys(tops) if name in schema.names]


def _codec(file: Any) -> str:
    metadata = file.metadata
    if not metadata.num_row_groups or not metadata.num_columns:
        return "snappy"
    codec: str = metadata.row_group(0).column(0).compression
    return "none" if codec == "UNCOMPRESSED" else codec


def _copy_broken(job: Job, fork: Fork) -> None:
    """What could not be read is kept as it is."""
    fork.kept.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(job.source.path, fork.kept)


def _first_line(fault: Exception) -> str:
    return str(fault).split("\n", 1)[0]
