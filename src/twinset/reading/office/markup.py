"""XML as it streams by: no tree, no entities, bounded elements and depth."""

from __future__ import annotations

from typing import Any
from xml.parsers import expat

from twinset.reading.office import base
from twinset.reading.office.base import OfficeError

_OPEN = "http://schemas.openxmlformats.org"
_STRICT = "http://purl.oclc.org/ooxml"
_ODF = "urn:oasis:names:tc:opendocument:xmlns"
_ODF_SPACES = ("office", "text", "table", "presentation", "style")
# The short names of elements and attributes, whatever prefixes a file uses.
PREFIXES = {
    f"{_OPEN}/wordprocessingml/2006/main": "w",
    f"{_STRICT}/wordprocessingml/main": "w",
    f"{_OPEN}/spreadsheetml/2006/main": "x",
    f"{_STRICT}/spreadsheetml/main": "x",
    f"{_OPEN}/presentationml/2006/main": "p",
    f"{_STRICT}/presentationml/main": "p",
    f"{_OPEN}/drawingml/2006/main": "a",
    f"{_STRICT}/drawingml/main": "a",
    f"{_OPEN}/officeDocument/2006/math": "m",
    f"{_OPEN}/officeDocument/2006/relationships": "r",
    f"{_STRICT}/officeDocument/relationships": "r",
    f"{_OPEN}/markup-compatibility/2006": "mc",
    **{f"{_ODF}:{name}:1.0": name for name in _ODF_SPACES},
    f"{_ODF}:drawing:1.0": "draw",
    f"{_ODF}:svg-compatible:1.0": "svg",
    "http://www.idpf.org/2007/opf": "opf",
    f"{_ODF}:container": "container",
}


class MarkupReader:
    """Mark-up without a tree: `start`, `end` and `characters` are called with short names.

    The subclasses, one for each format, say what is text.
    """

    def __init__(self) -> None:
        self._elements = self._depth = 0
        self._renew()

    def _renew(self) -> None:
        """Another file; its elements count with those before."""
        self._depth = self._fed = 0
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self.characters
        parser.StartDoctypeDeclHandler = self._doctype
        self._parser = parser

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins; ``attributes`` have their full names, see `attribute`."""

    def end(self, name: str) -> None:
        """An element ends."""

    def characters(self, text: str) -> None:
        """Characters between two tags."""

    def feed(self, piece: bytes) -> None:
        """More of the mark-up."""
        for begin in range(0, len(piece), base.PIECE):
            part = piece[begin : begin + base.PIECE]
            self._parse(part, False)
            self._fed += len(part)
            if self._fed - self._parser.CurrentByteIndex > base.LONGEST_TAG:
                detail = f"a tag of the document is longer than {base.LONGEST_TAG:,} bytes"
                raise OfficeError("too-long", detail)

    def close(self) -> None:
        """All mark-up was fed."""
        self._parse(b"", True)

    def _parse(self, piece: bytes, is_last: bool) -> None:
        try:
            self._parser.Parse(piece, is_last)
        except expat.ExpatError as fault:
            place = f"line {fault.lineno}, column {fault.offset + 1}"
            raise OfficeError("damaged", f"the text of the document is broken at {place}") from None
        except (ValueError, LookupError):  # an encoding that is not known, bytes that are not in it
            detail = "the text of the document is in an encoding that cannot be read"
            raise OfficeError("encoding", detail) from None

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        self._depth += 1
        if self._elements > base.MOST_ELEMENTS:
            raise OfficeError("too-long", f"the document has over {base.MOST_ELEMENTS:,} elements")
        if self._depth > base.DEEPEST:
            raise OfficeError("damaged", f"the document nests over {base.DEEPEST} elements")
        self.start(short(name), attributes)

    def _end(self, name: str) -> None:
        self._depth -= 1
        self.end(short(name))

    def _doctype(self, name: str, system: Any, public: Any, has_entities: int) -> None:
        if has_entities:
            raise OfficeError("damaged", "the document declares entities, which its format forbids")


def short(name: str) -> str:
    """``w:t`` for the element of that name in the namespace of Word; others stay as they are."""
    space, _, local = name.rpartition(" ")
    prefix = PREFIXES.get(space)
    return f"{prefix}:{local}" if prefix else name


def attribute(attributes: dict[str, str], name: str, default: str = "") -> str:
    """The value of the attribute with this short name."""
    if name in attributes:
        return attributes[name]
    return next((value for key, value in attributes.items() if short(key) == name), default)
