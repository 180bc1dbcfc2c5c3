"""Rows of tables, sent to the routes of their documents with what was decided on them."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from twinset.model.outcomes import ADDED, Outcomes
from twinset.reading.arrays import filtered
from twinset.reading.output.cutting import cut_column
from twinset.reading.output.notes import columns_of
from twinset.reading.output.routes import Route

_TYPES = (pa.int64(), pa.bool_(), pa.string(), pa.float64())


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


def send_rows(
    routes: Mapping[str, Route], rows: pa.RecordBatch, outcomes: Outcomes, text: str
) -> None:
    """Hand rows to the routes that there are, each row to those of its document.

    ``text`` is the column out of which stretches are cut, where that was decided.
    """
    for name, route in routes.items():
        if name == "annotated" and outcomes.cuts is not None:
            _fill(route, cut_column(rows, text, outcomes.cuts))
        elif name == "annotated":
            _fill(route, annotated_rows(rows, outcomes))
        else:
            keep = outcomes.keep if name == "kept" else ~outcomes.keep
            if keep.any():
                _fill(route, filtered(rows, keep))


def _fill(route: Route, rows: pa.RecordBatch) -> None:
    route.fill(rows.num_rows, rows.slice)
