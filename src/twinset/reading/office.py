"""Text of office documents: DOCX, and PDF with the package ``pypdf``.

Both formats can hold far more than their size suggests. So no tree is built, and bytes, elements,
pages and drawing steps are bounded; what goes beyond a bound is a fault.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any
from xml.parsers import expat

from twinset.errors import TwinsetError, remedy

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main "
_BODY = "word/document.xml"
_TEXT, _BREAKS = f"{_WORD}t", {f"{_WORD}tab": "\t", f"{_WORD}br": "\n", f"{_WORD}cr": "\n"}
_PARAGRAPH = f"{_WORD}p"
MOST_ELEMENTS = 2_000_000
"""Elements of a DOCX; this many take seconds, and no document that is written by hand has them."""
MOST_RATIO = 200
"""How many times its size the text of a DOCX may unpack to, once it is beyond 16 MB."""
DEEPEST = 256
MOST_PAGES = 20_000
MOST_STEPS = 2_000_000
"""Drawing operators of a PDF, over all its pages."""
_HARMLESS = 16 << 20
_PIECE = 1 << 18


class OfficeError(TwinsetError):
    """A document whose text cannot be extracted; ``kind`` is the kind of fault it counts as."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def docx_text(raw: bytes, limit: int) -> str:
    """The text of a DOCX file, a line for each paragraph, at most ``limit`` bytes of mark-up."""
    most = min(limit, max(_HARMLESS, MOST_RATIO * len(raw)))
    body, unpacked = _Body(), 0
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as packed, packed.open(_BODY) as markup:
            while piece := markup.read(_PIECE):
                unpacked += len(piece)
                if unpacked > most:
                    raise OfficeError("too-long", f"the text is longer than {most:,} bytes")
                body.feed(piece)
    except OfficeError:
        raise
    except (zipfile.BadZipFile, KeyError, OSError, ValueError, NotImplementedError, EOFError):
        raise OfficeError("syntax", "the file is not a DOCX document") from None
    except RuntimeError:
        raise OfficeError("syntax", "the DOCX document is protected by a password") from None
    except Exception:  # zlib.error, lzma errors
        raise OfficeError("syntax", "the DOCX document is damaged") from None
    return body.text()


class _Body:
    """The text of a DOCX document, gathered as its mark-up streams by."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._elements = self._depth = 0
        self._in_text = False
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._doctype
        self._parser = parser

    def feed(self, piece: bytes) -> None:
        """More of the mark-up."""
        self._parse(piece, False)

    def text(self) -> str:
        """The text, once all mark-up was fed."""
        self._parse(b"", True)
        return "".join(self._parts)

    def _parse(self, piece: bytes, is_last: bool) -> None:
        try:
            self._parser.Parse(piece, is_last)
        except expat.ExpatError as fault:
            place = f"line {fault.lineno}, column {fault.offset + 1}"
            raise OfficeError("syntax", f"the text of the document is broken at {place}") from None

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        self._depth += 1
        if self._elements > MOST_ELEMENTS:
            raise OfficeError("too-long", f"the document has over {MOST_ELEMENTS:,} elements")
        if self._depth > DEEPEST:
            raise OfficeError("syntax", f"the document nests over {DEEPEST} elements")
        self._in_text = name == _TEXT

    def _end(self, name: str) -> None:
        self._depth -= 1
        self._in_text = False
        if name == _PARAGRAPH:
            self._parts.append("\n")
        elif name in _BREAKS:
            self._parts.append(_BREAKS[name])

    def _characters(self, text: str) -> None:
        if self._in_text:
            self._parts.append(text)

    def _doctype(self, *declared: Any) -> None:
        raise OfficeError("syntax", "the document declares entities, which DOCX does not allow")


def pdf_text(raw: bytes, limit: int) -> str:
    """The text of a PDF file, page after page, at most ``limit`` characters."""
    try:
        from pypdf import PdfReader
        from pypdf.errors import DependencyError, FileNotDecryptedError
    except ModuleNotFoundError:
        raise OfficeError(
            "package", f"PDF files need pypdf, which is not installed: {remedy('pdf')}"
        ) from None
    parts, length, steps = [], 0, _Steps()
    try:
        for number, page in enumerate(PdfReader(io.BytesIO(raw)).pages):
            if number >= MOST_PAGES:
                raise OfficeError("too-long", f"the document has over {MOST_PAGES:,} pages")
            text = page.extract_text(visitor_operand_before=steps.count)
            parts.append(text)
            length += len(text)
            if length > limit:
                raise OfficeError("too-long", f"the text is longer than {limit:,} characters")
    except OfficeError:
        raise
    except (FileNotDecryptedError, DependencyError):  # some ciphers need a further package
        raise OfficeError("syntax", "the PDF document is encrypted") from None
    except Exception:  # a parser of a wild format meets everything that can happen
        raise OfficeError("syntax", "the PDF document is damaged") from None
    return "\n".join(parts)


class _Steps:
    """Counts the drawing operators of all pages: forms that draw forms grow without bound."""

    def __init__(self) -> None:
        self._done = 0

    def count(self, *operation: Any) -> None:
        self._done += 1
        if self._done > MOST_STEPS:
            raise OfficeError("too-long", f"the document takes over {MOST_STEPS:,} drawing steps")


TEXT_OF: dict[str, Callable[[bytes, int], str]] = {".docx": docx_text, ".pdf": pdf_text}
