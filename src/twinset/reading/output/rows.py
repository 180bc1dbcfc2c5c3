"""Rows of tables, sent to the routes of their documents as Parquet files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO

import pyarrow as pa

from twinset.model.outcomes import ADDED, Outcomes
from twinset.reading.output.decisions import Mask, runs
from twinset.reading.output.notes import columns_of
from twinset.reading.output.routes import Route

_TYPES = (pa.int64(), pa.bool_(), pa.string(), pa.float64())


class ParquetRows:
    """A Parquet file that takes batches of rows."""

    def __init__(self, file: IO[bytes], schema: pa.Schema, codec: str) -> None:
        import pyarrow.parquet as pq

        self._schema = schema
        self._writer = pq.ParquetWriter(file, schema, compression=codec)

    def write(self, rows: pa.RecordBatch) -> None:
        """Rows of the same columns; what else their schema says is that of the file."""
        self._writer.write_batch(pa.RecordBatch.from_arrays(rows.columns, schema=self._schema))

    def close(self) -> None:
        """Write the list of columns; the file below stays open."""
        self._writer.close()


def annotated_schema(schema: pa.Schema) -> pa.Schema:
    """The schema with the fields of an annotation behind its own."""
    own = [field for field in schema if field.name not in ADDED]
    added = [pa.field(name, kind) for name, kind in zip(ADDED, _TYPES, strict=True)]
    return pa.schema([*own, *added], metadata=schema.metadata)


def annotated_rows(rows: pa.RecordBatch, outcomes: Outcomes) -> pa.RecordBatch:
    """The rows with what was decided on each; that of an earlier run is replaced."""
    own = [rows.column(i) for i, name in enumerate(rows.schema.names) if name not in ADDED]
    columns = [*own, *columns_of(outcomes).values()]
    return pa.RecordBatch.from_arrays(columns, schema=annotated_schema(rows.schema))


def send_rows(routes: Mapping[str, Route], rows: pa.RecordBatch, outcomes: Outcomes) -> None:
    """Hand rows to the routes that there are, each row to those of its document."""
    for name, route in routes.items():
        if name == "annotated":
            _fill(route, annotated_rows(rows, outcomes))
        else:
            keep = outcomes.keep if name == "kept" else ~outcomes.keep
            if keep.any():
                _fill(route, _filtered(rows, keep))


def _filtered(rows: pa.RecordBatch, keep: Mask) -> pa.RecordBatch:
    try:
        return rows.filter(pa.array(keep))
    except pa.ArrowNotImplementedError:  # for views of texts, which can be joined
        return pa.concat_batches([rows.slice(first, last - first) for first, last in runs(keep)])


def _fill(route: Route, rows: pa.RecordBatch) -> None:
    route.fill(rows.num_rows, rows.slice)
