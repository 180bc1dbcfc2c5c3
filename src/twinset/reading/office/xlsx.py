"""Text of XLSX files, the workbooks of Excel since 2007: rows of cells, sheet after sheet."""

from __future__ import annotations

import posixpath

from twinset.reading.office import cells
from twinset.reading.office.base import OfficeError
from twinset.reading.office.markup import MarkupReader, attribute
from twinset.reading.office.package import Package

_WORKBOOK = "xl/workbook.xml"


def xlsx_text(raw: bytes, limit: int) -> str:
    """The values of all cells, a line for each row, an empty line between sheets."""
    package = Package(raw, limit, "XLSX")
    main = package.main_part(_WORKBOOK)
    if not main.endswith(".xml"):
        detail = "the file is a binary workbook (XLSB), which is not read; save it as .xlsx"
        raise OfficeError("format", detail)
    workbook, strings, styles = _Workbook(), _Strings(), _Styles()
    package.feed(main, workbook)
    relations = package.relations(main)
    for type, target in relations.values():
        if type.endswith("/sharedStrings") and target in package:
            package.feed(target, strings)
        elif type.endswith("/styles") and target in package:
            package.feed(target, styles)
    sheet = _Sheet(strings.texts, styles.dates(), workbook.since_1904)
    texts = []
    targets = (relations[id][1] for id in workbook.sheets if id in relations)
    for target in package.inside(targets):
        if posixpath.basename(posixpath.dirname(target)) == "worksheets":
            sheet.begin()
            package.feed(target, sheet)
            texts.append(sheet.text())
    return "\n".join(texts)


class _Workbook(MarkupReader):
    def __init__(self) -> None:
        super().__init__()
        self.sheets: list[str] = []
        self.since_1904 = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """A sheet is listed."""
        if name == "x:sheet":
            self.sheets.append(attribute(attributes, "r:id"))
        elif name == "x:workbookPr":
            self.since_1904 = attributes.get("date1904") in ("1", "true")


class _Strings(MarkupReader):
    """The strings that cells refer to by number."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._parts: list[str] = []
        self._in_text, self._readings = False, 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Text begins."""
        self._in_text = name == "x:t" and not self._readings
        self._readings += name == "x:rPh"  # how Japanese words are read

    def end(self, name: str) -> None:
        """A string ends."""
        self._in_text = False
        self._readings -= name == "x:rPh"
        if name == "x:si":
            self.texts.append("".join(self._parts))
            self._parts = []

    def characters(self, text: str) -> None:
        """Characters of a string."""
        if self._in_text:
            self._parts.append(text)


class _Styles(MarkupReader):
    """The formats of numbers, of which those of dates are of interest."""

    def __init__(self) -> None:
        super().__init__()
        self._codes: dict[str, str] = {}
        self._formats: list[str] = []
        self._in_cells = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """A format is described or used by a style of cells."""
        if name == "x:numFmt":
            self._codes[attributes.get("numFmtId", "")] = attributes.get("formatCode", "")
        elif name == "x:cellXfs":
            self._in_cells = True
        elif name == "x:xf" and self._in_cells:
            self._formats.append(attributes.get("numFmtId", "0"))

    def end(self, name: str) -> None:
        """The styles of cells end."""
        if name == "x:cellXfs":
            self._in_cells = False

    def dates(self) -> set[str]:
        """The numbers of the styles that show dates."""
        # A form may be long, and many styles may use it.
        codes = {id: self._codes.get(id, "") for id in self._formats}
        dated = {id for id, code in codes.items() if cells.is_date_format(id, code)}
        return {str(style) for style, id in enumerate(self._formats) if id in dated}


class _Sheet(MarkupReader):
    def __init__(self, strings: list[str], dates: set[str], since_1904: bool) -> None:
        super().__init__()
        self._strings, self._dates, self._since_1904 = strings, dates, since_1904
        self._rows, self._lines = cells.Rows(), [""]
        self._value: list[str] = []
        self._type = self._style = ""
        self._in_value = False

    def begin(self) -> None:
        """Another sheet; bounds go on counting."""
        self._renew()
        self._lines = []

    def text(self) -> str:
        """The rows of the sheet."""
        return "".join(self._lines)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """A cell or its value begins."""
        if name == "x:c":
            self._type, self._style = attributes.get("t", "n"), attributes.get("s", "")
            self._value = []
        self._in_value = name in ("x:v", "x:t")

    def end(self, name: str) -> None:
        """A cell or a row ends."""
        self._in_value = False
        if name == "x:c":
            self._rows.add(self._shown("".join(self._value)))
        elif name == "x:row":
            self._lines.append(self._rows.end_row())

    def characters(self, text: str) -> None:
        """Characters of a value."""
        if self._in_value:
            self._value.append(text)

    def _shown(self, value: str) -> str:
        if self._type == "s":
            number = int(value) if value.isdecimal() and len(value) < 10 else -1
            return self._strings[number] if 0 <= number < len(self._strings) else ""
        if self._type == "b":
            return "TRUE" if value == "1" else "FALSE"
        if self._type != "n" or not value:
            return value
        if self._style in self._dates:
            try:
                return cells.date_text(float(value), self._since_1904)
            except ValueError:
                return value
        return cells.value_text(value)
