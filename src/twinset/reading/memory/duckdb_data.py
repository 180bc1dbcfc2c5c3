"""DuckDB: relations, whose rows are fetched once."""

from __future__ import annotations

from typing import Any

from twinset.reading.memory.arrow_data import ArrowTable
from twinset.reading.memory.kind import Mask, is_of

_VIEW = "twinset_read_rows"


class DuckDBRelation(ArrowTable):
    """A relation; what is selected is one of the same connection, with the same types."""

    def __init__(self, data: Any) -> None:
        super().__init__(data, data.to_arrow_table())

    @classmethod
    def takes(cls, data: Any) -> bool:
        """`duckdb.DuckDBPyRelation`."""
        return is_of(data, "duckdb", "DuckDBPyRelation")

    def select(self, mask: Mask) -> Any:
        """A relation over the fetched rows: a second query might give them in another order."""
        twinset_rows = super().select(mask)
        relation = self.data.query(_VIEW, "SELECT * FROM twinset_rows")
        del twinset_rows  # DuckDB has found it by its name, and holds it
        self.data.query(_VIEW, f"DROP VIEW IF EXISTS {_VIEW}")  # older versions leave it behind
        casts = [
            f"CAST({_quoted(name)} AS {kind}) AS {_quoted(name)}"
            for name, kind in zip(self.data.columns, self.data.types, strict=True)
        ]
        return relation.project(", ".join(casts))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
