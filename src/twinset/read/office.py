"""Text of what word processors and printers make: DOCX, and PDF with the package ``pypdf``."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from xml.etree import ElementTree

from twinset.errors import TwinsetError
from twinset.extras import remedy

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_BODY = "word/document.xml"
_ENDS = {f"{_WORD}p": "\n", f"{_WORD}tab": "\t", f"{_WORD}br": "\n", f"{_WORD}cr": "\n"}


class OfficeError(TwinsetError):
    """A document whose text cannot be taken out; ``kind`` is the kind of fault it is told as."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def docx_text(raw: bytes, limit: int) -> str:
    """The text of a DOCX file, a line for each paragraph, at most ``limit`` bytes of mark-up."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as packed, packed.open(_BODY) as body:
            markup = body.read(limit + 1)
    except (zipfile.BadZipFile, KeyError, OSError, ValueError, NotImplementedError, EOFError):
        raise OfficeError("syntax", "the file is not a DOCX document") from None
    except Exception as fault:  # zlib.error, lzma errors and passwords (RuntimeError)
        raise OfficeError("syntax", f"the DOCX document cannot be unpacked ({fault})") from None
    if len(markup) > limit:
        raise OfficeError("too-long", f"the text is longer than {limit:,} bytes")
    if b"<!DOCTYPE" in markup[:4096] or b"<!ENTITY" in markup:
        raise OfficeError("syntax", "the document declares entities, which DOCX does not allow")
    return _paragraphs(markup)


def _paragraphs(markup: bytes) -> str:
    parts: list[str] = []
    try:
        for _, element in ElementTree.iterparse(io.BytesIO(markup)):
            if element.tag == f"{_WORD}t":
                parts.append(element.text or "")
            elif element.tag in _ENDS:
                parts.append(_ENDS[element.tag])
            if element.tag == f"{_WORD}p":
                element.clear()
    except ElementTree.ParseError as fault:
        raise OfficeError("syntax", f"the text of the document is broken ({fault})") from None
    return "".join(parts)


def pdf_text(raw: bytes, limit: int) -> str:
    """The text of a PDF file, page after page, at most ``limit`` characters."""
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ModuleNotFoundError:
        raise OfficeError(
            "package", f"PDF files need pypdf, which is not installed: {remedy('pdf')}"
        ) from None
    parts, length = [], 0
    try:
        for page in PdfReader(io.BytesIO(raw)).pages:
            text = page.extract_text()
            parts.append(text)
            length += len(text)
            if length > limit:
                raise OfficeError("too-long", f"the text is longer than {limit:,} characters")
    except OfficeError:
        raise
    except (PyPdfError, ValueError, KeyError, TypeError, IndexError, RecursionError) as fault:
        raise OfficeError("syntax", f"the PDF document cannot be read ({fault})") from None
    except Exception as fault:  # a parser of a wild format meets the rest of what can happen
        raise OfficeError("syntax", f"the PDF document cannot be read ({fault!r})") from None
    return "\n".join(parts)


TEXT_OF: dict[str, Callable[[bytes, int], str]] = {".docx": docx_text, ".pdf": pdf_text}
