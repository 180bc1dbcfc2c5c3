"""Which formats of documents are read: their suffixes and readers.

A new reader is a file with a function to text and a line here; where the content tells the format,
also a line in `recognise`. Nothing is imported before a file of the format is read. The content
decides; the suffix only where the content says nothing.
"""

from __future__ import annotations

import importlib
import re
from typing import Any, NamedTuple

from twinset.reading.office.base import PartialText


class DocumentFormat(NamedTuple):
    """A format of which every file is one document."""

    suffixes: tuple[str, ...]
    reader: str
    """``module:function`` in this package."""
    has_scans: bool = False
    """Whether the reader takes how to read pictures as well, and returns a `PartialText`."""


FORMATS: dict[str, DocumentFormat] = {
    "docx": DocumentFormat((".docx", ".docm", ".dotx"), "docx:docx_text"),
    "pdf": DocumentFormat((".pdf",), "pdf.document:pdf_text", has_scans=True),
    "picture": DocumentFormat((), "pdf.ocr:picture_text", has_scans=True),
    "odf": DocumentFormat(
        (".odt", ".ods", ".odp", ".ott", ".ots", ".otp", ".fodt", ".fods", ".fodp"), "odf:odf_text"
    ),
    "rtf": DocumentFormat((".rtf",), "rtf:rtf_text"),
    "doc": DocumentFormat((".doc", ".dot"), "doc:doc_text"),
    "xlsx": DocumentFormat((".xlsx", ".xlsm", ".xltx"), "xlsx:xlsx_text"),
    "xls": DocumentFormat((".xls", ".xlt"), "xls:xls_text"),
    "pptx": DocumentFormat((".pptx", ".pptm", ".ppsx", ".potx"), "pptx:pptx_text"),
    "ppt": DocumentFormat((".ppt", ".pps"), "ppt:ppt_text"),
    "epub": DocumentFormat((".epub",), "epub:epub_text"),
    "protected": DocumentFormat((), "base:protected_text"),
}
"""Readers of bytes: from the bytes and the most bytes of text to the text; raise `OfficeError`."""

NOTATIONS: dict[str, DocumentFormat] = {
    "markdown": DocumentFormat((".md", ".markdown", ".mkd", ".qmd"), "markdown:markdown_text"),
    "latex": DocumentFormat((".tex", ".latex", ".ltx"), "latex:latex_text"),
    "cues": DocumentFormat((".srt", ".vtt"), "subtitles:cue_text"),
    "ass": DocumentFormat((".ass", ".ssa"), "subtitles:ass_text"),
    "frames": DocumentFormat((".sub",), "subtitles:frames_text"),
}
"""Readers of text with signs of its own, known by suffix alone: from text to text."""

_LIGATURES = str.maketrans(
    dict(zip("ﬀﬁﬂﬃﬄﬅﬆ", ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True))
)
_LIGATURE = re.compile("[\ufb00-\ufb06]")

SUFFIXES = {suffix: name for name, format in FORMATS.items() for suffix in format.suffixes}
NOTED = {suffix: name for name, format in NOTATIONS.items() for suffix in format.suffixes}


def document_text(name: str, raw: bytes, limit: int, ocr: str = "no") -> PartialText:
    """The text of a file of this format, at most ``limit`` bytes; raises `OfficeError`.

    ``ocr`` says how pictures of pages are read: ``no``, ``yes`` or the languages.
    """
    reader = _load(FORMATS[name])
    if not FORMATS[name].has_scans:
        return PartialText(reader(raw, limit))
    text: PartialText = reader(raw, limit, ocr)
    return text


def plain_text(name: str, source: str) -> str:
    """The text of a source in this notation, without the signs of the notation."""
    text: str = _load(NOTATIONS[name])(source)
    return text


def without_ligatures(text: str) -> str:
    """Letters for ligatures: of one text, programs keep them in one format and not in the other."""
    if text.isascii() or not _LIGATURE.search(text):
        return text
    return text.translate(_LIGATURES)


def _load(format: DocumentFormat) -> Any:
    module, _, function = format.reader.partition(":")
    return getattr(importlib.import_module(f"twinset.reading.office.{module}"), function)
