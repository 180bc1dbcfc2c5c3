"""The columns of the tables that are written to be read again, each declared once.

What opens a table checks it against these (``report.checked``), and Spark is told their types. The
manual says what they mean (``docs/reference/report.md``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

Kind = Literal["text", "whole", "instant", "number", "flag", "texts", "bytes"]


@dataclass(frozen=True, slots=True)
class Column:
    """What a column must hold: whole numbers from zero on, or below the number of rows.

    A report may lack what is not ``needed``; all engines write what is ``usual``.
    """

    kind: Kind
    null: bool = False
    needed: bool = True
    usual: bool = True
    below_rows: bool = False
    finite: bool = False


Schema = Mapping[str, Column]
TEXT, COUNT, FLAG = Column("text"), Column("whole"), Column("flag")
SCORE, NAME = Column("number", finite=True), Column("text", null=True)
PLACED: Schema = {"id": TEXT, "source": TEXT, "place": COUNT}
NUMBER = Column("whole", below_rows=True)
TABLES: dict[str, Schema] = {
    "documents": {
        "number": NUMBER,
        **PLACED,
        "status": TEXT,
        "units": COUNT,
        "features": COUNT,
        "same_as": NAME,
        "file": Column("bytes", null=True, needed=False, usual=False),
        "part": Column("text", null=True, needed=False, usual=False),
        "bytes": Column("whole", null=True, needed=False, usual=False),
        "modified": Column("instant", null=True, needed=False, usual=False),
        "digest": Column("bytes", null=True, needed=False, usual=False),
        "copy_score": Column("number", null=True, needed=False, usual=False),
        "kept_as": Column("text", null=True, needed=False, usual=False),
        "kept_score": Column("number", null=True, needed=False, usual=False),
        "kept_because": Column("text", null=True, needed=False, usual=False),
        "kept_reason": Column("text", null=True, needed=False, usual=False),
    },
    "pairs": {
        "left": TEXT,
        "right": TEXT,
        "score": SCORE,
        "containment_left": Column("number", null=True, needed=False),
        "containment_right": Column("number", null=True, needed=False),
        "shared": Column("whole", null=True),
        "kind": Column("text", null=True, needed=False),
    },
    "clusters": {
        "cluster": NUMBER,
        "id": TEXT,
        "role": TEXT,
        "anchor": NAME,
        "score": Column("number", null=True),
        "weakest": Column("number", null=True, needed=False),
        "chained": Column("flag", needed=False),
        "kind": Column("text", null=True, needed=False),
        "shared": Column("whole", needed=False, usual=False),
    },
    "kept_apart": {"kept": TEXT, "beside": TEXT, "score": SCORE, "kind": NAME, "changes": TEXT},
    "older": PLACED,
    "groups": {"group": COUNT, "keys": COUNT, "size": COUNT, "ids": Column("texts")},
    "statistics": {"word": TEXT, "df": COUNT, "cf": COUNT},
    "boilerplate": {
        "paragraph": TEXT,
        "documents": COUNT,
        "share": SCORE,
        "characters": COUNT,
        "key": COUNT,
    },
    "repeated": {"line": TEXT, "pages": COUNT, "articles": COUNT, "key": COUNT},
    "components": {
        "component": NUMBER,
        "left": TEXT,
        "right": TEXT,
        "shared": COUNT,
        "needed": COUNT,
    },
    "removed": {"id": TEXT, "start": COUNT, "end": COUNT, "text": TEXT},
    "spans": {"span": COUNT, "id": TEXT, "start": COUNT, "end": COUNT, "units": COUNT},
    "units": {
        "unit": NUMBER,
        "id": TEXT,
        "start": COUNT,
        "end": COUNT,
        "same_as": Column("whole", null=True, below_rows=True),
    },
    "reuse": {
        "left": TEXT,
        "right": TEXT,
        "left_start": COUNT,
        "left_end": COUNT,
        "right_start": COUNT,
        "right_end": COUNT,
        "score": SCORE,
        "exact": FLAG,
    },
}
ARROW = {
    "text": pa.string(),
    "whole": pa.int64(),
    "instant": pa.int64(),
    "number": pa.float64(),
    "flag": pa.bool_(),
    "texts": pa.list_(pa.string()),
    "bytes": pa.binary(),
}


def arrow_types(table: str) -> dict[str, pa.DataType]:
    """The columns that every engine writes, with their types."""
    return {name: ARROW[column.kind] for name, column in TABLES[table].items() if column.usual}
