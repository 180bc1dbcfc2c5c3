"""Text of OpenDocument files: ODT, ODS and ODP, packed or as one XML file.

Footnotes stand at the end. Comments, deleted text, speaker's notes and descriptions of pictures are
not text of the document. Cells of numbers and dates give their values, as those of XLSX do.
"""

from __future__ import annotations

import re

from twinset.reading.office import cells
from twinset.reading.office.base import OfficeError
from twinset.reading.office.flow import AsideKind, Flow
from twinset.reading.office.markup import MarkupReader, attribute
from twinset.reading.office.package import Package

_CONTENT = "content.xml"
_ENCRYPTED = b"encryption-data"
_PARAGRAPHS = ("text:p", "text:h")
_CHARACTERS = {"text:tab": "\t", "text:line-break": "\n"}
_UNREAD = (
    "text:tracked-changes",
    "text:note-citation",
    "text:hidden-text",
    "text:ruby-text",
    "office:annotation",
    "office:scripts",
    "office:styles",
    "office:automatic-styles",
    "office:master-styles",
    "office:meta",
    "office:settings",
    "presentation:notes",
    "svg:title",
    "svg:desc",
    "table:tracked-changes",
)
_CELLS = ("table:table-cell", "table:covered-table-cell")
_SPACE = re.compile(r"[ \t\r\n]+")
_MOST_SPACES = 100  # about as many as the characters that ask for them


def odf_text(raw: bytes, limit: int) -> str:
    """The text of an OpenDocument file, a line for each paragraph or row of cells."""
    reader = _Content()
    if raw.startswith(b"PK"):
        package = Package(raw, limit, "OpenDocument")
        manifest = "META-INF/manifest.xml"
        if manifest in package and _ENCRYPTED in package.read(manifest):
            detail = "the OpenDocument document is protected by a password"
            raise OfficeError("damaged", detail)
        package.feed(_CONTENT, reader)
    else:
        reader.feed(raw)
        reader.close()
    return reader.flow.text()


class _Content(MarkupReader):
    def __init__(self) -> None:
        super().__init__()
        self.flow = Flow()
        self._paragraphs = self._unread = 0
        self._asides: list[int] = []  # the depths of notes and boxes that are open
        self._note: AsideKind = "footnote"
        self._style, self._hiding = "", set[str]()  # styles of hidden text
        self._hidden: list[int] = []  # the depths of spans in such a style
        self._is_table = False  # of a spreadsheet, whose tables are made of values
        self._cells = cells.Rows()
        self._cell: Flow | None = None
        self._value, self._columns, self._rows = "", 1, 1

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Text begins, or what is none."""
        if name in _UNREAD:
            self._unread += 1
        elif name in _PARAGRAPHS:
            self._paragraphs += 1
        elif name == "text:s":
            self._add(" " * min(_MOST_SPACES, _repeated(attributes, "text:c")))
        elif name == "text:note-body" or (name.startswith("draw:") and self._paragraphs):
            self._asides.append(self._depth)
            self.flow.begin_aside()
        elif name == "text:note":
            is_endnote = attribute(attributes, "text:note-class") == "endnote"
            self._note = "endnote" if is_endnote else "footnote"
        elif name == "text:span":
            if attribute(attributes, "text:style-name") in self._hiding:
                self._hidden.append(self._depth)
                self._unread += 1
        elif name == "style:style":
            self._style = attribute(attributes, "style:name")
        elif name == "style:text-properties":
            if attribute(attributes, "text:display") == "none":
                self._hiding.add(self._style)
        elif name == "office:spreadsheet":
            self._is_table = True
        elif self._is_table and not self._unread:
            self._start_cells(name, attributes)

    def end(self, name: str) -> None:
        """Text ends, or a paragraph."""
        if name in _UNREAD:
            self._unread -= 1
        elif name in _PARAGRAPHS:
            self._paragraphs -= 1
            if not self._unread:
                self.flow.end_paragraph()
        elif name in _CHARACTERS:
            self._add(_CHARACTERS[name])
        elif self._asides and self._asides[-1] == self._depth + 1:
            self._asides.pop()
            kind: AsideKind = "box" if name.startswith("draw:") else self._note
            self.flow.end_aside(kind, self._unread > 0)
        elif self._hidden and self._hidden[-1] == self._depth + 1:
            self._hidden.pop()
            self._unread -= 1
        elif self._is_table and not self._unread:
            self._end_cells(name)

    def characters(self, text: str) -> None:
        """Characters, which count inside paragraphs only."""
        if self._paragraphs:
            self._add(_SPACE.sub(" ", text))

    def _add(self, text: str) -> None:
        if self._paragraphs and not self._unread:
            self.flow.add(text)

    def _start_cells(self, name: str, attributes: dict[str, str]) -> None:
        if name == "table:table-row":
            self._rows = _repeated(attributes, "table:number-rows-repeated")
        elif name in _CELLS:
            self._columns = _repeated(attributes, "table:number-columns-repeated")
            self._value = cells.odf_value(attributes)
            self._cell, self.flow = self.flow, Flow()

    def _end_cells(self, name: str) -> None:
        if name in _CELLS and self._cell is not None:
            shown = self._value or self.flow.text()
            self.flow, self._cell = self._cell, None
            self._cells.add(shown, self._columns)
        elif name == "table:table-row":
            self.flow.add(self._cells.end_row(self._rows))
        elif name == "table:table":
            self.flow.add("\n")


def _repeated(attributes: dict[str, str], name: str) -> int:
    count = attribute(attributes, name, "1")
    return int(count) if count.isdecimal() and len(count) < 10 else 1
