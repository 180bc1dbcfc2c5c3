"""Parquet files whose row groups are packed side by side.

Arrow packs the columns of a file one after the other. Here every row group becomes a file of its
own, in memory, and the groups of all these are put behind each other: in the footers, the places of
the columns move by where their group lies. Where there are more threads than groups, a group is
several files, each with some of its columns. The bytes are those that Arrow writes by itself.
"""

from __future__ import annotations

from contextlib import closing
from itertools import islice, pairwise
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
_SIZES = (2, 6)  # of RowGroup: all bytes, and all bytes as they are packed
_COLUMN_PLACES = (2, 4, 6)  # of ColumnChunk: itself, the indexes of its pages
_COLUMN = 3
_PAGE_PLACES = (9, 10, 11, 14)  # of ColumnMetaData: pages, index, dictionary, filter


def write_table(table: pa.Table, path: Path, threads: int, **options: Any) -> None:
    """Write a table as Arrow does, by several threads where it is long."""
    import pyarrow.parquet as pq

    if threads <= 1 or table.num_rows <= GROUP_ROWS // 8:
        with path.open("wb") as file:  # which a fault closes at once, as Arrow does not
            pq.write_table(table, file, row_group_size=GROUP_ROWS, **options)
        return

    def packed(rows: pa.Table) -> pa.Buffer:
        sink, chosen = pa.BufferOutputStream(), _of_columns(options, rows.column_names)
        pq.write_table(rows, sink, row_group_size=GROUP_ROWS, **chosen)
        return sink.getvalue()

    begins = range(0, table.num_rows, GROUP_ROWS)
    parts = _column_parts(table.column_names, -(-threads // len(begins)))
    pieces = (table.slice(begin, GROUP_ROWS).select(names) for begin in begins for names in parts)
    with path.open("wb") as file, closing(in_order(packed, pieces, threads)) as buffers:
        groups = JoinedGroups(file, packed(table.slice(0, 0)) if len(parts) > 1 else None)
        for _ in begins:
            groups.add(*islice(buffers, len(parts)))
        groups.close()


def _column_parts(names: list[str], parts: int) -> list[list[str]]:
    """The names in so many lists of about the same length, in order."""
    parts = max(min(parts, len(names)), 1)
    bounds = [len(names) * part // parts for part in range(parts + 1)]
    return [names[begin:end] for begin, end in pairwise(bounds)]


def _of_columns(options: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Of options that name columns, what they say of these."""
    chosen = dict(options)
    if isinstance(coded := options.get("use_dictionary"), list):
        chosen["use_dictionary"] = [name for name in coded if name in names]
    if encoding := options.get("column_encoding"):
        chosen["column_encoding"] = {n: e for n, e in encoding.items() if n in names} or None
    return chosen


class JoinedGroups:
    """A file that is put together out of files with the same columns, one after the other.

    ``whole`` is a file with all columns, where the others have some of them each.
    """

    def __init__(self, file: IO[bytes], whole: pa.Buffer | None = None) -> None:
        self._file, self._place, self._rows = file, len(_MARK), 0
        self._groups: list[Structure] = []
        self._first = None if whole is None else _footer(memoryview(whole))[0]
        file.write(_MARK)

    def add(self, *buffers: pa.Buffer) -> None:
        """Append the row groups of a file, or of files that have some columns of one group each."""
        groups: list[Structure] = []
        for buffer in buffers:
            data = memoryview(buffer)
            footer, end = _footer(data)
            self._first = self._first or footer
            by = self._place - len(_MARK)
            more = [_moved(group, by) for group in footer[_GROUPS].value.values]
            if groups:
                _join(groups[0], more[0])
            else:
                groups = more
                self._rows += footer[_ROWS].value
            self._file.write(data[len(_MARK) : end])
            self._place += end - len(_MARK)
        for group in groups:
            if _ORDINAL in group:
                group[_ORDINAL] = Field(group[_ORDINAL].type, len(self._groups))
            self._groups.append(group)

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


def _footer(data: memoryview) -> tuple[Structure, int]:
    """The footer of a file, and where it begins."""
    end = len(data) - _TAIL - int.from_bytes(data[-_TAIL:-4], "little")
    return read_structure(bytes(data[end:-_TAIL])), end


def _join(group: Structure, more: Structure) -> None:
    """Append the columns of a row group to those of another one."""
    group[_COLUMNS].value.values.extend(more[_COLUMNS].value.values)
    for number in _SIZES:
        group[number] = Field(group[number].type, group[number].value + more[number].value)


def _moved(group: Structure, by: int) -> Structure:
    """A row group that lies further behind."""
    for column in group[_COLUMNS].value.values:
        _move(column, _COLUMN_PLACES, by)
        _move(column[_COLUMN].value, _PAGE_PLACES, by)
    _move(group, (_GROUP_PLACE,), by)
    return group


def _move(structure: Structure, numbers: tuple[int, ...], by: int) -> None:
    for number in numbers:
        # a place that is 0 is none
        if number in structure and structure[number].value:
            structure[number] = Field(structure[number].type, structure[number].value + by)
