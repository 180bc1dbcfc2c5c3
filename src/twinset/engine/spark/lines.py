"""Lines of files on their way to the tasks that parse them.

Plain files of this machine, or of a folder that all machines share, are read by the tasks
themselves: only which blocks they read comes from Spark. Everything else Spark reads, unpacks and
cuts into lines, which takes several times as long.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from twinset.engine.spark.blocks import pieces
from twinset.errors import ReadError
from twinset.lazy_dataclass import dataclass
from twinset.model import Position
from twinset.model import compute as pc
from twinset.plan import ReadOptions
from twinset.reading.encoding import byte_order_mark
from twinset.reading.faults import Faults
from twinset.reading.line_ranges import open_ranges
from twinset.reading.source import ReadJob, Source

CHUNK_BYTES = 4 << 20
"""Bytes of lines that are parsed at a time."""
OPEN_BYTES = 64 << 10
"""A file costs as much as so many bytes, where small ones share a task."""


class FileLines(NamedTuple):
    """Whole lines, which begin in a block of a file; the last one may lack its end."""

    file: int
    block: int
    data: Any


class LineSource(Protocol):
    """The lines of a partition, file by file and block by block, each in its own order."""

    def __call__(self, batches: Iterator[pa.RecordBatch], limit: int) -> Iterator[FileLines]:
        """The bytes of each are valid until the next ones are asked for.

        Of a line that is longer than the limit less may come.
        """
        ...


class FilePart(NamedTuple):
    """A part of a file, by the number of its source."""

    file: int
    begin: int
    end: int


@dataclass(frozen=True)
class LinesOfSpark:
    """Rows ``path``, ``block``, ``value`` as Spark reads them."""

    numbers: Mapping[str, int]
    sources: Sequence[Source]

    def __call__(self, batches: Iterator[pa.RecordBatch], limit: int) -> Iterator[FileLines]:
        """The rows as bytes."""
        place = None
        for piece in pieces(batches, ("path", "block")):
            here = self.numbers[piece["path"][0].as_py()], piece["block"][0].as_py()
            data = bytes_of(piece["value"])
            if here != place and not here[1]:
                ensure_utf8(self.sources[here[0]], data)
            place = here
            yield FileLines(*here, data)


@dataclass(frozen=True)
class LinesOfTasks:
    """Rows ``id``: the number of a task, which reads its blocks of plain files itself."""

    tasks: Sequence[Sequence[FilePart]]
    sources: Sequence[Source]
    options: ReadOptions

    def __call__(self, batches: Iterator[pa.RecordBatch], limit: int) -> Iterator[FileLines]:
        """The lines that begin in the blocks."""
        options = dataclasses.replace(self.options, max_document_bytes=limit)
        for batch in batches:
            for task in batch["id"].to_pylist():
                for block in self.tasks[task]:
                    job = read_job(self.sources[block.file], options)
                    for data in _lines_of(job, block):
                        yield FileLines(block.file, block.begin, data)


def _lines_of(job: ReadJob, block: FilePart) -> Iterator[Any]:
    job.batch_bytes = CHUNK_BYTES
    path = job.source.path
    assert isinstance(path, Path)
    if path.stat().st_size != job.source.size:
        raise ReadError(job.source.name, None, "the file has changed since the run began")
    lines = open_ranges(job, Position())
    if lines is None:
        with path.open("rb") as file:
            ensure_utf8(job.source, np.frombuffer(file.read(4), np.uint8))
        return
    try:
        for part in lines.parts(block.begin, block.end):
            read = lines.lines(part).block
            if len(read.data):
                yield read.data
            lines.buffers.give_back(read)
    finally:
        lines.close()


def is_read_by_tasks(source: Source) -> bool:
    """Whether a file can be read without Spark: one that is not packed, in a folder."""
    return isinstance(source.path, Path) and source.compression is None and bool(source.size)


def tasks_of(
    sources: Sequence[Source], files: Sequence[int], block_bytes: int
) -> list[list[FilePart]]:
    """The files in blocks of so many bytes, and small ones together in a task.

    They depend on nothing but the sizes of the files: a block is the same in every pass.
    """
    tasks: list[list[FilePart]] = []
    room = 0
    for file in files:
        size = sources[file].size or 0
        for begin in range(0, size, block_bytes):
            block = FilePart(file, begin, min(begin + block_bytes, size))
            cost = block.end - begin + min(OPEN_BYTES, block_bytes)
            if not tasks or cost > room:
                tasks.append([])
                room = block_bytes + min(OPEN_BYTES, block_bytes)
            tasks[-1].append(block)
            room -= cost
    return tasks


def read_job(source: Source, options: ReadOptions) -> ReadJob:
    """The job of reading a part of a source in a task, which has one core.

    Faults never stop a task, which would be tried again: whoever gathers them does.
    """
    return ReadJob(source, options, Faults(source.name, "skip"), threads=1)


def bytes_of(lines: pa.Array) -> Any:
    """The lines with their ends again, one behind the other."""
    ended = pc.binary_join_element_wise(
        lines.cast(pa.large_binary()),
        pa.scalar(b"\n", pa.large_binary()),
        pa.scalar(b"", pa.large_binary()),
    )
    offsets = np.frombuffer(ended.buffers()[1], np.int64)[
        ended.offset : ended.offset + len(ended) + 1
    ]
    return np.frombuffer(ended.buffers()[2], np.uint8)[offsets[0] : offsets[-1]]


def ensure_utf8(source: Source, begin: Any) -> None:
    """Raise for a file of another encoding, in which Spark finds no lines."""
    mark = byte_order_mark(begin[:4].tobytes())
    if mark is not None and mark[1] != "utf-8":
        raise ReadError(
            source.name,
            None,
            f"Spark reads UTF-8, and the file is {mark[1]}; convert it (iconv -t utf-8), or run "
            "with --engine local",
        )
