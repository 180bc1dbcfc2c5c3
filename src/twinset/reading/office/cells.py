"""Cells of spreadsheets as text: a value reads the same in XLSX, XLS and ODS."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from twinset.reading.office.base import OfficeError
from twinset.reading.office.markup import attribute

MOST_CELLS = 2_000_000
MOST_CHARACTERS = 64 << 20
"""Characters of all cells together: one long string may stand in every cell."""
_DURATION = re.compile(
    r"P(?:(\d{1,6})D)?T?(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})(?:[.,]\d+)?S)?"
)
_LITERAL = re.compile(r'"[^"]*"|\\.|\[[^\[\]]*\]|_.|\*.')
_DATES = re.compile(r"[ymdhs]", re.IGNORECASE)
_BUILT_IN_DATES = frozenset(
    map(str, (*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
)
_LAST_DAY = 2_958_465  # the end of the year 9999, as spreadsheets count days


class Rows:
    """Cells gathered into lines; empty ones and empty rows leave nothing."""

    def __init__(self) -> None:
        self._row: list[str] = []
        self._cells = self._characters = 0

    def add(self, text: str, times: int = 1) -> None:
        """A cell, which the file may repeat."""
        if text:
            self._count(times, times * len(text))
        if shown := " ".join(text.split()):
            self._row += [shown] * times

    def end_row(self, times: int = 1) -> str:
        """The line of the row, which the file may repeat."""
        if not self._row:
            return ""
        line = "\t".join(self._row) + "\n"
        self._count(len(self._row) * (times - 1), len(line) * (times - 1))
        self._row = []
        return line * times

    def _count(self, cells: int, characters: int) -> None:
        self._cells += cells
        self._characters += characters
        if self._cells > MOST_CELLS:
            raise OfficeError("too-long", f"the document has over {MOST_CELLS:,} cells")
        if self._characters > MOST_CHARACTERS:
            detail = f"the text is longer than {MOST_CHARACTERS:,} characters"
            raise OfficeError("too-long", detail)


def number_text(value: float) -> str:
    """``1234.5`` without the last digits, which differ between formats."""
    return f"{value:.15g}" if abs(value) < 1e15 or value != value else f"{value:.14e}"


def is_date_format(number: str, code: str = "") -> bool:
    """Whether a number in this format is shown as a date or a time."""
    if code:
        return _DATES.search(_LITERAL.sub("", code.partition(";")[0])) is not None
    return number in _BUILT_IN_DATES


def date_text(days: float, since_1904: bool = False) -> str:
    """``2024-05-01``, ``14:30:00`` or both: the day that spreadsheets keep as a number."""
    if not 0 <= days <= _LAST_DAY:
        return number_text(days)
    # Day 60 is a 29 February 1900 that never was.
    start = datetime(1904, 1, 1) if since_1904 else datetime(1899, 12, 30 + (days < 60))
    try:
        moment = start + timedelta(seconds=round(days * 86_400))
    except OverflowError:
        return number_text(days)
    if days < 1:
        return moment.strftime("%H:%M:%S")
    time = f" {moment:%H:%M:%S}" if days % 1 and moment.time() else ""
    return f"{moment.year:04}-{moment:%m-%d}{time}"


def odf_value(attributes: dict[str, str]) -> str:
    """The value of a cell of OpenDocument; empty where its paragraphs say what it holds."""
    kind = attribute(attributes, "office:value-type")
    if kind in ("float", "currency", "percentage"):
        return value_text(attribute(attributes, "office:value"))
    if kind == "boolean":
        return attribute(attributes, "office:boolean-value").upper()
    if kind == "date":
        day, _, time = attribute(attributes, "office:date-value").partition("T")
        return f"{day} {time[:8]}" if time and not time.startswith("00:00:00") else day
    if kind == "time":
        duration = _DURATION.fullmatch(attribute(attributes, "office:time-value"))
        if duration:
            days, hours, minutes, seconds = (int(part or 0) for part in duration.groups())
            return f"{days * 24 + hours:02}:{minutes:02}:{seconds:02}"
    return ""


def value_text(value: str) -> str:
    """A number as it stands in a file, spelt in one way; anything else as it is."""
    try:
        return number_text(float(value))
    except ValueError:
        return value
