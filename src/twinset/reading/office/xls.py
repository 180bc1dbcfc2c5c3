"""Text of XLS files, the workbooks of Excel 97 to 2003, by the package ``xlrd``."""

from __future__ import annotations

import os
from typing import Any

from twinset.errors import remedy
from twinset.reading.office import cells
from twinset.reading.office.base import OfficeError


def xls_text(raw: bytes, limit: int) -> str:
    """The values of all cells, a line for each row, an empty line between sheets."""
    try:
        import xlrd
    except ModuleNotFoundError:
        detail = f"XLS files need xlrd, which is not installed: {remedy('office')}"
        raise OfficeError("package", detail) from None
    rows, texts, length = cells.Rows(), [], 0
    try:
        with open(os.devnull, "w") as silence:
            book = xlrd.open_workbook(
                file_contents=raw, logfile=silence, on_demand=True, ragged_rows=True
            )
            for number in range(book.nsheets):
                lines = []
                sheet = book.sheet_by_index(number)
                for row in range(sheet.nrows):
                    for cell in sheet.row(row):
                        rows.add(_shown(cell, book.datemode))
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
            raise OfficeError("syntax", detail) from None
        raise OfficeError("syntax", "the XLS document is damaged") from None
    except Exception:  # a parser of a wild format meets everything that can happen
        raise OfficeError("syntax", "the XLS document is damaged") from None
    return "\n".join(texts)


def _shown(cell: Any, datemode: int) -> str:
    import xlrd

    if cell.ctype == xlrd.XL_CELL_DATE:
        return cells.date_text(cell.value, datemode == 1)
    if cell.ctype == xlrd.XL_CELL_NUMBER:
        return cells.number_text(cell.value)
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return "TRUE" if cell.value else "FALSE"
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(cell.value, ""))
    return str(cell.value)
