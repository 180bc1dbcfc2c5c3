"""Text of DOCX files, the documents of Word since 2007."""

from __future__ import annotations

import io
import zipfile
from typing import Any
from xml.parsers import expat

from twinset.reading.office import base
from twinset.reading.office.base import OfficeError

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main "
_BODY = "word/document.xml"
_TEXT, _BREAKS = f"{_WORD}t", {f"{_WORD}tab": "\t", f"{_WORD}br": "\n", f"{_WORD}cr": "\n"}
_PARAGRAPH = f"{_WORD}p"


def docx_text(raw: bytes, limit: int) -> str:
    """The text of a DOCX file, a line for each paragraph, at most ``limit`` bytes of mark-up."""
    most = min(limit, max(base.HARMLESS, base.MOST_RATIO * len(raw)))
    body, unpacked = _Body(), 0
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as packed, packed.open(_BODY) as markup:
            while piece := markup.read(base.PIECE):
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
        if self._elements > base.MOST_ELEMENTS:
            raise OfficeError("too-long", f"the document has over {base.MOST_ELEMENTS:,} elements")
        if self._depth > base.DEEPEST:
            raise OfficeError("syntax", f"the document nests over {base.DEEPEST} elements")
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
