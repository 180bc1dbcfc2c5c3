"""CSV files that people open in a spreadsheet: no cell of them is taken for a formula.

A program such as Excel runs what stands in a cell that begins with ``=``, ``+``, ``-``, ``@``, a
tab or a line end, and the ids of documents come from strangers. Such a text gets an apostrophe
before it, which makes it a text for a spreadsheet; numbers stay as they are. A text with
apostrophes before such a sign gets one more, so that `plain` gives every text back as it was. All
CSV tables that twinset writes come through here; collections of documents, which programs read, do
not.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from twinset.model import compute as pc

MARK = "'"
# Fullwidth signs begin a formula, too, where the keyboard is a Chinese or Japanese one.
_SIGNS = "[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"
_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_FORMULA = re.compile(f"'*{_SIGNS}")
_PLAIN_NUMBER = re.compile(f"'*{_NUMBER}")


def cell(text: str) -> str:
    """A text as a cell of a CSV file."""
    return MARK + text if _is_formula(text) else text


def plain(text: str) -> str:
    """The text of a cell that `cell` has written."""
    return text[1:] if text.startswith(MARK) and _is_formula(text[1:]) else text


def _is_formula(text: str) -> bool:
    return _FORMULA.match(text) is not None and _PLAIN_NUMBER.fullmatch(text) is None


class Writer:
    """Writes rows as ``csv.writer`` does; texts become cells, numbers stay numbers."""

    def __init__(self, file: IO[str]) -> None:
        self._rows = csv.writer(file, lineterminator="\n")

    def writerow(self, row: Iterable[Any]) -> None:
        """Write one row."""
        self._rows.writerow([cell(v) if isinstance(v, str) else v for v in row])

    def writerows(self, rows: Iterable[Iterable[Any]]) -> None:
        """Write rows."""
        for row in rows:
            self.writerow(row)


def read_rows(file: IO[str]) -> Iterator[dict[str, str]]:
    """The rows of a CSV file with a header, texts as they were."""
    for row in csv.DictReader(file):
        yield {name: plain(value or "") for name, value in row.items() if name is not None}


def write_table(table: pa.Table, path: Path) -> None:
    """Write an Arrow table as CSV."""
    from pyarrow import csv as arrow_csv

    arrow_csv.write_csv(cells(table), path)


def cells(table: pa.Table) -> pa.Table:
    """A table whose texts are cells; the very same table where nothing has to change."""
    for number, field in enumerate(table.schema):
        if _is_text(field.type):
            column = table.column(number)
            changed = _marked(column)
            if changed is not column:
                table = table.set_column(number, field, changed)
    return table


def plain_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The texts of a column that was read from a CSV file."""
    marked = pc.and_(pc.starts_with(column, MARK), _formulas(column))
    if not pc.any(marked).as_py():
        return column
    return pc.if_else(marked, pc.utf8_slice_codeunits(column, 1), column)


def _marked(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if not len(column):
        return column
    formulas = _formulas(column)
    if not pc.any(formulas).as_py():
        return column
    mark, nothing = (pa.scalar(text, column.type) for text in (MARK, ""))
    marked = pc.binary_join_element_wise(mark, column, nothing)
    return pc.if_else(formulas, marked, column)


def _formulas(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Which texts begin like a formula behind their apostrophes, if any, and are no number."""
    begins = pc.match_substring_regex(column, f"^{_FORMULA.pattern}")
    is_number = pc.match_substring_regex(column, f"^{_PLAIN_NUMBER.pattern}$")
    return pc.and_not(begins, is_number)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
