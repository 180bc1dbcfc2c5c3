"""CSV and TSV with a header line: quoted fields may hold delimiters, quotes and line ends."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import some_of
from twinset.model import Batch, Ints
from twinset.reading.arrays import replaced, string_array
from twinset.reading.batches import BatchBuilder, order_of
from twinset.reading.cleaning import as_text, cleaned
from twinset.reading.encoding import broken_characters, decode, encoding_of
from twinset.reading.output.csv_notes import CsvNotes
from twinset.reading.output.cutting import changed_rows
from twinset.reading.output.decisions import FRAME, OTHER, ROW
from twinset.reading.output.records import Outputs
from twinset.reading.record_blocks import Buffer, RecordBlock, record_blocks
from twinset.reading.rows.block import RowBlock
from twinset.reading.rows.delimited import DelimitedRows
from twinset.reading.rows.kinds import FieldKinds
from twinset.reading.signs import DELIMITERS, SIGNS
from twinset.reading.source import FileShape, ReadJob
from twinset.reading.stream import ByteStream, PrefixedStream, open_text_stream
from twinset.spec import option
from twinset.spec.numerals import counted

Delimiter = Literal["auto", "comma", "tab", "semicolon", "pipe"]
_HEAD = 1 << 16


@dataclass(frozen=True)
class Csv:
    """Rows of fields under a header; ``auto`` takes the delimiter that the header has most of."""

    delimiter: Delimiter = option(
        "auto", "What separates fields; auto takes what the header has most of."
    )
    suffixes: ClassVar[tuple[str, ...]] = SIGNS["csv"].suffixes
    sniff = staticmethod(SIGNS["csv"].sniff)

    def read(self, job: ReadJob) -> Iterator[Batch]:
        """A batch for every block of records."""
        with self._table(job) as table:
            for block in table.blocks():
                batch = table.batch(block)
                if batch is not None:
                    yield batch

    def records(self, job: ReadJob) -> Iterator[dict[str, Any]]:
        """The rows of the first block with all their columns."""
        with self._table(job) as table:
            yield from table.named_rows(next(iter(table.blocks()), None))

    def rows(self, job: ReadJob) -> Iterator[RowBlock]:
        """The records as rows; one with an open quote has no record."""
        with self._table(job) as table:
            yield from DelimitedRows(table, job.limit).blocks()

    def row_kinds(self, job: ReadJob) -> FieldKinds:
        """The columns of the header, and those of longer records."""
        with self._table(job) as table:
            return DelimitedRows(table, job.limit).kinds()

    def shape(self, job: ReadJob) -> FileShape | None:
        """The columns of the header and the encoding of the first rows; None without a header."""
        with self._table(job) as table:
            block = next(iter(table.blocks()), None)
            names = table.names(block)
            if block is None or names is None:
                return None
            return FileShape(table.delimiter.join(names), encoding_of(block.data.tobytes()))

    def write(self, job: ReadJob, outputs: Outputs) -> None:
        """Hand over the records as they are, the header to every file."""
        stream, mark, encoding = open_text_stream(job)
        try:
            with outputs.files(encoding, mark, b"\n") as out:
                delimited, delimiter = self._delimited(stream)
                table, notes = CsvTable(job, delimited, delimiter), CsvNotes(delimiter)
                for block in table.blocks():
                    if block.part == "whole":
                        column = table.text_column(block)
                        records, _ = table.records(block, [])
                        kinds = table.kinds(records)
                        annotate = partial(changed_rows, notes, column, block.data, records, kinds)
                        out.records(block.data, records["end"], kinds, annotate)
                        out.left_open(b"" if records["closed"][-1] else b'"\n')
                    elif block.part == "first":
                        out.record(block.data, ROW if table.begun else OTHER)
                        table.begun = True
                    else:
                        out.more(block.data)
        finally:
            stream.close()

    @contextmanager
    def _table(self, job: ReadJob) -> Iterator[CsvTable]:
        stream, _, _ = open_text_stream(job)
        with closing(stream):
            yield self.table(job, stream)

    def table(self, job: ReadJob, stream: ByteStream) -> CsvTable:
        """The records of a stream in UTF-8."""
        return CsvTable(job, *self._delimited(stream))

    def _delimited(self, stream: ByteStream) -> tuple[ByteStream, str]:
        head = bytearray(_HEAD)
        with memoryview(head) as view:
            count = stream.readinto(view)
        first = bytes(head[:count]).lstrip(b"\r\n").split(b"\n", 1)[0].decode("latin-1")
        delimiter = DELIMITERS.get(self.delimiter) or max(DELIMITERS.values(), key=first.count)
        return PrefixedStream(bytes(head[:count]), stream), delimiter


@dataclass(frozen=True)
class Tsv(Csv):
    """Rows of fields between tabs."""

    delimiter: Delimiter = option("tab", "What separates fields.")
    suffixes: ClassVar[tuple[str, ...]] = SIGNS["tsv"].suffixes
    sniff = staticmethod(SIGNS["tsv"].sniff)


_NEWLINE = 10


class CsvTable:
    """One pass over a file: knows the columns once it has read the header, and counts lines."""

    def __init__(self, job: ReadJob, stream: ByteStream, delimiter: str) -> None:
        self._job, self._stream, self.delimiter = job, stream, delimiter
        self._wanted = [-1, -1, -1]
        self._columns = 0
        self._line = 0
        self.begun = False

    def blocks(self) -> Iterator[RecordBlock]:
        """Blocks of whole records."""
        code = ord(self.delimiter)

        def last_end(buffer: Buffer, have: int) -> int:
            return _kernels.csv_last_end(np.frombuffer(buffer, np.uint8, have), code)

        return record_blocks(self._stream, self._job.block_bytes, self._job.limit, last_end)

    def records(
        self, block: RecordBlock, columns: list[int]
    ) -> tuple[Mapping[str, Any], list[Any]]:
        """The records of a block with the values of some columns."""
        numbers = np.array(columns, dtype=np.int64)
        return _kernels.csv_rows(block.data, ord(self.delimiter), numbers, self._job.threads)

    def kinds(self, records: Mapping[str, Any]) -> NDArray[np.uint8]:
        """Which of the records are documents; the first that is not blank is the header."""
        kinds = np.where(records["fields"] == 0, OTHER, ROW).astype(np.uint8)
        if not self.begun and (kinds == ROW).any():
            self.begun = True
            kinds[np.flatnonzero(kinds == ROW)[0]] = FRAME
        return kinds

    def batch(self, block: RecordBlock) -> Batch | None:
        """The documents of a block; None where it holds none."""
        if block.part != "whole":
            return self._endless(block)
        if not self.begun:
            self._header(block)
        records, columns = self.records(block, self._wanted)
        rows = np.flatnonzero(self.kinds(records) == ROW)
        places = records["line"][:-1] + self._line
        self._line += int(records["line"][-1])
        return self._batch(block, records, columns, rows, places) if len(rows) else None

    def _endless(self, block: RecordBlock) -> Batch | None:
        line = self._line + 1
        self._line += int(np.count_nonzero(block.data == _NEWLINE))
        if block.part != "first":
            return None
        self._job.faults.add(
            line, "too-long", f"the record is longer than {self._job.limit:,} bytes"
        )
        begun, self.begun = self.begun, True
        rows = BatchBuilder()
        if begun:
            rows.add(None, None, line)
        return rows.batch(self._job)

    def names(self, block: RecordBlock | None) -> list[str] | None:
        """The columns that the header names, where the file begins with this block."""
        if block is None or block.part != "whole":
            return None
        records, _ = self.records(block, [])
        full = np.flatnonzero(records["fields"] > 0)
        if not len(full):
            return None
        return self._fields(block, records, int(full[0]))

    def text_column(self, block: RecordBlock) -> int:
        """The number of the column that holds the text, -1 where there is none.

        Asked before the `kinds` of the first block, which has the header.
        """
        if not self.begun:
            names = self.names(block) or []
            text = self._job.options.text
            self._wanted[1] = max((n for n, name in enumerate(names) if name == text), default=-1)
        return self._wanted[1]

    def _header(self, block: RecordBlock) -> None:
        records, _ = self.records(block, [])
        full = np.flatnonzero(records["fields"] > 0)
        if not len(full):
            return
        first = int(full[0])
        names = self._fields(block, records, first)
        self._columns = len(names)
        options = self._job.options
        at = {name: column for column, name in enumerate(names)}
        self._wanted = [
            at.get(name or "", -1) for name in (options.id, options.text, options.order)
        ]
        if options.text not in at:
            fault = f"there is no column '{options.text}' (it has {some_of(names)})"
            self._job.faults.add(int(records["line"][first]), "missing", fault)

    def _fields(
        self, block: RecordBlock, records: Mapping[str, Any], at: int, most: int | None = None
    ) -> list[str]:
        """The first fields of one record, by itself: a column has a place for every record."""
        record = RecordBlock(block.data[int(records["begin"][at]) : int(records["end"][at])])
        _, columns = self.records(record, list(range(int(records["fields"][at])))[:most])
        return [decode(CsvColumn(column, np.array([0])).raw(0)).text for column in columns]

    def named_rows(self, block: RecordBlock | None) -> Iterator[dict[str, str]]:
        """The rows of the block that begins with the header, by the names in it."""
        names = self.names(block)
        if block is None or names is None:
            return
        records, _ = self.records(block, [])
        for at in np.flatnonzero(records["fields"] > 0)[1:].tolist():
            yield dict(zip(names, self._fields(block, records, at, len(names)), strict=False))

    def _batch(
        self,
        block: RecordBlock,
        records: Mapping[str, Any],
        columns: list[Any],
        rows: Ints,
        places: Ints,
    ) -> Batch:
        job = self._job
        ids, texts, order = (CsvColumn(column, rows) for column in columns)
        ids_array, texts_array = (
            ids.array(pa.string()),
            cleaned(job, texts.array(pa.large_string()), places[rows]),
        )
        bad = dict(self._bad_rows(records, rows, places, texts))
        self._count_wide_rows(block, records, rows, places)
        not_utf8 = np.flatnonzero(ids.state == 2).tolist()
        decoded = {row: decode(ids.raw(row)).text for row in not_utf8}
        empty = {int(row): None for row in np.flatnonzero((ids.state == 1) & (ids.sizes == 0))}
        return Batch(
            replaced(ids_array, {**decoded, **empty}),
            replaced(texts_array, bad),
            job.source.name,
            places[rows],
            order.orders(job, places[rows]) if job.options.order else None,
            job.faults.take(),
            job.take_counts(),
            texts.bytes_of(bad) if job.options.raw else None,
        )

    def _bad_rows(
        self, records: Mapping[str, Any], rows: Ints, places: Ints, texts: CsvColumn
    ) -> Iterator[tuple[int, str | None]]:
        """Rows whose text has to be decoded by itself, or is not there at all."""
        faults, limit = self._job.faults, self._job.limit
        closed = records["closed"][rows].view(bool)
        long = (records["end"] - records["begin"])[rows] > limit
        for row in np.flatnonzero(~closed | long | (texts.state != 1)).tolist():
            line = int(places[rows[row]])
            if long[row]:
                faults.add(line, "too-long", f"the record is longer than {limit:,} bytes")
            elif not closed[row]:
                faults.add(line, "syntax", "a quote is opened and never closed")
            elif texts.state[row] == 0:
                if self._wanted[1] >= 0:
                    count = int(records["fields"][rows[row]])
                    faults.add(
                        line,
                        "missing",
                        f"the row ends after {counted(count, 'field')}, before the text",
                    )
            else:
                decoded = decode(texts.raw(row))
                if decoded.broken:
                    faults.add(line, "encoding", broken_characters(decoded.broken))
                yield row, as_text(self._job, decoded.text, line)
                continue
            yield row, None

    def _count_wide_rows(
        self, block: RecordBlock, records: Mapping[str, Any], rows: Ints, places: Ints
    ) -> None:
        """Report rows with more fields than the header: a text is cut where its delimiter is."""
        fields, closed = records["fields"][rows], records["closed"][rows].view(bool)
        for row in np.flatnonzero((fields > self._columns) & closed).tolist():
            more = int(fields[row]) - self._columns
            begin, end = int(records["begin"][rows[row]]), int(records["end"][rows[row]])
            ending = block.data[max(begin, end - more - 2) : end].tobytes().rstrip(b"\r\n")
            if ending.endswith(self.delimiter.encode() * more):
                continue  # delimiters at the end of the line, behind which there is nothing
            detail = f"the row has {counted(fields[row], 'field')}, the header {self._columns}"
            self._job.faults.add(int(places[rows[row]]), "columns", detail)


class CsvColumn:
    """The values of one column for the rows that are documents."""

    def __init__(self, column: Mapping[str, Any], rows: Ints) -> None:
        self._offsets: Ints = column["offsets"]
        self._bytes: NDArray[np.uint8] = column["bytes"]
        self._rows = rows
        self.state: NDArray[np.uint8] = column["state"][rows]
        self.sizes: Ints = np.diff(self._offsets)[rows]

    def array(self, kind: pa.DataType) -> pa.Array:
        """The values that are UTF-8; the others are null."""
        valid = np.zeros(len(self._offsets) - 1, dtype=bool)
        valid[self._rows] = self.state == 1
        every = string_array(kind, self._bytes, self._offsets, valid)
        return every if len(self._rows) == len(valid) else every.take(pa.array(self._rows))

    def bytes_of(self, decoded: Mapping[int, str | None]) -> pa.Array:
        """All values as bytes, null where the decoded one is None."""
        more = {row: None if text is None else self.raw(row) for row, text in decoded.items()}
        return replaced(self.array(pa.large_binary()), more)

    def raw(self, row: int) -> bytes:
        """The bytes of one value."""
        at = self._rows[row]
        return self._bytes[self._offsets[at] : self._offsets[at + 1]].tobytes()

    def orders(self, job: ReadJob, places: Ints) -> NDArray[np.float64]:
        """The values as numbers or dates to order by, NaN where they are none."""
        there = self.state == 1
        values = (
            order_of(job, self.raw(row).decode(), int(places[row])) if there[row] else math.nan
            for row in range(len(there))
        )
        return np.fromiter(values, dtype=np.float64, count=len(there))
