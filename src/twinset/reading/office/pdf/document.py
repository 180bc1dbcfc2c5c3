"""The text of a PDF file: that of its text layer, and with OCR that of pages which are pictures."""

from __future__ import annotations

from collections.abc import Sequence

from twinset.reading.office.base import OfficeError, PartialText
from twinset.reading.office.pdf.client import CHILD, PageLines
from twinset.reading.office.pdf.layout import running_text
from twinset.reading.office.pdf.ocr import MOST_PIXELS, Tesseract, page_of
from twinset.spec.numerals import counted

OCR_NEEDED = "OCR needed: install tesseract and give --ocr yes"
MOST_SCANNED_PAGES = 200
"""Pages of one document that are read by OCR, which takes seconds for each."""
DOTS_PER_INCH = 300
_WHOLE, _PART = 0.6, 0.2
"""The share of a page that images cover where it is a scan: with a few words, and with none."""


def pdf_text(raw: bytes, limit: int, ocr: str = "no") -> PartialText:
    """The text of a PDF file, at most ``limit`` characters; raises `OfficeError`."""
    with CHILD.lock:
        pages = CHILD.pages(raw, limit)
        readable = [page for page in pages if page is not None]
        faults = []
        if damaged := len(pages) - len(readable):
            faults.append(("truncated", f"{damaged} of {counted(len(pages), 'page')} are damaged"))
        scanned = [number for number, page in enumerate(pages) if page and _is_scan(page)]
        if scanned and ocr != "no":
            unread = _read_scans(pages, scanned, Tesseract.of(ocr))
            readable = [page for page in pages if page is not None]
            if unread:
                faults.append(("too-long", f"{counted(unread, 'scanned page')} not read by OCR"))
        elif scanned and len(scanned) == sum(bool(page.words or page.images) for page in readable):
            raise OfficeError("no-text", f"the document has no text layer: {OCR_NEEDED}")
        elif scanned:
            lacking = f"{len(scanned)} of {counted(len(pages), 'page')}"
            verb = "has" if len(scanned) == 1 else "have"
            faults.append(("no-text", f"{lacking} {verb} no text layer: {OCR_NEEDED}"))
    return PartialText(running_text(readable), tuple(faults))


def _is_scan(page: PageLines) -> bool:
    return page.images >= (_WHOLE if page.words else _PART)


def _read_scans(pages: list[PageLines | None], scanned: Sequence[int], tesseract: Tesseract) -> int:
    """Put the text that OCR finds in place of scanned pages; how many there were too many."""
    for number in scanned[:MOST_SCANNED_PAGES]:
        picture = CHILD.picture(number, DOTS_PER_INCH, MOST_PIXELS)
        pages[number] = page_of(tesseract.text(picture))
    return len(scanned[MOST_SCANNED_PAGES:])
