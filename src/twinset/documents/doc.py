"""Text of DOC files, the documents of Word 97 to 2003.

[MS-DOC]: the stream WordDocument holds the characters in pieces, in one or two bytes each; the
table of pieces is in another stream. Behind the body stand footnotes, page headers, comments,
endnotes and text boxes, with their lengths in the header.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from twinset.documents.base import OfficeError
from twinset.documents.compound import damaged, opened, stream_of

_PAGE = 512
_NUMBER = 0x3FFFFF  # the bits that number a page; the others mean nothing
_DELETED, _HIDDEN = 0x0800, 0x083C
# The bytes of the operand, by the upper three bits of a property; 6 says its length itself.
_SIZES = (1, 1, 2, 4, 2, 2, None, 3)
_LONG_TABLE = 0xD608

Run = tuple[int, int]
"""Where bytes begin and end."""


def unread_runs(stream: bytes, table: bytes) -> list[Run]:
    """The runs of bytes that are no text, in order; ``table`` lists their pages."""
    count = (len(table) - 4) // 8
    if count < 1:
        return []
    numbers = struct.unpack_from(f"<{count}I", table, 4 * (count + 1))
    pages = dict.fromkeys(number & _NUMBER for number in numbers)
    return sorted(run for page in pages for run in _page_runs(stream, page))


def _page_runs(stream: bytes, number: int) -> Iterator[Run]:
    page = stream[number * _PAGE : (number + 1) * _PAGE]
    if len(page) < _PAGE:
        return
    count = page[-1]
    if 4 * (count + 1) + count > _PAGE - 1:
        return
    places = struct.unpack_from(f"<{count + 1}I", page, 0)
    lists = page[4 * (count + 1) : 4 * (count + 1) + count]  # halves of their places
    unread = {
        half for half in set(lists) - {0} if _is_unread(page[2 * half + 1 :][: page[2 * half]])
    }
    for run, half in enumerate(lists):
        if half in unread and places[run] < places[run + 1]:
            yield places[run], places[run + 1]


def _is_unread(properties: bytes) -> bool:
    at = 0
    while at + 3 <= len(properties):
        (property,) = struct.unpack_from("<H", properties, at)
        if property in (_DELETED, _HIDDEN) and properties[at + 2] == 1:
            return True
        size = _SIZES[property >> 13]
        if property == _LONG_TABLE:
            return False
        at += 2 + (1 + properties[at + 2] if size is None else size)
    return False


_WORD = 0xA5EC
_WORD_97 = 193
_ENCRYPTED, _SECOND_TABLE = 0x0100, 0x0200
_LENGTHS = 0x4C  # of body, footnotes, headers, macros, comments, endnotes, text boxes
_PIECES = 0x1A2  # where the table of pieces is, and its length
_PROPERTIES = 0xFA  # where the table of the properties of characters is, and its length
_BEFORE, _TABLE = 1, 2  # kinds of blocks in the table of pieces
_ONE_BYTE = 1 << 30
# What a field tells Word to do, and the result of that, if there is one.
_FIELD = re.compile("\x13[^\x13-\x15]*(?:\x14([^\x13-\x15]*))?\x15")
_SHOWN = str.maketrans(
    {
        **dict.fromkeys(map(chr, range(32)), None),
        **dict.fromkeys("\r\x07\x0b\x0c\x0e", "\n"),
        "\t": "\t",
        "\n": "\n",
        "\x1e": "\u2011",
        "\x1f": "\u00ad",
    }
)


def doc_text(raw: bytes) -> str:
    """The body, footnotes, endnotes and text boxes, a line for each paragraph and cell."""
    file = opened(raw)
    stream = stream_of(file, "WordDocument")
    identity, version = struct.unpack_from("<HH", stream, 0)
    (flags,) = struct.unpack_from("<H", stream, 10)
    lengths = struct.unpack_from("<7i", stream, _LENGTHS)
    begin, size = struct.unpack_from("<II", stream, _PIECES)
    if identity != _WORD or version < _WORD_97:
        detail = "the file is a document of Word 95 or older, which is not read; save it as .docx"
        raise OfficeError("format", detail)
    if flags & _ENCRYPTED:
        raise OfficeError("damaged", "the DOC document is protected by a password")
    table = stream_of(file, "1Table" if flags & _SECOND_TABLE else "0Table")
    begins, sizes = struct.unpack_from("<II", stream, _PROPERTIES)
    marked = bytearray(stream)  # NUL for every byte that is no text, so that places stay
    for first, end in unread_runs(stream, table[begins : begins + sizes]):
        marked[first:end] = bytes(len(marked[first:end]))
    text = "".join(_pieces(bytes(marked), table[begin : begin + size]))
    body, footnotes, headers, macros, comments, endnotes, boxes = map(max, lengths, [0] * 7)
    notes = body + footnotes
    ends = notes + headers + macros + comments
    parts = (text[:body], text[body:notes], text[ends : ends + endnotes + boxes])
    return "".join(_shown(part) for part in parts)


def _pieces(stream: bytes, table: bytes) -> Iterator[str]:
    """The characters of the document in order."""
    at = 0
    while table[at : at + 1] == bytes([_BEFORE]):
        at += 3 + int.from_bytes(table[at + 1 : at + 3], "little")
    if table[at : at + 1] != bytes([_TABLE]):
        raise damaged()
    size = int.from_bytes(table[at + 1 : at + 5], "little")
    listed = table[at + 5 : at + 5 + size]
    count = (len(listed) - 4) // 12
    places = struct.unpack_from(f"<{count + 1}I", listed, 0)
    for number in range(count):
        length = places[number + 1] - places[number]
        (begin,) = struct.unpack_from("<I", listed, 4 * (count + 1) + 8 * number + 2)
        if length < 0:
            raise damaged()
        width, encoding = (1, "cp1252") if begin & _ONE_BYTE else (2, "utf-16-le")
        start = (begin & ~_ONE_BYTE) // 2 if width == 1 else begin
        yield stream[start : start + width * length].decode(encoding, "replace")


def _shown(text: str) -> str:
    """The text as it is read: of fields the results, of marks those that part words."""
    before = ""
    while text != before:  # fields lie in one another
        before, text = text, _FIELD.sub(r"\1", text)
    return text.translate(_SHOWN)
