"""Rows of a CSV file under the names of its header; every field is text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import Any, Protocol

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
        sizes = records["end"] - records["begin"]
        is_bad = (records["closed"] == 0) | (sizes > self.limit)
        _, columns = self.table.records(block, list(range(len(self.names))))
        values = [_values(column, at) for column in columns]
        rows: list[Record | None] = list(map(self._record, zip(*values, strict=True)))
        unread = {}
        for row in np.flatnonzero(is_bad[at]).tolist():
            rows[row] = None
            unread[row] = raw[int(records["begin"][at[row]]) : int(records["end"][at[row]])]
        return FieldRows(rows, unread)

    def _record(self, values: tuple[Value, ...]) -> Record:
        """The fields that the row has; delimiters at its end, behind which is nothing, are none."""
        beyond = self.header_size
        return {
            name: value
            for at, (name, value) in enumerate(zip(self.names, values, strict=True))
            if value is not None and (at < beyond or value)
        }

    def _name(self, block: CutBlock, records: Mapping[str, Any], kinds: Any) -> None:
        for at in np.flatnonzero(kinds == _FRAME).tolist():
            self.header_size = int(records["fields"][at])
            _, columns = self.table.records(block, list(range(self.header_size)))
            header = np.array([at])
            self.names = distinct([_values(column, header)[0] or "" for column in columns])
        most = int(records["fields"].max(initial=0))
        used = set(self.names)
        for number in range(len(self.names) + 1, most + 1):
            self.names.append(_free(f"column_{number}", used))


def _free(name: str, used: Set[str]) -> str:
    while name in used:
        name += "_"
    return name


def _values(column: Mapping[str, Any], rows: Ints) -> list[Value]:
    """The values of a column in these rows; None where a row ends before it."""
    state = column["state"]
    texts = string_array(pa.large_string(), column["bytes"], column["offsets"], state == 1)
    values: list[Value] = texts.take(pa.array(rows)).to_pylist()
    for at in np.flatnonzero(state[rows] == 2).tolist():
        begin, end = column["offsets"][rows[at]], column["offsets"][rows[at] + 1]
        values[at] = decode(column["bytes"][begin:end].tobytes()).text
    return values
