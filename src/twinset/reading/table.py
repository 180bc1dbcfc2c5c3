"""A delimited file as a table: its header, its records, and what is wrong with them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.model import Batch, Ints
from twinset.reading.blocks import Block, record_blocks
from twinset.reading.encoding import decode
from twinset.reading.fork import FRAME, OTHER, ROW
from twinset.reading.rows import Rows, as_text, cleaned, number, replaced, string_array
from twinset.reading.source import Job
from twinset.reading.stream import Stream

_NEWLINE = 10


class Table:
    """One pass over a file: knows the columns once the header has gone by, and counts lines."""

    def __init__(self, job: Job, stream: Stream, delimiter: str) -> None:
        self._job, self._stream, self._delimiter = job, stream, delimiter
        self._wanted = [-1, -1, -1]
        self._columns = 0
        self._line = 0
        self.begun = False

    def blocks(self) -> Iterator[Block]:
        """Blocks of whole records."""
        code = ord(self._delimiter)

        def last_end(buffer: bytearray, have: int) -> int:
            return _kernels.csv_last_end(np.frombuffer(buffer, np.uint8, have), code)

        return record_blocks(self._stream, self._job.batch_bytes, self._job.limit, last_end)

    def records(self, block: Block, wanted: list[int]) -> tuple[Mapping[str, Any], list[Any]]:
        """The records of a block with the values of some columns."""
        columns = np.array(wanted, dtype=np.int64)
        return _kernels.csv_rows(block.data, ord(self._delimiter), columns, self._job.threads)

    def kinds(self, records: Mapping[str, Any]) -> NDArray[np.uint8]:
        """Which of the records are documents; the first that is not blank is the header."""
        kinds = np.where(records["fields"] == 0, OTHER, ROW).astype(np.uint8)
        if not self.begun and (kinds == ROW).any():
            self.begun = True
            kinds[np.flatnonzero(kinds == ROW)[0]] = FRAME
        return kinds

    def batch(self, block: Block) -> Batch | None:
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

    def _endless(self, block: Block) -> Batch | None:
        line = self._line + 1
        self._line += int(np.count_nonzero(block.data == _NEWLINE))
        if block.part != "first":
            return None
        self._job.faults.add(
            line, "too-long", f"the record is longer than {self._job.limit:,} bytes"
        )
        begun, self.begun = self.begun, True
        rows = Rows()
        if begun:
            rows.add(None, None, line)
        return rows.batch(self._job)

    def _header(self, block: Block) -> None:
        records, _ = self.records(block, [])
        full = np.flatnonzero(records["fields"] > 0)
        if not len(full):
            return
        first = int(full[0])
        header = Block(block.data[int(records["begin"][first]) : int(records["end"][first])])
        names = self._names(header, int(records["fields"][first]))
        self._columns = len(names)
        options = self._job.options
        at = {name: column for column, name in enumerate(names)}
        self._wanted = [
            at.get(name or "", -1) for name in (options.id, options.text, options.order)
        ]
        if options.text not in at:
            have = ", ".join(names)
            line = int(records["line"][first])
            self._job.faults.add(
                line, "missing", f"there is no column '{options.text}' (it has {have})"
            )

    def _names(self, header: Block, count: int) -> list[str]:
        _, columns = self.records(header, list(range(count)))
        return [decode(Column(column, np.array([0])).raw(0)).text for column in columns]

    def named_rows(self, block: Block | None) -> Iterator[dict[str, str]]:
        """The rows of the block that begins with the header, by the names in it."""
        if block is None or block.part != "whole":
            return
        records, _ = self.records(block, [])
        full = np.flatnonzero(records["fields"] > 0)
        if not len(full):
            return
        count = int(records["fields"][full[0]])
        _, columns = self.records(block, list(range(count)))
        values = [Column(column, full) for column in columns]
        names = [decode(value.raw(0)).text for value in values]
        for row in range(1, len(full)):
            yield {
                name: decode(value.raw(row)).text
                for name, value in zip(names, values, strict=True)
                if value.state[row]
            }

    def _batch(
        self, block: Block, records: Mapping[str, Any], columns: list[Any], rows: Ints, places: Ints
    ) -> Batch:
        job = self._job
        ids, texts, order = (Column(column, rows) for column in columns)
        ids_array, texts_array = (
            ids.array(pa.string()),
            cleaned(job, texts.array(pa.large_string())),
        )
        bad = dict(self._bad_rows(records, rows, places, texts))
        self._count_wide_rows(block, records, rows, places)
        found = {int(row): decode(ids.raw(int(row))).text for row in np.flatnonzero(ids.state == 2)}
        empty = {int(row): None for row in np.flatnonzero((ids.state == 1) & (ids.sizes == 0))}
        return Batch(
            replaced(ids_array, {**found, **empty}),
            replaced(texts_array, bad),
            job.source.name,
            places[rows],
            order.numbers() if job.options.order else None,
            job.faults.take(),
            job.take_counts(),
        )

    def _bad_rows(
        self, records: Mapping[str, Any], rows: Ints, places: Ints, texts: Column
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
                        line, "missing", f"the row ends after {count} fields, before the text"
                    )
            else:
                decoded = decode(texts.raw(row))
                if decoded.broken:
                    faults.add(line, "encoding", f"{decoded.broken} broken characters replaced")
                yield row, as_text(self._job, decoded.text)
                continue
            yield row, None

    def _count_wide_rows(
        self, block: Block, records: Mapping[str, Any], rows: Ints, places: Ints
    ) -> None:
        """Report rows with more fields than the header: a text is cut where its delimiter is."""
        fields, closed = records["fields"][rows], records["closed"][rows].view(bool)
        for row in np.flatnonzero((fields > self._columns) & closed).tolist():
            more = int(fields[row]) - self._columns
            begin, end = int(records["begin"][rows[row]]), int(records["end"][rows[row]])
            ending = block.data[max(begin, end - more - 2) : end].tobytes().rstrip(b"\r\n")
            if ending.endswith(self._delimiter.encode() * more):
                continue  # delimiters at the end of the line, behind which there is nothing
            detail = f"the row has {fields[row]} fields, the header {self._columns}"
            self._job.faults.add(int(places[rows[row]]), "columns", detail)


class Column:
    """The values of one column for the rows that are documents."""

    def __init__(self, found: Mapping[str, Any], rows: Ints) -> None:
        self._offsets: Ints = found["offsets"]
        self._bytes: NDArray[np.uint8] = found["bytes"]
        self._rows = rows
        self.state: NDArray[np.uint8] = found["state"][rows]
        self.sizes: Ints = np.diff(self._offsets)[rows]

    def array(self, kind: pa.DataType) -> pa.Array:
        """The values that are UTF-8; the others are null."""
        valid = np.zeros(len(self._offsets) - 1, dtype=bool)
        valid[self._rows] = self.state == 1
        every = string_array(kind, self._bytes, self._offsets, valid)
        return every if len(self._rows) == len(valid) else every.take(pa.array(self._rows))

    def raw(self, row: int) -> bytes:
        """The bytes of one value."""
        at = self._rows[row]
        return self._bytes[self._offsets[at] : self._offsets[at + 1]].tobytes()

    def numbers(self) -> NDArray[np.float64]:
        """The values as numbers, NaN where they are none."""
        there = self.state == 1
        values = (
            number(self.raw(row).decode()) if there[row] else math.nan for row in range(len(there))
        )
        return np.fromiter(values, dtype=np.float64, count=len(there))
