"""Rows of a CSV file under the names of its header; every field is text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.model import Ints
from twinset.reading.arrays import string_array
from twinset.reading.encoding import decode
from twinset.reading.rows.block import FieldRows
from twinset.reading.rows.kinds import FieldKinds
from twinset.reading.rows.record import Record, Value, distinct

# As in `twinset.reading.output.decisions`, which is built upon this room.
_ROW, _FRAME = 0, 1


class CutBlock(Protocol):
    """Bytes of the file: whole records, or a piece of an endless one."""

    @property
    def data(self) -> NDArray[np.uint8]:
        """The bytes."""
        ...

    @property
    def part(self) -> str:
        """``whole``, ``first``, ``middle`` or ``last``."""
        ...


class CutTable(Protocol):
    """One pass over a file of delimited records, as `CsvTable` makes it."""

    begun: bool

    def blocks(self) -> Iterator[Any]:
        """Blocks of records."""
        ...

    def records(self, block: Any, columns: list[int]) -> tuple[Mapping[str, Any], list[Any]]:
        """The records of a block with the values of some columns."""
        ...

    def kinds(self, records: Mapping[str, Any]) -> NDArray[np.uint8]:
        """Which of the records are documents, and which is the header."""
        ...


@dataclass
class DelimitedRows:
    """A pass that makes rows; fields beyond the header are called by their number from 1."""

    table: CutTable
    limit: int
    names: list[str] = field(default_factory=list)
    header_size: int = 0

    def blocks(self) -> Iterator[FieldRows]:
        """The rows, block by block."""
        for block in self.table.blocks():
            raw = block.data.tobytes()
            if block.part == "whole":
                yield self._rows(block, raw)
            elif block.part == "first" and self.table.begun:
                yield FieldRows([None], {0: raw})
            else:
                self.table.begun = True
                yield FieldRows([], more=raw)

    def kinds(self) -> FieldKinds:
        """The names of all fields; their values stay where they are."""
        for block in self.table.blocks():
            if block.part == "whole":
                records, _ = self.table.records(block, [])
                self._name(block, records, self.table.kinds(records))
            else:
                self.table.begun = True
        return FieldKinds.of_texts(self.names)

    def _rows(self, block: CutBlock, raw: bytes) -> FieldRows:
        records, _ = self.table.records(block, [])
        kinds = self.table.kinds(records)
        self._name(block, records, kinds)
        at = np.flatnonzero(kinds == _ROW)
        begins, ends = records["begin"][at], records["end"][at]
        is_bad = (records["closed"][at] == 0) | (ends - begins > self.limit)
        rows: list[Record | None] = [None] * len(at)
        for alike in _of_like_width(records["fields"][at], ~is_bad):
            cut = _Cut.of(block, begins[alike], ends[alike])
            width = int(records["fields"][at[alike]].max())
            for row, record in zip(alike.tolist(), self._records(cut, width), strict=True):
                rows[row] = record
        bad = np.flatnonzero(is_bad).tolist()
        return FieldRows(rows, {row: raw[int(begins[row]) : int(ends[row])] for row in bad})

    def _records(self, rows: _Cut, width: int) -> Iterator[Record]:
        """The fields that each row has; delimiters behind which is nothing are none."""
        names, beyond = self.names[:width], self.header_size
        for values in zip(*self._values(rows, width), strict=True):
            yield {
                name: value
                for at, (name, value) in enumerate(zip(names, values, strict=True))
                if value is not None and (at < beyond or value)
            }

    def _values(self, rows: _Cut, width: int) -> list[list[Value]]:
        """The first columns of some rows."""
        _, columns = self.table.records(rows, list(range(width)))
        return [_values(column) for column in columns]

    def _name(self, block: CutBlock, records: Mapping[str, Any], kinds: Any) -> None:
        for at in np.flatnonzero(kinds == _FRAME).tolist():
            self.header_size = int(records["fields"][at])
            header = _Cut.of(block, records["begin"][[at]], records["end"][[at]])
            values = self._values(header, self.header_size)
            self.names = distinct([value or "" for (value,) in values])
        most = int(records["fields"].max(initial=0))
        used = set(self.names)
        for number in range(len(self.names) + 1, most + 1):
            self.names.append(_free(f"column_{number}", used))


class _Cut(NamedTuple):
    """Some records of a block."""

    data: NDArray[np.uint8]
    part: str = "whole"

    @classmethod
    def of(cls, block: CutBlock, begins: Ints, ends: Ints) -> _Cut:
        """Those that begin and end there."""
        places = zip(begins.tolist(), ends.tolist(), strict=True)
        return cls(np.concatenate([block.data[begin:end] for begin, end in places]))


def _of_like_width(fields: Ints, are_good: NDArray[np.bool_]) -> Iterator[Ints]:
    """The good rows, those together of which none has more than twice the fields of another.

    A column has a place for every row: one row of thousands of fields would make thousands of
    columns of all the others.
    """
    classes = np.frexp(fields)[1]
    for width in np.unique(classes[are_good]).tolist():
        yield np.flatnonzero((classes == width) & are_good)


def _free(name: str, used: Set[str]) -> str:
    while name in used:
        name += "_"
    return name


def _values(column: Mapping[str, Any]) -> list[Value]:
    """The values of a column; None where a row ends before it."""
    state = column["state"]
    texts = string_array(pa.large_string(), column["bytes"], column["offsets"], state == 1)
    values: list[Value] = texts.to_pylist()
    for at in np.flatnonzero(state == 2).tolist():
        begin, end = column["offsets"][at], column["offsets"][at + 1]
        values[at] = decode(column["bytes"][begin:end].tobytes()).text
    return values
