"""Which formats of documents are read: names, suffixes and readers, and how each is recognised.

A new reader is a file with a function from bytes to text, and a line in `FORMATS`. Nothing is
imported before a file of the format is read. The content decides; the suffix only where the content
says nothing.
"""

from __future__ import annotations

import importlib
from typing import NamedTuple, cast

from twinset.reading.office.base import PartialText


class DocumentFormat(NamedTuple):
    """A format of which every file is one document."""

    suffixes: tuple[str, ...]
    reader: str
    """``module:function`` in this package: from the bytes and the most bytes of text to the text;
    raises `OfficeError`."""
    has_scans: bool = False
    """Whether the reader takes how to read pictures as well, and returns a `PartialText`."""


FORMATS: dict[str, DocumentFormat] = {
    "docx": DocumentFormat((".docx",), "docx:docx_text"),
    "pdf": DocumentFormat((".pdf",), "pdf.document:pdf_text", has_scans=True),
    "picture": DocumentFormat((), "pdf.ocr:picture_text", has_scans=True),
}

SUFFIXES = {suffix: name for name, format in FORMATS.items() for suffix in format.suffixes}


def document_text(name: str, raw: bytes, limit: int, ocr: str = "no") -> PartialText:
    """The text of a file of this format, at most ``limit`` bytes; raises `OfficeError`.

    ``ocr`` says how pictures of pages are read: ``no``, ``yes`` or the languages.
    """
    module, _, function = FORMATS[name].reader.partition(":")
    reader = getattr(importlib.import_module(f"twinset.reading.office.{module}"), function)
    if FORMATS[name].has_scans:
        return cast("PartialText", reader(raw, limit, ocr))
    return PartialText(cast("str", reader(raw, limit)))
