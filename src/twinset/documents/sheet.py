"""Text of workbooks (XLSX, XLSB, XLS, ODS) by the package ``python-calamine``.

The values of all cells: a line for each row, an empty line between sheets. A value reads the same
in all formats.
"""

from __future__ import annotations

import io
from datetime import date, datetime, time, timedelta
from typing import Any

from twinset.documents.base import OfficeError
from twinset.errors import remedy


def sheet_text(raw: bytes, between: str = "\n") -> str:
    """The values of all cells."""
    try:
        import python_calamine as calamine
    except ModuleNotFoundError:
        detail = f"workbooks need python-calamine, which is not installed: {remedy('office')}"
        raise OfficeError("package", detail) from None
    texts = []
    try:
        book = calamine.load_workbook(io.BytesIO(raw))
        for name in dict.fromkeys(book.sheet_names):
            rows = (
                filter(None, map(_shown, row)) for row in book.get_sheet_by_name(name).iter_rows()
            )
            texts.append("".join(f"{line}\n" for line in map("\t".join, rows) if line))
    except calamine.PasswordError:
        raise OfficeError("damaged", "the workbook is protected by a password") from None
    return between.join(texts)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):  # without the last digits, which differ between formats
        return f"{value:.15g}" if abs(value) < 1e15 or value != value else f"{value:.14e}"
    if isinstance(value, timedelta):
        seconds = round(value.total_seconds())
        return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, date | time):
        return str(value)[:19]
    return " ".join(str(value).split())
