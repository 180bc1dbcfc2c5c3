"""Old Office files that name the same bytes again and again are read once, or refused."""

from __future__ import annotations

import struct

from tests.reading.compounds import compound
from tests.reading.documents.test_hostile import outcome
from twinset.documents.doc import unread_runs


def page_of_hidden(begin: int, runs: int) -> bytes:
    """A page of properties: so many runs of one byte from ``begin`` on, which are all hidden."""
    page = bytearray(512)
    struct.pack_into(f"<{runs + 1}I", page, 0, *range(begin, begin + runs + 1))
    page[4 * (runs + 1) : 5 * runs + 4] = bytes([250]) * runs
    struct.pack_into("<BHB", page, 500, 3, 0x083C, 1)
    page[-1] = runs
    return bytes(page)


def table_of(pages: list[int]) -> bytes:
    return struct.pack(f"<{2 * len(pages) + 1}I", *range(len(pages) + 1), *pages)


def test_a_page_of_properties_counts_once_whatever_its_unused_bits() -> None:
    stream = page_of_hidden(10, 2) + page_of_hidden(300, 1)
    again = [number | bits << 22 for number in (1, 0) for bits in range(1024)]
    assert unread_runs(stream, table_of(again)) == [(10, 11), (11, 12), (300, 301)]


def document(pieces: int) -> bytes:
    """A DOC file with the same five hundred characters in all its pieces."""
    table = struct.pack(f"<{pieces + 1}I", *range(0, 500 * pieces + 1, 500))
    table += struct.pack("<HIH", 0, 2 * 1024 | 1 << 30, 0) * pieces
    stream = bytearray(1024) + b"word " * 100
    struct.pack_into("<HH", stream, 0, 0xA5EC, 193)
    struct.pack_into("<i", stream, 0x4C, 500 * pieces)
    struct.pack_into("<II", stream, 0x1A2, 0, 5 + len(table))
    return compound(
        {"WordDocument": bytes(stream), "0Table": struct.pack("<BI", 2, len(table)) + table}
    )


def test_pieces_of_a_document_that_are_all_the_same_characters() -> None:
    assert outcome("doc", document(2)) == "word " * 200


def record(type: int, content: bytes) -> bytes:
    return struct.pack("<HH", type, len(content)) + content


def workbook(sheets: int) -> bytes:
    """A workbook whose sheets all are the same bytes, ten cells with numbers."""
    begin, end = record(0x809, struct.pack("<HHQI", 0x600, 5, 0, 0)), record(10, b"")
    size = len(begin) + sheets * (4 + 9) + len(end)
    listed = record(0x85, struct.pack("<IBBBB", size, 0, 0, 1, 0) + b"S") * sheets
    cells = b"".join(record(0x203, struct.pack("<HHHd", 0, i, 0, i)) for i in range(10))
    sheet = record(0x809, struct.pack("<HHQI", 0x600, 0x10, 0, 0)) + cells + end
    return compound({"Workbook": begin + listed + end + sheet})


def test_sheets_that_all_are_in_one_place_are_not_read_for_each() -> None:
    assert outcome("sheet", workbook(1)).split() == [str(i) for i in range(10)]
    assert outcome("sheet", workbook(100)).split() == [str(i) for i in range(10)]


def test_short_sectors_of_a_workbook_that_run_in_a_circle() -> None:
    raw = bytearray(workbook(1))
    (short_table,) = struct.unpack_from("<I", raw, 60)
    struct.pack_into("<I", raw, (short_table + 1) * 512, 0)
    assert outcome("sheet", bytes(raw)) == "the document is damaged"
