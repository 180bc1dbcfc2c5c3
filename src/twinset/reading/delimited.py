"""CSV and TSV with a header line: quoted fields may hold delimiters, quotes and line ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import some_of
from twinset.model import Batch, Ints
from twinset.model import compute as pc
from twinset.model.columns import column, valid
from twinset.plan.spec import counted, option
from twinset.reading.arrays import string_array, strings
from twinset.reading.base import (
    FRAME,
    MORE,
    OTHER,
    ROW,
    RecordBytes,
    RecordFormat,
    Row,
    Rows,
    distinct,
)
from twinset.reading.batches import BatchBuilder, columns_batch
from twinset.reading.formats import DELIMITERS, SIGNS
from twinset.reading.record_blocks import Buffer, RecordBlock, record_blocks
from twinset.reading.source import ReadJob
from twinset.reading.stream import ByteStream, open_text_stream, prefixed
from twinset.text.encoding import decode, encoding_of

Delimiter = Literal["auto", "comma", "tab", "semicolon", "pipe"]
_HEAD = 1 << 16
_MOST_COLUMNS = 1 << 20
"""Columns of a header, the names of which take 100 MB."""
_MOST_PLACES = 1 << 24
"""Values that are taken apart at a time, one for each column of each record."""
_AT_ONCE = 1 << 14
"""Columns that are taken apart at a time: each takes 2.6 kB meanwhile."""


@dataclass(frozen=True)
class Csv(RecordFormat):
    """Rows of fields under a header; ``auto`` takes the delimiter that the header has most of."""

    has_fields: ClassVar[bool] = True
    joint: ClassVar[bytes] = b"\n"

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

    def rows(self, job: ReadJob) -> Iterator[Rows]:
        """The records as rows; one with an open quote has none."""
        with self._table(job) as table:
            for block in table.blocks():
                yield table.rows(block)

    def shape(self, job: ReadJob) -> str:
        """The columns of the header, and whether the first rows are UTF-8; nothing without one."""
        with self._table(job) as table:
            block = next(iter(table.blocks()), None)
            names = table.names(block)
            if block is None or names is None:
                return ""
            encoding = encoding_of(block.raw)
            is_other = encoding is not None and encoding != "utf-8"
            return table.delimiter.join([*names, "not UTF-8" if is_other else ""])

    def delimiter_of(self, job: ReadJob) -> str:
        """What separates the fields of a source."""
        with self._table(job) as table:
            return table.delimiter

    def records(self, job: ReadJob) -> Iterator[RecordBytes]:
        """The records as they are; the header is the frame."""
        with self._table(job) as table:
            for block in table.blocks():
                if block.part == "whole":
                    records, _ = table.records(block, [])
                    missing = b"" if records["closed"][-1] else b'"\n'
                    yield RecordBytes(block.data, records["end"], table.kinds(records), missing)
                else:
                    kind = MORE if block.part != "first" else ROW if table.begun else OTHER
                    yield RecordBytes.single(block.data, kind)
                    table.begun = True

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
        count = stream.readinto(memoryview(head))
        first = bytes(head[:count]).lstrip(b"\r\n").split(b"\n", 1)[0].decode("latin-1")
        delimiter = DELIMITERS.get(self.delimiter) or max(DELIMITERS.values(), key=first.count)
        return prefixed(bytes(head[:count]), stream), delimiter


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
        self._names: list[str] = []
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

    def _header(self, block: RecordBlock) -> None:
        records, _ = self.records(block, [])
        full = np.flatnonzero(records["fields"] > 0)
        if not len(full):
            return
        first = int(full[0])
        names = self._fields(block, records, first)
        self._columns = int(records["fields"][first])
        options = self._job.options
        at = {name: column for column, name in enumerate(names)}
        self._wanted = [
            at.get(name or "", -1) for name in (options.id, options.text, options.order)
        ]
        if (count := int(records["fields"][first])) > len(names):
            fault = f"the header has {count:,} columns, of which {len(names):,} are looked at"
            self._job.faults.add(int(records["line"][first]), "too-long", fault)
        if options.text not in at:
            fault = f"there is no column '{options.text}' (it has {some_of(names)})"
            self._job.faults.add(int(records["line"][first]), "missing", fault)

    def _fields(self, block: RecordBlock, records: Mapping[str, Any], at: int) -> list[str]:
        """The first fields of one record, by itself: a column has a place for every record."""
        record = RecordBlock(block.data[int(records["begin"][at]) : int(records["end"][at])])
        numbers = range(int(records["fields"][at]))[:_MOST_COLUMNS]
        return [
            decoded(values_of(values, np.array([0])))[0] or ""
            for first in range(0, len(numbers), _AT_ONCE)
            for values in self.records(record, list(numbers[first : first + _AT_ONCE]))[1]
        ]

    def rows(self, block: RecordBlock) -> Rows:
        """The rows of a block under the names of the header; further fields have their number."""
        if block.part != "whole":
            has_row = block.part == "first" and self.begun
            self.begun = True
            return Rows([None] if has_row else [], block.raw)
        records, _ = self.records(block, [])
        kinds = self.kinds(records)
        for at in np.flatnonzero(kinds == FRAME).tolist():
            self._names = distinct(self._fields(block, records, at))
        at = np.flatnonzero(kinds == ROW)
        is_long = records["end"][at] - records["begin"][at] > self._job.limit
        is_bad = (records["closed"][at] == 0) | is_long
        rows: list[Row | None] = [None] * len(at)
        for number, values in zip(
            np.flatnonzero(~is_bad).tolist(), self._values(block, records, at[~is_bad]), strict=True
        ):
            rows[number] = {
                self._names[column] if column < len(self._names) else f"column_{column + 1}": value
                for column, value in enumerate(values)
                # delimiters behind which is nothing are no fields
                if value is not None and (column < len(self._names) or value)
            }
        spans = zip(records["begin"][at[is_bad]], records["end"][at[is_bad]], strict=True)
        return Rows(rows, b"".join(block.data[begin:end].tobytes() for begin, end in spans))

    def _values(
        self, block: RecordBlock, records: Mapping[str, Any], at: Ints
    ) -> Iterator[Sequence[str | None]]:
        """The values of some records; one by one where a few of them have very many."""
        width = int(records["fields"][at].max(initial=0))
        if width * len(records["fields"]) > _MOST_PLACES:
            return (self._fields(block, records, row) for row in at.tolist())
        _, columns = self.records(block, list(range(width)))
        return zip(*(decoded(values_of(values, at)) for values in columns), strict=True)

    def _batch(
        self,
        block: RecordBlock,
        records: Mapping[str, Any],
        columns: list[Any],
        rows: Ints,
        places: Ints,
    ) -> Batch:
        ids, texts, order = (values_of(values, rows) for values in columns)
        bad = np.fromiter(self._bad_rows(records, rows, places, texts), bool, len(rows))
        texts = pc.if_else(column(~bad), texts, pa.nulls(1, texts.type)[0])
        self._count_wide_rows(block, records, rows, places)
        orders = strings(decoded(order), pa.string()) if self._job.options.order else None
        return columns_batch(self._job, texts, ids, orders, places[rows], nulls_are_known=True)

    def _bad_rows(
        self, records: Mapping[str, Any], rows: Ints, places: Ints, texts: pa.Array
    ) -> Iterator[bool]:
        """Whether the text of each row is not there, or not to be read."""
        faults, limit = self._job.faults, self._job.limit
        closed = records["closed"][rows].view(bool)
        long = (records["end"] - records["begin"])[rows] > limit
        is_bad = ~closed | long | ~valid(texts)
        for row in range(len(rows)) if is_bad.any() else ():
            line = int(places[rows[row]])
            if long[row]:
                faults.add(line, "too-long", f"the record is longer than {limit:,} bytes")
            elif not closed[row]:
                faults.add(line, "syntax", "a quote is opened and never closed")
            elif is_bad[row] and self._wanted[1] >= 0:
                count = counted(int(records["fields"][rows[row]]), "field")
                faults.add(line, "missing", f"the row ends after {count}, before the text")
        yield from is_bad.tolist()

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


def values_of(found: Mapping[str, Any], rows: Ints) -> pa.Array:
    """The bytes of a column in some rows; null where a row ends before it."""
    there = found["state"] != 0
    every = string_array(pa.large_binary(), found["bytes"], found["offsets"], there)
    return every if len(rows) == len(there) else every.take(column(rows))


def decoded(values: pa.Array) -> list[str | None]:
    """Bytes as texts."""
    try:
        texts: list[str | None] = values.cast(pa.large_string()).to_pylist()
        return texts
    except pa.ArrowInvalid:  # some of them are not UTF-8
        return [None if raw is None else decode(raw).text for raw in values.to_pylist()]
