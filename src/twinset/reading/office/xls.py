"""Text of XLS files, the workbooks of Excel 97 to 2003, by the package ``xlrd``.

It gets the stream of the workbook alone: in the chains of a damaged compound file it may run in a
circle for ever.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from twinset.errors import remedy
from twinset.reading.office import cells
from twinset.reading.office.base import OfficeError
from twinset.reading.office.compound import CompoundFile

_SHORTEST_RECORD = 4
"""Bytes of a record without content."""


def xls_text(raw: bytes, limit: int) -> str:
    """The values of all cells, a line for each row, an empty line between sheets."""
    try:
        import xlrd
    except ModuleNotFoundError:
        detail = f"XLS files need xlrd, which is not installed: {remedy('office')}"
        raise OfficeError("package", detail) from None
    file = CompoundFile(raw)
    stream = file.read("Workbook" if "Workbook" in file else "Book")
    rows, texts, length = cells.Rows(), [], 0
    try:
        with open(os.devnull, "w") as silence:
            book = xlrd.open_workbook(
                file_contents=stream, logfile=silence, on_demand=True, ragged_rows=True
            )
            _bound(book, len(stream) // _SHORTEST_RECORD)
            for number in range(book.nsheets):
                lines = []
                sheet = book.sheet_by_index(number)
                for row in range(sheet.nrows):
                    filled = zip(sheet.row_types(row), sheet.row_values(row), strict=True)
                    for type, value in filled:
                        if type != xlrd.XL_CELL_EMPTY:
                            rows.add(_shown(type, value, book.datemode))
                    lines.append(rows.end_row())
                texts.append("".join(lines))
                length += len(texts[-1])
                if length > limit:
                    raise OfficeError("too-long", f"the text is longer than {limit:,} characters")
                book.unload_sheet(number)
    except OfficeError:
        raise
    except xlrd.XLRDError as fault:
        if "encrypt" in str(fault).lower():
            detail = "the XLS document is protected by a password"
            raise OfficeError("damaged", detail) from None
        raise _damaged() from None
    except Exception:  # a parser of a wild format meets everything that can happen
        raise _damaged() from None
    return "\n".join(texts)


def _bound(book: Any, most: int) -> None:
    """Let sheets have as many records as there are: all of them may begin at one place."""
    records = iter(range(most))

    def counted(take: Callable[..., Any]) -> Callable[..., Any]:
        def next_record(*arguments: Any) -> Any:
            if next(records, None) is None:
                raise _damaged()
            return take(*arguments)

        return next_record

    book.get_record_parts = counted(book.get_record_parts)
    book.get_record_parts_conditional = counted(book.get_record_parts_conditional)


def _damaged() -> OfficeError:
    return OfficeError("damaged", "the XLS document is damaged")


def _shown(type: int, value: Any, datemode: int) -> str:
    import xlrd

    if type == xlrd.XL_CELL_DATE:
        return cells.date_text(value, datemode == 1)
    if type == xlrd.XL_CELL_NUMBER:
        return cells.number_text(value)
    if type == xlrd.XL_CELL_BOOLEAN:
        return "TRUE" if value else "FALSE"
    if type == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(value, ""))
    return str(value)
