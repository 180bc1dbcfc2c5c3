"""Which formats of documents are read: names, suffixes and readers, and how each is recognised.

A new reader is a file with a function from bytes to text, and a line in `FORMATS`. Nothing is
imported before a file of the format is read. The content decides; the suffix only where the content
says nothing.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import NamedTuple, cast


class DocumentFormat(NamedTuple):
    """A format of which every file is one document."""

    suffixes: tuple[str, ...]
    reader: str
    """``module:function`` in this package: from the bytes and the most bytes of text to the text;
    raises `OfficeError`."""


FORMATS: dict[str, DocumentFormat] = {
    "docx": DocumentFormat((".docx",), "docx:docx_text"),
    "pdf": DocumentFormat((".pdf",), "pdf:pdf_text"),
}

SUFFIXES = {suffix: name for name, format in FORMATS.items() for suffix in format.suffixes}


def document_text(name: str, raw: bytes, limit: int) -> str:
    """The text of a file of this format, at most ``limit`` bytes; raises `OfficeError`."""
    module, _, function = FORMATS[name].reader.partition(":")
    reader = getattr(importlib.import_module(f"twinset.reading.office.{module}"), function)
    return cast("Callable[[bytes, int], str]", reader)(raw, limit)
