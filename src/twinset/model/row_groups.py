"""Parquet files whose row groups are packed side by side.

Arrow packs the columns of a file one after the other. Here every row group becomes a file of its
own, in memory, and the groups of all these are put behind each other: in the footers, the places of
the columns move by where their group lies. The bytes are those that Arrow writes by itself.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from twinset.model.compact import Field, Sequence, Structure, read_structure, written_structure
from twinset.system.pool import in_order

GROUP_ROWS = 1 << 17
_MARK = b"PAR1"
_TAIL = 8  # the length of the footer, and the mark
# Numbers of fields, as parquet.thrift has them.
_ROWS, _GROUPS = 3, 4  # of FileMetaData
_COLUMNS, _GROUP_PLACE, _ORDINAL = 1, 5, 7  # of RowGroup
_COLUMN_PLACES = (2, 4, 6)  # of ColumnChunk: itself, the indexes of its pages
_COLUMN = 3
_PAGE_PLACES = (9, 10, 11, 14)  # of ColumnMetaData: pages, index, dictionary, filter


def write_table(table: pa.Table, path: Path, threads: int, **options: Any) -> None:
    """Write a table as Arrow does, by several threads where there are several row groups."""
    import pyarrow.parquet as pq

    if threads <= 1 or table.num_rows <= GROUP_ROWS:
        with path.open("wb") as file:  # which a fault closes at once, as Arrow does not
            pq.write_table(table, file, row_group_size=GROUP_ROWS, **options)
        return

    def packed(begin: int) -> pa.Buffer:
        sink = pa.BufferOutputStream()
        pq.write_table(table.slice(begin, GROUP_ROWS), sink, row_group_size=GROUP_ROWS, **options)
        return sink.getvalue()

    begins = range(0, table.num_rows, GROUP_ROWS)
    with path.open("wb") as file, closing(in_order(packed, begins, threads)) as buffers:
        groups = JoinedGroups(file)
        for buffer in buffers:
            groups.add(buffer)
        groups.close()


class JoinedGroups:
    """A file that is put together out of files with the same columns, one after the other."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._place, self._rows = file, len(_MARK), 0
        self._groups: list[Structure] = []
        self._first: Structure | None = None
        file.write(_MARK)

    def add(self, buffer: pa.Buffer) -> None:
        """Append the row groups of a file."""
        data = memoryview(buffer)
        end = len(data) - _TAIL - int.from_bytes(data[-_TAIL:-4], "little")
        footer = read_structure(bytes(data[end:-_TAIL]))
        self._first = self._first or footer
        self._rows += footer[_ROWS].value
        for group in footer[_GROUPS].value.values:
            self._groups.append(_moved(group, self._place - len(_MARK), len(self._groups)))
        self._file.write(data[len(_MARK) : end])
        self._place += end - len(_MARK)

    def close(self) -> None:
        """Write the footer; the file stays open."""
        footer = self._first
        if footer is None:
            raise ValueError("there is no file to join")
        groups = Sequence(footer[_GROUPS].value.type, self._groups)
        footer[_ROWS] = Field(footer[_ROWS].type, self._rows)
        footer[_GROUPS] = Field(footer[_GROUPS].type, groups)
        written = written_structure(footer)
        self._file.write(written + len(written).to_bytes(4, "little") + _MARK)


def _moved(group: Structure, by: int, ordinal: int) -> Structure:
    """A row group that lies further behind."""
    for column in group[_COLUMNS].value.values:
        _move(column, _COLUMN_PLACES, by)
        _move(column[_COLUMN].value, _PAGE_PLACES, by)
    _move(group, (_GROUP_PLACE,), by)
    if _ORDINAL in group:
        group[_ORDINAL] = Field(group[_ORDINAL].type, ordinal)
    return group


def _move(structure: Structure, numbers: tuple[int, ...], by: int) -> None:
    for number in numbers:
        # a place that is 0 is none
        if number in structure and structure[number].value:
            structure[number] = Field(structure[number].type, structure[number].value + by)
