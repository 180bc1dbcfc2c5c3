"""CSV and TSV with a header line: quoted fields may hold delimiters, quotes and line ends."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.model import Batch, Ints
from twinset.read.blocks import Block, record_blocks
from twinset.read.encoding import decode
from twinset.read.fork import FRAME, OTHER, ROW, Fork
from twinset.read.opening import open_text_stream
from twinset.read.rows import Rows, as_text, cleaned, number, replaced, string_array
from twinset.read.source import Job
from twinset.read.stream import Prefixed, Stream
from twinset.spec import option

_NEWLINE = 10
Delimiter = Literal["auto", "comma", "tab", "semicolon", "pipe"]
_DELIMITERS = {"comma": ",", "tab": "\t", "semicolon": ";", "pipe": "|"}
_HEAD = 1 << 16


@dataclass(frozen=True)
class Csv:
    """Rows of fields under a header; ``auto`` takes the delimiter that the header has most of."""

    delimiter: Delimiter = option(
        "auto", "What separates fields; auto takes what the header has most of."
    )
    suffixes: ClassVar[tuple[str, ...]] = (".csv",)

    @staticmethod
    def sniff(head: bytes) -> bool:
        """Whether the first line names a column 'text' among others."""
        line = head.split(b"\n", 1)[0].strip().lower().replace(b'"', b"")
        names = [line.split(delimiter.encode()) for delimiter in _DELIMITERS.values()]
        return any(len(row) > 1 and b"text" in row for row in names)

    def read(self, job: Job) -> Iterator[Batch]:
        """A batch for every block of records."""
        stream, _, _ = open_text_stream(job)
        try:
            table = _Table(job, *self._delimited(stream))
            for block in table.blocks():
                batch = table.batch(block)
                if batch is not None:
                    yield batch
        finally:
            stream.close()

    def split(self, job: Job, fork: Fork) -> None:
        """Hand over the records as they are, the header to both outputs."""
        stream, mark, encoding = open_text_stream(job)
        try:
            with fork.files(encoding, mark) as out:
                table = _Table(job, *self._delimited(stream))
                for block in table.blocks():
                    if block.part == "whole":
                        records, _ = table.records(block, [])
                        out.records(block.data, records["end"], table.kinds(records))
                    elif block.part == "first":
                        out.record(block.data, ROW if table.begun else OTHER)
                        table.begun = True
                    else:
                        out.more(block.data)
        finally:
            stream.close()

    def _delimited(self, stream: Stream) -> tuple[Stream, str]:
        head = bytearray(_HEAD)
        with memoryview(head) as view:
            got = stream.readinto(view)
        first = bytes(head[:got]).lstrip(b"\r\n").split(b"\n", 1)[0].decode("latin-1")
        delimiter = _DELIMITERS.get(self.delimiter) or max(_DELIMITERS.values(), key=first.count)
        return Prefixed(bytes(head[:got]), stream), delimiter


@dataclass(frozen=True)
class Tsv(Csv):
    """Rows of fields between tabs."""

    delimiter: Delimiter = option("tab", "What separates fields.")
    suffixes: ClassVar[tuple[str, ...]] = (".tsv", ".tab")


class _Table:
    """One pass over a file: knows the columns once the header has gone by, and counts lines."""

    def __init__(self, job: Job, stream: Stream, delimiter: str) -> None:
        self._job, self._stream, self._delimiter = job, stream, delimiter
        self._wanted = [-1, -1, -1]
        self._line = 0
        self.begun = False

    def blocks(self) -> Iterator[Block]:
        """Blocks of whole records."""
        code = ord(self._delimiter)

        def last_end(buffer: bytearray, have: int) -> int:
            found: int = _kernels.csv_last_end(np.frombuffer(buffer, np.uint8, have), code)
            return found

        return record_blocks(self._stream, self._job.batch_bytes, self._job.limit, last_end)

    def records(self, block: Block, wanted: list[int]) -> tuple[dict[str, Any], list[Any]]:
        """The records of a block with the values of some columns."""
        columns = np.array(wanted, dtype=np.int64)
        return _kernels.csv_rows(block.data, ord(self._delimiter), columns, self._job.threads)  # type: ignore[no-any-return]

    def kinds(self, records: dict[str, Any]) -> NDArray[np.uint8]:
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
        return self._batch(records, columns, rows, places) if len(rows) else None

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
        first, count = int(full[0]), int(records["fields"][full[0]])
        header = Block(block.data[int(records["begin"][first]) : int(records["end"][first])])
        _, columns = self.records(header, list(range(count)))
        names = [decode(_Column(column, np.array([0])).raw(0)).text for column in columns]
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

    def _batch(
        self, records: dict[str, Any], columns: list[Any], rows: Ints, places: Ints
    ) -> Batch:
        job = self._job
        ids, texts, order = (_Column(column, rows) for column in columns)
        ids_array, texts_array = (
            ids.array(pa.string()),
            cleaned(job, texts.array(pa.large_string())),
        )
        bad = dict(self._bad_rows(records, rows, places, texts))
        found = {int(row): decode(ids.raw(int(row))).text for row in np.flatnonzero(ids.state == 2)}
        empty = {int(row): None for row in np.flatnonzero((ids.state == 1) & (ids.sizes == 0))}
        return Batch(
            replaced(ids_array, {**found, **empty}),
            replaced(texts_array, bad),
            job.source.name,
            places[rows],
            order.numbers() if job.options.order else None,
            job.faults.take(),
        )

    def _bad_rows(
        self, records: dict[str, Any], rows: Ints, places: Ints, texts: _Column
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
                yield row, as_text(self._job, decoded.text, None)
                continue
            yield row, None


class _Column:
    """The values of one column for the rows that are documents."""

    def __init__(self, found: dict[str, Any], rows: Ints) -> None:
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
