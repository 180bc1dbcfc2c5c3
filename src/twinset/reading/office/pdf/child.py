"""The child process that reads PDF files with PDFium: lines with their places, drawn pages.

A parser in C of a format that anybody may have written can run without end, or crash. So it runs
here, within bounds of time and memory, and whoever asks goes on without it. This file is run by its
path and imports nothing of the project: the child has to start quickly.

A request is a line of JSON and, after it, as many bytes as its ``bytes`` says; so is an answer.
"""

from __future__ import annotations

import ctypes
import json
import re
import signal
import sys
from contextlib import suppress
from typing import Any, BinaryIO

MEMORY = 4 << 30
HYPHEN_AT_LINE_END = "\ufffe"  # PDFium's mark for a hyphen before a line break
_WIDE = re.compile("[\U00010000-\U0010ffff]")
_LINE_END = re.compile(f"[\r\n]+|{HYPHEN_AT_LINE_END}")
_FEW_WORDS = 5
"""A page with more words has a text layer, whatever its pictures."""
_GAP = 1.6
"""A blank that is wider than this many heights of its line is the gutter between two columns."""
_EVERY = 3
_DEEPEST_FORM, _MOST_OBJECTS = 4, 2000
_IMAGE, _FORM = 3, 5
_GREY = 1


class PdfError(Exception):
    """A file that cannot be read: the kind of the fault and a sentence."""


class PdfDocument:
    """An open PDF file; its bytes stay in memory as long as PDFium needs them."""

    def __init__(self, pdfium: Any, raw: bytes) -> None:
        self._pdfium, self._raw = pdfium, raw
        self._handle = pdfium.FPDF_LoadMemDocument64(raw, len(raw), None)
        if not self._handle:
            code = pdfium.FPDF_GetLastError()
            if code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
                raise PdfError("damaged", "the PDF document is protected by a password")
            raise PdfError("damaged", "the PDF document is damaged")

    def close(self) -> None:
        """Give the memory back."""
        self._pdfium.FPDF_CloseDocument(self._handle)

    def pages(self, most_pages: int, limit: int) -> list[dict[str, Any] | None]:
        """Every page: its lines and the share of it that images cover; None if it is damaged."""
        count = self._pdfium.FPDF_GetPageCount(self._handle)
        if count > most_pages:
            raise PdfError("too-long", f"the document has over {most_pages:,} pages")
        pages, length = [], 0
        for number in range(count):
            page = self._page(number)
            pages.append(page)
            length += sum(len(line[0]) for line in page["lines"]) if page else 0
            if length > limit:
                raise PdfError("too-long", f"the text is longer than {limit:,} characters")
        if not any(pages):
            raise PdfError("damaged", "the PDF document is damaged: it has no readable page")
        return pages

    def _page(self, number: int) -> dict[str, Any] | None:
        pdfium = self._pdfium
        page = pdfium.FPDF_LoadPage(self._handle, number)
        if not page:
            return None
        text = pdfium.FPDFText_LoadPage(page)
        try:
            width, height = pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)
            lines = DrawnLines(pdfium, text, width).split() if text else []
            words = sum(len(line[0].split()) for line in lines)
            images = self._images(page) / max(1.0, width * height) if words <= _FEW_WORDS else 0.0
            return {"height": height, "lines": lines, "words": words, "images": images}
        finally:
            pdfium.FPDFText_ClosePage(text)
            pdfium.FPDF_ClosePage(page)

    def _images(self, page: Any) -> float:
        """The area that images cover on a page, forms included."""
        pdfium = self._pdfium
        waiting = [
            (pdfium.FPDFPage_GetObject(page, i), 0)
            for i in range(min(_MOST_OBJECTS, pdfium.FPDFPage_CountObjects(page)))
        ]
        area, seen = 0.0, 0
        while waiting and seen < _MOST_OBJECTS:
            item, depth = waiting.pop()
            seen += 1
            kind = pdfium.FPDFPageObj_GetType(item)
            if kind == _IMAGE:
                sides = [ctypes.c_float() for _ in range(4)]
                if pdfium.FPDFPageObj_GetBounds(item, *sides):
                    left, bottom, right, top = (side.value for side in sides)
                    area += abs(right - left) * abs(top - bottom)
            elif kind == _FORM and depth < _DEEPEST_FORM:
                count = min(_MOST_OBJECTS, pdfium.FPDFFormObj_CountObjects(item))
                waiting += [
                    (pdfium.FPDFFormObj_GetObject(item, i), depth + 1) for i in range(count)
                ]
        return area

    def picture(self, number: int, dots_per_inch: int, most_pixels: int) -> bytes:
        """A page drawn in shades of grey, as a PGM file."""
        pdfium = self._pdfium
        page = pdfium.FPDF_LoadPage(self._handle, number)
        if not page:
            raise PdfError("damaged", f"page {number + 1} is damaged")
        try:
            wide, high = pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)
            scale = min(dots_per_inch / 72, (most_pixels / max(1.0, wide * high)) ** 0.5)
            width, height = max(1, round(wide * scale)), max(1, round(high * scale))
            bitmap = pdfium.FPDFBitmap_CreateEx(width, height, _GREY, None, 0)
            if not bitmap:
                raise PdfError("too-long", f"page {number + 1} is too large to be drawn")
            try:
                pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xFFFFFFFF)
                pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, 0)
                stride = pdfium.FPDFBitmap_GetStride(bitmap)
                data = ctypes.string_at(pdfium.FPDFBitmap_GetBuffer(bitmap), stride * height)
            finally:
                pdfium.FPDFBitmap_Destroy(bitmap)
        finally:
            pdfium.FPDF_ClosePage(page)
        rows = (data[row * stride : row * stride + width] for row in range(height))
        return b"P5 %d %d 255\n" % (width, height) + b"".join(rows)


class DrawnLines:
    """The lines of one page in the order in which they are drawn."""

    def __init__(self, pdfium: Any, text: Any, width: float) -> None:
        self._pdfium, self._text, self._width = pdfium, text, width
        self._box = pdfium.FS_RECTF()
        count = max(0, pdfium.FPDFText_CountChars(text))
        buffer = (ctypes.c_ushort * (count + 1))()
        units = pdfium.FPDFText_GetText(text, 0, count, buffer) if count else 0
        data = bytes(buffer)[: 2 * max(0, units - 1)].decode("utf-16-le", "surrogatepass")
        # Two units each in PDFium, and so two characters here.
        self._content = _WIDE.sub(lambda wide: wide.group() + "\0", data)
        self._is_same = len(self._content) == count  # what PDFium leaves out shifts its numbers
        self._has_gutters = False

    def split(self) -> list[list[Any]]:
        """Text, left, right, bottom, top, whether a hyphen ends it, whether it goes on a row."""
        spans: list[tuple[int, int, bool]] = []
        begin = 0
        for end in _LINE_END.finditer(self._content):
            spans.append((begin, end.start(), end.group() == HYPHEN_AT_LINE_END))
            begin = end.end()
        spans.append((begin, len(self._content), False))
        # A gutter goes through many lines, so some of them tell whether there is one.
        self._has_gutters = True
        self._has_gutters = any(len(self._segments(*span)) > 1 for span in spans[::_EVERY])
        return [segment for span in spans for segment in self._segments(*span)]

    def _segments(self, begin: int, end: int, hyphen: bool) -> list[list[Any]]:
        while begin < end and self._content[begin].isspace():
            begin += 1
        while end > begin and self._content[end - 1].isspace():
            end -= 1
        if begin == end:
            return []
        if self._has_hyphen_apart(begin, end):
            end, hyphen = end - 2, True
        left, _, low, high = self._place(begin)
        right = self._place(end - 1)[1]
        bottom = self._baseline(begin, low)
        top = bottom + high - low
        gaps = []
        if self._has_gutters and right - left > self._width / 3:
            gaps = self._gaps(begin, end, _GAP * max(1.0, top - bottom))
        parts = []
        first, first_left = begin, left
        for before, after, before_right, after_left in gaps:
            parts.append(self._line(first, before, first_left, before_right, bottom, top))
            first, first_left = after, after_left
        parts.append(self._line(first, end, first_left, right, bottom, top))
        for number, part in enumerate(parts):
            part += [hyphen and number == len(parts) - 1, number > 0]
        return parts

    def _has_hyphen_apart(self, begin: int, end: int) -> bool:
        """Whether a hyphen ends the line that was drawn a little apart, and so got a blank."""
        if self._content[end - 2 : end] != " -" or not self._content[end - 3 : end - 2].isalpha():
            return False
        blanks = [i for i in range(begin, end) if self._content[i] == " "]
        is_drawn = [self._pdfium.FPDFText_IsGenerated(self._text, self._at(i)) != 1 for i in blanks]
        return any(is_drawn) and not is_drawn[-1]

    def _line(self, begin: int, end: int, *place: float) -> list[Any]:
        text = self._content[begin:end].replace("\0", "")
        return [text, *(round(side, 1) for side in place)]

    def _gaps(self, begin: int, end: int, least: float) -> list[tuple[int, int, float, float]]:
        """Blanks that are wide enough for a gutter: where text ends and begins, and at which x."""
        gaps = []
        blank = self._content.find(" ", begin, end)
        while blank >= 0:
            after = blank + 1
            while after < end and self._content[after].isspace():
                after += 1
            right, left = self._place(blank - 1)[1], self._place(after)[0]
            if left - right > least:
                gaps.append((blank, after, right, left))
            blank = self._content.find(" ", after, end)
        return gaps

    def _place(self, index: int) -> tuple[float, float, float, float]:
        """Left, right, bottom and top of a character."""
        self._pdfium.FPDFText_GetLooseCharBox(self._text, self._at(index), self._box)
        box = self._box
        return box.left, box.right, box.bottom, box.top

    def _baseline(self, index: int, otherwise: float) -> float:
        """Where the letters of a line stand, whatever their shapes."""
        across, up = ctypes.c_double(), ctypes.c_double()
        there = self._pdfium.FPDFText_GetCharOrigin(self._text, self._at(index), across, up)
        return up.value if there else otherwise

    def _at(self, index: int) -> int:
        """The number of a character of the content among those of the page."""
        if self._is_same:
            return index
        number: int = self._pdfium.FPDFText_GetCharIndexFromTextIndex(self._text, index)
        return number


def bound(seconds: float) -> None:
    """End this process when it has computed for so long from now, or takes too much memory."""
    with suppress(ImportError, ValueError, OSError):  # what a system does not have
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        spent = used.ru_utime + used.ru_stime
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (int(spent + seconds) + 1, hard))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


def serve(pdfium: Any, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until there are no more; the last document stays open for its pictures."""
    document: PdfDocument | None = None
    while line := requests.readline():
        request = json.loads(line)
        bound(request["seconds"])
        payload = b""
        try:
            if request["do"] == "pages":
                raw = requests.read(request["bytes"])
                if document:
                    document.close()
                    document = None
                document = PdfDocument(pdfium, raw)
                pages = document.pages(request["most_pages"], request["limit"])
                payload = json.dumps(pages).encode()
            elif document:
                payload = document.picture(
                    request["page"], request["dots_per_inch"], request["most_pixels"]
                )
            answer: dict[str, Any] = {"bytes": len(payload)}
        except PdfError as fault:
            answer = {"bytes": 0, "fault": fault.args}
        except MemoryError:
            answer = {"bytes": 0, "fault": ("too-long", "the PDF document needs too much memory")}
        answers.write(json.dumps(answer).encode() + b"\n" + payload)
        answers.flush()


def main() -> None:
    """Serve on stdin and stdout; the argument is the folder of the package."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    sys.path[0] = sys.argv[1]
    import pypdfium2_raw as pdfium

    pdfium.FPDF_InitLibrary()
    serve(pdfium, sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
