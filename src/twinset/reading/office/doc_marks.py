"""Which characters of a DOC file are deleted or hidden.

[MS-DOC]: properties of characters are listed for runs of bytes of the stream WordDocument, in pages
of 512 bytes whose numbers stand in a table (PlcBteChpx). A run is deleted by a tracked change
(sprmCFRMarkDel) or hidden (sprmCFVanish).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

_PAGE = 512
_NUMBER = 0x3FFFFF  # the bits that number a page; the others mean nothing
_DELETED, _HIDDEN = 0x0800, 0x083C
# The bytes of the operand, by the upper three bits of a property; 6 says its length itself.
_SIZES = (1, 1, 2, 4, 2, 2, None, 3)
_LONG_TABLE = 0xD608

Run = tuple[int, int]
"""Where bytes begin and end."""


def unread_runs(stream: bytes, table: bytes) -> list[Run]:
    """The runs of bytes that are no text, in order and apart; ``table`` lists their pages."""
    count = (len(table) - 4) // 8
    if count < 1:
        return []
    numbers = struct.unpack_from(f"<{count}I", table, 4 * (count + 1))
    pages = dict.fromkeys(number & _NUMBER for number in numbers)
    return _joined(sorted(run for page in pages for run in _page_runs(stream, page)))


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


def _joined(runs: list[Run]) -> list[Run]:
    """Sorted runs without overlaps, of which a piece of text then meets few."""
    apart: list[Run] = []
    for begin, end in runs:
        if apart and begin <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((begin, end))
    return apart


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
