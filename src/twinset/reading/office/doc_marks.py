"""Which characters of a DOC file are deleted or hidden.

[MS-DOC]: properties of characters are listed for runs of bytes of the stream WordDocument, in pages
of 512 bytes whose numbers stand in a table (PlcBteChpx). A run is deleted by a tracked change
(sprmCFRMarkDel) or hidden (sprmCFVanish).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

_PAGE = 512
_DELETED, _HIDDEN = 0x0800, 0x083C
# The bytes of the operand, by the upper three bits of a property; 6 says its length itself.
_SIZES = (1, 1, 2, 4, 2, 2, None, 3)
_LONG_TABLE = 0xD608

Run = tuple[int, int]
"""Where bytes begin and end."""


def unread_runs(stream: bytes, table: bytes) -> list[Run]:
    """The runs of bytes that are no text, in order; ``table`` lists the pages of properties."""
    count = (len(table) - 4) // 8
    if count < 1:
        return []
    pages = struct.unpack_from(f"<{count}I", table, 4 * (count + 1))
    runs = [run for page in dict.fromkeys(pages) for run in _page_runs(stream, page & 0x3FFFFF)]
    return sorted(runs)


def _page_runs(stream: bytes, number: int) -> Iterator[Run]:
    page = stream[number * _PAGE : (number + 1) * _PAGE]
    if len(page) < _PAGE:
        return
    count = page[-1]
    if 4 * (count + 1) + count > _PAGE - 1:
        return
    places = struct.unpack_from(f"<{count + 1}I", page, 0)
    for run in range(count):
        at = 2 * page[4 * (count + 1) + run]
        if at and places[run] < places[run + 1] and _is_unread(page[at + 1 : at + 1 + page[at]]):
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
