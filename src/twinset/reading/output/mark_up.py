"""Records of WARC and ROMIP files with what was decided on them, every other byte as it was."""

from __future__ import annotations

import re
from html import escape

from twinset.model.outcomes import ADDED
from twinset.reading.output.notes import Note

_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_ANY = b"|".join(name.encode() for name in ADDED)
_HEADER = re.compile(
    rb"\r?\n(?:" + _ANY + rb"):[^\n]*?(?=\r?\n)(?:\r?\n[ \t]+[^\n]*?(?=\r?\n))*", re.IGNORECASE
)
_ELEMENTS = re.compile(rb"(?:<(" + _ANY + rb")>[^<]*</\1>)+")
_END = b"</document>"


def with_headers(record: bytes, note: Note) -> bytes:
    """A WARC record with named fields at the end of its header; its length does not count them."""
    blank_line = _BLANK_LINE.search(record)
    if blank_line is None:
        return record
    line_end = b"\r\n" if blank_line.group().startswith(b"\r\n") else b"\n"
    # the look-ahead needs the line end behind the last field
    header = _HEADER.sub(b"", record[: blank_line.start()] + line_end).removesuffix(line_end)
    values = (" ".join(cell.split()).encode() for cell in note.cells())
    fields = (
        line_end + name.encode() + b": " + value for name, value in zip(ADDED, values, strict=True)
    )
    return header + b"".join(fields) + record[blank_line.start() :]


def with_elements(document: bytes, note: Note) -> bytes:
    """A ROMIP document with elements before its end; itself where the end is cut off."""
    end = document.rfind(_END)
    if end < 0:
        return document
    body = document[:end].rstrip()
    # Each row of elements is looked at once, wherever it stands; only those at the end are ours.
    own = next((row for row in _ELEMENTS.finditer(body) if row.end() == len(body)), None)
    between = document[len(body) : end]
    values = (escape(cell).encode("ascii", "xmlcharrefreplace") for cell in note.cells())
    elements = (
        b"<" + name.encode() + b">" + value + b"</" + name.encode() + b">"
        for name, value in zip(ADDED, values, strict=True)
    )
    return body[: own.start() if own else None] + b"".join(elements) + between + document[end:]
