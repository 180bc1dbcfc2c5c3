"""Tasks that make records of what was read, one for each format, by the local readers.

Rows come partition by partition, and in a partition file by file and block by block, each in its
own order: that is how Spark reads files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from itertools import groupby
from typing import Any

import pyarrow as pa

from twinset.engine.spark.blocks import InputBlock, pieces
from twinset.engine.spark.lines import LineSource, bytes_of, ensure_utf8, read_job
from twinset.errors import ReadError
from twinset.lazy_dataclass import dataclass
from twinset.plan import ReadOptions
from twinset.reading.batches import check_schema, column_batch
from twinset.reading.delimited import Csv, CsvTable, Tsv
from twinset.reading.files import bytes_batch, documents
from twinset.reading.jsonl import lines_batch
from twinset.reading.record_blocks import RecordBlock
from twinset.reading.source import Source
from twinset.reading.stream import ChunkStream

TABLES = {"csv": Csv, "tsv": Tsv}


@dataclass(frozen=True)
class LineParser:
    """JSON lines to records."""

    lines: LineSource
    sources: Sequence[Source]
    options: ReadOptions

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The records of a partition."""
        block: InputBlock | None = None
        for file, begin, data in self.lines(batches, self.options.max_document_bytes):
            if block is None or (block.file, block.begin) != (file, begin):
                if block is not None:
                    yield block.end()
                block = InputBlock(file, begin)
            job = read_job(self.sources[file], self.options)
            batch = lines_batch(job, RecordBlock(data), block.lines)
            yield from block.rows(batch)
            block.lines = batch.end.records
        if block is not None:
            yield block.end()


@dataclass(frozen=True)
class TableParser:
    """Lines of CSV and TSV files (``path``, ``value``), none of which is cut, to records."""

    numbers: Mapping[str, int]
    sources: Sequence[Source]
    options: ReadOptions

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The records of a partition: every file is a block."""
        for file, table in tables_of(batches, self.numbers, self.sources, self.options):
            block = InputBlock(file, 0)
            for content in table.blocks():
                batch = table.batch(content)
                if batch is not None:
                    yield from block.rows(batch)
            yield block.end()


def tables_of(
    batches: Iterator[pa.RecordBatch],
    numbers: Mapping[str, int],
    sources: Sequence[Source],
    options: ReadOptions,
) -> Iterator[tuple[int, CsvTable]]:
    """The CSV and TSV files of a partition by number, none of which is cut."""
    lines = pieces(batches, ("path",))
    for path, parts in groupby(lines, lambda piece: piece["path"][0].as_py()):
        job = read_job(sources[numbers[path]], options)
        stream = ChunkStream(stream_of(job.source, parts))
        yield numbers[path], TABLES[job.source.reader]().table(job, stream)


@dataclass(frozen=True)
class ColumnParser:
    """Rows of Parquet files to records: path, block and number of the row, then the columns.

    ``names`` are those of the columns, and ``schema`` that of the files with all they have. Where
    several files are one source, ``before`` says how many rows come before those of each.
    """

    numbers: Mapping[str, int]
    sources: Sequence[Source]
    options: ReadOptions
    names: Sequence[str]
    schema: pa.Schema
    before: Mapping[str, int] = field(default_factory=dict)

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The records of a partition."""
        block, at = None, None
        for piece in pieces(batches, ("path", "block")):
            place = piece["path"][0].as_py(), piece["block"][0].as_py()
            file = self.numbers[place[0]]
            job = read_job(self.sources[file], self.options)
            if block is None or at != place:
                if block is not None:
                    yield block.end()
                first = self.before.get(place[0], 0) + piece["index"][0].as_py()
                block, at = InputBlock(file, first), place
                if not block.begin:
                    check_schema(job, self.schema)
            # without any column, a batch would have no rows
            columns = [*piece.columns[3:], pa.nulls(piece.num_rows)]
            rows = pa.RecordBatch.from_arrays(columns, [*self.names, ""])
            yield from block.rows(column_batch(job, rows, block.lines + 1))
            block.lines += piece.num_rows
        if block is not None:
            yield block.end()


@dataclass(frozen=True)
class FileParser:
    """Plain files (``path``, ``content``), a document each, to records.

    All files of a folder are one block, in which each has its row by its name, whoever reads it.
    ``content`` is null for a file that is too long.
    """

    places: Mapping[str, tuple[int, int]]
    sources: Sequence[Source]
    options: ReadOptions

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The records of a partition."""
        for batch in batches:
            for path, content in zip(batch["path"], batch["content"], strict=True):
                file, row = self.places[path.as_py()]
                job = read_job(self.sources[file], self.options)
                files = documents(job)
                block = InputBlock(file, 0, documents=row)
                document = bytes_batch(job, files[row], row + 1, content.as_py())
                if len(document) != 1:  # a mailbox, whatever its name
                    detail = "the file holds several documents; leave it out, or"
                    raise ReadError(str(files[row]), None, f"{detail} run with --engine local")
                yield from block.rows(document)
                if row + 1 == len(files):
                    block.lines = len(files)
                    yield block.end()
                else:
                    yield from block.counted()


def stream_of(source: Source, parts: Iterator[pa.RecordBatch]) -> Iterator[Any]:
    """The bytes of a file, whose lines come batch by batch."""
    for number, part in enumerate(parts):
        data = bytes_of(part["value"])
        if not number:
            ensure_utf8(source, data)
        yield data
