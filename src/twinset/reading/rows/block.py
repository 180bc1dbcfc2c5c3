"""Some consecutive documents of a source as rows; a document without fields has no record.

``unread`` has the bytes of documents whose fields cannot be read, by row, and ``more`` bytes that
belong to the last of them in an earlier block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from twinset.model import Ints
from twinset.reading.arrays import filtered
from twinset.reading.rows.arrow import values_of
from twinset.reading.rows.record import Record, distinct, records_of


@dataclass(frozen=True, slots=True)
class FieldRows:
    """Rows that Python has met one by one; ``parts`` go where the last other one goes."""

    rows: Sequence[Record | None]
    unread: Mapping[int, bytes] = field(default_factory=dict)
    more: bytes = b""
    parts: Ints | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def records(self) -> Sequence[Record | None]:
        """The rows themselves."""
        return self.rows

    def take(self, rows: Ints) -> FieldRows:
        """Some of the rows."""
        return FieldRows([self.rows[row] for row in rows.tolist()])

    def with_fields(self, added: pa.RecordBatch) -> FieldRows:
        """Records with the fields at their end."""
        more = records_of(added.schema.names, [values_of(column) for column in added.columns])
        return FieldRows(
            [
                None if row is None else _without(row, extra) | extra
                for row, extra in zip(self.rows, more, strict=True)
            ],
            self.unread,
            self.more,
        )


def _without(record: Record, names: Mapping[str, object]) -> Record:
    if names.keys().isdisjoint(record):
        return record
    return {name: value for name, value in record.items() if name not in names}


@dataclass(frozen=True, slots=True)
class TableRows:
    """Rows of an Arrow table; ``texts`` names columns whose binary data is text."""

    table: pa.RecordBatch
    texts: frozenset[str] = frozenset()
    unread: Mapping[int, bytes] = field(default_factory=dict)
    more: bytes = b""

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def records(self) -> Sequence[Record | None]:
        """The rows by the rules of `values_of`."""
        names = self.table.schema.names
        columns = [
            values_of(column, name in self.texts)
            for name, column in zip(names, self.table.columns, strict=True)
        ]
        if not columns:
            return [{} for _ in range(len(self))]
        return list(records_of(distinct(names), columns))

    def take(self, rows: Ints) -> TableRows:
        """Some of the rows, in their order."""
        if len(rows) == len(self):
            return self
        mask = np.zeros(len(self), dtype=bool)
        mask[rows] = True
        return TableRows(filtered(self.table, mask), self.texts)

    def with_fields(self, added: pa.RecordBatch) -> TableRows:
        """The table with more columns."""
        stay = [
            at for at, name in enumerate(self.table.schema.names) if name not in added.schema.names
        ]
        arrays = [*(self.table.column(at) for at in stay), *added.columns]
        fields = [*(self.table.schema.field(at) for at in stay), *added.schema]
        schema = pa.schema(fields, self.table.schema.metadata)
        return TableRows(pa.RecordBatch.from_arrays(arrays, schema=schema), self.texts)


RowBlock = FieldRows | TableRows
