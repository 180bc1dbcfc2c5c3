"""Rows as JSON lines and as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import IO

from twinset.reading.arrays import utf8_of
from twinset.reading.rows.block import RowBlock
from twinset.reading.rows.record import Value, lines_of

_IN_QUOTES = (",", "\n", "\r", "\ufeff")


class JsonLinesSink:
    """Writes an object per line: missing fields stay missing, and nothing but UTF-8 is written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, block: RowBlock) -> None:
        """Write all rows of the block."""
        self._file.write(lines_of(record or {} for record in block.records()))

    def close(self) -> None:
        """End the file, which stays open."""


class CsvSink:
    """Writes the header and a line per row.

    A null is an empty field, an empty text is ``""``; what is neither text nor null is JSON.
    """

    def __init__(self, file: IO[bytes], names: Sequence[str]) -> None:
        self._file, self._names = file, names
        self._write([names])

    def write(self, block: RowBlock) -> None:
        """Write all rows of the block."""
        names = self._names
        records = (record or {} for record in block.records())
        self._write([record.get(name) for name in names] for record in records)

    def _write(self, rows: Iterable[Sequence[Value]]) -> None:
        if self._names:
            self._file.write(utf8_of("".join(f"{self._line(row)}\n" for row in rows)))

    def _line(self, row: Sequence[Value]) -> str:
        # A line of one empty field would be a blank line, which is no row.
        return ",".join(map(_field, row)) or '""'

    def close(self) -> None:
        """End the file, which stays open."""


def _field(value: Value) -> str:
    if value is None:
        return ""
    if '"' in value:
        return '"' + value.replace('"', '""') + '"'
    return f'"{value}"' if value == "" or any(sign in value for sign in _IN_QUOTES) else value
